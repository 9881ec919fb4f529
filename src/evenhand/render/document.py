"""What a result says: an answer, tables, findings, figures. Values; `render` lays them out.

A result has `document()`, and everything that people read is made of it: the terminal, notebooks,
LaTeX, Markdown, the report. A thing is said once, in the same words everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from evenhand.render.findings import Finding
from evenhand.render.values import LEFT, write_value

Row: TypeAlias = Mapping[str, Any]
Form: TypeAlias = Literal["text", "latex", "markdown", "html", "csv"]
# A key of a row, or several whose values stand in one cell, such as the ends of an interval
Key: TypeAlias = str | tuple[str, ...]

ALWAYS: Final = 9  # Priority of columns that are never left out


@dataclass(frozen=True)
class Column:
    key: Key  # of the rows
    title: str  # above it
    # how its values are written: a key of `KINDS`, or a format of `format`, such as "+.2f"
    kind: str = "text"
    says: str = ""  # what the column means, where its title does not say enough
    # where names lack room columns go, those first whose number is lowest
    priority: int = ALWAYS
    only: tuple[Form, ...] = ()  # where it is shown; () for everywhere

    @property
    def left(self) -> bool:
        return self.kind in LEFT

    def fetch(self, row: Row) -> Any:
        """Return the value of a row; a tuple where there are several keys, None where one lacks."""
        if isinstance(self.key, str):
            return row.get(self.key)
        values = tuple(row.get(one) for one in self.key)
        return None if any(one is None for one in values) else values

    def write(self, row: Row) -> str:
        return write_value(self.fetch(row), self.kind)


@dataclass(frozen=True)
class Table:
    name: str  # of the file it becomes, such as "ranking"; unlike the others of its document
    caption: str  # what it shows; stands above it where a document has several tables
    columns: tuple[Column, ...]  # from left to right; the first names the row
    # plain values by key, None where there is none; rows may hold more than the columns show, and
    # CSV has all of them
    rows: tuple[Row, ...]
    lines: tuple[int, ...] = ()  # after which rows a line stands: borders between clusters
    limit: int | None = None  # how many rows a terminal shows; None for all
    legend: tuple[str, ...] = ()  # what marks and columns mean, below the table
    # keys of rows that CSV does not have, since others tell the same
    without: tuple[str, ...] = ()
    only: tuple[Form, ...] = ()  # where it is shown; () for everywhere

    @property
    def means(self) -> dict[Column, str]:
        """What columns mean that may be left out, so that the legend cannot say it."""
        may_go = (one for one in self.columns if one.says and one.priority != ALWAYS)
        return {one: f"{one.title}: {one.says}" for one in may_go}

    @property
    def records(self) -> list[dict[str, Any]]:
        return [{k: v for k, v in row.items() if k not in self.without} for row in self.rows]


@dataclass(frozen=True)
class Text:
    """Lines that stand as they are, such as an evidence card, wrapped below themselves."""

    title: str  # above them, or ""
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Document:
    """What a result says, from top to bottom."""

    basis: str = ""  # what it rests on: counts, model, what intervals account for
    answer: tuple[str, ...] = ()  # what is decided, a sentence each, the first most important
    parts: tuple[Table | Text, ...] = ()
    findings: tuple[Finding, ...] = ()  # what changes what a reader should do
    signature: str = ""  # the line that reproduces the numbers
    # rows for CSV, where they are others than those of the first table
    csv_rows: tuple[Row, ...] | None = None

    @property
    def records(self) -> list[dict[str, Any]]:
        if self.csv_rows is None:
            return self.tables[0].records
        return [dict(row) for row in self.csv_rows]

    @property
    def tables(self) -> tuple[Table, ...]:
        return tuple(one for one in self.parts if isinstance(one, Table))

    def list_parts(self, form: Form) -> tuple[Table | Text, ...]:
        return tuple(
            one for one in self.parts if isinstance(one, Text) or not one.only or form in one.only
        )

    @property
    def shown(self) -> tuple[Finding, ...]:
        """Return the findings that people read, warnings first, none twice."""
        said = dict.fromkeys(one for one in self.findings if one.severity != "info")
        return tuple(sorted(said, key=lambda one: one.severity != "warning"))
