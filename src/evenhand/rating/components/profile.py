"""Intervals and tests of variance components by profile likelihood.

The profile of a variance is the highest restricted likelihood that is left when it is held. The
interval holds the variances whose profile is within χ²/2 of the maximum; a lower end that is not
reached above 0 is 0. The test of 0 stands on the edge of the parameter's range: the statistic is
half the time 0, half the time χ² on one degree of freedom (Self & Liang 1987, Journal of the
American Statistical Association 82:605-610).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.distributions import chi2_tail, normal_quantile
from evenhand.rating.components.equations import Problem
from evenhand.rating.components.reml import FLOOR, Peak, maximise

Array = NDArray[np.float64]

CLOSE: Final = 0.004
"""How near the root of the statistic must come to the quantile, a third digit of sd."""
TRIES: Final = 25
FARTHEST: Final = log(1e8)
"""Log of the largest variance looked at, where scores have variance 1."""
_GAIN: Final = 1e-5


@dataclass(frozen=True)
class Range:
    """What is known of one variance.

    Attributes:
        lower: lower end of the interval of the variance; None where nobody asked.
        upper: upper end; infinite where the profile never falls far enough.
        p: one-sided p-value of 0; None of the residual.

    """

    lower: float | None
    upper: float | None
    p: float | None


def profile(problem: Problem, peak: Peak, at: int, level: float) -> Range:
    """Return interval and test of one variance.

    Args:
        problem: scores and terms.
        peak: the maximum.
        at: number of the variance; the last is the residual's.
        level: of the interval.

    Raises:
        NotConverged: a profile was not found.

    """
    z = normal_quantile((1 + level) / 2)
    curve = _Curve(problem, peak, at, z)
    above = curve.cross(1)
    if at == len(problem.terms):
        return Range(curve.cross(-1), above, None)
    p, root = _test(curve)
    return Range(curve.cross(-1) if root > z else 0.0, above, p)


def try_zero(problem: Problem, peak: Peak, at: int) -> Range:
    """Return the test of 0 alone; of the residual nothing."""
    if at == len(problem.terms):
        return Range(None, None, None)
    return Range(None, None, _test(_Curve(problem, peak, at, 0.0))[0])


def _test(curve: _Curve) -> tuple[float, float]:
    """Return the p-value of 0, and the root of the statistic."""
    if curve.peak.zero[curve.at]:
        return 1.0, 0.0
    root = curve.look(FLOOR, curve.peak)[0]
    return chi2_tail(root**2, 1) / 2, root


def approximate(peak: Peak, at: int, level: float) -> Range:
    """Return an interval from the information alone, on the scale of log sd.

    For data on which a profile takes too long. Nothing is tested.
    """
    keep = ~peak.zero | (np.arange(len(peak.variances)) == at)
    place = int(keep[:at].sum())
    error = sqrt(np.linalg.inv(peak.solved.information[np.ix_(keep, keep)])[place, place])
    z, value = normal_quantile((1 + level) / 2), float(peak.variances[at])
    if peak.zero[at]:
        return Range(0.0, z * error, None)
    factor = exp(z * error / value)
    return Range(value / factor, value * factor, None)


class _Curve:
    """The profile of one variance, followed from the maximum outwards."""

    def __init__(self, problem: Problem, peak: Peak, at: int, z: float) -> None:
        self.problem, self.peak, self.at, self.z = problem, peak, at, z

    def look(self, variance: float, near: Peak) -> tuple[float, float, Peak]:
        """Return the root of the statistic, its slope by log variance, and where it was found."""
        others, _ = _others(near, self.at)
        start = near.variances + others * (variance - near.variances[self.at])
        start = np.maximum(start, near.variances / 4)
        start[self.at] = variance
        found = maximise(self.problem, start, held=self.at, gain=_GAIN)
        root = sqrt(max(2 * (self.peak.solved.value - found.solved.value), 1e-12))
        slope = -variance * float(found.solved.gradient[self.at]) / root
        return root, slope, found

    def cross(self, side: int) -> float:
        """Return where the root of the statistic is z, below (−1) or above (+1) the maximum."""
        inner = log(float(self.peak.variances[self.at]))
        outer: float | None = None if side > 0 else log(FLOOR)
        here, near = inner + side * self._first(side), self.peak
        for _ in range(TRIES):
            if here > FARTHEST:
                return inf
            root, slope, near = self.look(exp(here), near)
            if abs(root - self.z) < CLOSE:
                break
            if root < self.z:
                inner = here
            else:
                outer = here
            newton = (self.z - root) / slope if slope * side > 0 else None
            here = _next(here, newton, (inner, outer), side)
        return exp(here)

    def _first(self, side: int) -> float:
        """Return a first guess of how far away the end is, in log variance.

        As if the variance were a mean of squares with as many degrees of freedom as its error says.
        """
        variance = float(self.peak.variances[self.at])
        known = max(_others(self.peak, self.at)[1], 1e-12)
        if self.peak.zero[self.at]:
            return log(max(self.z / sqrt(known), 2 * FLOOR) / variance)
        error = self.z / sqrt(known) / variance
        return min(error + side * error**2 / 6, 3.0)


def _others(peak: Peak, at: int) -> tuple[Array, float]:
    """Return how the other variances move with one, and the information that is left on it."""
    information = peak.solved.information
    free = ~peak.zero
    free[at] = False
    slopes = np.zeros(len(free))
    slopes[free] = -np.linalg.solve(information[np.ix_(free, free)], information[free, at])
    return slopes, float(information[at, at] + information[at] @ slopes)


def _next(here: float, newton: float | None, ends: tuple[float, float | None], side: int) -> float:
    """Take Newton's step where it stays between the ends, else halve or go on outwards."""
    inner, outer = ends
    if newton is not None:
        wanted = here + max(min(newton, 3.0), -3.0)
        low, high = sorted((inner, outer if outer is not None else side * inf))
        if low < wanted < high:
            return wanted
    return (inner + outer) / 2 if outer is not None else here + side * 1.0
