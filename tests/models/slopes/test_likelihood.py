"""The integrals behind judge slopes against brute force (scipy 1.17, quad and minimize)."""

import numpy as np
import pytest
from scipy import optimize, stats

from derivatives import assert_derivatives
from evenhand.models.judge_slopes import JudgeSlopes
from slope_campaigns import LAWS, Brute, campaign, likelihood_of
from tallies import tally

BOTH = pytest.mark.parametrize("ties", LAWS)


@BOTH
@pytest.mark.parametrize(("tau", "nodes"), [(0.1, 15), (0.6, 30), (0.6, 60), (1.2, 120)])
def test_the_likelihood_is_that_of_brute_force_integration(ties, tau, nodes):
    one = campaign(4, 12, 0.7, seed=3)
    own = likelihood_of(one, ties, nodes)
    beta = np.array([0.7, 0.2, -0.3, *([-0.4] if ties == "davidson" else []), np.log(tau)])
    expected = Brute(one, (0.7, 0.2, -0.3, 0.0), -0.4, tau, ties).loglik()
    assert own.loglik(beta) == pytest.approx(expected, abs=1e-6 if nodes == 30 else 1e-8)
    assert own.expand(beta).value == pytest.approx(own.loglik(beta), abs=1e-10)


@BOTH
def test_gradient_and_information_are_finite_differences(ties):
    own = likelihood_of(campaign(12, 20, 0.6, seed=4), ties, 40)
    beta = np.array([0.7, 0.2, -0.3, *([-0.4] if ties == "davidson" else []), np.log(0.5)])
    assert_derivatives(own.expand, beta, slope=1e-6, bend=1e-6)


def test_the_estimates_are_where_the_brute_force_likelihood_is_flat():
    counts = zip("pqr", [(28, 4, 1), (12, 6, 10), (20, 5, 8)], strict=True)
    one = tally(*[("A", "B", *row, judge) for judge, row in counts])
    fit = JudgeSlopes().fit(one)

    def loglik(beta):
        return Brute(one, (beta[0], 0.0), beta[1], np.exp(beta[2]), "davidson").loglik()

    beta = np.array([*fit.estimate, np.log(fit.tau)])
    assert fit.loglik == pytest.approx(loglik(beta), abs=1e-6)
    for step in 1e-3 * np.eye(3):
        assert loglik(beta + step) - loglik(beta - step) == pytest.approx(0, abs=2e-6)
        assert loglik(beta + 20 * step) < fit.loglik > loglik(beta - 20 * step)


def test_slopes_are_quantiles_of_their_posteriors():
    one = campaign(5, 25, 0.8, seed=11)
    fit = JudgeSlopes().fit(one)
    brute = Brute(one, fit.lambdas, fit.estimate[-1], fit.tau, "davidson")
    for judge in range(2):
        whole = brute.integral(judge)
        own = (fit.slopes.lower[judge], fit.slopes.estimate[judge], fit.slopes.upper[judge])
        for slope, probability in zip(own, (0.025, 0.5, 0.975), strict=True):
            below = brute.integral(judge, np.log(slope) / fit.tau)
            assert below / whole == pytest.approx(probability, abs=1e-3)


def test_the_ends_of_the_interval_of_tau_are_where_its_profile_has_dropped():
    one = campaign(25, 40, 0.5, seed=21)
    fit = JudgeSlopes().fit(one)
    own = likelihood_of(one, "davidson", 120)
    assert fit.tau_method == "profile likelihood"
    for end in fit.tau_interval:
        held = own.hold(end)
        best = optimize.minimize(lambda b, held=held: -held.loglik(b), fit.estimate, method="BFGS")
        assert 2 * (fit.loglik + best.fun) == pytest.approx(stats.chi2.ppf(0.95, 1), abs=1e-3)
