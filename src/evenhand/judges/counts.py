"""How often judges of a unit gave which scores: what coefficients and resamples are made of.

Resamples are made of sums by cluster, never of ratings: docs/agreement.md says how judges and items
are drawn. Clusters beyond 1,000 items (100 judges) are put together at random.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.tally import Codes
from evenhand.errors import NotIdentified
from evenhand.judges.texts import say
from evenhand.judges.units import Units, sum_groups
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.distributions import normal_quantile, t_quantile
from evenhand.render.document import Finding, plural

# Every pair of judges of a unit is one pair of scores (c, k), and counts 1 / (pairs in the unit),
# so that units weigh alike (Fleiss, Gwet, n-agreement), or m times that, m being the judges of the
# unit, so that scores weigh alike (Krippendorff). Pairs are summed by cluster once: coefficients
# and their resamples are made of these sums, and no rating is read again.

MAX_POINTS_TABLED: Final = 32  # Most different scores whose pairs are held as a table
PAIRS_AT_A_TIME: Final = 1_000_000  # About how many pairs of judges are looked at at a time
# Most pairs of judges, within units, that are gone through: into a table, and into a list
MAX_PAIRS: Final = {True: 300_000_000, False: 20_000_000}
# Judges of a unit from which their pairs are summed before they are listed
MIN_JUDGES_SUMMED: Final = 30
# Most sums by cluster and pair of scores that are held as a table; beyond, pairs are listed
MAX_TABLE_CELLS: Final = 8_000_000


@dataclass(frozen=True, eq=False)
class Blocks:
    size: int  # number of clusters, G
    of: Integers  # (U,) cluster of each unit, where clusters are items; else (J,) of each judge
    name: str  # "item" or "judge"
    levels: int  # items or judges, which clusters may hold several of

    @property
    def cells(self) -> int:
        """Number of cells: clusters, or pairs of clusters, where judges are drawn."""
        return self.size if self.name == "item" else self.size * (self.size + 1) // 2

    def place(self, units: Integers, first: Codes, second: Codes) -> Integers:
        """(N,) cell of pairs of scores: of the units given, by the judges given."""
        if self.name == "item":
            return self.of[units]
        one, other = self.of[first], self.of[second]
        high = np.maximum(one, other)
        return np.asarray(high * (high + 1) // 2 + np.minimum(one, other))


@dataclass(frozen=True, eq=False)
class Coincidences:
    points: Array  # (K,) the scores, ascending
    blocks: Blocks  # what the cells are
    cell: Integers  # (C,) cell of each entry
    low: Integers  # (C,) position of the lower score of the pair
    high: Integers  # (C,) position of the higher one
    per_unit: Array  # (C,) sum of 1 / pairs of judges in the unit; a unit adds up to 1
    per_score: Array  # (C,) the same times the judges of the unit; a unit adds up to its scores
    # (cells, K) scores of units of one judge; None if there are none, or too many points to count
    # by
    single: Array | None
    tabled: bool  # whether entries are all cells by all pairs of scores, in order

    @cached_property
    def units(self) -> float:
        """Units of two or more judges."""
        return float(self.per_unit.sum())

    @cached_property
    def mass(self) -> Array:
        """(K,) scores of units of two or more judges by point."""
        low, high = (
            np.bincount(end, self.per_score, len(self.points)) for end in (self.low, self.high)
        )
        return np.asarray((low + high) / 2)


def count_coincidences(units: Units, blocks: Blocks) -> Coincidences:
    k = len(units.points)
    tabled = k <= MAX_POINTS_TABLED and blocks.cells * k * k <= MAX_TABLE_CELLS
    # pairs of judges grow with the square of judges; in a table by items units of many judges are
    # counted by score instead
    if (not tabled or blocks.name == "judge") and units.pairs > MAX_PAIRS[tabled]:
        raise NotIdentified(
            f"{units.pairs:,} pairs of judges of one output are more than {MAX_PAIRS[tabled]:,}",
            ["look at a sample of judges", "merge points of the scale to 32 or fewer"],
        )
    single, alone = None, np.flatnonzero(units.sizes == 1)
    if len(alone) and blocks.cells * k <= MAX_TABLE_CELLS:
        place = units.starts[alone]
        judge = units.judge[place]
        cell = blocks.place(alone, judge, judge)
        given = np.bincount(cell * k + units.code[place], minlength=blocks.cells * k)
        single = given.reshape(-1, k).astype(np.float64)
    if not tabled:
        parts = zip(*_list_pairs(units, blocks), strict=True)
        cell, low, high, *sums = map(np.concatenate, parts)
        columns = (cell, low, high, sums[0], sums[1], single)
        return Coincidences(units.points, blocks, *columns, tabled=False)
    size = blocks.cells * k * k
    per_unit, per_score = np.zeros(size), np.zeros(size)
    for judges, unit, place in units.by_size():
        pairs = judges * (judges - 1) // 2
        if pairs > k * (k + 1) // 2 and blocks.name == "item":
            counted = _count_scores(units, blocks, unit, place)
        else:
            counted = np.zeros(size)
            for cell, low, high in _each_pair(units, blocks, unit, place):
                counted += np.bincount((cell * k + low) * k + high, minlength=size)
        per_unit += counted / pairs
        per_score += counted * (judges / pairs)
    used = np.flatnonzero(per_unit.reshape(blocks.cells, -1).any(axis=1))  # cells that have any
    low, high = np.triu_indices(k)
    entry = (used[:, None] * (k * k) + low * k + high).ravel()
    return Coincidences(
        points=units.points,
        blocks=blocks,
        cell=np.repeat(used, len(low)),
        low=np.tile(low, len(used)),
        high=np.tile(high, len(used)),
        per_unit=per_unit[entry],
        per_score=per_score[entry],
        single=single,
        tabled=True,
    )


def mirror(coincidences: Coincidences) -> Coincidences:
    """Count every unit in both orders of its two outputs, half in each."""
    # Scores are answers about two outputs, the lowest one and the highest one say the same with the
    # outputs exchanged. What agrees stays as it is; how often each answer is given no longer
    # depends on which output is called the first.
    last = len(coincidences.points) - 1
    low, high = last - coincidences.high, last - coincidences.low
    if not coincidences.tabled:
        both = (coincidences.low, low), (coincidences.high, high)
        cell, sums = np.tile(coincidences.cell, 2), (coincidences.per_unit, coincidences.per_score)
        per_unit, per_score = (np.tile(one / 2, 2) for one in sums)
        one, other = (np.concatenate(sides) for sides in both)
        coincidences = replace(coincidences, cell=cell, low=one, high=other)
    else:
        place = np.arange(len(low)).reshape(-1, (last + 1) * (last + 2) // 2)
        turned = np.lexsort((high[place[0]], low[place[0]]))
        order = place[:, turned].ravel()
        per_unit, per_score = (
            (one + one[order]) / 2 for one in (coincidences.per_unit, coincidences.per_score)
        )
    single = coincidences.single
    single = None if single is None else (single + single[:, ::-1]) / 2
    return replace(coincidences, per_unit=per_unit, per_score=per_score, single=single)


def _each_pair(
    units: Units, blocks: Blocks, unit: Integers, place: Integers
) -> Iterator[tuple[Integers, Integers, Integers]]:
    """Yield cell, lower and higher score of pairs of judges of the units of a size, in lots."""
    first, second = np.triu_indices(place.shape[1], 1)
    lot = max(PAIRS_AT_A_TIME // len(unit), 1)
    for start in range(0, len(first), lot):
        one, other = (place[:, side[start : start + lot]] for side in (first, second))
        judges = units.judge[one].ravel(), units.judge[other].ravel()
        cell = blocks.place(np.repeat(unit, one.shape[1]), *judges)
        codes = [units.code[at].ravel().astype(np.int64) for at in (one, other)]
        yield cell, np.minimum(*codes), np.maximum(*codes)


def _count_scores(units: Units, blocks: Blocks, unit: Integers, place: Integers) -> Array:
    """Count pairs from how often each score was given, where judges are more than points."""
    k, n = len(units.points), len(unit)
    cell = np.repeat(np.arange(n) * k, place.shape[1]) + units.code[place].ravel()
    given = np.bincount(cell, minlength=n * k).reshape(n, k).T.astype(np.float64)
    cell = blocks.of[unit]
    counted = np.zeros((blocks.cells, k, k))
    for low in range(k):
        for high in range(low, k):
            other = (given[high] - 1) / 2 if low == high else given[high]
            counted[:, low, high] = np.bincount(cell, given[low] * other, blocks.cells)
    return counted.ravel()


def _list_pairs(
    units: Units, blocks: Blocks
) -> Iterator[tuple[Integers, Integers, Integers, Array, Array]]:
    none = np.zeros(0, dtype=np.int64)
    yield none, none, none, np.zeros(0), np.zeros(0)
    for judges, unit, place in units.by_size():
        pairs = judges * (judges - 1) / 2
        for cell, low, high in _each_pair(units, blocks, unit, place):
            if judges > MIN_JUDGES_SUMMED:
                k = len(units.points)
                key, times = np.unique((cell * k + low) * k + high, return_counts=True)
                weight = times / pairs
                yield key // (k * k), key // k % k, key % k, weight, weight * judges
                continue
            weight = np.full(len(cell), 1 / pairs)
            yield cell, low, high, weight, weight * judges


# Sums of pairs of scores in the data and in resamples, which coefficients are made of.

MAX_CATEGORIES: Final = 1_000  # Most different scores that are treated as categories


def check_categories(points: Array) -> None:
    """Refuse scores that are too many to be categories, which would take all memory as well."""
    if len(points) > MAX_CATEGORIES:
        raise NotIdentified(
            f"{len(points):,} different scores are no categories",
            ["use α or n-agreement, or merge points"],
        )


@dataclass(frozen=True, eq=False)
class Ratio:
    over: Array  # (B,) what is divided
    under: Array  # (B,) by what; zero where the quantity does not exist

    @property
    def exists(self) -> Flags:
        return np.asarray(self.under != 0)

    @property
    def values(self) -> Array:
        """Its values where it exists, fewer than B where it does not everywhere."""
        return np.asarray(self.over[self.exists] / self.under[self.exists])

    @property
    def value(self) -> float | None:
        return float(self.values[0]) if self.exists[0] else None


@dataclass(frozen=True, eq=False)
class Sums:
    coincidences: Coincidences  # sums by cell
    # (B, cells) how often each cell counts; None for the data as they are (B = 1)
    times: Array | None = None

    @property
    def points(self) -> Array:
        return self.coincidences.points

    @cached_property
    def units(self) -> Array:
        """(B,) units of two or more judges."""
        return self.per_unit(np.ones(len(self.coincidences.cell)))

    @cached_property
    def scores(self) -> Array:
        """(B,) scores of these units."""
        return self.per_score(np.ones(len(self.coincidences.cell)))

    def per_unit(self, weights: Array) -> Array:
        """(B,) sum over units of the mean weight of its pairs; (C,) weights by entry."""
        return self._total(self.coincidences.per_unit, weights, "_unit_tables")

    def per_score(self, weights: Array) -> Array:
        """(B,) the same, a unit counting as often as it has scores."""
        return self._total(self.coincidences.per_score, weights, "score_tables")

    def score_sum(self, values: Array) -> Array:
        """(B,) sum over scores of units of two or more judges of a value by point (K,)."""
        coincidences = self.coincidences
        return self.per_score((values[coincidences.low] + values[coincidences.high]) / 2)

    @cached_property
    def mass(self) -> Array:
        """(B, K) scores of units of two or more judges, by point."""
        return self._marginals(per_unit=False)

    @cached_property
    def varied(self) -> Flags:
        """(B,) whether two different scores occur in units of two or more judges."""
        if len(self.points) <= MAX_CATEGORIES:
            return np.asarray((self.mass > 0).sum(axis=1) > 1)
        # too many to count each: is the lowest score of all cells that count not the highest?
        pairs = self.coincidences
        low = np.full(pairs.blocks.cells, len(self.points))
        high = np.full(pairs.blocks.cells, -1)
        np.minimum.at(low, pairs.cell, pairs.low)
        np.maximum.at(high, pairs.cell, pairs.high)
        if self.times is None:
            return np.array([low.min() < high.max()])
        drawn = self.times != 0
        lowest = np.where(drawn, low, len(self.points)).min(axis=1)
        return np.asarray(lowest < np.where(drawn, high, -1).max(axis=1))

    @cached_property
    def all_shares(self) -> Array:
        """(B, K) mean over units, those of one judge among them, of shares of scores by point."""
        single, sums = self.coincidences.single, self._marginals(per_unit=True)
        if single is not None:
            sums = sums + (single.sum(axis=0) if self.times is None else self.times @ single)
        return np.asarray(sums / sums.sum(axis=1, keepdims=True))

    @cached_property
    def score_tables(self) -> Array:
        return self._table(self.coincidences.per_score)

    @cached_property
    def _unit_tables(self) -> Array:
        """(B, pairs) sums by pair of scores, units weighing alike."""
        coincidences = self.coincidences
        scores = float(coincidences.per_score.sum())
        judges = scores / coincidences.units if coincidences.units else 1.0
        if np.array_equal(coincidences.per_score, coincidences.per_unit * judges):
            return np.asarray(self.score_tables / judges)  # as many judges on every unit
        return self._table(coincidences.per_unit)

    def _table(self, sums: Array) -> Array:
        """(B, pairs) sums over cells by pair of scores, of the table of coincidences."""
        coincidences = self.coincidences
        pairs = len(coincidences.points) * (len(coincidences.points) + 1) // 2
        by_cell = sums.reshape(-1, pairs)
        if self.times is None:
            return np.asarray(by_cell.sum(axis=0, keepdims=True))
        return np.asarray(self.times[:, coincidences.cell[::pairs]] @ by_cell)

    def _marginals(self, *, per_unit: bool) -> Array:
        """(B, K) sums of pairs by point, half for either score of the pair."""
        coincidences, k = self.coincidences, len(self.points)
        if coincidences.tabled:
            tables = self._unit_tables if per_unit else self.score_tables
            ends = [np.eye(k)[end] for end in np.triu_indices(k)]
            return np.asarray(tables @ ((ends[0] + ends[1]) / 2))
        weights = coincidences.per_unit if per_unit else coincidences.per_score
        size = coincidences.blocks.cells * k
        low, high = (
            np.bincount(coincidences.cell * k + end, weights, size).reshape(-1, k)
            for end in (coincidences.low, coincidences.high)
        )
        by_cell = (low + high) / 2
        drawn = by_cell.sum(axis=0, keepdims=True) if self.times is None else self.times @ by_cell
        return np.asarray(drawn)

    def _total(self, sums: Array, weights: Array, name: str) -> Array:
        pairs = self.coincidences
        if pairs.tabled:  # the pairs are the same in every cell
            tables: Array = getattr(self, name)
            return np.asarray(tables @ weights[: tables.shape[1]])
        if self.times is None:
            return np.array([(sums * weights).sum()])
        return np.asarray(self.times @ np.bincount(pairs.cell, sums * weights, pairs.blocks.cells))


REPLICATES: Final = 1_000
MIN_CLUSTERS: Final = 10  # Fewest clusters of which intervals are made
# Most clusters that are drawn; more are put together
MAX_CLUSTERS: Final = {"item": 1_000, "judge": 100}
CLUSTERS: Final = tuple(MAX_CLUSTERS)
MAX_SHARE_LOST: Final = 0.05  # Largest share of resamples in which a coefficient may not exist


@dataclass(frozen=True)
class Interval:
    lower: float | None  # lower end, or None
    upper: float | None  # upper end, or None
    why: Finding | None = None  # why there is none; None where there is one


def form_blocks(units: Units, cluster: str, seed: int) -> Blocks:
    if cluster == "item":
        codes, size, levels = merge_clusters(units.labels("item")[1], cluster, seed)
        return Blocks(size, codes, cluster, levels)
    seen, size, levels = merge_clusters(units.judge, cluster, seed)
    of_judge = np.zeros(len(units.rows.judges), dtype=np.int64)
    of_judge[units.judge] = seen
    return Blocks(size, of_judge, cluster, levels)


def merge_clusters(codes: NDArray[np.int32], cluster: str, seed: int) -> tuple[Integers, int, int]:
    """Number the levels that occur, put together if they are many; return how many there are."""
    present = np.bincount(codes) > 0
    levels, most = int(present.sum()), MAX_CLUSTERS[cluster]
    number = np.cumsum(present) - 1
    if levels <= most:
        return number[codes], levels, levels
    shuffled = np.random.Generator(np.random.PCG64(seed)).permutation(levels) % most
    return shuffled[number][codes], most, levels


@dataclass(frozen=True, eq=False)
class Draws:
    sums: Sums  # clusters drawn again; a pair of judges counts w_j + w_k − 1 times
    # where judges are drawn, pairs of judges drawn again instead; else None
    pairs: Sums | None = None

    def bound(self, compute: Callable[[Sums], Ratio], level: float) -> Interval:
        drawn = compute(self.sums)
        if self.pairs is None:
            return find_interval(drawn, level)
        pairs = compute(self.pairs)
        exists = pairs.exists & drawn.exists
        if exists.sum() < (1 - MAX_SHARE_LOST) * REPLICATES:
            return find_interval(Ratio(drawn.over, np.where(exists, drawn.under, 0.0)), level)
        values = drawn.values
        both, once = float(values.var()), float(pairs.values.var())
        shrink = np.sqrt(max(both - once, once) / both) if both > 0 else 1.0
        # judges drawn with replacement vary by (J − 1) / J of what they should, and normal tails
        # stand where those of t on J − 1 degrees of freedom belong
        judges, tail = self.sums.coincidences.blocks.size, (1 + level) / 2
        wider = t_quantile(tail, judges - 1) / normal_quantile(tail)
        stretch = shrink * float(wider * np.sqrt(judges / (judges - 1)))
        stretched = values.mean() + stretch * (values - values.mean())
        ends = find_interval(Ratio(stretched, np.ones(len(stretched))), level)
        if ends.lower is None or ends.upper is None:
            return ends
        return Interval(ends.lower, min(ends.upper, 1.0))


def draw_sums(coincidences: Coincidences, seed: int) -> Draws:
    blocks = coincidences.blocks
    times = draw_times(blocks.size, seed)
    if blocks.name == "item":
        return Draws(Sums(coincidences, times))
    high, low = np.tril_indices(blocks.size)
    weights = times[:, high] + times[:, low] - 1
    weights[:, high == low] = times  # judges of one cluster are drawn together
    used = np.unique(coincidences.cell)
    pairs = np.zeros_like(weights)
    pairs[:, used] = draw_times(len(used), seed)
    return Draws(Sums(coincidences, weights), Sums(coincidences, pairs))


@lru_cache(maxsize=8)
def draw_times(size: int, seed: int) -> Array:
    """(B, size) how often each cluster is drawn."""
    rng = np.random.Generator(np.random.PCG64(seed))
    drawn = rng.integers(0, size, (REPLICATES, size))
    flat = (drawn + np.arange(REPLICATES)[:, None] * size).ravel()
    counted = np.bincount(flat, minlength=REPLICATES * size).reshape(REPLICATES, size)
    times = counted.astype(np.float64)
    times.setflags(write=False)  # the same draw serves all parts of a table
    return times


def draw_items(by_item: Array, seed: int) -> Array:
    """Return (B, k) sums over items drawn again, of (I, k) sums by item."""
    merged, size, _ = merge_clusters(np.arange(len(by_item), dtype=np.int32), "item", seed)
    return np.asarray(draw_times(size, seed) @ sum_groups(merged, by_item, size))


def bound_by_items(
    by_item: Array, compute: Callable[[Array], Ratio], *, level: float, seed: int
) -> Interval:
    """Bound what is made of (I, k) sums by item, items being drawn again; none with few items."""
    why = refuse_interval(len(by_item), "item")
    if why is not None:
        return Interval(None, None, why)
    return find_interval(compute(draw_items(by_item, seed)), level)


def find_interval(drawn: Ratio, level: float) -> Interval:
    lost = int((~drawn.exists).sum())
    if lost > MAX_SHARE_LOST * REPLICATES:
        return Interval(None, None, say("no-interval-lost", lost=lost, of=REPLICATES))
    tail = (1 - level) / 2
    lower, upper = np.quantile(drawn.values, [tail, 1 - tail]).tolist()
    return Interval(lower, upper)


def refuse_interval(levels: int, cluster: str) -> Finding | None:
    """Say why there can be no intervals; None where there can."""
    if levels >= MIN_CLUSTERS:
        return None
    return say("no-interval", clusters=plural(levels, cluster), needed=MIN_CLUSTERS)
