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

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, UnknownOption, listing, require_level
from evenhand.judgments.coding import SEED
from evenhand.judgments.rating_digest import digest_ratings
from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.signature import write_signature
from evenhand.judgments.tally import Tally
from evenhand.numerics.distributions import t_quantile
from evenhand.numerics.score_bootstrap import bootstrap_contrasts, draw_webb
from evenhand.numerics.step_down import order_statistic, step_down, step_down_holm
from evenhand.ranking.clustering import Clustering, choose_clustering
from evenhand.ranking.evidence import Evidence
from evenhand.ranking.intervals import centred_variance, find_clusters, rank_ranges
from evenhand.ranking.score_spread import (
    Scores,
    ScoreSpread,
    leave_scores_out,
)
from evenhand.ranking.settings import MOST_SURE, REPLICATES
from evenhand.ranking.simultaneous import MOST, Family, Worlds, draw_student

Array = NDArray[np.float64]
Truths = NDArray[np.bool_]
Decided = tuple[NDArray[np.int8], float, str]


@dataclass(frozen=True)
class Asked:
    """What was asked of a board.

    Attributes:
        level: at which all of it holds together (proportion).
        seed: of the bootstrap.
        lower_is_better: whether lower scores are.
        references: human references, which have no rank.

    """

    level: float
    seed: int
    lower_is_better: bool
    references: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ScoreBoard:
    """Systems by mean score, best first. References stand among them but have no rank.

    Attributes:
        systems: best first.
        mean: (K,) mean scores.
        lower: (K,) lower ends of simultaneous intervals; −∞ for none.
        upper: (K,) upper ends; ∞ for none.
        rank_lower: (K,) best rank among the systems that are no references, which have 0.
        rank_upper: (K,) worst rank.
        cluster: (K,) number of the cluster, from 1; 0 of references.
        scores: (K,) number of scores.
        decided: (K, K) +1 where the row is decided to be better, −1 worse, 0 open.
        references: human references among the systems.
        level: at which all of it holds together (proportion).
        lower_is_better: whether lower scores are.
        headline: what the reader must know first, such as "about these 3 judges only".
        method: how, in a few words.
        notes: what must stand beside it.
        signature: one line that reproduces it.

    """

    systems: tuple[str, ...]
    mean: Array
    lower: Array
    upper: Array
    rank_lower: NDArray[np.int64]
    rank_upper: NDArray[np.int64]
    cluster: NDArray[np.int64]
    scores: NDArray[np.int64]
    decided: NDArray[np.int8]
    references: tuple[str, ...]
    level: float
    lower_is_better: bool
    headline: str | None
    method: str
    notes: tuple[str, ...]
    signature: str

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

    Args:
        rows: scores of outputs, of one task under one criterion; controls and repeats are left out.
        level: at which all rank sets hold together, and all intervals (proportion).
        seed: of the bootstrap.
        lower_is_better: as for penalties.
        references: human references, which are compared with but have no rank.

    Raises:
        NotIdentified: there is one system, or no score of an output.
        UnknownOption: a level that is no proportion, or too near 1.

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
