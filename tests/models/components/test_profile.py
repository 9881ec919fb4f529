"""Intervals and tests against a profile by a general optimiser."""

import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from scipy.stats import chi2

from evenhand.models.components import Problem, Term, arrange, make_terms
from evenhand.models.rating_components import maximise, profile
from models.scored import dense_loglik, simulate


@pytest.fixture(scope="module")
def made():
    sds = {"judge": 1.2, "item": 0.8, "residual": 1.0}
    rows = simulate(8, sds, n=70, sizes=(8, 10, 2))
    terms = [one for one in make_terms(rows) if one.name in ("judge", "item")]
    fixed = Term("mean", np.zeros(rows.size, dtype=np.int64), 1)
    score = (rows.score - rows.score.mean()) / rows.score.std()
    problem = Problem(score, terms, fixed, arrange(terms, fixed))
    return problem, maximise(problem, np.full(3, 0.3))


def brute(problem, held=None, value=None):
    """The highest likelihood, one log variance held."""
    free = [k for k in range(3) if k != held]

    def loss(logs):
        variances = np.empty(3)
        variances[free] = np.exp(logs)
        if held is not None:
            variances[held] = value
        return -dense_loglik(problem.score, problem.fixed, problem.terms, variances)

    options = {"xatol": 1e-6, "fatol": 1e-10, "maxiter": 4000}
    found = minimize(loss, np.full(len(free), -1.0), method="Nelder-Mead", options=options)
    return -found.fun, np.exp(found.x)


def test_the_maximum_is_that_of_a_general_optimiser(made):
    problem, peak = made
    value, variances = brute(problem)
    assert peak.solved.value == pytest.approx(value, abs=1e-6)
    np.testing.assert_allclose(peak.variances, variances, rtol=1e-3)


@pytest.mark.parametrize("at", [0, 2])
def test_the_ends_are_where_the_profile_has_fallen_by_half_a_chi_square(made, at):
    problem, peak = made
    found = profile(problem, peak, at, 0.95)
    top, most = brute(problem)[0], chi2.ppf(0.95, 1) / 2

    def fall(log):
        return top - brute(problem, at, np.exp(log))[0] - most

    inside = np.log(peak.variances[at])
    lower, upper = (
        brentq(fall, inside - 4, inside, xtol=1e-3),
        brentq(fall, inside, inside + 4, xtol=1e-3),
    )
    assert found.lower == pytest.approx(np.exp(lower), rel=0.02)
    assert found.upper == pytest.approx(np.exp(upper), rel=0.02)


def test_the_test_of_zero_is_half_a_chi_square(made):
    problem, peak = made
    fall = 2 * (brute(problem)[0] - brute(problem, 1, 1e-9)[0])
    assert profile(problem, peak, 1, 0.95).p == pytest.approx(chi2.sf(fall, 1) / 2, rel=1e-3)
    assert profile(problem, peak, 2, 0.95).p is None
