"""The same likelihood for thousands of systems, without a K × K matrix.

Newton steps and contrasts come from conjugate gradients on the information as a sparse Laplacian,
with the sum-zero gauge: worths are known up to a constant, which is projected out. Iterations stop
on the Newton decrement, not on the residual, which a badly linked pair of systems would hold up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged, UnknownOption
from evenhand.judgments.tally import Tally
from evenhand.numerics.conjugate import solve_conjugate
from evenhand.preference.estimation import Solution, gather
from evenhand.preference.fit import Fit
from evenhand.preference.likelihood import LONGEST, Likelihood
from evenhand.preference.ties.laws import Local, expand_blocks

if TYPE_CHECKING:
    from evenhand.preference.bradley_terry import BradleyTerry

Array = NDArray[np.float64]
STEPS: Final = 100
TOLERANCE: Final = 1e-20


@dataclass(frozen=True, eq=False)
class SparseInformation:
    """Minus the second derivatives by λ (K, sum-zero), t and δ, as a product with a vector.

    Attributes:
        laplacian: (K, K) sparse.
        border: (K, extras) derivatives by λ and the extra parameters.
        corner: (extras, extras).

    """

    laplacian: Any
    border: Array
    corner: Array

    def __matmul__(self, vector: Array) -> Array:
        k = len(self.border)
        top = self.laplacian @ vector[:k] + self.border @ vector[k:]
        return np.concatenate([top, self.border.T @ vector[:k] + self.corner @ vector[k:]])

    @property
    def diagonal(self) -> Array:
        """Diagonal, for the preconditioner."""
        return np.concatenate([self.laplacian.diagonal(), np.diag(self.corner)])

    def solve(self, right: Array) -> Array:
        """Solve with the sum-zero gauge on λ."""
        k = len(self.border)

        def project(vector: Array) -> Array:
            return np.concatenate([vector[:k] - vector[:k].mean(), vector[k:]])

        solved = solve_conjugate(self.__matmul__, project(right), self.diagonal, project=project)
        if solved is None:
            raise NotConverged(
                "conjugate gradients did not settle: some systems hang together by very few"
                " judgments; collect more between them"
            )
        return solved


def fit_large(
    model: BradleyTerry,
    likelihood: Likelihood,
    tally: Tally,
    notes: tuple[str, ...],
    start: Array,
) -> Fit:
    """Fit the plain design with conjugate gradients; `start` is where to begin.

    Raises:
        UnknownOption: covariates or a prior, which need matrices over systems.
        NotConverged: the iteration did not settle.

    """
    if likelihood.design.matrix is not None or likelihood.prior > 0:
        raise UnknownOption(
            f"{likelihood.design.size:,} worths are too many for covariates or a prior: fit the"
            " plain model, or a part of the systems"
        )
    worths = likelihood.design.worths(start[: likelihood.n_worths])
    worths, extras = worths - worths.mean(), start[likelihood.n_worths :]
    for taken in range(STEPS):
        local = expand_local(likelihood, worths, extras)
        gradient = _gradient(likelihood, local)
        step = make_information(likelihood, local).solve(gradient)
        decrement = float(gradient @ step)
        value = float(local.value.sum())
        if decrement <= TOLERANCE * (1 + abs(value)):
            beta = np.concatenate([_referred(likelihood, worths), extras])
            return gather(
                model, likelihood, tally, Solution(beta, value, None, taken, decrement, notes)
            )
        worths, extras = _advance(likelihood, (worths, extras), step, value)
    raise NotConverged("the fit did not converge: look for systems that almost never win")


def _referred(likelihood: Likelihood, worths: Array) -> Array:
    reference = likelihood.design.reference
    return np.delete(worths - worths[reference], reference)


def expand_local(likelihood: Likelihood, worths: Array, extras: Array) -> Local:
    """Return the log-likelihood of each entry to second order at given worths."""
    free = likelihood.law.free
    tie = float(extras[0]) if free else 0.0
    order = float(extras[-1]) if likelihood.order_effect else 0.0
    return expand_blocks(likelihood.law, likelihood.eta(worths, order), tie, likelihood.counts)


def _advance(
    likelihood: Likelihood, at: tuple[Array, Array], step: Array, value: float
) -> tuple[Array, Array]:
    k = len(at[0])
    moved_by = max(float(np.ptp(step[:k])), *np.abs(step[k:]).tolist(), 1e-300)
    length = min(1.0, LONGEST / moved_by)
    while length > 1e-12:
        moved = at[0] + length * step[:k], at[1] + length * step[k:]
        there = float(expand_local(likelihood, *moved).value.sum())
        if there >= value - 1e-13 * (1 + abs(value)):
            return moved
        length /= 2
    raise NotConverged("the fit did not converge: no step climbs any further")


def _by_node(likelihood: Likelihood, weights: Array) -> Array:
    design, k = likelihood.design, likelihood.design.size
    up = np.bincount(design.left, weights=weights, minlength=k)
    return np.asarray(up - np.bincount(design.right, weights=weights, minlength=k))


def _gradient(likelihood: Likelihood, local: Local) -> Array:
    tie = [local.tie.sum()] if likelihood.law.free else []
    order = [local.eta.sum()] if likelihood.order_effect else []
    return np.concatenate([_by_node(likelihood, local.eta), tie, order])


def make_information(likelihood: Likelihood, local: Local) -> SparseInformation:
    """Gather the information at one point."""
    from scipy import sparse

    design, k = likelihood.design, likelihood.design.size
    table = sparse.coo_array((local.eta_eta, (design.left, design.right)), shape=(k, k)).tocsr()
    table = table + table.T
    laplacian = sparse.diags_array(np.asarray(table.sum(axis=1)).ravel()).tocsr() - table
    columns, corner = [], np.zeros((0, 0))
    if likelihood.law.free:
        columns.append(_by_node(likelihood, local.eta_tie))
        corner = np.array([[local.tie_tie.sum()]])
    if likelihood.order_effect:
        columns.append(_by_node(likelihood, local.eta_eta))
        cross = np.array([[local.eta_tie.sum()]])[:, : len(corner)]
        corner = np.block([[corner, cross.T], [cross, np.array([[local.eta_eta.sum()]])]])
    border = np.stack(columns, axis=1) if columns else np.zeros((k, 0))
    return SparseInformation(laplacian, border, corner)


def contrast_variances(fit: Fit, codes: Sequence[tuple[int, int]]) -> Array:
    """Return variances of differences in log-worth, one conjugate-gradient solve each."""
    likelihood = fit.likelihood
    extras = fit.beta[likelihood.n_worths :]
    information = make_information(likelihood, expand_local(likelihood, fit.lambdas, extras))
    size = likelihood.design.size + len(extras)
    variances = []
    for a, b in codes:
        contrast = np.zeros(size)
        contrast[a], contrast[b] = 1.0, -1.0
        variances.append(4 * float(contrast @ information.solve(contrast)))
    return np.array(variances)
