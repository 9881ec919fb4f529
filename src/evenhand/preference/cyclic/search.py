"""Where the penalised likelihood is largest: from no circles, from the residuals', from chance.

The likelihood is not concave in c. It nearly is in c Ω cᵀ, so that under a strong penalty starts
seldom end apart; under a weak one they may. Several are made, and the best is taken.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged
from evenhand.numerics.quasi_newton import climb
from evenhand.preference.cyclic.likelihood import CyclicLikelihood

Array = NDArray[np.float64]
TOLERANCE: Final = 1e-11
"""Twice the gain to come, relative to the value, at which a climb ends."""
ALIKE: Final = 1e-7
"""Difference in penalised log-likelihood, relative, below which two ends are one."""
SPREAD: Final = 0.5
"""Standard deviation of coordinates drawn at random."""


@dataclass(frozen=True, eq=False)
class Summit:
    """Where a climb, or the best of several, ended.

    Attributes:
        beta: (p,) the parameters.
        value: penalised log-likelihood (nats).
        starts: climbs with circles that were made.
        agreed: how many of them ended here.

    """

    beta: Array
    value: float
    starts: int = 0
    agreed: int = 0


def climb_flat(likelihood: CyclicLikelihood) -> Summit:
    """Return the maximum without circles."""
    k, width = likelihood.shape
    start = likelihood.law.start(likelihood.counts.counts)
    return _climb(
        likelihood, np.append(np.zeros(k * width), [start] if likelihood.law.free else [])
    )


def climb_all(
    likelihood: CyclicLikelihood, flat: Summit, starts: int, rng: np.random.Generator
) -> Summit:
    """Return the best maximum of several starts.

    Args:
        likelihood: the penalised likelihood.
        flat: its maximum without circles; where none has a larger value, that is the maximum.
        starts: how many, the first of which is no chance.
        rng: for the others.

    Raises:
        NotConverged: no start ended.

    """
    k, width = likelihood.shape
    firsts = [spectral_start(likelihood, flat)]
    firsts += [rng.normal(0, SPREAD, (k, width - 1)) for _ in range(starts - 1)]
    ends = []
    for coordinates in firsts:
        beta = flat.beta.copy()
        beta[: k * width].reshape(k, width)[:, 1:] = coordinates
        try:
            ends.append(_climb(likelihood, beta))
        except NotConverged:
            continue
    if not ends:
        raise NotConverged(
            f"none of {starts} starts ended at a maximum", ["take another seed or more starts"]
        )
    best = max([flat, *ends], key=lambda end: end.value)
    if best.value <= flat.value + ALIKE * (1 + abs(flat.value)):
        best = flat
    near = best.value - ALIKE * (1 + abs(best.value))
    return replace(best, starts=starts, agreed=sum(end.value >= near for end in ends))


def spectral_start(likelihood: CyclicLikelihood, flat: Summit) -> Array:
    """Return (K, 2k) coordinates along what the residuals without circles have most of.

    They are as long as one step of Newton's would make them in the first plane.
    """
    local = likelihood.local(flat.beta)
    residuals = likelihood.residuals(local)
    planes = principal_planes(residuals, likelihood.planes)
    lengths = np.sqrt((planes**2).sum(axis=0))
    unit = planes / np.where(lengths > 0, lengths, 1.0)
    skew = np.outer(unit[:, 0], unit[:, 1]) - np.outer(unit[:, 1], unit[:, 0])
    bend = float((likelihood.weights(local) * skew**2).sum()) / 2
    gain = float((residuals * skew).sum()) / 2
    return np.asarray(unit * np.sqrt(gain / bend)) if bend > 0 else unit


def principal_planes(skew: Array, planes: int) -> Array:
    """Return (K, 2k) coordinates c, k planes of largest size, with c Ω cᵀ near a skew matrix.

    Each plane is turned so that the system farthest out lies on the first axis.

    Args:
        skew: (K, K) skew-symmetric matrix.
        planes: k; planes beyond its rank are zero.

    >>> c = principal_planes(np.array([[0.0, 3.0], [-3.0, 0.0]]), 1)
    >>> float(round(c[0, 0] * c[1, 1] - c[0, 1] * c[1, 0], 9))
    3.0
    """
    size, vectors = np.linalg.eigh(1j * skew)
    found = np.zeros((len(skew), 2 * planes))
    for plane in range(min(planes, len(skew) // 2)):
        at = len(skew) - 1 - plane
        points = vectors[:, at].conj() * np.sqrt(2 * max(float(size[at]), 0.0))
        far = points[np.argmax(np.abs(points).round(9))]
        if abs(far) > 0:
            points = points * (abs(far) / far)
        found[:, 2 * plane], found[:, 2 * plane + 1] = points.real, points.imag
    return found


def _climb(likelihood: CyclicLikelihood, beta: Array) -> Summit:
    first = likelihood.expand(beta)
    at, _, _ = climb(
        likelihood.slope,
        (beta, first),
        first.information,
        tolerance=TOLERANCE,
        reach=likelihood.reach,
    )
    return Summit(at, likelihood.slope(at).value)
