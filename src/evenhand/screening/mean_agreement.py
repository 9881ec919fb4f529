"""Mean agreement by judge: who is far from the others, up or down (Hamon et al. 2007, section 3.3).

The value is mean |own − other| over the same outputs (`profiles`), a distance in points of the
scale; judges above centre + k sd are outside, none is too near. When not to use it: with two judges
an output a judge answers for those whom he happened to share outputs with, and a strict one is as
far from the others as a careless one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from evenhand.screening.outliers import Limits, Outliers, outside_limits
from evenhand.screening.profiles import JudgeProfile

NAME: Final = "mean-agreement"


def find_by_mean_agreement(
    profiles: Sequence[JudgeProfile], *, limits: Limits | None = None
) -> Outliers:
    """Find judges who are farther from the others than most.

    Args:
        profiles: the judges of one criterion.
        limits: how far from the centre is too far.

    """
    values = {one.judge: one.mean_agreement for one in profiles if one.mean_agreement is not None}
    criterion = profiles[0].criterion
    size = max(abs(one.mean) for one in profiles)
    found = outside_limits(NAME, criterion, values, limits or Limits(), two_sided=False, size=size)
    if values:
        return found
    return replace(found, why="no output was scored by two judges: nobody can be set beside others")
