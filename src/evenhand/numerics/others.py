"""What the others gave to the same: their mean, and how far they are on average, for every score.

    Σ_j |x_i − x_j| = x_i (2r_i − m) + Σ_j x_j − 2 Σ_{j < i} x_j        x sorted, r_i scores below

Sums run over sorted scores less their group's mean, so that they return to nought at the end of
each group and no rounding gathers. One sort serves a million scores.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.grouping import number_groups

Array = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Others:
    """What all but its own judge gave to what a score is of.

    Attributes:
        count: (n,) scores of others on the same.
        mean: (n,) their mean, NaN where there are none.
        distance: (n,) mean |own − other|, NaN where there are none.

    """

    count: Codes
    mean: Array
    distance: Array


def see_others(unit: Codes, judge: Codes, score: Array) -> Others:
    """Return what the other judges gave to the same unit, for each score.

    Args:
        unit: (n,) number of what is scored; need not be dense.
        judge: (n,) number of the judge; several scores of one judge on a unit are no others.
        score: (n,) scores, finite.

    >>> found = see_others(*np.array([[7, 7, 7, 9], [0, 1, 2, 0]]), np.array([1.0, 2, 5, 3]))
    >>> found.count.tolist(), found.mean.tolist()[:3], found.distance.tolist()[:3]
    ([2, 2, 2, 0], [3.5, 3.0, 1.5], [2.5, 2.0, 3.5])
    """
    count, total, apart = _sum_group(number_groups(unit), score)
    mine, own_total, own_apart = _sum_group(number_groups(unit, judge), score)
    left = count - mine
    some = left > 0
    mean, distance = np.full((2, len(score)), np.nan)
    mean[some] = (total - own_total)[some] / left[some]
    distance[some] = (apart - own_apart)[some] / left[some]
    return Others(left, mean, np.maximum(distance, 0.0))


def _sum_group(group: Codes, score: Array) -> tuple[Codes, Array, Array]:
    """Return for each score the size and sum of its group, and Σ |score − score| within it.

    Args:
        group: (n,) dense codes.
        score: (n,) scores.

    """
    size = np.bincount(group)
    total: Array = np.bincount(group, score).astype(np.float64)
    if size.max(initial=0) <= 1:
        return size[group], total[group], np.zeros(len(score))
    middle = total / size
    centred = score - middle[group]
    order = np.lexsort((centred, group))
    x, g = centred[order], group[order]
    start = np.concatenate([[0], np.cumsum(size)[:-1]])[g]
    below = np.concatenate([[0.0], np.cumsum(x)])
    first, last = below[start], below[start + size[g]]
    rank = np.arange(len(x)) - start
    apart = np.empty(len(x))
    apart[order] = x * (2 * rank - size[g]) + (last - first) - 2 * (below[:-1] - first)
    return size[group], total[group], apart
