"""Cells of a table, one for each level, pair and outcome, become a tally."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments
from evenhand.judgments.coding import SEED, Cells, Coding, decode, make_factor
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.joined_codes import join_codes
from evenhand.judgments.tally import Codes, Counts, Factor, Tally, merge_levels

Labels = dict[str, list[str]]
COUNTABLE: Final = 2**53  # Largest whole number up to which sums are exact


def list_different(column: NDArray[np.object_]) -> list[str]:
    """Return the different labels of a column, in the order in which they come."""
    return list(dict.fromkeys(column.tolist()))


def code_labels(
    column: NDArray[np.object_], labels: Sequence[str], values: Mapping[str, int] | None = None
) -> Codes:
    """Replace labels by their place in the list, or by the values given."""
    index = {label: i for i, label in enumerate(labels)} if values is None else values
    return np.fromiter(map(index.__getitem__, column.tolist()), dtype=np.int32, count=len(column))


def make_tally(
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


def decode_tally(tables: Sequence[Coding], cells: Cells) -> Tally:
    """Turn the keys of cells into the entries of a tally.

    tables: labels and codes of the factors, of both sides and of outcomes, in this order.
    cells: keys without their outcome digit, and (C, 3) counts.
    """
    *levels, side, _, _ = tables
    pairs, counts = cells
    codes = decode(pairs, [table.size for table in tables[:-1]])
    factors = {level.name: make_factor(level, codes[i]) for i, level in enumerate(levels)}
    wins, ties, losses = (np.ascontiguousarray(counts[:, o], dtype=np.float64) for o in range(3))
    return Tally(tuple(side.labels), codes[-2], codes[-1], wins, ties, losses, factors)


def finish_tally(data: Comparisons, tally: Tally, limits: Mapping[str, int], *, zero: int) -> Tally:
    """Merge levels, and count answers: a ranking is one."""
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
        of_rankings=data.rankings is not None,
        unmerged={
            name: partial(data.tally, (name,)) for name, one in factors.items() if one.merged
        },
    )
    fewer = any(factors[name] is not factor for name, factor in tally.factors.items())
    return counted.pool(tuple(factors)) if fewer else counted
