"""Conjugate gradients with a diagonal preconditioner and a gauge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Columns = NDArray[np.float64]
LIMIT: Final = 20_000
"""Most iterations, unless fewer are asked for."""
TOLERANCE: Final = 1e-12
"""Relative residual at which a solution is done, unless a rougher one will do."""


def solve_conjugate(
    product: Callable[[Vector], Vector],
    right: Vector,
    diagonal: Vector,
    *,
    project: Callable[[Vector], Vector] | None = None,
    limit: int = LIMIT,
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


def solve_columns(
    product: Callable[[Columns], Columns],
    right: Columns,
    diagonal: Vector,
    *,
    project: Callable[[Columns], Columns],
    limit: int = LIMIT,
    tolerance: float = TOLERANCE,
) -> Columns | None:
    """Solve A X = B for several right-hand sides that share their products; None if one fails.

    Args:
        product: V → A V, for (n, m) columns.
        right: (n, m) B, within the space that `project` keeps.
        diagonal: (n,) diagonal of A, positive.
        project: orthogonal projection of columns, which it may overwrite.
        limit: most iterations.
        tolerance: relative residual of each column, in the norm of the inverse diagonal.

    >>> A = np.array([[2.0, -2.0], [-2.0, 2.0]])
    >>> centre = lambda columns: columns - columns.mean(axis=0)
    >>> right = np.array([[1.0, 0.0], [-1.0, 0.0]])
    >>> solve_columns(A.__matmul__, right, np.diag(A), project=centre).tolist()
    [[0.25, 0.0], [-0.25, 0.0]]
    """
    inverse = 1.0 / diagonal[:, None]
    x, residual = np.zeros_like(right), right.copy()
    z = project(residual * inverse)
    direction, norm = z.copy(), _dots(residual, z)
    done = tolerance**2 * norm
    for _ in range(limit):
        live = norm > done
        if not live.any():
            return project(x)
        image = product(direction)
        length = np.divide(norm, _dots(direction, image), out=np.zeros_like(norm), where=live)
        x += length * direction
        residual -= length * image
        z = project(residual * inverse)
        fresh = _dots(residual, z)
        direction *= np.divide(fresh, norm, out=np.zeros_like(norm), where=live)
        direction += z
        norm = np.where(live, fresh, norm)
    return None


def _dots(one: Columns, two: Columns) -> Vector:
    """Return (m,) products of the columns of two matrices."""
    return np.asarray(np.einsum("ij,ij->j", one, two))


def _everything(vector: Vector) -> Vector:
    return vector
