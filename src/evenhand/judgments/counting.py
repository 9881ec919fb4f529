"""How a table of comparisons becomes a tally, in the engine that holds it.

Three ways, same result. Few rows are fetched as they are. Where cells (pairs × outcomes × levels)
are few against rows, the engine groups by the labels as they stand. Where they are about as many as
rows, grouping strings is slow: labels become codes by joins with small tables, and one integer key
per row is counted by numpy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import narwhals as nw
import numpy as np

from evenhand.errors import InvalidJudgments
from evenhand.judgments.cells import code_labels, list_different, make_tally
from evenhand.judgments.checks import (
    Weighing,
    check_labels,
    check_opponents,
    explain_empty,
    read_weights,
)
from evenhand.judgments.coding import (
    SEED,
    code_tables,
    count_labels,
    decode,
    fetch_cells,
    make_factor,
)
from evenhand.judgments.comparisons import TASK_BOUND, Comparisons
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
from evenhand.judgments.tally import (
    Tally,
    merge_levels,
)

SAMPLE: Final = 20_000
"""Rows looked at to decide between the ways; of fewer, all are fetched."""
COUNTABLE: Final = 2**53
"""Largest whole number up to which sums are exact."""
MANY: Final = 0.935
"""Share of the sample with a cell of its own: about what 150,000 cells give."""


def count_outcomes(data: Comparisons, by: tuple[str, ...], limits: Mapping[str, int]) -> Tally:
    """Count wins, ties and losses per pair and level; see `Comparisons.tally`."""
    return _count(data, limits, _look(data, by))


def count_within(
    data: Comparisons, by: tuple[str, ...], limits: Mapping[str, int], most: float
) -> Tally | None:
    """Count as `Comparisons.tally` does; None, before all are counted, of too many judgments.

    Args:
        data: comparisons.
        by: the factors, columns that are there.
        limits: most clusters of a factor.
        most: judgments beyond which they are too many.

    """
    look = _look(data, by)
    rows = None if look.whole is None else len(look.whole[COUNT])  # answers are no more
    if data.rankings is None and (rows is None or rows > most) and data.count_judgments() > most:
        return None
    return _count(data, limits, look)


@dataclass(frozen=True, eq=False)
class _Look:
    """What is known of a table after a look at its first rows.

    Attributes:
        by: the factors.
        weighing: how rows count.
        frame: the rows that count, with labels as text.
        every: all rows, to number those that are refused.
        many: whether most rows open a cell of their own.
        whole: the labels of all rows, where the first rows are all.

    """

    by: tuple[str, ...]
    weighing: Weighing
    frame: Frame
    every: Frame
    many: bool = False
    whole: Columns | None = None

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
    return _Look(by, weighing, frame, every, many, whole)


def _count(data: Comparisons, limits: Mapping[str, int], look: _Look) -> Tally:
    by, keys, weighing = look.by, look.keys, look.weighing
    if look.many and not keeps_rows(look.frame):
        coded = _count_codes(data, look.frame, by, limits)
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
    return _finish(data, tally, limits, zero=weighing.zero)


def _finish(data: Comparisons, tally: Tally, limits: Mapping[str, int], *, zero: int) -> Tally:
    """Merge levels, and count answers: a ranking is one.

    Raises:
        InvalidJudgments: weights add up to more than can be counted.

    """
    if not 0 <= tally.n_comparisons <= COUNTABLE:
        raise InvalidJudgments(
            f"weights in {data.source.name} add up to more than can be counted exactly: divide them"
        )
    whole = data.expanded or data.mix is not None
    answers = float(data.count_judgments()) if whole else tally.n_comparisons
    factors = {
        name: merge_levels(factor, limits[name], SEED) if name in limits else factor
        for name, factor in tally.factors.items()
    }
    counted = replace(
        tally,
        factors=factors,
        n_judgments=answers,
        zero_weight=zero,
        positions_known=data.positions_known,
        unmerged={
            name: partial(data.tally, (name,)) for name, one in factors.items() if one.merged
        },
    )
    fewer = any(factors[name] is not factor for name, factor in tally.factors.items())
    return counted.pool(tuple(factors)) if fewer else counted


def name_levels(data: Comparisons | Ratings, keys: Sequence[str], frame: Frame) -> Frame:
    """Turn labels that are whole numbers, truth values or categories into text.

    Raises:
        InvalidJudgments: labels that are fractions, times or nested values.

    """
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
        nw.concat_str([nw.col("task"), nw.col(name)], separator=" / ").alias(name) for name in bound
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
    cells = set(zip(*(rows[key].tolist() for key in keys), strict=True))
    return len(cells) > MANY * SAMPLE


def _count_codes(
    data: Comparisons, frame: Frame, by: tuple[str, ...], limits: Mapping[str, int]
) -> Tally | None:
    """Count by integer keys; None where the engine cannot be handed a table of labels.

    Sides and outcomes are first taken to be those of the first rows: a row with another label finds
    no code, so that a key is missing, and then all labels are looked up.
    """
    names = (*by, "left", "right", "outcome")
    first, *others = names
    with one_thread(data.source.connection):
        counted = {name: count_labels(frame, name) for name in dict.fromkeys((first, *by))}
        glance = {name: count_labels(frame.head(SAMPLE), name) for name in others if name not in by}
    rows = sum(counted[first].values())
    if not any(None in labels for labels in glance.values()):
        found = _count_known(data, frame, by, limits, {**glance, **counted}, rows=rows)
        if found is not None:
            return found
    counted |= {name: count_labels(frame, name) for name in glance}
    return _count_known(data, frame, by, limits, counted, rows=rows)


def _count_known(
    data: Comparisons,
    frame: Frame,
    by: tuple[str, ...],
    limits: Mapping[str, int],
    counted: Mapping[str, Mapping[str, float]],
    *,
    rows: float,
) -> Tally | None:
    """Count by the codes of these labels; None where some row has another."""
    meaning = check_labels(data, frame, {name: list(found) for name, found in counted.items()})
    tables = code_tables(by, counted, meaning, limits)
    *levels, side, _, _ = tables
    systems = side.labels
    cells = fetch_cells(data, frame, tables, rows)
    if cells is None:
        return None
    pairs, counts = cells
    codes = decode(pairs, [table.size for table in tables[:-1]])
    del cells, pairs
    check_opponents(data, frame, systems, codes[-2], codes[-1])
    factors = {level.name: make_factor(level, codes[i]) for i, level in enumerate(levels)}
    wins, ties, losses = (np.ascontiguousarray(counts[:, o], dtype=np.float64) for o in range(3))
    tally = Tally(tuple(systems), codes[-2], codes[-1], wins, ties, losses, factors)
    return _finish(data, tally, limits, zero=0)
