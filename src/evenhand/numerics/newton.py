"""Newton's method with step halving, on plain arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged
from evenhand.numerics.conjugate import solve_conjugate

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

QUADRATIC: Final = 1e-11
"""Newton decrement squared, relative to |value|, below which that step is the last.

Relative, so that neither the unit of weights nor that of parameters matters. Of n judgments it is
about n δ² / 4 for a step δ in log-odds, and the error after the step about δ².
"""
LOST: Final = float(np.finfo(np.float64).eps)
"""The same share, below which a decrement is lost in rounding whatever the step."""
NOTHING: Final = 1e-24
"""A decrement that is zero, where the value is too."""
ROUNDING: Final = 1e-13
"""Loss, relative to 1 + |value|, that is rounding and no loss."""
SHARE: Final = 0.3
"""Share of what the slope promises that a step must gain; near the maximum it gains half."""
STEPS: Final = 100
HALVINGS: Final = 40
ROUGH: Final = 1e-6
"""Relative residual of an inexact Newton step."""
STUCK: Final = "the fit did not converge: the likelihood has no clear maximum"
REMEDIES: Final = ("look for systems that almost never win", "pass a weak prior (--prior 1)")
"""The last one where a prior may be had."""
SINGULAR: Final = (
    "the information matrix is singular: some parameters are not determined by the data"
)
LARGE: Final = 200
"""Unknowns above which conjugate gradients are tried first, for as many iterations."""


@dataclass(frozen=True, eq=False)
class Expansion:
    """A function to second order at one point.

    Attributes:
        value: the function, to be maximised.
        gradient: (p,) its first derivatives.
        information: (p, p) minus its second derivatives, positive definite.

    """

    value: float
    gradient: Vector
    information: Matrix


@dataclass(frozen=True, eq=False)
class Maximum:
    """Where a concave function is largest.

    Attributes:
        at: (p,) the point.
        expansion: the function to second order there.
        steps: Newton steps taken.
        decrement: gᵀ I⁻¹ g before the last step, which squared it: twice what that step gained.

    """

    at: Vector
    expansion: Expansion
    steps: int
    decrement: float


def maximise(
    expand: Callable[[Vector], Expansion],
    start: Vector,
    *,
    reach: Callable[[Vector], float] | None = None,
    last: float = np.inf,
) -> Maximum:
    """Climb to the maximum of a concave function.

    Args:
        expand: the function to second order at a point.
        start: (p,) where to begin.
        reach: how far a step goes, in a measure where 1 is as far as the second order may be
            trusted; longer ones are cut. None for any length.
        last: how far the last step may go, in that measure: where some parameters weigh little
            beside the rest of the data, the decrement is small long before they are found.

    Raises:
        NotConverged: after 100 steps, or when no step along the direction gains.

    >>> def parabola(x):
    ...     return Expansion(-((x[0] - 3) ** 2), np.array([-2 * (x[0] - 3)]), np.array([[2.0]]))
    >>> maximise(parabola, np.zeros(1)).at.tolist()
    [3.0]
    """
    at, here = start, expand(start)
    if not len(start):
        return Maximum(at, here, 0, 0.0)
    for taken in range(1, STEPS + 1):
        step = solve_step(here.information, here.gradient)
        decrement = float(here.gradient @ step)
        near = reach is None or reach(step) <= last
        share = QUADRATIC if near else LOST
        if 0 <= decrement <= share * abs(here.value) + NOTHING:
            return Maximum(at + step, expand(at + step), taken, decrement)
        longest = 1.0 if reach is None else min(1.0, 1.0 / max(reach(step), 1e-300))
        moved = _advance(expand, at, longest * step, here) if decrement > 0 else None
        if moved is None:
            break
        at, here = moved
    raise NotConverged(STUCK, REMEDIES)


def _advance(
    expand: Callable[[Vector], Expansion], at: Vector, step: Vector, here: Expansion
) -> tuple[Vector, Expansion] | None:
    """Take the longest step of 1, 1/2, 1/4, ... that gains its share; None where none does.

    A gain alone is not enough: a step into the flat part of a likelihood may gain a little and
    leave no way back (Armijo's rule).
    """
    length, rate = 1.0, SHARE * float(here.gradient @ step)
    least = here.value - ROUNDING * (1.0 + abs(here.value))
    for _ in range(HALVINGS):
        there = expand(at + length * step)
        if there.value >= least + length * rate:
            return at + length * step, there
        length /= 2
    return None


def solve_step(matrix: Matrix, right: Vector) -> Vector:
    """Solve for a Newton step: directly, or roughly by conjugate gradients where it is large.

    Raises:
        NotConverged: the matrix is singular.

    """
    if len(right) > LARGE:
        quick = solve_conjugate(
            matrix.__matmul__, right, np.diag(matrix).copy(), limit=LARGE, tolerance=ROUGH
        )
        if quick is not None:
            return quick
    try:
        return np.asarray(np.linalg.solve(matrix, right))
    except np.linalg.LinAlgError as error:
        raise NotConverged(SINGULAR) from error


def invert_positive(matrix: Matrix) -> Matrix:
    """Invert a symmetric positive definite matrix; the result is exactly symmetric.

    Raises:
        NotConverged: the matrix is singular.

    """
    try:
        inverse = _invert_blocks(matrix) if len(matrix) else np.zeros((0, 0))
    except np.linalg.LinAlgError as error:
        raise NotConverged(SINGULAR) from error
    if not (np.diag(inverse) > 0).all():
        raise NotConverged(SINGULAR)
    return np.asarray((inverse + inverse.T) / 2)


def _invert_blocks(matrix: Matrix) -> Matrix:
    """Invert by halves where the matrix is large: half the work of LU, as it is symmetric.

    With W = A⁻¹B and the Schur complement S = D − BᵀW of [[A, B], [Bᵀ, D]], the inverse is
    [[A⁻¹ + W S⁻¹ Wᵀ, −W S⁻¹], [·, S⁻¹]]; A and S are positive definite again, so nothing pivots.
    """
    size = len(matrix)
    if size <= LARGE:
        return np.asarray(np.linalg.inv(matrix))
    half = size // 2
    first, last = slice(half), slice(half, size)
    corner = _invert_blocks(matrix[first, first])
    solved = corner @ matrix[first, last]
    inverse = np.empty_like(matrix)
    inverse[last, last] = _invert_blocks(matrix[last, last] - matrix[last, first] @ solved)
    across = solved @ inverse[last, last]
    inverse[first, first] = corner + across @ solved.T
    inverse[first, last] = -across
    inverse[last, first] = -across.T
    return inverse
