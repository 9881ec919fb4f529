"""Quasi-variances: one number a system, so that readers can compare any two (Firth & de Menezes).

    Var(λ_i − λ_j) ≈ q_i + q_j,   q minimises Σ_{i<j} (log(q_i + q_j) − log v_ij)²

Source: Firth & de Menezes (2004), Biometrika 91:65-80; the worst error over all contrasts as there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged, NotIdentified

Array = NDArray[np.float64]
STEPS = 200
SETTLED = 1e-9
ROUNDING = 1e-14
"""Rise of the sum of squares that is rounding and no rise."""
FLAT = 1e-12
"""Variance of a contrast, relative to the largest, that is rounding and no variance."""


@dataclass(frozen=True, eq=False)
class QuasiVariances:
    """Quasi-variances of λ.

    Attributes:
        systems: names.
        variances: (K,) quasi-variances on the λ scale; one may be negative.
        worst_pair: largest relative error of a simple contrast's standard error (proportion).
        worst_contrast: the two extreme relative errors over all contrasts (proportions).

    """

    systems: tuple[str, ...]
    variances: Array
    worst_pair: float
    worst_contrast: tuple[float, float]

    @property
    def stderr(self) -> Array:
        """(K,) quasi standard errors.

        Raises:
            NotIdentified: a quasi-variance is negative.

        """
        if (self.variances < 0).any():
            raise NotIdentified("a quasi-variance is negative: it has no square root")
        return np.sqrt(self.variances)


def find_quasi_variances(systems: tuple[str, ...], vcov: Array) -> QuasiVariances:
    """Fit quasi-variances to a (K, K) covariance of λ.

    Raises:
        NotIdentified: fewer than three systems, whose one contrast says it all; or worths that vary
            in fewer directions, as sums over a few covariates do.
        NotConverged: the least squares did not settle.

    """
    k = len(systems)
    if k < 3:
        raise NotIdentified("quasi-variances need three systems: with two, print their contrast")
    centred = vcov - vcov.mean(axis=0)
    spread = np.linalg.eigvalsh(centred - centred.mean(axis=1)[:, None])
    if spread[1] <= FLAT * spread[-1]:  # the first is that of the constant, zero
        raise NotIdentified(
            "worths that are sums over covariates have no variances of their own: use contrasts"
        )
    i, j = np.triu_indices(k, 1)
    diagonal = np.diag(vcov)
    exact = diagonal[i] + diagonal[j] - 2 * vcov[i, j]
    q = _fit_pairs(k, i, j, exact)
    errors = np.sqrt((q[i] + q[j]) / exact) - 1
    return QuasiVariances(systems, q, float(np.abs(errors).max()), _worst_contrast(q, vcov))


def _fit_pairs(k: int, i: NDArray[np.intp], j: NDArray[np.intp], exact: Array) -> Array:
    """Minimise by damped Gauss-Newton, from the least-squares solution on variances.

    Each row of the design has two ones, at i and j, so that only its (K, K) product is formed.
    """
    table = np.zeros((k, k))

    def spread(by_pair: Array) -> Array:
        table[i, j] = table[j, i] = by_pair
        return np.asarray(table.sum(axis=1))

    sums = spread(exact)
    q = (sums - sums.sum() / (2 * (k - 1))) / (k - 2)
    if (q[i] + q[j] <= 0).any():
        q = np.full(k, exact.mean() / 2)
    for _ in range(STEPS):
        fitted = q[i] + q[j]
        residual = np.log(fitted / exact)
        right = -spread(residual / fitted)
        diagonal = spread(fitted**-2)
        step = np.linalg.solve(table + np.diag(diagonal), right)
        length, loss = 1.0, float(residual @ residual)
        while length > SETTLED and not _improves(q + length * step, (i, j), exact, loss):
            length /= 2
        if np.abs(step).max() <= SETTLED * np.abs(q).max() or length <= SETTLED:
            return np.asarray(q)
        q = q + length * step
    raise NotConverged("quasi-variances did not settle: use contrasts of pairs instead")


def _improves(
    q: Array, pairs: tuple[NDArray[np.intp], NDArray[np.intp]], exact: Array, loss: float
) -> bool:
    fitted = q[pairs[0]] + q[pairs[1]]
    if not (fitted > 0).all():
        return False
    return bool((np.log(fitted / exact) ** 2).sum() <= loss + ROUNDING * (1 + loss))


def _worst_contrast(q: Array, vcov: Array) -> tuple[float, float]:
    """Return the smallest and largest relative error over all contrasts, by eigenvalues."""
    k = len(q)
    basis = np.linalg.qr(np.eye(k) - 1 / k)[0][:, : k - 1]
    exact, quasi = basis.T @ vcov @ basis, basis.T @ (q[:, None] * basis)
    root = np.linalg.inv(np.linalg.cholesky(exact))
    values = np.linalg.eigvalsh(root @ quasi @ root.T)
    low, high = np.sqrt(np.maximum(values[[0, -1]], 0.0)) - 1
    return float(low), float(high)
