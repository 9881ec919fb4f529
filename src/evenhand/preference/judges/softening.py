"""How much less decided all judges together are than one judge.

The difference between wins and losses expected of judges with log-odds N(x, 2σ²) rises, at x = 0,
as that of a single judge at x / s:

    1/s(σ) = E v(√2 σ z) / v(0),    v(x) = P(left) + P(right) − (P(left) − P(right))²,  z ~ N(0, 1)

so that θ/s hardly depends on σ, given the answers. Zeger, Liang & Albert (1988), Biometrics
44:1049-1060, match the whole logistic curve instead: √(1 + 2c²σ²) with c² = .3456.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_STEP = 1e-4


@dataclass(frozen=True)
class Softening:
    """log s at one log σ, and its derivative by log σ."""

    value: float
    slope: float


def find_softening(log_sigma: float, gamma: float | None) -> Softening:
    """Return how much further apart systems are to one judge than to all.

    Args:
        log_sigma: log σ.
        gamma: Davidson's γ; None without ties.

    >>> round(exp(find_softening(log(0.5), None).value), 3)
    1.113
    """
    nu = 0.0 if gamma is None else exp(gamma)
    top = log(2 / (2 + nu))
    ahead, behind = (_log_mean(log_sigma + side * _STEP, nu) for side in (1, -1))
    return Softening(top - _log_mean(log_sigma, nu), (behind - ahead) / (2 * _STEP))


def _log_mean(log_sigma: float, nu: float) -> float:
    """Return log E v, by a fine sum: v is narrow where σ is large."""
    z = np.linspace(-9.0, 9.0, 4001)
    density = np.exp(-(z**2) / 2)
    root = np.exp(-np.abs(sqrt(2) * exp(log_sigma) * z) / 2)
    weak = root * root
    total = 1 + weak + nu * root
    spread = (1 + weak) / total - ((1 - weak) / total) ** 2
    return float(np.log((density * spread).sum() / density.sum()))
