"""Where a table came from, and what was understood of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import narwhals as nw

from evenhand.judgments.engine import ANSWER, Frame, fetch_columns


@dataclass(frozen=True)
class Source:
    """Where a table came from, and what was understood of it.

    Attributes:
        name: the file, or "data frame".
        format: the layout that was recognised, by its registry name.
        columns: role → column of the outside table, as understood.
        notes: sentences for the reader, such as what was left out.
        connection: the DuckDB connection that reads the file, if one does.

    """

    name: str = "data frame"
    format: str = "comparisons"
    columns: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    connection: Any = field(default=None, repr=False, compare=False)

    def noting(self, *notes: str) -> Source:
        """Return the same source with more notes."""
        return replace(self, notes=(*self.notes, *notes))

    def named(self, role: str) -> str:
        """Return the outside name of a role's column, for messages."""
        return self.columns.get(role, role)


def number_rows(frame: Frame, name: str) -> Frame:
    """Add the number of each row, from 1, as text.

    Engines that keep no order (Spark, a lazy Polars frame) number the rows sorted by all their
    columns, so that the numbers are the same in every query.
    """
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
    """Return the first rows that meet a condition, with their number (from 1) under "row".

    Lazy engines other than DuckDB keep no row order; there the number is left out. Where a row of
    the table became several, they all have its number.
    """
    keeps_order = isinstance(frame, nw.DataFrame) or frame.implementation.is_duckdb()
    if keeps_order and ANSWER in frame.collect_schema().names():
        frame = frame.with_columns(row=nw.col(ANSWER))
    elif isinstance(frame, nw.DataFrame):
        frame = frame.with_row_index("row").with_columns(row=nw.col("row") + 1)
    elif keeps_order:
        native = frame.to_native().project('row_number() over () as "row", *')
        frame = nw.from_native(native)
    columns = fetch_columns(frame.filter(condition).head(limit))
    names = list(columns)
    return [dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def name_rows(rows: list[dict[str, Any]]) -> str:
    """Name rows for a message, for instance " (rows 3, 17)".

    >>> name_rows([{"row": 3}, {"row": 17}])
    ' (rows 3, 17)'
    """
    numbers = list(dict.fromkeys(str(row["row"]) for row in rows if "row" in row))
    if not numbers:
        return ""
    return f" (row{'s' if len(numbers) > 1 else ''} {', '.join(numbers)})"
