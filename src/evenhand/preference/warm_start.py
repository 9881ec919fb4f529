"""Where the iteration starts when there was a fit before: where that one ended.

A day's judgments move an estimate little, so that one or two Newton steps do. The maximum is the
same one, whatever the start: the likelihood is concave, and the steps go on until the same bound.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import UnknownOption
from evenhand.preference.fit import Fit
from evenhand.preference.likelihood import Likelihood

Array = NDArray[np.float64]


def take_fit(start: Any) -> Fit:
    """Return the fit of what was given to start from, a fit or a ranking by one.

    Raises:
        UnknownOption: it is neither.

    """
    fit = getattr(start, "fit", start)
    if isinstance(fit, Fit):
        return fit
    raise UnknownOption(
        f"start cannot be of type {type(start).__name__}: it is an earlier fit of the Bradley-Terry"
        " model, or a ranking by one"
    )


def choose_start(likelihood: Likelihood, previous: Fit) -> Array:
    """Return the parameters to start from: the previous ones, if they fit better than the usual.

    Args:
        likelihood: of the judgments now.
        previous: the fit before.

    """
    usual = likelihood.start()
    carried = _carry(likelihood, previous, usual)
    better = likelihood.loglik(carried) > likelihood.loglik(usual)
    return carried if better else usual


def _carry(likelihood: Likelihood, previous: Fit, usual: Array) -> Array:
    """Return previous parameters by name; new systems in the middle, what else is new as usual."""
    beta, design, at = usual.copy(), likelihood.design, likelihood.n_worths
    if design.matrix is None:
        beta[:at] = _carry_worths(likelihood, previous)
    else:
        known = dict(zip(previous.labels, previous.beta.tolist(), strict=False))
        beta[:at] = [known.get(label, 0.0) for label in design.labels]
    before = previous.likelihood
    if likelihood.ties is None and before.ties is None and type(before.law) is type(likelihood.law):
        n = likelihood.n_ties
        beta[at : at + n] = previous.beta[before.n_worths :][: before.n_ties][:n]
    if likelihood.order_effect and before.order_effect:
        place = before.n_worths + before.n_ties
        beta[at + likelihood.n_ties] = previous.beta[place]
    return beta


def _carry_worths(likelihood: Likelihood, previous: Fit) -> Array:
    """Return the parameters of the plain design: λ of systems, less that of the reference."""
    design = likelihood.design
    centred = (previous.log_worth - previous.log_worth.mean()) / 2
    known = dict(zip(previous.systems, centred.tolist(), strict=True))
    worths = np.array([known.get(system, 0.0) for system in design.systems])
    return design.pull(worths - worths[design.reference])
