"""Intervals and rank sets that hold all at once, from a fit and its clusters.

docs/methods/intervals.md has the statistic, its replicates and the steps. A pair is never decided
that rests on one cluster alone, or on too few: nothing then shows how much others might differ.
Nor is a pair of systems that were rated on different items, where items are neither removed nor
clusters: its difference may be one of items.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import NDArray

from evenhand.errors import listing
from evenhand.numerics import Array, multiple_tests
from evenhand.numerics.distributions import chi2_tail, t_quantile
from evenhand.numerics.multiple_tests import absolute_t
from evenhand.ranking import intervals
from evenhand.ranking.covariance import NO_SPREAD_RATIO, ClusteredErrors, Spread, degrees
from evenhand.ranking.intervals import REPLICATES
from evenhand.ranking.texts import say
from evenhand.render.document import Finding

if TYPE_CHECKING:
    from evenhand.numerics.bootstrap import Pairs

# What keeps a pair open: few clusters, or few judgments?
#
# With n judgments of the same clusters the variance of a difference is A + B / n: what clusters
# share stays. Clustered by w it is V_w, if all answers were independent V_0, and A is about V_w −
# V_0. So clusters bind a pair if V_w > 2 V_0: more than half of its variance then stays, however
# many judgments the same clusters give.
#
# With few clusters V_w is itself uncertain: that clusters differ so much must show over the whole
# board. The mean of V_w / V_0 over pairs has about ν = (G_w − 1)(K − 1) degrees of freedom, with
# G_w effective clusters and K systems, and ν times half of it must be beyond the .95 quantile of
# χ²_ν. Of several ways that bind a pair the one with the largest q √V_w is named, q being
# Bonferroni's quantile of Student's t over all pairs with G_w − 1 degrees of freedom. Where none
# binds the number of judgments does. The rule and its 2 are ours; it chooses words and decides
# nothing.

Truths = NDArray[np.bool_]
ROUNDING: Final = 1e-7  # Standard error beside the largest of all pairs that is rounding
BINDING_RATIO: Final = 2.0  # V_w / V_0 beyond which more judgments cannot halve the variance
MAX_FALSE_BINDING: Final = 0.05  # Chance of a false finding that clusters differ so much
JUDGMENTS: Final = -1


def find_limits(
    estimates: intervals.Estimates, spread: Spread, level: float
) -> dict[str, NDArray[Any]]:
    """Return the fields of rank sets that say what keeps open pairs open."""
    k = len(estimates.systems)
    tail = 1 - (1 - level) / (k * (k - 1))
    way, clusters, reach = np.full((k, k), JUDGMENTS), np.zeros((k, k)), np.zeros((k, k))
    # All of an answer lies in one cell of judge and item: with both it is their cells' where that
    # is larger.
    of_model = intervals.pair_variance(estimates.to_systems(estimates.vcov))
    independent = estimates.inflation * of_model
    if len(spread.clusterings) == 2:
        first, second, crossed = (estimates.to_systems(vcov) for vcov in spread.vcovs[:3])
        independent = np.maximum(independent, intervals.pair_variance(first + second - crossed))
    alone, thin = mark_barred(spread.clusterings, k)
    for place, one in enumerate(spread.clusterings):
        variance = intervals.pair_variance(estimates.to_systems(one.vcov))
        ratio = np.divide(variance, independent, out=np.zeros((k, k)), where=independent > 0)
        if not differ_so_much(ratio[np.triu(~(alone | thin)[place], 1)], degrees(one.factor), k):
            continue
        width = t_quantile(tail, degrees(one.factor)) * np.sqrt(variance)
        binds = (ratio > BINDING_RATIO) & (width > reach)
        way[binds], reach[binds] = place, width[binds]
        known = np.full((k, k), one.factor.effective) if one.effective is None else one.effective
        clusters[binds] = known[binds]
    return {"way": way, "clusters": clusters, "lone": alone, "thin": thin}


def differ_so_much(ratios: Array, df: float, systems: int) -> bool:
    """Say by (P,) V_w / V_0 whether clusters differ too much for more judgments to help."""
    # χ² with a degree of freedom or more exceeds its mean in .317 of all cases or more, so that a
    # ratio below needs no tail, for which scipy would be imported (.1 s of CPU)
    if not len(ratios) or float(ratios.mean()) <= BINDING_RATIO:
        return False
    freedom, times = df * (systems - 1), float(ratios.mean()) / BINDING_RATIO
    # nor does one so large that Chernoff's bound of the tail is small enough
    if freedom / 2 * (times - 1 - log(times)) >= -log(MAX_FALSE_BINDING):
        return True
    return chi2_tail(freedom * times, freedom) <= MAX_FALSE_BINDING


def mark_barred(clusterings: Sequence[ClusteredErrors], systems: int) -> tuple[Truths, Truths]:
    """Return (W, K, K) by which way a difference rests on one cluster alone, and on too few."""
    alone = np.zeros((len(clusterings), systems, systems), dtype=np.bool_)
    thin = np.zeros_like(alone)
    for place, way in enumerate(clusterings):
        alone[place] = way.resting >= 0
        if way.effective is not None and way.name != "ranking":
            thin[place] = way.effective < intervals.MIN_CLUSTERS
            np.fill_diagonal(thin[place], val=False)
    return alone, thin


# Which systems have an interval: the linked part, among which differences can be decided. Zero is
# then its mean, since one system that came yesterday and was seen by two judges would make the
# intervals of all others endless.


def find_part(
    estimates: intervals.Estimates, worths: Sequence[Array], family: Family, spread: Spread
) -> tuple[Truths, Truths, Array, tuple[Finding, ...]]:
    """Return (K,) the members of the linked part, who has an interval, and standard errors."""
    clusterings = spread.clusterings
    members = find_members(family.effective, family.resting | family.apart)
    alone, thin = mark_barred(clusterings, len(members))
    barred = (alone | thin)[:, ~members]
    barring = [way.name for way, mask in zip(clusterings, barred, strict=True) if mask.any()]
    barring += spread.different if family.apart[:, ~members].any() else ()
    bounded, inside, notes = members.copy(), int(members.sum()), []
    if not members.all():
        whose = " or ".join(f"{way}s" for way in dict.fromkeys(barring))
        names = [estimates.systems[i] for i in np.flatnonzero(~members).tolist()]
        notes.append(
            say("no-intervals", "warning", factors=whose)
            if inside < 2
            else say("no-interval", systems=names, factors=whose, inside=inside)
        )
    if inside < 2:
        members, bounded = np.ones_like(members), np.zeros_like(members)
    variance = np.max([intervals.centred_variance(one, members) for one in worths], axis=0)
    of_model = intervals.centred_variance(estimates.to_systems(estimates.vcov), members)
    flat = bounded & (variance < NO_SPREAD_RATIO * of_model)
    if flat.any():
        names = [estimates.systems[i] for i in np.flatnonzero(flat).tolist()]
        by = " and ".join(way.name for way in clusterings) or "judgment"
        notes.append(say("no-spread", systems=names, factors=by))
    return members, bounded & ~flat, np.sqrt(variance), tuple(notes)


def find_members(effective: Array, resting: Truths) -> Truths:
    """Return (K,) which systems are in the linked part."""
    # It is the largest set of systems that no cluster alone holds together, the first of equal
    # ones, less those of which more than half of the differences inside are of too few effective
    # clusters, the worst first.
    members: Truths = ~resting[int(np.argmin(resting.sum(axis=1)))]
    thin = effective < intervals.MIN_CLUSTERS
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


# Which pairs of systems stay open whatever their t, said for the board.

MAX_CLUSTERS_NAMED: Final = 3  # Most clusters that are named for pairs that rest on one of them


def note_open(
    systems: Sequence[str], ways: Sequence[ClusteredErrors], effective: Array, resting: Truths
) -> tuple[Finding, ...]:
    notes = []
    for way in (one for one in ways if (one.resting >= 0).any()):
        pairs = int((way.resting >= 0).sum() // 2)
        # pairs of systems in different parts
        counts = {
            code: (len(part) ** 2 - int((np.bincount(part) ** 2).sum())) // 2
            for code, part in way.parts.items()
        }
        most = sorted((code for code in counts if counts[code]), key=lambda code: -counts[code])
        if len(most) == 1:
            known, code = way.label(most[0]), "one-cluster"
        else:
            each = [f"{way.label(code)}: {counts[code]:,}" for code in most]
            known, code = listing(each, MAX_CLUSTERS_NAMED), "one-cluster-each"
        notes.append(say(code, pairs=pairs, clusters=known, factor=way.name))
    thin = (effective < intervals.MIN_CLUSTERS) & ~resting
    thin &= np.triu(np.ones_like(thin), 1)
    if thin.any():
        of_ways = mark_barred(ways, len(systems))[1]
        fewest = np.where(thin, effective, np.inf)
        i, j = divmod(int(np.argmin(fewest)), len(systems))
        named = [way.name for way, mask in zip(ways, of_ways, strict=True) if (mask & thin).any()]
        whose = " or ".join(f"{name}s" for name in named)
        notes.append(
            say(
                "thin-pairs",
                pairs=int(thin.sum()),
                least=intervals.MIN_CLUSTERS,
                factors=whose,
                fewest=float(fewest[i, j]),
                one=systems[i],
                other=systems[j],
            )
        )
    return tuple(notes)


MAX_BOOTSTRAP_PAIRS: Final = 60_000  # Most pairs with replicates; beyond, Holm's method decides
Replicates = tuple[NDArray[np.float32], Array]
# (K, K) decisions that hold together, those of each row by itself, and |t| at every step
Decisions = tuple[NDArray[np.int8], NDArray[np.int8], tuple[float, ...]]


@dataclass(frozen=True, eq=False)
class Family:
    first: NDArray[np.intp]  # (P,) system of each pair
    second: NDArray[np.intp]  # (P,) the other
    statistic: Array  # (K, K) t of row less column
    effective: Array  # (K, K) effective clusters, the fewest of all ways
    resting: NDArray[np.bool_]  # (K, K) whether a difference rests on one cluster alone
    apart: NDArray[np.bool_]  # (K, K) whether it may be one of items
    active: NDArray[np.bool_]  # (P,) whether a pair may be decided

    def square(self, chosen: NDArray[np.bool_]) -> NDArray[np.int8]:
        """Return (K, K) decisions, +1, −1 and 0, from those on the active pairs."""
        decided = np.zeros(self.statistic.shape, dtype=np.int8)
        at = np.flatnonzero(self.active)[chosen]
        first, second = self.first[at], self.second[at]
        decided[first, second] = np.sign(self.statistic[first, second])
        return decided - decided.T


def decide_all(
    estimates: intervals.Estimates, spread: Spread, level: float, seed: int
) -> intervals.Intervals:
    """Return intervals, decided pairs and rank sets that all hold together at a level."""
    worths = [estimates.to_systems(vcov) for vcov in spread.vcovs]
    margin = np.sqrt(np.max([intervals.pair_variance(one) for one in worths], axis=0))
    family = gather_pairs(estimates.values, margin, spread.clusterings, spread.apart)
    members, bounded, errors, notes_of_part = find_part(estimates, worths, family, spread)
    by_holm, adjusted = len(family.first) > MAX_BOOTSTRAP_PAIRS, None
    if by_holm:
        decisions, critical = decide_by_holm(family, spread.df, bounded, level)
    else:
        drawn = draw_replicates(estimates.rows, spread, family, members, Generator(PCG64(seed)))
        of_pairs, of_worths = zip(*drawn, strict=True)
        decisions = decide_pairs(family, of_pairs, level)
        critical = limit_worths(of_worths, bounded, level)
        if len(margin) <= intervals.MAX_LISTED_SYSTEMS:
            adjusted = np.full(margin.shape, np.nan)
            at = family.first[family.active], family.second[family.active]
            adjusted[at] = multiple_tests.adjust_by_steps(np.abs(family.statistic[at]), of_pairs)
            adjusted.T[at] = adjusted[at]
    decided, alone, steps = decisions
    sets = intervals.RankSets(
        clusterings=tuple(way.name for way in spread.clusterings) or ("judgment",),
        replicates=0 if by_holm else REPLICATES,
        critical=steps,
        statistic=family.statistic,
        decided=decided,
        alone=alone,
        effective=family.effective,
        resting=family.resting,
        apart=family.apart,
        different=spread.different,
        **find_limits(estimates, spread, level),
        adjusted=adjusted,
    )
    unsaid = note_open(estimates.systems, spread.clusterings, family.effective, family.resting)
    together = int(np.triu(family.apart, 1).sum())
    of_items = together > 0 and spread.different == ("item",)
    different = [say("different-items", "warning", pairs=together)] if of_items else []
    notes = [*spread.notes, *different, *unsaid, *notes_of_part]
    if bounded.any() and not np.isfinite(critical):
        notes.append(say("no-intervals-at-level", "warning", level=level))
    stderr = np.where(bounded & np.isfinite(critical), errors, np.inf)
    centred = estimates.values - estimates.values[members].mean()
    return intervals.Intervals(
        stderr,
        centred - critical * stderr,
        centred + critical * stderr,
        sets.decided,
        f"rank sets {spread.method}, {name_critical_values(sets)}",
        notes=tuple(notes),
        ways=spread.ways,
        parameters=np.sqrt(np.max([np.diag(vcov) for vcov in spread.vcovs], axis=0)),
        df=spread.df,
        pairs=margin if len(margin) <= intervals.MAX_PAIR_SYSTEMS else None,
        rank_sets=sets,
        centred_on=None if members.all() else members,
    )


def limit_worths(replicates: Sequence[Array], bounded: Truths, level: float) -> float:
    """Return the |t| up to which intervals go, from (B, K) replicates of each clustering; or ∞."""
    if not bounded.any():
        return np.inf
    largest = [draws[:, bounded].max(axis=1) for draws in replicates]
    return max(float(multiple_tests.order_statistic(one, level)) for one in largest)


def gather_pairs(
    log_worth: Array, margin: Array, ways: Sequence[ClusteredErrors], apart: Truths | None = None
) -> Family:
    """Put all pairs together, from (K,) estimates and (K, K) standard errors of differences."""
    k = len(log_worth)
    gap = log_worth[:, None] - log_worth
    varies = margin > ROUNDING * margin.max(initial=0.0)
    statistic = np.divide(gap, margin, out=np.zeros((k, k)), where=varies)
    effective, resting = np.full((k, k), np.inf), np.zeros((k, k), dtype=np.bool_)
    for way in ways:
        resting |= way.resting >= 0
        if way.effective is not None and way.name != "ranking":
            effective = np.minimum(effective, way.effective)
    first, second = np.triu_indices(k, 1)
    apart = np.zeros_like(resting) if apart is None else apart
    active = ~(resting | apart) & (effective >= intervals.MIN_CLUSTERS) & varies
    return Family(first, second, statistic, effective, resting, apart, active[first, second])


def draw_replicates(
    rows: Array, spread: Spread, family: Family, members: Truths, rng: Generator
) -> Iterator[Replicates]:
    """Draw |t*| of active pairs, (B, P), and of (K, p) rows, (B, K), for each way of clustering."""
    rows = rows - rows[members].mean(axis=0)
    pairs = family.first[family.active], family.second[family.active]
    for way in spread.clusterings:
        if way.influence is not None:
            from evenhand.numerics.bootstrap import bootstrap_contrasts, draw_webb

            weights = draw_webb((REPLICATES, len(way.influence.changes)), rng)
            yield bootstrap_contrasts(way.influence.relative_to(members), weights, pairs)
        else:
            df = max(1.0, way.factor.effective - 1)
            yield draw_student(rows @ way.vcov @ rows.T, df, pairs, rng)
    if not spread.clusterings:
        worst = max(spread.vcovs, key=lambda vcov: float(np.trace(vcov)))
        yield draw_student(rows @ worst @ rows.T, spread.df, pairs, rng)


def draw_student(covariance: Array, df: float, pairs: Pairs, rng: Generator) -> Replicates:
    """Draw (B, P) |t| of differences and (B, K) of log-worths from Student's t."""
    root = intervals.find_root(covariance)
    drawn = rng.standard_normal((REPLICATES, len(root))) @ root.T
    if np.isfinite(df):
        drawn /= np.sqrt(rng.chisquare(df, (REPLICATES, 1)) / df)
    covariance_drawn = root @ root.T
    by_system = drawn.T.copy()
    apart = by_system[pairs[0]] - by_system[pairs[1]]
    of_pairs = absolute_t(apart, intervals.pair_variance(covariance_drawn)[pairs][:, None]).astype(
        np.float32
    )
    return of_pairs.T, absolute_t(drawn, np.maximum(np.diag(covariance_drawn), 0.0))


def decide_pairs(
    family: Family, replicates: Sequence[NDArray[np.float32]], level: float
) -> Decisions:
    first, second = family.first[family.active], family.second[family.active]
    sizes = np.abs(family.statistic[first, second])
    together, critical = multiple_tests.step_down(sizes, replicates, level)
    alone = np.zeros_like(family.resting, dtype=np.int8)
    for system in range(len(alone)):
        of_system = np.flatnonzero((first == system) | (second == system))
        chosen = np.zeros(len(first), dtype=np.bool_)
        chosen[of_system], _ = multiple_tests.step_down(
            sizes[of_system], [draws.T[of_system].T for draws in replicates], level
        )
        alone[system] = family.square(chosen)[system]
    return family.square(together), alone, critical


def decide_by_holm(
    family: Family, df: float, bounded: Truths, level: float
) -> tuple[Decisions, float]:
    """Decide by Holm's method where pairs are very many; also Bonferroni's |t| for worths."""
    first, second = family.first[family.active], family.second[family.active]
    sizes = np.abs(family.statistic)
    together, critical = multiple_tests.step_down_holm(sizes[first, second], df, level)
    may = np.zeros_like(family.resting)
    may[first, second] = may[second, first] = True
    alone = np.zeros_like(may, dtype=np.int8)
    for system, others in enumerate(may):
        chosen, _ = multiple_tests.step_down_holm(sizes[system, others], df, level)
        alone[system, others] = chosen * np.sign(family.statistic[system, others])
    tests = 2 * max(1, int(bounded.sum()))
    return (family.square(together), alone, critical), t_quantile(1 - (1 - level) / tests, df)


def name_critical_values(sets: intervals.RankSets) -> str:
    return f"max-|t| step-down, B={sets.replicates}" if sets.replicates else "Holm"
