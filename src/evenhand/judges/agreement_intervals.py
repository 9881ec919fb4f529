"""Intervals of agreement: clusters are drawn again, and coefficients made of their sums.

Outputs of one item are correlated, since an item is hard or easy for all systems; so items are
drawn, with all that was said of them.

Where judges are drawn, judge j coming up w_j times, the scores of j and k count w_j + w_k − 1
times. This gives the variance that judges make, and twice the one that pairs of judges make by
themselves, with their outputs; pairs drawn again say the latter, and it is taken off once. What is
left is widened for few judges, √(J / (J − 1)) times t over normal quantile. So two pairs covary by
their judges, and no pair is counted twice (Fafchamps & Gubert 2007, Journal of Development
Economics 83:326-350, for regressions on pairs).

Resamples are made of sums by cluster, never of ratings. Clusters beyond 1,000 items (100 judges)
are put together at random, which is valid, since clusters of clusters are clusters; the draw is by
name, whatever the order of the table. Below ten clusters percentiles mean nothing, and none are
given. Intervals are percentiles (Efron & Tibshirani 1993, chapter 13).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judges.counts import Blocks, Coincidences, Ratio, Sums
from evenhand.judges.texts import say
from evenhand.judges.units import Units, sum_groups
from evenhand.numerics import Array, Integers
from evenhand.numerics.distributions import normal_quantile, t_quantile
from evenhand.render.counts import plural
from evenhand.render.findings import Finding

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
        return Blocks(size, codes, None, cluster, levels)
    seen, size, levels = merge_clusters(units.judge, cluster, seed)
    of_judge = np.zeros(len(units.rows.judges), dtype=np.int64)
    of_judge[units.judge] = seen
    return Blocks(size, None, of_judge, cluster, levels)


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
    if blocks.of is not None:
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
