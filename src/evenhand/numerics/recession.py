"""Has a log-linear likelihood a maximum? A linear programme answers for any design.

A multinomial logit with linear predictors x·b stays as it is or rises for ever in a direction b
exactly if no observed cell falls behind another cell of its set, Z b ≥ 0, where Z has one row
z = x_observed − x_other for each. A finite, unique maximum exists if and only if b = 0 is the only
such direction. Source: Albert & Anderson (1984), Biometrika 71:1-10; the programme is that of
Konis (2007, Oxford DPhil thesis) with a slack for each row, so that no separated row is missed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy import sparse

    Matrix: TypeAlias = NDArray[np.float64] | sparse.csr_array

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

# Relative to the largest entry of the scaled design: smaller pivots are rounding.
_RANK_TOLERANCE: Final = 1e-9
_ROWS_AT_ONCE: Final = 4096


@dataclass(frozen=True, eq=False)
class Recession:
    """The directions in which a likelihood never falls.

    Attributes:
        aliased: a direction b, largest entry ±1, in which the likelihood is constant (Z b = 0),
            shape (columns,); None if the design has full rank.
        separated: rows that some direction with Z b ≥ 0 makes positive, ascending.
        infinite: columns that those directions move: their estimates run off to ±∞. Columns that
            are aliased to others are left out of the question.

    """

    aliased: FloatArray | None
    separated: IntArray
    infinite: IntArray

    @property
    def exists(self) -> bool:
        """Whether a finite and unique maximum exists."""
        return self.aliased is None and self.separated.size == 0


def find_recession(Z: Matrix) -> Recession:
    """Find out whether a maximum exists, and what stands in its way.

    Args:
        Z: x_observed − x_other for each observed cell and each other cell of its set, dense or
            sparse, shape (rows, columns). Cells without weight must have been left out.

    Raises:
        RuntimeError: the linear programme was not solved.

    >>> nine_wins_three_ties = np.array([[1.0, -1.0], [2.0, 0.0], [-1.0, 1.0], [1.0, 1.0]])
    >>> found = find_recession(nine_wins_three_ties)
    >>> found.exists, found.separated.tolist(), found.infinite.tolist()
    (False, [1, 3], [0, 1])

    """
    scale = _column_scale(Z)
    scaled = Z / scale if isinstance(Z, np.ndarray) else Z.multiply(1 / scale).tocsr()
    null, kept = _null_space(scaled)
    aliased = None
    if null.shape[1]:
        aliased = null[:, 0] / scale
        aliased /= np.abs(aliased).max()
    independent = scaled[:, kept]
    separated = find_separated(independent)
    undecided = np.setdiff1d(np.arange(Z.shape[0]), separated)
    moved = (
        np.abs(_null_space(independent[undecided])[0]).max(axis=1, initial=0.0) > _RANK_TOLERANCE
    )
    return Recession(aliased, separated, kept[moved] if separated.size else kept[:0])


def find_separated(Z: Matrix) -> IntArray:
    """Return the rows z for which some b has z·b > 0 while Z b ≥ 0 everywhere, ascending.

    Maximises Σ s subject to Z b ≥ s, 0 ≤ s ≤ 1, b free. Directions can be added and lengthened, so
    at the optimum s is 1 for every such row and 0 for all others. Independent problems may be
    asked at once as the blocks of a block-diagonal Z.

    Args:
        Z: dense or sparse, shape (rows, columns).

    Raises:
        RuntimeError: the linear programme was not solved.

    """
    from scipy import sparse
    from scipy.optimize import linprog

    n_rows, n_columns = Z.shape
    if n_rows == 0 or n_columns == 0:
        return np.zeros(0, dtype=np.intp)
    slack = sparse.eye_array(n_rows, format="csr")
    answer: Any = linprog(
        np.concatenate((np.zeros(n_columns), -np.ones(n_rows))),
        A_ub=sparse.hstack((-sparse.csr_array(Z), slack), format="csr"),
        b_ub=np.zeros(n_rows),
        bounds=[(None, None)] * n_columns + [(0, 1)] * n_rows,
        method="highs",
    )
    if not answer.success:
        raise RuntimeError(f"the linear programme for existence was not solved: {answer.message}")
    return np.flatnonzero(answer.x[n_columns:] > 0.5)


def _column_scale(Z: Matrix) -> FloatArray:
    """Return the largest absolute entry of each column, 1 for a column of zeros."""
    if Z.shape[0] == 0:
        return np.ones(Z.shape[1])
    largest = abs(Z).max(axis=0)
    dense = largest if isinstance(largest, np.ndarray) else largest.toarray()
    scale = np.asarray(dense, dtype=np.float64).reshape(-1)
    return np.where(scale > 0, scale, 1.0)


def _null_space(Z: Matrix) -> tuple[FloatArray, IntArray]:
    """Return vectors that span Z b = 0, shape (columns, dimension), and independent columns.

    Each vector expresses one dependent column by the independent ones.
    """
    from scipy.linalg import qr, solve_triangular

    triangle, pivots = qr(_triangle(Z), mode="r", pivoting=True)
    diagonal = np.abs(np.diag(triangle))
    rank = int(np.count_nonzero(diagonal > _RANK_TOLERANCE * diagonal.max(initial=0.0)))
    null = np.zeros((Z.shape[1], Z.shape[1] - rank))
    if null.shape[1]:
        null[pivots[:rank]] = -solve_triangular(triangle[:rank, :rank], triangle[:rank, rank:])
        null[pivots[rank:]] = np.eye(null.shape[1])
    return null, np.sort(pivots[:rank]).astype(np.intp)


def _triangle(Z: Matrix) -> FloatArray:
    """Return the R of Z = QR, shape (columns, columns), from some thousand rows at a time."""
    n_columns = Z.shape[1]
    triangle = np.zeros((n_columns, n_columns))
    for start in range(0, Z.shape[0], _ROWS_AT_ONCE):
        rows = Z[start : start + _ROWS_AT_ONCE]
        dense = rows if isinstance(rows, np.ndarray) else rows.toarray()
        triangle = np.asarray(np.linalg.qr(np.vstack((triangle, dense)), mode="r"))
    return triangle
