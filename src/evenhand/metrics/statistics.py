"""How well one metric agrees with people: correlations, accuracy of pairs, soft accuracy.

docs/metrics.md says what each is. h and m are (K, S): K systems on S items, higher is better; NaN
in h is an output that nobody judged, and the metric's score of it counts nowhere.

    τ-b = (C − D) / √((n − T_m)(n − T_h)),  τ-c = 2 (C − D) k / (N² (k − 1)),  acc = (C + T_hm) / n

over the n pairs of N scores, of which C are in the same order, D in the other, T_h tied by people,
T_m by the metric, T_hm by both; k: the smaller number of different scores (Stuart 1953).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.cluster_means import average_ranks, rank_within

DRAWS: Final = 1000  # Sign flips of SPA
MAX_EXACT: Final = 12  # Items, and systems, up to which all flips are counted
DIGITS: Final = 12  # Of accuracies that are compared: sums differ in those behind
FOLDS: Final = 5  # Parts of the items, each scored with the ε of the others
MAX_PAIRS: Final = 20_000_000  # Pairs of scores that are looked at one by one
BATCHES: Final = 10  # Of flips, which tell how far chance moves SPA
GROUPS: Final = ("none", "item", "system")
ROUNDING: Final = 2.0**-45  # Of a score, at most: what computing and writing it changed
FINEST: Final = 2.0**-36  # Of the median distance, a step of scores that are no multiples of one
DIFFERENT: Final = 1e-3  # Share of a score by which another is no rounding of it
FARTHEST: Final = 2.0**150  # Steps, beyond which squares may overflow
TINY: Final = float(np.finfo(np.float64).tiny)  # Below it floats have fewer digits
EXACT: Final = 2.0**53  # Below it whole numbers and their sums are exact


@dataclass(frozen=True)
class Steps:
    """Scores (M, …) as whole numbers of steps from an origin, NaN where there is none.

    Scores are decimals, or means of few, which floats round. Where they are multiples of one step
    but for rounding, these are their numbers, so that sums and differences are exact, and those of
    a metric on another scale are the same. Else steps are finer than any difference that counts.
    """

    whole: Array
    size: Array  # (M,) of a step
    origin: Array  # (M,)
    error: Array  # (M,) of whole, but for outliers; 0 where scores are multiples of a step

    @staticmethod
    def count(scores: Array) -> Steps:
        with np.errstate(over="ignore"):  # of scores that are then FARTHEST
            found = [_find_step(one[~np.isnan(one)]) for one in scores]
            size, origin, error = np.array(found).reshape(-1, 3).T
            each = zip(scores, size, origin, strict=True)
            whole = np.array([np.rint((one - zero) / step) for one, step, zero in each])
        return Steps(whole.reshape(scores.shape), size, origin, error)

    def take(self, kept: Any) -> Steps:
        return Steps(self.whole[kept], self.size[kept], self.origin[kept], self.error[kept])

    def restore(self, whole: Array) -> Array:
        """Return (M, K) numbers of steps as scores."""
        return self.origin[:, None] + self.size[:, None] * whole


def find_merged(scores: Array, whole: Array) -> tuple[float, float] | None:
    """Return two different scores, neither 0, that are the same whole number of steps."""
    given = ~np.isnan(scores)
    order = np.argsort(scores[given])
    values, steps = scores[given][order], whole[given][order]
    one, other = values[:-1], values[1:]
    least, most = np.sort(np.abs([one, other]), axis=0)
    merged = (np.diff(steps) == 0) & (other - one > DIFFERENT * most) & (least > 0)
    at = int(np.argmax(merged)) if merged.any() else -1
    return (float(one[at]), float(other[at])) if at >= 0 else None


def _find_step(scores: Array) -> tuple[float, float, float]:
    """Return the size of a step, the origin, which is the median, and the error in steps."""
    scores = np.sort(scores)
    origin = scores[len(scores) // 2] if len(scores) else 0.0
    values = scores[np.diff(scores, prepend=-np.inf) > 0]
    distance = np.abs(values - origin)
    median = float(np.median(distance)) if len(distance) else 0.0
    error = np.maximum(ROUNDING * (distance + abs(origin) + median), TINY)
    gap, slack = np.diff(values), error[1:] + error[:-1]
    apart, wide = distance > error, gap > slack
    if not (apart.any() and wide.any()):  # all are equal
        return float(4 * distance.max(initial=0.0)) or 1.0, origin, 0.0
    order, at = np.argsort(distance[apart]), int(np.argmin(np.where(wide, gap, np.inf)))
    if step := _find_multiples(distance[apart][order], error[apart][order], gap[at], slack[at]):
        return step, origin, 0.0
    step = max(FINEST * median, TINY)
    return step, origin, float(np.median(error)) / step + 1


def _find_multiples(distance: Array, error: Array, step: float, wrong: float) -> float:
    """Return the largest step that ascending distances are multiples of; 0 where none is.

    error: of distances as given; step: the least difference of two; wrong: its error.
    """
    while step > 8 * float(np.median(error)):
        n = np.rint(distance / step)
        known = n * wrong < step / 8
        rest, limit = np.where(known, np.abs(distance - n * step), 0.0), error + n * wrong
        if (over := rest > limit).any():  # a fraction of the step: divide it
            at = int(np.argmax(over))
            most = max(int((step / limit[at] / 2) ** 0.5), 1)
            parts = Fraction(rest[at] / step).limit_denominator(most).denominator
            step, wrong = step / parts, wrong / parts
            if parts == 1:
                return 0.0
            continue
        best = np.where(known, error / np.maximum(n, 1), np.inf)
        at = int(np.argmin(best))
        if best[at] >= wrong / 2:  # the step is as well known as it can be
            return float(step) if known.mean() >= 0.5 else 0.0  # others are outliers
        step, wrong = distance[at] / n[at], best[at]
    return 0.0


def level(x: Array, error: Array) -> Array:
    """Return (R, K) values; of those in a row that only rounding parts the least."""
    order = np.argsort(x, axis=1, kind="stable")
    values = np.take_along_axis(x, order, axis=1)
    slack = np.take_along_axis(np.broadcast_to(error, x.shape), order, axis=1)
    new = np.diff(values, axis=1, prepend=-np.inf) > np.maximum(slack, np.roll(slack, 1, axis=1))
    first = np.maximum.accumulate(np.where(new, np.arange(x.shape[1]), 0), axis=1)
    leveled = np.empty_like(values)
    np.put_along_axis(leveled, order, np.take_along_axis(values, first, axis=1), axis=1)
    return leveled


def split_sums(whole: Array) -> list[Array]:
    """Return whole numbers as a sum of parts whose sums over the last axis are exact."""
    if np.abs(whole).max(initial=0) * whole.shape[-1] < EXACT:
        return [whole]
    high = np.round(whole / 2**30) * 2.0**30
    return [high, whole - high]


def sign_beyond(difference: Array, limit: Any) -> Array:
    """Return signs of differences; 0 for those up to the limit."""
    return np.where(np.abs(difference) <= limit, 0.0, np.sign(difference))


# Correlations of many groups at once: x, y and the number of the group are (n,).


def pearson_each(x: Array, y: Array, group: Integers, size: int) -> Array:
    """Return (size,) Pearson's r of each group; NaN where something is constant."""
    n = np.maximum(np.bincount(group, minlength=size), 1)
    one = np.zeros(size, dtype=np.int64)
    one[group] = np.arange(len(group))  # of each group, so that a constant one is 0

    def centre(values: Array) -> Array:
        values = values - values[one[group]]
        centred: Array = values - (np.bincount(group, values, size) / n)[group]
        return centred

    x, y = centre(x), centre(y)
    xx, yy = np.bincount(group, x * x, size), np.bincount(group, y * y, size)
    norm = np.sqrt(xx * yy)
    return np.where(norm > 0, np.bincount(group, x * y, size) / np.where(norm > 0, norm, 1), np.nan)


def tau_each(h: Array, m: Array, group: Integers, size: int, name: str) -> Array:
    """Return (size,) τ-b or τ-c of each group, in n log n steps; NaN where it is not defined."""
    n = np.bincount(group, minlength=size).astype(np.float64)
    codes_h, codes_m = (np.unique(one, return_inverse=True)[1] for one in (h, m))

    def count_ties(*columns: Integers) -> tuple[Array, Array]:
        """Return the pairs of each group that tie, and how many different values it has."""
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
    gap = total - tied_h - tied_m + tied_both - 2 * discordant  # concordant less discordant
    if name == "tau-b":
        scale: Array = np.sqrt((total - tied_m) * (total - tied_h))
    else:
        k = np.minimum(distinct_h, distinct_m)
        gap, scale = 2 * gap * k, n**2 * (k - 1)
    return np.where(scale > 0, gap / np.where(scale > 0, scale, 1), np.nan)


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
    """Return the mean correlation over groups, of how many, and of how many with two scores."""
    judged = ~np.isnan(h)
    systems, items = np.indices(h.shape)
    cells: Any = {"none": np.zeros_like(items), "item": items, "system": systems}
    of: Integers = cells[group][judged]
    x, y, size = h[judged], m[judged], int(of.max(initial=0)) + 1
    if name == "pearson":
        each = pearson_each(x, y, of, size)
    elif name == "spearman":
        each = pearson_each(rank_within(of, x), rank_within(of, y), of, size)
    else:
        each = tau_each(x, y, of, size, name)
    defined = ~np.isnan(each)
    several = int((np.bincount(of, minlength=size) > 1).sum())
    mean = float(each[defined].mean()) if defined.any() else float("nan")
    return mean, int(defined.sum()), several


# Of means of systems: rows are replicates.


def differ(x: Any) -> Any:
    """Return (R, P) the differences of pairs of (R, K) values."""
    i, j = np.triu_indices(x.shape[1], 1)
    return x[:, i] - x[:, j]


def correlate_systems(h: Array, x: Array, name: str) -> Array:
    """Return (R,) the correlation of (K,) or (R, K) means by people with (R, K) by a metric."""
    h = np.atleast_2d(h)
    if name in ("pa", "tau-b"):
        a, b = np.sign(differ(h)), np.sign(differ(x))
        if name == "pa":
            return np.asarray((a == b).mean(axis=1))
        top, norm = (a * b).sum(axis=1), np.sqrt((a != 0).sum(axis=1) * (b != 0).sum(axis=1))
    else:
        if name == "spearman":
            h, x = average_ranks(h), average_ranks(x)
        a, b = _centre_rows(h), _centre_rows(x)
        top, norm = (a * b).sum(axis=1), np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    return np.where(norm > 0, top / np.where(norm > 0, norm, 1), np.nan)


def _centre_rows(x: Array) -> Array:
    """Return (R, K) values less their mean, up to 1; 0 where all are equal."""
    centred = x - x[:, :1]
    centred -= centred.mean(axis=1, keepdims=True)
    far = np.abs(centred).max(axis=1, keepdims=True)
    constant = far <= ROUNDING * np.abs(x[:, :1])
    return np.where(constant, 0.0, centred / np.where(constant, 1.0, far))


def average_systems(judged: Flags, steps: Steps) -> Array:
    """Return (M, K) means of steps over the outputs that people judged."""
    parts = split_sums(np.where(judged, steps.whole, 0.0))
    sums: Any = sum(one.sum(axis=-1) for one in parts)
    return level(sums / np.maximum(judged.sum(axis=-1), 1), steps.error[:, None])


def order_by_distance(people: Array, metric: Array) -> tuple[Array, Array, Integers]:
    """Return distances, farthest first, the share in order of pairs so far apart, and how many."""
    steps = Steps.count(np.stack([people, metric]))
    right, apart = differ(steps.whole)
    order = np.argsort(-np.abs(apart), kind="stable")
    agree = np.cumsum((np.sign(apart) == np.sign(right))[order])
    distance = np.abs(apart)[order]
    ends = np.append(np.flatnonzero(np.diff(distance)), len(distance) - 1)
    return distance[ends] * steps.size[1], agree[ends] / (ends + 1), ends + 1


def tie_aware(h: Array, m: Array) -> float:
    """Return Spearman's ρ of how often systems come first, ties included.

    A metric's score within ε of an item's best comes first too, with the ε that gives as many
    first places as people give (Padó, Galley, Jurafsky and Manning 2009, ACL).
    """
    whole = ~np.isnan(h).any(axis=0)
    if not whole.any():
        return float("nan")
    h, m = h[:, whole], m[:, whole]
    first, behind = h == h.max(axis=0), m.max(axis=0) - m
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

    def sum_weights(self, right: Flags) -> float:
        """Sum the weights of some pairs; of all of them it is 1, also in floats."""
        return round(float(self.weight[right].sum()), 15)


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
    order = np.sign(flat[first] - flat[second])
    return SegmentPairs(first, second, size, 1 / (counts[of] * size), order, first % s)


def measure_accuracy(pairs: SegmentPairs, difference: Array, epsilon: float) -> float:
    return pairs.sum_weights(sign_beyond(difference, epsilon) == pairs.order)


def split_accuracy(h: Array, scores: Array, epsilon: Array) -> Array:
    """Return (M, P) what pairs of systems add to acc_eq within items; epsilon: (M, S)."""
    pairs, (k, s) = pair_segments(h, "item"), h.shape
    i, j = np.triu_indices(k, 1)
    both, parts = pairs.first // s * k + pairs.second // s, []
    for one, limit in zip(scores.reshape(len(scores), -1), epsilon, strict=True):
        apart = one[pairs.first] - one[pairs.second]
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
    """Return acc_eq where each fold of items has the ε of the others, and (FOLDS,) these ε."""
    of, epsilons = fold[pairs.item], np.zeros(FOLDS)
    ties = Ties.sort(pairs, difference)
    sorted_fold = of[ties.sorting]
    present = np.unique(of).tolist()
    if len(present) == 1:  # a single item or document: there are no others
        return float("nan"), epsilons
    for one in present:
        epsilons[one] = ties.find_epsilon(sorted_fold != one)
    right = sign_beyond(difference, epsilons[of]) == pairs.order
    return pairs.sum_weights(right), epsilons


def bound_chance(pairs: SegmentPairs) -> float:
    """Return what noise can reach: all pairs ties, or none and half of the others right."""
    ties = float(pairs.weight[pairs.order == 0].sum())
    return max(ties, (1 - ties) / 2)


def kendall_like(pairs: SegmentPairs, h: Array, difference: Array, least: float) -> float:
    """Return (C − D)/(C + D) of pairs that people hold `least` apart or more; a tie is wrong."""
    flat = h.ravel()
    far = np.abs(flat[pairs.first] - flat[pairs.second]) >= least * (1 - 1e-9)
    if not far.any():
        return float("nan")
    return float(2 * (np.sign(difference[far]) == pairs.order[far]).mean() - 1)


# Soft pairwise accuracy: one-sided p-values of paired sign flips over items.


def flip_items(items: int, rng: np.random.Generator, draws: int = DRAWS) -> Array:
    """Return (B, S) which items are flipped, as 0 and 1: all ways of few items, else drawn."""
    if items <= MAX_EXACT:
        return ((np.arange(2**items)[:, None] >> np.arange(items)) & 1).astype(np.float64)
    return rng.integers(0, 2, (draws, items), dtype=np.int8).astype(np.float64)


def flip_test(x: Array, flips: Array, *, whole: bool = False, batches: int = 1) -> Array:
    """Return (batches, P) p that the first system of each pair is better, from (K, S) scores.

    whole: equal sums count whole, as in the authors' code; else half, so that the order in which
    systems are named does not matter.
    """
    i, j = np.triu_indices(len(x), 1)
    # Δ* − Δ is twice the sum of what is flipped, with the other sign
    sums = (flips @ one.T for one in split_sums(x))  # (B, K)
    beyond: Any = sum(one[:, j] - one[:, i] for one in sums)
    points = (beyond > 0) + (1.0 if whole else 0.5) * (beyond == 0)
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
