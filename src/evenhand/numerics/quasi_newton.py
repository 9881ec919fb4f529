"""Broyden, Fletcher, Goldfarb and Shanno's method, from a good guess of the second derivatives.

For functions whose gradient is dear and whose information is known roughly: each step corrects the
guess by what the gradients of the last two points say.

Source: Nocedal & Wright (2006), Numerical Optimization, 2nd ed., eq. 6.19 and 3.4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged
from evenhand.numerics.newton import solve_step

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

STEPS: Final = 200
HALVINGS: Final = 20
SHARE: Final = 0.1
"""Share of what the slope promises that a step must gain."""
ROUNDING: Final = 1e-7
"""Loss, relative to 1 + |value|, that is no loss: values found by quadrature may disagree so much
with their gradients, which the end is judged by."""


class Slope(Protocol):
    """A function to first order at one point."""

    @property
    def value(self) -> float:
        """The function, to be maximised."""

    @property
    def gradient(self) -> Vector:
        """(p,) its first derivatives."""


S = TypeVar("S", bound=Slope)


def climb(
    expand: Callable[[Vector, S], S],
    start: tuple[Vector, S],
    information: Matrix,
    *,
    tolerance: float,
    reach: Callable[[Vector], float],
) -> tuple[Vector, S, float]:
    """Climb to a maximum.

    Returns:
        (p,) the point after the last step, which is not expanded; what was found before that step;
        and what the step gains.

    Args:
        expand: the function to first order at a point, given what was found nearby.
        start: (p,) where to begin, and the function there.
        information: (p, p) a guess of minus the second derivatives, positive definite.
        tolerance: what gᵀ I⁻¹ g, twice the gain to come, may be relative to |value| at the end.
        reach: how far a step goes, in a measure where 1 is as far as it may.

    Raises:
        NotConverged: after 200 steps, or when no step along the direction gains.

    """
    at, here = start
    for _ in range(STEPS):
        step = solve_step(information, here.gradient)
        promise = float(here.gradient @ step)
        if promise <= tolerance * (1.0 + abs(here.value)):
            return at + step, here, promise / 2
        step = step / max(1.0, reach(step))
        moved, there = _advance(expand, at, step, here)
        information = _corrected(information, moved - at, here.gradient - there.gradient)
        at, here = moved, there
    raise NotConverged("the fit did not converge: the likelihood has no clear maximum")


def _advance(
    expand: Callable[[Vector, S], S], at: Vector, step: Vector, here: S
) -> tuple[Vector, S]:
    """Take the longest step of 1, 1/2, 1/4, ... that gains its share (Armijo's rule)."""
    length, rate = 1.0, SHARE * float(here.gradient @ step)
    least = here.value - ROUNDING * (1.0 + abs(here.value))
    for _ in range(HALVINGS):
        there = expand(at + length * step, here)
        if there.value >= least + length * rate:
            return at + length * step, there
        length /= 2
    raise NotConverged("the fit did not converge: no step gains any likelihood")


def _corrected(information: Matrix, step: Vector, change: Vector) -> Matrix:
    """Return the guess that agrees with the change of the gradient along the last step.

    Where the function bends the wrong way along it, the guess stays.
    """
    bend = float(step @ change)
    image = information @ step
    if bend <= 1e-10 * float(step @ image):
        return information
    gained = np.outer(change, change) / bend - np.outer(image, image) / float(step @ image)
    return np.asarray(information + gained)
