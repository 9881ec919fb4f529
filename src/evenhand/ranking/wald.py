"""What judge and item covariates do: tests of each, the order in each group, what stands out.

Each covariate of a fit is tested by a likelihood ratio, which assumes independent judgments, and
beside it by a Wald test for each way in which judgments are known to hang together. What stands
out is said coefficient by coefficient, p-values adjusted for all of them by Holm's method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, listing
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.groups import tally_groups
from evenhand.judgments.joined_codes import join_codes
from evenhand.judgments.tally import Factor, Tally, merge_levels
from evenhand.models.base import Fit
from evenhand.models.coefficients import Coefficient, LRTest
from evenhand.models.design import Owner, home_level, tag_of
from evenhand.models.judge_groups import (
    GroupOrder,
    Hypothesis,
    Kind,
    find_hypotheses,
    list_owners,
    order_groups,
)
from evenhand.models.likelihood import Likelihood
from evenhand.numerics.distributions import f_tail
from evenhand.numerics.graph import Graph, weak_components
from evenhand.numerics.multiple_tests import holm
from evenhand.ranking.clustering import (
    CLUSTERS,
    FACTORS,
    Evidence,
    choose_ways,
    of_one_judge,
    single_answers,
)
from evenhand.ranking.sandwich import DENSE, SINGULAR, find_bridges, leave_out, total_information

# A Wald test that allows for judgments that hang together.
#
# W = bᵀ V⁻¹ b,   F = W/q · (G − q)/(G − 1)   on q and G − q df      (Hotelling's T²)
# G = (Σ a_g)² / Σ a_g²,   a_g = tr (H⁻¹)_bb⁻¹ (H⁻¹ H_g H⁻¹)_bb      (INFERENCE B2)
#
# b are the q parameters that a hypothesis says are zero, V their covariance by clusters (CV3, or
# CR1 where information by cluster would be too large), G the effective number of clusters for b: a
# group of five judges beside one of fifteen has about nine. The judge effects of a model may thus
# be tested where judges give many answers each and a likelihood ratio rejects too often (INFERENCE
# A10). With W/q on q and G − 1 df, G the plain number, true hypotheses at level .05 were rejected
# in .07 to .37 of simulated campaigns; with this in .01 to .08
# (tests/experiments/test_judge_effects.py).
#
# When not to use it: by a way of clustering of which some group has one level only; where a group
# is one judge, that judge says nothing of how judges like it differ.

Array = NDArray[np.float64]
Codes = NDArray[np.int32]


@dataclass(frozen=True)
class WaldTest:
    """A cluster-robust Wald test."""

    cluster: str  # what hangs together: judge, item or ranking
    clusters: int  # their number
    effective: float  # their effective number for what is tested, G
    statistic: float  # F
    df: tuple[int, float]  # its degrees of freedom, q and G − q
    p: float  # p-value
    kind: str  # how the covariance was made, CV3 or CR1


@dataclass(frozen=True, eq=False)
class Spread:
    """The covariance of a fit by clusters."""

    vcov: Array  # (p, p) covariance of the parameters
    scores: Array  # (G, p) scores of the clusters
    own: Array | None  # (G, p, p) their information; None where it would be too large

    @property
    def kind(self) -> str:
        """How the covariance was made."""
        return "CR1" if self.own is None else "CV3"

    def effective(self, bread: Array, at: NDArray[np.intp]) -> float:
        """Return the effective number of clusters for some parameters; all where it is unknown."""
        if self.own is None:
            return float(len(self.scores))
        rows = bread[at]
        weight = rows.T @ np.linalg.solve(bread[np.ix_(at, at)], rows)
        shares = np.einsum("gij,ij->g", self.own, weight)
        return float(shares.sum() ** 2 / (shares**2).sum())


def wald_test(fit: Fit, tally: Tally, cluster: str, at: NDArray[np.intp]) -> WaldTest:
    """Test that some parameters of a fit are zero, by clusters of judgments.

    at: (q,) places of the parameters in `fit.estimate`.
    """
    spread = cluster_spread(fit, tally, cluster)
    q, clusters = len(at), len(spread.scores)
    effective = spread.effective(fit.raw_vcov, at)
    if effective <= q:
        few = f" ({effective:.1f} effective)" if effective < clusters - 0.05 else ""
        raise NotIdentified(
            f"{clusters} {cluster}s{few} are too few to test {q} parameters at once"
        )
    own, effect = spread.vcov[np.ix_(at, at)], fit.beta[at]
    scale = np.sqrt(np.diag(own))
    if not (scale > 0).all() or np.linalg.eigvalsh(own / scale / scale[:, None])[0] < SINGULAR:
        raise NotIdentified(
            f"{cluster}s answered so alike, or are so few, that they do not show how much others"
            " might differ"
        )
    wald = float(effect @ np.linalg.solve(own, effect))
    df = (q, effective - q)
    statistic = wald / q * (effective - q) / (effective - 1)
    p = f_tail(statistic, *df)
    return WaldTest(cluster, clusters, effective, statistic, df, p, spread.kind)


def cluster_spread(fit: Fit, tally: Tally, cluster: str) -> Spread:
    """Return the covariance of a fit with judge groups by clusters."""
    pooled = tally.pool(tuple(dict.fromkeys([*fit.model.covariates, cluster])))
    factor = pooled.factor(cluster)
    parts = _take_apart(fit, pooled, factor)
    beta, bread, p, g = fit.beta, fit.raw_vcov, len(fit.raw_vcov), len(parts)
    if g < 2:
        raise NotIdentified(f"all judgments are of one {cluster}")
    scores = np.stack([part.score(beta)[:p] for part in parts])
    if g * p**2 > DENSE:
        return _of_scores(fit, scores)
    own = np.stack([part.expand(beta).information[:p, :p] for part in parts])
    total = total_information(fit)
    alone = find_bridges(fit, total, own)
    if alone and cluster == "ranking":  # one answer may be a link: nothing is claimed of others
        return _of_scores(fit, scores)
    if alone:
        raise NotIdentified(_say_who_is_alone(fit, pooled, cluster, alone))
    changes = leave_out(bread, total, own, scores)
    changes -= changes.mean(axis=0)
    return Spread((g - 1) / g * changes.T @ changes, scores, own)


def _of_scores(fit: Fit, scores: Array) -> Spread:
    """Return CR1, which leaves no cluster out."""
    (g, p), n = scores.shape, fit.n_comparisons
    inflation = g / (g - 1) * (n - 1) / (n - p)
    return Spread(fit.raw_vcov @ (scores.T @ scores) @ fit.raw_vcov * inflation, scores, None)


def _take_apart(fit: Fit, tally: Tally, factor: Factor) -> list[Likelihood]:
    """Return the likelihood of every cluster that holds information."""
    design, ties = fit.design, fit.likelihood.ties
    counts = fit.model.treat_ties(tally.counts)
    rows = np.flatnonzero(counts.sum(axis=1) > 0)
    rows = rows[np.argsort(factor.codes[rows], kind="stable")]
    used = fit.model.treat_ties(fit.tally.counts).sum(axis=1) > 0
    place = np.zeros((len(design.groups), len(design.systems)), dtype=np.int32)
    place[design.group, design.system] = np.arange(design.size)
    group = _look_up(fit, tally, design.group[design.left], used)[rows]
    whole = replace(
        design, left=place[group, tally.left[rows]], right=place[group, tally.right[rows]]
    )
    code = None if ties is None else _look_up(fit, tally, ties.code, used)[rows]
    borders = np.searchsorted(factor.codes[rows], np.arange(factor.size + 1)).tolist()
    parts = []
    for start, stop in pairwise(borders):
        own = slice(start, stop)
        if start < stop:
            part = replace(whole, left=whole.left[own], right=whole.right[own])
            among = None if ties is None or code is None else replace(ties, code=code[own])
            likelihood = replace(fit.likelihood, design=part, counts=counts[rows[own]], prior=0.0)
            parts.append(replace(likelihood, ties=among))
    return parts


def _look_up(fit: Fit, tally: Tally, known: NDArray[np.int32], used: NDArray[np.bool_]) -> Codes:
    """Return what a fit knows of each entry's judge group, for the entries of another tally.

    known: (C,) what is known of the entries that the fit used.
    """
    keys = {"own": np.zeros(len(known), np.int64), "other": np.zeros(len(tally.left), np.int64)}
    for name in fit.model.covariates:
        mine, theirs = fit.tally.factor(name), tally.factor(name)
        place = {label: code for code, label in enumerate(mine.labels)}
        renamed = np.array([place[label] for label in theirs.labels], dtype=np.int64)
        keys["own"] = keys["own"] * mine.size + mine.codes[used]
        keys["other"] = keys["other"] * mine.size + renamed[theirs.codes]
    distinct, first = np.unique(keys["own"], return_index=True)
    return np.asarray(known[first][np.searchsorted(distinct, keys["other"])], dtype=np.int32)


def _say_who_is_alone(fit: Fit, tally: Tally, cluster: str, alone: Sequence[int]) -> str:
    """Say which clusters nothing can be left out of, and what hangs on the first of them.

    alone: codes of those clusters.
    """
    factor = tally.factor(cluster)
    what = "for some judge group"
    if len(fit.groups) == 1:
        hanging = _find_hanging(fit, tally, factor.codes == alone[0])
        what = f"of {listing(hanging, 3)}" if hanging else "of some parameter"
    if factor.merged:
        return f"a few {cluster}s alone speak {what}"
    names = listing([factor.labels[g] for g in alone], 3)
    speak = "speaks" if len(alone) == 1 else "each speak"
    return f"{names} alone {speak} {what}: it takes two {cluster}s to see a spread"


def _find_hanging(fit: Fit, tally: Tally, own: NDArray[np.bool_]) -> list[str]:
    """Return the systems that are cut off from the largest part without some entries."""
    rest = fit.model.treat_ties(tally.counts).sum(axis=1) > 0
    rest &= ~own
    part = weak_components(Graph(len(tally.systems), tally.left[rest], tally.right[rest]))
    cut = np.flatnonzero(part != np.argmax(np.bincount(part)))
    return [tally.systems[system] for system in cut]


# By which ways of clustering a hypothesis about a fit is tested: judges, items, rankings.
#
# The ways are those of a ranking (`clustering`, INFERENCE B6): judges and items where they are
# enough; items alone, and a statement about these judges only, where judges are fewer than five or
# are what the hypothesis is about. Where no other way gives a test the answers themselves are
# clusters, if they are rankings: a likelihood ratio takes comparisons of one ranking for
# independent, and at level .05 it rejected two true hypotheses in .38 and .67 of simulated
# campaigns, the test by ranking in .08 and .03 (tests/ranking/test_ways.py).
#
# When not to use it: for intervals, which `inference` makes.

Found = tuple[tuple[WaldTest, ...], tuple[str, ...]]
ONE_RANKING: Final = "the likelihood ratio takes comparisons of one ranking for independent"


def count_ways(
    table: Comparisons, by: str | None, covariates: Sequence[str]
) -> dict[str, dict[str, Tally]]:
    """Count the same judgments by each way in which they may hang together."""
    found: dict[str, dict[str, Tally]] = {}
    for way in FACTORS:
        if not table.has(way) or (way == by and way != "judge"):
            continue
        for name, tally in _count(table, by, covariates, way).items():
            found.setdefault(name, {})[way] = tally if way in covariates else _merge(tally, way)
    return found


def note_numbers(ways: Mapping[str, Tally], covariates: Sequence[str]) -> tuple[str, ...]:
    """Say which covariates are numbers that nearly every judge (or item) has one of.

    Each number is then a group by itself, as a name would be.
    """
    notes = []
    for name in (one for one in covariates if one not in ways):
        for way, tally in ways.items():
            values, factor = tally.factor(name).labels, tally.factor(way)
            cells = join_codes(
                [(tally.factor(name).codes, len(values)), (factor.codes, factor.size)]
            )
            of_each = not factor.merged and len(np.unique(cells)) == factor.size
            if of_each and 2 * len(values) > factor.size > 2 and all(map(_is_number, values)):
                n = f"{len(values)} values for {factor.size} {way}s"
                notes.append(f"{name} has {n}, taken as groups")
    return tuple(notes)


def _is_number(word: str) -> bool:
    """Say whether a level is written as a number."""
    return word.removeprefix("-").replace(".", "", 1).isdecimal()


def _count(
    table: Comparisons, by: str | None, covariates: Sequence[str], way: str
) -> dict[str, Tally]:
    """Count by covariates and by a way, whose levels are merged at once if there are no groups."""
    factors = tuple(dict.fromkeys((*covariates, way)))
    if by is None:
        return {"": table.tally(by=factors, limits={} if way in covariates else {way: CLUSTERS})}
    found = tally_groups(table, by, factors)
    return {name: of_one_judge(one, name) for name, one in found.items()} if way == by else found


def _merge(tally: Tally, way: str) -> Tally:
    factor = tally.factor(way)
    merged = factor if factor.merged else merge_levels(factor, CLUSTERS, SEED)
    return replace(tally, factors={**tally.factors, way: merged})


def walds_by_ways(
    fit: Fit, ways: Mapping[str, Tally], at: NDArray[np.intp], besides: str = ""
) -> Found:
    """Test that parameters are zero by each way of clustering, or say why there is no test.

    at: (q,) places of the parameters in `fit.estimate`.
    """
    evidence, of_judges = Evidence(ways, fit.tally), besides == "judge"
    chosen = choose_ways(evidence, of_these_judges=of_judges)
    notes = [f"every group is one {besides}: no test by {besides}"] * (besides in ways)
    notes += [*chosen.notes, *([chosen.headline] if chosen.headline else [])]
    tests: list[WaldTest] = []
    for way in chosen.ways:
        if way != besides:
            _try(fit, ways[way], way, at, (tests, notes))
    answers = [one for one in single_answers(evidence) if one not in (*chosen.ways, besides)]
    for way in answers if not tests else []:
        _try(fit, ways[way], way, at, (tests, notes))
    if not tests:
        notes += say_of_rankings(ways, fit.tally)
    return tuple(tests), tuple(notes)


def _try(
    fit: Fit,
    tally: Tally,
    way: str,
    at: NDArray[np.intp],
    found: tuple[list[WaldTest], list[str]],
) -> None:
    """Add a test, or why there is none."""
    tests, notes = found
    try:
        tests.append(wald_test(fit, tally, way, at))
    except NotIdentified as refusal:
        notes.append(f"no test by {way}: {refusal}")


def walds_of(one: Hypothesis, ways: Mapping[str, Tally]) -> Found:
    """Test by clusters that a covariate makes no difference."""
    if one.tieless:
        never = f"{', '.join(one.tieless)} never tied: no clustered test"
        return (), (never, *say_of_rankings(ways, one.fit.tally))
    return walds_by_ways(one.fit, ways, one.at, besides=one.covariate)


def say_of_rankings(ways: Mapping[str, Tally], whole: Tally) -> tuple[str, ...]:
    """Say so where answers are rankings, which a likelihood ratio knows nothing of."""
    return (ONE_RANKING,) if single_answers(Evidence(ways, whole)) else ()


LEVEL: Final = 0.05  # Adjusted p-value below which an interaction stands out


@dataclass(frozen=True)
class Effect:
    """The tests of one covariate."""

    covariate: str  # its name
    of: Kind  # whether worths or ties are asked to depend on it
    lr: LRTest | None  # the likelihood-ratio test; None under a prior or importance weights
    walds: tuple[WaldTest, ...]  # cluster-robust tests of the same, one for each way of clustering
    notes: tuple[str, ...]  # why a way of clustering has no test


@dataclass(frozen=True)
class Interaction:
    """One parameter by which a judge group differs from the reference group."""

    coefficient: Coefficient  # the parameter
    covariate: str  # the covariate that tells the group
    level: str  # the group's level of it
    home: str  # the reference level, which it is compared with
    of: str  # the system (or system covariate) that the parameter is about; "tie" for ties
    against: str  # the reference system, which liking is against; empty where there is none
    p_holm: float  # its p-value, adjusted for all interactions of the fit

    @property
    def stands_out(self) -> bool:
        """Whether it is larger than chance leaves any of them to be, if answers are independent."""
        return self.p_holm < LEVEL

    def say(self, *, alone: bool = True) -> str:
        """Say who differs from whom in what, and how much on the λ scale."""
        one = self.coefficient
        of = "" if alone else f"{self.covariate}="
        who, whom = f"{of}{self.level}", f"{of}{self.home}"
        more = "more" if one.estimate > 0 else "less"
        often = f"ties {more} often than {whom} does"
        likes = f"likes {self.of} {more} than {whom} does"
        likes += f", against {self.against}" if self.against else ""
        numbers = f"({one.estimate:.3f}, z {one.z:.1f})".replace("-", "−")
        return f"{who} {often if self.of == 'tie' else likes} {numbers}"


@dataclass(frozen=True)
class OddReference:
    """A reference level from which most others differ, and alike: it is the odd one."""

    covariate: str  # the covariate
    level: str  # its reference level
    of: str  # the system (or system covariate) on which it differs; "tie" for ties
    against: str  # the reference system, which liking is against; empty where there is none
    alike: tuple[Interaction, ...]  # how most others differ from it, the largest |z| first
    more: bool  # whether others are above it
    others: int  # number of other levels
    farthest: str  # the level farthest from the mean of all, the reference counted as 0
    distance: float  # how far it is from that mean, on the λ scale


@dataclass(frozen=True)
class Effects:
    """What covariates do to a fit."""

    tests: tuple[Effect, ...]  # one for each covariate
    interactions: tuple[Interaction, ...]  # all of them, the largest |z| first
    orders: tuple[GroupOrder, ...]  # the systems in the eyes of each group
    scale: str  # what the log-worths of the orders are against

    @property
    def odd_references(self) -> tuple[OddReference, ...]:
        """Reference levels from which more than half of two or more others stand out one way."""
        about: dict[tuple[str, str], list[Interaction]] = {}
        for one in self.interactions:
            about.setdefault((one.covariate, one.of), []).append(one)
        found = (
            _find_odd(others, more=more) for others in about.values() for more in (True, False)
        )
        return tuple(one for one in found if one is not None)


def _find_odd(others: Sequence[Interaction], *, more: bool) -> OddReference | None:
    """Return the reference level if it is the odd one on a system."""
    out = [one for one in others if one.stands_out and (one.coefficient.estimate > 0) == more]
    if len(others) < 2 or 2 * len(out) <= len(others):
        return None
    first = others[0]
    at = {first.home: 0.0} | {one.level: one.coefficient.estimate for one in others}
    mean = sum(at.values()) / len(at)
    farthest = max(at, key=lambda level: abs(at[level] - mean))
    return OddReference(
        first.covariate,
        first.home,
        first.of,
        first.against,
        tuple(out),
        more,
        len(others),
        farthest,
        at[farthest] - mean,
    )


def find_effects(fit: Fit, evidence: Mapping[str, Tally]) -> Effects:
    """Test the covariates of a fit, and say what each judge group prefers.

    evidence: way of clustering (judge, item, ranking) → the same judgments, told apart by the
        covariates of the model and by that way. >>> from evenhand import BradleyTerry, Comparisons,
        datasets, read >>> import polars as pl >>> one = datasets.load("dras2015_table1") >>> data =
        read(pl.DataFrame(one.rows, schema=list(one.columns), orient="row")) >>> fit =
        BradleyTerry(judge_covariates=("judge",)).fit(data) >>> found = find_effects(fit, {}) >>>
        print(found.tests[0].lr) LR 173.4128 on 9 df, p <.0001 (assumes independent judgments) >>> [
        ...     one.say() for one in found.interactions if one.stands_out ... ]  # doctest:
        +NORMALIZE_WHITESPACE ['J3 likes A less than J1 does, against D (−1.868, z −6.5)', 'J3 likes
        B less than J1 does, against D (−1.281, z −4.1)']
    """
    orders, scale = order_groups(fit)
    return Effects(
        tests=tuple(_test(one, evidence) for one in find_hypotheses(fit)),
        interactions=_list_interactions(fit),
        orders=orders,
        scale=scale,
    )


def _test(hypothesis: Hypothesis, ways: Mapping[str, Tally]) -> Effect:
    walds, notes = walds_of(hypothesis, ways)
    return Effect(hypothesis.covariate, hypothesis.of, hypothesis.lr, walds, notes)


def _list_interactions(fit: Fit) -> tuple[Interaction, ...]:
    by_name = {one.name: one for one in fit.coefficients}
    found = [
        (by_name[name], owner)
        for name, owner in zip(fit.names, list_owners(fit), strict=True)
        if owner[0] and by_name[name].p is not None
    ]
    adjusted = holm(np.array([one.p for one, _ in found], dtype=np.float64))
    homes = {name: _home_of(fit, name) for name in fit.model.covariates}
    against = "" if fit.model.system_covariates else fit.systems[fit.design.reference]
    listed = [
        Interaction(one, *owner, homes[owner[0]], _about(one, owner), against, p)
        for (one, owner), p in zip(found, adjusted.tolist(), strict=True)
    ]
    return tuple(sorted(listed, key=lambda one: -abs(one.coefficient.z or 0.0)))


def _home_of(fit: Fit, covariate: str) -> str:
    """Return the reference level of a covariate."""
    levels = fit.tally.factor(covariate).labels
    return levels[home_level(covariate, levels, fit.model.references)]


def _about(one: Coefficient, owner: Owner) -> str:
    """Take the level off a label."""
    for alone in (False, True):
        if one.label.endswith(tag_of(owner, alone=alone)):
            return one.label.removesuffix(tag_of(owner, alone=alone))
    return one.label
