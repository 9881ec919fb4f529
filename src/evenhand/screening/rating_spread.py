"""Who does not belong to the normal spread of honest judges, in one number of each judge.

Honest judges differ: h_l ~ N(μ, τ² + v_l), v_l being the sampling variance of the number. μ is the
median and τ such that the median of |h_l − μ| / √(τ² + v_l) is that of a normal, .6745: neither
moves with a few odd judges. Where only lying above counts, τ is at least what the judges above the
median show by themselves: honest habits may be skewed. (h_l − μ) / √(τ² + v_l) is compared with
Student's t on .37 (J − 1) degrees of freedom, since τ is itself estimated, and a median of absolute
deviations tells 37 % of what a standard deviation would (Huber 1981, Robust Statistics, chapter 5).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.distributions import t_tail

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

MIDDLE: Final = 0.6744897501960817
EFFICIENCY: Final = 0.37
STEPS: Final = 60


@dataclass(frozen=True)
class NormalSpread:
    """What honest judges are like.

    Attributes:
        centre: μ, the median judge.
        spread: τ, by how much honest judges differ beyond chance.
        upper: the same by the judges above the median, if they differ more.
        df: degrees of freedom of what is compared with it.

    """

    centre: float
    spread: float
    upper: float
    df: float

    def above(self, values: Array, variances: Array) -> Array:
        """Return p-values of lying so far above the median judge."""
        return np.array([self._tail(t) for t in self._distances(values, variances, self.upper)])

    def beside(self, values: Array, variances: Array) -> Array:
        """Return p-values of lying so far from the median judge on either side."""
        distances = self._distances(values, variances, self.spread)
        return np.array([t_tail(float(t), self.df) for t in distances])

    def _distances(self, values: Array, variances: Array, spread: float) -> Array:
        """Return how many standard deviations each judge lies from the median judge."""
        wide = np.sqrt(spread**2 + variances)
        return np.asarray((values - self.centre) / np.where(wide > 0, wide, 1.0))

    def _tail(self, t: float) -> float:
        half = t_tail(float(t), self.df) / 2
        return half if t > 0 else 1 - half


def normal_spread(values: Array, variances: Array) -> NormalSpread:
    """Estimate the spread of honest judges.

    Args:
        values: (J,) a number of each judge.
        variances: (J,) its sampling variance.

    >>> found = normal_spread(np.array([1.0, 2.0, 3.0, 4.0, 90.0]), np.zeros(5))
    >>> round(found.centre, 3), round(found.spread, 3)
    (3.0, 1.483)
    """
    centre = float(np.median(values))
    away = np.abs(values - centre)
    spread, over = _solve(away, variances), values > centre
    upper = max(spread, _solve(away[over], variances[over])) if over.any() else spread
    return NormalSpread(centre, spread, upper, max(EFFICIENCY * (len(values) - 1), 1.0))


def _solve(away: Array, variances: Array) -> float:
    """Return the τ beside which the median distance is that of a normal, by bisection."""
    low, high = 0.0, float(away.max()) / MIDDLE + 1e-12
    for _ in range(STEPS):
        middle = (low + high) / 2
        wide = np.sqrt(middle**2 + variances)
        inside = _find_middle(away / np.where(wide > 0, wide, 1e-300)) <= MIDDLE
        low, high = (low, middle) if inside else (middle, high)
    return high


def _find_middle(values: Array) -> float:
    """Return the median of numbers of which none is missing: `np.median` looks for such first.

    >>> _find_middle(np.array([4.0, 1.0, 2.0])), _find_middle(np.array([4.0, 1.0, 2.0, 9.0]))
    (2.0, 3.0)
    """
    low, high = (len(values) - 1) // 2, len(values) // 2
    middle = np.partition(values, (low, high))
    return float((middle[low] + middle[high]) / 2)
