"""What every fit makes of its numbers: rows of coefficients, worths, contrasts of systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged, NotIdentified
from evenhand.numerics import Array
from evenhand.numerics.distributions import chi2_tail, two_sided_p


@dataclass(frozen=True)
class Coefficient:
    """One parameter on the λ scale."""

    name: str  # as in the papers: o1..oK, g1, order
    label: str  # in the user's words: the system, tie, order
    estimate: float  # the estimate; 0 for the reference
    stderr: float | None  # model-based standard error; None for the reference
    z: float | None  # estimate / stderr
    p: float | None  # two-sided normal p-value

    @classmethod
    def make(cls, name: str, label: str, estimate: float, stderr: float | None) -> Coefficient:
        if stderr is None:
            return cls(name, label, estimate, None, None, None)
        z = estimate / stderr
        return cls(name, label, estimate, stderr, z, two_sided_p(z))


@dataclass(frozen=True)
class Contrast:
    """The difference of two systems in log-worth (natural log-odds)."""

    systems: tuple[str, str]  # first minus second
    estimate: float  # the difference
    stderr: float  # its standard error
    z: float  # estimate / stderr
    p: float  # two-sided normal p-value

    @classmethod
    def make(cls, systems: tuple[str, str], estimate: float, stderr: float) -> Contrast:
        z = estimate / stderr
        return cls((systems[0], systems[1]), estimate, stderr, z, two_sided_p(z))


@dataclass(frozen=True)
class LRTest:
    statistic: float  # twice the difference in log-likelihood
    df: int  # difference in the number of parameters
    p: float  # χ² p-value
    note: str = "assumes independent judgments"  # what the test assumes

    @classmethod
    def of(cls, large: float, small: float, df: int) -> LRTest:
        statistic = max(2 * (large - small), 0.0)
        return cls(statistic, df, chi2_tail(statistic, df))

    @classmethod
    def at_boundary(cls, large: float, small: float) -> LRTest:
        """Compare with a model whose one parameter lies at the end of its range."""
        # the statistic is half the time 0, half the time χ²₁ (Self & Liang 1987, JASA 82:605-610)
        statistic = max(2 * (large - small), 0.0)
        p = chi2_tail(statistic, 1) / 2 if statistic > 0 else 1.0
        return cls(statistic, 1, p, "½χ²₀ + ½χ²₁; judges taken as independent")


def finite(value: float) -> float | None:
    """Return a number that JSON has, None for an end that there is not."""
    return value if isfinite(value) else None


# Quasi-variances: one number a system, so that readers can compare any two (Firth & de Menezes).
#
# Var(λ_i − λ_j) ≈ q_i + q_j,   q minimises Σ_{i<j} (log(q_i + q_j) − log v_ij)²
#
# Source: Firth & de Menezes (2004), Biometrika 91:65-80; the worst error over all contrasts as
# there.

MAX_STEPS = 200
SETTLED = 1e-9
ROUNDING = 1e-14  # Rise of the sum of squares that is rounding and no rise
# Variance of a contrast, relative to the largest, that is rounding and no variance
MIN_RELATIVE_VARIANCE = 1e-12


@dataclass(frozen=True, eq=False)
class QuasiVariances:
    systems: tuple[str, ...]  # names
    variances: Array  # (K,) quasi-variances on the λ scale; one may be negative
    worst_pair: float  # largest relative error of a simple contrast's standard error (proportion)
    # the two extreme relative errors over all contrasts (proportions)
    worst_contrast: tuple[float, float]

    @property
    def stderr(self) -> Array:
        """(K,) quasi standard errors."""
        if (self.variances < 0).any():
            raise NotIdentified("a quasi-variance is negative: it has no square root")
        return np.sqrt(self.variances)


def find_quasi_variances(systems: tuple[str, ...], vcov: Array) -> QuasiVariances:
    """Fit quasi-variances to a (K, K) covariance of λ."""
    k = len(systems)
    if k < 3:
        raise NotIdentified("quasi-variances need three systems: with two, print their contrast")
    centred = vcov - vcov.mean(axis=0)
    spread = np.linalg.eigvalsh(centred - centred.mean(axis=1)[:, None])
    if spread[1] <= MIN_RELATIVE_VARIANCE * spread[-1]:  # the first is that of the constant, zero
        raise NotIdentified(
            "worths that are sums over covariates have no variances of their own: use contrasts"
        )
    i, j = np.triu_indices(k, 1)
    diagonal = np.diag(vcov)
    exact = diagonal[i] + diagonal[j] - 2 * vcov[i, j]
    q = _fit_pairs(k, i, j, exact)
    errors = np.sqrt((q[i] + q[j]) / exact) - 1
    # smallest and largest relative error over all contrasts, by eigenvalues
    basis = np.linalg.qr(np.eye(k) - 1 / k)[0][:, : k - 1]
    whole, quasi = basis.T @ vcov @ basis, basis.T @ (q[:, None] * basis)
    root = np.linalg.inv(np.linalg.cholesky(whole))
    values = np.linalg.eigvalsh(root @ quasi @ root.T)
    low, high = (np.sqrt(np.maximum(values[[0, -1]], 0.0)) - 1).tolist()
    return QuasiVariances(systems, q, float(np.abs(errors).max()), (low, high))


def _fit_pairs(k: int, i: NDArray[np.intp], j: NDArray[np.intp], exact: Array) -> Array:
    """Minimise by damped Gauss-Newton, from the least-squares solution on variances."""
    table = np.zeros((k, k))

    def spread(by_pair: Array) -> Array:
        table[i, j] = table[j, i] = by_pair
        return np.asarray(table.sum(axis=1))

    def improves(q: Array, loss: float) -> bool:
        fitted = q[i] + q[j]
        if not (fitted > 0).all():
            return False
        return bool((np.log(fitted / exact) ** 2).sum() <= loss + ROUNDING * (1 + loss))

    sums = spread(exact)
    q = (sums - sums.sum() / (2 * (k - 1))) / (k - 2)
    if (q[i] + q[j] <= 0).any():
        q = np.full(k, exact.mean() / 2)
    for _ in range(MAX_STEPS):
        fitted = q[i] + q[j]
        residual = np.log(fitted / exact)
        right = -spread(residual / fitted)
        diagonal = spread(fitted**-2)
        step = np.linalg.solve(table + np.diag(diagonal), right)
        length, loss = 1.0, float(residual @ residual)
        while length > SETTLED and not improves(q + length * step, loss):
            length /= 2
        if np.abs(step).max() <= SETTLED * np.abs(q).max() or length <= SETTLED:
            return np.asarray(q)
        q = q + length * step
    raise NotConverged("quasi-variances did not settle: use contrasts of pairs instead")


def name_worths(systems: Sequence[str], reference: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return names and labels of all worths but that of the reference."""
    others = [i for i in range(len(systems)) if i != reference]
    return tuple(f"o{i + 1}" for i in others), tuple(systems[i] for i in others)


def add_reference(vcov: Array, k: int, reference: int) -> Array:
    """Return (K, K) covariance with 0 for the reference; the others' stand first in `vcov`."""
    others = vcov[: k - 1, : k - 1]
    return np.insert(np.insert(others, reference, 0.0, axis=0), reference, 0.0, axis=1)
