"""A table is read once, row by row: labels become codes, some columns numbers.

Few rows are held in memory. More than `HELD` leave their engine in batches, which are coded and
written into temporary files: whatever goes through the rows later reads those, so that the engine
is asked once, and every pass sees the same rows in the same order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import DTypeLike, NDArray

from evenhand.errors import InvalidJudgments, UnknownFormat
from evenhand.judgments.batches import can_stream
from evenhand.judgments.cells import COUNTABLE
from evenhand.judgments.checks import (
    Weighing,
    check_labels,
    check_opponents,
    explain_empty,
    read_weights,
)
from evenhand.judgments.coding import (
    Coding,
    code_batches,
    code_tables,
    count_labels,
    fetch_rows,
    fits_narrow,
    make_factor,
)
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.counting import bind_to_task, name_levels
from evenhand.judgments.engine import COUNT, Frame, fetch_columns, one_thread
from evenhand.judgments.row_files import Column, write_columns
from evenhand.judgments.streaming import CodedRows

# Most rows that are held in memory, where the engine can hand them out in batches
HELD: Final = 4_000_000


def code_rows(
    data: Comparisons,
    columns: Sequence[str],
    *,
    by: Sequence[str] = (),
    limits: Mapping[str, int] | None = None,
) -> CodedRows:
    """Read a table once: labels as codes, some columns as numbers.

    columns: numeric columns of its frame; missing values become NaN.
    """
    weighing = read_weights(data)
    by = tuple(data.require(name) for name in by)
    keys = [*by, "left", "right", "outcome"]
    frame = bind_to_task(data, by, name_levels(data, keys, weighing.frame))
    every = frame
    if weighing.zero:
        every = bind_to_task(data, by, name_levels(data, keys, data.frame))
    weight = None if weighing.column is None else nw.col(weighing.column)
    with one_thread(data.source.connection):
        counted = {name: count_labels(frame, name, weight) for name in keys}
    meaning = check_labels(data, every, {name: list(found) for name, found in counted.items()})
    if not meaning:
        raise explain_empty(data, weighing.zero)
    if sum(counted["outcome"].values()) > COUNTABLE:
        raise InvalidJudgments(
            f"weights in {data.source.name} add up to more than can be counted exactly: divide them"
        )
    tables = code_tables(by, counted, meaning, limits or {})
    expected = _count_rows(frame, counted, weight) if can_stream(frame) else None
    read = _hold_rows if expected is None or expected <= HELD else _file_rows
    rows = read(data, frame, tables, columns, weighing)
    if expected not in (None, rows.size):
        raise UnknownFormat(
            f"{data.source.name} was changed while it was read: {expected:,.0f} rows were counted,"
            f" {rows.size:,} read; read a copy of it"
        )
    _check_pairs(data, every, rows)
    return replace(rows, zero_weight=weighing.zero)


def _count_rows(
    frame: Frame, counted: Mapping[str, Mapping[str, float]], weight: nw.Expr | None
) -> float:
    """Return the number of rows, whatever they weigh."""
    if weight is None:
        return sum(counted["outcome"].values())
    return float(fetch_columns(frame.select(nw.len().alias(COUNT)))[COUNT][0])


def _file_rows(
    data: Comparisons,
    frame: Frame,
    tables: Sequence[Coding],
    columns: Sequence[str],
    weighing: Weighing,
) -> CodedRows:
    """Read a table into temporary files."""
    wide = [*columns, *([weighing.column] if weighing.column else [])]
    key = np.int32 if fits_narrow(tables) else np.int64
    kinds: dict[str, DTypeLike] = {"key": key, **dict.fromkeys(wide, np.float64)}
    with one_thread(data.source.connection):
        found = write_columns(code_batches(data, frame, tables, wide), kinds)
    weights = found[weighing.column] if weighing.column else None
    return replace(
        _make_rows(data, tables, found["key"], [found[name] for name in columns]),
        weights=weights,
        squares=weights.squares if weights is not None and weighing.importance else None,
    )


def _hold_rows(
    data: Comparisons,
    frame: Frame,
    tables: Sequence[Coding],
    columns: Sequence[str],
    weighing: Weighing,
) -> CodedRows:
    """Read a table into memory."""
    found = fetch_rows(
        data, frame, tables, [*columns, *([weighing.column] if weighing.column else [])]
    )
    weights = found[weighing.column].astype(np.float64) if weighing.column else None
    return replace(
        _make_rows(data, tables, found["key"], [_narrow(found[name]) for name in columns]),
        weights=weights,
        squares=weights**2 if weights is not None and weighing.importance else None,
    )


def _make_rows(
    data: Comparisons, tables: Sequence[Coding], keys: Column, columns: Sequence[Column]
) -> CodedRows:
    none = np.zeros(0, dtype=np.int32)
    levels = {one.name: make_factor(one, none) for one in tables[:-3]}
    return CodedRows(
        systems=tuple(tables[-2].labels),
        keys=keys,
        columns=tuple(columns),
        levels=levels,
        positions_known=data.positions_known,
        answers=float(data.count_judgments()) if data.expanded else None,
    )


def _narrow(values: NDArray[Any]) -> NDArray[np.floating[Any]]:
    """Keep values in single precision where nothing is lost, as with lengths and counts."""
    wide = values.astype(np.float64, copy=False)
    with np.errstate(over="ignore"):  # what is too large for it is not kept so
        half = wide.astype(np.float32)
    return half if np.array_equal(half, wide, equal_nan=True) else wide


def _check_pairs(data: Comparisons, every: Frame, rows: CodedRows) -> None:
    for batch in rows.batches(fold=False):
        check_opponents(data, every, rows.systems, batch.left, batch.right)
