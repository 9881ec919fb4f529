"""How far apart two scores are: weights of agreement on the declared scale.

A weighting says the disagreement δ of two scores; the weight of their agreement is

    w = 1 − δ / δ_max,   δ_max the largest disagreement on the scale

    identity   δ = [x ≠ y]              any difference is as bad as any other
    linear     δ = |x − y|              two points are twice as bad as one
    quadratic  δ = (x − y)²             two points are four times as bad as one
    radical    δ = √|x − y|             the first point is the worst
    ratio      δ = ((x − y) / (x + y))²  differences count by their share; scores from zero up

δ_max belongs to the scale as it was declared. Weights from the scores that happen to occur change
with the data: a scale of five of which judges used three has other weights, and another κ.
Source: Cohen (1968), Psychological Bulletin 70:213-220; Gwet (2014), Handbook of Inter-Rater
Reliability, 4th edition, section 3.5.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.sums import FINEST, Sums
from evenhand.errors import InvalidJudgments, NotIdentified, require_option

Array = NDArray[np.float64]

WEIGHTINGS: Final = ("identity", "linear", "quadratic", "radical", "ratio")


def disagree(x: Array, y: Array, weighting: str) -> Array:
    """Return the disagreement δ of scores, elementwise.

    Args:
        x: scores.
        y: other scores, of a shape that fits.
        weighting: identity | linear | quadratic | radical | ratio.

    Raises:
        UnknownOption: there is no such weighting.

    >>> disagree(np.array([1.0, 4.0]), np.array([3.0, 4.0]), "quadratic").tolist()
    [4.0, 0.0]
    """
    require_option("weighting", weighting, WEIGHTINGS)
    gap = np.abs(x - y)
    if weighting == "identity":
        return np.asarray(gap > 0, dtype=np.float64)
    if weighting == "linear":
        return np.asarray(gap)
    if weighting == "quadratic":
        return np.asarray(gap**2)
    if weighting == "radical":
        return np.asarray(np.sqrt(gap))
    both = x + y
    return np.asarray((gap / np.where(both == 0, 1.0, both)) ** 2)  # 0 and 0 are 0 apart


def weight_agreement(points: Array, weighting: str = "identity") -> Array:
    """Return the (K, K) weights of agreement on a scale, 1 on the diagonal.

    Args:
        points: (K,) the scores of the scale, ascending.
        weighting: identity | linear | quadratic | radical | ratio.

    Raises:
        UnknownOption: there is no such weighting.
        InvalidJudgments: ratios of scores below zero.

    >>> weight_agreement(np.array([1.0, 2.0, 3.0]), "linear").tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]
    """
    check_weighting(points, weighting)
    apart = disagree(points[:, None], points[None, :], weighting)
    largest = apart.max(initial=0.0)
    return 1 - apart / largest if largest > 0 else np.ones_like(apart)


def check_weighting(points: Array, weighting: str) -> None:
    """Refuse a weighting that scores of a scale cannot have.

    Raises:
        InvalidJudgments: ratios of scores below zero.

    """
    if weighting == "ratio" and points[0] < 0:
        raise InvalidJudgments(
            f"ratios need scores that start at zero; there is {points[0]:g}: use quadratic weights"
        )


def expect_disagreement(mass: Array, points: Array, weighting: str) -> Array:
    """Return Σ_c Σ_k mass_c mass_k δ_ck, in time linear in the points where a closed form is known.

    Args:
        mass: (B, K) scores, or shares, by point.
        points: (K,) the scores, ascending.
        weighting: identity | linear | quadratic | radical | ratio.

    Raises:
        NotIdentified: radical or ratio weights, or shares, of too many different scores.

    >>> expect_disagreement(np.array([[1.0, 2.0]]), np.array([1.0, 3.0]), "linear").tolist()
    [8.0]
    """
    total = mass.sum(axis=1)
    if weighting == "identity":
        return np.asarray(total**2 - (mass**2).sum(axis=1))
    if weighting == "linear":
        below = np.cumsum(mass, axis=1)[:, :-1]
        return np.asarray(2 * (below * (total[:, None] - below)) @ np.diff(points))
    if weighting == "quadratic":
        middle = points - points.mean()  # small numbers, so that nothing cancels
        return np.asarray(2 * (total * (mass @ middle**2) - (mass @ middle) ** 2))
    if len(points) > FINEST:
        raise NotIdentified(
            f"{len(points):,} different scores are too many for {weighting} weights",
            ["use linear or quadratic weights"],
        )
    apart = disagree(points[:, None], points[None, :], weighting)
    return np.asarray(np.einsum("bc,bc->b", mass @ apart, mass))


def disagreements(sums: Sums, weighting: str) -> Array:
    """Return (C,) the disagreement δ of each entry of the coincidences."""
    found = sums.coincidences
    points = found.points
    return disagree(points[found.low], points[found.high], weighting)
