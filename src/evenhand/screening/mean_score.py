"""Mean score by judge: who scores higher or lower than the others (Hamon et al. 2007, section 3.3).

The paper sets a judge's mean beside the mean of the same outputs by the others and removes those
"above and behind the standard deviation". Its rule can be read in two ways, and both are here:

    mean   the judge's mean against the mean of all judges' means: figures 2 and 3 as they are drawn
    gap    the judge's mean minus the others' on the same outputs, against the mean of all such

A mean depends on which outputs a judge happened to see, a gap does not. When not to use it: a
strict judge is no careless one, and honest judges differ in severity, so that some are always
outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evenhand.errors import require_option
from evenhand.screening.outliers import Limits, Outliers, outside_limits
from evenhand.screening.profiles import JudgeProfile

NAME: Final = "mean-score"
READINGS: Final = ("mean", "gap")


def find_by_mean_score(
    profiles: Sequence[JudgeProfile], *, reading: str = "mean", limits: Limits | None = None
) -> Outliers:
    """Find judges whose scores are too high or too low.

    Args:
        profiles: the judges of one criterion.
        reading: "mean" or "gap".
        limits: how far from the centre is too far.

    Raises:
        UnknownOption: another reading.

    """
    require_option("reading of the mean score", reading, READINGS)
    values = {
        one.judge: value
        for one in profiles
        if (value := one.mean if reading == "mean" else one.gap) is not None
    }
    criterion, size = profiles[0].criterion, max(abs(one.mean) for one in profiles)
    return outside_limits(NAME, criterion, values, limits or Limits(), two_sided=True, size=size)
