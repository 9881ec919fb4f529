"""The mean slope of all judges, whatever they are: do they follow each other at all?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.distributions import normal_quantile

Array = NDArray[np.float64]


def pool_slopes(slopes: Array, errors: Array) -> tuple[float, float, float]:
    """Return the mean slope and its 95 % interval; of one judge an endless one.

    Judges are weighed by 1 / (s² + se²) with s² from the data (DerSimonian & Laird 1986); the
    variance is the weighted sum of squares, so that it holds whatever judges differ by.

    Args:
        slopes: (J,) slopes.
        errors: (J,) their standard errors.

    >>> [round(end, 3) for end in pool_slopes(np.array([0.8, 1.0, 1.2]), np.full(3, 0.01))]
    [1.0, 0.774, 1.226]
    """
    if len(slopes) == 1:
        return float(slopes[0]), -np.inf, np.inf
    between = max(float(np.var(slopes, ddof=1) - (errors**2).mean()), 0.0)
    weight = 1 / (between + errors**2)
    mean = float(weight @ slopes / weight.sum())
    inflation = len(weight) / (len(weight) - 1)
    error = np.sqrt(inflation * (weight**2 @ (slopes - mean) ** 2)) / weight.sum()
    margin = normal_quantile(0.975) * float(error)
    return mean, mean - margin, mean + margin
