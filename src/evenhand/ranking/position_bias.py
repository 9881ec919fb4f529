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

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged, NotIdentified, UnknownOption
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import say_left_out
from evenhand.judgments.groups import note_tasks
from evenhand.judgments.levels import Levels
from evenhand.judgments.notebook import InNotebooks
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.signature import write_signature
from evenhand.judgments.tally import Tally, merge_levels
from evenhand.judgments.wrong_kind import require_pairs
from evenhand.numerics.distributions import normal_quantile, t_quantile, t_tail
from evenhand.numerics.threads import one_blas_thread
from evenhand.preference.bradley_terry import BradleyTerry
from evenhand.preference.coefficients import format_p
from evenhand.preference.fit import Fit
from evenhand.preference.position_effects import MOST, fit_position_effects
from evenhand.ranking.clustering import FACTORS, wanted_factors
from evenhand.ranking.evidence import CLUSTERS, Evidence
from evenhand.ranking.inference import find_intervals
from evenhand.ranking.judge_positions import (
    JudgeBias,
    judge_biases,
    ranking_inflation,
    say_judges,
    share_first,
)
from evenhand.ranking.settings import Settings
from evenhand.ranking.signature import name_model

Array = NDArray[np.float64]
LEVEL: Final = 0.95
SCORED: Final = "scores are of one output at a time, and neither of two stands first"


@dataclass(frozen=True, eq=False, repr=False)
class PositionBias(InNotebooks):
    """The advantage of being shown first.

    Attributes:
        estimate: common bias in log-odds, 2δ.
        stderr: its standard error, clustered.
        lower: lower end of its interval.
        upper: upper end.
        p: two-sided p-value of no common bias.
        level: nominal level of intervals (proportion).
        method: how the error was made.
        spread: sd of judges' biases (log-odds); None without judges, or if it has no finite
            estimate.
        heterogeneity_p: p-value of all judges sharing one bias, or None.
        judges: each judge, farthest from the median judge first.
        n_judgments: answers, a ranking being one.
        n_comparisons: pairs.
        notes: what else should be known.
        signature: one line that reproduces the numbers.

    """

    TABLE: ClassVar = "judges"

    estimate: float
    stderr: float
    lower: float
    upper: float
    p: float
    level: float
    method: str
    spread: float | None
    heterogeneity_p: float | None
    judges: tuple[JudgeBias, ...]
    n_judgments: float
    n_comparisons: float
    notes: tuple[str, ...]
    signature: str

    @property
    def share(self) -> float:
        """How often the first of two equal outputs wins, ties aside (proportion)."""
        return share_first(self.estimate)

    @cached_property
    def stand_out(self) -> tuple[JudgeBias, ...]:
        """Judges who differ from the median judge, at a false discovery rate of 1 − level."""
        alpha = 1 - self.level
        adjusted = [(one, one.p_common_adjusted) for one in self.judges]
        return tuple(one for one, p in adjusted if p is not None and p <= alpha)

    @property
    def says(self) -> tuple[str, ...]:
        """What was found, in sentences."""
        low, high = (100 * share_first(end) for end in (self.lower, self.upper))
        first = (
            f"between equals the output shown first wins {100 * self.share:.1f} % of decided"
            f" comparisons ({low:.1f} to {high:.1f} %; p {format_p(self.p)})"
        )
        if self.heterogeneity_p is None:
            return (first,)
        differ = self.heterogeneity_p <= 1 - self.level
        judges = say_judges(self.spread, self.heterogeneity_p, self.stand_out, differ=differ)
        return first, *judges

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand bias --json`."""
        names = ("estimate", "stderr", "lower", "upper", "p", "share", "level", "method", "spread")
        return {
            "signature": self.signature,
            **{name: getattr(self, name) for name in names},
            "heterogeneity_p": self.heterogeneity_p,
            "n_judgments": self.n_judgments,
            "n_comparisons": self.n_comparisons,
            "says": list(self.says),
            "notes": list(self.notes),
            "judges": [one.to_dict() for one in self.judges],
        }

    def __repr__(self) -> str:
        return "\n".join([*self.says, *(f"note: {note}" for note in self.notes), self.signature])


def find_position_bias(
    data: Comparisons | Rankings, *, cluster: str | None = None, level: float = LEVEL
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
    _refuse(table)
    settings = Settings(BradleyTerry(order_effect=True), "sandwich", cluster, level, SEED, None)
    present = {name for name in FACTORS if table.has(name)}
    ways = wanted_factors(cluster, present)
    known = [
        name for name in ("judge", "ranking" if table.expanded else "judge") if table.has(name)
    ]
    tally = table.tally(by=tuple(dict.fromkeys([*ways, *known])))
    fit = fit_order(tally)
    merged = {name: merge_levels(tally.factor(name), CLUSTERS, SEED) for name in ways}
    evidence = Evidence.of(replace(tally, factors=merged).pool(ways))
    with one_blas_thread():
        found = _estimate(fit, evidence, tally, settings)
        found = replace(found, notes=(*say_left_out(data, table), *note_tasks(table), *found.notes))
        return _add_judges(found, fit, tally, expanded=table.expanded)


def _refuse(table: Comparisons) -> None:
    """Refuse data that cannot show a bias.

    Raises:
        UnknownOption: positions are not known.

    """
    if not table.positions_known:
        raise UnknownOption(
            f"{table.source.name} does not say which output stood first, so that no position bias"
            " can be seen: map a position column (--column position=NAME)"
        )


def fit_order(tally: Tally) -> Fit:
    """Fit Davidson's model with an order effect.

    Raises:
        NotIdentified: worths are not identified, or the order tells nothing; without options.

    """
    try:
        BradleyTerry().fit(tally)  # what is wrong with worths alone is said in its own words
    except (NotIdentified, NotConverged) as refusal:
        raise refusal.without_options() from None
    if not share_of_both_orders(tally):
        raise NotIdentified(
            "no position bias can be told: every pair of systems was always shown in one order, so"
            " that the first output and its system win together; show pairs in both orders"
        )
    try:
        return BradleyTerry(order_effect=True).fit(tally)
    except NotIdentified as refusal:
        why = refusal.without_options()
        raise NotIdentified(f"no position bias can be told: {why}") from refusal


def share_of_both_orders(tally: Tally) -> float:
    """Return the share of comparisons whose pair was shown in both orders (proportion)."""
    pooled, k = tally.pool(), len(tally.systems)
    own = pooled.left.astype(np.int64) * k + pooled.right
    turned = pooled.right.astype(np.int64) * k + pooled.left
    n = pooled.counts.sum(axis=1)
    return float(n[np.isin(own, turned)].sum() / n.sum())


def _estimate(fit: Fit, evidence: Evidence, tally: Tally, settings: Settings) -> PositionBias:
    """Return the common bias with its clustered error."""
    loads = {name: factor.loads for name, factor in tally.factors.items()}
    clustering, intervals = find_intervals(fit, evidence, Levels(loads), settings)
    if intervals is None:
        raise NotIdentified(f"{len(fit.systems):,} systems are too many for a position bias")
    at = fit.likelihood.n_worths + fit.likelihood.n_ties
    estimate, stderr = 2 * float(fit.beta[at]), 2 * float(intervals.parameters[at])
    margin = t_quantile((1 + settings.level) / 2, intervals.df) * stderr
    headline = [clustering.headline] if clustering.headline else []
    return PositionBias(
        estimate=estimate,
        stderr=stderr,
        lower=estimate - margin,
        upper=estimate + margin,
        p=t_tail(estimate / stderr, intervals.df),
        level=settings.level,
        method=intervals.method,
        spread=None,
        heterogeneity_p=None,
        judges=(),
        n_judgments=tally.n_judgments,
        n_comparisons=tally.n_comparisons,
        notes=(*headline, *fit.notes, *intervals.notes, *clustering.notes),
        signature=_sign(fit, tally, intervals.method, settings.level),
    )


def _sign(fit: Fit, tally: Tally, method: str, level: float) -> str:
    parts = [f"position bias, {name_model(fit)}"]
    parts += ["importance weights"] if tally.squares is not None else []
    return write_signature([*parts, f"{method}, level {level:g}"], tally.n_judgments, tally.digest)


def _add_judges(found: PositionBias, fit: Fit, tally: Tally, *, expanded: bool) -> PositionBias:
    """Add what is known of each judge, where there are two or more."""
    if "judge" not in tally.factors or tally.factor("judge").size < 2:
        return found
    if tally.squares is not None:
        note = "importance weights are no counts: judges cannot be tested one by one"
        return replace(found, notes=(*found.notes, note))
    inflation = ranking_inflation(fit, tally) if expanded and "ranking" in tally.factors else None
    try:
        effects = fit_position_effects(fit, tally, 1.0 if inflation is None else 1 / inflation)
    except NotConverged as stop:
        return replace(found, notes=(*found.notes, f"nothing is said of judges: {stop}"))
    z = normal_quantile((1 + found.level) / 2)
    judges = judge_biases(effects, tally.pool(("judge",)), (found.stderr / 2, z), inflation)
    notes = []
    if effects.endless:
        held = f"sd of {2 * MOST:.0f} in log-odds"
        notes.append(f"estimates of judges are drawn to the common one as by a {held}")
    if inflation is not None:
        weight = f"1/{inflation:.2f}"
        notes.append(f"comparisons of one ranking count for {weight} in what is said of judges")
    return replace(
        found,
        spread=None if effects.endless else 2 * effects.spread,
        heterogeneity_p=effects.p,
        judges=judges,
        notes=(*found.notes, *notes),
    )
