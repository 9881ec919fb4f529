"""Error spans: what a judge marked in an output or its source, in one column of a table of ratings.

A rating may have a column `spans`. It holds a JSON list with one object for each error:

    [{"start": 0, "end": 4, "severity": "minor", "category": "", "side": "output"}]

Characters are counted from 0, and `end` is the character after the last one. 0 to 0 marks something
that is missing. Where both are null the error lies somewhere in the text, or in all of it. An empty
list says that no error was found, a missing value that none was asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

SIDES: Final = ("output", "source")
_FIELDS: Final = ("start", "end", "severity", "category", "side")
FORM: Final = (
    'a JSON list such as [{"start": 0, "end": 4, "severity": "minor", "category": "", "side":'
    ' "output"}]'
)


@dataclass(frozen=True)
class Span:
    """A marked error."""

    start: int | None  # first character, counted from 0; None where no place was marked
    end: int | None  # the character after the last one; 0 to 0 marks something that is missing
    severity: str  # how bad it is, such as "minor"
    category: str = ""  # what kind of error it is; "" where that was not asked
    side: str = "output"  # "output", or "source" where the error is in the source

    @property
    def missing(self) -> bool:
        """Whether it marks something that is not there."""
        return self.start == 0 and self.end == 0

    @property
    def placed(self) -> bool:
        """Whether it marks characters."""
        return self.start is not None and not self.missing

    def to_dict(self) -> dict[str, Any]:
        """Return it as the column holds it."""
        return {name: getattr(self, name) for name in _FIELDS}


def write_spans(spans: Iterable[Span]) -> str:
    """Return the value of the column.

    >>> write_spans([Span(0, 4, "minor")])
    '[{"start": 0, "end": 4, "severity": "minor", "category": "", "side": "output"}]'
    """
    return json.dumps([one.to_dict() for one in spans], ensure_ascii=False)


def read_spans(text: str) -> tuple[Span, ...]:
    """Read the value of the column."""
    try:
        given = json.loads(text)
    except json.JSONDecodeError:
        given = None
    if not isinstance(given, list):
        raise ValueError(f"spans are {FORM}")  # noqa: TRY004 - the text is wrong, not its type
    return tuple(map(_read_one, given))


def _read_one(given: object) -> Span:
    if not isinstance(given, Mapping) or set(given) - set(_FIELDS):
        raise ValueError(f"a span has {', '.join(_FIELDS)}")
    start, end = given.get("start"), given.get("end")
    check_place(start, end)
    severity, category = given.get("severity"), given.get("category", "")
    if not isinstance(severity, str) or not severity or not isinstance(category, str):
        raise ValueError("severity and category of a span are words")
    side = given.get("side", "output")
    if side not in SIDES:
        raise ValueError(f"a span lies in {' or '.join(SIDES)}, not in {side!r}")
    return Span(start, end, severity, category, side)


def check_place(start: object, end: object) -> None:
    """Refuse what is no place in a text."""
    if start is None and end is None:
        return
    whole = all(isinstance(one, int) and not isinstance(one, bool) for one in (start, end))
    if not whole or start < 0:  # type: ignore[operator]
        raise ValueError(f"start and end of a span are whole numbers from 0, not {start} and {end}")
    if start >= end and (start, end) != (0, 0):  # type: ignore[operator]
        raise ValueError(f"a span ends after it starts, not at {end} from {start}")
