"""Draws of normal variables that are known to lie in an interval or beyond a point.

By inversion, always from the tail that holds few: x = Φ⁻¹(Φ(a) + u (Φ(b) − Φ(a))) with the
interval mirrored to where its middle is below the mean, so that nothing is subtracted from one.
Where even that tail is below the smallest number of the computer, logarithms stand for it.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_DEEP: Final = 1e-290
"""Chances below which numbers lose digits."""


def draw_above(rng: np.random.Generator, mean: Array, sd: float, low: float) -> Array:
    """Draw x ~ N(mean, sd²) given x ≥ low.

    Args:
        rng: where chance comes from; one number a draw.
        mean: means, of any shape.
        sd: standard deviation of all.
        low: what no draw is below.

    Returns:
        Draws of the shape of `mean`.

    >>> draws = draw_above(np.random.default_rng(1), np.array([0.0, -50.0, 50.0]), 1.0, 2.0)
    >>> bool((draws >= 2).all()), bool(draws[1] < 2.5), bool(40 < draws[2] < 60)
    (True, True, True)
    """
    from scipy.special import ndtr, ndtri

    below = (mean - low) / sd
    chance = ndtr(below)
    share = 1 - rng.random(below.shape)  # in (0, 1]
    drawn = ndtri(chance * share)
    if chance.min(initial=1.0) < _DEEP:
        deep = chance < _DEEP
        drawn[deep] = _draw_deep(below[deep], share[deep])
    return np.asarray(np.maximum(mean - sd * drawn, low))


def draw_between(rng: np.random.Generator, mean: Array, sd: float, radius: float) -> Array:
    """Draw x ~ N(mean, sd²) given |x| ≤ radius.

    Args:
        rng: where chance comes from; one number a draw.
        mean: means, of any shape.
        sd: standard deviation of all.
        radius: what no draw is farther from 0 than.

    Returns:
        Draws of the shape of `mean`.

    >>> draws = draw_between(np.random.default_rng(1), np.array([0.0, -50.0, 50.0]), 1.0, 0.5)
    >>> draws.round(1).tolist()
    [-0.0, -0.5, 0.5]
    """
    from scipy.special import ndtr, ndtri

    far = np.abs(mean)
    high, low = (radius - far) / sd, (-radius - far) / sd
    below, above = ndtr(low), ndtr(high)
    share = 1 - rng.random(far.shape)
    drawn = ndtri(below + share * (above - below))
    if above.min(initial=1.0) < _DEEP:
        deep = above < _DEEP
        within = np.exp(_log_ndtr(low[deep]) - _log_ndtr(high[deep]))
        drawn[deep] = _draw_deep(high[deep], share[deep] + (1 - share[deep]) * within)
    return np.asarray(np.copysign(1.0, mean) * np.clip(far + sd * drawn, -radius, radius))


def _draw_deep(high: Array, share: Array) -> Array:
    """Return Φ⁻¹(share · Φ(high)) far below the mean."""
    from scipy.special import ndtri_exp

    return np.asarray(ndtri_exp(_log_ndtr(high) + np.log(share)))


def _log_ndtr(at: Array) -> Array:
    from scipy.special import log_ndtr

    return np.asarray(log_ndtr(at))
