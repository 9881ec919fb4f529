"""Fits of hundreds or thousands of systems, by products instead of inverses.

Newton steps and contrasts come from conjugate gradients on the information as a Laplacian, with the
sum-zero gauge: worths are known up to a constant, which is projected out. Up to some thousand
systems the weights of pairs are a table, and a covariance is found when it is asked for; beyond
that no K × K matrix is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged, UnknownOption
from evenhand.models.design import DENSE, Design, Places
from evenhand.models.likelihood import MAX_ETA_STEP, Likelihood
from evenhand.models.ties import BLOCK
from evenhand.numerics import Array, newton
from evenhand.numerics.sampling import one_blas_thread

Codes = NDArray[np.intp]

# Which systems each entry of a pooled tally compares, as the structure of a (K, K) matrix.
#
# Entries stand in the order of their left system, then right, each pair once, so that their weights
# are the numbers of a matrix that need not be sorted again: a table of numpy where K is moderate,
# else a triangle of scipy whose product, with its transpose's, is all that is asked.

# Systems up to which the matrix of pairs is a table, however few pairs were compared
MAX_TABLED_SYSTEMS: Final = 1_000
# Cells of the table for each pair that was compared, beyond which it is too empty
MAX_CELLS_PER_PAIR: Final = 4


@dataclass(frozen=True, eq=False)
class Triangle:
    """A symmetric (K, K) matrix as the sum of a sparse one and its transpose."""

    half: Any

    def __matmul__(self, columns: Array) -> Array:
        return np.asarray(self.half @ columns + self.half.T @ columns)

    def tabulate(self) -> Array:
        half = self.half.toarray()
        return np.asarray(half + half.T)


Weights: TypeAlias = "Array | Triangle"  # A symmetric (K, K) matrix: the weight of every pair


@dataclass(frozen=True, eq=False)
class Pairs:
    design: Design  # a plain design, on a pooled tally
    dense: bool  # whether a K × K matrix may be made, where pairs fill it or nothing else solves

    @cached_property
    def tabled(self) -> bool:
        # sparse matrices are scipy's, whose import costs time of its own: small tables stay tables
        full = MAX_CELLS_PER_PAIR * len(self.design.left) >= self.size**2
        return self.dense and (self.size <= MAX_TABLED_SYSTEMS or full)

    @property
    def size(self) -> int:
        return self.design.size

    @cached_property
    def starts(self) -> Places:
        """(K + 1,) first entry of each left system."""
        return np.searchsorted(self.design.left, np.arange(self.size + 1))

    @cached_property
    def _held(self) -> Places:
        """Left systems that have entries: a sum over none would be the next one's first."""
        return np.flatnonzero(np.diff(self.starts))

    @cached_property
    def _tables(self) -> tuple[Array, Array]:
        """Room for a triangle, zero where there are no entries, and for the whole."""
        shape = (self.size, self.size)
        return np.zeros(shape), np.empty(shape)

    def matrix(self, weights: Array) -> Weights:
        """Return the symmetric (K, K) matrix with these weights for left and right."""
        # a table is written over by the next one: to find new memory for it takes as long
        if self.tabled:
            half, whole = self._tables
            half.reshape(-1)[self.design.table_place] = weights
            return np.add(half, half.T, out=whole)
        from scipy import sparse

        starts, shape = self.starts.astype(np.int32), (self.size, self.size)
        return Triangle(sparse.csr_array((weights, self.design.right, starts), shape=shape))

    def differ(self, worths: Array, entries: slice) -> Array:
        left, right = self.design.ends
        return worths.take(left[entries]) - worths.take(right[entries])

    def sum_out(self, weights: Array) -> Array:
        """Sum entries onto systems, + for left and − for right: (K,)."""
        sums = np.zeros(self.size)
        sums[self._held] = np.add.reduceat(weights, self.starts[self._held])
        sums -= np.bincount(self.design.ends[1], weights, minlength=self.size)
        return sums


@dataclass(frozen=True, eq=False)
class Level:
    """The log-likelihood to second order: sums over entries, or (C,) where systems sum them."""

    value: float  # log-likelihood (nats)
    gradient: Array  # (K + extras,) derivatives by λ, t and δ
    tie_tie: float  # minus the second derivative by t
    eta: Array  # (C,) derivatives by η
    eta_eta: Array  # (C,) minus the second derivatives by η; likewise `eta_tie`
    eta_tie: Array  # see eta_eta


def expand_level(
    likelihood: Likelihood, pairs: Pairs, at: Array, into: Level | None = None
) -> Level:
    """Return the log-likelihood to second order at given worths (K), t and δ."""
    law, counts, n = likelihood.law, likelihood.counts, len(likelihood.counts)
    tie = float(at[pairs.size]) if law.free else 0.0
    order = float(at[-1]) if likelihood.order_effect else 0.0
    rows = np.empty((3, n)) if into is None else (into.eta, into.eta_eta, into.eta_tie)
    sums = np.zeros(3)
    for first in range(0, n, BLOCK):
        block = slice(first, min(first + BLOCK, n))
        eta = pairs.differ(at[: pairs.size], block)
        part = law.expand(eta + order if order else eta, tie, counts[block])
        sums += part.value.sum(), part.tie.sum(), part.tie_tie.sum()
        for row, values in zip(rows, (part.eta, part.eta_eta, part.eta_tie), strict=True):
            row[block] = values
    value, by_tie, by_ties = sums.tolist()
    by_order = [rows[0].sum()] * likelihood.order_effect
    gradient = np.concatenate([pairs.sum_out(rows[0]), [by_tie] * law.free, by_order])
    return Level(value, gradient, by_ties, *rows)


# The information of the pairs, as a product with columns, and what is solved with it.

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
        solved = newton.solve_columns(
            self.__matmul__,
            right,
            diagonal,
            project=self._project,
            tolerance=tolerance,
            limit=len(self.border) // SYSTEMS_PER_ITERATION
            if self.dense
            else newton.MAX_ITERATIONS,
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
            raise NotConverged(newton.SINGULAR) from error

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


def climb_pairs(
    likelihood: Likelihood, start: Array, *, dense: bool
) -> tuple[Array, float, int, float]:
    """Return the maximum of a plain design, its value, Newton steps and the last decrement."""
    if likelihood.design.matrix is not None or likelihood.prior > 0:
        raise UnknownOption(
            f"{likelihood.design.size:,} worths are too many for covariates or a prior: fit the"
            " plain model, or a part of the systems"
        )
    worths = likelihood.design.worths(start[: likelihood.n_worths])
    at = np.concatenate([worths - worths.mean(), start[likelihood.n_worths :]])
    pairs = Pairs(likelihood.design, dense)
    level = expand_level(likelihood, pairs, at)
    k, reference, room = likelihood.design.size, likelihood.design.reference, level

    def expand(point: Array) -> Level:
        return expand_level(likelihood, pairs, point, room)

    for taken in range(1, MAX_STEPS + 1):
        step = make_information(likelihood, pairs, level).solve(level.gradient[:, None])[:, 0]
        decrement = float(level.gradient @ step)
        if np.abs(step).max() <= MAX_LAST_STEP or decrement <= newton.LOST * abs(level.value):
            value = level.value + decrement / 2  # to third order in a step of 1e-6
            end = at + step
            worths = end[:k] - end[reference]
            beta = np.concatenate([worths[:reference], worths[reference + 1 :], end[k:]])
            return beta, value, taken, decrement
        apart = np.abs(pairs.differ(step[:k], slice(None))).max()  # of systems that were compared
        moved_by = max(float(apart), *np.abs(step[k:]).tolist(), 1e-300)
        length = min(1.0, MAX_ETA_STEP / moved_by)
        least = level.value - newton.NEWTON_ROUNDING * (1 + abs(level.value))
        rate = newton.MIN_NEWTON_GAIN * length * decrement
        moved = newton.backtrack(
            expand, at, length * step, (least, rate), newton.MAX_NEWTON_HALVINGS
        )
        if moved is None:
            break
        at, level = moved
    # a prior is for systems whose matrix is made
    raise NotConverged(newton.STUCK, newton.REMEDIES[: 2 if k <= DENSE else 1])
