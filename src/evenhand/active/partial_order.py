"""What is known of every pair while a sort is under way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, suggest

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class PartialOrder:
    """Who is known to be better than whom, or to tie.

    Attributes:
        systems: the K systems.
        better: (K, K) whether the row is known to be better than the column.
        tied: (K, K) whether the two are known to tie; every system ties with itself.

    """

    systems: tuple[str, ...]
    better: Mask
    tied: Mask

    @property
    def known(self) -> int:
        """How many of the K(K − 1)/2 pairs are known."""
        k = len(self.systems)
        return int(self.better.sum() + (self.tied.sum() - k) // 2)

    def says(self, one: str, other: str) -> str:
        """Return "better", "worse", "tie" or "unknown".

        Raises:
            InvalidJudgments: a system that was not sorted.

        """
        i, j = self._code(one), self._code(other)
        if self.tied[i, j]:
            return "tie"
        if self.better[i, j]:
            return "better"
        return "worse" if self.better[j, i] else "unknown"

    def count_against(self, order: Sequence[Sequence[int]]) -> int:
        """Return of how many pairs an order says something else than what is known."""
        place = {code: i for i, same in enumerate(order) for code in same}
        against = 0
        for one, other in combinations(place, 2):
            first, second = (one, other) if place[one] <= place[other] else (other, one)
            agrees = self.tied if place[one] == place[other] else self.better
            against += not agrees[first, second]
        return against

    def _code(self, name: str) -> int:
        if name not in self.systems:
            raise InvalidJudgments(f"'{name}' was not sorted.{suggest(name, self.systems)}")
        return self.systems.index(name)


def close_order(
    systems: tuple[str, ...],
    better: Sequence[tuple[int, int]],
    tied: Sequence[tuple[int, int]],
) -> PartialOrder:
    """Draw every conclusion: what is better than a better one is better, and ties are equal.

    Args:
        systems: the K systems.
        better: codes of a better one and a worse one.
        tied: codes of two that tie.

    >>> order = close_order(("a", "b", "c", "d"), [(0, 1)], [(1, 2)])
    >>> order.says("a", "c"), order.says("c", "b"), order.says("a", "d"), order.known
    ('better', 'tie', 'unknown', 3)
    """
    k = len(systems)
    equal = np.eye(k, dtype=np.bool_)
    for one, other in tied:
        equal[one, other] = equal[other, one] = True
    above = np.zeros((k, k), dtype=np.bool_)
    for one, other in better:
        above[one, other] = True
    equal = _close(equal)
    above = _close(equal @ above @ equal)
    return PartialOrder(systems, above, equal)


def _close(relation: Mask) -> Mask:
    """Return the transitive closure (Warshall 1962)."""
    closed = relation.copy()
    for middle in range(len(closed)):
        closed |= closed[:, middle, None] & closed[None, middle]
    return closed
