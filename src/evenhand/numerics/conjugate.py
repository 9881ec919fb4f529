"""Conjugate gradients with a diagonal preconditioner and a gauge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
TOLERANCE: Final = 1e-12
"""Relative residual at which a solution is done, unless a rougher one will do."""


def solve_conjugate(
    product: Callable[[Vector], Vector],
    right: Vector,
    diagonal: Vector,
    *,
    project: Callable[[Vector], Vector] | None = None,
    limit: int = 20_000,
    tolerance: float = TOLERANCE,
) -> Vector | None:
    """Solve A x = b for A positive definite on the space that `project` keeps; None if it fails.

    Args:
        product: v → A v.
        right: b, within that space.
        diagonal: diagonal of A, positive.
        project: orthogonal projection onto the space on which A is positive definite; None for all.
        limit: most iterations.
        tolerance: relative residual, in the norm of the inverse diagonal.

    >>> A = np.array([[2.0, -2.0], [-2.0, 2.0]])
    >>> centre = lambda v: v - v.mean()
    >>> solve_conjugate(A.__matmul__, np.array([1.0, -1.0]), np.diag(A), project=centre).tolist()
    [0.25, -0.25]
    """
    keep = project if project is not None else _everything
    x, residual = np.zeros_like(right), right.copy()
    z = keep(residual / diagonal)
    direction, norm = z, float(residual @ z)
    done = tolerance**2 * norm
    for _ in range(limit):
        if norm <= done:
            return keep(x)
        image = product(direction)
        length = norm / float(direction @ image)
        x = x + length * direction
        residual = residual - length * image
        z = keep(residual / diagonal)
        fresh = float(residual @ z)
        direction, norm = z + (fresh / norm) * direction, fresh
    return None


def _everything(vector: Vector) -> Vector:
    return vector
