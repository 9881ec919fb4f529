"""Which system scores higher: mean scores with intervals and rank sets that hold all at once.

What is compared are the means of all scores of each system, as campaigns publish them. A judge's
scores are correlated, and so are those of an item: differences have the variance

    V = max(V_J, V_I, V_J + V_I − V_JI),   T = (ȳ_s − ȳ_t) / √V

with V_J, V_I and V_JI by the jackknife over judges, items and cells of both (`score_spread`); pairs
are decided by max-|t| over all of them with step-down, in replicates drawn as for log-worths
(`rank_sets`). Intervals are of a system's distance to the mean of all
systems, moved to where its mean score is: what judges give to all systems alike, such as severity,
is in none of them.

When not to use it: where judges chose what to score, or few judges saw some systems only: their
severity is then taken for chance, of which a few judges show little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.exclusions import Exclusion, list_findings
from evenhand.data.rating_rows import RatingRows, digest_ratings
from evenhand.data.results import Shown, write_signature
from evenhand.data.tally import Factor, Tally, merge_levels
from evenhand.errors import NotIdentified, UnknownOption, listing, require_level
from evenhand.numerics import Array
from evenhand.numerics.bootstrap import Influence, jackknife
from evenhand.numerics.cluster_means import number_groups
from evenhand.numerics.multiple_tests import step_down
from evenhand.ranking import intervals, rank_sets
from evenhand.ranking.clustering import MAX_CLUSTERS, Evidence, choose_clustering
from evenhand.ranking.covariance import NO_SPREAD_RATIO, ClusteredErrors, Spread
from evenhand.ranking.ranking import write_range
from evenhand.ranking.settings import MAX_LEVEL, REPLICATES
from evenhand.ranking.texts import say
from evenhand.render.document import Column, Document, Table
from evenhand.render.findings import Finding
from evenhand.render.values import MAX_NAMES, join_names

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

Truths = NDArray[np.bool_]
Codes = NDArray[np.int64]
ROUNDING: Final = 1e-18  # Variance beside the largest square of a score, below which it is rounding


@dataclass(frozen=True, eq=False)
class SystemScores:
    """Scores of one criterion, systems counted from 0 without gaps."""

    systems: tuple[str, ...]  # names
    system: Codes  # (n,) code of each score's system
    score: Array  # (n,) the scores; larger is better
    factors: dict[str, Factor]  # "judge" and "item", those that are known

    @classmethod
    def of(cls, rows: RatingRows, sign: float = 1.0) -> SystemScores:
        """Take the scores of rows, which are all of one criterion."""
        order = np.lexsort((rows.score, rows.item, rows.judge, rows.system))
        rows = rows.take(order)
        present, system = np.unique(rows.system, return_inverse=True)
        named = {"judge": (rows.judges, rows.judge), "item": (rows.items, rows.item)}
        factors = {
            name: Factor.of(labels, codes)
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
        return np.asarray(np.bincount(self.system, self.score) / self.count)

    def sum_by(self, codes: Codes, size: int) -> tuple[Array, Array]:
        """Return (G, S) sums of what scores are above their system's mean, and their numbers."""
        cell, k = codes * len(self.systems) + self.system, len(self.systems)
        above = self.score - self.mean[self.system]
        sums = np.bincount(cell, above, minlength=size * k).astype(np.float64)
        counts = np.bincount(cell, minlength=size * k)
        return sums.reshape(size, k), counts.reshape(size, k).astype(np.float64)


def leave_scores_out(scores: SystemScores, name: str, seed: int) -> ClusteredErrors:
    factor = merge_levels(scores.factors[name], MAX_CLUSTERS, seed)
    sums, counts = scores.sum_by(factor.codes.astype(np.int64), factor.size)
    total, k = scores.count, len(scores.systems)
    rest = total - counts
    leverage = np.divide(total, rest, out=np.ones_like(rest), where=rest > 0)
    changes = np.divide(-sums, rest, out=np.zeros_like(rest), where=rest > 0)
    rows = np.eye(k) - 1 / k
    load = counts / total**2
    square = load.T @ load
    diagonal = np.diag(square)
    effective = (1 / total[:, None] + 1 / total) ** 2 / (diagonal[:, None] + diagonal + 2 * square)
    return ClusteredErrors(
        name=name,
        factor=factor,
        systems=k,
        kind="CV3",
        vcov=jackknife(changes),
        influence=Influence(changes, rows * leverage[:, None, :], rows),
        effective=effective,
        # without its only cluster nothing is known of a system
        parts={
            g: np.where(rest[g] == 0, np.arange(1, k + 1), 0)
            for g in np.flatnonzero((rest == 0).any(axis=1)).tolist()
        },
    )


def cover_cells(scores: SystemScores) -> Array:
    """Return the (S, S) covariance of means by cells: what one judge said of one item."""
    from scipy.sparse import csr_array

    judge, item = (scores.factors[name].codes for name in ("judge", "item"))
    cell, k = number_groups(judge, item), len(scores.systems)
    size = int(cell.max()) + 1
    place, cell_system = np.unique(cell * k + scores.system, return_inverse=True)
    rest = scores.count[place % k] - np.bincount(cell_system)
    sums = np.bincount(cell_system, scores.score - scores.mean[scores.system])
    changes = np.divide(-sums, rest, out=np.zeros_like(sums), where=rest > 0)
    table = csr_array((changes, (place // k, place % k)), shape=(size, k))
    total = np.bincount(place % k, changes, minlength=k)
    square = (table.T @ table).toarray() - np.outer(total, total) / size
    return np.asarray((size - 1) / size * square)


def cover_single(scores: SystemScores) -> Array:
    """Return the (S, S) covariance of means where scores are independent; nought of one score."""
    total = scores.count
    square = np.bincount(scores.system, (scores.score - scores.mean[scores.system]) ** 2)
    return np.diag(square / np.maximum(total - 1, 1) / total)


def cover_means(scores: SystemScores, clusterings: Sequence[ClusteredErrors]) -> list[Array]:
    """Return (S, S) covariances of means, of which each contrast takes the largest."""
    vcovs = [way.vcov for way in clusterings] or [cover_single(scores)]
    cells = [vcovs[0] + vcovs[1] - cover_cells(scores)] if len(vcovs) > 1 else []
    return [*vcovs, *cells]


def find_margin(scores: SystemScores, vcovs: Sequence[Array]) -> Array:
    """Return (K, K) standard errors of differences, 0 where nothing shows them."""
    variance = np.max([intervals.pair_variance(one) for one in vcovs], axis=0)
    least = NO_SPREAD_RATIO * intervals.pair_variance(cover_single(scores))
    least += ROUNDING * float((scores.score**2).max())
    return np.sqrt(np.where(variance > least, variance, 0.0))


def note_barred(
    family: rank_sets.Family, margin: Array, clusterings: Sequence[ClusteredErrors]
) -> tuple[Finding, ...]:
    pairs = family.first, family.second
    thin = (family.resting | (family.effective < intervals.MIN_CLUSTERS))[pairs]
    alike = (margin == 0)[pairs] & ~thin
    whose = " or ".join(f"{way.name}s" for way in clusterings)
    notes = []
    if thin.any():
        notes.append(say("few-scores", pairs=int(thin.sum()), of=len(thin), factors=whose))
    if alike.any():
        notes.append(say("no-spread-of-scores", pairs=int(alike.sum()), of=len(thin)))
    return tuple(notes)


REFERENCE: Final = "human reference"  # Kind of a system that is one


def say_method(decided_by: str, draws: int, ways: Sequence[intervals.Way]) -> str:
    """Say how pairs of mean scores are decided, in a few words."""
    drawn = f", B={draws}" if draws else ""
    return f"{decided_by}{drawn}, clustered by {'+'.join(way.name for way in ways)}"


@dataclass(frozen=True, eq=False, repr=False)
class ScoreBoard(Shown):
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
    headline: str | None  # what the reader must know first, such as "for these 3 judges only"
    decided_by: str  # what decides pairs: "max-|t| step-down", "Holm", or "nothing decided"
    draws: int  # replicates of max-|t|, each for every way of clustering; else 0
    ways: tuple[intervals.Way, ...]  # by which ways of clustering errors were estimated
    notes: tuple[str, ...]  # what must stand beside it
    signature: str  # one line that reproduces it
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments

    @property
    def method(self) -> str:
        """How, in a few words."""
        return say_method(self.decided_by, self.draws, self.ways)

    @property
    def ranked(self) -> Truths:
        """(K,) which systems have a rank: all but references."""
        return np.array([name not in self.references for name in self.systems])

    def document(self, criterion: str = "") -> Document:
        """Return what people read: which systems may be the best, and their mean scores."""
        limit = (say("limited-scores", limit=self.headline),) if self.headline else ()
        return Document(
            basis=say("errors-of-scores", method=self.method),
            answer=(self.say_best(criterion), *self._say_references(criterion)),
            parts=(self._tabulate(criterion),),
            findings=list_findings((*limit, *self.notes), self.excluded),
            signature=self.signature,
        )

    def say_best(self, criterion: str = "") -> Finding:
        """Say which systems may be the best, references aside."""
        ranked = np.flatnonzero(self.ranked)
        lower, n = self.rank_lower[ranked], len(ranked)
        first, second = (self._name(ranked[lower == place]) for place in (1, 2))
        if n == 1:
            code = "score-alone"
        elif self.rank_upper[ranked[0]] == 1:
            code = "score-second" if len(second) == 1 < n - 1 else "score-best"
        elif not np.isfinite(self.upper[ranked]).any():
            code = "scores-unknown"
        elif len(first) == n:
            code = "scores-all-first"
        else:
            code = "scores-many-first" if len(first) > MAX_NAMES else "scores-share-first"
        names = join_names(first) if len(first) > 1 else first[0]
        then = join_names(second) if second else ""
        counts = {"n": n, "first": len(first), "about": _say_about(criterion)}
        return say(code, "info", best=first[0], names=names, second=then, **counts)

    def _say_references(self, criterion: str) -> list[Finding]:
        ranked, sentences = np.flatnonzero(self.ranked), []
        for at in np.flatnonzero(~self.ranked).tolist():
            against = self.decided[at][ranked]
            better, worse = (self._name(ranked[against * sign > 0]) for sign in (-1, 1))
            above = join_names(better) if better else "none"
            counts = {"worse": len(worse), "of": len(ranked), "about": _say_about(criterion)}
            sentences.append(
                say("reference", "info", name=self.systems[at], better=above, **counts)
            )
        return sentences

    def _name(self, places: Codes) -> list[str]:
        return [self.systems[place] for place in places]

    def _tabulate(self, criterion: str) -> Table:
        """Return a row for each system, best first; references have no rank."""
        better, rows = (self.decided > 0)[:, self.ranked].sum(axis=1), []
        for at, system in enumerate(self.systems):
            low, high, known = (one[at] for one in (self.rank_lower, self.rank_upper, self.ranked))
            bounded = bool(np.isfinite(self.upper[at]))
            rows.append(
                {
                    "system": system,
                    "kind": "system" if known else REFERENCE,
                    "places": write_range(int(low), int(high), "–") if known else "reference",
                    "mean": float(self.mean[at]),
                    "lower": float(self.lower[at]) if bounded else None,
                    "upper": float(self.upper[at]) if bounded else None,
                    "better_than": int(better[at]),
                    "scores": int(self.scores[at]),
                    "cluster": int(self.cluster[at]) or None,
                }
            )
        lines = np.flatnonzero(np.diff(self.cluster)) + 1 if self.ranked.all() else ()
        title = f"Mean scores{f', {criterion}' if criterion else ''}"
        return Table(
            "scores",
            f"{title}, best first",
            (
                Column("places", "rank set", says="ranks that the scores leave open, all at once"),
                Column("system", "system", "name"),
                Column("mean", "mean score", "two"),
                Column(("lower", "upper"), f"{100 * self.level:g} % interval", "interval"),
                Column("better_than", "better than", "count", "systems decided to be worse"),
                Column("scores", "scores", "count"),
            ),
            tuple(rows),
            tuple(map(int, lines)),
        )


def _say_about(criterion: str) -> str:
    return f" for {criterion}" if criterion else ""


def rank_scores(
    rows: RatingRows,
    *,
    level: float = 0.95,
    seed: int = SEED,
    lower_is_better: bool = False,
    references: Sequence[str] = (),
) -> ScoreBoard:
    """Order systems by mean score; all rank sets, and all intervals, hold together at the level."""
    require_level(level)
    if level > MAX_LEVEL:
        raise UnknownOption(f"level {level:g} is no proportion between 0 and {MAX_LEVEL}")
    targets = rows.targets()
    scores = SystemScores.of(targets, -1.0 if lower_is_better else 1.0)
    if len(scores.systems) < 2:
        raise NotIdentified(
            "there are scores of one system only: there is nothing to compare it with",
            ["collect scores of another system on the same items"],
        )
    judged, code = len(scores.score), scores.system.astype(np.int32)
    zeros, ones = np.zeros(judged), np.ones(judged)
    # scores as answers, for the choice of clusters, which asks of loads alone
    tally = Tally(scores.systems, code, code, ones, zeros, zeros, scores.factors, judged)
    clustering = choose_clustering(None, Evidence(dict.fromkeys(scores.factors, tally), tally))
    # scores have no choice of clusters, so that the note names none
    notes = tuple(
        say("few-judges", **one.values) if one.code == "few-judges-with-items" else one
        for one in clustering.notes
    )
    clusterings = tuple(leave_scores_out(scores, name, seed) for name in clustering.clusterings)
    vcovs = cover_means(scores, clusterings)
    pair_stderr = find_margin(scores, vcovs)
    family = rank_sets.gather_pairs(scores.mean, pair_stderr, clusterings)
    members = rank_sets.find_members(family.effective, family.resting)
    ways = [
        intervals.Way(one.name, "CV3", len(one.factor.labels), one.factor.size)
        for one in clusterings
    ]
    ways = ways or [intervals.Way(clustering.name, "CR1", judged, judged)]
    df = max(1.0, float(family.effective.min()) - 1)
    spread = Spread(clusterings, vcovs, df, "mean scores", tuple(ways))
    decided, critical, how, draws = _decide(family, spread, members, level, seed)
    names = np.array(scores.systems)
    order = np.lexsort((names, -scores.mean))
    systems, decided = tuple(names[order].tolist()), decided[np.ix_(order, order)]
    variance = np.max([intervals.centred_variance(vcov, members) for vcov in vcovs], axis=0)
    known = members & (variance > 0)
    margin = np.full(len(members), np.inf)
    margin[known] = critical * np.sqrt(variance[known])
    mean, margin = (-1.0 if lower_is_better else 1.0) * scores.mean[order], margin[order]
    if set(systems) <= set(references):  # then people's texts are what is ranked
        references = ()
    ranked = np.flatnonzero([name not in references for name in systems])
    among = decided[np.ix_(ranked, ranked)]
    places = np.zeros((3, len(decided)), dtype=np.int64)  # 0 of references
    places[:2, ranked] = intervals.rank_ranges(among)
    places[2, ranked] = intervals.find_clusters(np.arange(len(ranked)), among)
    references = tuple(name for name in systems if name in references)
    words = ["mean scores", say_method(how, draws, spread.ways), f"level {level:g}", f"seed={seed}"]
    words += ["lower is better"] if lower_is_better else []
    words += [f"references {listing(references)}"] if references else []
    return ScoreBoard(
        systems=systems,
        mean=mean,
        lower=mean - margin,
        upper=mean + margin,
        rank_lower=places[0],
        rank_upper=places[1],
        cluster=places[2],
        scores=scores.count[order].astype(np.int64),
        decided=decided,
        references=references,
        level=level,
        lower_is_better=lower_is_better,
        headline=clustering.headline,
        decided_by=how,
        draws=draws,
        ways=spread.ways,
        notes=(*notes, *note_barred(family, pair_stderr, clusterings)),
        signature=write_signature(words, judged, digest_ratings(targets)),
    )


def _decide(
    family: rank_sets.Family, spread: Spread, members: Truths, level: float, seed: int
) -> tuple[NDArray[np.int8], float, str, int]:
    """Return decided pairs, |t| up to which intervals go, what decides, and how many draws."""
    if not family.active.any() or members.sum() < 2:
        return np.zeros(family.resting.shape, dtype=np.int8), np.inf, "nothing decided", 0
    if len(family.first) > rank_sets.MAX_BOOTSTRAP_PAIRS:
        (decided, *_), critical = rank_sets.decide_by_holm(family, spread.df, members, level)
        return decided, critical, "Holm", 0
    rng = Generator(PCG64(seed))
    drawn = rank_sets.draw_replicates(np.eye(len(members)), spread, family, members, rng)
    of_pairs, of_means = zip(*drawn, strict=True)
    sizes = np.abs(family.statistic[family.first, family.second])[family.active]
    chosen, _ = step_down(sizes, of_pairs, level)
    critical = rank_sets.limit_worths(of_means, members, level)
    return family.square(chosen), critical, "max-|t| step-down", REPLICATES
