"""Which metric agrees better with people: tests of pairs of metrics, and clusters.

For metrics a and b, on one scale, Δ = T(b) − T(a) for a statistic T. Scores are standardised over
all outputs; where whole systems change places and T is one of their means, over these, so that the
means of a metric that is noisy by segment are no smaller. Under the null hypothesis their scores
could change places, and Δ* is what that gives:

- perm-sys: all scores of a system change places, for each system or for none (all 2^K of up to 12
  systems, else drawn). It speaks of other systems, since those are what is drawn.
- perm-both: each score changes places by itself (Deutsch, Dror and Roth 2021, TACL). It speaks of
  these systems alone: metrics that are equally good, and each kind to some systems, differ by it in
  a third to half of all cases.
- boot-both: systems and items are resampled; Williams' t compares two correlations of one gold.

p = (1 + #{|Δ*| ≥ |Δ|}) / (B + 1). Over all pairs of metrics p is adjusted by a step-down of the
largest |Δ*| / sd, and a line stands between metrics if every pair across it is decided. When not to
use it: on fewer than six systems.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np

from evenhand.metrics.statistics import MAX_EXACT, correlate_systems, differ, level, sign_beyond
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.distributions import t_tail
from evenhand.numerics.multiple_tests import adjust_by_steps, holm

TESTS: Final = ("perm-sys", "perm-both", "boot-both", "williams")
DRAWS: Final = 999
MIN_SYSTEMS: Final = 6  # Below them all swaps of systems are fewer than 64
ALPHA: Final = 0.05
SAME: Final = 1e-12  # Differences of statistics that are equal
# Of a score on the common scale and 1 more, since the mean is at most 1 from the origin: rounding
TINY: Final = 2.0**-50
OF_SUMS: Final = 2.0**-45  # Of the sum of absolute scores on the common scale: rounding of sums

Pairs = tuple[Integers, Integers]  # numbers of the first and of the second metric of each pair
# Sums of people and of a metric, (R, K, F), and their errors of rounding → (R,)
Measure = Callable[[Array, Array, tuple[Array, Array]], Array]


@dataclass(frozen=True)
class Differences:
    """(Q,) pairs of metrics: second less first, with what chance gives."""

    difference: Array
    p: Array  # two-sided
    p_better: Array  # one-sided: that the second is better
    p_worse: Array  # one-sided: that the first is better; with ties the two sum to more than 1
    adjusted: Array  # two-sided, over all pairs


def summarise(
    difference: Array, draws: Array, same: Array | float = SAME, *, centre: bool = False
) -> Differences:
    """Compare (Q,) differences with (B, Q) of chance; centre: of resamples, which lie around it.

    same: up to which a difference is 0, and two are equal.
    """
    b = len(draws)
    difference, draws = (np.where(np.abs(one) <= same, 0.0, one) for one in (difference, draws))
    if centre:
        better = (1 + (draws <= 0).sum(axis=0)) / (b + 1)
        worse = (1 + (draws >= 0).sum(axis=0)) / (b + 1)
        p = np.minimum(2 * np.minimum(worse, better), 1)
        draws = draws - difference
    else:
        p = (1 + (np.abs(draws) >= np.abs(difference) - same).sum(axis=0)) / (b + 1)
        better = (1 + (draws >= difference - same).sum(axis=0)) / (b + 1)
        worse = (1 + (draws <= difference + same).sum(axis=0)) / (b + 1)
    sd = draws.std(axis=0)
    scale = np.where(sd > same, sd, 1.0)
    # rounding must not part draws that are equal
    statistic = np.round(np.abs(difference) / scale, 9)
    adjusted = adjust_by_steps(statistic, [np.round(np.abs(draws) / scale, 9)])
    return Differences(difference, p, better, worse, np.maximum(adjusted, p))


def draw_swaps(systems: int, draws: int, rng: np.random.Generator) -> Flags:
    """Return (B, K) which systems change places; all ways but that of the data, of few systems."""
    if systems <= MAX_EXACT:
        every = np.arange(1, 2**systems)
        return np.asarray((every[:, None] >> np.arange(systems)) & 1, dtype=bool)
    return rng.random((draws, systems)) < 0.5


@dataclass(frozen=True)
class Scaled:
    """(M, …) scores of metrics on one scale; 0 where there is none."""

    scores: Array
    mean: Array  # (M,) in steps
    unit: Array  # (M,) standard deviations, in steps

    @staticmethod
    def by(cells: Array, whole: Array) -> Scaled:
        """Bring steps to one scale by the mean and the standard deviation of (M, n) others."""
        size = len(cells), *[1] * (whole.ndim - 1)
        mean = cells.mean(axis=1)
        unit = np.where(np.ptp(cells, axis=1) > 0, cells.std(axis=1), 1.0)
        scores = (whole - mean.reshape(size)) / unit.reshape(size)
        return Scaled(np.where(np.isnan(scores), 0.0, scores), mean, unit)

    def sum_errors(self) -> Array:
        """Return (M, K) rounding of sums over items, at most."""
        return np.asarray(OF_SUMS * np.abs(self.scores).sum(axis=-1))


# Statistics of sums: means of systems, and Pearson's r over all scores.


@dataclass(frozen=True)
class Sums:
    """Scores of metrics (M, K, S) with gold (1, K, S)."""

    metrics: Scaled
    people: Scaled
    judged: Flags

    def features(self, *, squares: bool) -> tuple[Array, Array]:
        """Return (K, S, F) of people and (M, K, S, F) of metrics.

        These are n, h and m, or with squares n, h, h² and m, m², m h.
        """
        n, h, m = self.judged.astype(np.float64), self.people.scores[0], self.metrics.scores
        people, metrics = ((n, h, h * h), (m, m * m, m * h)) if squares else ((n, h), (m,))
        return np.stack(people, axis=-1), np.stack(metrics, axis=-1)


def measure_systems(name: str) -> Measure:
    def measure(people: Array, metric: Array, error: tuple[Array, Array]) -> Array:
        n = np.maximum(people[..., 0], 1)
        h, m = people[..., 1] / n, metric[..., 0] / n
        if name != "pearson":
            h, m = level(h, error[0] / n), level(m, error[1] / n)
        return correlate_systems(h, m, name)

    return measure


def measure_pearson(people: Array, metric: Array, _: tuple[Array, Array]) -> Array:
    n, h, hh = np.moveaxis(people.sum(axis=-2), -1, 0)
    m, mm, mh = np.moveaxis(metric.sum(axis=-2), -1, 0)
    norm = np.sqrt(np.maximum((hh - h * h / n) * (mm - m * m / n), 0))
    return np.asarray((mh - m * h / n) / np.where(norm > 0, norm, np.nan))


def test_sums(
    sums: Sums,
    measure: Measure,
    pairs: Pairs,
    test: str,
    rng: np.random.Generator,
    *,
    values: Array,
    same: Array | float,
) -> Differences:
    """Compare (M,) values of metrics, of sums, by whole systems, by cells or by resamples."""
    people, metrics = sums.features(squares=measure is measure_pearson)
    m, k, s, f = metrics.shape
    whole, gold = metrics.sum(axis=2), people.sum(axis=1)[None]  # (M, K, F), (1, K, F)
    of_people, of_metrics = sums.people.sum_errors()[0], sums.metrics.sum_errors()
    first, second = pairs
    difference = values[second] - values[first]
    if test == "boot-both":
        counts = rng.multinomial(s, np.full(s, 1 / s), DRAWS).astype(np.float64)
        chosen = rng.integers(0, k, (DRAWS, k))
        rows = np.arange(DRAWS)[:, None]
        golds = np.einsum("bs,ksf->bkf", counts, people, optimize=True)[rows, chosen]
        drawn = np.empty((m, DRAWS))
        for one in range(m):
            of_metric = np.einsum("bs,ksf->bkf", counts, metrics[one], optimize=True)
            errors = of_people[chosen], of_metrics[one][chosen]
            drawn[one] = measure(golds, of_metric[rows, chosen], errors)
        draws = (drawn[second] - drawn[first]).T
        draws = draws[~np.isnan(draws).any(axis=1)]  # resamples of one system have no correlation
        return summarise(difference, draws, same, centre=True)
    swap = draw_swaps(k, DRAWS, rng)[:, :, None] if test == "perm-sys" else None  # (B, K, 1)
    if swap is None:
        moved = np.empty((m, DRAWS, k, f))
        flat = np.ascontiguousarray(np.moveaxis(metrics, 0, 2).reshape(k, s, m * f))
        for draw in range(DRAWS):
            bits = (rng.random((k, 1, s)) < 0.5).astype(np.float64)
            moved[:, draw] = np.moveaxis((bits @ flat).reshape(k, m, f), 1, 0)
    draws = np.empty((DRAWS if swap is None else len(swap), len(first)))
    for at, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        step = moved[b] - moved[a] if swap is None else np.where(swap, whole[b] - whole[a], 0.0)
        errors = of_people, np.maximum(of_metrics[a], of_metrics[b])
        one, other = whole[a] + step, whole[b] - step
        draws[:, at] = measure(gold, other, errors) - measure(gold, one, errors)
    return summarise(difference, draws, same)


# Statistics of pairs of systems: each pair adds a number that depends on whose scores each system
# has, so that swaps of systems need no scores again. What a pair adds by one metric's scores, own
# (M, P), is that of the table; differences of two metrics' scores are of the common scale.


def test_pair_sums(parts: Array, pairs: Pairs, rng: np.random.Generator) -> Differences:
    """Compare metrics by (M, M, P) what a pair adds if its systems' scores are of a and of b."""
    m, _, p = parts.shape
    systems = round((1 + sqrt(1 + 8 * p)) / 2)
    i, j = np.triu_indices(systems, 1)
    swap = draw_swaps(systems, DRAWS, rng)
    who = 2 * swap[:, i] + swap[:, j]  # (B, P)
    marks = np.concatenate([who == one for one in range(4)], axis=1).astype(np.float64)
    first, second = pairs
    own = parts[np.arange(m), np.arange(m)].sum(axis=1)
    ways = [(first, first), (first, second), (second, first), (second, second)]
    stated = [parts[a, b] for a, b in ways]  # (Q, P) each
    change = np.concatenate([y - x for x, y in zip(stated, stated[::-1], strict=True)], axis=1)
    return summarise(own[second] - own[first], marks @ change.T)


def _put_own(parts: Array, own: Array) -> Array:
    each = np.arange(len(own))
    parts[each, each] = own
    return parts


def soften(
    metrics: Scaled, steps: Array, flips: Array, people: Array, own: Array, *, whole: bool
) -> Array:
    """Return (M, M, P) what pairs of systems add to SPA.

    steps: (M, K, S); people, own: (P,) and (M, P) p of pairs of systems.
    """
    m, k, _ = steps.shape
    drawn = np.einsum("bs,mks->kbm", flips, steps, optimize=True)  # (K, B, M)
    shift = flips.sum(axis=1)[:, None] * metrics.mean  # (B, M)
    error = TINY * (np.abs(drawn) + np.abs(shift)) / metrics.unit
    drawn = (drawn - shift) / metrics.unit
    low, high = drawn - error, drawn + error
    parts = np.empty((m, m, len(people)))
    for at, (i, j) in enumerate(zip(*np.triu_indices(k, 1), strict=True)):
        # #{Δ* ≥ Δ} of (B, M, M), where equal sums count half: Δ* − Δ is −2 times that of flips
        above = np.count_nonzero(high[i][:, :, None] < low[j][:, None, :], axis=0)
        reach = np.count_nonzero(low[i][:, :, None] <= high[j][:, None, :], axis=0)
        p = (reach if whole else (above + reach) / 2) / len(flips)
        parts[:, :, at] = (1 - np.abs(p - people[at])) / len(people)
    return _put_own(parts, (1 - np.abs(own - people)) / len(people))


def share_order(people: Array, means: Array) -> Array:
    """Return (M, M, P) what pairs of systems add to PA, from (K,) and (M, K) of systems."""
    i, j = np.triu_indices(len(people), 1)
    x = Scaled.by(means, means).scores
    error = TINY * (1 + np.abs(x))
    order = sign_beyond(x[:, None, i] - x[None, :, j], error[:, None, i] + error[None, :, j])
    right = np.sign(differ(people[None]))[0]
    own = np.sign(differ(means))
    return _put_own((order == right) / len(i), (own == right) / len(i))


def share_accuracy(people: Array, metrics: Scaled, epsilon: Array, own: Array) -> Array:
    """Return (M, M, P) what pairs of systems add to acc_eq within items.

    people: (K, S), NaN where nobody judged; metrics: (M, K, S); epsilon: (M, S) of each metric on
    each item, on their scale. Where a pair has scores of two metrics, their mean ε holds.
    """
    m, k, _ = metrics.scores.shape
    judged = ~np.isnan(people)
    n = judged.sum(axis=0)
    in_item = np.where(n > 1, n * (n - 1) / 2, np.inf)
    weight = 1 / (in_item * max(int((n > 1).sum()), 1))
    limit = (epsilon[:, None] + epsilon[None]) / 2  # (M, M, S)
    # differences that are the limit itself are ties: rounding must not part them
    error = TINY * (1 + np.abs(metrics.scores))
    low, high = metrics.scores - error, metrics.scores + error
    parts = np.zeros((m, m, k * (k - 1) // 2))
    for at, (i, j) in enumerate(zip(*np.triu_indices(k, 1), strict=True)):
        both = np.flatnonzero(judged[i] & judged[j])
        order = np.sign(people[i, both] - people[j, both])
        for sign in (-1, 0, 1):
            items = both[order == sign]
            right = np.full((m, m, len(items)), sign == 0)  # a tie is in neither order
            if sign >= 0:
                right ^= low[:, i, items][:, None] - high[:, j, items][None] > limit[:, :, items]
            if sign <= 0:
                right ^= low[:, j, items][None] - high[:, i, items][:, None] > limit[:, :, items]
            for share in np.unique(weight[items]):  # one where people judged all outputs
                alike = right if len(items) == 0 else right[:, :, weight[items] == share]
                parts[:, :, at] += share * np.count_nonzero(alike, axis=2)
    return _put_own(parts, own)


def test_williams(people: Array, metrics: Array, pairs: Pairs, same: Array | float) -> Differences:
    """Compare correlations of (M, n) metrics with (n,) people.

    The determinant k of the three correlations and 1 − r23 are of the difference of two metrics, so
    that they keep their digits where metrics are nearly the same.
    """
    n = len(people)
    rows = np.vstack([people, metrics])
    rows = rows - rows.mean(axis=1, keepdims=True)
    gold, *unit = rows / np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    gap, t = np.empty(len(pairs[0])), np.zeros(len(pairs[0]))
    for at, (a, b) in enumerate(zip(*pairs, strict=True)):
        apart = unit[b] - unit[a]
        gap[at], unlike, r = apart @ gold, apart @ apart / 2, unit[a] @ gold
        corners = np.diag(np.linalg.qr(np.stack([gold, unit[a], apart], axis=1), mode="r"))
        k = np.prod(corners) ** 2
        below = 2 * (n - 1) / (n - 3) * k + (r + gap[at] / 2) ** 2 * unlike**3
        t[at] = gap[at] * np.sqrt((n - 1) * (2 - unlike) / below) if below > 0 else 0.0
    t, gap = (np.where(np.abs(gap) <= same, 0.0, one) for one in (t, gap))
    p = np.array([t_tail(one, n - 3) for one in t.tolist()])
    better = np.where(t > 0, p / 2, 1 - p / 2)
    return Differences(gap, p, better, 1 - better, holm(p))


# Clusters: metrics that nothing tells apart.


def cluster_greedily(p_upper: Array, alpha: float = ALPHA) -> list[int]:
    """Return ranks by the reference's rule, from (M, M) one-sided p of metrics, best first.

    A new rank starts at a metric that any metric of the rank before is better than.
    """
    ranks, start = [1], 0
    for at in range(1, len(p_upper)):
        if (p_upper[start:at, at] <= alpha).any():
            start = at
            ranks.append(ranks[-1] + 1)
        else:
            ranks.append(ranks[-1])
    return ranks


def cluster_decided(decided: Flags) -> list[int]:
    """Return the clusters of metrics, best first: a line where every pair across it is decided."""
    m, cluster, clusters = len(decided), 1, [1]
    for place in range(1, m):
        cluster += bool(decided[:place, place:].all())
        clusters.append(cluster)
    return clusters
