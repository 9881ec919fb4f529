"""Evidence and predictions of a Gaussian process, exact and through inducing points."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF

from evenhand.errors import NotConverged
from evenhand.numerics.gaussian_process import (
    JITTER,
    Points,
    correlate,
    invert_all,
    make_blocks,
    pick_by_error,
    pick_by_variance,
    pull_back,
    weigh_exactly,
    weigh_inducing,
)


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


def points(n, seed, *, labels=True):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (n, 2 if labels else 0))
    return Points(rng.normal(size=(n, 3)), codes)


def test_numbers_give_the_kernel_of_scikit_learn():
    a, b, scales = points(6, 1, labels=False), points(4, 2, labels=False), np.array([0.5, 1.0, 3.0])
    expected = RBF(scales)(a.numbers, b.numbers)
    np.testing.assert_allclose(correlate(a, b, np.log(scales)), expected, atol=1e-12)


def test_derivatives_by_length_scales_are_finite_differences():
    a, b, at = points(6, 5), points(4, 6), np.array([0.1, -0.2, 0.3, 0.0, 0.5])
    slope = np.random.default_rng(7).normal(size=(6, 4))
    found = pull_back(slope * correlate(a, b, at), a, b, at)
    step = 1e-6 * np.eye(5)
    expected = [
        float((slope * (correlate(a, b, at + h) - correlate(a, b, at - h))).sum()) / 2e-6
        for h in step
    ]
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-8)


@pytest.fixture
def covariance():
    root = np.random.default_rng(3).normal(size=(8, 5))
    return root @ root.T + 0.1 * np.eye(8)


def leave(covariance, taken, noise):
    """What is left of a covariance, by the formula with numpy's own solver."""
    known = covariance[np.ix_(taken, taken)] + noise * np.eye(len(taken))
    cross = covariance[:, taken]
    return covariance - cross @ np.linalg.solve(known, cross.T)


def test_each_choice_is_the_best_one_by_trial_of_all(covariance):
    weight = np.random.default_rng(1).random(8)
    taken, _ = pick_by_variance(covariance, 0.3, weight, 8)
    before = []
    for at in taken.tolist():
        scores = np.diag(leave(covariance, before, 0.3)) * weight
        scores[before] = -np.inf
        assert at == int(scores.argmax())
        before.append(at)


def test_the_oracle_takes_what_lowers_the_squared_error_most_by_trial_of_all(covariance):
    truth, noise = np.random.default_rng(5).normal(size=8), 0.4
    candidates = np.array([1, 2, 4, 5, 7])
    taken = pick_by_error(covariance[:, candidates].copy(), candidates, noise, truth, 4)
    before = []
    for at in candidates[taken].tolist():
        lost = {}
        for one in set(candidates.tolist()) - set(before):
            known = [*before, one]
            inner = covariance[np.ix_(known, known)] + noise * np.eye(len(known))
            mean = covariance[:, known] @ np.linalg.solve(inner, truth[known])
            lost[one] = float(((truth - mean) ** 2).sum())
        assert at == min(lost, key=lost.get)
        before.append(at)


def drawn(seed, nodes=40, entries=45):
    rng = np.random.Generator(np.random.PCG64(seed))
    left = rng.integers(0, nodes, entries)
    right = (left + rng.integers(1, nodes, entries)) % nodes
    used, codes = np.unique(np.concatenate([left, right]), return_inverse=True)
    return len(used), codes[:entries], codes[entries:], rng.uniform(0.1, 2, entries)


def whole(n, left, right, weights):
    matrix = np.zeros((n, n))
    for a, b, weight in zip(left, right, weights, strict=True):
        matrix[[a, b], [a, b]] += weight
        matrix[[a, b], [b, a]] -= weight
    return matrix


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_blocks_together_are_the_whole_matrix(seed):
    n, left, right, weights = drawn(seed)
    blocks = make_blocks(n, left, right)
    inverse = np.linalg.inv(whole(n, left, right, weights) + 0.7 * np.eye(n))
    spread = np.empty(len(left))
    log_det = 0.0
    for batch in blocks.batches:
        rows = blocks.order[batch.entries]
        found, own = invert_all(batch.precision(weights[rows], 0.7))
        spread[rows] = batch.spread(found)
        log_det += own.sum() - np.log(0.7) * batch.size * batch.width
    expected = [
        inverse[a, a] + inverse[b, b] - 2 * inverse[a, b] for a, b in zip(left, right, strict=True)
    ]
    np.testing.assert_allclose(spread, expected, rtol=1e-12)
    sign, total = np.linalg.slogdet(whole(n, left, right, weights) / 0.7 + np.eye(n))
    assert sign == 1
    assert log_det == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize("size", [1, 5, 12])
@pytest.mark.parametrize("width", [1, 2, 3, 7, 16, 49, 131])
def test_inverses_and_determinants_are_those_of_single_matrices(size, width):
    rng = np.random.Generator(np.random.PCG64(width))
    root = rng.normal(size=(size, width, width))
    matrices = root @ root.transpose(0, 2, 1) + np.eye(width)
    inverse, log_det = invert_all(matrices)
    np.testing.assert_allclose(inverse, np.linalg.inv(matrices), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(log_det, np.linalg.slogdet(matrices)[1], rtol=1e-10, atol=1e-12)
