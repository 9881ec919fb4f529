"""How much higher or lower each judge scores than the others: reported, never a fault.

    s_l = mean over outputs of (own score − mean of the others' scores of the same output)

Where nobody else scored the output, the others' mean of its system under the same task and
criterion stands in. Honest judges differ in severity; it moves a system only as far as judges see
systems unevenly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.rating_rows import RatingRows
from evenhand.numerics.distributions import t_quantile
from evenhand.numerics.grouping import number_groups
from evenhand.screening.rating_places import make_places

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

ALIKE: Final = 2.0
"""Ratio of largest scores from which points of different tasks are not the same."""


@dataclass(frozen=True, eq=False)
class Severity:
    """How much higher each judge scores than the others.

    Attributes:
        outputs: (J,) outputs that it rests on; 0 where there is nobody to compare with.
        gap: (J,) own minus others', in points, or in percent of the scale where scales differ.
        margin: (J,) half of its 95 % interval; infinite with less than two outputs.
        unit: "points" or "% of the scale".

    """

    outputs: Integers
    gap: Array
    margin: Array
    unit: str


def find_severity(rows: RatingRows) -> Severity:
    """Compare judges with others on the same outputs.

    Args:
        rows: ratings; targets only.

    """
    places = make_places(rows, np.ones(rows.size, np.bool_))
    score, unit = _common_scale(rows.score, places.group)
    total, many = places.of_others(score, places.unit, places.judged_unit)
    wider, more = places.of_others(score, places.system, places.judged_system)
    total, many = np.where(many > 0, total, wider), np.where(many > 0, many, more)
    held = many > 0
    size = len(rows.judges)
    if not held.any():
        return Severity(np.zeros(size, np.int64), np.zeros(size), np.full(size, np.inf), unit)
    output = number_groups(places.judged_output[held])
    apart = score[held] - total[held] / many[held]
    mean = np.bincount(output, apart) / np.bincount(output)
    judge = np.zeros(len(mean), np.int64)
    judge[output] = rows.judge[held]
    n = np.bincount(judge, minlength=size)
    gap = np.bincount(judge, mean, size) / np.maximum(n, 1)
    square = np.bincount(judge, (mean - gap[judge]) ** 2, size)
    error = np.sqrt(square / np.maximum(n - 1, 1) / np.maximum(n, 1))
    margin, some = np.full(size, np.inf), n > 1
    margin[some] = error[some] * [t_quantile(0.975, k - 1) for k in n[some].tolist()]
    return Severity(n, gap, margin, unit)


def _common_scale(score: Array, group: Integers) -> tuple[Array, str]:
    """Return scores in points, or in percent of their scale where the scales differ."""
    low, high = np.full(group.max() + 1, np.inf), np.full(group.max() + 1, -np.inf)
    np.minimum.at(low, group, score)
    np.maximum.at(high, group, score)
    span, reach = high - low, np.maximum(np.abs(low), np.abs(high))
    side = low + high >= 0  # penalties are no scores from nought up
    if reach.max() < ALIKE * reach.min() and (side == side[0]).all():
        return score, "points"
    return (score - low[group]) * (100 / np.where(span > 0, span, 1.0))[group], "% of the scale"
