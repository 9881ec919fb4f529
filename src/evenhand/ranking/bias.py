"""Is the output that is shown first preferred for that alone: by all judges, and by whom?

docs/position.md has the model and the tests. Comparisons of one ranking are no independent answers:
there each counts for 1/φ, φ being how much scores of rankings vary beside what independent
comparisons would, and tests of judges are normal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import (
    OF_SYSTEMS,
    Openable,
    carries_excluded,
    leave_out_controls,
    require_pairs,
    require_scores,
    say_left_out,
)
from evenhand.data.exclusions import Exclusion, write_contract, write_document
from evenhand.data.groups import Levels, note_tasks
from evenhand.data.joining import drop_marked
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import RatingRows, average_repeats, digest_ratings
from evenhand.data.ratings import Ratings
from evenhand.data.results import JUDGE, JUDGE_SYSTEM, Component, Shown
from evenhand.data.tally import Tally, merge_levels
from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownColumn,
    UnknownOption,
    require_level,
)
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.log_linear import Fit
from evenhand.models.means import Adjusted, LeastSquaresFit
from evenhand.models.position_effects import (
    MAX_SPREAD,
    Panel,
    PositionEffects,
    fit_position_effects,
    make_panel,
)
from evenhand.models.rating_components import estimate_rating_components
from evenhand.models.rating_fit import take_scores
from evenhand.numerics import Array, Integers, distributions
from evenhand.numerics.absorption import absorb
from evenhand.numerics.cluster_means import Estimate, bound, cross_ways, number_groups, rank_within
from evenhand.numerics.multiple_tests import benjamini_hochberg
from evenhand.numerics.newton import one_blas_thread
from evenhand.ranking.clustering import FACTORS, MAX_CLUSTERS, Evidence, wanted_factors
from evenhand.ranking.covariance import NO_SPREAD_RATIO
from evenhand.ranking.inference import Settings, find_intervals, name_model
from evenhand.ranking.ratings import note_documents
from evenhand.ranking.sides import REMEDY, find_one_sided
from evenhand.ranking.texts import INSEPARABLE, say, say_clusterings
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    plural,
    say_answers,
    take_findings,
    write_signature,
)

MAX_EXACT_COMPARISONS: Final = 500  # Most comparisons of a judge for the exact test
MIN_JUDGES_SHOWN: Final = 10  # Judges in the table for people, unless more of them stand out


def share_first(log_odds: float) -> float:
    """Return how often the first of two equal outputs wins, ties excluded."""
    return float(1 / (1 + np.exp(-log_odds)))


@dataclass(frozen=True)
class JudgeBias:
    judge: str  # the name
    n: float  # comparisons
    first: float  # comparisons in which the first output was preferred
    second: float  # those in which the second was
    estimate: float  # bias in log-odds, drawn towards the common one
    stderr: float  # its standard error
    lower: float  # lower end of its interval
    upper: float  # upper end
    p_common: float | None  # p of the median judge's bias; None without a finite spread
    p_none: float  # p-value of no bias
    p_common_adjusted: float | None  # `p_common` adjusted for all judges (Benjamini-Hochberg)
    p_none_adjusted: float  # likewise

    @property
    def share(self) -> float:
        return share_first(self.estimate)

    @property
    def share_interval(self) -> tuple[float, float]:
        return share_first(self.lower), share_first(self.upper)

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "share": self.share}


def ranking_inflation(fit: Fit, tally: Tally) -> float:
    """Return φ: how much scores of rankings vary beside those of independent comparisons."""
    panel, delta = make_panel(fit, tally.pool(("judge", "ranking")), 1.0, ("judge", "ranking"))
    ranking = np.unique(panel.codes["ranking"], return_inverse=True)[1].reshape(-1)
    local = panel.expand(np.full(panel.size, delta))
    bias = panel.by_judge(local.eta) / np.maximum(panel.by_judge(local.eta_eta), 1e-300)
    left = np.bincount(ranking, local.eta - local.eta_eta * bias[panel.judge])
    pair_weights = panel.likelihood.counts.sum(axis=1)  # every pair of a ranking has its weight
    weights = np.bincount(ranking, pair_weights) / np.bincount(ranking)
    spare = float(weights.sum()) / max(float(weights.sum()) - len(np.unique(panel.judge)), 1.0)
    return float(max(1.0, spare * (left**2 / weights).sum() / local.eta_eta.sum()))


def judge_biases(
    effects: PositionEffects, tally: Tally, error: tuple[float, float], inflation: float | None
) -> tuple[JudgeBias, ...]:
    """Return all judges, farthest from the median judge first; without one by p."""
    # how far each estimate moves with δ: the share of it that is not the judge's
    pull = np.ones(len(effects.variance))
    if effects.spread:
        pull = np.minimum(effects.variance / effects.spread**2, 1.0)
    stderr = 2 * np.sqrt(effects.variance + (pull * error[0]) ** 2)
    none = _test_judges(effects.panel, 0.0, inflation)
    common, apart = None, np.zeros(len(effects.estimate))
    if not effects.endless:
        # a few judges who always take one side hardly move it, unlike the mean
        panel = effects.panel
        held = panel.by_judge(panel.expand(effects.estimate).eta_eta)
        rising = np.argsort(effects.estimate, kind="stable")
        sums = np.cumsum(held[rising])
        median = float(effects.estimate[rising][np.searchsorted(sums, sums[-1] / 2)])
        common = _test_judges(effects.panel, median, inflation)
        apart = np.abs(effects.estimate - median)
    factor = tally.factor("judge")
    n, first, second = (
        np.bincount(factor.codes, values, factor.size)
        for values in (tally.counts.sum(axis=1), tally.wins, tally.losses)
    )
    estimate, margin = 2 * effects.estimate, error[1] * stderr
    p = none if common is None else common
    order = np.lexsort((p.round(6), -apart.round(6)))  # equal ones by name
    columns = (n, first, second, estimate, stderr, estimate - margin, estimate + margin)
    tests = (common, none, *(p if p is None else benjamini_hochberg(p) for p in (common, none)))
    return tuple(
        JudgeBias(
            factor.labels[j],
            *(float(column[j]) for column in columns),
            *(p if p is None else float(p[j]) for p in tests),
        )
        for j in order.tolist()
    )


def _test_judges(panel: Panel, bias: float, inflation: float | None) -> Array:
    worths, tie, _, _ = panel.likelihood.parts(panel.beta)
    eta = panel.likelihood.eta(worths, 0.0) + bias
    factor = 1.0 if inflation is None else inflation
    counts = panel.likelihood.counts * factor  # as they were counted
    local = panel.expand(np.full(panel.size, bias))
    score, information = panel.by_judge(local.eta), panel.by_judge(local.eta_eta)
    p = np.ones(panel.size)
    chances = np.exp(panel.likelihood.law.log_chances(eta, tie))
    order = np.argsort(panel.judge, kind="stable")
    borders = np.searchsorted(panel.judge[order], np.arange(panel.size + 1))
    for j in np.flatnonzero(information > 0).tolist():
        rows = order[borders[j] : borders[j + 1]]
        n = counts[rows].sum(axis=1)
        if inflation is None and n.sum() <= MAX_EXACT_COMPARISONS:
            net = round(float((counts[rows, 0] - counts[rows, 2]).sum()))
            p[j] = distributions.net_wins_p(chances[rows], n, net)
        else:
            z = float(score[j] / np.sqrt(information[j]))
            p[j] = max(distributions.two_sided_p(z), distributions.MIN_P)
    return p


LEVEL: Final = 0.95
UNKNOWN: Final = "no position bias can be told"
SCORED: Final = "scores are of one output at a time, and neither of two stands first"


@dataclass(frozen=True, eq=False, repr=False)
class PositionBias(Shown):
    """The advantage of being shown first."""

    estimate: float  # common bias in log-odds, 2δ
    stderr: float  # its standard error, clustered
    lower: float  # lower end of its interval
    upper: float  # upper end
    p: float  # two-sided p-value of no common bias
    level: float  # nominal level of intervals (proportion)
    method: str  # how the error was made
    n_judgments: float  # answers, a ranking being one
    n_comparisons: float  # pairs
    notes: tuple[str, ...]  # what else should be known
    signature: str  # one line that reproduces the numbers
    spread: float | None = None  # sd of judges' biases (log-odds); None without a finite one
    heterogeneity_p: float | None = None  # p-value of all judges sharing one bias, or None
    judges: tuple[JudgeBias, ...] = ()  # each judge, farthest from the median judge first
    clusterings: tuple[str, ...] = ()  # what intervals account for: judge, item, ranking
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments

    @property
    def share(self) -> float:
        """How often the first of two equal outputs wins, ties excluded (proportion)."""
        return share_first(self.estimate)

    @cached_property
    def stand_out(self) -> tuple[JudgeBias, ...]:
        """Judges who differ from the median judge, at a false discovery rate of 1 − level."""
        alpha = 1 - self.level
        adjusted = [(one, one.p_common_adjusted) for one in self.judges]
        return tuple(one for one, p in adjusted if p is not None and p <= alpha)

    @property
    def says(self) -> tuple[Finding, ...]:
        """What was found, in sentences."""
        alpha = 1 - self.level
        low, high = (100 * share_first(end) for end in (self.lower, self.upper))
        code = "position-bias" if self.p <= alpha else "no-position-bias"
        first = say(code, "info", share=100 * self.share, low=low, high=high, p=self.p)
        p = self.heterogeneity_p
        if p is None:
            return (first,)
        if self.spread is None:
            return first, say("judges-took-sides", "info", p=p, limit=2 * MAX_SPREAD)
        code = "judges-equal" if self.spread == 0 else "judges-alike"
        judges = say("judges-differ" if p <= alpha else code, "info", p=p, sd=self.spread)
        names = [f"{one.judge} ({100 * one.share:.0f} %)" for one in self.stand_out]
        outstanding = [say("judges-stand-out", "info", names=names)] if names else []
        return (first, judges, *outstanding)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand bias --json`."""
        names = ("estimate", "stderr", "lower", "upper", "p", "share", "level", "method", "spread")
        counts = ("heterogeneity_p", "n_judgments", "n_comparisons")
        judges = [one.to_dict() for one in self.judges]
        return write_contract(self, "says", *names, *counts) | {"judges": judges}

    def document(self) -> Document:
        """Return what people read: how often the first output wins, and with which judges."""
        every = {"n": self.n_comparisons, "estimate": self.estimate, "stderr": self.stderr}
        every |= {"lower": self.lower, "upper": self.upper, "share": self.share, "p_none": self.p}
        rows = tuple(
            {
                **dict.fromkeys((*ROW_KEYS, "first", "second")),
                **row,
                "name": row.get("judge", "all"),
                "share_lower": share_first(row["lower"]),
                "share_upper": share_first(row["upper"]),
            }
            for row in (every, *(one.to_dict() for one in self.judges))
        )
        unlike = {*self.stand_out}
        last = max((i for i, one in enumerate(self.judges, start=1) if one in unlike), default=0)
        table = Table(
            "position-bias",
            "How often the output shown first wins",
            COLUMNS if self.judges else COLUMNS[:2] + COLUMNS[4:8],
            rows,
            limit=1 + max(MIN_JUDGES_SHOWN, last),
            legend=LEGEND if self.judges else (),
            without=("name", "first", "second", "share_lower", "share_upper"),
        )
        answers = say_answers(self.n_judgments, self.n_comparisons)
        basis = f"{answers}. {say_clusterings(self.clusterings)}"
        return write_document(self, table, basis=basis)


LEGEND: Final = (
    "first and second: comparisons that prefer either; first wins: drawn towards the common"
    " estimate, ties excluded",
    "vs median: p of the judge's counts against the median judge; adjusted: for all judges, by"
    " Benjamini and Hochberg",
)
# Columns of CSV
ROW_KEYS: Final = (
    *("judge", "n", "estimate", "stderr", "lower", "upper", "share", "p_none", "p_common"),
    *("p_none_adjusted", "p_common_adjusted"),
)
COLUMNS: Final = (
    Column("name", "judge", "name"),
    Column("n", "n", "count"),
    Column("first", "first", "count", priority=2),
    Column("second", "second", "count", priority=2),
    Column("share", "first wins", "share"),
    Column(("share_lower", "share_upper"), "interval", "interval share"),
    Column("estimate", "log-odds", "two", only=("latex",)),
    Column("stderr", "s.e.", "two", only=("latex",)),
    Column("p_common", "vs median", "p"),
    Column("p_common_adjusted", "adjusted", "p"),
)


@carries_excluded(*OF_SYSTEMS)
def find_position_bias(
    data: Comparisons | Rankings | Openable, *, cluster: str | None = None, level: float = LEVEL
) -> PositionBias:
    """Estimate the advantage of being shown first, over all judges and for each.

    Args:
        data: comparisons or rankings that say what stood where; several tasks are pooled.
        cluster: judgment | judge | item | ranking | judge+item; by default what the data have.
        level: nominal level of intervals, and 1 − the false discovery rate (proportion).

    Raises:
        NotIdentified: worths or the bias cannot be told from these data; says why.
        UnknownOption: positions are not known, or a setting that does not fit.
        InvalidJudgments: a value in the data that cannot be.
    """
    refusal = "a position bias is found in comparisons or rankings, not in"
    table = require_pairs(data, refusal, SCORED)
    if not table.positions_known:
        raise UnknownOption(
            f"{table.source.name} does not say which output stood first, so that no position bias"
            " can be seen: map a position column (--column position=NAME)"
        )
    settings = Settings(BradleyTerry(order_effect=True), "sandwich", cluster, level)
    clusterings = wanted_factors(cluster, {name for name in FACTORS if table.has(name)})
    known = [name for name in ("judge", *["ranking"] * table.expanded) if table.has(name)]
    tally = table.tally(by=tuple(dict.fromkeys([*clusterings, *known])))
    fit = fit_order(tally)
    merged = {name: merge_levels(tally.factor(name), MAX_CLUSTERS, SEED) for name in clusterings}
    evidence = Evidence.of(replace(tally, factors=merged).pool(clusterings))
    with one_blas_thread():
        bias = _estimate(fit, evidence, tally, settings)
        noted = drop_marked(take_findings(bias.notes), table.columns)
        bias = replace(bias, notes=(*say_left_out(data, table), *note_tasks(table), *noted))
        if "judge" not in tally.factors or tally.factor("judge").size < 2:
            return bias
        if tally.squares is not None:
            return replace(bias, notes=(*bias.notes, say("judges-weighted")))
        inflation = None
        if table.expanded and "ranking" in tally.factors:
            inflation = ranking_inflation(fit, tally)
        try:
            effects = fit_position_effects(fit, tally, 1.0 if inflation is None else 1 / inflation)
        except NotConverged as stop:
            return replace(bias, notes=(*bias.notes, say("judges-not-fitted", why=str(stop))))
        z = distributions.normal_quantile((1 + bias.level) / 2)
        judges = judge_biases(effects, tally.pool(("judge",)), (bias.stderr / 2, z), inflation)
        notes = [say("judges-shrunk", sd=2 * MAX_SPREAD)] if effects.endless else []
        notes += [] if inflation is None else [say("correlated-in-rankings", inflation=inflation)]
        return replace(
            bias,
            spread=None if effects.endless else 2 * effects.spread,
            heterogeneity_p=effects.test.p,
            judges=judges,
            notes=(*bias.notes, *notes),
        )


def fit_order(tally: Tally) -> Fit:
    try:
        BradleyTerry().fit(tally)  # what is wrong with worths alone is said in its own words
    except (NotIdentified, NotConverged) as refusal:
        raise refusal.without_options() from None
    if not find_one_sided(tally, None).separable:
        raise NotIdentified(f"{UNKNOWN}: {INSEPARABLE}; {REMEDY}")
    try:
        return BradleyTerry(order_effect=True).fit(tally)
    except NotIdentified as refusal:
        raise NotIdentified(f"{UNKNOWN}: {refusal.without_options()}") from refusal


def _estimate(fit: Fit, evidence: Evidence, tally: Tally, settings: Settings) -> PositionBias:
    loads = {name: factor.loads for name, factor in tally.factors.items()}
    clustering, intervals = find_intervals(fit, evidence, Levels(loads), settings)
    if intervals is None:
        raise NotIdentified(f"{len(fit.systems):,} systems are too many for a position bias")
    at = fit.likelihood.n_worths + fit.likelihood.n_ties
    estimate, stderr = 2 * float(fit.beta[at]), 2 * float(intervals.parameters[at])
    if stderr**2 <= NO_SPREAD_RATIO * 4 * float(fit.raw_vcov[at, at]):
        raise NotIdentified(
            "the position bias has no standard error: both sides were preferred exactly as often"
            f" within every cluster ({intervals.method}); collect more judgments, or pass --cluster"
            " judgment if they are independent"
        )
    margin = distributions.t_quantile((1 + settings.level) / 2, intervals.df) * stderr
    notes = [clustering.headline] if clustering.headline else []
    sides = find_one_sided(tally, None)
    if sides.uneven:
        notes.append(say("sides-uneven", "warning", named=sides.named, both=sides.both_orders))
    parts = [f"position bias, {name_model(fit)}"]
    parts += ["importance weights"] if tally.squares is not None else []
    parts.append(f"{intervals.method}, level {settings.level:g}")
    return PositionBias(
        estimate=estimate,
        stderr=stderr,
        lower=estimate - margin,
        upper=estimate + margin,
        p=distributions.t_tail(estimate / stderr, intervals.df),
        level=settings.level,
        method=intervals.method,
        n_judgments=tally.n_judgments,
        n_comparisons=tally.n_comparisons,
        notes=(*notes, *fit.notes, *intervals.notes, *clustering.notes),
        signature=write_signature(parts, tally.n_judgments, tally.digest),
        clusterings=clustering.clusterings,
    )


# What moves scores beside the outputs: severity of judges, drift, position, own systems, length.
#
#     y = μ_system + a_judge + b_item + β x + e
#
# β is least squares with systems, judges and items removed from y and from x (Frisch, Waugh and
# Lovell), so that only what varies within judge, item and system is compared:
#
#     drift      x = the place of a score among the judge's own under this criterion, in hundreds
#     position   x = the place of the output on the page or in its document
#     own system x = 1 where a judge, such as an LLM, scores the system of its own name
#     control    x = a column of numbers, such as the length of the output
#
# Errors are cluster jackknives by judge and by item, V = max(V_J, V_I, V_J + V_I − V_JI), with t on
# one less than the effective clusters of the fewer kind. Severity and taste are the standard
# deviations of judge and of judge x system by restricted maximum likelihood (`rating_components`),
# tested on the boundary; a judge's own offset has the jackknife error over items.
#
# Items that came in one order for all judges leave no drift to be seen, since drift and difficulty
# are one then; so they are refused. What a judge's offset is (severity or easier items) rests on
# items that judges share.

PER: Final = 100.0  # Ratings of a judge, of which drift says what they change
MIN_LEFT: Final = 0.02  # Share of what varies within judges that a slope needs beside items
MIN_CLUSTERS: Final = 3  # Fewest judges, or items, by which errors are clustered
POSITION: Final = "position"
DRIFT: Final = "drift"
OWN: Final = "own system"


@dataclass(frozen=True)
class Effect:
    name: str  # drift, position, own system, or a column
    unit: str  # of what it is an effect, such as "100 ratings"
    estimate: float  # points per unit
    stderr: float  # its standard error
    lower: float  # lower end of its interval
    upper: float  # upper end
    p: float  # two-sided p-value of no effect
    judges: int  # judges whose scores it rests on


@dataclass(frozen=True)
class JudgeOffset:
    judge: str  # the name
    n: int  # scores
    offset: float  # points above the average judge on the same outputs
    stderr: float | None  # its standard error over items; None where there is none
    lower: float | None  # lower end of its interval, or None
    upper: float | None  # upper end, or None
    p: float | None  # p-value of no offset
    p_adjusted: float | None  # adjusted for the number of judges (Benjamini-Hochberg)
    drift: float | None  # points per 100 ratings; None without times


@dataclass(frozen=True, eq=False, repr=False)
class RatingBias(Shown):
    """What moves scores beside the outputs."""

    severity: Component | None  # sd of judges' offsets; None where it cannot be told
    taste: Component | None  # sd of judge x system; None where it cannot be told
    effects: tuple[Effect, ...]  # drift, position, own system, controls: those that are known
    judges: tuple[JudgeOffset, ...]  # the lowest scores first
    level: float  # of intervals (proportion)
    n_ratings: int  # scores
    clusterings: tuple[str, ...]  # what intervals of effects account for
    notes: tuple[Finding, ...]  # what else should be known
    signature: str  # one line that reproduces the numbers
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments

    def find(self, name: str) -> Effect | None:
        """Return the effect of this name, or None."""
        return next((one for one in self.effects if one.name == name), None)

    @property
    def stand_out(self) -> tuple[JudgeOffset, ...]:
        """Judges unlike the average one, at a false discovery rate of 1 − level."""
        alpha = 1 - self.level
        adjusted = [(one, one.p_adjusted) for one in self.judges]
        return tuple(one for one, p in adjusted if p is not None and p <= alpha)

    @property
    def says(self) -> tuple[Finding, ...]:
        """What was found, in sentences."""
        alpha, said = 1 - self.level, []
        for name, one in (("severity", self.severity), ("taste", self.taste)):
            if one is not None and one.p is not None:
                code = name if one.p <= alpha else f"no-{name}"
                said.append(say(code, "info", sd=one.sd, p=one.p))
        for effect in self.effects:
            code = "score-effect" if effect.p <= alpha else "no-score-effect"
            said.append(say(code, "info", **asdict(effect)))
        if self.stand_out:
            names = [f"{one.judge} ({one.offset:+.2f})" for one in self.stand_out]
            said.append(say("judges-stand-out", "info", names=names))
        return tuple(said)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand bias --json` of ratings."""
        parts = {"severity": self.severity, "taste": self.taste}
        return {
            **write_contract(self, "says", "level", "n_ratings"),
            **{name: None if one is None else one.to_dict() for name, one in parts.items()},
            "effects": [asdict(one) for one in self.effects],
            "judges": [asdict(one) for one in self.judges],
        }

    def document(self) -> Document:
        """Return what people read."""
        rows: list[dict[str, Any]] = []
        for name, one in (("severity of judges", self.severity), ("judge x system", self.taste)):
            if one is not None:
                ends = {"estimate": one.sd, "lower": one.lower, "upper": one.upper, "p": one.p}
                rows.append({"name": name, "unit": "sd between judges", "stderr": None, **ends})
        rows += [asdict(one) for one in self.effects]
        drifting = any(one.drift is not None for one in self.judges)
        return write_document(
            self,
            Table(
                "effects",
                "What moves scores beside the outputs, in points",
                (
                    Column("name", "source", "name"),
                    Column("unit", "points per"),
                    Column("estimate", "points", "two"),
                    Column(("lower", "upper"), f"{100 * self.level:g} % interval", "interval"),
                    Column("p", "p", "p"),
                ),
                tuple({**row, "judges": row.get("judges")} for row in rows),
            ),
            Table(
                "judges",
                "Judges, the lowest scores first: points above the average judge on the same"
                " outputs",
                (
                    Column("judge", "judge", "name"),
                    Column("n", "ratings", "count"),
                    Column("offset", "offset", "two"),
                    Column("stderr", "s.e.", "two"),
                    Column("p", "p", "p"),
                    Column("p_adjusted", "adjusted", "p"),
                    *([Column("drift", "drift per 100", "two")] * drifting),
                ),
                tuple(asdict(one) for one in self.judges),
                limit=20,
            ),
            basis=f"{plural(self.n_ratings, 'rating')}, {plural(len(self.judges), 'judge')}."
            f" {say_clusterings(self.clusterings)}",
        )


def choose_columns(data: Ratings, controls: Sequence[str]) -> list[str]:
    """Return the columns of numbers to look at: position where there is one, and those named."""
    return [*dict.fromkeys([*[POSITION] * (POSITION in data.columns), *controls])]


@carries_excluded(*OF_SYSTEMS)
def find_rating_bias(
    data: Ratings | RatingRows | Openable,
    *,
    controls: Sequence[str] = (),
    cluster: str | None = None,
    level: float = LEVEL,
) -> RatingBias:
    """Estimate what moves the scores of one task under one criterion beside the outputs.

    Args:
        data: the ratings. Controls are excluded; repeats count.
        controls: columns of numbers to look at, such as a length. One called position is looked at
            unasked.
        cluster: judge | item | judge+item | judgment; by default judges and items, as known.
        level: of intervals (proportion).

    Raises:
        UnknownColumn: nobody is named who judged.
        NotIdentified: systems are not connected, or scores do not vary.
        InvalidJudgments: a column to look at that holds no numbers.
        UnknownOption: clusters that these ratings do not have.

    >>> import evenhand
    >>> judges, items, systems = "abcdef", range(10), ("new", "old")
    >>> rows = [
    ...     {"judge": j, "item": str(i), "system": s, "score": 3 * n + (n + i * k) % 5 + k}
    ...     for n, j in enumerate(judges)
    ...     for i in items
    ...     for k, s in enumerate(systems)
    ... ]
    >>> bias = evenhand.find_rating_bias(rows)
    >>> bias.judges[0].judge, round(bias.judges[0].offset, 1)
    ('a', -8.3)
    """
    require_level(level)
    rows = require_scores(data, "severity, drift and controls are of ratings, not of")
    if isinstance(rows, Ratings):
        controls = choose_columns(rows, controls)
        rows = leave_out_controls(rows).rows(factors=controls)
    rows = rows.take(np.lexsort((rows.score, rows.system, rows.judge, rows.item)))
    scores = take_scores(rows)
    if "judge" not in scores.factors or scores.factors["judge"].size < 2:
        raise UnknownColumn(
            "a bias of ratings is one of judges, and no column tells two of them apart: name it"
            " (--column judge=NAME)"
        )
    fit = Adjusted().fit(scores)
    notes: list[Finding] = [*take_findings(rows.notes), *fit.notes]
    ways = ("judge", "item") if cluster is None else tuple(cluster.split("+"))
    codes = {
        name: scores.factors[name].codes.astype(np.int64)
        for name in ways
        if name in scores.factors and MIN_CLUSTERS <= scores.factors[name].size < rows.size
    }
    lacking = [name for name in ways if name not in (*codes, "judgment")]
    if cluster is not None and lacking:
        raise UnknownOption(
            f"these ratings cannot be clustered by {lacking[0]}, which needs a column with"
            f" {MIN_CLUSTERS} or more, each with several ratings: leave out --cluster {cluster}"
        )
    notes += note_documents(scores, "biases are clustered by items")
    codes = codes or {"judgment": np.arange(rows.size)}
    effects, drifts = [], np.full(scores.factors["judge"].size, np.nan)
    for name, unit, x in _list_columns(rows, controls, notes):
        known = np.isfinite(x)
        found = _find_slope(fit, x, known, codes, level)
        if isinstance(found, str):
            notes.append(say("no-slope", "note", name=name, why=found))
            continue
        estimate, by_judge = found
        n = len(np.unique(rows.judge[known]))
        ends = {key: value for key, value in asdict(estimate).items() if key != "value"}
        effects.append(Effect(name, unit, estimate.value, judges=n, **ends))
        if name == DRIFT:
            drifts = by_judge
    severity = taste = None
    try:
        scored, repeated = average_repeats(rows)
        spread = estimate_rating_components(scored, systems="fixed", level=level)
        named = {one.name: one for one in spread.components}
        notes += take_findings([*repeated, *spread.reasons, *spread.notes])
        severity, taste = named.get(JUDGE), named.get(JUDGE_SYSTEM)
    except (NotIdentified, NotConverged) as refusal:
        notes.append(say("no-spread-of-judges", "note", why=str(refusal)))
    parts = ["bias of ratings", *[f"control {one}" for one in controls]]
    parts.append(f"CV3 by {'+'.join(codes)}, level {level:g}")
    return RatingBias(
        severity=severity,
        taste=taste,
        effects=tuple(effects),
        judges=_list_offsets(fit, drifts, level),
        level=level,
        n_ratings=rows.size,
        clusterings=tuple(codes),
        notes=tuple(notes),
        signature=write_signature(parts, float(rows.size), digest_ratings(rows)),
    )


def _list_columns(
    rows: RatingRows, controls: Sequence[str], notes: list[Finding]
) -> list[tuple[str, str, Array]]:
    """Return name, unit and (n,) values of what may move scores; NaN where unknown."""
    columns: list[tuple[str, str, Array]] = []
    if rows.moment is None:
        notes.append(say("no-times", "note"))
    else:
        known = np.isfinite(rows.moment)
        place = np.full(rows.size, np.nan)
        place[known] = rank_within(number_groups(rows.judge[known]), rows.moment[known]) / PER
        columns.append((DRIFT, f"{PER:.0f} ratings", place))
    own = np.array(rows.judges)[rows.judge] == np.array(rows.systems)[rows.system]
    if own.any():
        columns.append((OWN, "own output", own.astype(np.float64)))
    for name in controls:
        labels, codes = rows.labels(name)
        values = np.full(len(labels), np.nan)
        for at, label in enumerate(labels):
            try:
                values[at] = float(label or "nan")
            except ValueError:
                raise InvalidJudgments(
                    f"column '{name}' holds '{label}', and its effect is one of numbers: name"
                    " another column"
                ) from None
        columns.append((name, "place" if name == POSITION else f"1 of {name}", values[codes]))
    return columns


def _find_slope(
    fit: LeastSquaresFit, x: Array, known: Any, codes: Mapping[str, Integers], level: float
) -> tuple[Estimate, Array] | str:
    """Return β and its (J,) values within judges, or why it cannot be told."""
    data = fit.data
    judge = data.factors["judge"]
    if not known.any():
        return "no row says it"
    x, y = x[known], data.score[known]
    others = [number_groups(data.factors[name].codes[known]) for name in fit.effects]
    if "judge" not in fit.effects:
        others = [number_groups(judge.codes[known])]
    system = number_groups(data.system[known])
    size = int(system.max()) + 1
    left, rest = (_remove(values, system, size, others) for values in (x, y))
    within = _remove(x, system, size, [number_groups(judge.codes[known])])
    total, base = float(left @ left), float(within @ within)
    if base <= 0 or total <= MIN_LEFT * base:
        return (
            "it hardly varies within a judge, a system and an item, so that it cannot be told from"
            " these (did all judges see items in one order?)"
        )
    slope = float(left @ rest) / total
    e = rest - slope * left
    variances, df = [], np.inf
    for clusters in codes.values():
        code = number_groups(clusters[known])
        held, scores = np.bincount(code, left**2), np.bincount(code, left * e)
        g = len(held)
        if g < MIN_CLUSTERS or held.max() >= (1 - 1e-9) * total:
            return "it varies within too few judges or items for an interval"
        change = -scores / (total - held)
        variances.append((g - 1) / g * float(((change - change.mean()) ** 2).sum()))
        df = min(df, float(total**2 / (held**2).sum()) - 1)
    if len(codes) > 1:
        cells = number_groups(*(one[known] for one in codes.values()))
        crossed = float((np.bincount(cells, left * e) ** 2).sum()) / total**2
        variances = cross_ways(variances, crossed)
    if max(variances) <= 0:
        return "scores do not vary beside it"
    own = judge.codes[known]
    squares = np.bincount(own, left**2, judge.size)
    shares = np.bincount(own, left * rest, judge.size)
    by_judge = np.where(squares > 1e-9 * total, shares / np.maximum(squares, 1e-300), np.nan)
    return bound(slope, max(variances), max(df, 1.0), level), by_judge


def _remove(values: Array, system: Integers, size: int, others: list[Integers]) -> Array:
    centred = values - values.mean()
    absorbed = absorb(centred, system, size, others)
    means = np.linalg.pinv(absorbed.information, hermitian=True) @ absorbed.right
    return absorbed.residuals(centred, means)


def _list_offsets(fit: LeastSquaresFit, drifts: Array, level: float) -> tuple[JudgeOffset, ...]:
    """Return every judge's offset, with the jackknife error of a mean over his or her items."""
    judge, item = fit.data.factors["judge"], fit.data.factors.get("item")
    if "judge" not in fit.effects:
        return ()
    offsets, n = fit.effects["judge"], judge.loads
    block = judge.codes if item is None else item.codes
    cell = number_groups(judge.codes, np.arange(len(block)) if item is None else block)
    sums = np.bincount(cell, fit.residual)
    owner = np.zeros(len(sums), dtype=np.int64)
    owner[cell] = judge.codes
    clusters = np.bincount(owner, minlength=judge.size)
    squares = np.bincount(owner, sums**2, judge.size)
    # residuals have lost what is estimated of them, n / (n − rank) as in CR1
    inflation = len(fit.residual) / max(fit.df, 1.0)
    variance = inflation * squares / n**2 * clusters / np.maximum(clusters - 1, 1)
    stderr = np.where(clusters > 1, np.sqrt(variance), np.nan)
    p, ends = np.ones(judge.size), np.zeros((judge.size, 2))
    for at in np.flatnonzero(stderr > 0).tolist():
        one = bound(float(offsets[at]), float(variance[at]), float(clusters[at] - 1), level)
        p[at], ends[at] = one.p, (one.lower, one.upper)
    adjusted = benjamini_hochberg(p)
    rows = []
    for at in np.lexsort((np.array(judge.labels), offsets)).tolist():
        errors = (stderr[at], *ends[at], p[at], adjusted[at])
        known = [float(one) if stderr[at] > 0 else None for one in errors]
        known.append(float(drifts[at]) if np.isfinite(drifts[at]) else None)
        rows.append(JudgeOffset(judge.labels[at], int(n[at]), float(offsets[at]), *known))
    return tuple(rows)
