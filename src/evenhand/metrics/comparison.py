"""Which metric agrees better with people: statistics, tests of pairs of metrics, and clusters.

For metrics a and b, on one scale, Δ = T(b) − T(a) for a statistic T. Scores are standardised over
all outputs; where whole systems change places and T is one of their means, over these, so that the
means of a metric that is noisy by segment are no smaller. Under the null hypothesis scores change
places as the test says (docs/metrics.md): p = (1 + #{|Δ*| ≥ |Δ|}) / (B + 1).

Intervals of shares of judged preferences are clustered by item and judge: V = max(V_J, V_I, V_J +
V_I − V_JI), t on min(J, I) − 1 degrees of freedom. Fewer than five judges are no sample of judges:
errors are by item. Where V is 0, which of few clusters says nothing, the exact binomial of G
clusters that are all alike holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from typing import Any, Final

import numpy as np

from evenhand.data.votes import Votes
from evenhand.errors import (
    UnknownOption,
    listing,
    require_option,
    require_seed,
    sentence_hint,
    suggest,
)
from evenhand.metrics import statistics as measures
from evenhand.metrics.gold import MAX_JUDGES
from evenhand.metrics.statistics import Steps, sign_beyond
from evenhand.metrics.texts import say
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.cluster_means import number_groups
from evenhand.numerics.distributions import t_quantile, t_tail
from evenhand.numerics.multiple_tests import adjust_by_steps, holm
from evenhand.ranking.clustering import MIN_EFFECTIVE
from evenhand.render.document import Finding

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
    """Compare (Q,) differences with (B, Q) of chance; centre: of resamples, which lie around it."""
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


def draw_swaps(systems: int, rng: np.random.Generator) -> Flags:
    """Return (B, K) which systems change places; all ways but that of the data, of few systems."""
    if systems <= measures.MAX_EXACT:
        every = np.arange(1, 2**systems)
        return np.asarray((every[:, None] >> np.arange(systems)) & 1, dtype=bool)
    return rng.random((DRAWS, systems)) < 0.5


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


def measure_systems(name: str) -> Measure:
    def measure(people: Array, metric: Array, error: tuple[Array, Array]) -> Array:
        n = np.maximum(people[..., 0], 1)
        h, m = people[..., 1] / n, metric[..., 0] / n
        if name != "pearson":
            h, m = measures.level(h, error[0] / n), measures.level(m, error[1] / n)
        return measures.correlate_systems(h, m, name)

    return measure


def measure_pearson(people: Array, metric: Array, _: tuple[Array, Array]) -> Array:
    n, h, hh = np.moveaxis(people.sum(axis=-2), -1, 0)
    m, mm, mh = np.moveaxis(metric.sum(axis=-2), -1, 0)
    norm = np.sqrt(np.maximum((hh - h * h / n) * (mm - m * m / n), 0))
    return np.asarray((mh - m * h / n) / np.where(norm > 0, norm, np.nan))


def test_sums(
    metrics_on_scale: Scaled,
    people_on_scale: Scaled,
    measure: Measure,
    pairs: Pairs,
    rng: np.random.Generator,
    *,
    judged: Flags,
    test: str,
    values: Array,
    same: Array | float,
) -> Differences:
    """Compare (M,) values of metrics, of sums, by whole systems, by cells or by resamples."""
    # (K, S, F) of people and (M, K, S, F) of metrics: n, h and m, or for Pearson's r of all scores
    # n, h, h² and m, m², m h
    n, h, x = judged.astype(np.float64), people_on_scale.scores[0], metrics_on_scale.scores
    squares = measure is measure_pearson
    people = np.stack((n, h, h * h) if squares else (n, h), axis=-1)
    metrics = np.stack((x, x * x, x * h) if squares else (x,), axis=-1)
    m, k, s, f = metrics.shape
    whole, gold = metrics.sum(axis=2), people.sum(axis=1)[None]  # (M, K, F), (1, K, F)
    of_people, of_metrics = people_on_scale.sum_errors()[0], metrics_on_scale.sum_errors()
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
    swap = draw_swaps(k, rng)[:, :, None] if test == "perm-sys" else None  # (B, K, 1)
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
    swap = draw_swaps(systems, rng)
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
    """Return (M, M, P) what pairs add to SPA, by (M, K, S) steps and p of people and metrics."""
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
    right = np.sign(measures.differ(people[None]))[0]
    own = np.sign(measures.differ(means))
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
    """Return ranks, a new one where any metric of the rank before is better by (M, M) p."""
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


ORDER: Final = np.array([1.0, 0.0, -1.0])  # of left preferred, a tie, right preferred


@dataclass(frozen=True, eq=False)
class Preferences:
    """(M,) metrics on n judgments."""

    share: Array  # of judgments that a metric agrees with
    limits: Array  # (M, n) ε of each judgment's item, in steps
    agrees: Flags  # (M, n)
    judge: Integers | None  # (n,) None where judges are not known, or too few for clusters
    document: Integers  # (n,) of its item, which is its own where none is known
    means: Array  # (M, K, 1) of the outputs that were compared
    steps: Steps  # (M, K, S)

    def take(self, kept: Any) -> Preferences:
        names = ("share", "limits", "agrees", "means")
        parts: dict[str, Any] = {name: getattr(self, name)[kept] for name in names}
        return replace(self, **parts, steps=self.steps.take(kept))

    @property
    def clusters(self) -> int:
        return min(len(np.unique(one)) for one in (self.judge, self.document) if one is not None)

    @property
    def of_one_document(self) -> bool:
        return len(np.unique(self.document)) == 1

    def find_error(self, values: Array) -> float:
        d = values - values.mean()

        def spread(codes: Integers) -> float:
            sums = np.bincount(codes, d)
            g = len(sums)
            return float((sums**2).sum()) * g / max(g - 1, 1) / len(d) ** 2

        variances = [spread(number_groups(self.document))]
        if self.judge is not None:
            by_judge = spread(number_groups(self.judge))
            both = by_judge + variances[0] - spread(number_groups(self.judge, self.document))
            variances += [by_judge, both]
        error = sqrt(max(variances))
        return error if error > SAME else 0.0  # but for rounding

    @property
    def interval(self) -> Array:
        """(M, 2) 95 % intervals."""
        errors = np.array([self.find_error(one.astype(np.float64)) for one in self.agrees])
        alike = 1 - 0.025 ** (1 / self.clusters)  # of Clopper and Pearson
        reach = np.where(errors > 0, t_quantile(0.975, max(self.clusters - 1, 1)) * errors, alike)
        ends = np.stack([self.share - reach, self.share + reach], axis=1)
        return np.asarray(np.clip(ends, 0.0, 1.0))

    def leave_judges_out(self) -> Array | None:
        """Return (J, M) shares without each judge; None where judges are no clusters."""
        if self.judge is None:
            return None
        codes = number_groups(self.judge) % MAX_JUDGES
        return np.array([self.agrees[:, codes != one].mean(axis=1) for one in np.unique(codes)])


def compare_preferences(votes: Votes, found: Preferences, rng: np.random.Generator) -> Differences:
    """Test all pairs of metrics by perm-sys; found: what `judge_preferences` found of them."""
    scores = found.steps.whole
    turned = votes.left > votes.right
    low, high = np.minimum(votes.left, votes.right), np.maximum(votes.left, votes.right)
    order = np.where(turned, -1, 1) * ORDER[votes.outcome]
    cells = np.concatenate([scores[:, low, votes.item], scores[:, high, votes.item]], axis=1)
    scaled, m, systems = Scaled.by(cells, cells), len(scores), scores.shape[1]
    lows, highs = np.split(scaled.scores, 2, axis=1)
    limit = found.limits / scaled.unit[:, None]
    pair = low.astype(np.int64) * systems + high
    i, j = np.triu_indices(systems, 1)
    parts = np.empty((m, m, len(i)))
    for a, b in np.ndindex(m, m):
        # differences that are the limit itself are ties: rounding must not part them
        most = (limit[a] + limit[b]) / 2 + TINY * (2 + np.abs(lows[a]) + np.abs(highs[b]))
        agrees = found.agrees[a] if a == b else sign_beyond(lows[a] - highs[b], most) == order
        sums = np.bincount(pair, agrees, systems**2)
        parts[a, b] = sums[i * systems + j] / votes.size
    return test_pair_sums(parts, np.triu_indices(m, 1), rng)


def judge_preferences(votes: Votes, steps: Steps, documents: Integers) -> Preferences:
    """Compare (M, K, S) scores with votes, whose items are numbered as there; documents: (S,)."""
    n, scores = votes.size, steps.whole
    order = ORDER[votes.outcome]
    item = votes.item.astype(np.int64)
    fold = measures.assign_folds(documents)
    left, right = votes.left.astype(np.int64), votes.right.astype(np.int64)
    pairs = measures.SegmentPairs(left, right, 1, np.full(n, 1 / n), order, item)
    agrees = np.empty((len(scores), n), dtype=bool)
    limits, share = np.empty(agrees.shape), np.empty(len(scores))
    for at, one in enumerate(scores):
        apart = one[left, item] - one[right, item]
        share[at], of_folds = measures.cross_fit(pairs, apart, fold)
        limits[at] = of_folds[fold[item]]
        if np.isnan(share[at]):  # one item: no others to find ε on
            limits[at] = measures.calibrate(pairs, apart)[1]
        agrees[at] = sign_beyond(apart, limits[at]) == order
        share[at] = agrees[at].mean()
    compared = np.zeros(scores.shape[1:], dtype=bool)
    compared[left, item] = compared[right, item] = True
    means = steps.restore(measures.average_systems(compared, steps))[:, :, None]
    few = len(np.unique(votes.judge)) < MIN_EFFECTIVE["judge"]
    judge = None if few else votes.judge.astype(np.int64)
    return Preferences(share, limits, agrees, judge, documents[item], means, steps)


# Statistics of metrics on one set of outputs, and tests between metrics by one of them.

APART: Final = 25.0  # Points of people between outputs that kendall-like compares

# Statistic → its level, title, and the word that asks for it where that is not its name
STATISTICS: Final[Mapping[str, tuple[str, str, str]]] = {
    "preference": ("judgment", "share of judgments agreed with", ""),
    "spa": ("system", "SPA", ""),
    "pa": ("system", "PA", ""),
    "system-pearson": ("system", "Pearson sys.", "pearson"),
    "system-spearman": ("system", "Spearman sys.", "spearman"),
    "system-tau-b": ("system", "τ-b sys.", "tau-b"),
    "tie-aware": ("system", "tie-aware", ""),
    "acc-eq": ("segment", "acc-eq", ""),
    "acc-eq-star": ("segment", "acc*-eq", ""),
    "segment-pearson": ("segment", "Pearson seg.", "pearson"),
    "segment-spearman": ("segment", "Spearman seg.", "spearman"),
    "segment-tau-b": ("segment", "τ-b seg.", "tau-b"),
    "tau-c": ("segment", "τ-c seg.", ""),
    "kendall-like": ("segment", "Kendall-like", ""),
}
UNASKED: Final = ("spa", "pa", "system-pearson", "acc-eq", "acc-eq-star", "segment-pearson")
UNASKED_OF_SYSTEMS: Final = ("pa", "system-pearson", "system-spearman", "system-tau-b")
UNASKED_OF_VOTES: Final = ("preference", "pa", "system-pearson", "system-tau-b")
OF_MEANS: Final = ("pa", "system-pearson", "system-spearman", "system-tau-b")
OF_PAIRS: Final = ("spa", "acc-eq", "acc-eq-star")
OF_SEGMENT_PAIRS: Final = ("acc-eq", "acc-eq-star", "kendall-like")
LEVELS: Final = ("system", "segment")
SPA_RULES: Final = ("mid-p", "wmt")
MIN_OF_R: Final = 4  # Systems: r of fewer is too coarse to test, and that of two is 1 or -1
LEAST_SYSTEMS: Final = {"perm-sys": MIN_SYSTEMS, **dict.fromkeys(TESTS[1:], MIN_OF_R)}


def name_statistic(name: str) -> str:
    """Return a statistic's title as a sentence has it: Pearson of systems."""
    return STATISTICS[name][1].replace("sys.", "of systems").replace("seg.", "of segments")


def has_test(name: str, test: str, group: str) -> bool:
    if name == "segment-pearson":
        return group == "none"
    if test == "perm-sys":
        return name in ("preference", "spa", *OF_MEANS) or (name in OF_PAIRS and group == "item")
    return name == "system-pearson" if test == "williams" else name in OF_MEANS


@dataclass(frozen=True)
class Wishes:
    statistics: tuple[str, ...] | None
    level: str | None
    group: str
    test: str
    spa: str
    seed: int

    def __post_init__(self) -> None:
        require_option("group", self.group, measures.GROUPS)
        require_option("test", self.test, TESTS)
        require_option("spa", self.spa, SPA_RULES)
        if self.level is not None:
            require_option("level", self.level, LEVELS)
        require_seed(self.seed)

    def choose(self, available: Sequence[str], unasked: Sequence[str]) -> tuple[str, ...]:
        chosen = self._list_chosen(available, unasked)
        segments = any(STATISTICS[one][0] == "segment" for one in chosen)
        idle = {
            f"--spa {self.spa} applies to SPA": self.spa != "mid-p" and "spa" not in chosen,
            f"--group {self.group} applies to statistics of segments": self.group != "item"
            and not segments,
        }
        for applies, unused in idle.items():
            if unused:
                raise UnknownOption(
                    f"{applies} alone, and computed are {listing(chosen)}: leave it out"
                )
        if self.test == "perm-sys":
            return chosen
        tested = [one for one in chosen if has_test(one, self.test, self.group)]
        if not tested or (self.statistics and tested[0] != chosen[0]):
            raise UnknownOption(
                f"{self.test} does not apply to {name_statistic(chosen[0])}: pass --statistic"
                " pearson --level system"
            )
        return tuple(dict.fromkeys((tested[0], *chosen)))

    def _list_chosen(self, available: Sequence[str], unasked: Sequence[str]) -> tuple[str, ...]:
        there = [one for one in available if self.level in (None, STATISTICS[one][0])]
        if not there:
            why = "scores of metrics, or judgments of people, are of systems as a whole"
            if "preference" in available:
                why = "people compared outputs and gave them no scores"
            raise UnknownOption(
                f"there are no statistics at the level of {self.level}s: {why}. Leave out --level"
                f" {self.level}"
            )
        if not self.statistics:
            return tuple(one for one in unasked if one in there)
        words = {one: STATISTICS[one][2] or one for one in STATISTICS}
        chosen = []
        for word in self.statistics:
            named = [one for one in STATISTICS if word in (one, words[one])]
            if not named:
                known = [*dict.fromkeys(words.values())]
                hint = sentence_hint(suggest(word, known))
                raise UnknownOption(f"no statistic '{word}': choose {' | '.join(known)}{hint}")
            fitting = [one for one in named if one in there]
            if not fitting:
                why, can = "cannot be computed here:", dict.fromkeys(words[one] for one in there)
                if any(one in available for one in named):
                    why = f"is not a statistic of {self.level}s: leave out --level {self.level}, or"
                raise UnknownOption(f"{word} {why} choose {' | '.join(can)}")
            chosen += fitting
        return tuple(dict.fromkeys(chosen))


@dataclass(frozen=True, eq=False)
class Measured:
    values: Mapping[str, Array]  # statistic → (M,)
    epsilons: Array  # (M, FOLDS) of acc-eq, in steps
    stars: Array  # (M,) of acc*-eq, in steps
    spa_error: Array  # (M,) standard error of SPA by chance of the draws
    chance: float | None  # what noise reaches by acc-eq
    # statistic → (M,) groups of segments that have none, since scores are equal; of how many
    undefined: Mapping[str, tuple[Array, int]]
    people: Array  # (K,) means, in steps
    metrics: Array  # (M, K) means, in steps

    def take(self, kept: Any) -> Measured:
        return Measured(
            {name: one[kept] for name, one in self.values.items()},
            self.epsilons[kept],
            self.stars[kept],
            self.spa_error[kept],
            self.chance,
            {name: (one[kept], n) for name, (one, n) in self.undefined.items()},
            self.people,
            self.metrics[kept],
        )


@dataclass(frozen=True, eq=False)
class Study:
    """Scores of people (1, K, S) and of metrics (M, K, S) on the same outputs."""

    people: Steps
    scores: Steps
    fold: Integers  # (S,) part of each item
    names: tuple[str, ...]  # statistics
    group: str
    whole: bool  # whether equal sums count whole in SPA
    seed: int
    # items → p-values of metrics on them, which are the same whatever people said
    flipped: dict[bytes, Array] = field(default_factory=dict)

    @property
    def judged(self) -> Flags:
        return np.asarray(~np.isnan(self.people.whole[0]))

    def measure(self, by: Steps, of: Steps, epsilon: Array | None = None) -> Measured:
        """Compute all statistics of (M, K, S) scores with (1, K, S) of people.

        epsilon: (M, FOLDS) limits of ties to take for acc-eq; else they are found.
        """
        people, scores, judged = by.whole[0], of.whole, ~np.isnan(by.whole[0])
        values, error = dict[str, Array](), np.zeros(len(scores))
        (h,), x = (measures.average_systems(judged, one) for one in (by, of))
        within = [one for one in self.names if one in OF_SEGMENT_PAIRS]
        pairs = measures.pair_segments(people, self.group) if within else None
        limits = np.zeros((len(scores), measures.FOLDS)) if epsilon is None else epsilon
        stars, undefined = np.zeros(len(scores)), dict[str, tuple[Array, int]]()
        for name in self.names:
            word = STATISTICS[name][2] or name
            if name in OF_MEANS:
                values[name] = measures.correlate_systems(h, x, word)
            elif name == "tie-aware":
                values[name] = np.array([measures.tie_aware(people, one) for one in scores])
            elif name == "spa":
                values[name], error = self._soften(people, scores)
            elif pairs is None or name not in OF_SEGMENT_PAIRS:
                each = [measures.correlate_segments(people, m, word, self.group) for m in scores]
                values[name] = np.array([value for value, _, _ in each])
                undefined[name] = np.array([n - found for _, found, n in each]), each[0][2]
            elif not pairs.size:
                values[name] = np.full(len(scores), np.nan)
            else:
                flat = scores.reshape(len(scores), -1)
                apart = [one[pairs.first] - one[pairs.second] for one in flat]
                if name == "acc-eq-star":
                    found = [measures.calibrate(pairs, one) for one in apart]
                    values[name], stars = np.array(found).T
                elif name == "kendall-like":
                    least = APART / by.size[0]
                    like = (measures.kendall_like(pairs, people, one, least) for one in apart)
                    values[name] = np.fromiter(like, dtype=np.float64)
                elif epsilon is not None:
                    far, limit = np.array(apart), epsilon[:, self.fold[pairs.item]]
                    values[name] = (sign_beyond(far, limit) == pairs.order) @ pairs.weight
                else:
                    fitted = [measures.cross_fit(pairs, one, self.fold) for one in apart]
                    values[name] = np.array([one for one, _ in fitted])
                    limits = np.array([one for _, one in fitted])
        chance = None
        if pairs is not None and pairs.size and {"acc-eq", "acc-eq-star"} & {*self.names}:
            chance = measures.bound_chance(pairs)
        return Measured(values, limits, stars, error, chance, undefined, h, x)

    def _flip(self, people: Array, scores: Array, items: Flags) -> tuple[Array, Array, Array]:
        """Return flips of items, and (batches, P) p-values of people and (M, batches, P) ones."""
        flips = measures.flip_items(int(items.sum()), np.random.default_rng(self.seed))
        batches = measures.BATCHES if len(flips) % measures.BATCHES == 0 else 1
        how: Any = {"whole": self.whole, "batches": batches}
        key = items.tobytes()
        if key not in self.flipped:
            each = [measures.flip_test(one[:, items], flips, **how) for one in scores]
            self.flipped[key] = np.array(each)
        return flips, measures.flip_test(people[:, items], flips, **how), self.flipped[key]

    def _soften(self, people: Array, scores: Array) -> tuple[Array, Array]:
        """Return (M,) SPA, and its standard errors by chance of the draws."""
        items = measures.find_items(people)
        if not items.any():
            return np.full(len(scores), np.nan), np.zeros(len(scores))
        _, by_people, by_metric = self._flip(people, scores, items)
        spa = measures.soft_accuracy(by_people.mean(axis=0), by_metric.mean(axis=1))
        batches = len(by_people)
        if batches == 1:  # all flips were counted
            return spa, np.zeros(len(scores))
        drawn = measures.soft_accuracy(by_people, by_metric)  # (M, batches)
        return spa, np.asarray(drawn.std(axis=1, ddof=1) / batches**0.5)

    def require_systems(self, test: str) -> Finding | None:
        """Return a finding where a test needs more systems."""
        least, systems = LEAST_SYSTEMS.get(test, 0), len(self.judged)
        if systems >= least:
            return None
        remedy = " --test perm-both --statistic pearson --level system compares metrics on these"
        remedy += " systems only."
        told = {"test": test, "least": least, "systems": systems}
        return say("few-systems", "warning", **told, remedy=remedy if systems >= MIN_OF_R else "")

    def compare(self, name: str, test: str, measured: Measured) -> Differences | Finding:
        """Test all pairs of metrics by a statistic; a finding says why it is not done."""
        if not has_test(name, test, self.group):
            first = "--statistic pearson"
            if self.group != "none":
                first = "--statistic spa; Pearson of segments has a test with --group none"
            return say("untestable", statistic=name_statistic(name), first=first)
        pairs = np.triu_indices(len(self.scores.whole), 1)
        judged, rng = self.judged, np.random.default_rng(self.seed)
        cells = self.scores.whole[:, judged]
        if name in OF_PAIRS or (name == "pa" and test == "perm-sys"):
            people, scores = self.people.whole[0], self.scores.whole
            metrics = Scaled.by(cells, scores)
            if name == "pa":
                parts = share_order(measured.people, measured.metrics)
            elif name == "spa":
                items = measures.find_items(people)
                flips, by_people, by_metric = self._flip(people, scores, items)
                p = by_people.mean(axis=0), by_metric.mean(axis=1)
                chosen = scores[:, :, items]
                parts = soften(metrics, chosen, flips, *p, whole=self.whole)
            else:
                stars = np.repeat(measured.stars[:, None], people.shape[1], axis=1)
                limit = stars if name == "acc-eq-star" else measured.epsilons[:, self.fold]
                own = measures.split_accuracy(people, scores, limit)
                limit = limit / metrics.unit[:, None]
                parts = share_accuracy(people, metrics, limit, own)
            return test_pair_sums(parts, pairs, rng)
        pearson = name == "segment-pearson"
        rows = cells if pearson else measured.metrics
        # r changes by at most twice what standardised scores change by
        spread = np.where(np.ptp(rows, axis=1) > 0, rows.std(axis=1), np.inf)
        rounding = 4 * self.scores.error / spread
        same = SAME + rounding[pairs[0]] + rounding[pairs[1]]
        if test == "williams":
            gold = self.people.whole[0, judged] if pearson else measured.people
            return test_williams(gold, rows, pairs, same)
        if name in OF_MEANS and test == "perm-sys":
            cells = measured.metrics  # on one scale, however noisy segments are
        of_people = Scaled.by(self.people.whole[:, judged], self.people.whole)
        of_metrics = Scaled.by(cells, self.scores.whole)
        word, values = STATISTICS[name][2] or name, measured.values[name]
        measure = measure_pearson if pearson else measure_systems(word)
        how: Any = {"judged": judged, "test": test, "values": values, "same": same}
        return test_sums(of_metrics, of_people, measure, pairs, rng, **how)
