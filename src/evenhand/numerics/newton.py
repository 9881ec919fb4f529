"""Newton's method with step halving, on plain arrays, and BLAS on one thread for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Final, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from evenhand.errors import NotConverged

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

MAX_ITERATIONS: Final = 20_000  # Unless fewer are asked for
# Relative residual at which a solution is done, unless a rougher one will do
TOLERANCE: Final = 1e-12


def solve_columns(
    product: Callable[[Matrix], Matrix],
    right: Matrix,
    diagonal: Vector,
    *,
    project: Callable[[Matrix], Matrix] | None = None,
    limit: int = MAX_ITERATIONS,
    tolerance: float = TOLERANCE,
) -> Matrix | None:
    """Solve A X = B for (n, m) right-hand sides that share their products; None if one fails.

    A is positive definite on the space that `project` keeps.
    """
    keep = project if project is not None else (lambda columns: columns)
    inverse = 1.0 / diagonal[:, None]
    x, residual = np.zeros_like(right), right.copy()
    z = keep(residual * inverse)
    direction, norm = z.copy(), _dots(residual, z)
    done = tolerance**2 * norm
    for _ in range(limit):
        live = norm > done
        if not live.any():
            return keep(x)
        image = product(direction)
        length = np.divide(norm, _dots(direction, image), out=np.zeros_like(norm), where=live)
        x += length * direction
        residual -= length * image
        z = keep(residual * inverse)
        fresh = _dots(residual, z)
        direction *= np.divide(fresh, norm, out=np.zeros_like(norm), where=live)
        direction += z
        norm = np.where(live, fresh, norm)
    return None


def _dots(left: Matrix, right: Matrix) -> Vector:
    return np.asarray(np.einsum("ij,ij->j", left, right))


# Newton decrement squared, relative to |value|, below which that step is the last. Relative, so
# that neither the unit of weights nor that of parameters matters. Of n judgments it is about n δ²
# / 4 for a step δ in log-odds, and the error after the step about δ².
QUADRATIC: Final = 1e-11
# The same share, below which a decrement is lost in rounding whatever the step
LOST: Final = float(np.finfo(np.float64).eps)
NOTHING: Final = 1e-24  # A decrement that is zero, where the value is too
NEWTON_ROUNDING: Final = 1e-13  # Loss, relative to 1 + |value|, that is rounding and no loss
# Share of what the slope promises that a step must gain; near the maximum it gains half
MIN_NEWTON_GAIN: Final = 0.3
MAX_NEWTON_STEPS: Final = 100
MAX_NEWTON_HALVINGS: Final = 40
ROUGH: Final = 1e-6  # Relative residual of an inexact Newton step
STUCK: Final = "the fit did not converge: the likelihood has no clear maximum"
# The last one where a prior may be had
REMEDIES: Final = ("look for systems that almost never win", "pass a weak prior (--prior 1)")
SINGULAR: Final = (
    "the information matrix is singular: some parameters are not determined by the data"
)
NO_PIVOT: Final = 1e-11  # Pivot, relative to the diagonal, that is rounding and no information
# Unknowns above which conjugate gradients are tried first, for as many iterations
MAX_DIRECT: Final = 200


class Slope(Protocol):
    """A function to first order at one point."""

    @property
    def value(self) -> float:
        """The function, to be maximised."""

    @property
    def gradient(self) -> Vector:
        """(p,) its first derivatives."""


S = TypeVar("S", bound=Slope)


@dataclass(frozen=True, eq=False)
class Expansion:
    value: float  # the function, to be maximised
    gradient: Vector  # (p,) its first derivatives
    information: Matrix  # (p, p) minus its second derivatives, positive definite


@dataclass(frozen=True, eq=False)
class Maximum:
    at: Vector  # (p,) the point
    expansion: Expansion  # the function to second order there
    steps: int  # Newton steps taken
    decrement: float  # gᵀ I⁻¹ g before the last step, which squared it: twice what that step gained


def maximise(
    expand: Callable[[Vector], Expansion],
    start: Vector,
    *,
    reach: Callable[[Vector], float] | None = None,
    last: float = np.inf,
) -> Maximum:
    at, here = start, expand(start)
    if not len(start):
        return Maximum(at, here, 0, 0.0)
    for taken in range(1, MAX_NEWTON_STEPS + 1):
        step = solve_step(here.information, here.gradient)
        decrement = float(here.gradient @ step)
        share = QUADRATIC if reach is None or reach(step) <= last else LOST
        if 0 <= decrement <= share * abs(here.value) + NOTHING:
            return Maximum(at + step, expand(at + step), taken, decrement)
        longest = 1.0 if reach is None else min(1.0, 1.0 / max(reach(step), 1e-300))
        if decrement <= 0:
            break
        step = longest * step
        least = here.value - NEWTON_ROUNDING * (1.0 + abs(here.value))
        rate = MIN_NEWTON_GAIN * float(here.gradient @ step)
        moved = backtrack(expand, at, step, (least, rate), MAX_NEWTON_HALVINGS)
        if moved is None:
            break
        at, here = moved
    raise NotConverged(STUCK, REMEDIES)


def backtrack(
    expand: Callable[[Vector], S],
    at: Vector,
    step: Vector,
    needed: tuple[float, float],
    halvings: int,
) -> tuple[Vector, S] | None:
    """Take the longest step of 1, 1/2, 1/4, ... that gains its share; None where none does."""
    # A gain alone is not enough: a step into the flat part of a likelihood may gain a little and
    # leave no way back (Armijo's rule). Needed: the value at least, and what a whole step must add.
    least, rate = needed
    length = 1.0
    for _ in range(halvings):
        there = expand(at + length * step)
        if there.value >= least + length * rate:
            return at + length * step, there
        length /= 2
    return None


def solve_step(matrix: Matrix, right: Vector) -> Vector:
    if len(right) > MAX_DIRECT:
        system = matrix.__matmul__, right[:, None], np.diag(matrix).copy()
        quick = solve_columns(*system, limit=MAX_DIRECT, tolerance=ROUGH)
        if quick is not None:
            return np.asarray(quick[:, 0])
    try:
        return np.asarray(np.linalg.solve(matrix, right))
    except np.linalg.LinAlgError as error:
        raise NotConverged(SINGULAR) from error


def is_definite(matrix: Matrix, scale: Vector) -> bool:
    """Say whether information is positive definite beyond rounding, given its (p,) scale."""
    try:
        pivots = np.diag(np.linalg.cholesky(matrix)) ** 2
    except np.linalg.LinAlgError:
        return False
    return bool((pivots > NO_PIVOT * scale).all())


def invert_positive(matrix: Matrix) -> Matrix:
    try:
        inverse = _invert_blocks(matrix) if len(matrix) else np.zeros((0, 0))
    except np.linalg.LinAlgError as error:
        raise NotConverged(SINGULAR) from error
    if not (np.diag(inverse) > 0).all():
        raise NotConverged(SINGULAR)
    return np.asarray((inverse + inverse.T) / 2)


def _invert_blocks(matrix: Matrix) -> Matrix:
    size = len(matrix)
    if size <= MAX_DIRECT:
        return np.asarray(np.linalg.inv(matrix))
    half = size // 2
    corner = _invert_blocks(matrix[:half, :half])
    solved = corner @ matrix[:half, half:]
    rest = _invert_blocks(matrix[half:, half:] - matrix[half:, :half] @ solved)
    return join_halves(corner, solved, rest)


def join_halves(corner: Matrix, solved: Matrix, rest: Matrix) -> Matrix:
    """Return the inverse of [[A, B], [Bᵀ, D]], symmetric, by A⁻¹, W = A⁻¹B and (D − BᵀW)⁻¹.

    It is [[A⁻¹ + W S⁻¹ Wᵀ, −W S⁻¹], [·, S⁻¹]], S = D − BᵀW. Where halves are inverted so in turn it
    is half the work of LU; nothing pivots, as A and S are positive definite.
    """
    half, across = corner.shape[-1], solved @ rest
    inverse = np.empty((*corner.shape[:-2], half + rest.shape[-1], half + rest.shape[-1]))
    inverse[..., :half, :half] = corner + across @ solved.swapaxes(-1, -2)
    inverse[..., :half, half:] = -across
    inverse[..., half:, :half] = -across.swapaxes(-1, -2)
    inverse[..., half:, half:] = rest
    return inverse


# Broyden, Fletcher, Goldfarb and Shanno's method, for functions whose gradient is dear and whose
# second derivatives are known roughly: each step corrects the guess by what the gradients of the
# last two points say (Nocedal & Wright 2006, Numerical Optimization, 2nd ed., eq. 6.19 and 3.4).

MAX_BFGS_STEPS: Final = 200
MAX_BFGS_HALVINGS: Final = 20
MIN_BFGS_GAIN: Final = 0.1  # Share of what the slope promises that a step must gain
# Loss, relative to 1 + |value|, that is no loss: values found by quadrature may disagree so much
# with their gradients, which the end is judged by
QUADRATURE_ERROR: Final = 1e-7


def climb(
    expand: Callable[[Vector, S], S],
    start: tuple[Vector, S],
    information: Matrix,
    *,
    tolerance: float,
    reach: Callable[[Vector], float],
) -> tuple[Vector, S, float]:
    """Climb from a (p,) point and the function there, with a guess of minus the second derivatives.

    Returns: (p,) the point after the last step, which is not expanded; the function before that
    step; and what the step gains.
    """
    at, here = start
    for _ in range(MAX_BFGS_STEPS):
        step = solve_step(information, here.gradient)
        promise = float(here.gradient @ step)
        if promise <= tolerance * (1.0 + abs(here.value)):
            return at + step, here, promise / 2
        step = step / max(1.0, reach(step))
        least = here.value - QUADRATURE_ERROR * (1.0 + abs(here.value))
        rate = MIN_BFGS_GAIN * float(here.gradient @ step)

        def look(point: Vector, last: S = here) -> S:
            return expand(point, last)

        moved = backtrack(look, at, step, (least, rate), MAX_BFGS_HALVINGS)
        if moved is None:
            raise NotConverged("the fit did not converge: no step gains any likelihood")
        change, bend = moved[0] - at, here.gradient - moved[1].gradient
        curvature, image = float(change @ bend), information @ change
        bent = float(change @ image)
        if curvature > 1e-10 * bent:  # else it bends the wrong way: the guess stays
            gained = np.outer(bend, bend) / curvature - np.outer(image, image) / bent
            information = np.asarray(information + gained)
        at, here = moved
    raise NotConverged("the fit did not converge: the likelihood has no clear maximum")


_controller: Final = cache(ThreadpoolController)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    # BLAS spreads even small products over all cores, where threads mostly wait for each other:
    # batches of matrices of a hundred rows cost several times the CPU.
    with _controller().limit(limits=1, user_api="blas"):
        yield
