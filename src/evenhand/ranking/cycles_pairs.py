"""Pairs of systems that the model describes worst, allowing for how many pairs were looked at.

The residual r of a pair, decisive votes for one less those expected, stands over its spread in
worlds in which worths describe everything (`cycles_worlds`):

    z = r / √(mean of r*² over worlds),   p = (1 + #{worlds: max |z*| ≥ |z|}) / (1 + B)

max being over all pairs of a world, so that with chance 1 − level no pair is named without cause
(single-step max-T: Westfall & Young 1993, Resampling-based multiple testing). Of several ways of
clustering the least sure speaks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.ranking.cycles_residuals import PairResiduals

Array = NDArray[np.float64]
LISTED: Final = 10
"""Most pairs that are listed."""


@dataclass(frozen=True)
class Deviation:
    """A pair of systems, and how far the model is from it.

    Attributes:
        first: the system that won more often than expected.
        second: the other.
        votes: decisive votes on the pair.
        won: share of these for the first (proportion).
        expected: the same by the model.
        z: residual over its spread in worlds that worths describe; at least 0.
        p: adjusted for all pairs.

    """

    first: str
    second: str
    votes: float
    won: float
    expected: float
    z: float
    p: float


def list_deviations(whole: PairResiduals, worlds: Sequence[Array]) -> tuple[Deviation, ...]:
    """Return the pairs farthest from the model, the farthest first.

    Args:
        whole: residuals of all judgments.
        worlds: (B, P) residuals of worlds that worths describe, for each way of clustering.

    """
    z, p = weigh_pairs(whole, worlds)
    order = np.lexsort((np.arange(len(z)), -np.abs(z), p))[:LISTED]
    expected = (whole.totals * whole.chances).sum(axis=0) / whole.total
    return tuple(_describe(whole, at, (expected, z, p)) for at in order.tolist())


def _describe(whole: PairResiduals, at: int, found: tuple[Array, Array, Array]) -> Deviation:
    """Return a pair, the system first that won more often than expected."""
    expected, z, p = (float(values[at]) for values in found)
    won = float(whole.won[at] / whole.total[at])
    first, second = whole.systems[whole.first[at]], whole.systems[whole.second[at]]
    if z < 0:
        first, second, won, expected = second, first, 1 - won, 1 - expected
    return Deviation(first, second, float(whole.total[at]), won, expected, abs(z), p)


def weigh_pairs(whole: PairResiduals, worlds: Sequence[Array]) -> tuple[Array, Array]:
    """Return (P,) z of each pair and (P,) p, adjusted by the largest |z| of every world.

    A pair whose residual no world moves has z 0 and p 1: worths follow it whatever is said.

    Args:
        whole: residuals of all judgments.
        worlds: (B, P) residuals of worlds that worths describe, for each way of clustering.

    """
    z, p = np.full(len(whole.first), np.inf), np.zeros(len(whole.first))
    for drawn in worlds:
        spread = np.sqrt((drawn**2).mean(axis=0))
        known = spread > 1e-9 * np.sqrt(whole.weight)
        scale = np.where(known, spread, 1.0)
        own = np.where(known, whole.residual / scale, 0.0)
        largest = np.sort(np.abs(drawn / scale * known).max(axis=1, initial=0.0))
        above = len(largest) - np.searchsorted(largest, np.abs(own) * (1 - 1e-12))
        p = np.maximum(p, (1 + above) / (1 + len(largest)))
        z = np.where(np.abs(own) < np.abs(z), own, z)
    return z, np.where(z == 0, 1.0, p)
