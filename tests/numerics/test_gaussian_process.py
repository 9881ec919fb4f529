"""Evidence and predictions of a Gaussian process, exact and through inducing points."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF

from evenhand.errors import NotConverged
from evenhand.numerics.gaussian_process import JITTER, weigh_exactly, weigh_inducing


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    x = rng.uniform(-2, 2, (12, 2))
    return x, RBF(1.0)(x), rng.uniform(0.2, 0.8, 12), rng.normal(size=12)


def differences(function, at):
    found = np.zeros_like(at)
    for i in np.ndindex(at.shape):
        up, down = at.copy(), at.copy()
        up[i] += 1e-6
        down[i] -= 1e-6
        found[i] = (function(up) - function(down)) / 2e-6
    return found


def test_the_exact_evidence_is_the_density_of_a_normal(data):
    _, k, noise, y = data
    expected = multivariate_normal(np.zeros(12), k + np.diag(noise)).logpdf(y)
    assert weigh_exactly(k.copy(), noise, y).value == pytest.approx(expected, rel=1e-10)


def test_predictions_are_those_of_scikit_learn(data):
    x, k, noise, y = data
    other = np.random.default_rng(2).uniform(-2, 2, (5, 2))
    rival = GaussianProcessRegressor(RBF(1.0), alpha=noise, optimizer=None).fit(x, y)
    mean, deviation = rival.predict(other, return_std=True)
    found = weigh_exactly(k.copy(), noise, y).posterior.predict(RBF(1.0)(other, x), np.ones(5))
    np.testing.assert_allclose(found[0], mean, atol=1e-8)
    np.testing.assert_allclose(found[1], deviation**2, atol=1e-8)


def test_the_inducing_evidence_is_the_density_with_the_covariance_it_claims(data):
    _, k, noise, y = data
    cross, inner = k[:, :4], k[:4, :4]
    through = cross @ np.linalg.inv(inner + JITTER * np.eye(4)) @ cross.T
    claimed = through + np.diag(np.diag(k - through) + noise)
    expected = multivariate_normal(np.zeros(12), claimed).logpdf(y)
    found = weigh_inducing(cross, inner, np.ones(12), noise, y)
    assert found.value == pytest.approx(expected, rel=1e-9)
    mean, variance = found.posterior.predict(cross[:2], np.ones(2))
    weights = np.linalg.solve(claimed, y)
    np.testing.assert_allclose(mean, through[:2] @ weights, atol=1e-5)
    less = np.einsum("ij,jk,ik->i", through[:2], np.linalg.inv(claimed), through[:2])
    np.testing.assert_allclose(variance, 1.0 - less, atol=1e-5)


def test_exact_derivatives_are_finite_differences(data):
    _, k, noise, y = data
    found = weigh_exactly(k.copy(), noise, y)
    expected = differences(lambda s: weigh_exactly(k.copy(), s, y).value, noise)
    np.testing.assert_allclose(found.noise, expected, atol=1e-7)
    turn = np.random.default_rng(3).normal(size=k.shape)
    turn += turn.T
    along = [weigh_exactly(k + h * turn, noise, y).value for h in (1e-6, -1e-6)]
    assert (found.cross * turn).sum() == pytest.approx((along[0] - along[1]) / 2e-6, abs=1e-6)


def test_inducing_derivatives_are_finite_differences(data):
    _, k, noise, y = data
    cross, inner, own = k[:, :4].copy(), k[:4, :4].copy(), np.full(12, 1.1)
    found = weigh_inducing(cross, inner, own, noise, y)
    by_cross = differences(lambda c: weigh_inducing(c, inner, own, noise, y).value, cross)
    np.testing.assert_allclose(found.cross, by_cross, atol=1e-6)
    by_own = differences(lambda o: weigh_inducing(cross, inner, o, noise, y).value, own)
    np.testing.assert_allclose(found.diagonal, by_own, atol=1e-6)
    np.testing.assert_allclose(found.noise, by_own, atol=1e-6)
    turn = np.random.default_rng(4).normal(size=inner.shape)
    turn += turn.T
    h = [weigh_inducing(cross, inner + s * turn, own, noise, y).value for s in (1e-6, -1e-6)]
    assert (found.inner * turn).sum() == pytest.approx((h[0] - h[1]) / 2e-6, abs=1e-5)


def test_a_covariance_that_is_none_is_refused():
    with pytest.raises(NotConverged, match="not positive definite"):
        weigh_exactly(np.array([[1.0, 2.0], [2.0, 1.0]]), np.full(2, 1e-3), np.ones(2))
