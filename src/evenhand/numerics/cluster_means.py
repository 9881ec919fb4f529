"""Means of numbers that are correlated within clusters: their variances, and a wild bootstrap.

    d_g = −Σ_t w_t S_gt / (n_t − n_gt),   V = (G − 1)/G Σ_g (d_g − d̄)²
    θ* = −Σ_g v_g d_g,   d*_g = v_g e_g + b_g θ*,   t* = θ* / √V(d*)

as docs/methods/intervals.md has them (Scores; CV3: MacKinnon, Nielsen & Webb 2023, Journal of
Econometrics 232:272-299). The bootstrap turns clusters round by chance, v of −1 and 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.distributions import t_quantile, t_tail


@dataclass(frozen=True, eq=False)
class Strata:
    code: Integers  # (n,) stratum of each number, none of them empty
    share: Array  # (T,) what each stratum counts, adding up to 1

    @classmethod
    def one(cls, n: int) -> Strata:
        return cls(np.zeros(n, dtype=np.int64), np.ones(1))

    @property
    def counts(self) -> Array:
        return np.bincount(self.code, minlength=len(self.share)).astype(np.float64)

    @property
    def weights(self) -> Array:
        return np.asarray((self.share / self.counts)[self.code])

    def means(self, values: Array) -> Array:
        """Return the (P,) averaged means of (P, n) values, exact where all are alike."""
        first = values[:, 0]
        return np.asarray(first + (values - first[:, None]) @ self.weights)

    def deviations(self, values: Array) -> Array:
        """Return (P, n) deviations of values from the mean of their stratum."""
        moved = values - values[:, :1]  # so that values that are all alike have none at all
        each = sum_by(moved, self.code, len(self.share)) / self.counts
        return np.asarray(moved - each[:, self.code])


@dataclass(frozen=True, eq=False)
class Changes:
    change: Array  # (P, G) change of each mean, d
    scaled: Array  # (P, G) the same, inflated once more by leverage, e
    lever: Array  # (G,) what a cluster weighs beside the rest, b
    weight: Array  # (G,) what it weighs in all, adding up to 1

    @property
    def effective(self) -> float:
        return float(1 / (self.weight**2).sum())

    @property
    def variance(self) -> Array:
        return _spread(self.change.sum(axis=1), (self.change**2).sum(axis=1), len(self.weight))

    def between(self, one: Integers, other: Integers) -> Changes:
        change = self.change[one] - self.change[other]
        scaled = self.scaled[one] - self.scaled[other]
        return Changes(change, scaled, self.lever, self.weight)

    def redraw(self, signs: Array) -> tuple[Array, Array]:
        """Return (B, P) means and their variances, given (B, G) weights of −1 and 1."""
        moved = -signs @ self.change.T
        sums = signs @ self.scaled.T + moved * self.lever.sum()
        squares = (self.scaled**2).sum(axis=1) + moved**2 * (self.lever**2).sum()
        squares += 2 * moved * (signs @ (self.scaled * self.lever).T)
        return moved, _spread(sums, squares, len(self.lever))


def leave_clusters_out(deviations: Array, clusters: Integers, strata: Strata) -> Changes:
    """Return what leaving each of (n,) clusters out changes in means, from (P, n) deviations."""
    t, g = len(strata.share), int(clusters.max()) + 1
    cell = clusters * t + strata.code
    sums = sum_by(deviations, cell, g * t).reshape(len(deviations), g, t)
    held = np.bincount(cell, minlength=g * t).reshape(g, t)
    rest = strata.counts - held
    change = -(sums * (strata.share / rest)).sum(axis=2)
    scaled = -(sums * (strata.share * strata.counts / rest**2)).sum(axis=2)
    lever = (held / rest) @ strata.share
    return Changes(change, scaled, lever, (held / strata.counts) @ strata.share)


def cell_variance(deviations: Array, cells: Integers, strata: Strata) -> Array:
    """Return (P,) variances of means by clusters as they are (CR0), from (P, n) deviations."""
    sums = sum_by(deviations * strata.weights, cells, int(cells.max()) + 1)
    return np.asarray((sums**2).sum(axis=1))


def sum_by(values: Array, codes: Integers, size: int) -> Array:
    return np.stack([np.bincount(codes, row, minlength=size) for row in values])


def _spread(sums: Array, squares: Array, size: int) -> Array:
    """Return (G − 1)/G Σ (d − d̄)² of sums and sums of squares."""
    return np.asarray((size - 1) / size * np.maximum(squares - sums**2 / size, 0.0))


MAX_BITS: Final = 63  # Of a whole number, beside its sign
MAX_CODES_COUNTED = 4  # Codes up to this many times the rows are counted rather than sorted


def number_groups(*codes: NDArray[np.integer[Any]]) -> Integers:
    numbers = _close_ranks(codes[0].astype(np.int64))
    for more in codes[1:]:
        dense = _close_ranks(more.astype(np.int64))
        numbers = _close_ranks(numbers * (int(dense.max(initial=0)) + 1) + dense)
    return numbers


def _close_ranks(values: Integers) -> Integers:
    if not len(values):
        return values
    if int(values.max()) < MAX_CODES_COUNTED * len(values):
        return (np.cumsum(np.bincount(values) > 0) - 1)[values]
    return np.unique(values, return_inverse=True)[1].reshape(-1)


def sort_codes(codes: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
    """Return the (n,) stable order of codes from 0; as one number with its row, each sorts fast."""
    width, largest = len(codes).bit_length(), int(codes.max(initial=0))
    if largest <= np.iinfo(np.int16).max:  # sorted by counting
        return np.argsort(codes.astype(np.int16), kind="stable")
    if largest.bit_length() + width > MAX_BITS:
        return np.argsort(codes, kind="stable")
    key = codes.astype(np.int64) << width
    key += np.arange(len(codes))
    key.sort()
    return np.asarray(key & ((1 << width) - 1))


def pairs_within(groups: Integers) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(np.bincount(groups))[groups[order]]
    place = np.arange(len(order))
    later = ends - place - 1
    first = np.repeat(place, later)
    skipped = np.cumsum(later) - later
    return order[first], order[first + 1 + np.arange(len(first)) - skipped[first]]


def rank_within(groups: Integers, values: Array) -> Array:
    """Return the rank of each value within its group, 1 for the smallest, ties their mean."""
    if not len(groups):
        return values
    order, opens = _sort_within(groups, values)
    first, last, run = _find_runs(values[order], opens)
    start = np.maximum.accumulate(np.where(opens, np.arange(len(order)), 0))
    ranks = np.empty(len(order))
    ranks[order] = (first + last - 1)[run] / 2 - start + 1
    return ranks


def average_ranks(table: Array) -> Array:
    """Return the rank of every value within its row of a table, as `rank_within`."""
    rows, k = table.shape
    order = np.argsort(table, axis=1, kind="stable")
    ascending = np.take_along_axis(table, order, axis=1).ravel()
    start = np.repeat(np.arange(rows) * k, k)
    first, last, run = _find_runs(ascending, start == np.arange(rows * k))
    ranks = np.empty((rows, k))
    sorted_ranks = (first + last - 1)[run] / 2 - start + 1
    np.put_along_axis(ranks, order, sorted_ranks.reshape(rows, k), axis=1)
    return ranks


def sum_above(groups: Integers, values: Array, weights: Array) -> Array:
    """Return the sum of weights of higher values in the same group; equal ones count half."""
    if not len(groups):
        return values
    order, opens = _sort_within(groups, values)
    first, last, run = _find_runs(values[order], opens)
    total = np.r_[0.0, np.cumsum(weights[order])]
    ends = np.r_[np.flatnonzero(opens)[1:], len(order)]
    whole = total[ends[np.cumsum(opens) - 1]]
    above = np.empty(len(order))
    above[order] = whole - (total[last[run]] + total[first[run]]) / 2
    return above


def _sort_within(groups: Integers, values: Array) -> tuple[Integers, Flags]:
    """Return the order by group and value, and where groups begin in it."""
    order = np.lexsort((values, groups))
    return order, np.r_[True, np.diff(groups[order]) != 0]


def _find_runs(ascending: Array, opens: Flags) -> tuple[Integers, Integers, Integers]:
    """Return where each run of equal values begins and ends, and the run of each value."""
    steps = opens | np.r_[True, ascending[1:] != ascending[:-1]]
    first = np.flatnonzero(steps)
    return first, np.r_[first[1:], len(steps)], np.cumsum(steps) - 1


# Means of numbers that are correlated within clusters of one kind or two, with intervals.
#
# V = max(V_judge, V_item, V_judge + V_item − V_cell)
#
# V_judge and V_item leave judges and items out in turn (CV3), V_cell sums by judge and item at once
# (Cameron, Gelbach & Miller 2011, Journal of Business & Economic Statistics 29:238-249). Critical
# values are of Student's t, on one less than the effective number, (Σ n_g)² / Σ n_g², of the kind
# that has fewer clusters.

Variance = TypeVar("Variance", float, Array)
MIN_EFFECTIVE_JUDGES: Final = 5.0  # Below which nothing is said of others


@dataclass(frozen=True)
class Estimate:
    value: float
    stderr: float
    lower: float
    upper: float
    p: float  # two-sided, of it being zero


@dataclass(frozen=True, eq=False)
class Clusters:
    codes: Mapping[str, Integers]  # judge and item, if known → (n,) cluster
    strata: Strata  # of the numbers: tasks
    notes: tuple[str, ...] = ()  # what cannot be allowed for

    @property
    def name(self) -> str:
        return "+".join(self.codes)

    @cached_property
    def df(self) -> float:
        """Degrees of freedom of a mean: one less than the effective clusters of the fewer kind."""
        return leave_out(self, np.zeros((1, len(self.strata.code)))).df

    @cached_property
    def cells(self) -> Integers | None:
        return number_groups(*self.codes.values()) if len(self.codes) > 1 else None


def cross_ways(ways: Sequence[Variance], cells: Variance) -> list[Variance]:
    """Return V_J, V_I and V_J + V_I − V_JI, of which the largest counts for each contrast.

    ways: variances by clusters of two kinds; cells: those by the cells of both.
    """
    return [ways[0], ways[1], ways[0] + ways[1] - cells]


@dataclass(frozen=True, eq=False)
class LeftOut:
    """What leaving clusters of one kind or two out changes in P means."""

    changes: tuple[Changes, ...]  # of each kind
    variance: Array  # (P,) variances of the means
    df: float  # degrees of freedom

    def estimate(self, at: int, value: float, level: float) -> Estimate:
        return bound(value, float(self.variance[at]), self.df, level)


def bound(value: float, variance: float, df: float, level: float) -> Estimate:
    """Put an interval around an estimate; without any variance it is known exactly."""
    stderr = float(np.sqrt(variance))
    if stderr == 0:
        return Estimate(value, 0.0, value, value, float(value == 0))
    margin = t_quantile((1 + level) / 2, df) * stderr
    return Estimate(value, stderr, value - margin, value + margin, t_tail(value / stderr, df))


def leave_out(clusters: Clusters, deviations: Array) -> LeftOut:
    """Return what leaving clusters out changes, from (P, n) deviations from the means of strata."""
    strata = clusters.strata
    changes = tuple(leave_clusters_out(deviations, one, strata) for one in clusters.codes.values())
    variances = [kind.variance for kind in changes]
    if clusters.cells is not None:
        crossed = cell_variance(deviations, clusters.cells, clusters.strata)
        variances = cross_ways(variances, crossed)
    return LeftOut(changes, np.max(variances, axis=0), min(kind.effective for kind in changes) - 1)


def why_not_clustered(name: str, codes: Integers, strata: Strata) -> str | None:
    loads = np.bincount(codes).astype(np.float64)
    effective = float(loads.sum() ** 2 / (loads**2).sum())
    if len(loads) == 1:
        return f"for this {name} only"
    if name == "judge" and effective < MIN_EFFECTIVE_JUDGES:
        return f"for these {len(loads)} judges only, {effective:.1f} effective"
    if holds_stratum(codes, strata):
        return f"a task has one {name} in its held-out votes: nothing is said of other {name}s"
    return None


def holds_stratum(codes: Integers, strata: Strata) -> bool:
    size = len(strata.share)
    held = np.bincount(codes * size + strata.code, minlength=(int(codes.max()) + 1) * size)
    return bool((held.reshape(-1, size) == strata.counts).any())


def choose_clusters(known: Mapping[str, Integers]) -> Clusters:
    """Return the clusters to allow for, by kind; kinds that say nothing are excluded."""
    strata = Strata.one(len(next(iter(known.values()))))
    codes, notes = {}, []
    for name, each in known.items():
        why_not = why_not_clustered(name, each, strata)
        if why_not is None:
            codes[name] = number_groups(each)
        else:
            notes.append(why_not)
    return Clusters(codes, strata, tuple(notes))


def paired(difference: Array, clusters: Clusters, level: float) -> Estimate | None:
    if not clusters.codes:
        return None
    values = difference[None, :]
    left = leave_out(clusters, clusters.strata.deviations(values))
    return left.estimate(0, float(clusters.strata.means(values)[0]), level)


def root_slopes(squared: Array) -> Array:
    """Return numbers whose mean is the root of the mean square, to first order in changes."""
    mean = float(squared.mean())
    root = np.sqrt(mean)
    return root + (squared - mean) / (2 * root) if root > 0 else np.zeros_like(squared)


@dataclass(frozen=True, eq=False)
class Others:
    count: Integers  # (n,) scores of others on the same
    mean: Array  # (n,) their mean, NaN where there are none
    distance: Array  # (n,) mean |own − other|, NaN where there are none


def see_others(unit: Integers, judge: Integers, score: Array) -> Others:
    count, total, apart = _sum_group(number_groups(unit), score)
    own_count, own_total, own_apart = _sum_group(number_groups(unit, judge), score)
    left = count - own_count
    has_others = left > 0
    mean, distance = np.full((2, len(score)), np.nan)
    mean[has_others] = (total - own_total)[has_others] / left[has_others]
    distance[has_others] = (apart - own_apart)[has_others] / left[has_others]
    return Others(left, mean, np.maximum(distance, 0.0))


def _sum_group(group: Integers, score: Array) -> tuple[Integers, Array, Array]:
    """Return for each score the size and sum of its group, and its Σ |score − score| within it.

    Σ_j |x_i − x_j| = x_i (2r_i − m) + Σ_j x_j − 2 Σ_{j < i} x_j, x sorted, r_i scores below. Sums
    run over scores less their group's mean, so that they return to 0 at the end of each group and
    no rounding gathers.
    """
    size = np.bincount(group)
    total: Array = np.bincount(group, score).astype(np.float64)
    if size.max(initial=0) <= 1:
        return size[group], total[group], np.zeros(len(score))
    centred = score - (total / size)[group]
    order = np.lexsort((centred, group))
    x, g = centred[order], group[order]
    start = np.concatenate([[0], np.cumsum(size)[:-1]])[g]
    below = np.concatenate([[0.0], np.cumsum(x)])
    first, last = below[start], below[start + size[g]]
    rank = np.arange(len(x)) - start
    apart = np.empty(len(x))
    apart[order] = x * (2 * rank - size[g]) + (last - first) - 2 * (below[:-1] - first)
    return size[group], total[group], apart


def concord_ranks(ranks: Array) -> float | None:
    """Return Kendall's W of (m, n) ranks within each row, ties their mean; None if all are tied."""
    m, n = ranks.shape
    centred = ranks - (n + 1) / 2
    spread = float((centred**2).sum())
    if not spread:
        return None
    return float(min(float((centred.sum(axis=0) ** 2).sum()) / (m * spread), 1.0))


ROUNDING = 1e-12  # A spread this small beside the values


def pearson(x: Array, y: Array) -> float | None:
    units = []
    for column in (x, y):
        centred = column - column.mean()
        size = np.linalg.norm(centred)
        if size <= ROUNDING * np.linalg.norm(column):
            return None
        units.append(centred / size)
    return float(np.clip(units[0] @ units[1], -1, 1))


def spearman(x: Array, y: Array) -> float | None:
    ranks = average_ranks(np.stack([x, y]))
    return pearson(ranks[0], ranks[1])
