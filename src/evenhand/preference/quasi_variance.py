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
        NotIdentified: fewer than three systems: their one contrast says it all.
        NotConverged: the least squares did not settle.

    """
    k = len(systems)
    if k < 3:  # noqa: PLR2004
        raise NotIdentified("quasi-variances need three systems: with two, print their contrast")
    i, j = np.triu_indices(k, 1)
    diagonal = np.diag(vcov)
    exact = diagonal[i] + diagonal[j] - 2 * vcov[i, j]
    q = _fit_pairs(k, i, j, exact)
    errors = np.sqrt((q[i] + q[j]) / exact) - 1
    return QuasiVariances(systems, q, float(np.abs(errors).max()), _worst_contrast(q, vcov))


def _fit_pairs(k: int, i: NDArray[np.intp], j: NDArray[np.intp], exact: Array) -> Array:
    """Minimise by damped Gauss-Newton, from the least-squares solution on variances."""
    design = np.zeros((len(i), k))
    design[np.arange(len(i)), i] = design[np.arange(len(j)), j] = 1.0
    q = np.linalg.lstsq(design, exact, rcond=None)[0]
    if (design @ q <= 0).any():
        q = np.full(k, exact.mean() / 2)
    for _ in range(STEPS):
        fitted = design @ q
        residual = np.log(fitted / exact)
        step = np.linalg.lstsq(design / fitted[:, None], -residual, rcond=None)[0]
        length, loss = 1.0, float(residual @ residual)
        while length > SETTLED and not _improves(design, q + length * step, exact, loss):
            length /= 2
        if np.abs(step).max() <= SETTLED * np.abs(q).max() or length <= SETTLED:
            return np.asarray(q)
        q = q + length * step
    raise NotConverged("quasi-variances did not settle: use contrasts of pairs instead")


def _improves(design: Array, q: Array, exact: Array, loss: float) -> bool:
    fitted = design @ q
    return bool((fitted > 0).all() and (np.log(fitted / exact) ** 2).sum() <= loss)


def _worst_contrast(q: Array, vcov: Array) -> tuple[float, float]:
    """Return the smallest and largest relative error over all contrasts, by eigenvalues."""
    k = len(q)
    basis = np.linalg.qr(np.eye(k) - 1 / k)[0][:, : k - 1]
    exact, quasi = basis.T @ vcov @ basis, basis.T @ (q[:, None] * basis)
    root = np.linalg.inv(np.linalg.cholesky(exact))
    values = np.linalg.eigvalsh(root @ quasi @ root.T)
    low, high = np.sqrt(np.maximum(values[[0, -1]], 0.0)) - 1
    return float(low), float(high)
