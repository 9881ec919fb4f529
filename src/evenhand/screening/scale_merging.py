"""Points of a scale merged, such as 1 with 2 and 4 with 5, to see what a coarser scale would give.

Hamon, Mostefa & Arranz (2007) find that judges confuse neighbouring points and propose three points
for five. Merged points are numbered 1, 2, ... from the lowest, so that distances count merged
points; agreement by chance rises with it, which κ allows for and n-agreement does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from evenhand.errors import UnknownOption
from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.scale import Scale

Merging: TypeAlias = Sequence[Sequence[float]]


def read_merging(text: str) -> tuple[tuple[float, ...], ...]:
    """Understand "1+2,4+5": points joined by a plus are one.

    Raises:
        UnknownOption: it is no such text.

    >>> read_merging("1+2,4+5")
    ((1.0, 2.0), (4.0, 5.0))
    """
    try:
        found = tuple(tuple(float(point) for point in one.split("+")) for one in text.split(","))
    except ValueError:
        raise UnknownOption(f"merge '{text}' is none: write 1+2,4+5 to join points") from None
    return found


def write_merging(merging: Merging) -> str:
    """Write what `read_merging` reads.

    >>> write_merging([[1, 2], [4, 5]])
    '1+2,4+5'
    """
    return ",".join("+".join(f"{point:g}" for point in joined) for joined in merging)


def merge_points(rows: RatingRows, merging: Merging, scale: Scale) -> tuple[RatingRows, Scale]:
    """Give joined points one number.

    Args:
        rows: scores, all on the scale.
        merging: points that become one, neighbours all.
        scale: the scale before.

    Returns:
        The same scores as 1, 2, ..., and the scale that they are on.

    Raises:
        UnknownOption: the scale has no steps, no points are joined, or they are no neighbours.

    """
    if scale.points is None:
        raise UnknownOption(f"points can be merged on a scale with steps; this one is {scale}")
    if all(len(joined) < 2 for joined in merging):
        raise UnknownOption(
            f"merge '{write_merging(merging)}' joins nothing: write 1+2,4+5 to join points"
        )
    number = _number_points(scale.points, merging)
    points = np.array(scale.points)
    merged = number[np.searchsorted(points, rows.score)]
    expected = rows.expected
    if expected is not None:
        said = ~np.isnan(expected)
        nearest = np.abs(expected[said][:, None] - points[None]).argmin(axis=1)
        expected = expected.copy()
        expected[said] = number[nearest]
    top = int(number[-1])
    new = Scale(1.0, float(top), tuple(float(n) for n in range(1, top + 1)), scale.declared)
    return replace(rows, score=merged, expected=expected), new


def _number_points(
    points: tuple[float, ...], merging: Merging
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the new number of each point.

    Raises:
        UnknownOption: a point that is not on the scale or is named twice, or no neighbours.

    """
    group = np.arange(len(points))
    named: set[float] = set()
    for joined in merging:
        own = sorted(joined)
        unknown = [point for point in own if point not in points]
        if unknown or named & {*own} or len(own) != len({*own}):
            fault = f"{unknown[0]:g} is not on the scale" if unknown else "a point is named twice"
            shown = ", ".join(f"{point:g}" for point in points)
            raise UnknownOption(f"points cannot be merged: {fault} (its points: {shown})")
        at = [points.index(point) for point in own]
        if at != list(range(at[0], at[0] + len(at))):
            shown = "+".join(f"{point:g}" for point in own)
            raise UnknownOption(f"points cannot be merged: {shown} are not neighbours on the scale")
        group[at] = at[0]
        named |= {*own}
    return (np.unique(group, return_inverse=True)[1].reshape(-1) + 1).astype(np.float64)
