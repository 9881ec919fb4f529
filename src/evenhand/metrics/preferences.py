"""Metrics against judged preferences: does a metric score the preferred output higher?

A metric agrees with a judgment if the sign of its difference is that of the judgment, where a
difference up to ε is a tie. ε is found on other items. Shares of agreement are clustered by item
and judge: V = max(V_J, V_I, V_J + V_I − V_JI), t on min(J, I) − 1 degrees of freedom. Fewer than
five judges are no sample of judges: errors are by item, and speak of these judges. Where V is 0,
which of few clusters says nothing, the exact binomial of G clusters that are all alike holds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from evenhand.data.votes import Votes
from evenhand.metrics.comparison import SAME, Differences
from evenhand.metrics.statistics import SegmentPairs, assign_folds, calibrate, cross_fit
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.cluster_means import number_groups
from evenhand.numerics.distributions import t_quantile, t_tail
from evenhand.numerics.multiple_tests import holm
from evenhand.ranking.clustering import MIN_EFFECTIVE


@dataclass(frozen=True, eq=False)
class Preferences:
    """(M,) metrics on n judgments."""

    share: Array  # of judgments that a metric agrees with
    epsilon: Array
    agrees: Flags  # (M, n)
    judge: Integers | None  # (n,) None where judges are not known, or too few for clusters
    item: Integers
    means: Array  # (M, K, 1) of the outputs that were compared

    def take(self, kept: Integers) -> Preferences:
        """Return the same of some metrics."""
        share, epsilon, agrees = self.share[kept], self.epsilon[kept], self.agrees[kept]
        return replace(self, share=share, epsilon=epsilon, agrees=agrees, means=self.means[kept])

    @property
    def clusters(self) -> int:
        """Judges or items, whichever are fewer."""
        return min(len(np.unique(one)) for one in (self.judge, self.item) if one is not None)

    @property
    def df(self) -> int:
        return max(self.clusters - 1, 1)

    @property
    def method(self) -> str:
        return "t clustered by item" + (" and judge" if self.judge is not None else "")

    def find_error(self, values: Array) -> float:
        """Return the standard error of the mean of (n,) values."""
        d = values - values.mean()

        def spread(codes: Integers) -> float:
            sums = np.bincount(codes, d)
            g = len(sums)
            return float((sums**2).sum()) * g / max(g - 1, 1) / len(d) ** 2

        variances = [spread(number_groups(self.item))]
        if self.judge is not None:
            by_judge = spread(number_groups(self.judge))
            both = by_judge + variances[0] - spread(number_groups(self.judge, self.item))
            variances += [by_judge, both]
        error = sqrt(max(variances))
        return error if error > SAME else 0.0  # but for rounding

    @property
    def interval(self) -> Array:
        """(M, 2) 95 % intervals."""
        errors = np.array([self.find_error(one.astype(np.float64)) for one in self.agrees])
        alike = 1 - 0.025 ** (1 / self.clusters)  # of Clopper and Pearson
        reach = np.where(errors > 0, t_quantile(0.975, self.df) * errors, alike)
        ends = np.stack([self.share - reach, self.share + reach], axis=1)
        return np.asarray(np.clip(ends, 0.0, 1.0))

    def compare(self) -> Differences:
        """Test all pairs of metrics by paired, clustered t; p adjusted by Holm's method."""
        i, j = np.triu_indices(len(self.share), 1)
        gaps, p = np.empty(len(i)), np.ones(len(i))
        for at, (one, other) in enumerate(zip(i.tolist(), j.tolist(), strict=True)):
            d = self.agrees[other].astype(np.float64) - self.agrees[one]
            gaps[at], error = d.mean(), self.find_error(d)
            if error > 0:
                p[at] = t_tail(gaps[at] / error, self.df)
            elif gaps[at]:
                p[at] = 2.0 ** (1 - self.clusters)
        return Differences(gaps, p, np.where(gaps > 0, p / 2, 1 - p / 2), holm(p))


def judge_preferences(votes: Votes, scores: Array) -> Preferences:
    """Compare (M, K, S) scores with votes, whose items are numbered as in the scores."""
    n = votes.size
    order = np.array([1.0, 0.0, -1.0])[votes.outcome]  # left preferred, tie, right preferred
    item = votes.item.astype(np.int64)
    fold = assign_folds(np.arange(scores.shape[2]))
    left, right = votes.left.astype(np.int64), votes.right.astype(np.int64)
    pairs = SegmentPairs(
        left, right, np.zeros(n, dtype=np.int64), 1, np.full(n, 1 / n), order, item
    )
    agrees = np.empty((len(scores), n), dtype=bool)
    epsilon, share = np.empty(len(scores)), np.empty(len(scores))
    for at, one in enumerate(scores):
        apart = one[left, item] - one[right, item]
        share[at], limits = cross_fit(pairs, apart, fold)
        limit = limits[fold[item]]
        if np.isnan(share[at]):  # one item: no others to find ε on
            limit = np.full(n, calibrate(pairs, apart)[1])
        agrees[at] = np.where(np.abs(apart) <= limit, 0, np.sign(apart)) == order
        share[at], epsilon[at] = agrees[at].mean(), limit.mean()
    shape = scores.shape[1], scores.shape[2]
    cell = np.unique(np.concatenate([left, right]) * shape[1] + np.concatenate([item, item]))
    count = np.bincount(cell // shape[1], minlength=shape[0])
    sums = [np.bincount(cell // shape[1], one.ravel()[cell], shape[0]) for one in scores]
    means = np.array(sums)[:, :, None] / np.maximum(count, 1)[:, None]
    few = len(np.unique(votes.judge)) < MIN_EFFECTIVE["judge"]
    judge = None if few else votes.judge.astype(np.int64)
    return Preferences(share, epsilon, agrees, judge, item, means)
