"""How a table of comparisons becomes a tally, in the engine that holds it.

Three ways, same result. Few rows are fetched as they are. Where cells (pairs × outcomes × levels)
are few against rows, the engine groups by the labels as they stand. Where they are about as many as
rows, grouping strings is slow: labels become codes by joins with small tables, and one integer key
per row is counted by numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

import narwhals as nw
import numpy as np

from evenhand.errors import InvalidJudgments
from evenhand.judgments.cells import (
    code_labels,
    decode_tally,
    finish_tally,
    list_different,
    make_tally,
)
from evenhand.judgments.checks import (
    Weighing,
    check_labels,
    check_opponents,
    explain_empty,
    read_weights,
)
from evenhand.judgments.coding import Cells, Coding, code_tables, count_labels, fetch_cells
from evenhand.judgments.comparisons import BOUND_BY, TASK_BOUND, Comparisons
from evenhand.judgments.engine import (
    COUNT,
    SQUARES,
    Columns,
    Frame,
    fetch_columns,
    keeps_rows,
    one_thread,
)
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.row_codes import LISTED, can_read, make_readers
from evenhand.judgments.row_counting import Apart, can_count, count_crossed, count_read
from evenhand.judgments.tally import Tally

SAMPLE: Final = 20_000  # Rows looked at to decide between the ways; of fewer, all are fetched
Counted = TypeVar("Counted")
# One row in so many of them, and which share has a cell of its own: about 150,000 cells do so
EVERY, MANY = 4, 0.984


def count_outcomes(data: Comparisons, by: tuple[str, ...], limits: Mapping[str, int]) -> Tally:
    """Count wins, ties and losses per pair and level; see `Comparisons.tally`."""
    return _count(data, limits, _look(data, by))


def count_ways(
    data: Comparisons, by: tuple[str, ...], limits: Mapping[str, int], most: float
) -> Tally | Apart:
    """Count by several factors: together, or each by itself."""
    look = _look(data, by)
    rows = None if look.whole is None else len(look.whole[COUNT])  # answers are no more
    few = data.rankings is not None or (rows is not None and rows <= most)
    kept = few or data.count_judgments() <= most
    if look.many and not by[2:] and can_read(data, look.frame):
        found = _count_apart(data, look, limits, kept=kept)
        if found is not None:
            return found
    if kept:
        return _count(data, limits, look)
    return Apart({name: count_outcomes(data, (name,), limits) for name in by})


@dataclass(frozen=True, eq=False)
class _Look:
    """What is known of a table after a look at its first rows."""

    by: tuple[str, ...]  # the factors
    weighing: Weighing  # how rows count
    frame: Frame  # the rows that count, with labels as text
    every: Frame  # all rows, to number those that are refused
    many: bool = False  # whether most rows open a cell of their own
    first: Columns = field(default_factory=dict)  # the labels of the first rows
    whole: Columns | None = None  # the same of all rows, where the first rows are all

    @property
    def keys(self) -> list[str]:
        """What tells cells apart."""
        return [*self.by, "left", "right", "outcome"]


def _look(data: Comparisons, by: tuple[str, ...]) -> _Look:
    if data.rankings is not None:
        data.rankings.check()
    weighing = read_weights(data)
    keys = [*by, "left", "right", "outcome"]
    frame = bind_to_task(data, by, name_levels(data, keys, weighing.frame))
    every = frame
    if weighing.zero:
        every = bind_to_task(data, by, name_levels(data, keys, data.frame))
    if weighing.column is not None or data.rankings is not None:
        return _Look(by, weighing, frame, every)
    rows = _fetch_first(data, frame, keys)
    many, whole = _cells_are_many(rows, keys), rows if len(rows[COUNT]) < SAMPLE else None
    return _Look(by, weighing, frame, every, many, rows, whole)


def _count(data: Comparisons, limits: Mapping[str, int], look: _Look) -> Tally:
    by, keys, weighing = look.by, look.keys, look.weighing
    if look.many and not keeps_rows(look.frame):
        coded = _count_codes(data, look, limits)
        if coded is not None:
            return coded
    cells = look.whole
    if cells is None:
        cells = fetch_columns(look.frame.group_by(*keys).agg(*weighing.sums()))
    labels = {key: list_different(cells[key]) for key in keys}
    meaning = check_labels(data, look.every, labels)
    if not len(cells[COUNT]):
        raise explain_empty(data, weighing.zero)
    systems = sorted({*labels["left"], *labels["right"]})
    outcome = code_labels(cells["outcome"], labels["outcome"], values=meaning)
    left, right = code_labels(cells["left"], systems), code_labels(cells["right"], systems)
    check_opponents(data, look.every, systems, left, right)
    names = {name: sorted(labels[name]) for name in by}
    levels = {name: code_labels(cells[name], names[name]) for name in by}
    sums = cells[COUNT].astype(np.float64), cells.get(SQUARES)
    tally = make_tally(systems, (left, right, outcome), sums, levels, names)
    return finish_tally(data, tally, limits, zero=weighing.zero)


def name_levels(data: Comparisons | Ratings, keys: Sequence[str], frame: Frame) -> Frame:
    """Turn labels that are whole numbers, truth values or categories into text."""
    schema = frame.collect_schema()
    named = []
    for name in keys:
        dtype = schema[name]
        level = nw.col(name)
        text = level.cast(nw.String)
        if dtype == nw.Boolean:  # engines write it with different capitals
            text = text.str.to_lowercase()
        if isinstance(dtype, nw.Boolean | nw.Categorical | nw.Enum) or dtype.is_integer():
            named.append(nw.when(~level.is_null()).then(text).alias(name))
        elif dtype != nw.String:
            raise InvalidJudgments(
                f"column '{data.source.named(name)}' of {data.source.name} holds"
                f" {str(dtype).lower()}: judgments are told apart by text or whole numbers"
            )
    return frame.with_columns(*named) if named else frame


def bind_to_task(data: Comparisons, by: Sequence[str], frame: Frame) -> Frame:
    """Make items and rankings of different tasks different."""
    bound = [name for name in by if name in TASK_BOUND]
    if not bound or not data.has("task") or "task" in by:
        return frame
    joined = [
        nw.concat_str([nw.col("task"), nw.col(name)], separator=BOUND_BY).alias(name)
        for name in bound
    ]
    return frame.with_columns(*joined)


def _fetch_first(data: Comparisons, frame: Frame, keys: list[str]) -> Columns:
    """Fetch the labels of the first rows: to group few of them is dearer than to fetch them."""
    with one_thread(data.source.connection):
        found = fetch_columns(frame.select(*keys).head(SAMPLE))
    return {**found, COUNT: np.ones(len(found["outcome"]))}


def _cells_are_many(rows: Columns, keys: list[str]) -> bool:
    """Say whether most of the first rows open a cell of their own, and more rows follow."""
    if len(rows[COUNT]) < SAMPLE:
        return False
    cells = set(zip(*(rows[key][::EVERY].tolist() for key in keys), strict=True))
    return len(cells) > MANY * SAMPLE / EVERY


def _count_codes(data: Comparisons, look: _Look, limits: Mapping[str, int]) -> Tally | None:
    """Count by integer keys; None where the engine cannot be handed a table of labels."""
    frame = look.frame

    def count(tables: Sequence[Coding], rows: float) -> Tally | None:
        cells = _count_cells(data, frame, tables, rows)
        return None if cells is None else _read_cells(data, frame, tables, cells, limits)

    return _try_labels(data, look, limits, count)


def _count_apart(
    data: Comparisons, look: _Look, limits: Mapping[str, int], *, kept: bool
) -> Apart | None:
    """Count each of two factors in one pass; None where cells are too many for arrays."""
    by, frame = look.by, look.frame

    def count(tables: Sequence[Coding], rows: float) -> Apart | None:
        readers = make_readers(data, tables)
        found = readers and count_crossed(data, frame, tables, readers, rows, kept=kept)
        if not found:
            return None
        tallies = {
            name: _read_cells(data, frame, [level, *tables[2:]], cells, limits)
            for name, level, cells in zip(by, tables[:2], found[0], strict=True)
        }
        return Apart(tallies, found[1])

    return _try_labels(data, look, limits, count)


def _try_labels(
    data: Comparisons,
    look: _Look,
    limits: Mapping[str, int],
    count: Callable[[Sequence[Coding], float], Counted | None],
) -> Counted | None:
    """Count by the codes of all labels.

    Sides and outcomes are first taken to be those of the first rows: a row with another label finds
    no code, so that nothing is counted, and then all labels are looked up.
    """
    frame, names = look.frame, look.keys
    known = _look_up_labels(data, look)
    rows = sum(known[names[0]].values())

    def attempt() -> Counted | None:
        meaning = check_labels(data, frame, {name: list(found) for name, found in known.items()})
        return count(code_tables(look.by, known, meaning, limits), rows)

    found = None if any(None in labels for labels in known.values()) else attempt()
    if found is not None:
        return found
    known |= {name: count_labels(frame, name) for name in names[1:] if name not in look.by}
    return attempt()


def _look_up_labels(data: Comparisons, look: _Look) -> dict[str, dict[str, float]]:
    """Count the labels of the first column and of factors, and name those of others as first seen.

    Where systems are so many that they are read by their hashes, all of them are counted.
    """
    frame, names = look.frame, look.keys
    with one_thread(data.source.connection):
        known = {name: count_labels(frame, name) for name in dict.fromkeys((names[0], *look.by))}
        others = [name for name in names if name not in known]
        known |= {name: dict.fromkeys(list_different(look.first[name]), 0.0) for name in others}
        if can_read(data, frame) and len({*known["left"], *known["right"]}) > LISTED:
            others = [name for name in others if name != "outcome" or len(known[name]) > LISTED]
            known |= {name: count_labels(frame, name) for name in others}
    return known


def _read_cells(
    data: Comparisons,
    frame: Frame,
    tables: Sequence[Coding],
    cells: Cells,
    limits: Mapping[str, int],
) -> Tally:
    """Make a tally of cells, after a look for systems compared with themselves."""
    tally = decode_tally(tables, cells)
    check_opponents(data, frame, tally.systems, tally.left, tally.right)
    return finish_tally(data, tally, limits, zero=0)


def _count_cells(
    data: Comparisons, frame: Frame, tables: Sequence[Coding], rows: float
) -> Cells | None:
    """Count the rows of each cell; None where some row has another label."""
    readers = make_readers(data, tables) if can_read(data, frame) else None
    if readers is None or not can_count(tables, rows):
        return fetch_cells(data, frame, tables, rows)
    return count_read(data, frame, tables, readers, rows)
