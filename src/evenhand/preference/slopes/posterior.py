"""The slope of each judge given the judgments, with worths, γ and τ taken as known."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.preference.slopes.cells import SlopeCells
from evenhand.preference.slopes.nodes import Integrand, find_ranges
from evenhand.preference.ties.laws import TieLaw

Array = NDArray[np.float64]
POINTS: Final = 60
"""Points at which a density is looked at."""
DEPTH: Final = 16.0
"""How far below its mode (nats) a density is nothing: a chance of about 1e-7."""
PROBABILITIES: Final = (0.5, 0.025, 0.975)


def slope_quantiles(
    cells: SlopeCells, law: TieLaw, worths: Array, gamma: float, tau: float
) -> Array:
    """Return (3, J): median, .025 and .975 quantile of each judge's slope."""
    found = []
    for part in cells.parts(POINTS):
        gaps = worths[part.left] - worths[part.right]
        found.append(np.exp(tau * _quantiles(Integrand(part, law, gaps, gamma, tau))))
    return np.concatenate(found, axis=1)


def _quantiles(integrand: Integrand) -> Array:
    """Return (3, J) quantiles of z: densities summed by the corrected trapezoid rule.

    The correction by the slopes at the ends of each step makes it exact for cubics; within a step
    the density is taken for linear.
    """
    low, high = find_ranges(integrand, DEPTH)
    width = (high - low) / (POINTS - 1)
    z = low + width * np.arange(POINTS)[:, None]
    eta = integrand.eta(integrand.log_slope(z))
    cells = integrand.cells
    local = integrand.law.expand(eta, integrand.gamma, cells.counts)
    heights = cells.sums(local.value) - z**2 / 2
    density = np.exp(heights - heights.max(axis=0))
    rise = density * (integrand.tau * cells.sums(local.eta * eta) - z)
    steps = width * (density[1:] + density[:-1]) / 2 + width**2 * (rise[:-1] - rise[1:]) / 12
    sums = np.zeros_like(density)
    np.cumsum(steps, axis=0, out=sums[1:])
    place = np.arange(len(width))
    found = np.empty((len(PROBABILITIES), len(width)))
    for row, probability in enumerate(PROBABILITIES):
        wanted = probability * sums[-1]
        at = np.clip((sums < wanted).sum(axis=0) - 1, 0, POINTS - 2)
        first, last = density[at, place], density[at + 1, place]
        share = (wanted - sums[at, place]) / steps[at, place]
        found[row] = z[at, place] + width * _part(first, last, share)
    return found


def _part(first: Array, last: Array, share: Array) -> Array:
    """Return where in [0, 1] a linear density from first to last has a share of its mass behind."""
    mass = share * (first + last)
    return np.asarray(mass / (first + np.sqrt(first**2 + (last - first) * mass)))
