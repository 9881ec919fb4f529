"""The position bias of each judge: an estimate that always exists, and tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import listing
from evenhand.judgments.tally import Tally
from evenhand.numerics.distributions import two_sided_p
from evenhand.numerics.exact_sums import LEAST, net_wins_p
from evenhand.preference.coefficients import format_p
from evenhand.preference.fit import Fit
from evenhand.preference.position_effects import MOST, Panel, PositionEffects, make_panel
from evenhand.preference.ties.laws import TieLaw
from evenhand.significance.adjust import benjamini_hochberg

Array = NDArray[np.float64]
EXACT: Final = 500
"""Most comparisons of a judge for the exact test; with more the normal one is as good."""
SHOWN: Final = 3
"""Most judges who are named in a sentence."""


def share_first(log_odds: float) -> float:
    """Return how often the first of two equal outputs wins, ties aside.

    >>> round(share_first(0.12), 3)
    0.53
    """
    return float(1 / (1 + np.exp(-log_odds)))


@dataclass(frozen=True)
class JudgeBias:
    """What is known of one judge's position bias.

    Attributes:
        judge: the name.
        n: comparisons.
        first: comparisons in which the first output was preferred.
        second: those in which the second was.
        estimate: bias in log-odds, drawn towards the common one.
        stderr: its standard error.
        lower: lower end of its interval.
        upper: upper end.
        p_common: p-value of this judge's bias being that of the median judge; None where the
            spread of biases has no finite estimate.
        p_none: p-value of no bias.
        p_common_adjusted: `p_common` adjusted for the number of judges (Benjamini-Hochberg).
        p_none_adjusted: likewise.

    """

    judge: str
    n: float
    first: float
    second: float
    estimate: float
    stderr: float
    lower: float
    upper: float
    p_common: float | None
    p_none: float
    p_common_adjusted: float | None
    p_none_adjusted: float

    @property
    def share(self) -> float:
        """How often the first of two equal outputs wins with this judge, ties aside."""
        return share_first(self.estimate)

    @property
    def share_interval(self) -> tuple[float, float]:
        """Ends of the interval of `share`."""
        return share_first(self.lower), share_first(self.upper)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of a judge."""
        return {**asdict(self), "share": self.share}


def say_judges(
    spread: float | None, p: float, outstanding: Sequence[JudgeBias], *, differ: bool
) -> tuple[str, str]:
    """Say whether judges differ, and who stands out.

    Args:
        spread: sd of their biases (log-odds), None if it has no finite estimate.
        p: p-value of no differences.
        outstanding: those who stand out.
        differ: whether `p` is small enough to say so.

    """
    if spread is None:
        return (
            f"judges nearly always took one side each (p {format_p(p)}): τ, the sd of their biases,"
            f" has no finite estimate below {2 * MOST:.0f} in log-odds",
            "judges are not compared with each other",
        )
    found = "no sign that judges differ"
    if spread == 0:
        found = "judges do not differ detectably: the common estimate stands for each"
    if differ:
        found = f"judges differ: sd {spread:.2f} in log-odds"
    if not outstanding:
        return f"{found} (p {format_p(p)})", "no judge stands out from the others"
    names = listing([f"{one.judge} ({100 * one.share:.0f} %)" for one in outstanding], SHOWN)
    verb = "stands" if len(outstanding) == 1 else "stand"
    return f"{found} (p {format_p(p)})", f"{names} {verb} out from the others"


def ranking_inflation(fit: Fit, tally: Tally) -> float:
    """Return φ: how much scores of rankings vary beside what independent comparisons would.

    Each ranking's score is what its judge's own bias, to first order, leaves of it. One of weight w
    counts as w rankings.

    Args:
        fit: the fit with an order effect.
        tally: counts by judge and ranking.

    """
    pooled = tally.pool(("judge", "ranking"))
    panel, delta = make_panel(fit, pooled, 1.0, ("judge", "ranking"))
    ranking = np.unique(panel.codes["ranking"], return_inverse=True)[1].reshape(-1)
    local = panel.expand(np.full(panel.size, delta))
    own = panel.by_judge(local.eta) / np.maximum(panel.by_judge(local.eta_eta), 1e-300)
    left = np.bincount(ranking, local.eta - local.eta_eta * own[panel.judge])
    pair_weights = panel.likelihood.counts.sum(axis=1)  # every pair of a ranking has its weight
    weights = np.bincount(ranking, pair_weights) / np.bincount(ranking)
    held = float(weights.sum()) - len(np.unique(panel.judge))
    spare = float(weights.sum()) / max(held, 1.0)
    return float(max(1.0, spare * (left**2 / weights).sum() / local.eta_eta.sum()))


def judge_biases(
    effects: PositionEffects, tally: Tally, error: tuple[float, float], inflation: float | None
) -> tuple[JudgeBias, ...]:
    """Return all judges, farthest from the median judge first.

    Where the spread of biases has no finite estimate, neither has that of the median judge: the
    least likely to have no bias come first.

    Args:
        effects: the fitted biases.
        tally: counts by judge.
        error: standard error of δ (λ scale), and the quantile of intervals.
        inflation: φ where comparisons come in rankings, else None.

    """
    stderr = 2 * np.sqrt(effects.variance + (_pull(effects) * error[0]) ** 2)
    none = _test_judges(effects.panel, 0.0, inflation)
    common, apart = _compare_judges(effects, inflation)
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


def _compare_judges(
    effects: PositionEffects, inflation: float | None
) -> tuple[Array | None, Array]:
    """Return (J,) p-values of the median judge's bias, if there is any, and distances from it."""
    if effects.endless:
        return None, np.zeros(len(effects.estimate))
    median = median_bias(effects)
    return _test_judges(effects.panel, median, inflation), np.abs(effects.estimate - median)


def median_bias(effects: PositionEffects) -> float:
    """Return the bias (λ scale) of the median judge, each judge weighed by the information held.

    Unlike the mean it is hardly moved by a few judges who always take one side, beside whom all
    others would seem to stand out.
    """
    panel = effects.panel
    held = panel.by_judge(panel.expand(effects.estimate).eta_eta)
    order = np.argsort(effects.estimate, kind="stable")
    sums = np.cumsum(held[order])
    return float(effects.estimate[order][np.searchsorted(sums, sums[-1] / 2)])


def _pull(effects: PositionEffects) -> Array:
    """Return (J,) how far each estimate moves with δ: the share of it that is not the judge's."""
    if effects.spread == 0:
        return np.ones(len(effects.variance))
    return np.minimum(effects.variance / effects.spread**2, 1.0)


def _test_judges(panel: Panel, bias: float, inflation: float | None) -> Array:
    """Return (J,) p-values of every judge having one bias."""
    worths, tie, _, _ = panel.likelihood.parts(panel.beta)
    eta = panel.likelihood.eta(worths, 0.0) + bias
    factor = 1.0 if inflation is None else inflation
    counts = panel.likelihood.counts * factor  # as they were counted
    local = panel.expand(np.full(panel.size, bias))
    score, information = panel.by_judge(local.eta), panel.by_judge(local.eta_eta)
    found = np.ones(panel.size)
    chances = _chances(panel.likelihood.law, eta, tie)
    order = np.argsort(panel.judge, kind="stable")
    borders = np.searchsorted(panel.judge[order], np.arange(panel.size + 1))
    for j in np.flatnonzero(information > 0).tolist():
        own = order[borders[j] : borders[j + 1]]
        n = counts[own].sum(axis=1)
        if inflation is None and n.sum() <= EXACT:
            net = round(float((counts[own, 0] - counts[own, 2]).sum()))
            found[j] = net_wins_p(chances[own], n, net)
        else:
            found[j] = max(two_sided_p(float(score[j] / np.sqrt(information[j]))), LEAST)
    return found


def _chances(law: TieLaw, eta: Array, tie: Any) -> Array:
    """Return (C, 3) chances of first, tie, second."""
    return np.exp(law.log_chances(eta, tie))
