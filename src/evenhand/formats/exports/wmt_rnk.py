"""Rankings as WMT's RNK table: one wide row for each, in the order of the screen.

Slots that a shorter ranking does not fill are empty. Blank ranks are -1, and so are the numbers
of systems, documents and segments where nothing is known of them. Codes of WMT's languages become
their names.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Final

from evenhand.errors import UnknownOption
from evenhand.formats.exports.rows import (
    read_rows,
    refuse_weight,
    require_kind,
    require_roles,
    text_of,
)
from evenhand.formats.layouts.wmt_rnk import LANGUAGES
from evenhand.formats.table import Handle
from evenhand.formats.unfolding import Record
from evenhand.judgments.rankings import Rankings

NAME: Final = "wmt-rnk"
SUFFIXES: Final = (".csv",)
HOLDS: Final = frozenset(
    {*("judge", "item", "task", "system", "rank", "position", "weight"), "documentId", "segmentId"}
)

_NEEDS: Final = ("judge", "item", "task")
_LEAST: Final = 2


def export(data: Handle) -> Iterator[str]:
    """Yield the lines of the table."""
    data = require_kind(data, Rankings, NAME)
    require_roles(data, _NEEDS, NAME)
    data.check()
    if not data.has("position"):
        raise UnknownOption(
            f"{data.source.name} has no positions, and in {NAME} the order of systems is that of"
            " the screen: add a column 'position', or write our own rankings (--to rankings)"
        )
    rankings: dict[tuple[str, str], list[Record]] = {}
    for record in read_rows(data):
        refuse_weight(record, NAME)
        key = (record.text("task"), record.text("ranking"))
        rankings.setdefault(key, []).append(record)
    width = max(_LEAST, *map(len, rankings.values()))
    yield _line(_header(width))
    for records in rankings.values():
        yield _line(_row(sorted(records, key=lambda one: float(one.need("position"))), width))


def find_losses(data: Handle) -> Iterator[str]:
    """Say which tasks are read again by other codes, since languages are written by name."""
    tasks = {record.text("task"): _languages(record) for record in read_rows(data)}
    again = {
        task: "-".join(LANGUAGES.get(name.casefold(), name) for name in names)
        for task, names in tasks.items()
    }
    other = [f"{task} as {name}" for task, name in again.items() if task != name]
    if other:
        yield f"tasks are read again by other codes: {', '.join(other)}"


def _header(width: int) -> list[str]:
    slots = [f"system{at}{what}" for at in range(1, width + 1) for what in ("Number", "Id")]
    ranks = [f"system{at}rank" for at in range(1, width + 1)]
    first = ["srclang", "trglang", "srcIndex", "documentId", "segmentId", "judgeId"]
    return [*first, *slots, *ranks]


def _row(records: Sequence[Record], width: int) -> list[str]:
    first, empty = records[0], width - len(records)
    slots = [part for one in records for part in ("-1", one.need("system"))]
    ranks = [text_of(one, "rank") or "-1" for one in records]
    return [
        *_languages(first),
        first.need("item"),
        *(first.text(name) or "-1" for name in ("documentId", "segmentId")),
        first.need("judge"),
        *slots,
        *([""] * (2 * empty)),
        *ranks,
        *([""] * empty),
    ]


def _languages(record: Record) -> list[str]:
    """Return both languages of a task by name; one without a name keeps its code."""
    codes = record.need("task").split("-")
    if len(codes) != 2:
        raise record.refuse(
            f"its task '{record.text('task')}' is no pair of languages such as cs-en, as"
            f" {NAME} needs"
        )
    return [_NAMES.get(code, code) for code in codes]


# Code of a language → the first of its names
_NAMES: Final = {code: name.capitalize() for name, code in reversed(LANGUAGES.items())}


def _line(fields: Sequence[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(fields)
    return text.getvalue()
