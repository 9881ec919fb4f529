"""Threshold models fitted: against scipy.optimize on raw τ, and where no tie was seen."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import logistic, norm

from evenhand.models.bradley_terry import BradleyTerry
from tallies import simulate, tally

ERRORS = {"rao-kupper": logistic, "glenn-david": norm}


def loss(parameters, counted, error):
    """Minus the log-likelihood, written from the definition: λ of all but the last, τ, δ."""
    k = len(counted.systems)
    worths, (tau, order) = np.append(parameters[: k - 1], 0), parameters[k - 1 :]
    b = 2 * (worths[counted.left] - worths[counted.right] + order)
    won, lost = error.cdf(b - tau), error.cdf(-b - tau)
    chances = np.stack([won, 1 - won - lost, lost], axis=1)
    if (chances <= 0).any():
        return np.inf
    return -float((counted.counts * np.log(chances)).sum())


@pytest.mark.parametrize("ties", ERRORS)
def test_the_fit_is_the_maximum_that_scipy_finds(ties):
    """scipy.optimize.minimize(method="Nelder-Mead") on λ, τ and δ."""
    counted = simulate((0.6, 0.1, -0.4, 0.0), 900, seed=3, order=0.2)
    fit = BradleyTerry(ties=ties, order_effect=True).fit(counted)
    start = np.array([0.1, 0, 0, 0.4, 0])
    settings = {"maxiter": 8000, "maxfev": 8000, "xatol": 1e-9, "fatol": 1e-11}
    found = minimize(
        loss, start, args=(counted, ERRORS[ties]), method="Nelder-Mead", options=settings
    )
    np.testing.assert_allclose(fit.estimate, found.x, rtol=0, atol=1e-5)
    assert fit.loglik == pytest.approx(-found.fun, abs=1e-7)


@pytest.mark.parametrize("ties", ERRORS)
def test_the_error_of_tau_is_that_of_log_tau_times_tau(ties):
    fit = BradleyTerry(ties=ties).fit(simulate((0.3, 0.0, -0.2), 600, seed=8))
    tau = fit.estimate[-1]
    assert np.exp(fit.beta[-1]) == tau
    np.testing.assert_allclose(np.sqrt(fit.raw_vcov[-1, -1]) * tau, np.sqrt(fit.vcov[-1, -1]))
    np.testing.assert_allclose(fit.raw_vcov[:-1, :-1], fit.vcov[:-1, :-1])
    inverse = np.linalg.inv(fit.likelihood.expand(fit.beta).information)
    np.testing.assert_allclose(fit.raw_vcov, inverse, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("ties", ERRORS)
def test_without_a_tie_the_threshold_is_zero_and_the_error_law_stays(ties):
    """Glenn & David's model at τ = 0 is Thurstone's case V, on the probit scale; not a logit."""
    fit = BradleyTerry(ties=ties).fit(tally(("A", "B", 9, 0, 4)))
    assert fit.names == ("o1",)
    assert "τ = 0" in fit.notes[0]
    assert fit.log_worth[0] == pytest.approx(ERRORS[ties].ppf(9 / 13), abs=1e-9)
    won = fit.predict([("A", "B")])[0]
    np.testing.assert_allclose(won, [9 / 13, 0, 4 / 13], atol=1e-9)
    density = ERRORS[ties].pdf(fit.log_worth[0])
    stderr = np.sqrt(9 / 13 * 4 / 13 / 13) / density  # delta method on the proportion
    assert np.sqrt(np.diag(fit.worth_vcov))[0] == pytest.approx(stderr, rel=1e-6)
    assert (fit.df, fit.observed.shape) == (0, (1, 2))
