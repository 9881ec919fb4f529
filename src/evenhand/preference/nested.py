"""Likelihood-ratio tests, and which models may be compared by one.

The smaller model must be a special case of the larger, and both of the same outcomes of the same
judgments. Whether one is a special case is asked of what the parameters span, not of their names:
another reference system or level makes no other model. Source: METHODS 1, INFERENCE A10, B7.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from evenhand.errors import UnknownOption
from evenhand.numerics.distributions import chi2_tail
from evenhand.numerics.newton import maximise
from evenhand.preference.coefficients import LRTest
from evenhand.preference.covariates import find_independent, system_columns

if TYPE_CHECKING:
    from evenhand.preference.fit import Fit

_THREE: Final = ("davidson", "none")


def compare_nested(one: Fit, other: Fit) -> LRTest:
    """Test the smaller of two models against the larger.

    Raises:
        UnknownOption: the two are not of the same data in the same form, or not nested.

    """
    small, large = sorted((one, other), key=lambda fit: fit.n_parameters)
    _refuse_unlike(small, large)
    df = large.n_parameters - small.n_parameters
    if df == 0:
        raise UnknownOption(
            "the two models have as many parameters: neither is a special case of the other"
        )
    beyond = _beyond(small, large)
    if beyond:
        raise UnknownOption(f"the models are not nested: only the smaller has {beyond}")
    statistic = max(2 * (large.loglik - small.loglik), 0.0)
    return LRTest(statistic, df, chi2_tail(statistic, df))


def compare_equal(fit: Fit) -> LRTest | None:
    """Test whether all systems are of equal worth, in every group, beside the same γ and δ.

    Returns None for importance weights and a prior, which leave no likelihood to test by, and where
    systems are too many for a covariance.
    """
    if fit.covariance is None or fit.model.prior or fit.tally.squares is not None:
        return None
    design = fit.design
    equal = replace(design, names=(), labels=(), matrix=np.zeros((design.size, 0)))
    likelihood = replace(fit.likelihood, design=equal)
    found = maximise(likelihood.expand, likelihood.start(), reach=likelihood.reach)
    statistic = max(2 * (fit.loglik - found.expansion.value), 0.0)
    df = len(design.names)
    return LRTest(statistic, df, chi2_tail(statistic, df))


def _refuse_unlike(small: Fit, large: Fit) -> None:
    """Refuse where the likelihoods are not of the same data in the same form."""
    if small.tally.fold().pool().digest != large.tally.fold().pool().digest:
        raise UnknownOption("a likelihood-ratio test needs two models of the same judgments")
    forms = {_form(small), _form(large)}
    if len(forms) > 1:
        raise UnknownOption(
            f"no likelihood-ratio test between {' and '.join(sorted(forms))}: they are not models"
            " of the same outcomes, so that their likelihoods cannot be compared"
        )
    if small.model.prior or large.model.prior:
        raise UnknownOption("a likelihood-ratio test needs maximum likelihood: fit without a prior")
    if small.tally.squares is not None:
        raise UnknownOption("importance weights have no likelihood: no likelihood-ratio test")


def _form(fit: Fit) -> str:
    """Return which outcomes the likelihood is of."""
    if fit.model.ties == "none":
        return "three outcomes"
    if not fit.tally.ties.any():
        return "probits" if fit.model.ties == "glenn-david" else "two outcomes"
    return "three outcomes" if fit.model.ties in _THREE else f"ties={fit.model.ties}"


def _beyond(small: Fit, large: Fit) -> str:
    """Name what the smaller model can express and the larger cannot; empty if there is nothing."""
    if small.likelihood.law.free and not large.likelihood.law.free:
        return "a tie parameter"
    if small.likelihood.order_effect and not large.likelihood.order_effect:
        return "an order effect"
    kinds = {"controls": "control", "judge_covariates": "judge covariate"}
    for setting, said in (kinds | {"tie_covariates": "tie covariate"}).items():
        known: tuple[str, ...] = getattr(large.model, setting)
        lost = [one for one in getattr(small.model, setting) if one not in known]
        if lost:
            return f"{said} {lost[0]}"
    return _beyond_systems(small, large) if large.model.system_covariates else ""


def _beyond_systems(small: Fit, large: Fit) -> str:
    """Name the first system covariate that is no sum of the larger model's."""
    names, _, own = system_columns(small.systems, 0, small.model.system_covariates)
    theirs = system_columns(large.systems, 0, large.model.system_covariates)[2]
    together = np.concatenate([theirs, own], axis=1)
    fresh = find_independent(together, np.zeros(len(own), dtype=np.int32))[theirs.shape[1] :]
    if not fresh.any():
        return ""
    return names[int(np.argmax(fresh))] if small.model.system_covariates else "free worths"
