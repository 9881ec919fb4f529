"""How cost grows: slopes of lines through the logarithms of CPU seconds and of a size.

A slope of 1 is cost in proportion; of 0, cost that does not grow; of 2, four times the cost of
twice the size. The last slope is that between the two largest sizes, where overhead counts least.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.row import Row
from benchmarks.table import aligned

SUITE = "growth"


@dataclass(frozen=True)
class Slope:
    """One contender along one axis.

    Attributes:
        axis: N, K or J.
        contender: who.
        sizes: that were measured.
        seconds: CPU seconds of each.
        value: slope by least squares over all sizes.
        last: slope between the two largest.

    """

    axis: str
    contender: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]
    value: float
    last: float


def fit(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The slope of log seconds on log sizes by least squares.

    >>> round(fit([1, 10, 100], [3, 30, 300]), 6)
    1.0
    """
    x, y = [math.log(one) for one in sizes], [math.log(one) for one in seconds]
    middle, height = sum(x) / len(x), sum(y) / len(y)
    spread = sum((one - middle) ** 2 for one in x)
    return sum((a - middle) * (b - height) for a, b in zip(x, y, strict=True)) / spread


def find(rows: Sequence[Row]) -> list[Slope]:
    """The slopes of all contenders that were measured at two sizes or more."""
    points: dict[tuple[str, str], list[tuple[int, float]]] = defaultdict(list)
    for row in rows:
        if row.suite == SUITE and row.cpu_s:
            axis, _, size = row.case.partition(" = ")
            points[axis, row.contender].append((int(size.replace(",", "")), row.cpu_s))
    found = []
    for (axis, contender), own in points.items():
        if len(own) > 1:
            sizes, seconds = zip(*sorted(own), strict=True)
            slope, last = fit(sizes, seconds), fit(sizes[-2:], seconds[-2:])
            found.append(Slope(axis, contender, sizes, seconds, slope, last))
    return found


def lines(rows: Sequence[Row]) -> list[str]:
    """A table for each axis."""
    slopes = find(rows)
    return [
        f"{of_axis(axis, [one for one in slopes if one.axis == axis])}\n"
        for axis in dict.fromkeys(one.axis for one in slopes)
    ]


def of_axis(axis: str, slopes: Sequence[Slope]) -> str:
    """CPU seconds by size and the slopes, a line for each contender."""
    sizes = sorted({size for one in slopes for size in one.sizes})
    headings = ("contender", *(f"{axis} = {size:,}" for size in sizes), "slope", "last slope")
    body = []
    for one in slopes:
        seconds = dict(zip(one.sizes, one.seconds, strict=True))
        cells = [f"{seconds[size]:.3f}" if size in seconds else "" for size in sizes]
        body.append([one.contender, *cells, f"{one.value:.2f}", f"{one.last:.2f}"])
    return aligned(headings, body)
