"""Judges' tastes by the likelihood of `RandomJudges`, in the place of moments."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Final

import numpy as np

from evenhand.errors import NotIdentified
from evenhand.judgments.components import JUDGE_SYSTEM, SYSTEM, Component
from evenhand.judgments.tally import Tally
from evenhand.preference.judges.fit import RandomJudgesFit
from evenhand.preference.random_judges import RandomJudges
from evenhand.preference.variance_components import TasteComponents, estimate_taste_components

_LIKELY: Final = (
    "judge x system is from the likelihood of RandomJudges, which takes items for independent"
    " noise; item x system is by moments; standard errors and designs take both as they are printed"
)
_BOUND: Final = (
    "judge x system is by moments: comparisons of one ranking hang together, so that the likelihood"
    " gives an upper bound only"
)
_ALONE: Final = (
    "tastes are so strong that moments say nothing of item x system, nor of how they go into pooled"
    " log-worths: judge x system and systems are from the likelihood alone"
)


def estimate_likely_components(tally: Tally, *, level: float) -> TasteComponents:
    """Estimate tastes, those of judges by likelihood, and the rest by moments where they can.

    Args:
        tally: counts told apart by judge, and by item where items are named.
        level: of the intervals.

    Raises:
        NotIdentified: worths or tastes of judges have no estimate.
        NotConverged: a likelihood without a clear maximum.

    """
    if "ranking" in tally.factors or "judge" not in tally.factors:
        found = estimate_taste_components(tally, level=level)
        return replace(found, notes=(_BOUND, *found.notes))
    fit = RandomJudges(level=level).fit(replace(tally, factors={"judge": tally.factor("judge")}))
    lower, upper = fit.sigma_interval or (None, None)
    p = None if fit.lr_test is None else fit.lr_test.p
    one = Component(JUDGE_SYSTEM, fit.sigma, fit.n_judges, lower, upper, p, how="likelihood")
    try:
        found = estimate_taste_components(tally, level=level)
    except NotIdentified:
        components = (_between_systems(fit), one)
        return TasteComponents(components, 1.0, 0.0, {}, (_ALONE,), tuple(fit.notes))
    kept = [each for each in found.components if each.name != JUDGE_SYSTEM]
    return replace(found, components=(*kept, one), notes=(_LIKELY, *found.notes))


def _between_systems(fit: RandomJudgesFit) -> Component:
    """Return how far systems are from each other, less what their errors add."""
    vcov, k = fit.worth_vcov, len(fit.systems)
    error = float(np.trace(vcov) - vcov.sum() / k) / (k - 1)
    variance = max(float(fit.log_worth.var(ddof=1)) - error, 0.0)
    return Component(SYSTEM, sqrt(variance), k, how="likelihood")
