"""Where a table came from, what was understood of it, and what its rows are called in messages."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import narwhals as nw

from evenhand.data.conditions import mark_whole
from evenhand.data.engine import ANSWER, PLACE, Frame, fetch_columns, quote, quote_name
from evenhand.data.exclusions import Exclusion, Filter
from evenhand.data.query_log import hold
from evenhand.data.texts import say

# What may be recorded beside a judgment: whether it is a control or a repeat, what is expected of
# it, how long it took, and when it was given
ANNOTATIONS: Final = ("kind", "expected", "seconds", "shown_at")


@dataclass(frozen=True)
class AnnotationColumn:
    column: str  # its name in the frame
    # whether it is called like its role or was asked for; if not, values that cannot be read make
    # it a column like any other
    sure: bool = True
    task: str = ""  # what it does, in words, where a reader knows it by more than its role


@dataclass(frozen=True)
class Source:
    """Where a table came from, and what was understood of it."""

    name: str = "data frame"  # the file, or "data frame"
    format: str = "comparisons"  # the layout that was recognised, by its registry name
    # role → column of the outside table, as understood
    columns: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # sentences for the reader, such as what was left out
    # role of `ANNOTATIONS` → its column; where a role is missing, a column of its name plays it
    annotations: Mapping[str, AnnotationColumn] = field(default_factory=dict)
    # the DuckDB connection that reads the file, if one does
    connection: Any = field(default=None, repr=False, compare=False)
    without_controls: bool = False  # whether controls were left out (`controls.leave_out_controls`)
    # what was excluded on the way here; filters are not counted yet
    exclusions: tuple[Exclusion | Filter, ...] = field(default=(), repr=False, compare=False)

    def noting(self, *notes: str) -> Source:
        return replace(self, notes=(*self.notes, *notes))

    def excluding(self, *exclusions: Exclusion | Filter) -> Source:
        """Return the same source with more exclusions; their sentences become notes."""
        more = [getattr(one, "sentence", "") for one in exclusions]
        stored = (*self.exclusions, *exclusions)
        return replace(self.noting(*filter(None, more)), exclusions=stored)

    def named(self, role: str) -> str:
        """Return the outside name of a role's column, for messages."""
        return self.columns.get(role, role)

    def find_annotations(self, columns: Sequence[str]) -> dict[str, AnnotationColumn]:
        annotations = {
            role: self.annotations.get(role, AnnotationColumn(role)) for role in ANNOTATIONS
        }
        return {
            role: annotation
            for role, annotation in annotations.items()
            if annotation.column in columns
        }


def number_rows(frame: Frame, name: str) -> Frame:
    """Add the number of each row, from 1, as text; numbers that rows have already stay."""
    # Engines that keep no order (Spark, a lazy Polars frame) number the rows sorted by all their
    # columns, so that the numbers are the same in every query.
    if name in frame.collect_schema().names():
        return frame
    if frame.implementation.is_duckdb():
        native = frame.to_native()
        return nw.from_native(  # type: ignore[no-any-return]
            native.project(f'cast(row_number() over () as varchar) as "{name}", *')
        )
    if isinstance(frame, nw.DataFrame):
        numbered: Frame = frame.with_row_index(name)
    else:
        numbered = frame.with_row_index(name, order_by=list(frame.collect_schema().names()))
    return numbered.with_columns((nw.col(name) + 1).cast(nw.String))


def find_rows(frame: Frame, condition: nw.Expr, limit: int = 5) -> list[dict[str, Any]]:
    """Return the first rows that meet a condition, with their number (from 1) under "row"."""
    # Lazy engines other than DuckDB keep no row order; there the number is left out. Where a row of
    # the table became several, they all have its number; where rows are excluded, that from before.
    keeps_order = isinstance(frame, nw.DataFrame) or frame.implementation.is_duckdb()
    names = frame.collect_schema().names()
    if keeps_order and ANSWER in names:
        frame = frame.with_columns(row=nw.col(ANSWER))
    elif keeps_order and PLACE in names:
        frame = frame.with_columns(row=nw.col(PLACE) + 1)
    elif isinstance(frame, nw.DataFrame):
        frame = frame.with_row_index("row").with_columns(row=nw.col("row") + 1)
    elif keeps_order:
        native = frame.to_native().project('row_number() over () as "row", *')
        frame = nw.from_native(native)
    columns = fetch_columns(frame.filter(condition).head(limit))
    names = list(columns)
    return [dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True)]


# All blanks that Python strips from a text
BLANKS: Final = "".join(filter(str.isspace, map(chr, range(0x3001))))
_PADDED: Final = f"^[{BLANKS}]|[{BLANKS}]$"
_AROUND: Final = f"^[{BLANKS}]+|[{BLANKS}]+$"


def strip_blanks(
    frame: Frame, columns: Mapping[str, str], rows: int | None = None
) -> tuple[Frame, tuple[str, ...]]:
    """Take blanks around the texts of columns away, with a note that counts them.

    columns: column → what it is called in the note.
    rows: how many rows are looked at first; where none of them has such a blank, all stay.
    """
    schema = frame.collect_schema()
    texts = [column for column in columns if schema[column] == nw.String]
    if not texts:
        return frame, ()
    first = frame if rows is None else frame.head(rows)
    if first.implementation.is_duckdb():  # for a constant in an expression it imports pandas
        marks = (
            f"bool_or(regexp_matches({quote_name(one)}, {quote(_PADDED)})) as {quote_name(one)}"
            for one in texts
        )
        first = nw.from_native(first.to_native().aggregate(", ".join(marks)))
    else:
        first = first.select(*(nw.col(one).str.contains(_PADDED).any() for one in texts))
    looked = fetch_columns(first)
    padded = [one for one in texts if looked[one][0]]
    if not padded:
        return frame, ()
    sums = (mark_whole(nw.col(one).str.contains(_PADDED)).sum().alias(one) for one in padded)
    counts = fetch_columns(frame.select(*sums))
    # not `strip_chars`, which Ibis has without its characters
    stripped = frame.with_columns(*(nw.col(one).str.replace_all(_AROUND, "") for one in padded))
    names = [f"{int(counts[one][0]):,} in '{columns[one]}'" for one in padded]
    return stripped, (say("stripped", columns=names),)


def repeats_header(name: str, where: str) -> str:
    """Say that a row holds the names of the columns, as the header does."""
    return f"{name} repeats its header{where}, as where two files were joined: delete such rows"


_NAMED_BY: Final[ContextVar[tuple[str, ...]]] = ContextVar("columns that name rows", default=())


def naming_rows(*columns: str) -> AbstractContextManager[Any]:
    """Have messages name rows by columns, for readers who have no table in which to count them."""
    return hold(_NAMED_BY, columns)


def name_rows(rows: list[dict[str, Any]]) -> str:
    """Name rows for a message, for instance " (rows 3, 17)" or " (judge ann; judge ben)"."""
    columns = _NAMED_BY.get()
    if columns and all(column in row for row in rows for column in columns):
        named = (", ".join(f"{column} {row[column]}" for column in columns) for row in rows)
        return f" ({'; '.join(dict.fromkeys(named))})" if rows else ""
    numbers = list(dict.fromkeys(str(row["row"]) for row in rows if "row" in row))
    if not numbers:
        return ""
    return f" (row{'s' if len(numbers) > 1 else ''} {', '.join(numbers)})"


MAX_LINES_READ: Final = 1_000_000  # Lines looked through; beyond, a row is named by its number
SUFFIXES: Final = (".csv", ".tsv")


def name_lines(source: Source, rows: Sequence[Mapping[str, Any]], *columns: str) -> str:
    """Name rows by their lines in a CSV file, such as " (line 51)"; elsewhere by their numbers."""
    lines = find_lines(source, rows, *columns)
    if not lines:
        return name_rows([dict(row) for row in rows])
    return f" (line{'s' if len(lines) > 1 else ''} {', '.join(f'{line:,}' for line in lines)})"


def find_lines(source: Source, rows: Sequence[Mapping[str, Any]], *columns: str) -> list[int]:
    """Return the line of each row in a CSV file; none where some row stands in no line.

    A row is taken for a line only if that line holds the row's values of these columns: a table may
    have been filtered, or unfolded.
    """
    path = Path(source.name)
    wanted = {
        int(row["row"]): {str(row[one] or "") for one in columns} for row in rows if row.get("row")
    }
    if path.suffix.lower() not in SUFFIXES or not 0 < max(wanted, default=0) <= MAX_LINES_READ:
        return []
    lines: dict[int, int] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            mark = (
                "\t" if path.suffix.lower() == ".tsv" else max(",;\t|", key=file.readline().count)
            )
            file.seek(0)
            reader = csv.reader(file, delimiter=mark)
            for number, record in enumerate(filter(None, reader)):
                if number in wanted and wanted[number].issubset(record):
                    lines[number] = reader.line_num
                if number >= max(wanted):
                    break
    except (OSError, UnicodeDecodeError, csv.Error):
        return []
    found = len(lines) == len(wanted)
    return [lines[int(row["row"])] for row in rows if row.get("row")] if found else []
