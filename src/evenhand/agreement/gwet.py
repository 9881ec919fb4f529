"""Gwet's AC1 and AC2, and coefficients that differ from them in what they call chance.

    coefficient = (P_a − P_e) / (1 − P_e)
    P_a = mean over units of two or more judges of the mean weight w of their pairs of scores

    AC1, AC2           P_e = T_w / (q (q − 1)) Σ_k π_k (1 − π_k)      AC1: identity weights
    Brennan-Prediger   P_e = T_w / q²
    π (Fleiss' kind)   P_e = Σ_k Σ_l w_kl π_k π_l

T_w is the sum of all weights, q the number of points of the scale, π_k the mean over all units,
those of one judge among them, of the share of their scores at k. Sources: Gwet (2008), British
Journal of Mathematical and Statistical Psychology 61:29-48; Gwet (2014), Handbook of Inter-Rater
Reliability, 4th edition, chapters 2-5; Brennan & Prediger (1981), Educational and Psychological
Measurement 41:687-699.

AC1 stays high where nearly all scores are alike and κ falls to zero: it takes chance for small
there. What it ignores: that such data can tell good judges from lucky ones only in the rare cases.
When not to use it: as a stand-in for κ without saying so; the two disagree most where it matters.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.sums import Ratio, Sums, check_categories
from evenhand.agreement.weights import (
    check_weighting,
    disagree,
    disagreements,
    expect_disagreement,
)
from evenhand.errors import NotIdentified

Array = NDArray[np.float64]


def weighted_agreement(sums: Sums, weighting: str = "identity") -> Ratio:
    """Return P_a, the mean weight of pairs of scores, one per resample."""
    largest = _largest(sums.points, weighting)
    return Ratio(sums.units - sums.per_unit(disagreements(sums, weighting)) / largest, sums.units)


def gwet_ac(sums: Sums, weighting: str = "identity") -> Ratio:
    """Return AC1 (identity weights) or AC2, one per resample.

    Raises:
        NotIdentified: the scale has one point, or too many.

    """
    q = _categories(sums)
    shares = sums.all_shares
    spread = (shares * (1 - shares)).sum(axis=1)
    return _correct(sums, weighting, _total_weight(sums.points, weighting) / (q * (q - 1)) * spread)


def brennan_prediger(sums: Sums, weighting: str = "identity") -> Ratio:
    """Return Brennan and Prediger's coefficient, one per resample.

    Raises:
        NotIdentified: the scale has one point, or too many.

    """
    q = _categories(sums)
    chance = np.full(len(sums.units), _total_weight(sums.points, weighting) / q**2)
    return _correct(sums, weighting, chance)


def gwet_pi(sums: Sums, weighting: str = "identity") -> Ratio:
    """Return the coefficient of Fleiss' kind for unequal numbers of judges, one per resample.

    It does not exist where all scores are alike.
    """
    _categories(sums)
    apart = expect_disagreement(sums.all_shares, sums.points, weighting)
    chance = 1 - apart / _largest(sums.points, weighting)
    found = _correct(sums, weighting, chance)
    several = (sums.all_shares > 0).sum(axis=1) > 1
    return Ratio(found.over, np.where(several, found.under, 0.0))


def _correct(sums: Sums, weighting: str, chance: Array) -> Ratio:
    agree = weighted_agreement(sums, weighting)
    observed = agree.over / np.where(agree.exists, agree.under, 1.0)
    return Ratio(observed - chance, np.where(agree.exists, 1 - chance, 0.0))


def _categories(sums: Sums) -> int:
    """Return the number of points of the scale.

    Raises:
        NotIdentified: it has one, or too many to be categories.

    """
    q = len(sums.points)
    if q < 2:
        raise NotIdentified(
            "all scores are alike, and chance depends on the scale",
            ["declare the scale, as in --scale 1-5"],
        )
    check_categories(sums.points)
    return q


def _largest(points: Array, weighting: str) -> float:
    """Return the largest disagreement on the scale."""
    check_weighting(points, weighting)
    if weighting == "ratio":
        return float(disagree(points[:, None], points[None, :], weighting).max(initial=0.0)) or 1.0
    return float(disagree(points[:1], points[-1:], weighting)[0]) or 1.0


def _total_weight(points: Array, weighting: str) -> float:
    """Return T_w, the sum of the weights of all pairs of points of the scale."""
    once = np.ones((1, len(points)))
    apart = float(expect_disagreement(once, points, weighting)[0])
    return len(points) ** 2 - apart / _largest(points, weighting)
