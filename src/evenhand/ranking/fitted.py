"""What judge and item covariates do: tests of each, the order in each group, what stands out.

Each covariate of a fit is tested by a likelihood ratio, which assumes independent judgments, and
beside it by a Wald test for each way in which judgments are known to be correlated. What stands
out is said coefficient by coefficient, p-values adjusted for all of them by Holm's method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.exclusions import Exclusion, list_findings, sign_excluded, write_contract
from evenhand.data.groups import tally_groups
from evenhand.data.rating_rows import RatingRows, digest_ratings, reads_lower_of
from evenhand.data.references import note_references
from evenhand.data.results import Shown
from evenhand.data.tally import Tally, join_codes, merge_levels
from evenhand.errors import NotIdentified, listing
from evenhand.models.base import Coefficient, FittedModel, LRTest
from evenhand.models.controls import ControlledFit
from evenhand.models.design import home_level, tag_of
from evenhand.models.log_linear import (
    Fit,
    GroupOrder,
    Hypothesis,
    Kind,
    find_hypotheses,
    list_owners,
    order_groups,
)
from evenhand.models.rating_fit import RatingFit
from evenhand.models.registry import Model, name_settings, say_model
from evenhand.numerics import Array
from evenhand.numerics.bootstrap import jackknife
from evenhand.numerics.distributions import f_tail
from evenhand.numerics.graph import Graph, weak_components
from evenhand.numerics.multiple_tests import holm
from evenhand.numerics.newton import NO_PIVOT
from evenhand.ranking import sandwich
from evenhand.ranking.clustering import (
    FACTORS,
    MAX_CLUSTERS,
    Evidence,
    choose_factors,
    of_one_judge,
    single_answers,
)
from evenhand.ranking.inference import exclude_in_fit, name_model, sign_data
from evenhand.ranking.texts import say
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    Text,
    whole,
    write_p,
    write_signature,
)

# A Wald test that allows for correlated judgments.
#
# W = bᵀ V⁻¹ b,   F = W/q · (G − q)/(G − 1)   on q and G − q df      (Hotelling's T²)
# G = (Σ a_g)² / Σ a_g²,   a_g = tr (H⁻¹)_bb⁻¹ (H⁻¹ H_g H⁻¹)_bb
#
# b are the q parameters that a hypothesis says are zero, V their covariance by clusters (CV3, or
# CR1 where information by cluster would be too large), G the effective number of clusters for b: a
# group of five judges beside one of fifteen has about nine. With W/q on q and G − 1 df, G the plain
# number, true hypotheses at level .05 were rejected in .07 to .37 of simulated campaigns; with this
# in .01 to .08 (tests/experiments/test_judge_effects.py). A group of one judge says nothing of how
# judges like it differ.

Codes = NDArray[np.int32]


@dataclass(frozen=True)
class WaldTest:
    cluster: str  # what is correlated: judge, item or ranking
    clusters: int  # their number
    effective: float  # their effective number for what is tested, G
    statistic: float  # F
    df: tuple[int, float]  # its degrees of freedom, q and G − q
    p: float  # p-value
    kind: str  # how the covariance was made, CV3 or CR1


@dataclass(frozen=True, eq=False)
class Spread:
    vcov: Array  # (p, p) covariance of the parameters
    scores: Array  # (G, p) scores of the clusters
    information: Array | None  # (G, p, p) their information; None where it would be too large

    @property
    def kind(self) -> str:
        return "CR1" if self.information is None else "CV3"

    def effective(self, bread: Array, at: NDArray[np.intp]) -> float:
        """Return the effective number of clusters for some parameters; all where it is unknown."""
        if self.information is None:
            return float(len(self.scores))
        rows = bread[at]
        weight = rows.T @ np.linalg.solve(bread[np.ix_(at, at)], rows)
        shares = np.einsum("gij,ij->g", self.information, weight)
        return float(shares.sum() ** 2 / (shares**2).sum())


def wald_test(fit: Fit, tally: Tally, cluster: str, at: NDArray[np.intp]) -> WaldTest:
    """Test that the parameters at (q,) places of a fit are zero, by clusters of judgments."""
    spread = cluster_spread(fit, tally, cluster)
    q, n = len(at), len(spread.scores)
    effective = spread.effective(fit.raw_vcov, at)
    if effective <= q:
        few = f" ({effective:.1f} effective)" if effective < n - 0.05 else ""
        raise NotIdentified(f"{n} {cluster}s{few} are too few to test {q} parameters at once")
    vcov, effect = spread.vcov[np.ix_(at, at)], fit.beta[at]
    scale = np.sqrt(np.diag(vcov))
    if not (scale > 0).all() or np.linalg.eigvalsh(vcov / scale / scale[:, None])[0] < NO_PIVOT:
        raise NotIdentified(
            f"{cluster}s answered so alike, or are so few, that they do not show how much others"
            " might differ"
        )
    wald = float(effect @ np.linalg.solve(vcov, effect))
    df = (q, effective - q)
    statistic = wald / q * (effective - q) / (effective - 1)
    p = f_tail(statistic, *df)
    return WaldTest(cluster, n, effective, statistic, df, p, spread.kind)


def cluster_spread(fit: Fit, tally: Tally, cluster: str) -> Spread:
    pooled = tally.pool(tuple(dict.fromkeys([*fit.model.covariates, cluster])))
    factor = pooled.factor(cluster)
    design, ties = fit.design, fit.likelihood.ties
    counts = fit.model.treat_ties(pooled.counts)
    rows = np.flatnonzero(counts.sum(axis=1) > 0)
    rows = rows[np.argsort(factor.codes[rows], kind="stable")]
    used = fit.model.treat_ties(fit.tally.counts).sum(axis=1) > 0
    place = np.zeros((len(design.groups), len(design.systems)), dtype=np.int32)
    place[design.group, design.system] = np.arange(design.size)
    group = _look_up(fit, pooled, design.group[design.left], used)[rows]
    whole = replace(
        design, left=place[group, pooled.left[rows]], right=place[group, pooled.right[rows]]
    )
    code = None if ties is None else _look_up(fit, pooled, ties.code, used)[rows]
    borders = np.searchsorted(factor.codes[rows], np.arange(factor.size + 1)).tolist()
    parts = []
    for some in (slice(*ends) for ends in pairwise(borders) if ends[0] < ends[1]):
        one = replace(whole, left=whole.left[some], right=whole.right[some])
        among = None if ties is None or code is None else replace(ties, code=code[some])
        likelihood = replace(fit.likelihood, design=one, counts=counts[rows[some]], prior=0.0)
        parts.append(replace(likelihood, ties=among))
    beta, p, g = fit.beta, len(fit.raw_vcov), len(parts)
    if g < 2:
        raise NotIdentified(f"all judgments are of one {cluster}")
    scores = np.stack([part.score(beta)[:p] for part in parts])
    information, alone = None, []
    if g * p**2 <= sandwich.MAX_DENSE:
        information = np.stack([part.expand(beta).information[:p, :p] for part in parts])
        total = sandwich.total_information(fit)
        alone = sandwich.find_singular(total, fit.raw_vcov, information)
    # one answer may be a link: then nothing is claimed of other rankings
    if information is None or (alone and cluster == "ranking"):
        return Spread(sandwich.pool_scores(fit, scores, len(scores)), scores, None)
    if alone:
        what = "for some judge group"
        if len(fit.groups) == 1:
            # the systems that nothing links to the largest part without the first cluster
            rest = fit.model.treat_ties(pooled.counts).sum(axis=1) > 0
            rest &= factor.codes != alone[0]
            edges = pooled.left[rest], pooled.right[rest]
            part = weak_components(Graph(len(pooled.systems), *edges))
            cut = np.flatnonzero(part != np.argmax(np.bincount(part))).tolist()
            named = listing([pooled.systems[i] for i in cut], 3)
            what = f"of {named}" if cut else "of some parameter"
        if factor.merged:
            raise NotIdentified(f"a few {cluster}s alone speak {what}")
        names = listing([factor.labels[g] for g in alone], 3)
        verb = "speaks" if len(alone) == 1 else "each speak"
        raise NotIdentified(f"{names} alone {verb} {what}: it takes two {cluster}s to see a spread")
    changes = sandwich.leave_out(fit.raw_vcov, total, information, scores)
    return Spread(jackknife(changes), scores, information)


def _look_up(fit: Fit, tally: Tally, known: NDArray[np.int32], used: NDArray[np.bool_]) -> Codes:
    """Return what a fit knows of each entry's judge group, for the entries of another tally."""
    keys = {"own": np.zeros(len(known), np.int64), "other": np.zeros(len(tally.left), np.int64)}
    for name in fit.model.covariates:
        mine, theirs = fit.tally.factor(name), tally.factor(name)
        place = {label: code for code, label in enumerate(mine.labels)}
        renamed = np.array([place[label] for label in theirs.labels], dtype=np.int64)
        keys["own"] = keys["own"] * mine.size + mine.codes[used]
        keys["other"] = keys["other"] * mine.size + renamed[theirs.codes]
    distinct, first = np.unique(keys["own"], return_index=True)
    return np.asarray(known[first][np.searchsorted(distinct, keys["other"])], dtype=np.int32)


# By which ways of clustering a hypothesis about a fit is tested: those of a ranking (`clustering`);
# items alone, and a statement about these judges only, where judges are fewer than five or are what
# the hypothesis is about. Where no other way gives a test, rankings are clusters, whose comparisons
# a likelihood ratio takes for independent (tests/ranking/test_ways.py measures what that costs).

Found = tuple[tuple[WaldTest, ...], tuple[str, ...]]


def count_ways(
    table: Comparisons, by: str | None, covariates: Sequence[str]
) -> dict[str, dict[str, Tally]]:
    counted: dict[str, dict[str, Tally]] = {}
    for way in FACTORS:
        if not table.has(way) or (way == by and way != "judge"):
            continue
        factors = tuple(dict.fromkeys((*covariates, way)))
        if by is None:  # levels are merged at once
            limits = {} if way in covariates else {way: MAX_CLUSTERS}
            tallies = {"": table.tally(by=factors, limits=limits)}
        else:
            tallies = tally_groups(table, by, factors)
        for name, tally in tallies.items():
            group = of_one_judge(tally, name) if way == by else tally
            if way not in covariates:
                factor = group.factor(way)
                merged = factor if factor.merged else merge_levels(factor, MAX_CLUSTERS, SEED)
                group = replace(group, factors={**group.factors, way: merged})
            counted.setdefault(name, {})[way] = group
    return counted


def note_numbers(clustered: Mapping[str, Tally], covariates: Sequence[str]) -> tuple[str, ...]:
    """Say which covariates are numbers that nearly every judge (or item) has one of."""
    notes = []
    for name in (one for one in covariates if one not in clustered):
        for way, tally in clustered.items():
            covariate, factor = tally.factor(name), tally.factor(way)
            values = covariate.labels
            cells = join_codes([(covariate.codes, len(values)), (factor.codes, factor.size)])
            of_each = not factor.merged and len(np.unique(cells)) == factor.size
            numbers = (word.removeprefix("-").replace(".", "", 1) for word in values)
            if of_each and 2 * len(values) > factor.size > 2 and all(map(str.isdecimal, numbers)):
                of = factor.size
                notes.append(say("numbers-as-groups", name=name, n=len(values), of=of, by=way))
    return tuple(notes)


def run_wald_tests(
    fit: Fit, clustered: Mapping[str, Tally], at: NDArray[np.intp], besides: str = ""
) -> Found:
    evidence, of_judges = Evidence(clustered, fit.tally), besides == "judge"
    chosen = choose_factors(evidence, of_these_judges=of_judges)
    notes: list[str] = [say("one-each", by=besides)] if besides in clustered else []
    notes += [*chosen.notes, *([chosen.headline] if chosen.headline else [])]
    tests: list[WaldTest] = []
    answers = [name for name in single_answers(evidence) if name not in chosen.clusterings]
    for name in (*chosen.clusterings, *answers):
        if name == besides or (tests and name in answers):
            continue
        try:
            tests.append(wald_test(fit, clustered[name], name, at))
        except NotIdentified as refusal:
            notes.append(say("no-test-by", by=name, why=str(refusal.without_options())))
    if not tests:
        notes += say_of_rankings(clustered, fit.tally)
    return tuple(tests), tuple(notes)


def run_hypothesis_tests(one: Hypothesis, clustered: Mapping[str, Tally]) -> Found:
    if one.tieless:
        never = say("never-tied", names=one.tieless)
        return (), (never, *say_of_rankings(clustered, one.fit.tally))
    besides = next((name for name in one.covariates if name in clustered), one.covariate)
    return run_wald_tests(one.fit, clustered, one.at, besides=besides)


def say_of_rankings(clustered: Mapping[str, Tally], whole: Tally) -> tuple[str, ...]:
    """Say so where answers are rankings, which a likelihood ratio knows nothing of."""
    return (say("one-ranking"),) if single_answers(Evidence(clustered, whole)) else ()


LEVEL: Final = 0.05  # Adjusted p-value below which an interaction stands out


@dataclass(frozen=True)
class Effect:
    covariate: str  # its name; of several tested together all of them
    of: Kind  # whether worths or ties are asked to depend on it
    lr: LRTest | None  # the likelihood-ratio test; None under a prior or importance weights
    wald: tuple[WaldTest, ...]  # cluster-robust tests of the same, one for each way of clustering
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
class Effects:
    tests: tuple[Effect, ...]  # one for each covariate, and one of several together
    interactions: tuple[Interaction, ...]  # all of them, the largest |z| first
    orders: tuple[GroupOrder, ...]  # the systems in the eyes of each group
    scale: str  # what the log-worths of the orders are against


def find_effects(fit: Fit, evidence: Mapping[str, Tally]) -> Effects:
    by_name = {coefficient.name: coefficient for coefficient in fit.coefficients}
    coefficients = [
        (by_name[name], owner)
        for name, owner in zip(fit.names, list_owners(fit), strict=True)
        if owner[0] and by_name[name].p is not None
    ]
    adjusted = holm(np.array([coefficient.p for coefficient, _ in coefficients], dtype=np.float64))
    against = "" if fit.model.system_covariates else fit.systems[fit.design.reference]
    interactions = []
    for (coefficient, owner), p in zip(coefficients, adjusted.tolist(), strict=True):
        covariate, label = owner[0], coefficient.label
        levels = fit.tally.factor(covariate).labels
        home = levels[home_level(covariate, levels, fit.model.references)]
        of = label.removesuffix(tag_of(owner, alone=False))  # without the level
        if of == label:
            of = label.removesuffix(tag_of(owner, alone=True))
        interactions.append(Interaction(coefficient, *owner, home, of, against, p))
    tests = (
        Effect(one.covariate, one.of, one.lr, *run_hypothesis_tests(one, evidence))
        for one in find_hypotheses(fit)
    )
    largest_first = sorted(interactions, key=lambda one: -abs(one.coefficient.z or 0.0))
    return Effects(tuple(tests), tuple(largest_first), *order_groups(fit))


# Fits as `evenhand fit` prints them: signed, with tests of covariates and orders of groups.

MAX_SAID: Final = 10  # Most interactions that are said, one a line; JSON has them all
MAX_GROUPS: Final = 24  # Most groups of which the order is shown; JSON has them all
SETTINGS: Final = ("ties", "order_effect", "prior")
MEASURES: Final = ("loglik", "deviance", "df", "gof_p", "pearson", "aic", "bic")
PLACES: Final = ("covariate", "level", "home", "of", "against", "p_holm", "stands_out")


@dataclass(frozen=True, eq=False, repr=False)
class SignedFit(Shown):
    fit: Fit
    tally: Tally  # the counts before they were folded
    effects: Effects | None = None  # tests and orders of judge groups, if any
    pooled: tuple[str, ...] = ()  # whether it mixes tasks, or numbers are taken as names
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments

    def __post_init__(self) -> None:
        _add_excluded(self)

    @property
    def signature(self) -> str:
        parts = [
            name_model(self.fit),
            *(f"by {covariate}" for covariate in self.fit.model.judge_covariates),
            *(f"ties by {covariate}" for covariate in self.fit.model.tie_covariates),
            *(["importance weights"] if self.tally.squares is not None else []),
            f"reference {self.reference}",
            *sign_data(self.fit, self.tally),
        ]
        signature = write_signature(parts, self.tally.n_judgments, self.tally.digest)
        return sign_excluded(signature, self.excluded)

    @property
    def reference(self) -> str:
        """The system whose coefficient is 0."""
        return self.fit.systems[self.fit.design.reference]

    @property
    def worths(self) -> dict[str, float] | None:
        """Worths, of the first group where there are groups; None if it did not see them all."""
        try:
            return self.fit.worths
        except NotIdentified:
            return None

    @property
    def findings(self) -> tuple[Finding, ...]:
        return list_findings((*self.pooled, *self.fit.findings), self.excluded)

    def document(self) -> Document:
        document = self.fit.document()
        tests: tuple[Effect, ...] = ()
        more: list[Table | Text] = []
        if self.effects is not None:
            tests, differences = self.effects.tests, _say_interactions(self.effects)
            more = [_tabulate_tests(tests)] if tests else [Text("", (say("no-tests"),))]
            if differences:
                more.append(Text("Differences from the reference group", differences))
            more += [_tabulate_orders(self.effects)] if len(self.effects.orders) > 1 else []
        return replace(
            document,
            answer=(*document.answer, *filter(None, map(_say_effect, tests))),
            parts=(*document.parts, *more),
            findings=self.findings,
            signature=self.signature,
        )

    def to_dict(self) -> dict[str, Any]:
        fit, model, quasi = self.fit, self.fit.model, self.fit.find_quasi_variances()
        equal = fit.lr_test_equal_worths
        # what controls do, by errors that assume independent judgments
        controls = fit.model_effects if isinstance(fit, ControlledFit) else ()
        return {
            **write_contract(self, "worths", findings=self.findings),
            "model": say_model(model),
            "settings": {
                **{name: getattr(model, name) for name in SETTINGS},
                "judge_covariates": list(model.judge_covariates),
                "tie_covariates": list(model.tie_covariates),
                "system_covariates": {
                    name: dict(values) for name, values in model.system_covariates.items()
                },
                "controls": list(model.controls),
                "reference": self.reference,
            },
            "scale": "lambda",
            "coefficients": [asdict(coefficient) for coefficient in fit.coefficients],
            **({"controls": [asdict(effect) for effect in controls]} if controls else {}),
            "aliased": list(fit.design.aliased),
            "lr_test_equal_worths": None if equal is None else asdict(equal),
            **(list_effects(self.effects) if self.effects is not None else {}),
            **{name: getattr(fit, name) for name in MEASURES},
            "n_judgments": whole(self.tally.n_judgments),
            "n_comparisons": whole(self.tally.n_comparisons),
            "quasi_variances": None
            if quasi is None
            else {
                "variances": dict(zip(quasi.systems, quasi.variances.tolist(), strict=True)),
                "worst_pair": quasi.worst_pair,
                "worst_contrast": list(quasi.worst_contrast),
            },
        }


@dataclass(frozen=True, eq=False, repr=False)
class NamedFit(Shown):
    model: Model  # its entry in the registry
    fit: FittedModel
    tally: Tally  # the counts, with the same digest as under other verbs
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments

    def __post_init__(self) -> None:
        _add_excluded(self)

    @property
    def signature(self) -> str:
        parts = [self.model.name, *self.fit.signature_parts]
        signature = write_signature(parts, self.fit.n_judgments, self.tally.digest)
        return sign_excluded(signature, self.excluded)

    @property
    def excluded_ties(self) -> float:
        """Ties that the model does not take: all of them or none."""
        missing = self.tally.n_comparisons - self.fit.n_comparisons
        return missing if missing == float(self.tally.ties.sum()) else 0.0

    @property
    def findings(self) -> tuple[Finding, ...]:
        return list_findings(self.fit.notes, self.excluded)

    def document(self) -> Document:
        document = self.fit.describe(self.model.title, self.excluded_ties)
        listed = {coefficient.name for coefficient in self.fit.coefficients}
        cells: dict[str, Any] = {}
        for name, value in self.fit.extras.items():
            if not isinstance(value, list):
                cells[name] = value
            elif name.endswith("_interval"):
                cells |= {f"{name}_lower": value[0], f"{name}_upper": value[1]}
        rows = (
            *map(asdict, self.fit.coefficients),
            *[
                asdict(Coefficient(name, "extra", value, None, None, None))
                for name, value in cells.items()
                if name not in listed
            ],
        )
        return replace(
            document,
            parts=(Table("numbers", "", (), rows, only=("csv",)), *document.parts),
            findings=self.findings,
            signature=self.signature,
        )

    def to_dict(self) -> dict[str, Any]:
        contract = write_contract(self, findings=self.findings)
        return {**self.fit.to_dict(), **contract, "model": self.model.name}


def _add_excluded(fitted: SignedFit | NamedFit) -> None:
    """Add what the model excludes to what is excluded from the judgments."""
    every = dict.fromkeys((*fitted.excluded, *exclude_in_fit(fitted.fit, fitted.tally, None)))
    object.__setattr__(fitted, "excluded", tuple(every))


# What judge groups do to a fit: tests, what stands out, the order of each group.


def _say_effect(effect: Effect) -> Finding | None:
    """Say whether a covariate makes a difference, by the largest clustered p where there is one."""
    known = effect.wald or (() if effect.lr is None else (effect.lr,))
    if not known:
        return None
    p, by = max(one.p for one in known), {"covariate": effect.covariate}
    if p < LEVEL:
        return say("effect", of=effect.of.capitalize(), p=p, **by)
    return say("no-effect", of=effect.of, p=p, **by)


def _tabulate_tests(tests: Sequence[Effect]) -> Table:
    rows: list[dict[str, Any]] = []
    legend: list[str] = []
    for one in tests:
        of = {"of": f"{one.of} by {one.covariate}"}
        if one.lr is not None:
            lr = {"value": one.lr.statistic, "df": f"{one.lr.df}", "p": one.lr.p}
            rows.append({**of, "test": "LR", **lr})
        for wald in one.wald:
            df = f"{wald.df[0]} and {wald.df[1]:.1f}"
            robust = {"value": wald.statistic, "df": df, "p": wald.p, "effective": wald.effective}
            rows.append({**of, "test": f"F by {wald.cluster}", **robust})
        lacking = [say("no-ratio")] if one.lr is None else []
        lacking += [] if one.wald else [say("no-clustered-test")]
        lacking += [say("larger-p")] if len(one.wald) > 1 else []
        legend += [f"{of['of']}: {note}" for note in (*one.notes, *lacking)]
    columns = (
        Column("of", "effect"),
        Column("test", "test"),
        Column("value", "value", ",.4f"),
        Column("df", "df", "text"),
        Column("p", "p", "p"),
        Column("effective", "effective clusters", "one", priority=2),
    )
    return Table("tests", "Tests of covariates", columns, tuple(rows), legend=tuple(legend))


def _say_interactions(effects: Effects) -> tuple[str, ...]:
    every = effects.interactions
    if not every:
        return ()
    alone = len({one.covariate for one in every}) == 1
    out = [one for one in every if one.stands_out]
    lines = [f"{one.say(alone=alone)}, p {write_p(one.p_holm)}" for one in out[:MAX_SAID]]
    if len(out) > MAX_SAID:
        lines.append(f"... and {len(out) - MAX_SAID:,} more")
    if rest := [one for one in every if not one.stands_out]:
        largest = rest[0].coefficient
        size = {"z": abs(largest.z or 0.0), "label": largest.label}
        lines.append(say("others-alike" if out else "all-alike", **size))
    lines.append(say("by-holm", differences=len(every)))
    return tuple(lines)


def _tabulate_orders(effects: Effects) -> Table:
    shown = effects.orders[:MAX_GROUPS]
    rows = []
    for system in shown[0].log_worth:
        row: dict[str, Any] = {"system": system}
        for at, order in enumerate(shown):
            worth = order.log_worth[system]
            row[f"group {at}"] = None if worth is None else f"{worth:z.2f} ({order.place[system]})"
        rows.append(row)
    columns = (
        Column("system", "system", "name"),
        *(Column(f"group {at}", order.group, "two") for at, order in enumerate(shown)),
    )
    more = len(effects.orders) - len(shown)
    legend = (f"... and {more:,} more groups",) if more else ()
    caption = f"Order of each group: {effects.scale} (place)"
    return Table("orders", caption, columns, tuple(rows), legend=legend)


def list_effects(effects: Effects) -> dict[str, Any]:
    return {
        "tests": [asdict(one) for one in effects.tests],
        "interactions": [
            asdict(one.coefficient) | {name: getattr(one, name) for name in PLACES}
            for one in effects.interactions
        ],
        "orders": [asdict(one) for one in effects.orders],
        "orders_scale": effects.scale,
    }


@dataclass(frozen=True, eq=False, repr=False)
class FittedRatings(Shown):
    fit: RatingFit
    rows: RatingRows  # the ratings of one task under one criterion
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments

    @property
    def signature(self) -> str:
        parts = [name_settings(self.fit.model), *self.fit.signature_parts]
        signature = write_signature(parts, self.fit.n_ratings, digest_ratings(self.rows))
        return sign_excluded(signature, self.excluded)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return list_findings(
            (*self.rows.notes, *note_references(self.rows), *self.fit.notes), self.excluded
        )

    def document(self) -> Document:
        document = self.fit.document()
        lower = " Lower scores are better." if reads_lower_of(self.rows) else ""
        basis = f"{document.basis}{lower}"
        return replace(document, basis=basis, findings=self.findings, signature=self.signature)

    def to_dict(self) -> dict[str, Any]:
        told = write_contract(self, findings=self.findings)
        lower = {"lower_is_better": True} if reads_lower_of(self.rows) else {}
        return {**told, **self.fit.to_dict(), **lower}
