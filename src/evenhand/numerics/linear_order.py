"""The linear ordering problem: which order of n nodes contradicts least, and how many do?

    cost(order) = Σ over pairs, j placed before i, of w_ij      (a minimum feedback arc set)

Only the net weights d_ij = max(0, w_ij − w_ji) matter; the rest is the same for all orders. Nodes
are first parted into blocks that every best order keeps together: where every pair of two blocks
has a net weight, and all in one direction, contradicting it can only cost. Each block is solved by
dynamic programming under a lower bound (`find_lattice`, `bound_orders`); a block that is too large
or too even for that gets the order of a local search, and its gap to the bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, product
from math import ceil, prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics import Array, Flags
from evenhand.numerics.graph import Graph, Integers, strong_components

# A lower bound by linear programming (Grötschel, Jünger & Reinelt 1984, Operations Research 32: the
# 3-dicycle inequalities). Let d_ij be what it costs to place j before i. Of every cycle i → j → k →
# i at least one arc is contradicted, and of i before j and j before i exactly one holds:
#
# min Σ d_ij v_ij   with  v_ij + v_jk + v_ki ≥ 1,  v_ij + v_ji = 1,  v ≥ 0
# max Σ_t y_t + Σ_{i<j} u_ij   with  y ≥ 0,  u_ij = min(d_ij − Y_ij, d_ji − Y_ji),
#
# where Y_ij sums y over the cycles through the arc i → j. Any y ≥ 0 gives a bound, so that rounding
# in the solver cannot make it wrong. Leaving out all cycles and pairs that are not within a subset
# keeps it a bound for that subset.


@dataclass(frozen=True, eq=False)
class OrderBound:
    cycles: Integers  # (T, 3) nodes of each cycle that counts
    price: Array  # (T,) y of each
    pair: Array  # (n, n) u, symmetric, of each pair

    @property
    def value(self) -> float:
        return float(self.price.sum() + np.triu(self.pair, 1).sum())


def bound_orders(net: Array) -> OrderBound:
    """Bound the cost of all orders from below; net: (n, n) that of the column before the row."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix

    # The programme has x_ij, i < j, for "j stands before i", costs·x within 0 and 1; cycles come in
    # as they are broken: three signed x of each sum up to what it needs.
    n = len(net)
    upper = np.triu_indices(n, 1)
    costs = (net - net.T)[upper]
    column = np.zeros((n, n), dtype=np.intp)
    column[upper] = np.arange(len(costs))
    column += column.T
    i, j, k = (axis.ravel() for axis in np.indices((n, n, n)))
    once = (i < j) & (i < k) & (j != k)
    cycles = np.stack([i[once], j[once], k[once]], axis=1)
    ends = np.roll(cycles, -1, axis=1)
    columns, signs = column[cycles, ends], np.where(cycles < ends, 1.0, -1.0)
    needed = 1.0 - (signs < 0).sum(axis=1)
    inside = np.zeros(len(cycles), dtype=np.bool_)
    while True:
        rows, limits = np.flatnonzero(inside), {}
        if len(rows):
            at = np.repeat(np.arange(len(rows)), 3), columns[rows].ravel()
            left = csr_matrix((-signs[rows].ravel(), at), shape=(len(rows), len(costs)))
            limits = {"A_ub": left, "b_ub": -needed[rows]}
        solved: Any = linprog(costs, **limits, bounds=(0, 1), method="highs")
        new = (needed - (signs * solved.x[columns]).sum(axis=1) > 1e-7) & ~inside
        if not new.any():
            break
        inside |= new
    price = np.zeros(len(cycles))
    if rows.size:
        price[rows] = np.maximum(-np.asarray(solved.ineqlin.marginals), 0.0)
    used = np.flatnonzero(price > 1e-12)
    cycles, price = cycles[used], price[used]
    through = np.zeros_like(net)
    for a in range(3):
        np.add.at(through, (cycles[:, a], cycles[:, (a + 1) % 3]), price)
    return OrderBound(cycles, price, np.minimum(net - through, (net - through).T))


# A good order by local search is an upper bound of the cost, and the answer itself where no exact
# search fits.

DISTURBANCES: Final = 200  # Of the best order, for up to MAX_NODES_DISTURBED_OFTEN nodes
DISTURBANCES_OF_MANY: Final = 20
MAX_NODES_DISTURBED_OFTEN: Final = 60
NODES_MOVED: Final = 4  # By a disturbance


def cost_of(net: Array, order: Integers) -> float:
    return float(np.tril(net[np.ix_(order, order)], -1).sum())


def search_order(net: Array, start: Integers, *, seed: int, patience: int = 1) -> Integers:
    rng = np.random.Generator(np.random.PCG64(seed))
    gain = net - net.T
    best = _settle(gain, start)
    least = cost_of(net, best)
    often = len(start) <= MAX_NODES_DISTURBED_OFTEN
    for _ in range(patience * (DISTURBANCES if often else DISTURBANCES_OF_MANY)):
        order = best
        for _ in range(NODES_MOVED):
            taken, put = rng.integers(len(order), size=2)
            order = np.insert(np.delete(order, taken), put, order[taken])
        order = _settle(gain, order)
        cost = cost_of(net, order)
        if cost <= least:
            best, least = order, cost
    return best


def _settle(gain: Array, order: Integers) -> Integers:
    least = 1e-12 * float(np.abs(gain).max(initial=0.0))
    moved = True
    while moved:
        moved = False
        for node in order.tolist():
            here = int(np.flatnonzero(order == node)[0])
            rest = np.delete(order, here)
            costs = np.concatenate(([0.0], np.cumsum(gain[node, rest])))
            best = int(np.argmin(costs))
            if costs[best] < costs[here] - least:
                order, moved = np.insert(rest, best, node), True
    return order


# All best orders by dynamic programming over sets of nodes (Lawler 1964, IEEE Transactions on
# Circuit Theory 11), kept small by a lower bound:
#
# cost(S + v) = min over v of cost(S) + Σ_{u not in S} d_uv,     d_uv: v stands before u
#
# S holds the nodes placed so far, as the bits of a number. A set is dropped if its cost and the
# bound of the rest exceed the cost of an order that is known; no best order passes through such a
# set, so that the number of best orders is exact.

Sets = NDArray[np.uint64]

MAX_NODES_EXACT: Final = 60  # A set is the bits of one number
MAX_SETS: Final = 300_000  # Of one size that are held; all sets of twenty nodes fit
MAX_STEPS: Final = 2_400_000
MAX_NODES_COUNTED: Final = 20  # 20! fits in 64 bits, the number of orders of more nodes need not
CHUNK: Final = 4_000_000  # Numbers that are worked on at once
BIT: Final = np.uint64(1)


@dataclass(frozen=True, eq=False)
class Level:
    sets: Sets  # (m,) ascending
    cost: Array  # (m,) least cost of placing each first
    count: NDArray[Any]  # (m,) in how many orders of its nodes, as whole numbers of any size

    def find(self, wanted: Sets) -> tuple[Integers, Flags]:
        at = np.minimum(np.searchsorted(self.sets, wanted), len(self.sets) - 1)
        return at, self.sets[at] == wanted


@dataclass(frozen=True, eq=False)
class Lattice:
    net: Array  # (n, n) what it costs to place the column before the row
    levels: tuple[Level, ...]  # n + 1 levels, of 0 to n nodes
    first: Integers  # (n,) first place, from 0, that each node takes in any best order
    last: Integers  # (n,) last place
    within: float  # costs that differ by less are equal

    @property
    def cost(self) -> float:
        return float(self.levels[-1].cost[0])

    @property
    def count(self) -> int:
        return int(self.levels[-1].count[0])

    def walk(self, prefer: Array) -> Iterator[tuple[int, ...]]:
        return self._walk((), 0, np.lexsort((np.arange(len(prefer)), -prefer)))

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
        at, there = above.find(level.sets[here] | (BIT << free.astype(np.uint64)))
        best = there & (np.abs(level.cost[here] + steps - above.cost[at]) <= self.within)
        for v, then in zip(free[best].tolist(), at[best].tolist(), strict=True):
            yield from self._walk((*placed, v), then, ranked)


def find_lattice(net: Array, upper: float, bound: OrderBound, within: float) -> Lattice | None:
    """Find all orders of least cost, equal within a margin; None if the sets are too many."""
    n = len(net)
    one_order: NDArray[Any] = np.array([1], dtype=np.int64 if n <= MAX_NODES_COUNTED else object)
    level = Level(np.zeros(1, dtype=np.uint64), np.zeros(1), one_order)
    levels, least = [level], np.array([bound.value])
    node, t = np.arange(n, dtype=np.uint64), len(bound.cycles)
    cycle = np.bitwise_or.reduce(BIT << bound.cycles.astype(np.uint64), axis=1)
    share = np.zeros((t, n))
    for a in range(3):
        share[np.arange(t), bound.cycles[:, a]] = bound.price
    size = max(1, CHUNK // (n + t))
    for _ in range(n):
        # steps that place one more node, whose cost and bound of the rest are not above `upper`:
        # from which set, to which, at what cost, and that bound
        parts, taken = [], 0
        for low in range(0, len(level.sets), size):
            some, spent = level.sets[low : low + size], level.cost[low : low + size]
            placed = ((some[:, None] >> node) & BIT).astype(float)
            added = spent[:, None] + net.sum(axis=0) - placed @ net
            whole = ((some[:, None] & cycle) == 0).astype(float)
            left = least[low : low + size, None] - whole @ share - (1 - placed) @ bound.pair
            s, v = np.nonzero((placed == 0) & (added + left <= upper + within))
            parts.append((s + low, some[s] | (BIT << node[v]), added[s, v], left[s, v]))
            taken += len(s)
            if taken > MAX_STEPS:
                return None
        steps: list[Any] = [np.concatenate(each) for each in zip(*parts, strict=True)]
        order = np.argsort(steps[1], kind="stable")
        source, sets, cost, rest = (each[order] for each in steps)
        starts = np.flatnonzero(np.concatenate(([True], sets[1:] != sets[:-1])))
        cheapest = np.minimum.reduceat(cost, starts)
        best = cost <= np.repeat(cheapest, np.diff(np.append(starts, len(sets)))) + within
        counts = np.where(best, level.count[source], 0)
        level, least = Level(sets[starts], cheapest, np.add.reduceat(counts, starts)), rest[starts]
        if len(level.sets) > MAX_SETS:
            return None
        levels.append(level)
    first, last = np.full(n, n), np.full(n, -1)
    pruned = [levels[-1]]
    for place in range(n - 1, -1, -1):
        above, level = pruned[-1], levels[place]
        held = ((above.sets[:, None] >> node) & BIT).astype(float)
        s, v = np.nonzero(held)
        at, there = level.find(above.sets[s] ^ (BIT << node[v]))
        step = (net.sum(axis=0) - held @ net)[s, v]
        best = there & (np.abs(level.cost[at] + step - above.cost[s]) <= within)
        first[v[best]], last[v[best]] = place, np.maximum(last[v[best]], place)
        rows = np.unique(at[best])
        pruned.append(Level(level.sets[rows], level.cost[rows], level.count[rows]))
    return Lattice(net, tuple(reversed(pruned)), first, last, within)


# Most nodes whose subsets are all looked at: quicker than to load a linear programme
MAX_NODES_UNBOUNDED: Final = 14
PATIENCE: Final = 5  # How much longer the local search may take where its order is the answer
PIECE: Final = 50  # Nodes of each piece of a large block that is bounded by itself
# Nodes from which pieces are half as large: a linear programme of 50 may take seconds
MAX_NODES_IN_FULL_PIECES: Final = 250


@dataclass(frozen=True, eq=False)
class BestOrders:
    cost: float  # weight that the orders contradict
    bound: float  # no order contradicts less; equal to `cost` where the orders are known to be best
    orders: tuple[tuple[int, ...], ...]  # some of them, the most preferred first, or all
    count: int | None  # how many there are, None where the best is not proven
    first: Integers | None  # (n,) first place of each node in any of them, None if not proven
    last: Integers | None  # (n,) last place


def find_best_orders(
    weights: Array, prefer: Array, *, limit: int = 100, seed: int = 0
) -> BestOrders:
    """Find the orders that contradict the least weight.

    weights: (n, n) what it costs to place the column before the row, not negative.
    prefer: (n,) of nodes that may come next, the larger comes first, then the lower number.
    """
    net = weights - weights.T
    whole = bool((weights % 1 == 0).all())
    within = 0.25 if whole else 1e-9 * float(np.abs(net).sum())
    net = np.where(net > (0.0 if whole else within), net, 0.0)
    constant = float(np.triu(np.minimum(weights, weights.T), 1).sum())
    # nodes are parted into blocks, first to last: an even pair may stand either way
    n = len(net)
    source, target = np.nonzero((net > 0) | ((net == 0) & (net.T == 0) & ~np.eye(n, dtype=bool)))
    label = strong_components(Graph(n, source, target))
    blocks = [np.flatnonzero(label == i) for i in range(int(label.max(initial=-1)) + 1)]
    solved = [_solve(net[np.ix_(b, b)], prefer[b], limit, within, seed) for b in blocks]
    pairs = zip(blocks, solved, strict=True)
    orders = [[tuple(b[list(o)].tolist()) for o in part.orders] for b, part in pairs]
    counts = [part.count for part in solved if part.count is not None]
    return BestOrders(
        cost=constant + sum(part.cost for part in solved),
        bound=constant + sum(ceil(part.bound - 1e-6) if whole else part.bound for part in solved),
        orders=tuple(tuple(chain(*parts)) for parts in islice(product(*orders), limit)),
        count=prod(counts) if len(counts) == len(solved) else None,
        first=_number_places(blocks, [part.first for part in solved]),
        last=_number_places(blocks, [part.last for part in solved]),
    )


def _solve(net: Array, prefer: Array, limit: int, within: float, seed: int) -> BestOrders:
    n = len(net)
    order = np.argsort(-(net - net.T).sum(axis=1), kind="stable")
    bounds = [OrderBound(np.zeros((0, 3), dtype=np.intp), np.zeros(0), np.zeros((n, n)))]
    if n > MAX_NODES_UNBOUNDED:
        order = search_order(net, order, seed=seed)
        pieces = [np.arange(n)]
        if n > MAX_NODES_EXACT:  # bounds of pieces add up: they share no pair
            size = PIECE if n <= MAX_NODES_IN_FULL_PIECES else PIECE / 2
            pieces = np.array_split(order, ceil(n / size))
        bounds = [bound_orders(net[np.ix_(piece, piece)]) for piece in pieces]
    cost = cost_of(net, order)
    lattice = find_lattice(net, cost, bounds[0], within) if n <= MAX_NODES_EXACT else None
    if lattice is None:
        if n <= MAX_NODES_EXACT:
            order = search_order(net, order, seed=seed + 1, patience=PATIENCE)
            cost = cost_of(net, order)
        least = min(sum(bound.value for bound in bounds), cost)
        return BestOrders(cost, least, (tuple(order.tolist()),), None, None, None)
    orders, cost = tuple(islice(lattice.walk(prefer), limit)), lattice.cost
    return BestOrders(cost, cost, orders, lattice.count, lattice.first, lattice.last)


def _number_places(blocks: Sequence[Integers], within: list[Integers | None]) -> Integers | None:
    numbers = np.zeros(sum(map(len, blocks)), dtype=np.intp)
    before = 0
    for block, places in zip(blocks, within, strict=True):
        if places is None:
            return None
        numbers[block] = places + before
        before += len(block)
    return numbers
