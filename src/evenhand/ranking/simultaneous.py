"""Intervals and rank sets that hold all at once, from a fit and its clusters.

    T_c = ĉ / √V_c,   V_c = max(V_J, V_I, V_J + V_I − V_JI)                (INFERENCE B3)

A pair is decided if |T_c| exceeds the critical value of its step: the larger of those of the ways
of clustering, each from the score bootstrap of that way (B1). With one way alone this is that way;
where both matter T is no larger than it would be by either. Answers that cluster nothing, and
clusters too many or too thin to be left out one by one, have their worlds drawn from Student's t
with the sandwich covariance instead.

A pair is never decided that rests on one cluster alone, or that has fewer than five effective
judges or items (B2), or whose narrowest link has too few (`bottlenecks`): nothing then shows how
much others might differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import NDArray

from evenhand.numerics.distributions import t_quantile
from evenhand.numerics.score_bootstrap import Pairs, absolute_t, bootstrap_contrasts, draw_webb
from evenhand.numerics.step_down import order_statistic, step_down, step_down_holm
from evenhand.preference.fit import Fit
from evenhand.ranking.intervals import KEPT, Array, Intervals, pair_variance
from evenhand.ranking.left_out import Way, centred_rows
from evenhand.ranking.limits import find_limits
from evenhand.ranking.linked_part import LinkedPart, find_part
from evenhand.ranking.open_pairs import note_open
from evenhand.ranking.rank_sets import FEW, RankSets
from evenhand.ranking.settings import REPLICATES
from evenhand.ranking.spread import Spread

MOST: Final = 60_000
"""Most pairs for which worlds are drawn; of more than about 350 systems Holm's method decides."""
Worlds = tuple[NDArray[np.float32], Array]


@dataclass(frozen=True, eq=False)
class Family:
    """All pairs of systems, and what is known of each.

    Attributes:
        first: (P,) system of each pair.
        second: (P,) the other.
        statistic: (K, K) t of row less column.
        effective: (K, K) effective clusters, the fewest of all ways.
        resting: (K, K) whether a difference rests on one cluster alone.
        active: (P,) whether a pair may be decided.

    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    statistic: Array
    effective: Array
    resting: NDArray[np.bool_]
    active: NDArray[np.bool_]

    def square(self, chosen: NDArray[np.bool_]) -> NDArray[np.int8]:
        """Return (K, K) decisions, +1, −1 and 0, from those on the active pairs."""
        decided = np.zeros(self.statistic.shape, dtype=np.int8)
        at = np.flatnonzero(self.active)[chosen]
        first, second = self.first[at], self.second[at]
        decided[first, second] = np.sign(self.statistic[first, second])
        return decided - decided.T


def decide_all(fit: Fit, spread: Spread, level: float, seed: int) -> Intervals:
    """Return intervals of centred log-worths, decided pairs and rank sets, all simultaneous.

    Args:
        fit: the fit.
        spread: what is known of its errors.
        level: at which all pairs hold together, and all intervals (proportion).
        seed: of the bootstrap.

    """
    worths = [fit.to_worth(vcov) for vcov in spread.vcovs]
    margin = np.sqrt(np.max([pair_variance(one) for one in worths], axis=0))
    family = gather_pairs(fit.log_worth, margin, spread.ways)
    part = find_part(fit, worths, family.effective, family.resting, spread.ways)
    if len(family.first) > MOST:
        sets, critical = decide_by_holm(family, spread, part, level)
    else:
        worlds = list(draw_worlds(fit, spread, family, part, Generator(PCG64(seed))))
        sets = decide_pairs(family, spread, [pairs for pairs, _ in worlds], level)
        critical = limit_worths([own for _, own in worlds], part, level)
    unsaid = note_open(fit.systems, spread.ways, family.effective, family.resting)
    return Intervals(
        *part.surround(fit.log_worth, critical),
        sets.decided,
        f"{spread.method}, {say_worlds(sets)}",
        notes=(*spread.notes, *unsaid, *part.notes, *_note_endless(part, critical, level)),
        parameters=np.sqrt(np.max([np.diag(vcov) for vcov in spread.vcovs], axis=0)),
        df=spread.df,
        pairs=margin if len(margin) <= KEPT else None,
        rank_sets=replace(sets, limits=find_limits(fit, spread, level)),
        centred_on=None if part.members.all() else part.members,
    )


def limit_worths(worlds: Sequence[Array], part: LinkedPart, level: float) -> float:
    """Return the |t| up to which intervals go; infinite where nothing limits them.

    Args:
        worlds: (B, K) |t*| of log-worths from each source of worlds.
        part: the systems that have an interval.
        level: at which all intervals hold together.

    """
    if not part.bounded.any():
        return np.inf
    largest = [own[:, part.bounded].max(axis=1) for own in worlds]
    return max(float(order_statistic(one, level)) for one in largest)


def _note_endless(part: LinkedPart, critical: float, level: float) -> tuple[str, ...]:
    """Say that there are no intervals where worlds without spread are too many."""
    if np.isfinite(critical) or not part.bounded.any():
        return ()
    return (
        f"no intervals at level {level:g}: clusters are so few that in too many worlds they agree"
        " by chance, and nothing shows how far apart they may be",
    )


def gather_pairs(log_worth: Array, margin: Array, ways: Sequence[Way]) -> Family:
    """Put all pairs together.

    Args:
        log_worth: (K,) estimates.
        margin: (K, K) standard errors of differences.
        ways: the ways of clustering.

    """
    k = len(log_worth)
    apart = log_worth[:, None] - log_worth
    statistic = np.divide(apart, margin, out=np.zeros((k, k)), where=margin > 0)
    effective, resting = np.full((k, k), np.inf), np.zeros((k, k), dtype=np.bool_)
    for way in ways:
        resting |= way.resting >= 0
        if way.effective is not None and way.name != "ranking":
            effective = np.minimum(effective, way.effective)
    first, second = np.triu_indices(k, 1)
    active = ~resting[first, second] & (effective[first, second] >= FEW)
    return Family(first, second, statistic, effective, resting, active)


def draw_worlds(
    fit: Fit, spread: Spread, family: Family, part: LinkedPart, rng: Generator
) -> Iterator[Worlds]:
    """Draw |t*| of active pairs, (B, P), and of log-worths, (B, K), for each way of clustering."""
    rows = centred_rows(fit)
    rows -= rows[part.members].mean(axis=0)
    pairs = family.first[family.active], family.second[family.active]
    for way in spread.ways:
        if way.influence is not None:
            weights = draw_webb((REPLICATES, len(way.influence.changes)), rng)
            yield bootstrap_contrasts(way.influence.relative_to(part.members), weights, pairs)
        else:
            df = max(1.0, way.factor.effective - 1)
            yield draw_student(rows @ way.vcov @ rows.T, df, pairs, rng)
    if not spread.ways:
        worst = max(spread.vcovs, key=lambda vcov: float(np.trace(vcov)))
        yield draw_student(rows @ worst @ rows.T, spread.df, pairs, rng)


def draw_student(covariance: Array, df: float, pairs: Pairs, rng: Generator) -> Worlds:
    """Draw |t| of differences and of log-worths from Student's t with a covariance.

    Args:
        covariance: (K, K) of log-worths, relative to what is zero.
        df: degrees of freedom.
        pairs: (P,) first and (P,) second system of each difference.
        rng: source of randomness.

    Returns:
        (B, P) of differences and (B, K) of log-worths, infinite where nothing varies.

    """
    size, directions = np.linalg.eigh(covariance)
    root = directions * np.sqrt(np.maximum(size, 0.0))
    drawn = rng.standard_normal((REPLICATES, len(root))) @ root.T
    if np.isfinite(df):
        drawn /= np.sqrt(rng.chisquare(df, (REPLICATES, 1)) / df)
    kept = root @ root.T
    by_system = drawn.T.copy()
    apart = by_system[pairs[0]] - by_system[pairs[1]]
    of_pairs = absolute_t(apart, pair_variance(kept)[pairs][:, None]).astype(np.float32)
    return of_pairs.T, absolute_t(drawn, np.maximum(np.diag(kept), 0.0))


def decide_pairs(
    family: Family, spread: Spread, worlds: Sequence[NDArray[np.float32]], level: float
) -> RankSets:
    """Decide all pairs together, and those of each system by themselves."""
    first, second = family.first[family.active], family.second[family.active]
    sizes = np.abs(family.statistic[first, second])
    together, critical = step_down(sizes, worlds, level)
    alone = np.zeros_like(family.resting, dtype=np.int8)
    for system in range(len(alone)):
        own = np.flatnonzero((first == system) | (second == system))
        chosen = np.zeros(len(first), dtype=np.bool_)
        chosen[own], _ = step_down(sizes[own], [draws.T[own].T for draws in worlds], level)
        alone[system] = family.square(chosen)[system]
    return _make_sets(family, spread, (together, alone, critical), REPLICATES)


def decide_by_holm(
    family: Family, spread: Spread, part: LinkedPart, level: float
) -> tuple[RankSets, float]:
    """Decide by Holm's method where pairs are too many for worlds; also Bonferroni's for worths.

    Also of one system by itself: what all pairs together decide of it is decided again, since its
    own pairs are fewer at every step.
    """
    first, second = family.first[family.active], family.second[family.active]
    sizes = np.abs(family.statistic)
    together, critical = step_down_holm(sizes[first, second], spread.df, level)
    may = np.zeros_like(family.resting)
    may[first, second] = may[second, first] = True
    alone = np.zeros_like(may, dtype=np.int8)
    for system, others in enumerate(may):
        own, _ = step_down_holm(sizes[system, others], spread.df, level)
        alone[system, others] = own * np.sign(family.statistic[system, others])
    tests = 2 * max(1, int(part.bounded.sum()))
    for_worths = t_quantile(1 - (1 - level) / tests, spread.df)
    return _make_sets(family, spread, (together, alone, critical), 0), for_worths


def _make_sets(
    family: Family,
    spread: Spread,
    found: tuple[NDArray[np.bool_], NDArray[np.int8], tuple[float, ...]],
    replicates: int,
) -> RankSets:
    together, alone, critical = found
    return RankSets(
        ways=tuple(way.name for way in spread.ways) or ("judgment",),
        replicates=replicates,
        critical=critical,
        statistic=family.statistic,
        decided=family.square(together),
        alone=alone,
        effective=family.effective,
        resting=family.resting,
    )


def say_worlds(sets: RankSets) -> str:
    """Say how critical values were found."""
    return f"max-|t| step-down, B={sets.replicates}" if sets.replicates else "Holm"
