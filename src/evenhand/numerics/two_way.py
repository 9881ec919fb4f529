"""Row and column effects of a table of which only some cells are seen, by least squares.

    minimise  Σ w_c (y_c − m − a_row(c) − b_column(c))²

The longer side is eliminated, so that a solution costs one pass over the cells and one product with
a p x p matrix, p the shorter side, that is inverted once. Where rows and columns fall into parts
that share no cell, the solution is not unique; the one with the smallest Σ a² + Σ b² is taken, with
m the mean of what is seen. With one cell a column that is: a row's effect is what its cells have
above the mean, n/(n + 1) of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.graph import Graph, weak_components

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

_RANK: Final = 1e-10
"""Relative size of an eigenvalue that is none."""


@dataclass(frozen=True, eq=False)
class Effects:
    """What rows and columns add.

    Attributes:
        mean: weighted mean of what is seen.
        row: (m,) effects of rows; the mean of the others' where nothing of a row is seen.
        column: (n,) effects of columns, likewise.

    """

    mean: float
    row: Array
    column: Array

    def table(self) -> Array:
        """Return the (m, n) sums of effects."""
        return (self.mean + self.row)[:, None] + self.column

    def at(self, row: Integers, column: Integers) -> Array:
        """Return the sums of effects of some cells."""
        return self.mean + self.row[row] + self.column[column]


@dataclass(frozen=True, eq=False)
class SeenCells:
    """Which cells of a table are seen, each once.

    Attributes:
        row: (c,) row of each.
        column: (c,) its column.
        weight: (c,) how often it was seen.
        shape: rows and columns of the table.

    """

    row: Integers
    column: Integers
    weight: Array
    shape: tuple[int, int]

    @cached_property
    def seen_rows(self) -> NDArray[np.bool_]:
        """(m,) rows of which anything is seen."""
        return np.bincount(self.row, minlength=self.shape[0]) > 0

    @cached_property
    def seen_columns(self) -> NDArray[np.bool_]:
        """(n,) columns of which anything is seen."""
        return np.bincount(self.column, minlength=self.shape[1]) > 0

    @cached_property
    def parts(self) -> Integers:
        """(m + n,) part of each row, then of each column: parts share no cell."""
        m, n = self.shape
        graph = Graph(m + n, self.row.astype(np.intp), (m + self.column).astype(np.intp))
        return weak_components(graph).astype(np.int64)

    def take(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> SeenCells:
        """Keep some of the cells."""
        return SeenCells(self.row[chosen], self.column[chosen], self.weight[chosen], self.shape)

    def turned(self) -> SeenCells:
        """Return the cells of the transposed table."""
        return SeenCells(self.column, self.row, self.weight, self.shape[::-1])

    def leave(self, value: Array) -> Array:
        """Return what is left of values at the cells when row and column effects are taken out.

        Args:
            value: (c,) values.

        >>> cells = SeenCells(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.ones(4), (2, 2))
        >>> cells.leave(np.array([1.0, 2.0, 3.0, 8.0])).tolist()
        [1.0, -1.0, -1.0, 1.0]
        """
        long, short = self._solve(value)
        return value - long[self._long] - short[self._short]

    def effects(self, value: Array) -> Effects:
        """Return the effects of rows and columns.

        Args:
            value: (c,) values.

        """
        mean = float(self.weight @ value / self.weight.sum())
        long, short = self._solve(value - mean)
        row, column = (long, short) if self._tall else (short, long)
        return Effects(mean, *self._settle(row, column))

    def _settle(self, row: Array, column: Array) -> tuple[Array, Array]:
        """Choose among equally good effects the smallest, and the mean for what is not seen."""
        rows, columns = self.seen_rows, self.seen_columns
        part = np.r_[self.parts[: len(row)][rows], self.parts[len(row) :][columns]]
        signed = np.r_[row[rows], -column[columns]]
        shift = np.bincount(part, signed, len(self.parts)) / np.maximum(
            np.bincount(part, minlength=len(self.parts)), 1
        )
        row = row - shift[self.parts[: len(row)]]
        column = column + shift[self.parts[len(row) :]]
        return (
            np.where(rows, row, row[rows].mean()),
            np.where(columns, column, column[columns].mean()),
        )

    @cached_property
    def _tall(self) -> bool:
        return self.shape[0] >= self.shape[1]

    @property
    def _long(self) -> Integers:
        return self.row if self._tall else self.column

    @property
    def _short(self) -> Integers:
        return self.column if self._tall else self.row

    @cached_property
    def _per_long(self) -> Array:
        """1 / sum of weights of each level of the longer side; 0 where nothing is seen."""
        sums = np.bincount(self._long, self.weight, max(self.shape))
        return np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0)

    @cached_property
    def _inverse(self) -> Array:
        """(p, p) pseudoinverse of the equations of the shorter side."""
        p = min(self.shape)
        table = np.zeros((max(self.shape), p))
        table[self._long, self._short] = self.weight * np.sqrt(self._per_long[self._long])
        equations = -(table.T @ table)
        equations[np.diag_indices(p)] += np.bincount(self._short, self.weight, p)
        values, vectors = np.linalg.eigh(equations)
        kept = values > _RANK * values[-1]
        return np.asarray((vectors[:, kept] / values[kept]) @ vectors[:, kept].T)

    def _solve(self, value: Array) -> tuple[Array, Array]:
        """Return effects of the longer and the shorter side, up to what does not change sums."""
        weighted = self.weight * value
        sums = np.bincount(self._long, weighted, max(self.shape))
        own = np.bincount(self._short, weighted, min(self.shape))
        shared = self.weight * (sums * self._per_long)[self._long]
        short = self._inverse @ (own - np.bincount(self._short, shared, min(self.shape)))
        taken = np.bincount(self._long, self.weight * short[self._short], max(self.shape))
        return (sums - taken) * self._per_long, short
