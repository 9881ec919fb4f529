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
from math import sqrt
from typing import Final

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import NDArray

from evenhand.errors import listing
from evenhand.models.base import Fit
from evenhand.numerics.bootstrap import Pairs, absolute_t, bootstrap_contrasts, draw_webb
from evenhand.numerics.distributions import chi2_tail, t_quantile
from evenhand.numerics.multiple_tests import order_statistic, step_down, step_down_holm
from evenhand.ranking.cluster_links import count_across
from evenhand.ranking.covariance import NO_SPREAD, Spread, Way, centred_rows, degrees
from evenhand.ranking.intervals import (
    FEW,
    KEPT,
    Array,
    Intervals,
    Limits,
    RankSets,
    centred_variance,
    pair_variance,
)
from evenhand.ranking.settings import REPLICATES

# What keeps a pair open: few clusters, or few judgments?
#
# With n judgments of the same clusters the variance of a difference is A + B / n: what clusters
# share stays, what each answer has of its own does not. Clustered by w it is V_w, if all answers
# were independent it would be V_0, and A is about V_w − V_0. So clusters bind a pair if
#
# V_w > 2 V_0
#
# for then more than half of its variance stays, however many judgments the same clusters give.
# With few clusters V_w is itself uncertain: that clusters differ so much must show over the whole
# board. The mean of V_w / V_0 over pairs has about ν = (G_w − 1)(K − 1) degrees of freedom, with
# G_w effective clusters and K systems, and ν times half of it must be beyond the .95 quantile of
# χ²_ν. Of several ways that bind a pair the one with the largest q √V_w is named, q being
# Bonferroni's quantile of Student's t over all pairs with G_w − 1 degrees of freedom. Where none
# binds the number of judgments does, and more clusters would help as well as more judgments. The
# rule and its 2 are ours; it chooses words and decides nothing.
#
# When not to use it: to plan, since it says nothing of how many more would do (`evenhand plan`).

Integers = NDArray[np.int64]
Truths = NDArray[np.bool_]
# V_w / V_0 beyond which the same clusters cannot halve the variance by more judgments
BINDS: Final = 2.0
CHANCE: Final = 0.05  # Chance up to which clusters are said to differ so much though they do not
JUDGMENTS: Final = -1


def find_limits(fit: Fit, spread: Spread, level: float) -> Limits:
    """Say what binds each pair of systems.

    level: at which all pairs hold together (proportion).
    """
    k = len(fit.systems)
    tail = 1 - (1 - level) / (k * (k - 1))
    way, clusters, reach = np.full((k, k), JUDGMENTS), np.zeros((k, k)), np.zeros((k, k))
    independent = independent_variance(fit, spread)
    alone, thin = mark_barred(spread.ways, k)
    for place, one in enumerate(spread.ways):
        variance = pair_variance(fit.to_worth(one.vcov))
        ratio = np.divide(variance, independent, out=np.zeros((k, k)), where=independent > 0)
        if not differ_so_much(ratio[np.triu(~(alone | thin)[place], 1)], degrees(one.factor), k):
            continue
        own = t_quantile(tail, degrees(one.factor)) * np.sqrt(variance)
        binds = (ratio > BINDS) & (own > reach)
        way[binds], reach[binds] = place, own[binds]
        known = np.full((k, k), one.factor.effective) if one.effective is None else one.effective
        clusters[binds] = known[binds]
    effective = tuple(one.factor.effective for one in spread.ways)
    return Limits(way, clusters, effective, alone, thin)


def differ_so_much(ratios: Array, df: float, systems: int) -> bool:
    """Say whether clusters differ so much that more judgments by them would not help.

    ratios: (P,) V_w / V_0 of pairs that rest on clusters enough.
    systems: how many they are, K. >>> differ_so_much(np.array([3.0]), 5.0, 2),
        differ_so_much(np.full(28, 3.0), 5.0, 8) (False, True)
    """
    if not len(ratios):
        return False
    freedom = df * (systems - 1)
    return chi2_tail(freedom * float(ratios.mean()) / BINDS, freedom) <= CHANCE


def mark_barred(ways: Sequence[Way], systems: int) -> tuple[Truths, Truths]:
    """Return (W, K, K) by which way a difference rests on one cluster alone, and on too few."""
    alone = np.zeros((len(ways), systems, systems), dtype=np.bool_)
    thin = np.zeros_like(alone)
    for place, way in enumerate(ways):
        alone[place] = way.resting >= 0
        if way.effective is not None and way.name != "ranking":
            thin[place] = (way.effective < FEW) & ~np.eye(systems, dtype=np.bool_)
    return alone, thin


def independent_variance(fit: Fit, spread: Spread) -> Array:
    """Return (K, K) variances of differences as if all answers were independent.

    With judges and items it is that of their cells where it is larger than the model's: all of an
    answer lies in one cell. The model's is corrected for what is no answer by itself. Comparisons
    of one ranking are one answer: of m equal systems in a random order, the wins less losses of one
    have variance (m² − 1) / 3, against m − 1 of as many independent comparisons, and those of one
    judgment on a merged output are about as alike. An answer of importance weight w adds w² to the
    variance of a sum and w to the information.
    """
    tally = fit.tally
    outputs = (1 + sqrt(1 + 8 * tally.n_comparisons / tally.n_judgments)) / 2
    scale = max(1.0, (outputs + 1) / 3)
    if tally.squares is not None:
        scale *= float(tally.squares.sum() / tally.counts.sum())
    variance = scale * pair_variance(fit.to_worth(fit.raw_vcov))
    if len(spread.ways) == 2:
        first, second, crossed = (fit.to_worth(vcov) for vcov in spread.vcovs[:3])
        variance = np.maximum(variance, pair_variance(first + second - crossed))
    return np.asarray(variance)


# Which systems have an interval, and what it is relative to.
#
# A log-worth is a distance to a mean of systems. Where a difference cannot be decided, because it
# rests on one cluster alone or on too few, a mean that spans it is no better known: one system that
# came yesterday and was seen by two judges would make the intervals of all others endless. Zero is
# then the mean of the linked part, the systems among which differences can be decided, and only
# these have an interval.


@dataclass(frozen=True, eq=False)
class LinkedPart:
    """The systems that log-worths are centred on, and those that have an interval."""

    members: Truths  # (K,) whether a system is in the part
    bounded: Truths  # (K,) whether it has an interval
    stderr: Array  # (K,) standard errors of distances to the mean of the part
    notes: tuple[str, ...]  # what the reader should know

    def surround(self, log_worth: Array, critical: float) -> tuple[Array, Array, Array]:
        """Return (K,) standard errors, lower and upper ends; infinite for no interval.

        log_worth: (K,) estimates, in any gauge.
        critical: value of |t| up to which an interval goes; infinite where none holds.
        """
        stderr = np.where(self.bounded & np.isfinite(critical), self.stderr, np.inf)
        centred = log_worth - log_worth[self.members].mean()
        return stderr, centred - critical * stderr, centred + critical * stderr


def find_part(
    fit: Fit, worths: Sequence[Array], effective: Array, resting: Truths, ways: Sequence[Way]
) -> LinkedPart:
    """Find the linked part, and the errors of distances to its mean.

    worths: (K, K) covariances of log-worths, of which each contrast takes the largest.
    effective: (K, K) effective clusters of each difference, the fewest of all ways.
    resting: (K, K) whether a difference rests on one cluster alone.
    """
    members = find_members(effective, resting)
    barring = _name_barring(ways, members)
    bounded, notes = members.copy(), _note_outside(fit.systems, members, barring)
    if members.sum() < 2:
        members, bounded = np.ones_like(members), np.zeros_like(members)
    variance = np.max([centred_variance(one, members) for one in worths], axis=0)
    flat = bounded & (variance < NO_SPREAD * centred_variance(fit.worth_vcov, members))
    if flat.any():
        names = listing([fit.systems[i] for i in np.flatnonzero(flat).tolist()], 3)
        by = " and ".join(way.name for way in ways)
        notes = (
            *notes,
            f"no interval for {names}: clusters by {by or 'judgment'} answered so"
            " alike there that nothing shows how much others might differ",
        )
    return LinkedPart(members, bounded & ~flat, np.sqrt(variance), notes)


def find_members(effective: Array, resting: Truths) -> Truths:
    """Return (K,) which systems are in the linked part.

    It is the largest set of systems that no cluster alone holds together, the first of equal ones,
    less those of which more than half of the differences inside are of too few effective clusters,
    the worst first.

    >>> few = np.full((4, 4), 12.0)
    >>> few[3] = few[:, 3] = 2.0
    >>> find_members(few, np.zeros((4, 4), dtype=bool)).tolist()
    [True, True, True, False]
    """
    members: Truths = ~resting[int(np.argmin(resting.sum(axis=1)))]
    thin = effective < FEW
    np.fill_diagonal(thin, val=False)
    fewest = effective.min(axis=1, where=~np.eye(len(thin), dtype=np.bool_), initial=np.inf)
    open_pairs = thin[:, members].sum(axis=1)
    while members.any():
        inside = np.flatnonzero(members)
        worst = inside[np.lexsort((-inside, fewest[inside], -open_pairs[inside]))[0]]
        if 2 * open_pairs[worst] <= len(inside) - 1:
            break
        members[worst] = False
        open_pairs -= thin[:, worst]
    return members


def _name_barring(ways: Sequence[Way], members: Truths) -> list[str]:
    """Name the ways by which pairs may not be decided that leave systems outside.

    members: (K,) which systems are in the linked part.
    """
    alone, thin = mark_barred(ways, len(members))
    barred = (alone | thin)[:, ~members]
    return [way.name for way, own in zip(ways, barred, strict=True) if own.any()]


def _note_outside(systems: Sequence[str], members: Truths, ways: Sequence[str]) -> tuple[str, ...]:
    """Say which systems have no interval, and what those of the others are relative to."""
    if members.all():
        return ()
    whose, inside = " or ".join(f"{way}s" for way in ways), int(members.sum())
    if inside < 2:
        return (f"no intervals: too few {whose} link any two systems",)
    names = [systems[i] for i in np.flatnonzero(~members).tolist()]
    return (
        f"no interval for {listing(names, 3)}: too few {whose} link {_it(names)} to the other"
        f" {inside:,} systems; log-worths and intervals are relative to the mean of these"
        f" {inside:,}",
    )


def _it(names: Sequence[str]) -> str:
    return "it" if len(names) == 1 else "them"


# Which pairs of systems stay open whatever their t, said for the board (INFERENCE B2).

NAMED: Final = 3  # Most clusters that are named for pairs that rest on one of them


def note_open(
    systems: Sequence[str], ways: Sequence[Way], effective: Array, resting: NDArray[np.bool_]
) -> tuple[str, ...]:
    """Say which pairs cannot be decided, and why.

    effective: (K, K) effective clusters of each difference, the fewest of all ways.
    resting: (K, K) whether a difference rests on one cluster alone.
    """
    notes = [_say_resting(way) for way in ways if (way.resting >= 0).any()]
    thin = (effective < FEW) & ~resting
    thin &= np.triu(np.ones_like(thin), 1)
    if thin.any():
        of_ways = mark_barred(ways, len(systems))[1]
        fewest = np.where(thin, effective, np.inf)
        i, j = divmod(int(np.argmin(fewest)), len(systems))
        named = [way.name for way, own in zip(ways, of_ways, strict=True) if (own & thin).any()]
        whose = " or ".join(f"{name}s" for name in named)
        pairs = int(thin.sum())
        notes.append(
            f"{_count(pairs)} on fewer than {FEW:.0f} effective {whose} and {_stay(pairs)} open"
            f" (fewest: {fewest[i, j]:.1f}, {systems[i]} and {systems[j]})"
        )
    return tuple(notes)


def _say_resting(way: Way) -> str:
    """Say how many pairs rest on one cluster, and on which; a pair may rest on several."""
    counts = {code: count_across(part) for code, part in way.parts.items()}
    most = sorted((code for code in counts if counts[code]), key=lambda code: -counts[code])
    pairs = int((way.resting >= 0).sum() // 2)
    alone = f"alone and {_stay(pairs)} open"
    another = f"nothing shows how another {way.name} would differ"
    if len(most) == 1:
        return f"{_count(pairs)} on {way.label(most[0])} {alone}: {another}"
    each = listing([f"{way.label(code)}: {counts[code]:,}" for code in most], NAMED)
    return f"{_count(pairs)} on one {way.name} {alone} ({each}): {another}"


def _count(pairs: int) -> str:
    return f"{pairs:,} pair{'s' * (pairs != 1)} rest{'s' * (pairs == 1)}"


def _stay(pairs: int) -> str:
    return "stays" if pairs == 1 else "stay"


# Most pairs for which worlds are drawn; of more than about 350 systems Holm's method decides
MOST: Final = 60_000
Worlds = tuple[NDArray[np.float32], Array]


@dataclass(frozen=True, eq=False)
class Family:
    """All pairs of systems, and what is known of each."""

    first: NDArray[np.intp]  # (P,) system of each pair
    second: NDArray[np.intp]  # (P,) the other
    statistic: Array  # (K, K) t of row less column
    effective: Array  # (K, K) effective clusters, the fewest of all ways
    resting: NDArray[np.bool_]  # (K, K) whether a difference rests on one cluster alone
    active: NDArray[np.bool_]  # (P,) whether a pair may be decided

    def square(self, chosen: NDArray[np.bool_]) -> NDArray[np.int8]:
        """Return (K, K) decisions, +1, −1 and 0, from those on the active pairs."""
        decided = np.zeros(self.statistic.shape, dtype=np.int8)
        at = np.flatnonzero(self.active)[chosen]
        first, second = self.first[at], self.second[at]
        decided[first, second] = np.sign(self.statistic[first, second])
        return decided - decided.T


def decide_all(fit: Fit, spread: Spread, level: float, seed: int) -> Intervals:
    """Return intervals of centred log-worths, decided pairs and rank sets, all simultaneous.

    level: at which all pairs hold together, and all intervals (proportion).
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

    worlds: (B, K) |t*| of log-worths from each source of worlds.
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

    log_worth: (K,) estimates.
    margin: (K, K) standard errors of differences.
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

    covariance: (K, K) of log-worths, relative to what is zero.
    pairs: (P,) first and (P,) second system of each difference.
    Returns: (B, P) of differences and (B, K) of log-worths, infinite where nothing varies.
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
