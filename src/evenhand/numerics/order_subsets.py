"""All best orders by dynamic programming over sets of nodes, kept small by a lower bound.

    cost(S + v) = min over v of cost(S) + Σ_{u not in S} d_uv,     d_uv: v stands before u

S holds the nodes placed so far, as the bits of a number. A set is dropped if its cost and the bound
of the rest exceed the cost of an order that is known; no best order passes through such a set, so
that the number of best orders is exact. Source: Lawler (1964), "A comment on minimum feedback arc
sets", IEEE Transactions on Circuit Theory 11, for the recursion.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.order_bound import OrderBound

Array = NDArray[np.float64]
Sets = NDArray[np.uint64]
Integers = NDArray[np.intp]

LARGEST: Final = 60
"""Most nodes: a set is the bits of one number."""
_MOST_SETS: Final = 300_000
"""Most sets of one size that are held; all sets of twenty nodes fit."""
_MOST_STEPS: Final = 2_400_000
_SMALL: Final = 20  # 20! fits in 64 bits, the number of orders of more nodes need not
_CHUNK: Final = 4_000_000
_ONE: Final = np.uint64(1)


@dataclass(frozen=True, eq=False)
class Level:
    """Sets of one size that a best order may pass through.

    Attributes:
        sets: (m,) ascending.
        cost: (m,) least cost of placing each first.
        count: (m,) in how many orders of its nodes, as whole numbers of any size.

    """

    sets: Sets
    cost: Array
    count: NDArray[Any]

    def find(self, wanted: Sets) -> tuple[Integers, NDArray[np.bool_]]:
        """Return where sets stand, and whether they are there."""
        at = np.minimum(np.searchsorted(self.sets, wanted), len(self.sets) - 1)
        return at, self.sets[at] == wanted

    def keep(self, rows: Integers) -> Level:
        """Return some of the sets."""
        return Level(self.sets[rows], self.cost[rows], self.count[rows])


@dataclass(frozen=True, eq=False)
class Lattice:
    """The sets that best orders pass through.

    Attributes:
        net: (n, n) what it costs to place the column before the row.
        levels: n + 1 levels, of 0 to n nodes.
        first: (n,) first place, from 0, that each node takes in any best order.
        last: (n,) last place.
        within: costs that differ by less are equal.

    """

    net: Array
    levels: tuple[Level, ...]
    first: Integers
    last: Integers
    within: float

    @property
    def cost(self) -> float:
        """Cost of the best orders."""
        return float(self.levels[-1].cost[0])

    @property
    def count(self) -> int:
        """Number of best orders."""
        return int(self.levels[-1].count[0])

    def walk(self, prefer: Array) -> Iterator[tuple[int, ...]]:
        """Yield the best orders; of nodes that may come next, those preferred most first."""
        ranked = np.lexsort((np.arange(len(prefer)), -prefer))
        return self._walk((), 0, ranked)

    def _walk(
        self, placed: tuple[int, ...], here: int, ranked: Integers
    ) -> Iterator[tuple[int, ...]]:
        k, n = len(placed), len(self.net)
        if k == n:
            yield placed
            return
        free = np.array([v for v in ranked.tolist() if v not in placed], dtype=np.intp)
        level, above = self.levels[k], self.levels[k + 1]
        steps = self.net[np.ix_(free, free)].sum(axis=0)
        at, there = above.find(level.sets[here] | (_ONE << free.astype(np.uint64)))
        best = there & (np.abs(level.cost[here] + steps - above.cost[at]) <= self.within)
        for v, then in zip(free[best].tolist(), at[best].tolist(), strict=True):
            yield from self._walk((*placed, v), then, ranked)


def find_lattice(net: Array, upper: float, bound: OrderBound, within: float) -> Lattice | None:
    """Find all orders of least cost; None if the sets to look at are too many.

    Args:
        net: (n, n) what it costs to place the column before the row, not negative; n ≤ LARGEST.
        upper: cost of some order.
        bound: of the cost of all orders.
        within: costs that differ by less are equal.

    >>> from evenhand.numerics.order_bound import no_bound
    >>> ring = np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]])
    >>> found = find_lattice(ring, 2.0, no_bound(3), 1e-9)
    >>> found.cost, found.count, list(found.walk(np.zeros(3)))
    (1.0, 3, [(0, 1, 2), (1, 2, 0), (2, 0, 1)])
    """
    n = len(net)
    one: NDArray[Any] = np.array([1], dtype=np.int64 if n <= _SMALL else object)
    level = Level(np.zeros(1, dtype=np.uint64), np.zeros(1), one)
    levels, least = [level], np.array([bound.value])
    for _ in range(n):
        steps = _steps(net, level, least, bound, upper + within)
        if steps is None:
            return None
        level, least = _merge(level, steps, within)
        if len(level.sets) > _MOST_SETS:
            return None
        levels.append(level)
    return _prune(net, levels, within)


@dataclass(frozen=True, eq=False)
class _Steps:
    """Ways to place one more node: from which set, which node, at what cost, what it leaves."""

    source: Integers
    sets: Sets
    cost: Array
    rest: Array


def _steps(net: Array, level: Level, least: Array, bound: OrderBound, most: float) -> _Steps | None:
    """List the steps that keep cost and bound of the rest within `most`; None if too many."""
    n = len(net)
    node = np.arange(n, dtype=np.uint64)
    cycle = np.bitwise_or.reduce(_ONE << bound.cycles.astype(np.uint64), axis=1)
    share = np.zeros((len(cycle), n))
    for a in range(3):
        share[np.arange(len(cycle)), bound.cycles[:, a]] = bound.price
    parts, taken = [], 0
    for low in range(0, len(level.sets), size := max(1, _CHUNK // (n + len(cycle)))):
        sets, cost = level.sets[low : low + size], level.cost[low : low + size]
        placed = ((sets[:, None] >> node) & _ONE).astype(float)
        added = cost[:, None] + net.sum(axis=0) - placed @ net
        whole = ((sets[:, None] & cycle) == 0).astype(float)
        rest = least[low : low + size, None] - whole @ share - (1 - placed) @ bound.pair
        s, v = np.nonzero((placed == 0) & (added + rest <= most))
        parts.append(_Steps(s + low, sets[s] | (_ONE << node[v]), added[s, v], rest[s, v]))
        taken += len(s)
        if taken > _MOST_STEPS:
            return None
    names = ("source", "sets", "cost", "rest")
    return _Steps(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def _merge(level: Level, steps: _Steps, within: float) -> tuple[Level, Array]:
    """Keep the cheapest steps to each set, and add up their orders."""
    order = np.argsort(steps.sets, kind="stable")
    sets, cost = steps.sets[order], steps.cost[order]
    starts = np.flatnonzero(np.concatenate(([True], sets[1:] != sets[:-1])))
    cheapest = np.minimum.reduceat(cost, starts)
    sizes = np.diff(np.append(starts, len(sets)))
    best = cost <= np.repeat(cheapest, sizes) + within
    counts = np.where(best, level.count[steps.source[order]], 0)
    merged = Level(sets[starts], cheapest, np.add.reduceat(counts, starts))
    return merged, steps.rest[order][starts]


def _prune(net: Array, levels: list[Level], within: float) -> Lattice:
    """Go back from the whole, keeping only sets on some best order."""
    n = len(net)
    node = np.arange(n, dtype=np.uint64)
    first, last = np.full(n, n), np.full(n, -1)
    kept = [levels[-1]]
    for place in range(n - 1, -1, -1):
        above, level = kept[-1], levels[place]
        held = ((above.sets[:, None] >> node) & _ONE).astype(float)
        s, v = np.nonzero(held)
        at, there = level.find(above.sets[s] ^ (_ONE << node[v]))
        step = (net.sum(axis=0) - held @ net)[s, v]
        best = there & (np.abs(level.cost[at] + step - above.cost[s]) <= within)
        first[v[best]], last[v[best]] = place, np.maximum(last[v[best]], place)
        kept.append(level.keep(np.unique(at[best])))
    return Lattice(net, tuple(reversed(kept)), first, last, within)
