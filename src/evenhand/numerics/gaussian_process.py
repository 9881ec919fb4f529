"""Log evidence of a Gaussian process with noise, what it changes by, and what it predicts.

    y ~ N(0, K + diag(s))           log p(y) = -½ yᵀ(K + S)⁻¹y - ½ log |K + S| - n/2 log 2π

Exactly, from one Cholesky factor: O(n³). Or from m inducing points, where

    K ≈ Q + diag(K - Q),   Q = K_nm K_mm⁻¹ K_mn

keeps every variance and lets points depend on each other only through the inducing ones: O(n m²).
Derivatives are returned as those by the entries of K and s; who made K knows the rest.

Sources: Rasmussen & Williams (2006), Gaussian Processes for Machine Learning, eq. 2.30, 5.9;
Snelson & Ghahramani (2006), NIPS 18 (the approximation: FITC).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged

Array = NDArray[np.float64]

JITTER: Final = 1e-6
"""Added to the variance of inducing points, which may coincide."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """What is needed to predict: over s supporting points, the data or the inducing points.

    Attributes:
        weights: (s,) a mean is the covariance with the supporting points times these.
        reduction: (s, s) a variance is less by cᵀ R c, c being these covariances.

    """

    weights: Array
    reduction: Array

    def predict(self, cross: Array, own: Array) -> tuple[Array, Array]:
        """Return (n,) means and variances, without noise.

        Args:
            cross: (n, s) covariances with the supporting points.
            own: (n,) variances before any data.

        """
        less = np.einsum("ns,ns->n", cross @ self.reduction, cross)
        return cross @ self.weights, np.maximum(own - less, 0.0)


@dataclass(frozen=True, eq=False)
class Evidence:
    """The log evidence at one K and s.

    Attributes:
        value: in nats.
        cross: (n, n) derivative by K; with inducing points (n, m), by the entries of K_nm.
        inner: (m, m) derivative by K_mm; None where there are no inducing points.
        own: (n,) derivative by the diagonal of K beyond these; None likewise.
        noise: (n,) derivative by s.
        posterior: what predicts.

    """

    value: float
    cross: Array
    inner: Array | None
    own: Array | None
    noise: Array
    posterior: Posterior


def weigh_exactly(covariance: Array, noise: Array, y: Array) -> Evidence:
    """Return the log evidence from all covariances.

    Args:
        covariance: (n, n) K; overwritten.
        noise: (n,) s, positive.
        y: (n,) data.

    Raises:
        NotConverged: K + S is not positive definite.

    >>> one = weigh_exactly(np.ones((1, 1)), np.ones(1), np.array([2.0]))
    >>> round(one.value, 4), one.posterior.weights.tolist()
    (-2.2655, [1.0])
    """
    n = len(y)
    covariance[np.diag_indices(n)] += noise
    inverse, half_log = _invert(covariance)
    weights = inverse @ y
    value = -0.5 * float(y @ weights) - half_log - 0.5 * n * log(2 * pi)
    cross = np.multiply.outer(weights, 0.5 * weights)
    cross -= 0.5 * inverse
    return Evidence(value, cross, None, None, np.diag(cross).copy(), Posterior(weights, inverse))


def weigh_inducing(cross: Array, inner: Array, own: Array, noise: Array, y: Array) -> Evidence:
    """Return the log evidence from covariances with inducing points.

    Args:
        cross: (n, m) K_nm.
        inner: (m, m) K_mm.
        own: (n,) diagonal of K.
        noise: (n,) s, positive.
        y: (n,) data.

    Raises:
        NotConverged: K_mm is not positive definite.

    """
    n, m = cross.shape
    inner = inner + JITTER * np.eye(m)
    inverse, half_inner = _invert(inner.copy())
    through = cross @ inverse
    left = own - np.einsum("nm,nm->n", through, cross) + noise
    scaled = cross / left[:, None]
    whole, half_whole = _invert(inner + cross.T @ scaled)
    fitted = scaled @ whole
    weights = fitted.T @ y
    residual = (y - cross @ weights) / left
    half_log = half_whole - half_inner + 0.5 * float(np.log(left).sum())
    value = -0.5 * float(y @ residual) - half_log - 0.5 * n * log(2 * pi)
    each = 0.5 * (residual**2 - 1.0 / left + np.einsum("nm,nm->n", fitted, scaled))
    mixed = 0.5 * (np.multiply.outer(residual, through.T @ residual) - fitted)
    mixed -= through * each[:, None]
    posterior = Posterior(weights, inverse - whole)
    return Evidence(value, 2.0 * mixed, -(mixed.T @ through), each, each, posterior)


def _invert(matrix: Array) -> tuple[Array, float]:
    """Return the inverse of a positive definite matrix, and half the logarithm of its determinant.

    Raises:
        NotConverged: it is not positive definite.

    """
    from scipy.linalg.lapack import dpotrf, dpotri

    factor, fault = dpotrf(matrix.T, lower=True, clean=True, overwrite_a=True)
    if fault:
        raise NotConverged(
            "the covariance of the ratings is not positive definite: features may be far too large,"
            " or the noise far too small"
        )
    half = float(np.log(np.diag(factor)).sum())
    inverse, _ = dpotri(factor, lower=True, overwrite_c=True)
    inverse += np.tril(inverse, -1).T
    return np.asarray(inverse), half
