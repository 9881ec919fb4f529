"""How a table of comparisons becomes a tally, in the engine that holds it.

Two ways, same result. Where cells (pairs × outcomes × levels) are few against rows, the engine
groups by the labels as they stand. Where they are about as many as rows, grouping strings is slow:
labels become codes by joins with small tables, and one integer key per row is counted by numpy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments
from evenhand.judgments.checks import check_labels, check_opponents, explain_empty, read_weights
from evenhand.judgments.coding import (
    SEED,
    code_tables,
    count_keys,
    count_labels,
    decode,
    fetch_keys,
)
from evenhand.judgments.comparisons import TASK_BOUND, Comparisons
from evenhand.judgments.engine import COUNT, SQUARES, Frame, fetch_columns, one_thread
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.tally import (
    Codes,
    Counts,
    Factor,
    Tally,
    join_codes,
    merge_levels,
)

SAMPLE: Final = 20_000
"""Rows looked at to decide between the two ways."""
COUNTABLE: Final = 2**53
"""Largest whole number up to which sums are exact."""
MANY: Final = 0.935
"""Share of the sample with a cell of its own: about what 150,000 cells give."""

Labels = dict[str, list[str]]


def count_outcomes(data: Comparisons, by: tuple[str, ...], limits: Mapping[str, int]) -> Tally:
    """Count wins, ties and losses per pair and level; see `Comparisons.tally`."""
    if data.rankings is not None:
        data.rankings.check()
    weighing = read_weights(data)
    keys = [*by, "left", "right", "outcome"]
    frame = bind_to_task(data, by, name_levels(data, keys, weighing.frame))
    every = frame  # all rows, to number those that are refused
    if weighing.zero:
        every = bind_to_task(data, by, name_levels(data, keys, data.frame))
    if weighing.column is None and _cells_are_many(data, frame, keys):
        coded = _count_codes(data, frame, by, limits)
        if coded is not None:
            return coded
    cells = fetch_columns(frame.group_by(*keys).agg(*weighing.sums()))
    labels = {key: _distinct(cells[key]) for key in keys}
    meaning = check_labels(data, every, labels)
    if not len(cells[COUNT]):
        raise explain_empty(data, weighing.zero)
    systems = sorted({*labels["left"], *labels["right"]})
    outcome = _code(cells["outcome"], labels["outcome"], values=meaning)
    left, right = _code(cells["left"], systems), _code(cells["right"], systems)
    check_opponents(data, every, systems, left, right)
    names = {name: sorted(labels[name]) for name in by}
    levels = {name: _code(cells[name], names[name]) for name in by}
    sums = cells[COUNT].astype(np.float64), cells.get(SQUARES)
    tally = _widen(systems, (left, right, outcome), sums, levels, names)
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


def _cells_are_many(data: Comparisons, frame: Frame, keys: list[str]) -> bool:
    """Look at the first rows: do most of them open a cell of their own?"""
    if data.rankings is not None:
        return False
    cells = frame.head(SAMPLE).group_by(*keys).agg(nw.len().alias(COUNT))
    with one_thread(data.source.connection):
        found = fetch_columns(cells.select(COUNT))[COUNT]
    return int(found.sum()) >= SAMPLE and len(found) > MANY * SAMPLE


def _distinct(column: NDArray[np.object_]) -> list[str]:
    return list(dict.fromkeys(column.tolist()))


def _code(
    column: NDArray[np.object_], labels: Sequence[str], values: Mapping[str, int] | None = None
) -> Codes:
    """Replace labels by their place in the list, or by the values given."""
    index = {label: i for i, label in enumerate(labels)} if values is None else values
    return np.fromiter(map(index.__getitem__, column.tolist()), dtype=np.int32, count=len(column))


def _widen(
    systems: Sequence[str],
    codes: tuple[Codes, Codes, Codes],
    sums: tuple[Counts, Counts | None],
    levels: Mapping[str, Codes],
    names: Labels,
) -> Tally:
    """Turn one row per (level, pair, outcome) into one entry per (level, pair)."""
    left, right, outcome = codes
    k = len(systems)
    digits = [(own, len(names[name])) for name, own in levels.items()]
    key = join_codes([*digits, (left, k), (right, k)])
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)

    def widened(values: Counts) -> Counts:
        wide = np.bincount(inverse * 3 + outcome, weights=values, minlength=3 * len(first))
        return np.asarray(wide.reshape(-1, 3), dtype=np.float64)

    counts = widened(sums[0])
    totals = counts.sum(axis=1)
    factors = {}
    for name, own in levels.items():
        loads = np.bincount(own[first], weights=totals, minlength=len(names[name]))
        factors[name] = Factor(
            tuple(names[name]), own[first], np.asarray(loads, dtype=np.float64), len(names[name])
        )
    squares = None if sums[1] is None else widened(sums[1])
    wins, ties, losses = np.ascontiguousarray(counts.T)
    sides = left[first], right[first]
    return Tally(tuple(systems), *sides, wins, ties, losses, factors, squares=squares)


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
    keys = fetch_keys(data, frame, tables)
    if keys is None or len(keys) != rows:
        return None
    sizes = [table.size for table in tables]
    pairs, counts = count_keys(keys, prod(sizes))
    del keys
    codes = decode(pairs, sizes[:-1])
    check_opponents(data, frame, systems, codes[-2], codes[-1])
    factors = {
        level.name: Factor(tuple(level.labels), codes[i], level.loads, level.size, level.merged)
        for i, level in enumerate(levels)
    }
    wins, ties, losses = (np.ascontiguousarray(counts[:, o], dtype=np.float64) for o in range(3))
    tally = Tally(tuple(systems), codes[-2], codes[-1], wins, ties, losses, factors)
    return _finish(data, tally, limits, zero=0)
