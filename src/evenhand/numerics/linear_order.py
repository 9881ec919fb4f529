"""The linear ordering problem: which order of n nodes contradicts least, and how many do?

    cost(order) = Σ over pairs, j placed before i, of w_ij      (a minimum feedback arc set)

Only the net weights d_ij = max(0, w_ij − w_ji) matter; the rest is the same for all orders. Nodes
are first parted into blocks that every best order keeps together: where every pair of two blocks
has a net weight, and all in one direction, contradicting it can only cost. Each block is solved by
dynamic programming under a lower bound (`order_subsets`, `order_bound`); a block that is too large
or too even for that gets the order of a local search, and its gap to the bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, product
from math import ceil, prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.graph import Graph, strong_components
from evenhand.numerics.order_bound import bound_orders, no_bound
from evenhand.numerics.order_search import cost_of, search_order
from evenhand.numerics.order_subsets import LARGEST, find_lattice

Array = NDArray[np.float64]
Integers = NDArray[np.intp]

_PLAIN: Final = 14
"""Most nodes whose subsets are all looked at: quicker than to load a linear programme."""
_PATIENCE: Final = 5
"""How much longer the local search may take where its order is the answer."""
_PIECE: Final = 50
"""Nodes of each piece of a large block that is bounded by itself."""
_MANY: Final = 250
"""Nodes from which pieces are half as large: a linear programme of 50 may take seconds."""


@dataclass(frozen=True, eq=False)
class BestOrders:
    """Orders of least cost, or the best that were found.

    Attributes:
        cost: weight that the orders contradict.
        bound: no order contradicts less; equal to `cost` where the orders are known to be best.
        orders: some of them, the most preferred first; all if there are no more than asked for.
        count: how many there are, None where the best is not proven.
        first: (n,) first place, from 0, of each node in any of them, None where not proven.
        last: (n,) last place.

    """

    cost: float
    bound: float
    orders: tuple[tuple[int, ...], ...]
    count: int | None
    first: Integers | None
    last: Integers | None


def find_best_orders(
    weights: Array, prefer: Array, *, limit: int = 100, seed: int = 0
) -> BestOrders:
    """Find the orders that contradict the least weight.

    Args:
        weights: (n, n) what it costs to place the column before the row, not negative.
        prefer: (n,) of nodes that may come next, the larger comes first, then the lower number.
        limit: most orders to list.
        seed: of the local search; proven results do not depend on it.

    >>> ring = np.array([[0.0, 5, 1], [2, 0, 5], [3, 2, 0]])
    >>> found = find_best_orders(ring, np.zeros(3))
    >>> found.cost, found.count, found.orders
    (7.0, 1, ((0, 1, 2),))
    """
    net = weights - weights.T
    whole = bool((weights % 1 == 0).all())
    within = 0.25 if whole else 1e-9 * float(np.abs(net).sum())
    net = np.where(net > (0.0 if whole else within), net, 0.0)
    constant = float(np.triu(np.minimum(weights, weights.T), 1).sum())
    blocks = _blocks(net)
    solved = [_solve(net[np.ix_(b, b)], prefer[b], limit, (within, seed)) for b in blocks]
    bounds = [ceil(one.bound - 1e-6) if whole else one.bound for one in solved]
    return BestOrders(
        cost=constant + sum(one.cost for one in solved),
        bound=constant + sum(bounds),
        orders=tuple(_join(blocks, solved, limit)),
        count=_multiply([one.count for one in solved]),
        first=_places(blocks, [one.first for one in solved]),
        last=_places(blocks, [one.last for one in solved]),
    )


def _blocks(net: Array) -> list[Integers]:
    """Part nodes into blocks, first to last: an even pair may stand either way."""
    n = len(net)
    source, target = np.nonzero((net > 0) | ((net == 0) & (net.T == 0) & ~np.eye(n, dtype=bool)))
    label = strong_components(Graph(n, source, target))
    return [np.flatnonzero(label == i) for i in range(int(label.max(initial=-1)) + 1)]


def _solve(net: Array, prefer: Array, limit: int, care: tuple[float, int]) -> BestOrders:
    """Solve one block: exactly if the sets are few enough, else by search."""
    n, (within, seed) = len(net), care
    order = np.argsort(-(net - net.T).sum(axis=1), kind="stable")
    bounds = [no_bound(n)]
    if n > _PLAIN:
        order = search_order(net, order, seed=seed)
        pieces = [np.arange(n)] if n <= LARGEST else _cut(order)
        bounds = [bound_orders(net[np.ix_(piece, piece)]) for piece in pieces]
    cost = cost_of(net, order)
    found = find_lattice(net, cost, bounds[0], within) if n <= LARGEST else None
    if found is None:
        if n <= LARGEST:
            order = search_order(net, order, seed=seed + 1, patience=_PATIENCE)
            cost = cost_of(net, order)
        least = min(sum(bound.value for bound in bounds), cost)
        return BestOrders(cost, least, (tuple(order.tolist()),), None, None, None)
    orders = tuple(islice(found.walk(prefer), limit))
    return BestOrders(found.cost, found.cost, orders, found.count, found.first, found.last)


def _cut(order: Integers) -> list[Integers]:
    """Cut an order into pieces whose bounds add up: they share no pair."""
    n = len(order)
    return np.array_split(order, ceil(n / (_PIECE if n <= _MANY else _PIECE / 2)))


def _join(
    blocks: Sequence[Integers], solved: Sequence[BestOrders], limit: int
) -> Iterator[tuple[int, ...]]:
    """Put the orders of the blocks behind each other in all ways."""
    named = [
        [tuple(block[list(order)].tolist()) for order in one.orders]
        for block, one in zip(blocks, solved, strict=True)
    ]
    return (tuple(chain.from_iterable(parts)) for parts in islice(product(*named), limit))


def _multiply(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return prod(known) if len(known) == len(counts) else None


def _places(blocks: Sequence[Integers], within: Sequence[Integers | None]) -> Integers | None:
    """Return places among all nodes from those within each block."""
    found = np.zeros(sum(map(len, blocks)), dtype=np.intp)
    before = 0
    for block, places in zip(blocks, within, strict=True):
        if places is None:
            return None
        found[block] = places + before
        before += len(block)
    return found
