"""Integrals over judges' tastes, against quadrature and a sparse factorisation written here."""

from itertools import product

import numpy as np
import pytest
from scipy.sparse import csc_matrix, diags, identity
from scipy.sparse.linalg import splu

from derivatives import differences
from evenhand.models.random_judges import RandomJudges
from evenhand.models.random_judges_likelihood import Panel
from judge_panels import panel_of, tastes

METHODS = ("corrected", "laplace")


def hermite(n):
    at, weight = np.polynomial.hermite_e.hermegauss(n)
    return at, weight / weight.sum()


def log_chances(x, gamma):
    """Davidson's model, straight from its definition; x of any shape, outcomes last."""
    nu = 0.0 if gamma is None else np.exp(gamma)
    scores = np.stack([np.exp(x / 2), nu * np.ones_like(x), np.exp(-x / 2)], axis=-1)
    with np.errstate(divide="ignore"):
        return np.log(scores / scores.sum(axis=-1, keepdims=True))


def by_quadrature(one, theta, gamma, sigma, nodes=80):
    """The exact log-likelihood for two or three systems, by a tensor rule for every judge."""
    k = len(one.systems)
    at, weight = hermite(nodes)
    spread = sigma * np.linalg.cholesky(np.eye(k - 1) + 1)  # of u_i − u_last
    grid = np.array(list(product(at, repeat=k - 1))) @ spread.T
    weights = np.array([np.prod(w) for w in product(weight, repeat=k - 1)])
    worth = np.column_stack([grid, np.zeros(len(grid))]) + theta
    total, codes = 0.0, one.factor("judge").codes
    for judge in np.unique(codes):
        logs = np.zeros(len(grid))
        for row in np.flatnonzero(codes == judge):
            chances = log_chances(worth[:, one.left[row]] - worth[:, one.right[row]], gamma)
            counts = one.counts[row]
            logs += (chances[:, counts > 0] * counts[counts > 0]).sum(axis=1)
        total += np.log(weights @ np.exp(logs - logs.max())) + logs.max()
    return total


@pytest.mark.parametrize("sigma", [0.2, 0.8, 1.5])
@pytest.mark.parametrize("nu", [0.0, 0.6])
def test_one_pair_is_integrated_exactly(sigma, nu):
    one = tastes((12, 2, 9), 0.8, seed=3, nu=nu)
    gamma = np.log(0.5) if nu else None
    extras = [np.log(0.5)] if nu else []
    point = panel_of(one).expand(np.array([0.4, *extras, np.log(sigma)]), None)
    expected = by_quadrature(one, np.array([0.4, 0.0]), gamma, sigma, nodes=200)
    assert point.value == pytest.approx(expected, abs=1e-5 if sigma < 1 else 1e-3)


@pytest.mark.parametrize(("sigma", "bound"), [(0.3, 0.001), (0.8, 0.01), (1.5, 0.1)])
def test_three_systems_are_integrated_far_better_than_by_laplace(sigma, bound):
    one = tastes((25, 3, 6), 0.8, seed=4)
    beta = np.array([0.9, 0.3, np.log(0.5), np.log(sigma)])
    expected = by_quadrature(one, np.array([0.9, 0.3, 0.0]), np.log(0.5), sigma)
    corrected, laplace = (panel_of(one, m).expand(beta, None).value for m in METHODS)
    assert corrected == pytest.approx(expected, abs=bound)
    assert abs(laplace - expected) > 10 * abs(corrected - expected)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("nu", "sigma"), [(0.5, 0.7), (0.0, 0.4), (0.5, 1.6)])
def test_gradients_are_finite_differences(method, nu, sigma):
    panel = panel_of(tastes((30, 5, 12), 0.8, seed=1, nu=nu), method)
    beta = np.append(np.linspace(0.9, -0.4, 4), [*[-0.6] * panel.ties, np.log(sigma)])
    slopes, _ = differences(lambda at: panel.expand(at, None), beta, 1e-4)
    np.testing.assert_allclose(panel.expand(beta, None).gradient, slopes, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize(("method", "within"), [("corrected", 0.005), ("laplace", 1e-4)])
@pytest.mark.parametrize("size", [(80, 4, 40), (150, 4, 6)])
def test_the_information_is_the_bend_of_the_log_likelihood(method, within, size):
    """Laplace's in full; sites of the corrected integrals are held (see its comment)."""
    panel = panel_of(tastes(size, 0.6, seed=2), method)
    beta = np.array([1.9, 1.2, 0.6, -0.7, np.log(0.6)])
    found = panel.information(beta, panel.expand(beta, None, information=True))
    _, bends = differences(lambda at: panel.expand(at, None), beta, 1e-3)
    errors = [np.sqrt(np.diag(np.linalg.inv(matrix))) for matrix in (found, bends)]
    np.testing.assert_allclose(errors[0], errors[1], rtol=within)


class SparseLaplace:
    """Laplace's method on all judges' u at once: one sparse Hessian, factorised by SuperLU."""

    def __init__(self, one):
        k, codes = len(one.systems), one.factor("judge").codes
        rows = np.arange(len(one.left))
        ends = np.concatenate([codes * k + one.left, codes * k + one.right])
        signs = np.repeat([1.0, -1.0], len(rows))
        shape = (len(rows), k * (codes.max() + 1))
        self.one = one
        self.map = csc_matrix((signs, (np.tile(rows, 2), ends)), shape=shape)

    def value(self, beta):
        one, sigma = self.one, np.exp(beta[-1])
        theta, gamma = np.append(beta[:-2], 0.0), beta[-2]
        centre, u = theta[one.left] - theta[one.right], np.zeros(self.map.shape[1])
        for _ in range(60):
            logs = log_chances(centre + self.map @ u, gamma)
            p, n = np.exp(logs), one.counts.sum(axis=1)
            mean = p[:, 0] - p[:, 2]
            slope = (one.wins - one.losses - n * mean) / 2
            bend = n * (p[:, 0] + p[:, 2] - mean**2) / 4
            hessian = self.map.T @ diags(bend) @ self.map + identity(len(u)) / sigma**2
            factor = splu(csc_matrix(hessian))
            step = factor.solve(self.map.T @ slope - u / sigma**2)
            u = u + step
            if np.abs(step).max() < 1e-13:
                break
        log_det = np.log(np.abs(factor.U.diagonal())).sum() + 2 * len(u) * beta[-1]
        return (one.counts * logs).sum() - u @ u / (2 * sigma**2) - log_det / 2

    def gradient(self, beta, step=0.01):
        """Central differences over four points: the error is of the order of step⁴."""
        ends = [(-2, 1), (-1, -8), (1, 8), (2, -1)]
        return np.array(
            [
                sum(w * self.value(beta + s * step * e) for s, w in ends) / (12 * step)
                for e in np.eye(len(beta))
            ]
        )


def test_laplace_is_that_of_one_sparse_factorisation_at_sixty_judges():
    one = tastes((60, 6, 25), 0.6, seed=11).fold()
    fit = RandomJudges(method="laplace", restricted=False).fit(one)
    oracle, beta = SparseLaplace(one), fit.peak.beta
    assert fit.loglik == pytest.approx(oracle.value(beta), abs=1e-8)
    # the Newton step that would bring our estimates to the oracle's maximum
    np.testing.assert_allclose(fit.peak.vcov @ oracle.gradient(beta), 0, atol=1e-8)


def test_batches_that_stand_for_all_give_nearly_the_same_maximum(monkeypatch):
    one = tastes((400, 5, 8), 0.7, seed=8)
    whole = RandomJudges(restricted=False).fit(one)
    monkeypatch.setattr("evenhand.numerics.gaussian_process.MAX_ENTRIES", 100)
    monkeypatch.setattr("evenhand.models.random_judges_likelihood.BATCHES", 8)
    some = RandomJudges(restricted=False).fit(one)
    assert isinstance(some.panel, Panel)
    assert sum(w > 0 for w in some.panel.thinned().weights) < len(some.panel.blocks.batches)
    assert some.sigma == pytest.approx(whole.sigma, rel=1e-5)
    np.testing.assert_allclose(some.log_worth, whole.log_worth, atol=1e-5)
    errors = [np.sqrt(np.diag(fit.vcov)) for fit in (some, whole)]
    np.testing.assert_allclose(*errors, rtol=0.1)
