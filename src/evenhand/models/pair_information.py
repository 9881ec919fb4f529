"""The information of hundreds or thousands of systems, as a product with columns.

Newton steps and contrasts come from conjugate gradients on it as a Laplacian, sum-zero gauge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged
from evenhand.models.likelihood import Level, Likelihood, Pairs, Weights, expand_level
from evenhand.numerics.newton import MAX_ITERATIONS, SINGULAR, solve_columns
from evenhand.numerics.sampling import one_blas_thread

# The plain likelihood for hundreds or thousands of systems, by products instead of inverses.
#
# Newton steps and contrasts come from conjugate gradients on the information as a Laplacian, with
# the sum-zero gauge: worths are known up to a constant, which is projected out. Up to some thousand
# systems the weights of pairs are a table, and a covariance is found when it is asked for; beyond
# that no K × K matrix is made.

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
MAX_STEPS: Final = 100
# Longest step in λ, t and δ that is the last: what it leaves is of the order of its square
MAX_LAST_STEP: Final = 1e-6
# Relative residual of a solution b of A x = b: bᵀx is then wrong by its square, relative to bᵀx
# and times the condition number, which is below 1e9 for a chain of thousands of systems
RESIDUAL: Final = 1e-8
# Systems for each iteration before a table is solved directly: both have then cost the same
SYSTEMS_PER_ITERATION: Final = 16
CONTRASTS_AT_ONCE: Final = 16  # Contrasts solved at once: the matrix is read once for all of them


@dataclass(frozen=True, eq=False)
class PairInformation:
    """Minus the second derivatives by λ (K, sum-zero), t and δ, as a product with columns."""

    degree: Array  # (K,) diagonal of the Laplacian
    weights: Weights  # (K, K) what it has off the diagonal, negated
    border: Array  # (K, extras) derivatives by λ and the extra parameters
    corner: Array  # (extras, extras)
    # whether a K × K matrix may be made, to solve directly where iterations do not settle
    dense: bool

    def __matmul__(self, columns: Array) -> Array:
        k = len(self.border)
        worths, extras = columns[:k], columns[k:]
        top = self.degree[:, None] * worths
        top -= self.weights @ worths
        top += self.border @ extras
        return np.concatenate([top, self.border.T @ worths + self.corner @ extras])

    def solve(self, right: Array, tolerance: float = RESIDUAL) -> Array:
        """Solve for (K + extras, n) columns, with the sum-zero gauge on λ."""
        right = self._project(right.copy())
        diagonal = np.concatenate([self.degree, np.diag(self.corner)])
        solved = solve_columns(
            self.__matmul__,
            right,
            diagonal,
            project=self._project,
            tolerance=tolerance,
            limit=len(self.border) // SYSTEMS_PER_ITERATION if self.dense else MAX_ITERATIONS,
        )
        if solved is not None:
            return solved
        if not self.dense:
            raise NotConverged(
                "conjugate gradients did not settle: some systems are linked by very few"
                " judgments; collect more between them"
            )
        # the matrix itself, made positive definite along equal worths
        weights = self.weights
        table = weights if isinstance(weights, np.ndarray) else weights.tabulate()
        laplacian = self.degree.mean() / len(table) - table
        laplacian[np.diag_indices(len(table))] += self.degree
        whole = np.block([[laplacian, self.border], [self.border.T, self.corner]])
        try:
            return self._project(np.asarray(np.linalg.solve(whole, right)))
        except np.linalg.LinAlgError as error:
            raise NotConverged(SINGULAR) from error

    def _project(self, columns: Array) -> Array:
        """Take the mean worth out of columns, in place."""
        worths = columns[: len(self.border)]
        worths -= worths.mean(axis=0)
        return columns


def make_information(likelihood: Likelihood, pairs: Pairs, level: Level) -> PairInformation:
    weights, ones = pairs.matrix(level.eta_eta), np.ones(likelihood.design.size)
    columns, corner = [], np.zeros((0, 0))
    if likelihood.law.free:
        columns.append(pairs.sum_out(level.eta_tie))
        corner = np.array([[level.tie_tie]])
    if likelihood.order_effect:
        columns.append(pairs.sum_out(level.eta_eta))
        cross = np.array([[level.eta_tie.sum()]])[:, : len(corner)]
        corner = np.block([[corner, cross.T], [cross, np.array([[level.eta_eta.sum()]])]])
    border = np.stack(columns, axis=1) if columns else np.zeros((len(ones), 0))
    return PairInformation(weights @ ones, weights, border, corner, pairs.dense)


def solve_contrasts(likelihood: Likelihood, at: Array, first: Codes, second: Codes) -> Array:
    """Return (n,) variances of differences in log-worth, at given worths (K), t and δ."""
    # A solution x by them of A x = c has cᵀx as large as it can be with the directions it has seen,
    # so that what is missing from it is of the square of what is missing from x.
    pairs = Pairs(likelihood.design, dense=False)
    variances = np.empty(len(first))
    with one_blas_thread():
        information = make_information(likelihood, pairs, expand_level(likelihood, pairs, at))
        for start in range(0, len(first), CONTRASTS_AT_ONCE):
            part = slice(start, start + CONTRASTS_AT_ONCE)
            left, right = first[part], second[part]
            columns, each = np.zeros((len(at), len(left))), np.arange(len(left))
            columns[left, each], columns[right, each] = 1.0, -1.0
            solved = information.solve(columns)
            variances[part] = 4 * (solved[left, each] - solved[right, each])
    return variances
