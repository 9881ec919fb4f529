"""Which system scores higher: mean scores with intervals and rank sets that hold all at once.

What is compared are the means of all scores of each system, as campaigns publish them. A judge's
scores hang together, and so do those of an item: differences have the variance

    V = max(V_J, V_I, V_J + V_I − V_JI),   T = (ȳ_s − ȳ_t) / √V

with V_J, V_I and V_JI by the jackknife over judges, items and cells of both (`score_spread`); pairs
are decided by max-|t| over all of them with step-down, in worlds drawn as for log-worths
(`simultaneous`, INFERENCE B1 to B3). Intervals are of a system's distance to the mean of all
systems, moved to where its mean score is: what judges give to all systems alike, such as severity,
is in none of them.

When not to use it: where judges chose what to score, or few judges saw some systems only: their
severity is then taken for chance, of which a few judges show little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, UnknownOption, listing, require_level
from evenhand.judgments.coding import SEED
from evenhand.judgments.exclusions import Exclusion
from evenhand.judgments.rating_digest import digest_ratings
from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.signature import write_signature
from evenhand.judgments.tally import Factor, Tally, merge_levels
from evenhand.numerics.bootstrap import Influence, bootstrap_contrasts, draw_webb, jackknife
from evenhand.numerics.cluster_means import number_groups
from evenhand.numerics.distributions import t_quantile
from evenhand.numerics.multiple_tests import order_statistic, step_down, step_down_holm
from evenhand.ranking.clustering import CLUSTERS, Clustering, Evidence, choose_clustering
from evenhand.ranking.covariance import NO_SPREAD
from evenhand.ranking.intervals import (
    FEW,
    centred_variance,
    find_clusters,
    pair_variance,
    rank_ranges,
)
from evenhand.ranking.rank_sets import MOST, Family, Worlds, draw_student, find_members
from evenhand.ranking.settings import MOST_SURE, REPLICATES

# How far mean scores of systems would differ with other judges and other items.
#
# With T_gs and n_gs the sum and number of scores of system s in cluster g (a judge's scores, or
# those of an item), leaving g out moves the mean of s by
#
# d_gs = −(T_gs − n_gs ȳ_s) / (n_s − n_gs)
#
# exactly: means are linear, so that of `numerics.score_bootstrap` H is diag(n_s), H_g diag(n_gs),
# and nothing is of first order only. Severity that a judge has for all systems moves all of them
# alike and leaves their differences where judges saw them alike; where they did not, it counts as
# error. A system whose scores are all of one cluster rests on it.

Array = NDArray[np.float64]
Truths = NDArray[np.bool_]
Codes = NDArray[np.int64]
ROUNDING: Final = 1e-18  # Variance beside the largest square of a score, below which it is rounding


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of one criterion, systems counted from 0 without gaps."""

    systems: tuple[str, ...]  # names
    system: Codes  # (n,) code of each score's system
    score: Array  # (n,) the scores; larger is better
    factors: dict[str, Factor]  # "judge" and "item", those that are known

    @classmethod
    def of(cls, rows: RatingRows, sign: float = 1.0) -> Scores:
        """Take the scores of rows, which are all of one criterion."""
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
    """One way of clustering scores."""

    name: str  # judge or item
    # what leaving each cluster out does to the systems' distances to their mean
    influence: Influence
    vcov: Array  # (S, S) covariance CV3 of the means
    effective: Array  # (S, S) effective clusters of each difference
    resting: NDArray[np.bool_]  # (S, S) whether a difference rests on one cluster alone


def leave_scores_out(scores: Scores, name: str, seed: int) -> ScoreWay:
    """Return what leaving each cluster of a way out does."""
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
    """What is known of the errors of mean scores."""

    ways: Sequence[ScoreWay]  # the ways of clustering; none for single scores
    vcovs: Sequence[Array]  # (K, K) covariances, of which each contrast takes the largest
    margin: Array  # (K, K) standard errors of differences, 0 where nothing shows them
    effective: Array  # (K, K) effective clusters of each difference, the fewest of all ways
    resting: Truths  # (K, K) whether a difference rests on one cluster alone

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


Decided = tuple[NDArray[np.int8], float, str]


@dataclass(frozen=True)
class Asked:
    """What was asked of a board."""

    level: float  # at which all of it holds together (proportion)
    seed: int  # of the bootstrap
    lower_is_better: bool  # whether lower scores are
    references: tuple[str, ...]  # human references, which have no rank


@dataclass(frozen=True, eq=False)
class ScoreBoard:
    """Systems by mean score, best first. References stand among them but have no rank."""

    systems: tuple[str, ...]  # best first
    mean: Array  # (K,) mean scores
    lower: Array  # (K,) lower ends of simultaneous intervals; −∞ for none
    upper: Array  # (K,) upper ends; ∞ for none
    # (K,) best rank among the systems that are no references, which have 0
    rank_lower: NDArray[np.int64]
    rank_upper: NDArray[np.int64]  # (K,) worst rank
    cluster: NDArray[np.int64]  # (K,) number of the cluster, from 1; 0 of references
    scores: NDArray[np.int64]  # (K,) number of scores
    decided: NDArray[np.int8]  # (K, K) +1 where the row is decided to be better, −1 worse, 0 open
    references: tuple[str, ...]  # human references among the systems
    level: float  # at which all of it holds together (proportion)
    lower_is_better: bool  # whether lower scores are
    headline: str | None  # what the reader must know first, such as "about these 3 judges only"
    method: str  # how, in a few words
    notes: tuple[str, ...]  # what must stand beside it
    signature: str  # one line that reproduces it
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments

    @property
    def ranked(self) -> Truths:
        """(K,) which systems have a rank: all but references."""
        return np.array([name not in self.references for name in self.systems])


def rank_scores(
    rows: RatingRows,
    *,
    level: float = 0.95,
    seed: int = SEED,
    lower_is_better: bool = False,
    references: Sequence[str] = (),
) -> ScoreBoard:
    """Order systems by mean score.

    level: at which all rank sets hold together, and all intervals (proportion).
    """
    require_level(level)
    if level > MOST_SURE:
        raise UnknownOption(f"level {level:g} is no proportion between 0 and {MOST_SURE}")
    targets = rows.targets()
    scores = Scores.of(targets, -1.0 if lower_is_better else 1.0)
    if len(scores.systems) < 2:
        raise NotIdentified(
            "there are scores of one system only: there is nothing to compare it with",
            ["collect scores of another system on the same items"],
        )
    asked = Asked(level, seed, lower_is_better, tuple(references))
    clustering = choose_clustering(None, _count_answers(scores))
    ways = [leave_scores_out(scores, name, seed) for name in clustering.ways]
    spread = ScoreSpread.of(scores, ways)
    found = _decide(spread.gather(scores.mean), spread, asked)
    board = _make_board(scores, spread, found, clustering, asked)
    words = ["mean scores", board.method, f"level {level:g}", f"seed={seed}"]
    words += ["lower is better"] if lower_is_better else []
    words += [f"references {listing(board.references)}"] if board.references else []
    signature = write_signature(words, len(scores.score), digest_ratings(targets))
    return replace(board, signature=signature)


def _count_answers(scores: Scores) -> Evidence:
    """Return the scores as answers, for the choice of clusters, which asks of loads alone."""
    n, code = len(scores.score), scores.system.astype(np.int32)
    none = np.zeros(n)
    tally = Tally(scores.systems, code, code, np.ones(n), none, none, scores.factors, n)
    return Evidence(dict.fromkeys(scores.factors, tally), tally)


def _decide(family: Family, spread: ScoreSpread, asked: Asked) -> Decided:
    """Return decided pairs, the |t| up to which intervals go, and how it was found."""
    level = asked.level
    sizes = np.abs(family.statistic[family.first, family.second])[family.active]
    members = spread.members
    if not family.active.any() or members.sum() < 2:
        return family.square(np.zeros(len(sizes), dtype=np.bool_)), np.inf, "nothing decided"
    if len(family.first) > MOST:
        chosen, _ = step_down_holm(sizes, spread.df, level)
        tail = (1 - level) / (2 * int(members.sum()))
        return family.square(chosen), t_quantile(1 - tail, spread.df), "Holm"
    worlds = _draw_worlds(family, spread, Generator(PCG64(asked.seed)))
    chosen, _ = step_down(sizes, [pairs for pairs, _ in worlds], level)
    largest = [own[:, members].max(axis=1) for _, own in worlds]
    critical = max(float(order_statistic(one, level)) for one in largest)
    return family.square(chosen), critical, f"max-|t| step-down, B={REPLICATES}"


def _draw_worlds(family: Family, spread: ScoreSpread, rng: Generator) -> list[Worlds]:
    """Draw |t*| of active pairs, (B, P), and of distances to the mean, (B, K), for each way."""
    pairs = family.first[family.active], family.second[family.active]
    members = spread.members
    if not spread.ways:
        rows = np.eye(len(members)) - members / members.sum()
        return [draw_student(rows @ spread.vcovs[0] @ rows.T, np.inf, pairs, rng)]
    worlds = []
    for way in spread.ways:
        weights = draw_webb((REPLICATES, len(way.influence.changes)), rng)
        worlds.append(bootstrap_contrasts(way.influence.relative_to(members), weights, pairs))
    return worlds


def _make_board(
    scores: Scores, spread: ScoreSpread, found: Decided, clustering: Clustering, asked: Asked
) -> ScoreBoard:
    """Put what was found in order, best first."""
    decided, critical, how = found
    sign, names = -1.0 if asked.lower_is_better else 1.0, np.array(scores.systems)
    order = np.lexsort((names, -scores.mean))
    decided = decided[np.ix_(order, order)]
    wide = _reach(spread, critical)[order]
    mean = sign * scores.mean[order]
    systems = tuple(names[order].tolist())
    places = _place([name not in asked.references for name in systems], decided)
    return ScoreBoard(
        systems,
        mean,
        mean - wide,
        mean + wide,
        places[0],
        places[1],
        places[2],
        scores=scores.count[order].astype(np.int64),
        decided=decided,
        references=tuple(name for name in systems if name in asked.references),
        level=asked.level,
        lower_is_better=asked.lower_is_better,
        headline=clustering.headline,
        method=f"{how}, clustered by {clustering.name}",
        notes=(*clustering.notes, *spread.say_barred()),
        signature="",
    )


def _place(ranked: Sequence[bool], decided: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return (3, K) best rank, worst rank and cluster of the ranked systems, 0 of others."""
    own = np.flatnonzero(ranked)
    among = decided[np.ix_(own, own)]
    places = np.zeros((3, len(decided)), dtype=np.int64)
    places[:2, own] = rank_ranges(among)
    places[2, own] = find_clusters(np.arange(len(own)), among)
    return places


def _reach(spread: ScoreSpread, critical: float) -> Array:
    """Return (K,) how far intervals go to either side; infinite where there is none."""
    members = spread.members
    variance = np.max([centred_variance(one, members) for one in spread.vcovs], axis=0)
    known = members & (variance > 0)
    wide = np.full(len(members), np.inf)
    wide[known] = critical * np.sqrt(variance[known])
    return wide
