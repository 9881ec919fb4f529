"""How far mean scores of systems would differ with other judges and other items.

With T_gs and n_gs the sum and number of scores of system s in cluster g (a judge's scores, or those
of an item), leaving g out moves the mean of s by

    d_gs = −(T_gs − n_gs ȳ_s) / (n_s − n_gs)

exactly: means are linear, so that of `numerics.score_bootstrap` H is diag(n_s), H_g diag(n_gs), and
nothing is of first order only. Severity that a judge has for all systems moves all of them alike
and leaves their differences where judges saw them alike; where they did not, it counts as error.
A system whose scores are all of one cluster rests on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.tally import Factor, merge_levels
from evenhand.numerics.grouping import number_groups
from evenhand.numerics.score_bootstrap import Influence, jackknife
from evenhand.ranking.covariances import NO_SPREAD
from evenhand.ranking.evidence import CLUSTERS
from evenhand.ranking.intervals import pair_variance
from evenhand.ranking.linked_part import find_members
from evenhand.ranking.rank_sets import FEW
from evenhand.ranking.simultaneous import Family

Array = NDArray[np.float64]
Truths = NDArray[np.bool_]
Codes = NDArray[np.int64]
ROUNDING: Final = 1e-18
"""Variance beside the largest square of a score, below which it is rounding."""


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of one criterion, systems counted from 0 without gaps.

    Attributes:
        systems: names.
        system: (n,) code of each score's system.
        score: (n,) the scores; larger is better.
        factors: "judge" and "item", those that are known.

    """

    systems: tuple[str, ...]
    system: Codes
    score: Array
    factors: dict[str, Factor]

    @classmethod
    def of(cls, rows: RatingRows, sign: float = 1.0) -> Scores:
        """Take the scores of rows, which are all of one criterion.

        Args:
            rows: ratings, in any order; they are put in one of their own.
            sign: −1 where lower scores are better.

        """
        order = np.lexsort((rows.score, rows.item, rows.judge, rows.system))
        rows = rows.take(order)
        present, system = np.unique(rows.system, return_inverse=True)
        named = {"judge": (rows.judges, rows.judge), "item": (rows.items, rows.item)}
        factors = {
            name: make_factor(labels, codes)
            for name, (labels, codes) in named.items()
            if labels != ("",)
        }
        names = tuple(rows.systems[code] for code in present.tolist())
        return cls(names, system.astype(np.int64), sign * rows.score, factors)

    @property
    def count(self) -> Array:
        """(S,) number of scores of each system."""
        return np.bincount(self.system, minlength=len(self.systems)).astype(np.float64)

    @property
    def mean(self) -> Array:
        """(S,) mean score of each system."""
        return np.asarray(np.bincount(self.system, self.score) / self.count)

    def sum_by(self, codes: Codes, size: int) -> tuple[Array, Array]:
        """Return (G, S) sums of what scores are above their system's mean, and their numbers."""
        cell, k = codes * len(self.systems) + self.system, len(self.systems)
        above = self.score - self.mean[self.system]
        sums = np.bincount(cell, above, minlength=size * k).astype(np.float64)
        counts = np.bincount(cell, minlength=size * k)
        return sums.reshape(size, k), counts.reshape(size, k).astype(np.float64)


def make_factor(labels: Sequence[str], codes: NDArray[np.int32]) -> Factor:
    """Return the levels that occur, with their loads."""
    present, own = np.unique(codes, return_inverse=True)
    names = tuple(labels[code] for code in present.tolist())
    return Factor(names, own.astype(np.int32), np.bincount(own).astype(np.float64), len(names))


@dataclass(frozen=True, eq=False)
class ScoreWay:
    """One way of clustering scores.

    Attributes:
        name: judge or item.
        influence: what leaving each cluster out does to the systems' distances to their mean.
        vcov: (S, S) covariance CV3 of the means.
        effective: (S, S) effective clusters of each difference.
        resting: (S, S) whether a difference rests on one cluster alone.

    """

    name: str
    influence: Influence
    vcov: Array
    effective: Array
    resting: NDArray[np.bool_]


def leave_scores_out(scores: Scores, name: str, seed: int) -> ScoreWay:
    """Return what leaving each cluster of a way out does.

    Args:
        scores: of one criterion.
        name: a factor of two or more levels.
        seed: of merging, where there are more than 200.

    """
    factor = merge_levels(scores.factors[name], CLUSTERS, seed)
    sums, counts = scores.sum_by(factor.codes.astype(np.int64), factor.size)
    total, k = scores.count, len(scores.systems)
    rest = total - counts
    alone = (rest == 0).any(axis=0)
    leverage = np.divide(total, rest, out=np.ones_like(rest), where=rest > 0)
    changes = np.divide(-sums, rest, out=np.zeros_like(rest), where=rest > 0)
    rows = np.eye(k) - 1 / k
    load = counts / total**2
    square = load.T @ load
    own = np.diag(square)
    effective = (1 / total[:, None] + 1 / total) ** 2 / (own[:, None] + own + 2 * square)
    resting = alone[:, None] | alone
    np.fill_diagonal(resting, val=False)
    influence = Influence(changes, rows * leverage[:, None, :], rows)
    return ScoreWay(name, influence, jackknife(changes), effective, resting)


def cover_cells(scores: Scores) -> Array:
    """Return the (S, S) covariance of means by cells of judge and item.

    A cell is what one judge said of one item: two systems in a cell share it.
    """
    from scipy.sparse import csr_array

    judge, item = (scores.factors[name].codes for name in ("judge", "item"))
    cell, k = number_groups(judge, item), len(scores.systems)
    size = int(cell.max()) + 1
    place, own = np.unique(cell * k + scores.system, return_inverse=True)
    rest = scores.count[place % k] - np.bincount(own)
    sums = np.bincount(own, scores.score - scores.mean[scores.system])
    changes = np.divide(-sums, rest, out=np.zeros_like(sums), where=rest > 0)
    table = csr_array((changes, (place // k, place % k)), shape=(size, k))
    total = np.bincount(place % k, changes, minlength=k)
    square = (table.T @ table).toarray() - np.outer(total, total) / size
    return np.asarray((size - 1) / size * square)


def cover_single(scores: Scores) -> Array:
    """Return the (S, S) covariance of means where scores are independent; nought of one score."""
    total = scores.count
    square = np.bincount(scores.system, (scores.score - scores.mean[scores.system]) ** 2)
    return np.diag(square / np.maximum(total - 1, 1) / total)


@dataclass(frozen=True, eq=False)
class ScoreSpread:
    """What is known of the errors of mean scores.

    Attributes:
        ways: the ways of clustering; none for single scores.
        vcovs: (K, K) covariances, of which each contrast takes the largest.
        margin: (K, K) standard errors of differences, 0 where nothing shows them.
        effective: (K, K) effective clusters of each difference, the fewest of all ways.
        resting: (K, K) whether a difference rests on one cluster alone.

    """

    ways: Sequence[ScoreWay]
    vcovs: Sequence[Array]
    margin: Array
    effective: Array
    resting: Truths

    @classmethod
    def of(cls, scores: Scores, ways: Sequence[ScoreWay]) -> ScoreSpread:
        """Put the ways together."""
        single = cover_single(scores)
        vcovs = [way.vcov for way in ways] or [single]
        if len(ways) > 1:
            vcovs.append(vcovs[0] + vcovs[1] - cover_cells(scores))
        variance = np.max([pair_variance(one) for one in vcovs], axis=0)
        least = NO_SPREAD * pair_variance(single) + ROUNDING * float((scores.score**2).max())
        shape = variance.shape
        effective, resting = np.full(shape, np.inf), np.zeros(shape, dtype=np.bool_)
        for way in ways:
            effective, resting = np.minimum(effective, way.effective), resting | way.resting
        margin = np.sqrt(np.where(variance > least, variance, 0.0))
        return cls(ways, vcovs, margin, effective, resting)

    def gather(self, mean: Array) -> Family:
        """Return all pairs; those may be decided that enough clusters show the spread of."""
        apart = mean[:, None] - mean
        known = self.margin > 0
        statistic = np.divide(apart, self.margin, out=np.zeros_like(apart), where=known)
        first, second = np.triu_indices(len(mean), 1)
        active = (known & ~self.resting & (self.effective >= FEW))[first, second]
        return Family(first, second, statistic, self.effective, self.resting, active)

    @property
    def members(self) -> Truths:
        """(K,) systems whose mean intervals are relative to."""
        return find_members(self.effective, self.resting)

    @property
    def df(self) -> float:
        """Degrees of freedom, of the fewest clusters."""
        return max(1.0, float(self.effective.min()) - 1)

    def say_barred(self) -> tuple[str, ...]:
        """Say of which systems nothing is decided since too few judged them."""
        pairs = np.triu_indices(len(self.margin), 1)
        thin = (self.resting | (self.effective < FEW))[pairs]
        alike = (self.margin == 0)[pairs] & ~thin
        whose = " or ".join(f"{way.name}s" for way in self.ways)
        said = [
            f"{int(thin.sum()):,} of {len(thin):,} pairs of systems are left open, since they rest"
            f" on too few {whose}"
        ] * bool(thin.any())
        said += [
            f"{int(alike.sum()):,} of {len(thin):,} pairs of systems are left open, since their"
            " scores do not vary: nothing shows how much others might differ"
        ] * bool(alike.any())
        return tuple(said)
