"""How far systems are apart on each item, by judges who scored several of them.

The mean of |difference| of two systems' scores by one judge on one item, so that a judge's severity
is not in it. Noise of single scores is: every item has some, and of many items the extremes are
extremes of noise as well. The mean of an item is therefore drawn towards that of all items, as by
five more differences, like `evenhand.agreement.doubtful`; items are ordered by what is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.rating_rows import RatingRows
from evenhand.numerics.grouping import number_groups, pairs_within

DRAWN: Final = 5
"""Differences that the mean of all items counts for."""
MOST: Final = 2_000_000
"""Most differences that are looked at."""


@dataclass(frozen=True)
class ItemSpread:
    """How far systems are apart on one item.

    Attributes:
        item: its name.
        differences: differences of two systems by one judge that it rests on.
        difference: their mean size (points).
        drawn: the same, drawn towards the mean of all items.
        high: the system with the highest mean score on it.
        low: that with the lowest.

    """

    item: str
    differences: int
    difference: float
    drawn: float
    high: str
    low: str


def count_differences(rows: RatingRows) -> int:
    """Return how many differences there are, without making them."""
    sizes = np.bincount(number_groups(rows.judge, rows.item))
    return int((sizes * (sizes - 1) // 2).sum())


def spread_items(rows: RatingRows) -> list[ItemSpread]:
    """Return the items on which a judge scored two systems, those farthest apart first.

    Args:
        rows: scores of outputs under one criterion; at most MOST differences.

    """
    order = np.lexsort((rows.score, rows.system, rows.judge, rows.item))
    rows = rows.take(order)
    first, second = pairs_within(number_groups(rows.judge, rows.item))
    other = rows.system[first] != rows.system[second]
    first, second = first[other], second[other]
    if not len(first):
        return []
    size = len(rows.items)
    apart = np.abs(rows.score[first] - rows.score[second])
    count = np.bincount(rows.item[first], minlength=size)
    total = np.bincount(rows.item[first], apart, minlength=size)
    drawn = (total + DRAWN * apart.mean()) / (count + DRAWN)
    held = np.flatnonzero(count)
    mean = total[held] / count[held]
    best_first = np.lexsort((held, -drawn[held]))
    ends = _find_ends(rows)
    return [
        ItemSpread(
            rows.items[code],
            int(count[code]),
            float(mean[place]),
            float(drawn[code]),
            *(rows.systems[ends[which, code]] for which in (0, 1)),
        )
        for place, code in zip(best_first.tolist(), held[best_first].tolist(), strict=True)
    ]


def _find_ends(rows: RatingRows) -> NDArray[np.int64]:
    """Return (2, I) the systems with the highest and the lowest mean score on each item."""
    output, own = np.unique(rows.output, return_inverse=True)
    mean = np.bincount(own, rows.score) / np.bincount(own)
    item, system = np.divmod(output, len(rows.systems))
    ends = np.zeros((2, len(rows.items)), dtype=np.int64)
    up = np.lexsort((-system, mean, item))
    ends[0, item[up]] = system[up]  # the last one stays
    down = np.lexsort((-system, -mean, item))
    ends[1, item[down]] = system[down]
    return ends
