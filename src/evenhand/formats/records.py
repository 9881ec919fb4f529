"""From records of any shape to rows of a table: one record may be many judgments, or a part of one.

Layouts that nest, that spread one judgment over rows, or that write numbers in a way of their own
read their records here one by one, in order, and give back flat rows. These go on like any table.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Final, TypeVar, cast

import narwhals as nw

from evenhand.data.annotations import Span, check_place
from evenhand.data.engine import PLACE, Frame, fetch_columns
from evenhand.data.exclusions import Exclusion
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownOption, listing, require_option
from evenhand.formats.file_heads import hold_objects
from evenhand.formats.files import connect
from evenhand.formats.table import (
    NESTED,
    Handle,
    InvalidRow,
    Layout,
    ReadOptions,
    Table,
    make_ratings,
)

Row = Mapping[str, Any]
T = TypeVar("T")
# What Python says of text that is no value: nested too deep, or numbers of too many digits
_UNREADABLE: Final = (ValueError, TypeError, SyntaxError, RecursionError, MemoryError)
_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Record:
    """One row of an outside table, or one object of a JSON file."""

    number: int  # its number, from 1
    values: Mapping[str, Any]  # column → value
    table: str  # what the table is called in messages

    def text(self, column: str) -> str:
        """Return a value as text without blanks around it; "" where it is missing."""
        value = self.values.get(column)
        if isinstance(value, str):
            return value.strip()
        missing = value is None or value != value  # noqa: PLR0124 - nan is the only value that differs from itself
        return "" if missing else str(value).strip()

    def verbatim(self, column: str) -> str:
        """Return a value as text just as it stands, for places in it to hold; "" if missing."""
        value = self.values.get(column)
        return value if isinstance(value, str) else self.text(column)

    def need(self, column: str) -> str:
        text = self.text(column)
        if not text:
            raise self.refuse(f"'{column}' is missing")
        return text

    def data(self, column: str) -> Any:
        """Return a value as JSON, or as Python writes it; None if it is missing."""
        text = self.text(column)
        if not text:
            return None
        for read in (json.loads, ast.literal_eval):
            try:
                return read(text)
            except _UNREADABLE:
                continue
        raise self.refuse(f"'{column}' is not JSON: {shorten(text)}")

    def mapping(self, value: Any, what: str) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            raise self.refuse(f"{what}: expected an object with names, not {shorten(value)}")
        return value

    def sequence(self, value: Any, what: str) -> Sequence[Any]:
        if not isinstance(value, list):
            raise self.refuse(f"{what}: expected a list, not {shorten(value)}")
        return value

    def label(self, value: Any, what: str) -> str:
        """Return a name out of a JSON value: text, or a whole number; "" where it is missing."""
        if value is None:
            return ""
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise self.refuse(f"{what} is a name or a number, not {shorten(value)}")
        return str(value)

    def choose(self, value: str, what: str, expected: Sequence[str]) -> str:
        if value not in expected:
            raise self.refuse(f"{what} is '{shorten(value)}': expected {' | '.join(expected)}")
        return value

    def refuse(self, words: str) -> InvalidJudgments:
        return InvalidRow(self.number, self.table, words)


def shorten(value: object, longest: int = 60) -> str:
    text = str(value)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def require_columns(table: Table, needed: Sequence[str], title: str) -> None:
    lacking = [name for name in needed if name not in table.columns]
    if lacking:
        raise UnknownColumn(f"{title} need {listing(lacking)}, not found in {table.name}")


def read_records(table: Table) -> Iterator[Record]:
    fetched = fetch_columns(table.frame)
    names = list(fetched)
    columns = [column.tolist() for column in fetched.values()]
    skipped = {number for fault in table.faults or () for number in fault.numbers}
    for number, values in enumerate(zip(*columns, strict=True)):
        record = dict(zip(names, values, strict=True))
        place = int(record.pop(PLACE, number)) + 1  # as a sheet counts its rows
        if place not in skipped:
            yield Record(place, record, table.name)


def read_each(
    table: Table, read: Callable[[Record], Iterable[T]], records: Iterable[Record] | None = None
) -> list[T]:
    results: list[T] = []
    for record in read_records(table) if records is None else records:
        try:
            results.extend([*read(record)])
        except InvalidRow as fault:
            table.skip(fault)
    return results


def take_rows(
    layout: Layout,
    table: Table,
    rows: Sequence[Row],
    options: ReadOptions,
    *,
    make: Callable[[Table, ReadOptions, Layout], Handle] = make_ratings,
    unread: Collection[str] | None = None,
    notes: Iterable[str] = (),
    excluded: Iterable[Exclusion] = (),
) -> Handle:
    # unread: what was not read; None for all columns but those that the layout reads.
    names = list_unread(table, layout.reads) if unread is None else unread
    data = make(lay_out(table, rows), options, layout)
    source = replace(data.source, laid_out=True).noting(*say_unread(names), *notes)
    return replace(data, source=source.excluding(*excluded))


def row_layout(
    name: str,
    title: str,
    needs: Sequence[str],
    *,
    also: Sequence[str] = (),
    keeps: bool = False,
    make: Callable[..., Handle] = make_ratings,
    note: Callable[[Sequence[Row]], Iterable[str]] = lambda _: (),
) -> Callable[[Callable[[Record], Iterable[Row]]], Layout]:
    """Make a layout of what reads the rows of a record; `keeps`: other flat columns."""

    def decorate(read: Callable[[Record], Iterable[Row]]) -> Layout:
        def understand(table: Table, options: ReadOptions) -> Handle:
            flat, unread = split_unread(table, layout.reads) if keeps else ([], None)
            rows = read_each(table, lambda one: [keep_flat(one, flat, row) for row in read(one)])
            more = note(rows)
            return take_rows(layout, table, rows, options, make=make, unread=unread, notes=more)

        layout = Layout(name, title, needs, understand, also=also)
        return layout

    return decorate


# Columns that are there even if no row has a value
_ALWAYS: Final = ("score", "rank")


def lay_out(table: Table, rows: Sequence[Row]) -> Table:
    """Put flat rows in the place of a table; columns without any value are excluded."""
    if not rows:
        raise InvalidJudgments(f"{table.name} holds no judgments")
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: [write_value(row.get(name)) for row in rows] for name in names}
    filled = {
        name: values
        for name, values in columns.items()
        if name in _ALWAYS or any(value is not None for value in values)
    }
    connection = table.connection or connect()
    texts = (dict(zip(filled, row, strict=True)) for row in zip(*filled.values(), strict=True))
    relation = hold_objects(connection, texts, list(filled))
    return Table(cast("Frame", nw.from_native(relation)), table.name, connection)


def write_value(value: Any) -> str | None:
    if isinstance(value, str):
        return value or None
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


def read_score(record: Record, value: Any) -> float | None:
    """Return a score of a JSON file, where it may also stand as text; None if none was given."""
    if value is None:
        return None
    text = value.strip() if isinstance(value, str) else repr(value)
    if isinstance(value, bool) or not _NUMBER.fullmatch(text):
        raise record.refuse(f"a score is a number, not '{shorten(value)}'")
    return float(text)


# Appraise and pearmut give the last character of an error, mt-metrics-eval the one after it; MQM
# tables put `<v>` and `</v>` around it. All become spans whose `end` is the one after the last.


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


def weigh(record: Record, spans: Iterable[Span], stated: Mapping[str, float]) -> float:
    """Return what some errors take from a score, as MQM tables are counted, or as was stated."""
    return round(sum(_weigh(record, one, stated) for one in spans), 9)


def _weigh(record: Record, span: Span, stated: Mapping[str, float]) -> float:
    category = span.category.casefold()
    free = span.severity in {NO_ERROR, "neutral"}
    if free or category.startswith("source") or "reinterpretation" in category:
        return 0
    if category.startswith("non-translation"):
        return NON_TRANSLATION
    severity = record.choose(span.severity, "severity", tuple(WEIGHTS))
    if severity == "minor" and category.startswith("fluency/punctuation"):
        return PUNCTUATION
    return stated.get(severity, WEIGHTS[severity])


def say_weights(spans: Iterable[Span], stated: Mapping[str, float]) -> list[str]:
    """Return the note on weights that were stated, and on those that Freitag et al. do not give."""
    told = [f"{name} {weight:g}" for name, weight in stated.items()]
    notes = [f"errors take from the score, as stated: {', '.join(told)}"] if told else []
    n = sum(one.severity == CRITICAL for one in spans)
    if n and CRITICAL not in stated:
        notes.append(
            f"errors that are {CRITICAL} take {WEIGHTS[CRITICAL]:g} from the score, as major ones"
            f" do: {n:,}"
        )
    return notes


def check_weights(stated: Mapping[str, float]) -> None:
    """Check what errors of a severity take from a score, as a caller stated it.

    Raises:
        UnknownOption: no such severity, or a weight below 0.
    """
    for name, weight in stated.items():
        require_option("the severity of an error weight", name, ("minor", "major", CRITICAL))
        if not 0 <= weight < inf:
            raise UnknownOption(f"an error of severity {name} takes 0 or more, not {weight:g}")


@dataclass(frozen=True)
class Screen:
    """A text as a web page counts it: in UTF-16 units, without line breaks."""

    places: tuple[int, ...]  # (n,) unit → character of the text that it belongs to
    size: int  # characters of the text

    @classmethod
    def of(cls, text: str, *, trimmed: bool = False) -> Screen:
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
        """
        n = len(self.places)
        if start == last == n:
            return 0, 0
        first, end = (
            self.places[unit] if unit < n else self.size + unit - n for unit in (start, last)
        )
        return first, self.size if last == n else end + 1


def _list_errors(record: Record, given: Any, *names: str) -> list[Mapping[str, Any]]:
    """Return errors, each with some values and its severity in small letters."""
    if not isinstance(given, list):
        raise record.refuse(f"errors are a list, not {shorten(given)}")
    for one in given:
        if not isinstance(one, Mapping) or not {*names, "severity"} <= set(one):
            has = ", ".join(names or ("start", "end"))
            raise record.refuse(f"an error has {has} and severity, not {shorten(one)}")
    return [{**one, "severity": str(one["severity"]).casefold()} for one in given]


def read_inclusive(
    record: Record, given: Any, category: str, screen: Screen | None = None
) -> tuple[Span, ...]:
    spans = []
    for one in _list_errors(record, given, "start_i", "end_i"):
        severity = record.choose(one["severity"], "severity", SEVERITIES)
        start, end = one["start_i"], one["end_i"]
        last = end + 1 if isinstance(end, int) and not isinstance(end, bool) else end
        if "missing" in (start, end):
            start = last = 0
        else:
            _check(record, start, last)
            if screen is not None and start is not None:
                start, last = screen.find(start, end)
        spans.append(Span(start, last, severity, name_category(one.get(category))))
    return tuple(spans)


def read_exclusive(record: Record, given: Any) -> tuple[Span, ...]:
    spans = []
    for one in _list_errors(record, given):
        start, end = one.get("start"), one.get("end")
        _check(record, start, end)
        severity = record.choose(one["severity"], "severity", (*SEVERITIES, NO_ERROR))
        side = "source" if one.get("is_source_error") else "output"
        spans.append(Span(start, end, severity, name_category(one.get("category")), side))
    return tuple(spans)


def _check(record: Record, start: object, end: object) -> None:
    try:
        check_place(start, end)
    except ValueError as fault:
        raise record.refuse(str(fault)) from None


def name_category(given: Any) -> str:
    if isinstance(given, list):
        return "/".join(str(one) for one in given if one)
    return "" if given is None else str(given)


def take_marks(record: Record, text: str) -> tuple[str, tuple[int, int] | None]:
    if _OPEN not in text and _CLOSE not in text:
        return text, None
    start = text.find(_OPEN)
    end = text.find(_CLOSE) - len(_OPEN)
    if text.count(_OPEN) != 1 or text.count(_CLOSE) != 1 or end <= start:
        raise record.refuse(
            f"one error is marked with one {_OPEN} and one {_CLOSE} around it, not"
            f" '{shorten(text)}'"
        )
    return text.replace(_OPEN, "").replace(_CLOSE, ""), (start, end)


def put_marks(text: str, start: int, end: int) -> str:
    return f"{text[:start]}{_OPEN}{text[start:end]}{_CLOSE}{text[end:]}"


def list_unread(table: Table, read: Collection[str]) -> list[str]:
    return [name for name in table.columns if name not in read]


def split_unread(table: Table, read: Collection[str]) -> tuple[list[str], list[str]]:
    """Return the other columns that hold one value a row, and so can be kept, and the rest."""
    others = list_unread(table, read)
    nested = [name for name in others if table.original_types.get(name) == NESTED]
    return [name for name in others if name not in nested], nested


def keep_flat(record: Record, names: Sequence[str], row: Row) -> Row:
    """Return a row with further columns of its record; a name that is taken becomes another."""
    flat = dict(row)
    taken = {name.casefold() for name in row}
    for column in names:
        name = column
        while name.casefold() in taken:
            name = f"original_{name}"
        taken.add(name.casefold())
        flat[name] = record.verbatim(column)
    return flat


def gather_unread(
    unread: set[str], given: Mapping[str, Any], read: Collection[str], place: str
) -> None:
    """Add the keys of a nested object that a layout has no use for; empty ones say nothing."""
    unread |= {
        f"{place}.{name}"
        for name, value in given.items()
        if name not in read and value not in (None, "", [], {})
    }


def say_unread(names: Collection[str]) -> list[str]:
    return [f"not read: {', '.join(sorted(names))}"] if names else []
