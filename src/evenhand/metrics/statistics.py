"""How well one metric agrees with people: correlations, accuracy of pairs, soft accuracy.

h and m are (K, S): K systems on S items, higher is better; NaN in h is an output that nobody
judged, and the metric's score of it counts nowhere. At the level of systems their means over items
are compared; at the level of segments all scores ("none"), the systems of each item ("item", a
plain mean over items), or the items of each system ("system").

    τ-b = (C − D) / √((n − T_m)(n − T_h)),  τ-c = 2 (C − D) k / (N² (k − 1)),  acc = (C + T_hm) / n

over the n pairs of N scores, of which C are in the same order, D in the other, T_h tied by people,
T_m by the metric, T_hm by both; k: the smaller number of different scores (Stuart 1953). acc_eq
takes scores within ε of each other for a tie (Deutsch, Foster and Freitag 2023, EMNLP); the ε that
is best on the same items flatters, so that ours comes from other items. SPA compares how sure
people and the metric are of each pair of systems (Thompson, Mathur, Deutsch and Khayrallah 2024,
WMT). When not to use them: on fewer than six systems, where hardly anything can be told apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.cluster_means import average_ranks, rank_within

DRAWS: Final = 1000  # Sign flips of SPA
MAX_EXACT: Final = 12  # Items, and systems, up to which all flips are counted
TIED: Final = 1e-9  # Of sums of a pair of systems, differences that are equal
DIGITS: Final = 12  # Of accuracies that are compared: sums differ in those behind
FOLDS: Final = 5  # Parts of the items, each scored with the ε of the others
MAX_PAIRS: Final = 20_000_000  # Pairs of scores that are looked at one by one
BATCHES: Final = 10  # Of flips, which tell how far chance moves SPA
GROUPS: Final = ("none", "item", "system")
# Of values, differences that are of rounding: sums in another order, .3 − .2 and .2 − .1
ROUNDING: Final = 1e-12


def clear_rounding(means: Array, largest: Any) -> Array:
    """Return means of values up to `largest`; those that only rounding parts from 0 are 0."""
    return np.where(np.abs(means) <= ROUNDING * largest, 0.0, means)


def number_levels(x: Array, error: Array | None = None) -> Integers:
    """Return (R, K) numbers in the order of a row's values; those that rounding parts share one.

    error: of each value by rounding; by default relative to it.
    """
    order = np.argsort(x, axis=1, kind="stable")
    values = np.take_along_axis(x, order, axis=1)
    error = ROUNDING * np.abs(x) if error is None else np.broadcast_to(error, x.shape)
    # that of an outlier is larger than real differences of others
    slack = np.take_along_axis(error, order, axis=1)
    numbers = np.zeros(x.shape, dtype=np.int64)
    new = np.diff(values, axis=1) > np.maximum(slack[:, 1:], slack[:, :-1])
    np.put_along_axis(numbers, order[:, 1:], np.cumsum(new, axis=1), axis=1)
    return numbers


def sign_beyond(difference: Array, limit: Any) -> Array:
    """Return signs of differences; 0 for those up to the limit."""
    return np.where(np.abs(difference) <= limit, 0.0, np.sign(difference))


def level_differences(x: Array, y: Array) -> Array:
    """Return (n,) x − y; distances that only rounding parts are equal, and 0 with 0."""
    difference = x - y
    apart, slack = np.abs(difference), ROUNDING * np.maximum(np.abs(x), np.abs(y))
    order = np.argsort(apart)
    distance, slack = np.append(0.0, apart[order]), np.append(0.0, slack[order])
    new = np.diff(distance) > np.maximum(slack[1:], slack[:-1])
    firsts = np.append(0.0, distance[1:][new])
    level = np.empty_like(apart)
    level[order] = firsts[np.cumsum(new)]
    return np.asarray(np.copysign(level, difference))


def group_cells(shape: tuple[int, int], group: str) -> Integers:
    """Return (K, S) the number of each cell's group."""
    k, s = shape
    systems, items = np.indices((k, s))
    return {"none": np.zeros((k, s), dtype=np.int64), "item": items, "system": systems}[group]


# Correlations of many groups at once: x, y and the number of the group are (n,).


def pearson_each(x: Array, y: Array, group: Integers, size: int) -> Array:
    """Return (size,) Pearson's r of each group; NaN where something is constant."""
    n = np.maximum(np.bincount(group, minlength=size), 1)

    def centre(values: Array) -> Array:
        centred: Array = values - (np.bincount(group, values, size) / n)[group]
        largest = np.zeros(size)
        np.maximum.at(largest, group, np.abs(values))
        return clear_rounding(centred, largest[group])  # of a group that is constant

    x, y = centre(x), centre(y)
    xx, yy = np.bincount(group, x * x, size), np.bincount(group, y * y, size)
    norm = np.sqrt(xx * yy)
    return np.where(norm > 0, np.bincount(group, x * y, size) / np.where(norm > 0, norm, 1), np.nan)


@dataclass(frozen=True)
class PairCounts:
    """(G,) pairs of each group."""

    size: Array  # scores
    concordant: Array
    discordant: Array
    tied_people: Array  # by people, by the metric as well or not
    tied_metric: Array
    tied_both: Array
    distinct: Array  # the smaller number of different scores

    @property
    def total(self) -> Array:
        return self.size * (self.size - 1) / 2

    def tau_b(self) -> Array:
        norm = np.sqrt((self.total - self.tied_metric) * (self.total - self.tied_people))
        safe = np.where(norm > 0, norm, 1)
        return np.where(norm > 0, (self.concordant - self.discordant) / safe, np.nan)

    def tau_c(self) -> Array:
        k, n = self.distinct, self.size
        defined = k > 1
        scale = np.where(defined, n**2 * (k - 1), 1)
        return np.where(defined, 2 * (self.concordant - self.discordant) * k / scale, np.nan)


def count_pairs(h: Array, m: Array, group: Integers, size: int) -> PairCounts:
    """Count the pairs of each group in n log n steps."""
    n = np.bincount(group, minlength=size).astype(np.float64)
    codes_h, codes_m = (number_levels(one[None])[0] for one in (h, m))

    def count_ties(*columns: Integers) -> tuple[Array, Array]:
        order = np.lexsort((*columns, group))
        stacked = np.stack([group[order], *(one[order] for one in columns)])
        new = np.concatenate([[True], (np.diff(stacked, axis=1) != 0).any(axis=0)])
        runs = np.diff(np.append(np.flatnonzero(new), len(group)))
        of_run = group[order][new]
        distinct = np.bincount(of_run, minlength=size).astype(np.float64)
        pairs = np.bincount(of_run, runs * (runs - 1) / 2, size)
        return np.asarray(pairs, dtype=np.float64), distinct

    tied_h, distinct_h = count_ties(codes_h)
    tied_m, distinct_m = count_ties(codes_m)
    tied_both = count_ties(codes_h, codes_m)[0]
    order = np.lexsort((codes_m, codes_h, group))
    discordant = count_inversions(codes_m[order], group[order], size)
    total = n * (n - 1) / 2
    concordant = total - discordant - tied_h - tied_m + tied_both
    distinct = np.minimum(distinct_h, distinct_m)
    return PairCounts(n, concordant, discordant, tied_h, tied_m, tied_both, distinct)


def count_inversions(code: Integers, group: Integers, size: int) -> Array:
    """Return (size,) pairs of a group whose first code is the larger, bit by bit."""
    # at each bit, among codes that are equal above it: ones that stand before zeros
    found = np.zeros(size)
    for bit in reversed(range(int(code.max(initial=0)).bit_length())):
        block = np.lexsort((np.arange(len(code)), code >> (bit + 1), group))
        prefix, one, of = code[block] >> (bit + 1), (code[block] >> bit) & 1, group[block]
        new = np.concatenate([[True], (np.diff(prefix) != 0) | (np.diff(of) != 0)])
        before = np.cumsum(one) - one
        start = before[np.flatnonzero(new)][np.cumsum(new) - 1]
        found += np.bincount(of, np.where(one == 0, before - start, 0), size)
    return found


def correlate_segments(h: Array, m: Array, name: str, group: str) -> tuple[float, int, int]:
    """Return a correlation of segments as the mean over groups.

    Also how many groups have one, and how many have two scores or more.
    """
    judged = ~np.isnan(h)
    of = group_cells((h.shape[0], h.shape[1]), group)[judged]
    x, y, size = h[judged], m[judged], int(of.max(initial=0)) + 1
    if name == "pearson":
        each = pearson_each(x, y, of, size)
    elif name == "spearman":
        x, y = (rank_within(of, number_levels(one[None])[0]) for one in (x, y))
        each = pearson_each(x, y, of, size)
    else:
        counts = count_pairs(x, y, of, size)
        each = counts.tau_b() if name == "tau-b" else counts.tau_c()
    defined = ~np.isnan(each)
    several = int((np.bincount(of, minlength=size) > 1).sum())
    mean = float(each[defined].mean()) if defined.any() else float("nan")
    return mean, int(defined.sum()), several


# Of means of systems: rows are replicates.


def differ(x: Any) -> Any:
    """Return (R, P) the differences of pairs of (R, K) values."""
    i, j = np.triu_indices(x.shape[1], 1)
    return x[:, i] - x[:, j]


def correlate_systems(
    h: Array, x: Array, name: str, errors: tuple[Array, Array] | tuple[None, None] = (None, None)
) -> Array:
    """Return (R,) the correlation of (K,) or (R, K) means by people with (R, K) by a metric.

    errors: of both by rounding, as in `number_levels`.
    """
    both = tuple(zip((np.atleast_2d(h), x), errors, strict=True))
    if name in ("pa", "tau-b"):
        a, b = (np.sign(differ(number_levels(one, error))) for one, error in both)
        if name == "pa":
            return np.asarray((a == b).mean(axis=1))
        top, norm = (a * b).sum(axis=1), np.sqrt((a != 0).sum(axis=1) * (b != 0).sum(axis=1))
    else:
        if name == "spearman":
            ranks = [number_levels(one, error).astype(np.float64) for one, error in both]
            both = tuple((average_ranks(one), None) for one in ranks)
        a, b = (_centre_rows(one) for one, _ in both)
        top, norm = (a * b).sum(axis=1), np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    return np.where(norm > 0, top / np.where(norm > 0, norm, 1), np.nan)


def _centre_rows(x: Array) -> Array:
    """Return (R, K) values less their mean, up to 1; 0 where all are equal."""
    centred = x - x.mean(axis=1, keepdims=True)
    far = np.abs(centred).max(axis=1, keepdims=True)
    constant = far <= ROUNDING * np.abs(x).max(axis=1, keepdims=True)
    return np.where(constant, 0.0, centred / np.where(constant, 1.0, far))


def average_systems(h: Array, m: Array) -> tuple[Array, Array]:
    """Return (K,) means over the outputs that people judged, equal where only rounding parts."""
    judged = ~np.isnan(h)
    people, metric = (np.where(judged, one, 0.0) for one in (h, m))
    n = judged.sum(axis=1)
    return _average_rows(people, n), _average_rows(metric, n)


def _average_rows(x: Array, n: Integers) -> Array:
    means, error = x.sum(axis=1) / n, ROUNDING * np.abs(x).sum(axis=1) / n
    numbers = number_levels(means[None], error[None])[0]
    first = np.full(numbers.max() + 1, np.inf)
    np.minimum.at(first, numbers, means)
    return clear_rounding(first[numbers], np.abs(x).max(axis=1))


def order_by_distance(people: Array, metric: Array) -> tuple[Array, Array, Integers]:
    """Return what a metric's distances say of the order of systems, from (K,) means.

    Different distances, the farthest first; of the pairs of systems that are so far apart or
    farther the share in people's order; and how many pairs these are.
    """
    i, j = np.triu_indices(len(metric), 1)
    apart = level_differences(metric[i], metric[j])
    order = np.argsort(-np.abs(apart), kind="stable")
    right = np.sign(differ(number_levels(people[None]))[0])
    agree = np.cumsum((np.sign(apart) == right)[order])
    distance = np.abs(apart)[order]
    ends = np.append(np.flatnonzero(np.diff(distance)), len(distance) - 1)
    return distance[ends], agree[ends] / (ends + 1), ends + 1


def tie_aware(h: Array, m: Array) -> float:
    """Return Spearman's ρ of how often systems come first, ties included.

    A metric's score within ε of an item's best comes first too, with the ε that gives as many
    first places as people give (Padó, Galley, Jurafsky and Manning 2009, ACL).
    """
    whole = ~np.isnan(h).any(axis=0)
    if not whole.any():
        return float("nan")
    m, levels = m[:, whole], number_levels(h[:, whole].reshape(1, -1)).reshape(len(h), -1)
    first = levels == levels.max(axis=0)
    best = np.broadcast_to(m.max(axis=0), m.shape)
    behind = level_differences(best.ravel(), m.ravel()).reshape(m.shape)
    epsilon = np.sort(behind, axis=None)[int(first.sum()) - 1]
    shares = first.mean(axis=1), (behind <= epsilon).mean(axis=1)
    return float(correlate_systems(shares[0], shares[1][None], "spearman")[0])


# Accuracy of pairs of segments, with ties.


@dataclass(frozen=True)
class SegmentPairs:
    """The pairs of scores within groups, (n,)."""

    first: Integers  # number of the cell, in the order of h.ravel()
    second: Integers
    size: int  # groups with a pair
    weight: Array  # 1 / (pairs of its group × groups): the mean over groups is a weighted sum
    order: Array  # sign of the difference by people
    item: Integers  # the first's item


def count_segment_pairs(h: Array, group: str) -> int:
    judged = ~np.isnan(h)
    sizes = {"none": judged.sum(keepdims=True), "item": judged.sum(axis=0)}
    n = sizes.get(group, judged.sum(axis=1)).ravel().astype(np.int64)
    return int((n * (n - 1) // 2).sum())


def pair_segments(h: Array, group: str) -> SegmentPairs:
    k, s = h.shape
    judged, n = ~np.isnan(h), count_segment_pairs(h, group)
    if n > MAX_PAIRS:
        raise NotIdentified(
            f"{n:,} pairs of scores are too many for acc-eq and kendall-like",
            ["compare fewer items"]
            if group == "item"
            else ["compare outputs of the same item: --group item"],
        )
    if group == "item":
        i, j = np.triu_indices(k, 1)
        both = judged[i] & judged[j]  # (P, S)
        pair, item = np.nonzero(both)
        first, second, of = i[pair] * s + item, j[pair] * s + item, item
    else:
        parts, whole = [], np.arange(k * s).reshape(k, s)
        for number in range(1 if group == "none" else k):
            cells = whole[judged] if group == "none" else whole[number][judged[number]]
            i, j = np.triu_indices(len(cells), 1)
            parts.append((cells[i], cells[j], np.full(len(i), number)))
        first, second, of = (np.concatenate(one) for one in zip(*parts, strict=True))
    counts = np.bincount(of, minlength=1)
    size = int((counts > 0).sum())
    flat = h.ravel()
    order = np.sign(level_differences(flat[first], flat[second]))
    return SegmentPairs(first, second, size, 1 / (counts[of] * size), order, first % s)


def measure_accuracy(pairs: SegmentPairs, difference: Array, epsilon: float) -> float:
    """Return acc_eq at one ε; difference: (n,) of the metric."""
    return float(pairs.weight[sign_beyond(difference, epsilon) == pairs.order].sum())


def split_accuracy(h: Array, scores: Array, epsilon: Array) -> Array:
    """Return (M, P) what pairs of systems add to acc_eq within items; epsilon: (M, S)."""
    pairs, (k, s) = pair_segments(h, "item"), h.shape
    i, j = np.triu_indices(k, 1)
    both, parts = pairs.first // s * k + pairs.second // s, []
    for one, limit in zip(scores.reshape(len(scores), -1), epsilon, strict=True):
        apart = level_differences(one[pairs.first], one[pairs.second])
        right = sign_beyond(apart, limit[pairs.item]) == pairs.order
        parts.append(np.bincount(both, right * pairs.weight, k * k)[i * k + j])
    return np.array(parts)


def calibrate(pairs: SegmentPairs, difference: Array) -> tuple[float, float]:
    """Return the largest acc_eq over ε, and the smallest ε that reaches it."""
    epsilon = Ties.sort(pairs, difference).find_epsilon()
    return measure_accuracy(pairs, difference, epsilon), epsilon


@dataclass(frozen=True)
class Ties:
    """Pairs by a metric's distance, and what each adds to acc_eq when it becomes a tie."""

    sorting: NDArray[np.intp]  # (n,)
    last: NDArray[np.intp]  # where the pairs of each distance end
    distance: Array  # different distances
    gain: Array  # (n,) in their order

    @staticmethod
    def sort(pairs: SegmentPairs, difference: Array) -> Ties:
        apart = np.abs(difference)
        sorting = np.argsort(apart)
        distance = apart[sorting]
        last = np.append(np.flatnonzero(np.diff(distance)), len(distance) - 1)
        right = np.sign(difference) == pairs.order  # pairs tied already gain nothing
        gain = pairs.weight * ((pairs.order == 0).astype(np.float64) - right)
        return Ties(sorting, last, distance[last], gain[sorting])

    def find_epsilon(self, others: Flags | None = None) -> float:
        """Return the smallest ε of the best; others: (n,) pairs in their order that count."""
        gain = self.gain if others is None else self.gain * others
        gained = np.concatenate([[0.0], np.cumsum(gain)[self.last]])
        best = int(np.argmax(np.round(gained, DIGITS)))
        return float(self.distance[best - 1]) if best else 0.0


def assign_folds(documents: Integers) -> Integers:
    """Return (S,) the part of each item; items of one document stay together."""
    first = np.unique(documents, return_index=True)[1]
    place = np.empty(len(first), dtype=np.int64)
    place[np.argsort(first)] = np.arange(len(first))  # in the order in which they come
    return place[documents] % FOLDS


def cross_fit(pairs: SegmentPairs, difference: Array, fold: Integers) -> tuple[float, Array]:
    """Return acc_eq where each fold of items has the ε of the others, and (FOLDS,) these ε.

    fold: (S,) of the items; pairs are of one item.
    """
    of, epsilons = fold[pairs.item], np.zeros(FOLDS)
    ties = Ties.sort(pairs, difference)
    sorted_fold = of[ties.sorting]
    present = np.unique(of).tolist()
    if len(present) == 1:  # a single item or document: there are no others
        return float("nan"), epsilons
    for one in present:
        epsilons[one] = ties.find_epsilon(sorted_fold != one)
    right = sign_beyond(difference, epsilons[of]) == pairs.order
    return float(pairs.weight[right].sum()), epsilons


def bound_chance(pairs: SegmentPairs) -> float:
    """Return what noise can reach: all pairs ties, or none and half of the others right."""
    ties = float(pairs.weight[pairs.order == 0].sum())
    return max(ties, (1 - ties) / 2)


def kendall_like(pairs: SegmentPairs, h: Array, difference: Array, least: float) -> float:
    """Return (C − D)/(C + D) of pairs that people hold `least` apart or more; a tie is wrong."""
    flat = h.ravel()
    far = np.abs(flat[pairs.first] - flat[pairs.second]) >= least * (1 - ROUNDING)
    if not far.any():
        return float("nan")
    return float(2 * (np.sign(difference[far]) == pairs.order[far]).mean() - 1)


# Soft pairwise accuracy: one-sided p-values of paired sign flips over items.


def flip_signs(items: int, rng: np.random.Generator, draws: int = DRAWS) -> Array:
    """Return (B, S) signs: all of few items, else drawn."""
    if items <= MAX_EXACT:
        bits = (np.arange(2**items)[:, None] >> np.arange(items)) & 1
        return (1 - 2 * bits).astype(np.float64)
    drawn = rng.integers(0, 2, (draws, items), dtype=np.int8)
    return (1 - 2 * drawn).astype(np.float64)


def flip_test(x: Array, signs: Array, *, whole: bool = False, batches: int = 1) -> Array:
    """Return (batches, P) p that the first system of each pair is better, from (K, S) scores.

    whole: equal sums count whole, as in the authors' code; else half, so that the order in which
    systems are named does not matter.
    """
    i, j = np.triu_indices(len(x), 1)
    # differences stay, and slack is relative to them; an outlier moves no median
    x = x - np.median(x, axis=0)
    drawn = signs @ x.T  # (B, K)
    observed, total = x.sum(axis=1), np.abs(x).sum(axis=1)
    slack = TIED * np.maximum(total[i], total[j])
    beyond = drawn[:, i] - drawn[:, j] - (observed[i] - observed[j])
    above, level = beyond > slack, np.abs(beyond) <= slack
    points = above + (1.0 if whole else 0.5) * level
    rows = len(points) // batches
    by_batch = points[: rows * batches].reshape(batches, rows, -1)
    p: Array = by_batch.sum(axis=1) / rows
    return p


def find_items(h: Array) -> Flags:
    """Return (S,) items that SPA can use: all systems were judged."""
    return np.asarray(~np.isnan(h).any(axis=0))


def soft_accuracy(p_people: Array, p_metric: Array) -> Array:
    """Return SPA from p-values of pairs along the last axis."""
    return np.asarray(1 - np.abs(p_people - p_metric).mean(axis=-1))
