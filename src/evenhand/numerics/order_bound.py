"""How cheap can an order be at best? A lower bound by linear programming, for every subset too.

Let d_ij be what it costs to place j before i. Of every cycle i → j → k → i at least one arc is
contradicted, and of i before j and j before i exactly one holds:

    min Σ d_ij v_ij   with  v_ij + v_jk + v_ki ≥ 1,  v_ij + v_ji = 1,  v ≥ 0
    max Σ_t y_t + Σ_{i<j} u_ij   with  y ≥ 0,  u_ij = min(d_ij − Y_ij, d_ji − Y_ji),

where Y_ij sums y over the cycles through the arc i → j. Any y ≥ 0 gives a bound, so that rounding
in the solver cannot make it wrong. Leaving out all cycles and pairs that are not within a subset
keeps it a bound for that subset. Source: the 3-dicycle inequalities of Grötschel, Jünger & Reinelt
(1984), "A cutting plane algorithm for the linear ordering problem", Operations Research 32.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Array = NDArray[np.float64]
Integers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class OrderBound:
    """A lower bound of what an order contradicts.

    Attributes:
        cycles: (T, 3) nodes of each cycle that counts.
        price: (T,) y of each.
        pair: (n, n) u, symmetric, of each pair.

    """

    cycles: Integers
    price: Array
    pair: Array

    @property
    def value(self) -> float:
        """The bound for all nodes."""
        return float(self.price.sum() + np.triu(self.pair, 1).sum())


def no_bound(n: int) -> OrderBound:
    """Return the bound that says nothing: no order costs less than zero."""
    return OrderBound(np.zeros((0, 3), dtype=np.intp), np.zeros(0), np.zeros((n, n)))


def bound_orders(net: Array) -> OrderBound:
    """Bound the cost of all orders from below.

    Args:
        net: (n, n) what it costs to place the column before the row, not negative.

    >>> round(bound_orders(np.array([[0.0, 2, 0], [0, 0, 3], [1, 0, 0]])).value, 9)
    1.0
    """
    programme = _Programme(net)
    inside = np.zeros(len(programme.cycles), dtype=np.bool_)
    while True:
        solved, rows = programme.solve(inside)
        short = programme.shortfall(solved.x) > 1e-7
        new = short & ~inside
        if not new.any():
            break
        inside |= new
    price = np.zeros(len(programme.cycles))
    if rows.size:
        price[rows] = np.maximum(-np.asarray(solved.ineqlin.marginals), 0.0)
    used = np.flatnonzero(price > 1e-12)
    cycles, price = programme.cycles[used], price[used]
    through = np.zeros_like(net)
    for a in range(3):
        np.add.at(through, (cycles[:, a], cycles[:, (a + 1) % 3]), price)
    return OrderBound(cycles, price, np.minimum(net - through, (net - through).T))


class _Programme:
    """The linear programme with x_ij, i < j, for "j stands before i"."""

    def __init__(self, net: Array) -> None:
        n = len(net)
        upper = np.triu_indices(n, 1)
        self.costs = (net - net.T)[upper]
        column = np.zeros((n, n), dtype=np.intp)
        column[upper] = np.arange(len(self.costs))
        column += column.T
        i, j, k = (axis.ravel() for axis in np.indices((n, n, n)))
        once = (i < j) & (i < k) & (j != k)
        self.cycles = np.stack([i[once], j[once], k[once]], axis=1)
        ends = np.roll(self.cycles, -1, axis=1)
        self.columns = column[self.cycles, ends]
        self.signs = np.where(self.cycles < ends, 1.0, -1.0)
        self.needed = 1.0 - (self.signs < 0).sum(axis=1)

    def shortfall(self, x: Array) -> Array:
        """Return by how much each cycle is contradicted too little."""
        return np.asarray(self.needed - (self.signs * x[self.columns]).sum(axis=1))

    def solve(self, inside: NDArray[np.bool_]) -> tuple[Any, Integers]:
        """Solve with some of the cycles; return scipy's result and which cycles they were."""
        from scipy.optimize import linprog

        rows = np.flatnonzero(inside)
        if not rows.size:
            return linprog(self.costs, bounds=(0, 1), method="highs"), rows
        left, right = self._matrix(rows), -self.needed[rows]
        return linprog(self.costs, left, right, bounds=(0, 1), method="highs"), rows

    def _matrix(self, rows: Integers) -> csr_matrix:
        from scipy.sparse import csr_matrix

        at = np.repeat(np.arange(len(rows)), 3), self.columns[rows].ravel()
        shape = len(rows), len(self.costs)
        return csr_matrix((-self.signs[rows].ravel(), at), shape=shape)
