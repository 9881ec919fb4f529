"""The order of the rows of a table, which joins do not keep.

Of a judge's two answers to the same question the first counts, and of two of one moment the first
in the table. Rankings become pairs by a join, and merged names, levels of judges and the like are
joined too: where rows stood is numbered before, in engines that keep an order of rows, and the
order is restored by who asks for it. Others (Spark, databases) keep none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

import narwhals as nw
import numpy as np

from evenhand.judgments.engine import ANSWER

if TYPE_CHECKING:
    from evenhand.judgments.comparisons import Comparisons
    from evenhand.judgments.engine import Columns, Frame

PLACE: Final = "evenhand_place"  # Column that says where a row stood


def number_places(frame: Frame, name: str = PLACE) -> Frame | None:
    """Number the rows; None where the engine keeps no order of them.

    >>> import polars as pl
    >>> table = nw.from_native(pl.DataFrame({"judge": ["b", "a"]}))
    >>> number_places(table).rows()
    [(0, 'b'), (1, 'a')]
    """
    if isinstance(frame, nw.DataFrame):
        return cast("Frame", frame.with_row_index(name))
    native: Any = frame.to_native()
    if frame.implementation.is_polars():
        return cast("Frame", nw.from_native(native.with_row_index(name)))
    if frame.implementation.is_duckdb():
        counted = native.project(f'row_number() over () as "{name}", *')
        return cast("Frame", nw.from_native(counted))
    return None


def keep_places(frame: Frame) -> Frame:
    """Number the rows of a table that will be joined, where there is an order to keep."""
    names = frame.collect_schema().names()
    if PLACE in names:
        return frame
    if ANSWER in names and (isinstance(frame, nw.DataFrame) or frame.implementation.is_duckdb()):
        return frame.with_columns(nw.col(ANSWER).cast(nw.Int64).alias(PLACE))
    numbered = number_places(frame)
    return frame if numbered is None else numbered


def list_places(frame: Frame) -> list[str]:
    """Return the column that says where rows stood, if there is one."""
    return [name for name in frame.collect_schema().names() if name == PLACE]


def restore_places(data: Comparisons) -> Comparisons:
    """Number pairs of rankings, whose order a join has lost, by where the first row of each stood.

    Other comparisons are numbered before they are joined.
    """
    if data.rankings is None or list_places(data.frame):
        return data
    numbered = number_places(data.rankings.frame)
    if numbered is None:
        return data
    key = [name for name in ("task", "ranking") if data.has(name)]
    first = numbered.group_by(*key).agg(nw.col(PLACE).min())
    frame = data.frame.join(first, on=key, how="left")  # type: ignore[arg-type]
    return replace(data, frame=frame)


def sort_rows(found: Columns) -> Columns:
    """Put fetched rows into the order of the table, where their places were fetched too."""
    if PLACE not in found:
        return found
    order = np.argsort(found[PLACE], kind="stable")
    return {name: column[order] for name, column in found.items() if name != PLACE}
