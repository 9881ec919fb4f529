"""Is the output that is shown first preferred for that alone: by all judges, and by whom?

The common bias δ is the order effect of the Bradley-Terry model, its error clustered as in a
ranking. Whether judges differ is a likelihood-ratio test of τ = 0 in the model of
`preference.position_effects`, on the boundary: half a χ² on one degree of freedom (Self & Liang
1987, Journal of the American Statistical Association 82:605-610). Whether one judge differs from
others, or from no bias, is an exact test of wins minus losses of the first output, given the
worths and, for the others, the bias of the median judge; p-values are adjusted for the number of
judges (Benjamini & Hochberg 1995).

Comparisons of one ranking are no independent answers: there each counts for 1/φ, φ being how much
scores of rankings vary beside what independent comparisons would, and tests of judges are normal.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import carries_excluded, require_pairs, say_left_out
from evenhand.data.exclusions import Exclusion, list_findings, write_contract
from evenhand.data.groups import Levels, note_tasks
from evenhand.data.rankings import Rankings
from evenhand.data.results import Shown, write_signature
from evenhand.data.taking import Openable
from evenhand.data.tally import Tally, merge_levels
from evenhand.errors import NotConverged, NotIdentified, UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.log_linear import Fit
from evenhand.models.position_effects import (
    MAX_SPREAD,
    Panel,
    PositionEffects,
    fit_position_effects,
    make_panel,
)
from evenhand.numerics import Array, distributions
from evenhand.numerics.multiple_tests import benjamini_hochberg
from evenhand.numerics.sampling import one_blas_thread
from evenhand.ranking.clustering import FACTORS, MAX_CLUSTERS, Evidence, wanted_factors
from evenhand.ranking.covariance import NO_SPREAD_RATIO
from evenhand.ranking.inference import find_intervals
from evenhand.ranking.settings import Settings, name_model
from evenhand.ranking.sides import REMEDY, find_one_sided
from evenhand.ranking.texts import INSEPARABLE, say, say_clusterings
from evenhand.render.counts import say_answers
from evenhand.render.document import Column, Document, Table
from evenhand.render.findings import Finding

# Most comparisons of a judge for the exact test; with more the normal one is as good
MAX_EXACT_COMPARISONS: Final = 500
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
    # p-value of this judge's bias being that of the median judge; None where the spread of biases
    # has no finite estimate
    p_common: float | None
    p_none: float  # p-value of no bias
    # `p_common` adjusted for the number of judges (Benjamini-Hochberg)
    p_common_adjusted: float | None
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
    pooled = tally.pool(("judge", "ranking"))
    panel, delta = make_panel(fit, pooled, 1.0, ("judge", "ranking"))
    ranking = np.unique(panel.codes["ranking"], return_inverse=True)[1].reshape(-1)
    local = panel.expand(np.full(panel.size, delta))
    bias = panel.by_judge(local.eta) / np.maximum(panel.by_judge(local.eta_eta), 1e-300)
    left = np.bincount(ranking, local.eta - local.eta_eta * bias[panel.judge])
    pair_weights = panel.likelihood.counts.sum(axis=1)  # every pair of a ranking has its weight
    weights = np.bincount(ranking, pair_weights) / np.bincount(ranking)
    held = float(weights.sum()) - len(np.unique(panel.judge))
    spare = float(weights.sum()) / max(held, 1.0)
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
    order = np.lexsort((none, -apart) if common is None else (common, -apart))
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
            p[j] = max(
                distributions.two_sided_p(float(score[j] / np.sqrt(information[j]))),
                distributions.MIN_P,
            )
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
    # sd of judges' biases (log-odds); None without judges, or if it has no finite estimate
    spread: float | None
    heterogeneity_p: float | None  # p-value of all judges sharing one bias, or None
    judges: tuple[JudgeBias, ...]  # each judge, farthest from the median judge first
    n_judgments: float  # answers, a ranking being one
    n_comparisons: float  # pairs
    notes: tuple[str, ...]  # what else should be known
    signature: str  # one line that reproduces the numbers
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
        answers = say_answers(self.n_judgments, self.n_comparisons)
        return Document(
            basis=f"{answers}. {say_clusterings(self.clusterings)}",
            answer=self.says,
            parts=(_tabulate(self),),
            findings=list_findings(self.notes, self.excluded),
            signature=self.signature,
        )


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


def _tabulate(bias: PositionBias) -> Table:
    every = {"n": bias.n_comparisons, "estimate": bias.estimate, "stderr": bias.stderr}
    every |= {"lower": bias.lower, "upper": bias.upper, "share": bias.share, "p_none": bias.p}
    rows = [
        {
            **dict.fromkeys((*ROW_KEYS, "first", "second")),
            **row,
            "name": row.get("judge", "all"),
            "share_lower": share_first(row["lower"]),
            "share_upper": share_first(row["upper"]),
        }
        for row in (every, *(one.to_dict() for one in bias.judges))
    ]
    outstanding = set(bias.stand_out)
    last = max((i + 1 for i, one in enumerate(bias.judges) if one in outstanding), default=0)
    return Table(
        "position-bias",
        "How often the output shown first wins",
        COLUMNS if bias.judges else COLUMNS[:2] + COLUMNS[4:8],
        tuple(rows),
        limit=1 + max(MIN_JUDGES_SHOWN, last),
        legend=LEGEND if bias.judges else (),
        without=("name", "first", "second", "share_lower", "share_upper"),
    )


@carries_excluded("controls")
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
    settings = Settings(BradleyTerry(order_effect=True), "sandwich", cluster, level, SEED, None)
    present = {name for name in FACTORS if table.has(name)}
    clusterings = wanted_factors(cluster, present)
    known = [
        name for name in ("judge", "ranking" if table.expanded else "judge") if table.has(name)
    ]
    tally = table.tally(by=tuple(dict.fromkeys([*clusterings, *known])))
    fit = fit_order(tally)
    merged = {name: merge_levels(tally.factor(name), MAX_CLUSTERS, SEED) for name in clusterings}
    evidence = Evidence.of(replace(tally, factors=merged).pool(clusterings))
    with one_blas_thread():
        bias = _estimate(fit, evidence, tally, settings)
        bias = replace(bias, notes=(*say_left_out(data, table), *note_tasks(table), *bias.notes))
        if "judge" not in tally.factors or tally.factor("judge").size < 2:
            return bias
        if tally.squares is not None:
            return replace(bias, notes=(*bias.notes, say("judges-weighted")))
        inflation = (
            ranking_inflation(fit, tally) if table.expanded and "ranking" in tally.factors else None
        )
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
        why = refusal.without_options()
        raise NotIdentified(f"{UNKNOWN}: {why}") from refusal


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
        both = sides.both_orders
        notes.append(say("sides-uneven", "warning", named=sides.named, both=both))
    parts = [f"position bias, {name_model(fit)}"]
    parts += ["importance weights"] if tally.squares is not None else []
    signature = write_signature(
        [*parts, f"{intervals.method}, level {settings.level:g}"], tally.n_judgments, tally.digest
    )
    return PositionBias(
        estimate=estimate,
        stderr=stderr,
        lower=estimate - margin,
        upper=estimate + margin,
        p=distributions.t_tail(estimate / stderr, intervals.df),
        level=settings.level,
        method=intervals.method,
        spread=None,
        heterogeneity_p=None,
        judges=(),
        n_judgments=tally.n_judgments,
        n_comparisons=tally.n_comparisons,
        notes=(*notes, *fit.notes, *intervals.notes, *clustering.notes),
        signature=signature,
        clusterings=clustering.clusterings,
    )
