"""A good order by local search: systems move to where they contradict least, again and again.

It gives an upper bound for `linear_order`, and the answer itself where no exact search fits.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Order = NDArray[np.intp]

_ROUNDS: Final = 200
"""Disturbances of the best order, for up to _SMALL systems."""
_FEW: Final = 20
_SMALL: Final = 60
_MOVED: Final = 4
"""Systems that a disturbance moves."""


def cost_of(net: Array, order: Order) -> float:
    """Return the weight that an order contradicts.

    >>> cost_of(np.array([[0.0, 3.0], [0.0, 0.0]]), np.array([1, 0]))
    3.0
    """
    return float(np.tril(net[np.ix_(order, order)], -1).sum())


def search_order(net: Array, start: Order, *, seed: int, patience: int = 1) -> Order:
    """Return an order that no move of a single system improves, the best of several.

    Args:
        net: (n, n) what it costs to place the column before the row.
        start: (n,) nodes in the order to begin with.
        seed: of the disturbances.
        patience: how many times the usual number of disturbances.

    """
    n = len(start)
    rng = np.random.Generator(np.random.PCG64(seed))
    gain = net - net.T
    best = _settle(gain, start)
    least = cost_of(net, best)
    for _ in range(patience * (_ROUNDS if n <= _SMALL else _FEW)):
        found = _settle(gain, _disturb(best, rng))
        cost = cost_of(net, found)
        if cost <= least:
            best, least = found, cost
    return best


def _settle(gain: Array, order: Order) -> Order:
    """Move one node after the other to its best place until none can be moved with profit."""
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


def _disturb(order: Order, rng: np.random.Generator) -> Order:
    for _ in range(_MOVED):
        taken, put = rng.integers(len(order), size=2)
        order = np.insert(np.delete(order, taken), put, order[taken])
    return order
