"""Refusals of an export in the organiser's words: who judged what, and no file that nobody has."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from evenhand.errors import EvenhandError, InvalidJudgments

_ROWS: Final = re.compile(r"\(?\brows? (\d[\d,]*(?:, \d[\d,]*)*)\)?")


def name_answers(
    error: EvenhandError, rows: Sequence[Mapping[str, Any]], where: tuple[str, str, Path]
) -> InvalidJudgments:
    """Return a refusal that names the answers it is about.

    where: name of the pass, title of the format, and the table. >>> rows = [{"judge": "ann",
        "item": "7"}, {"judge": "ben", "item": "8"}] >>> error = InvalidJudgments("row 2 of
        made/table.csv: it is a tie") >>> str(name_answers(error, rows, ("better", "RNK",
        Path("made/table.csv")))) "'better' cannot be written as RNK: judge ben, item 8: it is a
        tie"
    """
    task, title, table = where
    said = str(error)
    for place in (f" of {table}", f" of '{table}'"):
        said = said.replace(place, "")
    said = said.replace(str(table), f"'{task}'").replace(f"{table.parent}", "the server")
    said = _ROWS.sub(lambda found: _say_answers(found, rows), said)
    return InvalidJudgments(f"'{task}' cannot be written as {title}: {said}")


def _say_answers(found: re.Match[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return judge and item of each row that was named; numbers that are of no row stay."""
    many = found[1].split(", ")
    numbers = [int(one.replace(",", "")) for one in many]
    if not all(1 <= one <= len(rows) for one in numbers):
        return found[0]
    named = [rows[one - 1] for one in numbers]
    words = "; ".join(dict.fromkeys(f"judge {row['judge']}, item {row['item']}" for row in named))
    return f"({words})" if found[0].startswith("(") else words
