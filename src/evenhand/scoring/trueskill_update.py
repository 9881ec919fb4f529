"""One match of two in TrueSkill: Gaussian skills, updated by a win, a draw or a loss.

    performance_i ~ N(μ_i, σ_i² + β²),  i wins if its performance is higher by more than ε,
    c² = 2β² + σ_a² + σ_b²,  t = (μ_a − μ_b)/c,
    μ_a ← μ_a + (σ_a²/c) v,  μ_b ← μ_b − (σ_b²/c) v,  σ_i² ← σ_i² (1 − (σ_i²/c²) w),
    v, w: how a standard normal around −t moves and narrows when the outcome is seen.

Ralf Herbrich, Tom Minka and Thore Graepel (2006), "TrueSkill: A Bayesian Skill Rating System",
NIPS 19, section 3 and table 1. Not for skills that drift: the dynamics τ is added to the variances
before a match by whoever wants it; WMT has none.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
WIN: Final = 1
DRAW: Final = 0
LOSS: Final = -1
_FAR: Final = 37.0
"""Standard deviations beyond which a probability is no longer a number of full precision."""
_ROOT: Final = 1 / sqrt(2 * pi)


class Skill(NamedTuple):
    """What is believed of the skills of some systems.

    Attributes:
        mean: (R,) μ.
        variance: (R,) σ².

    """

    mean: Array
    variance: Array


def draw_margin(chance: float, beta: float) -> float:
    """Return ε, the margin at which two equals draw with a chance.

    P(|performance_a − performance_b| < ε) = chance for known equal skills, Herbrich et al. (2006),
    section 3.

    >>> round(draw_margin(0.1, 25 / 6), 4)
    0.7405
    """
    from scipy.special import ndtri

    return float(ndtri((chance + 1) / 2) * sqrt(2) * beta)


def surprise(gap: Array, margin: Array, outcome: NDArray[np.int64]) -> tuple[Array, Array]:
    """Return v and w of Herbrich et al. (2006), table 1: the moments of a truncated normal.

    The outcome says that a standard normal fell into an interval; turned so that the interval lies
    below zero, no difference of large probabilities is taken.

    Args:
        gap: (R,) t, the difference of means in units of c.
        margin: (R,) ε/c.
        outcome: (R,) 1 where the first won, 0 a draw, −1 where it lost.

    """
    from scipy.special import ndtr

    draw = outcome == DRAW
    size = np.abs(gap)
    high = np.maximum(np.where(draw, margin - size, outcome * gap - margin), -_FAR)
    low = np.where(draw, np.maximum(-margin - size, -_FAR - 2), -_FAR - 2)
    at_high, at_low = _density(high), _density(low)
    inside = ndtr(high) - ndtr(low)
    shift = (at_high - at_low) / inside
    narrowing = shift * shift + (high * at_high - low * at_low) / inside
    turn = np.where(draw, np.where(gap < 0, 1.0, -1.0), outcome)
    return turn * shift, narrowing


def play(
    first: Skill, second: Skill, outcome: NDArray[np.int64], *, beta: float, margin: float
) -> tuple[Skill, Skill]:
    """Return both skills after a match.

    Args:
        first: (R,) skills of one side in R separate matches.
        second: (R,) of the other.
        outcome: (R,) 1 where the first won, 0 a draw, −1 where it lost.
        beta: β, the standard deviation of a performance around a skill.
        margin: ε, see `draw_margin`.

    >>> new = Skill(np.array([25.0]), np.array([(25 / 3) ** 2 + (25 / 300) ** 2]))
    >>> won, _ = play(new, new, np.array([WIN]), beta=25 / 6, margin=draw_margin(0.1, 25 / 6))
    >>> round(float(won.mean[0]), 3), round(float(won.variance[0]) ** 0.5, 3)
    (29.396, 7.171)
    """
    scale = np.sqrt(2 * beta * beta + first.variance + second.variance)
    shift, narrowing = surprise((first.mean - second.mean) / scale, margin / scale, outcome)
    return _moved(first, scale, shift, narrowing), _moved(second, scale, -shift, narrowing)


def _moved(skill: Skill, scale: Array, shift: Array, narrowing: Array) -> Skill:
    step = skill.variance / scale
    return Skill(skill.mean + step * shift, skill.variance * (1 - step / scale * narrowing))


def _density(x: Array) -> Array:
    return np.asarray(_ROOT * np.exp(-0.5 * x * x))
