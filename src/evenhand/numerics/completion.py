"""Completion of a table by the nuclear norm, with free effects of rows and columns.

    minimise  ½ Σ_seen w_c (y_c − m − a_row − b_column − Z_c)² + τ ‖Z‖_*

over m, a, b and Z, by steps with momentum, each followed by singular value thresholding; one that
does not lower the objective is taken again without. The end is certified: residuals, scaled so that
their largest singular value is at most τ, are a point of the dual problem, so that the gap is

    τ ‖Z‖_* − ⟨R, Z⟩ s + ½ Σ w e² (1 − s)²,    R = w e on seen cells, s = min(1, τ / ‖R‖₂).

Sources: Mazumder, Hastie & Tibshirani (2010), Journal of Machine Learning Research 11:2287-2322;
Beck & Teboulle (2009), SIAM Journal on Imaging Sciences 2:183-202; O'Donoghue & Candès (2015),
Foundations of Computational Mathematics 15:715-732. Free effects and the gap with them are ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.graph import Graph, weak_components

# Singular values of a table moved towards 0 by τ: the proximal step of the nuclear norm (Cai,
# Candès & Shen 2010, SIAM Journal on Optimization 20:1956-1982, theorem 2.1). By a singular value
# decomposition where the table is nearly square; by the eigenvectors of its small Gram matrix where
# it is long, which is several times faster and exact to about 1e-8 of the largest singular value.


MIN_ROWS_PER_COLUMN: Final = 1.5  # From which the Gram matrix is used


@dataclass(frozen=True, eq=False)
class LowRank:
    """A table as a product, left @ right.T."""

    left: Array  # (q, r) scaled left singular vectors
    right: Array  # (p, r) right singular vectors, orthonormal
    values: Array  # (r,) singular values, descending

    @property
    def rank(self) -> int:
        return len(self.values)

    @property
    def norm(self) -> float:
        return float(self.values.sum())


def is_long(table: Array) -> bool:
    return bool(len(table) >= MIN_ROWS_PER_COLUMN * table.shape[1])


def shrink(table: Array, tau: float) -> LowRank:
    """Return the (q, p) table, q ≥ p, nearest to another in ½‖·‖² + τ‖·‖_*."""
    if is_long(table):
        squares, vectors = np.linalg.eigh(table.T @ table)
        sizes = np.sqrt(np.maximum(squares[::-1], 0.0))
        right = vectors[:, ::-1][:, sizes > tau]
        sizes = sizes[sizes > tau]
        return LowRank(table @ (right * ((sizes - tau) / sizes)), right, sizes - tau)
    left, sizes, turned = np.linalg.svd(table, full_matrices=False)
    positive = sizes > tau
    values = sizes[positive] - tau
    return LowRank(left[:, positive] * values, turned[positive].T, values)


# Row and column effects of a table of which only some cells are seen, by least squares.
#
# minimise  Σ w_c (y_c − m − a_row(c) − b_column(c))²
#
# The longer side is eliminated, so that a solution costs one pass over the cells and one product
# with a p x p matrix, p the shorter side, that is inverted once. Where rows and columns fall into
# parts that share no cell, the solution with the smallest Σ a² + Σ b² is taken, with m the mean of
# what is seen.

MIN_EIGENVALUE: Final = 1e-10  # Relative to the largest: a smaller one is rounding


@dataclass(frozen=True, eq=False)
class Effects:
    mean: float  # weighted mean of what is seen
    row: Array  # (m,) effects of rows; the mean of the others' where nothing of a row is seen
    column: Array  # (n,) effects of columns, likewise

    def table(self) -> Array:
        return (self.mean + self.row)[:, None] + self.column

    def at(self, row: Integers, column: Integers) -> Array:
        return self.mean + self.row[row] + self.column[column]

    def turned(self) -> Effects:
        return Effects(self.mean, self.column, self.row)


@dataclass(frozen=True, eq=False)
class SeenCells:
    row: Integers  # (c,) row of each
    column: Integers  # (c,) its column
    weight: Array  # (c,) how often it was seen
    shape: tuple[int, int]  # rows and columns of the table

    @cached_property
    def seen_rows(self) -> Flags:
        return np.bincount(self.row, minlength=self.shape[0]) > 0

    @cached_property
    def seen_columns(self) -> Flags:
        return np.bincount(self.column, minlength=self.shape[1]) > 0

    @cached_property
    def parts(self) -> Integers:
        """(m + n,) part of each row, then of each column: parts share no cell."""
        m, n = self.shape
        graph = Graph(m + n, self.row.astype(np.intp), (m + self.column).astype(np.intp))
        return weak_components(graph).astype(np.int64)

    def take(self, chosen: Flags | NDArray[np.intp]) -> SeenCells:
        return SeenCells(self.row[chosen], self.column[chosen], self.weight[chosen], self.shape)

    def turned(self) -> SeenCells:
        return SeenCells(self.column, self.row, self.weight, self.shape[::-1])

    def leave(self, value: Array) -> Array:
        """Return what effects leave of (c,) values, where no side is longer than that of rows."""
        row, column = self._solve(value)
        return value - row[self.row] - column[self.column]

    def effects(self, value: Array) -> Effects:
        """Return the effects of rows and columns on (c,) values.

        Of equally good effects the smallest; the mean of the others for what is not seen.
        """
        if self.shape[0] < self.shape[1]:
            return self.turned().effects(value).turned()
        mean = float(self.weight @ value / self.weight.sum())
        row, column = self._solve(value - mean)
        rows, columns = self.seen_rows, self.seen_columns
        part = np.r_[self.parts[: len(row)][rows], self.parts[len(row) :][columns]]
        signed = np.r_[row[rows], -column[columns]]
        size = np.maximum(np.bincount(part, minlength=len(self.parts)), 1)
        shift = np.bincount(part, signed, len(self.parts)) / size
        row = row - shift[self.parts[: len(row)]]
        column = column + shift[self.parts[len(row) :]]
        row = np.where(rows, row, row[rows].mean())
        return Effects(mean, row, np.where(columns, column, column[columns].mean()))

    @cached_property
    def _per_row(self) -> Array:
        """1 / sum of weights of each row; 0 where nothing is seen."""
        sums = np.bincount(self.row, self.weight, self.shape[0])
        return np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0)

    @cached_property
    def _inverse(self) -> Array:
        table, p = np.zeros(self.shape), self.shape[1]
        table[self.row, self.column] = self.weight * np.sqrt(self._per_row[self.row])
        equations = -(table.T @ table)
        equations[np.diag_indices(p)] += np.bincount(self.column, self.weight, p)
        values, vectors = np.linalg.eigh(equations)
        positive = values > MIN_EIGENVALUE * values[-1]
        return np.asarray((vectors[:, positive] / values[positive]) @ vectors[:, positive].T)

    def _solve(self, value: Array) -> tuple[Array, Array]:
        """Return effects of rows and columns, up to what does not change sums."""
        weighted, (m, n) = self.weight * value, self.shape
        sums, of_column = np.bincount(self.row, weighted, m), np.bincount(self.column, weighted, n)
        shared = self.weight * (sums * self._per_row)[self.row]
        column = self._inverse @ (of_column - np.bincount(self.column, shared, n))
        taken = np.bincount(self.row, self.weight * column[self.column], m)
        return (sums - taken) * self._per_row, column


TOLERANCE: Final = 1e-4  # Gap at the end, relative to the objective of the effects alone
MAX_STEPS: Final = 2000
BLOCK: Final = 1 << 20  # Cells of a table that are made at once where only the seen ones are kept


@dataclass(frozen=True, eq=False)
class Completed:
    tau: float  # weight of the nuclear norm
    effects: Effects  # of rows and columns
    table: LowRank  # Z, or its transpose where the table has more columns than rows
    turned: bool  # whether it is the transpose
    objective: float  # value at the end
    gap: float  # the objective is at most so far above its minimum
    steps: int  # how many it took

    @property
    def rank(self) -> int:
        return self.table.rank

    def fill(self) -> Array:
        sides = self.table.left, self.table.right
        left, right = sides[::-1] if self.turned else sides
        filled = self.effects.table()
        step = max(BLOCK // filled.shape[1], 1)
        for start in range(0, len(filled), step):  # the product as a whole would be another table
            filled[start : start + step] += left[start : start + step] @ right.T
        return filled

    def look_up(self, row: Integers, column: Integers) -> Array:
        long, short = (column, row) if self.turned else (row, column)
        low_rank = np.empty(len(row))
        step = max(BLOCK // max(self.rank, 1), 1)
        for start in range(0, len(row), step):
            part = slice(start, start + step)
            sides = self.table.left[long[part]], self.table.right[short[part]]
            low_rank[part] = np.einsum("ij,ij->i", *sides)
        return self.effects.at(row, column) + low_rank


@dataclass(frozen=True, eq=False)
class _Point:
    table: LowRank
    at: Array  # (c,) the table at the cells
    left: Array  # (c,) values less Z and the best effects
    objective: float  # the objective there


class SoftImpute:
    def __init__(self, cells: SeenCells, value: Array) -> None:
        """Bring the cells and their (c,) values in the order of memory, the longer side as rows."""
        self._turned = cells.shape[0] < cells.shape[1]
        tall = cells.turned() if self._turned else cells
        place = tall.row * tall.shape[1] + tall.column
        order = np.argsort(place)
        self._place, self._cells, self._value = place[order], tall.take(order), value[order]
        self._buffer = np.zeros(tall.shape)
        self._buffered: LowRank | None = None  # whose table is in the buffer, mostly the last one's
        self._max_weight = float(cells.weight.max())
        left = self._cells.leave(self._value)
        objective = 0.5 * float(self._cells.weight @ left**2)
        left_side, right_side = (np.zeros((size, 0)) for size in tall.shape)
        nothing = LowRank(left_side, right_side, np.zeros(0))
        self._start = _Point(nothing, np.zeros(len(value)), left, objective)

    def largest_tau(self) -> float:
        return self._norm(self._cells.weight * self._start.left)

    def effects(self) -> Effects:
        return self._effects(self._start)

    def path(
        self, taus: Sequence[float], tolerance: float = TOLERANCE, start: LowRank | None = None
    ) -> Iterator[Completed]:
        point = self._start if start is None else self._look(start)
        max_gap = tolerance * self._start.objective
        for tau in taus:
            point, gap, steps = self._solve(self._price(point, tau), tau, max_gap)
            parts = self._effects(point), point.table, self._turned
            yield Completed(tau, *parts, point.objective, gap, steps)

    def _solve(self, start: _Point, tau: float, max_gap: float) -> tuple[_Point, float, int]:
        before = here = start
        momentum, fall, check, gap = 1.0, inf, 0, inf
        for step in range(MAX_STEPS):
            if step >= check and fall <= max_gap:  # a gap costs nearly as much as a step
                gap = self._gap(here, tau)
                if gap <= max_gap:
                    return here, gap, step
                check = step + max(2, step // 4)
            following = 0.5 + sqrt(0.25 + momentum**2)
            push = (momentum - 1) / following
            slope = self._cells.weight * (here.left + push * (here.left - before.left))
            if self._buffered is not here.table:
                np.matmul(here.table.left, here.table.right.T, out=self._buffer)
            self._buffered = None
            if push:  # the buffer goes on from `before`
                left, right = before.table.left, before.table.right.T
                size = max(BLOCK // self._buffer.shape[1], 1)
                for low in range(0, len(self._buffer), size):  # the whole would be another table
                    part = self._buffer[low : low + size]
                    part *= 1 + push
                    part -= (push * left[low : low + size]) @ right
            self._buffer.reshape(-1)[self._place] += slope / self._max_weight
            table = shrink(self._buffer, tau / self._max_weight)
            there = self._price(self._look(table), tau)
            if there.objective > here.objective and push:
                momentum, before = 1.0, here
                continue
            fall = here.objective - there.objective
            before, here, momentum = here, there, following
        raise NotConverged(
            f"the completion did not converge in {MAX_STEPS:,} steps: gap {gap:.3g}, aim"
            f" {max_gap:.3g}"
        )

    def _look(self, table: LowRank) -> _Point:
        """Return a table with what it leaves at the seen cells, without the objective."""
        np.matmul(table.left, table.right.T, out=self._buffer)
        self._buffered = table
        at = self._buffer.reshape(-1)[self._place]
        return _Point(table, at, self._cells.leave(self._value - at), inf)

    def _price(self, point: _Point, tau: float) -> _Point:
        fit = 0.5 * float(self._cells.weight @ point.left**2)
        return replace(point, objective=fit + tau * point.table.norm)

    def _gap(self, point: _Point, tau: float) -> float:
        slope = self._cells.weight * point.left
        scale = min(1.0, tau / max(self._norm(slope), np.finfo(float).tiny))
        fit = 0.5 * float(slope @ point.left)
        return tau * point.table.norm - scale * float(slope @ point.at) + fit * (1 - scale) ** 2

    def _norm(self, slope: Array) -> float:
        """Return the largest singular value of a table that is 0 but for the seen cells."""
        self._buffered = None
        self._buffer.fill(0.0)
        self._buffer.reshape(-1)[self._place] = slope
        if is_long(self._buffer):
            squares = np.linalg.eigvalsh(self._buffer.T @ self._buffer)
            return float(np.sqrt(max(squares[-1], 0.0)))
        return float(np.linalg.svd(self._buffer, compute_uv=False)[0])

    def _effects(self, point: _Point) -> Effects:
        effects = self._cells.effects(self._value - point.at)
        return effects.turned() if self._turned else effects
