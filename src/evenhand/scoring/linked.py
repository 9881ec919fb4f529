"""Who beat whom, and whether comparisons join all systems: no score spans groups that never met."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, listing
from evenhand.judgments.tally import Tally
from evenhand.numerics.graph import Graph, weak_components


def require_linked(tally: Tally) -> None:
    """Refuse systems that no chain of comparisons joins.

    Raises:
        NotIdentified: naming a group that was never compared with the rest.

    """
    n = len(tally.systems)
    seen = tally.counts.sum(axis=1) > 0
    if not seen.any():
        raise NotIdentified(
            f"there is no comparison among {n:,} system{'s' * (n != 1)}: nothing to rank"
        )
    groups, apart = find_apart(tally.systems, tally.left[seen], tally.right[seen])
    if groups > 1:
        raise NotIdentified(
            f"the systems fall into {groups} groups that were never compared: nothing joins"
            f" {listing(apart)} to the rest; collect comparisons to join them, or rank them apart"
        )


def find_apart(
    systems: Sequence[str], left: NDArray[np.integer], right: NDArray[np.integer]
) -> tuple[int, list[str]]:
    """Return into how many groups systems fall that no pair joins, and who is in the smallest.

    Args:
        systems: names of the K systems.
        left: (M,) codes of one side of each pair.
        right: (M,) codes of the other.

    >>> find_apart("abc", np.array([0]), np.array([1]))
    (2, ['c'])
    """
    edges = left.astype(np.intp), right.astype(np.intp)
    part = weak_components(Graph(len(systems), *edges))
    smallest = int(np.argmin(np.bincount(part)))
    return int(part.max()) + 1, [systems[i] for i in np.flatnonzero(part == smallest).tolist()]


def count_wins(tally: Tally) -> NDArray[np.float64]:
    """Return (K, K) how often the row's system was preferred to the column's."""
    k = len(tally.systems)
    won = np.zeros((k, k))
    np.add.at(won, (tally.left, tally.right), tally.wins)
    np.add.at(won, (tally.right, tally.left), tally.losses)
    return won
