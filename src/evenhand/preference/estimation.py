"""From a likelihood to a fit: Newton, covariance, deviance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.tally import Tally
from evenhand.numerics.newton import invert_positive, maximise
from evenhand.preference.covariance import Covariance
from evenhand.preference.fit import Fit
from evenhand.preference.likelihood import Likelihood
from evenhand.preference.support import THRESHOLDS

if TYPE_CHECKING:
    from evenhand.preference.bradley_terry import BradleyTerry

Array = NDArray[np.float64]
LAST: Final = 2e-4
"""Longest last step, in the units of `Likelihood.reach`: what it leaves is of its square."""


def make_fit(
    model: BradleyTerry,
    likelihood: Likelihood,
    tally: Tally,
    notes: tuple[str, ...],
    start: Array,
) -> Fit:
    """Maximise the likelihood and gather what a fit holds; `start` is where to begin.

    Raises:
        NotConverged: Newton's method did not settle.

    """
    found = maximise(likelihood.expand, start, reach=likelihood.reach, last=LAST)
    vcov = invert_positive(found.expansion.information)
    return gather(
        model,
        likelihood,
        tally,
        Solution(
            beta=found.at,
            loglik=likelihood.loglik(found.at) if likelihood.prior else found.expansion.value,
            covariance=Covariance(likelihood, found.at, vcov),
            steps=found.steps,
            decrement=found.decrement,
            notes=notes,
        ),
    )


@dataclass(frozen=True, eq=False)
class Solution:
    """Where the iteration ended: parameters, their covariance (or None), how it went."""

    beta: Array
    loglik: float
    covariance: Covariance | None
    steps: int
    decrement: float
    notes: tuple[str, ...]


def gather(model: BradleyTerry, likelihood: Likelihood, tally: Tally, solution: Solution) -> Fit:
    """Put a solution into words: names, scales, goodness of fit."""
    names, labels = _name_all(model, likelihood)
    estimate = solution.beta[: len(names)].copy()
    if "tau" in names[likelihood.n_worths :]:
        estimate[likelihood.n_worths] = np.exp(estimate[likelihood.n_worths])
    for array in (estimate, solution.beta):
        array.flags.writeable = False
    return Fit(
        model=model,
        systems=tally.systems,
        names=names,
        labels=labels,
        estimate=estimate,
        covariance=solution.covariance,
        beta=solution.beta,
        loglik=solution.loglik,
        df=likelihood.cells - len(names),
        n_judgments=tally.n_judgments,
        n_comparisons=float(likelihood.counts.sum()),
        steps=solution.steps,
        decrement=solution.decrement,
        notes=solution.notes,
        likelihood=likelihood,
        tally=tally,
    )


def _name_all(
    model: BradleyTerry, likelihood: Likelihood
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of all reported parameters, in the papers' words and in the user's."""
    names, labels = [*likelihood.design.names], [*likelihood.design.labels]
    if likelihood.ties is not None:
        names += likelihood.ties.names
        labels += likelihood.ties.labels
    elif likelihood.law.free:
        names.append("tau" if model.ties in THRESHOLDS else "g1")
        labels.append("tie")
    if likelihood.order_effect:
        names.append("order")
        labels.append("order")
    return tuple(names), tuple(labels)
