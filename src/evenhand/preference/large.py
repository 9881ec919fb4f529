"""The same likelihood for thousands of systems, without a K × K matrix.

Newton steps and contrasts come from conjugate gradients on the information as a sparse Laplacian,
with the sum-zero gauge: worths are known up to a constant, which is projected out. The Laplacian is
never put together either: entries stand in the order of their left system, so that their weights
are the data of a triangular matrix whose product, with its transpose's, is all that is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged, UnknownOption
from evenhand.judgments.tally import Tally
from evenhand.numerics.conjugate import solve_columns
from evenhand.numerics.threads import one_blas_thread
from evenhand.preference.estimation import Solution, gather
from evenhand.preference.fit import Fit
from evenhand.preference.likelihood import LONGEST, Likelihood
from evenhand.preference.ties.laws import BLOCK

if TYPE_CHECKING:
    from evenhand.preference.bradley_terry import BradleyTerry

Array = NDArray[np.float64]
STEPS: Final = 100
LAST: Final = 1e-6
"""Longest step in λ, t and δ that is the last: what it leaves is of the order of its square."""
RESIDUAL: Final = 1e-8
"""Relative residual of a solution b of A x = b: bᵀx is then wrong by its square, relative to bᵀx
and times the condition number, which is below 1e9 for a chain of thousands of systems."""
TOGETHER: Final = 16
"""Contrasts solved at once: the matrix is read once for all of them."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Which systems each entry compares, as the structure of a (K, K) sparse matrix.

    Attributes:
        start: (K + 1,) first entry of each left system; entries are sorted by it.
        right: (C,) the other system.

    """

    start: NDArray[np.int32]
    right: NDArray[np.int32]

    @classmethod
    def of(cls, likelihood: Likelihood) -> Pairs:
        """Find the structure; a pooled tally is sorted by left, then right."""
        design = likelihood.design
        start = np.searchsorted(design.left, np.arange(design.size + 1))
        return cls(start.astype(np.int32), design.right)

    def matrix(self, weights: Array) -> Any:
        """Return the (K, K) matrix with these weights at (left, right)."""
        from scipy import sparse

        k = len(self.start) - 1
        return sparse.csr_array((weights, self.right, self.start), shape=(k, k))

    def differ(self, worths: Array) -> Array:
        """Return (C,) worth of left less that of right."""
        return np.asarray(np.repeat(worths, np.diff(self.start)) - worths[self.right])

    def sum_out(self, weights: Array) -> Array:
        """Sum entries onto systems, + for left and − for right: (K,)."""
        matrix, ones = self.matrix(weights), np.ones(len(self.start) - 1)
        return np.asarray(matrix @ ones - matrix.T @ ones)


@dataclass(frozen=True, eq=False)
class Level:
    """The log-likelihood to second order: sums over entries, or (C,) where systems sum them.

    Attributes:
        value: log-likelihood (nats).
        tie: derivative by t.
        tie_tie: minus the second derivative by t.
        eta: (C,) derivatives by η.
        eta_eta: (C,) minus the second derivatives by η; likewise `eta_tie`.
        eta_tie: see eta_eta.

    """

    value: float
    tie: float
    tie_tie: float
    eta: Array
    eta_eta: Array
    eta_tie: Array


@dataclass(frozen=True, eq=False)
class SparseInformation:
    """Minus the second derivatives by λ (K, sum-zero), t and δ, as a product with columns.

    Attributes:
        degree: (K,) diagonal of the Laplacian.
        upper: (K, K) sparse; with its transpose, what the Laplacian has off the diagonal, negated.
        border: (K, extras) derivatives by λ and the extra parameters.
        corner: (extras, extras).

    """

    degree: Array
    upper: Any
    border: Array
    corner: Array

    def __matmul__(self, columns: Array) -> Array:
        k = len(self.border)
        worths, extras = columns[:k], columns[k:]
        top = self.degree[:, None] * worths
        top -= self.upper @ worths
        top -= self.upper.T @ worths
        top += self.border @ extras
        return np.concatenate([top, self.border.T @ worths + self.corner @ extras])

    def solve(self, right: Array) -> Array:
        """Solve for (K + extras, n) columns, with the sum-zero gauge on λ.

        Raises:
            NotConverged: the iteration did not settle.

        """
        k = len(self.border)

        def project(columns: Array) -> Array:
            columns[:k] -= columns[:k].mean(axis=0)
            return columns

        diagonal = np.concatenate([self.degree, np.diag(self.corner)])
        solved = solve_columns(
            self.__matmul__, project(right.copy()), diagonal, project=project, tolerance=RESIDUAL
        )
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
    at = np.concatenate([worths - worths.mean(), start[likelihood.n_worths :]])
    pairs = Pairs.of(likelihood)
    level = expand_level(likelihood, pairs, at)
    for taken in range(1, STEPS + 1):
        gradient = _gradient(likelihood, pairs, level)
        step = make_information(likelihood, pairs, level).solve(gradient[:, None])[:, 0]
        decrement = float(gradient @ step)
        if np.abs(step).max() <= LAST:
            value = level.value + decrement / 2  # to third order in a step of 1e-6
            beta = _referred(likelihood, at + step)
            return gather(
                model, likelihood, tally, Solution(beta, value, None, taken, decrement, notes)
            )
        at, level = _advance(likelihood, pairs, (at, step), level)
    raise NotConverged("the fit did not converge: look for systems that almost never win")


def _referred(likelihood: Likelihood, at: Array) -> Array:
    k, reference = likelihood.design.size, likelihood.design.reference
    worths = at[:k] - at[reference]
    return np.concatenate([worths[:reference], worths[reference + 1 :], at[k:]])


def expand_level(
    likelihood: Likelihood, pairs: Pairs, at: Array, into: Level | None = None
) -> Level:
    """Return the log-likelihood to second order at given worths (K), t and δ.

    Args:
        likelihood: the likelihood.
        pairs: its pairs.
        at: (K + extras,) where.
        into: a level that is no longer needed, whose memory is taken again.

    """
    k, law, counts = likelihood.design.size, likelihood.law, likelihood.counts
    tie = float(at[k]) if law.free else 0.0
    eta = pairs.differ(at[:k])
    if likelihood.order_effect:
        eta += at[-1]
    rows = np.empty((3, len(eta))) if into is None else (into.eta, into.eta_eta, into.eta_tie)
    sums = np.zeros(3)
    for first in range(0, len(eta), BLOCK):
        block = slice(first, first + BLOCK)
        part = law.expand(eta[block], tie, counts[block])
        sums += part.value.sum(), part.tie.sum(), part.tie_tie.sum()
        for row, values in zip(rows, (part.eta, part.eta_eta, part.eta_tie), strict=True):
            row[block] = values
    value, by_tie, by_ties = sums.tolist()
    return Level(value, by_tie, by_ties, *rows)


def _advance(
    likelihood: Likelihood, pairs: Pairs, line: tuple[Array, Array], level: Level
) -> tuple[Array, Level]:
    (at, step), value, k = line, level.value, likelihood.design.size
    moved_by = max(float(np.ptp(step[:k])), *np.abs(step[k:]).tolist(), 1e-300)
    length = min(1.0, LONGEST / moved_by)
    while length > 1e-12:
        moved = at + length * step
        level = expand_level(likelihood, pairs, moved, level)
        if level.value >= value - 1e-13 * (1 + abs(value)):
            return moved, level
        length /= 2
    raise NotConverged("the fit did not converge: no step climbs any further")


def _gradient(likelihood: Likelihood, pairs: Pairs, level: Level) -> Array:
    tie = [level.tie] if likelihood.law.free else []
    order = [level.eta.sum()] if likelihood.order_effect else []
    return np.concatenate([pairs.sum_out(level.eta), tie, order])


def make_information(likelihood: Likelihood, pairs: Pairs, level: Level) -> SparseInformation:
    """Gather the information at one point."""
    upper, ones = pairs.matrix(level.eta_eta), np.ones(likelihood.design.size)
    columns, corner = [], np.zeros((0, 0))
    if likelihood.law.free:
        columns.append(pairs.sum_out(level.eta_tie))
        corner = np.array([[level.tie_tie]])
    if likelihood.order_effect:
        columns.append(pairs.sum_out(level.eta_eta))
        cross = np.array([[level.eta_tie.sum()]])[:, : len(corner)]
        corner = np.block([[corner, cross.T], [cross, np.array([[level.eta_eta.sum()]])]])
    border = np.stack(columns, axis=1) if columns else np.zeros((len(ones), 0))
    return SparseInformation(upper @ ones + upper.T @ ones, upper, border, corner)


def contrast_variances(fit: Fit, codes: Sequence[tuple[int, int]]) -> Array:
    """Return variances of differences in log-worth, by conjugate gradients, some at a time.

    A solution x by them of A x = c has cᵀx as large as it can be with the directions it has seen,
    so that what is missing from it is of the square of what is missing from x.

    Raises:
        NotConverged: the iteration did not settle.

    """
    likelihood, pairs = fit.likelihood, Pairs.of(fit.likelihood)
    at = np.concatenate([fit.lambdas, fit.beta[likelihood.n_worths :]])
    variances = np.empty(len(codes))
    with one_blas_thread():
        information = make_information(likelihood, pairs, expand_level(likelihood, pairs, at))
        for first in range(0, len(codes), TOGETHER):
            left, right = np.array(codes[first : first + TOGETHER]).T
            columns, each = np.zeros((len(at), len(left))), np.arange(len(left))
            columns[left, each], columns[right, each] = 1.0, -1.0
            solved = information.solve(columns)
            variances[first : first + TOGETHER] = 4 * (solved[left, each] - solved[right, each])
    return variances
