"""Is there a direction that no constraint forbids, where constraints are too many to list?

A concave log-likelihood has a finite, unique maximum if and only if b = 0 is the only direction in
which no observed choice falls behind a rival, (x_observed − x_rival)·b ≥ 0 for every rival. Choices
among sets of outputs have exponentially many rivals, but the best one in a given direction is
quickly found: constraints are added as they are broken (a cutting-plane method). A direction b ≠ 0
of the cone has c·b ≠ 0 for almost every c, so that maximising ±c·b within a box finds one if there
is one. Source of the criterion: Albert & Anderson (1984), Biometrika 71:1-10.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

LEAST: Final = 1e-6
"""Constraints that a direction within ±1 breaks by less are met; HiGHS itself allows 1e-7."""
_SEED: Final = 20131


def find_direction(broken: Callable[[Vector], Matrix], size: int) -> Vector | None:
    """Return a direction b ≠ 0 of a cone, largest entry ±1, or None if there is none.

    Args:
        broken: b → (rows, size) constraints z with z·b < −1e-6, none where b is in the cone.
        size: number of parameters.

    Raises:
        RuntimeError: the linear programme was not solved.

    >>> wedge = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    >>> find_direction(lambda b: wedge[wedge @ b < -1e-6], 2) is None
    True
    >>> half = np.array([[1.0, 0.0], [-1.0, 0.0]])
    >>> np.abs(find_direction(lambda b: half[half @ b < -1e-6], 2)).tolist()
    [0.0, 1.0]
    """
    draw = np.random.Generator(np.random.PCG64(_SEED)).uniform(0.5, 1.0, size)
    known = np.zeros((0, size))
    for aim in (draw, -draw):
        b = np.sign(aim)
        while np.abs(b).max() > LEAST and len(rows := broken(b)):
            known = np.unique(np.vstack([known, rows]), axis=0)
            b = _furthest(aim, known)
        if np.abs(b).max() > LEAST:
            return np.asarray(b / np.abs(b).max())
    return None


def _furthest(aim: Vector, rows: Matrix) -> Vector:
    """Maximise aim·b within the box and the known constraints."""
    from scipy.optimize import linprog

    answer: Any = linprog(
        -aim, A_ub=-rows, b_ub=np.zeros(len(rows)), bounds=[(-1, 1)] * len(aim), method="highs"
    )
    if not answer.success:
        raise RuntimeError(f"the linear programme for existence was not solved: {answer.message}")
    return np.asarray(answer.x)
