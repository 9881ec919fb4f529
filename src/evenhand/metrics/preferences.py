"""Metrics against judged preferences: does a metric score the preferred output higher?

A metric agrees with a judgment if the sign of its difference is that of the judgment, where a
difference up to ε is a tie. ε is found on other items. Intervals of shares of agreement are
clustered by item and judge: V = max(V_J, V_I, V_J + V_I − V_JI), t on min(J, I) − 1 degrees of
freedom; items of one document count as one. Fewer than five judges are no sample of judges: errors
are by item, and speak of these judges. Where V is 0, which of few clusters says nothing, the exact
binomial of G clusters that are all alike holds. Metrics are compared by perm-sys: a judgment adds
1/n or 0, by whose scores its two systems have.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Final

import numpy as np

from evenhand.data.votes import Votes
from evenhand.metrics.comparison import SAME, TINY, Differences, Scaled, test_pair_sums
from evenhand.metrics.gold import MAX_JUDGES
from evenhand.metrics.statistics import (
    SegmentPairs,
    Steps,
    assign_folds,
    average_systems,
    calibrate,
    cross_fit,
    sign_beyond,
)
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.cluster_means import number_groups
from evenhand.numerics.distributions import t_quantile
from evenhand.ranking.clustering import MIN_EFFECTIVE

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
        """Return the same of some metrics."""
        names = ("share", "limits", "agrees", "means")
        parts: dict[str, Any] = {name: getattr(self, name)[kept] for name in names}
        return replace(self, **parts, steps=self.steps.take(kept))

    @property
    def clusters(self) -> int:
        """Judges or documents, whichever are fewer."""
        return min(len(np.unique(one)) for one in (self.judge, self.document) if one is not None)

    @property
    def of_one_document(self) -> bool:
        """Whether there are no others to find ε on."""
        return len(np.unique(self.document)) == 1

    def find_error(self, values: Array) -> float:
        """Return the standard error of the mean of (n,) values."""
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
    fold = assign_folds(documents)
    left, right = votes.left.astype(np.int64), votes.right.astype(np.int64)
    pairs = SegmentPairs(left, right, 1, np.full(n, 1 / n), order, item)
    agrees = np.empty((len(scores), n), dtype=bool)
    limits, share = np.empty(agrees.shape), np.empty(len(scores))
    for at, one in enumerate(scores):
        apart = one[left, item] - one[right, item]
        share[at], of_folds = cross_fit(pairs, apart, fold)
        limits[at] = of_folds[fold[item]]
        if np.isnan(share[at]):  # one item: no others to find ε on
            limits[at] = calibrate(pairs, apart)[1]
        agrees[at] = sign_beyond(apart, limits[at]) == order
        share[at] = agrees[at].mean()
    compared = np.zeros(scores.shape[1:], dtype=bool)
    compared[left, item] = compared[right, item] = True
    means = steps.restore(average_systems(compared, steps))[:, :, None]
    few = len(np.unique(votes.judge)) < MIN_EFFECTIVE["judge"]
    judge = None if few else votes.judge.astype(np.int64)
    return Preferences(share, limits, agrees, judge, documents[item], means, steps)
