"""Restricted maximum likelihood: steps of average information, variances not below 0.

A variance at 0 whose derivative is not positive rests there; the others take a Newton step with
the average information, halved until the likelihood does not fall; where none such is found, a
step of the EM algorithm.

Source: Gilmour, Thompson & Cullis (1995), Biometrics 51:1440-1450; resting at the bound: Bertsekas
(1982), SIAM Journal on Control and Optimization 20:221-246.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged
from evenhand.rating.components.equations import Problem, Solved, solve_equations

Array = NDArray[np.float64]

FLOOR: Final = 1e-7
"""Variance of a term that is as good as 0, where scores have variance 1."""
LEAST_RESIDUAL: Final = 1e-9
"""The same of the residual, which the equations are divided by."""
STEPS: Final = 200
HALVINGS: Final = 30
GAIN: Final = 1e-8
"""Twice the log-likelihood still to be gained at the end (nats)."""
ROUNDING: Final = 1e-9
"""Loss of log-likelihood, relative to 1 + |ℓ|, that is rounding."""
NEARLY: Final = 1e-4
"""The same where rounding keeps the likelihood from rising."""
LEAST_KNOWN: Final = 1e-12
"""Information that is rounding."""
RIDGE: Final = 1e-9
"""Share added to the diagonal of the information."""


@dataclass(frozen=True, eq=False)
class Peak:
    """Where the restricted likelihood is highest.

    Attributes:
        variances: (K + 1,) estimates, the residual's last; the floor where they are 0.
        solved: the likelihood there.
        steps: steps taken.

    """

    variances: Array
    solved: Solved
    steps: int

    @property
    def zero(self) -> NDArray[np.bool_]:
        """(K + 1,) which variances are 0."""
        return np.asarray(self.variances <= _floors(len(self.variances)))


def maximise(
    problem: Problem, start: Array, *, held: int | None = None, gain: float = GAIN
) -> Peak:
    """Climb to the highest restricted likelihood.

    Args:
        problem: scores of variance about 1, and terms.
        start: (K + 1,) variances to begin with.
        held: the number of a variance that stays as it is.
        gain: twice the log-likelihood that may be left to gain.

    Raises:
        NotConverged: no step gains, or 200 do not suffice.

    """
    floors = _floors(len(start))
    variances = np.maximum(start, floors)
    here = solve_equations(problem, variances)
    for count in range(STEPS):
        free = (variances > floors) | (here.gradient > 0)
        if held is not None:
            free[held] = False
        step = _step(here, free)
        promise = float(here.gradient @ step)
        if promise <= gain:
            return Peak(variances, here, count)
        found = _advance(problem, (variances, here), step)
        if found is None and promise <= NEARLY:
            return Peak(variances, here, count)
        if found is None:
            found = _advance(problem, (variances, here), _cautious(problem, variances, here, free))
        if found is None:
            break
        variances, here = found
    raise NotConverged(
        "the variance components were not found: the likelihood has no clear maximum",
        ["collect more scores per output", "take tasks or criteria apart"],
    )


def _floors(size: int) -> Array:
    """Return the least variances."""
    return np.append(np.full(size - 1, FLOOR), LEAST_RESIDUAL)


def _step(here: Solved, free: NDArray[np.bool_]) -> Array:
    """Return the Newton step of the free variances."""
    step = np.zeros(len(free))
    if free.any():
        information = here.information[np.ix_(free, free)].copy()
        scale = np.sqrt(np.maximum(np.diag(information), LEAST_KNOWN))
        information /= scale * scale[:, None]
        information[np.diag_indices_from(information)] += RIDGE
        step[free] = np.linalg.solve(information, here.gradient[free] / scale) / scale
    return step


def _cautious(problem: Problem, variances: Array, here: Solved, free: NDArray[np.bool_]) -> Array:
    """Return the step of the EM algorithm, for where the scores hold no average information.

    That is so where a source has no trace in the scores at all, as judges who agree perfectly.
    """
    sizes = np.array([*(term.size for term in problem.terms), problem.df], dtype=np.float64)
    return np.where(free, 2 * variances**2 * here.gradient / sizes, 0.0)


def _advance(
    problem: Problem, at: tuple[Array, Solved], step: Array
) -> tuple[Array, Solved] | None:
    """Go along a step as far as the likelihood does not fall; None where it falls at once."""
    variances, here = at
    least = here.value - ROUNDING * (1 + abs(here.value))
    for _ in range(HALVINGS):
        moved = np.maximum(variances + step, _floors(len(step)))
        there = _look(problem, moved)
        if there is not None and there.value >= least and not np.array_equal(moved, variances):
            return moved, there
        step = step / 2
    return None


def _look(problem: Problem, variances: Array) -> Solved | None:
    """Solve the equations; None where variances are so far apart that rounding decides."""
    try:
        return solve_equations(problem, variances)
    except np.linalg.LinAlgError:
        return None
