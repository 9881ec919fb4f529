"""How often two judges of a unit gave which two scores: all that coefficients are made of.

Every pair of judges of a unit is one pair of scores (c, k), and counts 1 / (pairs in the unit), so
that units weigh alike (Fleiss, Gwet, n-agreement), or m times that, m being the judges of the
unit, so that scores weigh alike (Krippendorff). Pairs are summed by cluster once: coefficients and
their resamples are made of these sums, and no rating is read again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.units import Units
from evenhand.errors import NotIdentified
from evenhand.judgments.tally import Codes

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

TABLED: Final = 32
"""Most different scores whose pairs are held as a table."""
LOT: Final = 1_000_000
"""About how many pairs of judges are looked at at a time."""
MOST: Final = {True: 300_000_000, False: 20_000_000}
"""Most pairs of judges, within units, that are gone through: into a table, and into a list."""
CROWD: Final = 30
"""Judges of a unit from which their pairs are summed before they are listed."""
DENSE: Final = 8_000_000
"""Most sums by cluster and pair of scores that are held as a table; beyond, pairs are listed."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """Which cluster, or which two, a pair of scores belongs to.

    Attributes:
        size: number of clusters, G.
        of: (U,) cluster of each unit, where clusters are items; else None.
        of_judge: (J,) cluster of each judge, where clusters are judges; else None.
        name: "item" or "judge".
        levels: items or judges, which clusters may hold several of.

    """

    size: int
    of: Integers | None
    of_judge: Integers | None
    name: str
    levels: int

    @property
    def cells(self) -> int:
        """Number of cells: clusters, or pairs of clusters, where judges are drawn."""
        return self.size if self.of is not None else self.size * (self.size + 1) // 2

    def place(self, units: Integers, first: Codes, second: Codes) -> Integers:
        """(N,) cell of pairs of scores: of the units given, by the judges given."""
        if self.of is not None:
            return self.of[units]
        assert self.of_judge is not None
        one, other = self.of_judge[first], self.of_judge[second]
        high = np.maximum(one, other)
        return np.asarray(high * (high + 1) // 2 + np.minimum(one, other))


@dataclass(frozen=True, eq=False)
class Coincidences:
    """Sums of pairs of scores by cell.

    Attributes:
        points: (K,) the scores, ascending.
        blocks: what the cells are.
        cell: (C,) cell of each entry.
        low: (C,) position of the lower score of the pair.
        high: (C,) position of the higher one.
        per_unit: (C,) sum of 1 / pairs of judges in the unit; a unit adds up to 1.
        per_score: (C,) the same times the judges of the unit; a unit adds up to its scores.
        single: (cells, K) scores of units of one judge; None if there are none, or too many
            points to count by.
        tabled: whether entries are all cells by all pairs of scores, in order.

    """

    points: Array
    blocks: Blocks
    cell: Integers
    low: Integers
    high: Integers
    per_unit: Array
    per_score: Array
    single: Array | None
    tabled: bool

    @cached_property
    def units(self) -> float:
        """Units of two or more judges."""
        return float(self.per_unit.sum())

    @cached_property
    def scores(self) -> float:
        """Scores of these units."""
        return float(self.per_score.sum())

    @cached_property
    def mass(self) -> Array:
        """(K,) scores of units of two or more judges by point."""
        both = np.bincount(self.low, self.per_score, len(self.points))
        both += np.bincount(self.high, self.per_score, len(self.points))
        return np.asarray(both / 2)


def count_coincidences(units: Units, blocks: Blocks) -> Coincidences:
    """Sum pairs of scores by cell.

    Args:
        units: who scored what.
        blocks: what is drawn again for intervals.

    Raises:
        NotIdentified: too many pairs of judges within units.

    """
    k = len(units.points)
    tabled = k <= TABLED and blocks.cells * k * k <= DENSE
    if not tabled or blocks.of is None:  # else units of many judges are counted by score
        _check_cost(units, tabled=tabled)
    single = _count_single(units, blocks) if blocks.cells * k <= DENSE else None
    if not tabled:
        parts = list(_list_pairs(units, blocks))
        cell, low, high, per_unit, per_score = map(np.concatenate, zip(*parts, strict=True))
        return Coincidences(
            units.points, blocks, cell, low, high, per_unit, per_score, single, tabled=False
        )
    return table_coincidences(units.points, blocks, _table_pairs(units, blocks), single)


def table_coincidences(
    points: Array, blocks: Blocks, sums: tuple[Array, Array], single: Array | None
) -> Coincidences:
    """Return sums that are held as a table, of the cells that have any.

    Args:
        points: (K,) the scores.
        blocks: what the cells are.
        sums: (cells × K × K,) per unit, and per score, by cell, lower and higher score.
        single: (cells, K) scores of units of one judge; None if there are none.

    """
    k = len(points)
    used = np.flatnonzero(sums[0].reshape(blocks.cells, -1).any(axis=1))
    low, high = np.triu_indices(k)
    entry = (used[:, None] * (k * k) + low * k + high).ravel()
    return Coincidences(
        points=points,
        blocks=blocks,
        cell=np.repeat(used, len(low)),
        low=np.tile(low, len(used)),
        high=np.tile(high, len(used)),
        per_unit=sums[0][entry],
        per_score=sums[1][entry],
        single=single,
        tabled=True,
    )


def mirror(found: Coincidences) -> Coincidences:
    """Count every unit in both orders of its two outputs, half in each.

    Scores are answers about two outputs, the lowest one and the highest one say the same with the
    outputs exchanged. What agrees stays as it is; how often each answer is given no longer depends
    on which output is called the first.
    """
    last = len(found.points) - 1
    low, high = last - found.high, last - found.low
    if not found.tabled:
        both = (found.low, low), (found.high, high)
        cell, sums = np.tile(found.cell, 2), (found.per_unit, found.per_score)
        per_unit, per_score = (np.tile(one / 2, 2) for one in sums)
        one, other = (np.concatenate(sides) for sides in both)
        found = replace(found, cell=cell, low=one, high=other)
    else:
        place = np.arange(len(low)).reshape(-1, (last + 1) * (last + 2) // 2)
        turned = np.lexsort((high[place[0]], low[place[0]]))
        order = place[:, turned].ravel()
        per_unit, per_score = ((one + one[order]) / 2 for one in (found.per_unit, found.per_score))
    single = None if found.single is None else (found.single + found.single[:, ::-1]) / 2
    return replace(found, per_unit=per_unit, per_score=per_score, single=single)


def _table_pairs(units: Units, blocks: Blocks) -> tuple[Array, Array]:
    """Sum pairs of scores by cell, lower and higher score."""
    k = len(units.points)
    size = blocks.cells * k * k
    per_unit, per_score = np.zeros(size), np.zeros(size)
    for judges, found, place in units.by_size():
        pairs = judges * (judges - 1) // 2
        if pairs > k * (k + 1) // 2 and blocks.of is not None:
            counted = _count_scores(units, blocks, found, place)
        else:
            counted = np.zeros(size)
            for cell, low, high in _each_pair(units, blocks, found, place):
                counted += np.bincount((cell * k + low) * k + high, minlength=size)
        per_unit += counted / pairs
        per_score += counted * (judges / pairs)
    return per_unit, per_score


def _check_cost(units: Units, *, tabled: bool) -> None:
    """Refuse what would take all memory: pairs of judges grow with the square of judges."""
    pairs = units.pairs
    if pairs > MOST[tabled]:
        raise NotIdentified(
            f"{pairs:,} pairs of judges of one output are more than {MOST[tabled]:,}",
            ["look at a sample of judges", "merge points of the scale to 32 or fewer"],
        )


def _each_pair(
    units: Units, blocks: Blocks, found: Integers, place: Integers
) -> Iterator[tuple[Integers, Integers, Integers]]:
    """Yield cell, lower and higher score of pairs of judges of the units of a size, in lots."""
    first, second = np.triu_indices(place.shape[1], 1)
    lot = max(LOT // len(found), 1)
    for start in range(0, len(first), lot):
        one, other = (place[:, side[start : start + lot]] for side in (first, second))
        judges = units.judge[one].ravel(), units.judge[other].ravel()
        cell = blocks.place(np.repeat(found, one.shape[1]), *judges)
        codes = [units.code[at].ravel().astype(np.int64) for at in (one, other)]
        yield cell, np.minimum(*codes), np.maximum(*codes)


def _count_scores(units: Units, blocks: Blocks, found: Integers, place: Integers) -> Array:
    """Count pairs from how often each score was given, where judges are more than points.

    n_c n_k pairs of two scores, n_c (n_c − 1) / 2 of one and the same.
    """
    k, n = len(units.points), len(found)
    own = np.repeat(np.arange(n) * k, place.shape[1]) + units.code[place].ravel()
    given = np.bincount(own, minlength=n * k).reshape(n, k).T.astype(np.float64)
    assert blocks.of is not None
    cell = blocks.of[found]
    counted = np.zeros((blocks.cells, k, k))
    for low in range(k):
        for high in range(low, k):
            other = (given[high] - 1) / 2 if low == high else given[high]
            counted[:, low, high] = np.bincount(cell, given[low] * other, blocks.cells)
    return counted.ravel()


def _list_pairs(
    units: Units, blocks: Blocks
) -> Iterator[tuple[Integers, Integers, Integers, Array, Array]]:
    """Yield pairs of scores one by one, where a table of them would be too large."""
    none = np.zeros(0, dtype=np.int64)
    yield none, none, none, np.zeros(0), np.zeros(0)
    for judges, found, place in units.by_size():
        pairs = judges * (judges - 1) / 2
        for cell, low, high in _each_pair(units, blocks, found, place):
            if judges > CROWD:
                k = len(units.points)
                key, times = np.unique((cell * k + low) * k + high, return_counts=True)
                weight = times / pairs
                yield key // (k * k), key // k % k, key % k, weight, weight * judges
                continue
            weight = np.full(len(cell), 1 / pairs)
            yield cell, low, high, weight, weight * judges


def _count_single(units: Units, blocks: Blocks) -> Array | None:
    """Count scores of units of one judge by cell and point."""
    k = len(units.points)
    alone = np.flatnonzero(units.sizes == 1)
    if not len(alone):
        return None
    place = units.starts[alone]
    judge = units.judge[place]
    cell = blocks.place(alone, judge, judge)
    counted = np.bincount(cell * k + units.code[place], minlength=blocks.cells * k)
    return counted.reshape(-1, k).astype(np.float64)
