"""Errors as other projects mark them: where they start and end, how bad they are, what they cost.

Appraise and pearmut give the last character of an error, mt-metrics-eval the one after it; MQM
tables put `<v>` and `</v>` around it. All of them become spans whose `end` is the character after
the last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from evenhand.formats.unfolding import Record, shorten
from evenhand.judgments.spans import Span, check_place

# Words for how bad an error is, in small letters
SEVERITIES: Final = ("minor", "major", "critical", "neutral", "undecided")
CRITICAL: Final = "critical"
# What an error takes from a score, as MQM tables are counted (Freitag et al. 2021); that critical
# errors count as major ones is what WMT 2024 did.
WEIGHTS: Final[Mapping[str, float]] = {"minor": 1, "major": 5, CRITICAL: 5, "neutral": 0}
NON_TRANSLATION: Final = 25
PUNCTUATION: Final = 0.1
NO_ERROR: Final = "no-error"
_OPEN, _CLOSE = "<v>", "</v>"
# The last character that is one UTF-16 unit; those behind it, such as 😀, are two
_LAST_UNIT: Final = 0xFFFF


def weigh(record: Record, spans: Iterable[Span]) -> float:
    """Return what some errors take from a score, as MQM tables are counted."""
    return round(sum(_weigh(record, one) for one in spans), 9)


def _weigh(record: Record, span: Span) -> float:
    category = span.category.casefold()
    free = span.severity in {NO_ERROR, "neutral"}
    if free or category.startswith("source") or "reinterpretation" in category:
        return 0
    if category.startswith("non-translation"):
        return NON_TRANSLATION
    severity = record.choose(span.severity, "severity", tuple(WEIGHTS))
    if severity == "minor" and category.startswith("fluency/punctuation"):
        return PUNCTUATION
    return WEIGHTS[severity]


def say_critical(spans: Iterable[Span]) -> list[str]:
    """Return the note on errors whose weight Freitag et al. do not give.

    >>> say_critical([Span(0, 1, "critical"), Span(2, 3, "minor")])
    ['errors that are critical take 5 from the score, as major ones do: 1']
    """
    n = sum(one.severity == CRITICAL for one in spans)
    said = f"errors that are {CRITICAL} take {WEIGHTS[CRITICAL]:g} from the score, as major ones do"
    return [f"{said}: {n:,}"] if n else []


@dataclass(frozen=True)
class Screen:
    """A text as a web page counts it: in UTF-16 units, without line breaks."""

    places: tuple[int, ...]  # (n,) unit → character of the text that it belongs to
    size: int  # characters of the text

    @classmethod
    def of(cls, text: str, *, trimmed: bool = False) -> Screen:
        """Count a text; a page may have trimmed the blanks around it first.

        >>> Screen.of("😀XY").places
        (0, 0, 1, 2)
        """
        first = len(text) - len(text.lstrip()) if trimmed else 0
        places = [
            at
            for at, one in enumerate(text)
            if at >= first and one != "\n"
            for _ in range(1 + (ord(one) > _LAST_UNIT))
        ]
        return cls(tuple(places), len(text))

    def find(self, start: int, last: int) -> tuple[int, int]:
        """Return start and end in characters of what lies between two units.

        Behind the last unit stands what the page offers to click for something that is missing.

        >>> Screen.of("😀XY").find(2, 2), Screen.of("XY").find(2, 2), Screen.of("XY").find(1, 2)
        ((1, 2), (0, 0), (1, 2))
        """
        n = len(self.places)
        if start == last == n:
            return 0, 0
        if last == n:
            return self._place(start), self.size
        return self._place(start), self._place(last) + 1

    def _place(self, unit: int) -> int:
        n = len(self.places)
        return self.places[unit] if unit < n else self.size + unit - n


def read_inclusive(
    record: Record, given: Any, category: str, screen: Screen | None = None
) -> tuple[Span, ...]:
    """Read errors whose `end_i` is their last character."""
    if not isinstance(given, list):
        raise record.refuse(f"errors are a list, not {shorten(given)}")
    return tuple(_read_inclusive(record, one, category, screen) for one in given)


def _read_inclusive(record: Record, given: Any, category: str, screen: Screen | None) -> Span:
    if not isinstance(given, Mapping) or not {"start_i", "end_i", "severity"} <= set(given):
        raise record.refuse(f"an error has start_i, end_i and severity, not {shorten(given)}")
    severity = record.choose(str(given["severity"]).casefold(), "severity", SEVERITIES)
    start, end = given["start_i"], given["end_i"]
    if "missing" in (start, end):
        return Span(0, 0, severity, name_category(given.get(category)))
    last = end + 1 if isinstance(end, int) and not isinstance(end, bool) else end
    _check(record, start, last)
    if screen is not None and start is not None:
        start, last = screen.find(start, end)
    return Span(start, last, severity, name_category(given.get(category)))


def read_exclusive(record: Record, given: Any) -> tuple[Span, ...]:
    """Read errors whose `end` is the character after the last, as mt-metrics-eval writes them."""
    if not isinstance(given, list):
        raise record.refuse(f"errors are a list, not {shorten(given)}")
    spans = []
    for one in given:
        if not isinstance(one, Mapping) or "severity" not in one:
            raise record.refuse(f"an error has start, end and severity, not {shorten(one)}")
        start, end = one.get("start"), one.get("end")
        _check(record, start, end)
        known = (*SEVERITIES, NO_ERROR)
        severity = record.choose(str(one["severity"]).casefold(), "severity", known)
        side = "source" if one.get("is_source_error") else "output"
        spans.append(Span(start, end, severity, name_category(one.get("category")), side))
    return tuple(spans)


def _check(record: Record, start: object, end: object) -> None:
    try:
        check_place(start, end)
    except ValueError as fault:
        raise record.refuse(str(fault)) from None


def name_category(given: Any) -> str:
    """Return the name of a kind of error; one of several levels is joined by "/".

    >>> name_category(["Accuracy", "Omission"]), name_category(None)
    ('Accuracy/Omission', '')
    """
    if isinstance(given, list):
        return "/".join(str(one) for one in given if one)
    return "" if given is None else str(given)


def take_marks(record: Record, text: str) -> tuple[str, tuple[int, int] | None]:
    """Take `<v>` and `</v>` out of a text."""
    if _OPEN not in text and _CLOSE not in text:
        return text, None
    start = text.find(_OPEN)
    end = text.find(_CLOSE) - len(_OPEN)
    if text.count(_OPEN) != 1 or text.count(_CLOSE) != 1 or end <= start:
        raise record.refuse(
            f"one error is marked with one {_OPEN} and one {_CLOSE} around it, not"
            f" '{shorten(text)}': mend the row, or leave it out with --where"
        )
    return text.replace(_OPEN, "").replace(_CLOSE, ""), (start, end)


def put_marks(text: str, start: int, end: int) -> str:
    """Put `<v>` and `</v>` around some characters.

    >>> put_marks("a bad word", 2, 5)
    'a <v>bad</v> word'
    """
    return f"{text[:start]}{_OPEN}{text[start:end]}{_CLOSE}{text[end:]}"
