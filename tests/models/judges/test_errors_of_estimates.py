"""Posterior errors, covariances at the restricted estimate, moments and the check of integrals."""

from math import exp, log, sqrt

import numpy as np
import pytest

from evenhand.models.random_judges import RandomJudges
from evenhand.models.random_judges_likelihood import find_dispersion, pool_judges
from judge_panels import panel_of, tastes
from tallies import tally


def test_the_posterior_error_of_a_taste_is_that_of_quadrature():
    """u_a + u_b is untouched by the answers, so that var u_a = (2σ² + var(u_a − u_b)) / 4."""
    rows = [("a", "b", 6 - i % 5, 0, 1 + i % 5, f"j{i:02d}") for i in range(30)]
    rows += [("a", "b", 7 * (i % 2), 0, 7 - 7 * (i % 2), f"k{i}") for i in range(8)]
    fit = RandomJudges(restricted=False).fit(tally(*rows))
    at, weight = np.polynomial.hermite_e.hermegauss(120)
    u = sqrt(2) * fit.sigma * at
    x = fit.log_worth[0] + u
    for _, _, won, _, lost, judge in rows:
        mass = weight * np.exp(-won * np.logaddexp(0, -x) - lost * np.logaddexp(0, x))
        mean = (mass * u).sum() / mass.sum()
        variance = (mass * (u - mean) ** 2).sum() / mass.sum()
        expected = sqrt((2 * fit.sigma**2 + variance) / 4)
        np.testing.assert_allclose(fit.judges([judge])[0].stderr, expected, rtol=1e-4)


def test_the_covariance_at_the_restricted_sigma_has_the_drift_of_worths_in_it():
    """Worths fitted anew move with log σ: by finite differences of the profile's own maximum."""
    one = tastes((12, 3, 40), 1.2, seed=5, nu=0.0)
    fit = RandomJudges().fit(one)
    panel, beta, step = fit.panel, fit.peak.beta, 1e-3
    assert abs(log(fit.sigma / fit.sigma_ml)) > 0.01
    bend = np.array(
        [
            (
                panel.expand(beta - step * e, None).gradient
                - panel.expand(beta + step * e, None).gradient
            )
            / (2 * step)
            for e in np.eye(len(beta))
        ]
    )
    inner = np.linalg.inv(bend[:-1, :-1])
    drift = -inner @ bend[:-1, -1]
    variance = fit.peak.vcov[-1, -1]
    expected = inner + np.outer(drift, drift) * variance
    np.testing.assert_allclose(fit.peak.vcov[:-1, :-1], expected, rtol=0.03)
    np.testing.assert_allclose(fit.peak.vcov[:-1, -1], drift * variance, rtol=0.05)
    assert (np.outer(drift, drift) * variance > 0.05 * np.abs(inner)).any()


@pytest.mark.parametrize("nu", [0.0, 0.5])
def test_moments_are_sums_over_two_different_answers_of_one_judge(nu):
    """Answer by answer, with dense vectors and matrices."""
    one = tastes((6, 3, 7), 1.0, seed=3, nu=nu).fold()
    pooled, panel = pool_judges(one, 2, ties=bool(nu)), panel_of(one)
    found = find_dispersion(panel, pooled)
    theta = np.append(pooled.beta[:2], 0.0)
    weight_of_tie = exp(pooled.beta[-1]) if nu else 0.0
    answers = {}
    for c, judge in enumerate(one.factors["judge"].codes):
        side = np.zeros(3)
        side[one.left[c]], side[one.right[c]] = 1.0, -1.0
        half = side @ theta / 2
        scores = np.array([exp(half), weight_of_tie, exp(-half)])
        chances, values = scores / scores.sum(), np.array([0.5, 0.0, -0.5])
        mean = chances @ values
        variance = chances @ values**2 - mean**2
        for outcome in range(3):
            for _ in range(int(one.counts[c, outcome])):
                row = ((values[outcome] - mean) * side, variance * np.outer(side, side))
                answers.setdefault(judge, []).append(row)
    shared = scale = 0.0
    for own in answers.values():
        for i, (r, h) in enumerate(own):
            for j, (s, g) in enumerate(own):
                if i != j:
                    shared, scale = shared + r @ s, scale + (h * g).sum()
    assert found.shared == pytest.approx(shared, rel=1e-6)
    assert found.scale == pytest.approx(scale, rel=1e-6)


def test_the_check_moves_sigma_where_the_exact_maximum_is():
    """Laplace's σ of one pair is too small: the check must point up, to the corrected, exact one.

    One Newton step need not arrive; its error is what 16 seeds scatter by.
    """
    one = tastes((300, 2, 4), 0.8, seed=5, nu=0.0)
    fits = [
        RandomJudges(method="laplace", restricted=False, seed=seed).fit(one) for seed in range(16)
    ]
    exact = RandomJudges(restricted=False).fit(one).sigma
    shifts = np.array([fit.check.sigma_shift for fit in fits])
    assert exact > fits[0].sigma
    assert 0.3 < shifts.mean() / (exact - fits[0].sigma) < 3
    errors = np.mean([fit.check.sigma_error for fit in fits])
    assert 0.5 < errors / shifts.std(ddof=1) < 2


@pytest.mark.parametrize("sigma", [0.5, 2.0, 4.0, 6.0])
def test_predictions_are_those_of_fine_quadrature_however_large_sigma_is(sigma):
    from dataclasses import replace

    from scipy.integrate import quad

    fit = RandomJudges().fit(tastes((40, 3, 15), 0.7, seed=3, nu=0.0))
    fit = replace(fit, sigma=sigma)
    gap = fit.log_worth[0] - fit.log_worth[1]

    def chance(z):
        return exp(-z * z / 2) / sqrt(2 * np.pi) / (1 + exp(-(gap + sqrt(2) * sigma * z)))

    expected = quad(chance, -12, 12, limit=500, epsabs=1e-12, epsrel=1e-12)[0]
    assert fit.predict([("s0", "s1")])[0, 0] == pytest.approx(expected, abs=1e-10)
