"""From records of any shape to rows of a table: one record may be many judgments, or a part of one.

Layouts that nest, that spread one judgment over rows, or that write numbers in a way of their own
read their records here one by one, in order, and give back flat rows. These go on like any table.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, cast

import narwhals as nw

from evenhand.errors import InvalidJudgments, UnknownColumn, listing
from evenhand.formats.files.opening import connect
from evenhand.formats.table import Table
from evenhand.judgments.engine import Frame, fetch_columns, quote

if TYPE_CHECKING:
    import duckdb

Row = Mapping[str, Any]
_NAMES: Final = count()
_LONGEST: Final = 1 << 28  # Most bytes of a row
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
        """Return a value that must be there."""
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
        """Return a part of a JSON value that holds things by name."""
        if not isinstance(value, Mapping):
            raise self.refuse(f"{what}: expected an object with names, not {shorten(value)}")
        return value

    def sequence(self, value: Any, what: str) -> Sequence[Any]:
        """Return a part of a JSON value that is a list."""
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
        """Return a label that is one of a few."""
        if value not in expected:
            raise self.refuse(f"{what} is '{shorten(value)}': expected {' | '.join(expected)}")
        return value

    def refuse(self, words: str) -> InvalidJudgments:
        """Return the refusal of this record."""
        return InvalidJudgments(f"row {self.number:,} of {self.table}: {words}")


def shorten(value: object, longest: int = 60) -> str:
    """Return a value for a message."""
    text = str(value)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def require_columns(table: Table, needed: Sequence[str], title: str) -> None:
    """Refuse a table that lacks columns of its layout."""
    lacking = [name for name in needed if name not in table.columns]
    if lacking:
        raise UnknownColumn(f"{title} need {listing(lacking)}, not found in {table.name}")


def read_records(table: Table) -> Iterator[Record]:
    """Yield the rows of a table, in order."""
    found = fetch_columns(table.frame)
    names = list(found)
    columns = [column.tolist() for column in found.values()]
    for number, values in enumerate(zip(*columns, strict=True), start=1):
        yield Record(number, dict(zip(names, values, strict=True)), table.name)


def lay_out(table: Table, rows: Sequence[Row], needed: Sequence[str] = ()) -> Table:
    """Put flat rows in the place of a table; columns without any value are left out."""
    if not rows:
        raise InvalidJudgments(f"{table.name} holds no judgments")
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: [write_value(row.get(name)) for row in rows] for name in names}
    kept = {
        name: values
        for name, values in columns.items()
        if name in needed or any(value is not None for value in values)
    }
    connection = table.connection or connect()
    return Table(_load(connection, kept), table.name, connection)


def _load(connection: duckdb.DuckDBPyConnection, columns: Mapping[str, list[str | None]]) -> Frame:
    """Put columns of text into the engine, through a file that need not stay: SQL has no room."""
    name = f"evenhand_rows_{next(_NAMES)}"
    types = ", ".join(f"{quote(column)}: 'VARCHAR'" for column in columns)
    with TemporaryDirectory(prefix="evenhand-") as folder:
        path = Path(folder) / "rows.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for values in zip(*columns.values(), strict=True):
                file.write(json.dumps(dict(zip(columns, values, strict=True))) + "\n")
        connection.execute(
            f"create temp table {name} as select * from read_json({quote(str(path))},"
            f" format = 'newline_delimited', columns = {{{types}}},"
            f" maximum_object_size = {_LONGEST})"
        )
    return cast("Frame", nw.from_native(connection.table(name)))


def write_value(value: Any) -> str | None:
    """Write a value as people do; a missing one is None.

    >>> [write_value(one) for one in (98.0, 0.5, True, "")]
    ['98', '0.5', 'true', None]
    """
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
