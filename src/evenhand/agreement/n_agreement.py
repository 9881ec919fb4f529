"""n-agreement: the share of units whose two scores differ by at most n points.

    a(n) = #{units: |S_a − S_b| ≤ n} / #units,   n = 0 .. range of the scale

Source: Hamon, Mostefa and Arranz (2007), MT Summit XI, section 3.1. With more than two judges a
unit counts by the mean over its pairs of judges; a(0) is then the observed agreement P_o of
Fleiss' κ. Published figures often take one pair of judges for each output: `pair_judges` keeps
the two who come first in the table, the same two under every criterion.

What it ignores: chance. Judges who toss a five-sided coin reach a(0) = .20, a(1) = .52, and the
coarser the scale, the higher all of them. When not to use it: to compare scales of different
lengths, or criteria of which one is nearly constant.
"""

from __future__ import annotations

from dataclasses import replace
from math import log10
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.sums import Ratio, Sums
from evenhand.agreement.units import Units
from evenhand.numerics.grouping import number_groups

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

LONGEST: Final = 11
"""Scales of so many steps are shown in full; on longer ones a few n are."""
SHARES: Final = (0.0, 0.01, 0.05, 0.1, 0.2, 0.5)
"""Which n are shown on a long scale, as shares of the power of ten next to its range."""
_SLACK: Final = 1e-9


def n_agreement(sums: Sums, n: float) -> Ratio:
    """Return the share of units whose scores differ by at most n, one per resample.

    Args:
        sums: pairs of scores.
        n: points of the scale.

    """
    found = sums.coincidences
    points = found.points
    slack = _SLACK * float(points[-1] - points[0])  # of the scale, whatever its unit is
    near = points[found.high] - points[found.low] <= n + slack
    return Ratio(sums.per_unit(near.astype(np.float64)), sums.units)


def choose_steps(low: float, high: float, points: Array) -> tuple[float, ...]:
    """Return the n that are worth showing: all on a short scale, else a few round ones.

    Args:
        low: lowest score of the scale.
        high: highest score.
        points: (K,) scores that can be given, or that occur.

    >>> choose_steps(1, 5, np.arange(1.0, 6.0))
    (0.0, 1.0, 2.0, 3.0, 4.0)
    >>> choose_steps(0, 100, np.arange(0.0, 101.0))
    (0.0, 1.0, 5.0, 10.0, 20.0, 50.0)
    >>> choose_steps(0.2, 0.73, np.linspace(0.2, 0.73, 100))
    (0.0, 0.01, 0.05, 0.1, 0.2, 0.5)
    """
    step = float(np.diff(points).min(initial=high - low)) or 1.0
    count = (high - low) / step
    if abs(count - round(count)) < _SLACK and count < LONGEST:
        return tuple(float(i * step) for i in range(round(count) + 1))
    wide = 10.0 ** round(log10(high - low))  # round numbers, also where the ends are not
    return tuple(share * wide for share in SHARES if share * wide <= high - low)


def pair_judges(units: Units) -> Units:
    """Keep for each output the scores of the first two judges of it in the table.

    The two are chosen once for an output, not for each criterion; a unit that one of them left
    without a score is not counted. The choice depends on the order of the table.

    Args:
        units: what was scored by whom.

    """
    rows = units.rows
    output = number_groups(rows.output)
    first = _first_rows(output, np.arange(rows.size))
    other = np.flatnonzero(rows.judge != rows.judge[first[output]])
    second = _first_rows(output, other)
    held = np.repeat(output[units.first], units.sizes)
    of_second = np.where(second >= 0, rows.judge[second], -1)
    chosen = (units.judge == rows.judge[first[held]]) | (units.judge == of_second[held])
    own = np.repeat(np.arange(units.size), units.sizes)
    both = np.bincount(own[chosen], minlength=units.size) == 2
    kept = chosen & np.repeat(both, units.sizes)
    sizes = np.full(int(both.sum()), 2)
    return replace(
        units,
        sizes=sizes,
        starts=np.cumsum(sizes) - sizes,
        code=units.code[kept],
        judge=units.judge[kept],
        first=units.first[both],
    )


def _first_rows(groups: Integers, rows: Integers) -> Integers:
    """Return the first of some rows of each group, -1 where a group has none of them.

    Args:
        groups: (n,) group of every row of the table.
        rows: (m,) row numbers, ascending.

    """
    first = np.full(int(groups.max()) + 1, -1, dtype=np.int64)
    first[groups[rows[::-1]]] = rows[::-1]  # the last assignment stays
    return first
