"""Variances of tastes by moments: products of residuals of two votes of one judge (or item).

    U = Σ_g ‖S_g‖² − Σ_c ‖S_c‖²,   D = Σ_g ‖H_g‖² − Σ_c ‖H_c‖²

S and H are the sums of tastes/residuals.py over all votes of a judge g, and over the votes c that
may hang together for other reasons, those of one judge on one item: only products of votes of one
judge on different items are left, so that no model of their variance is needed. Worths are fitted
to the same votes and take the mean taste of judges and of items with them, so that to first order

    E U_J/D_J = (1 − 1/J) R_J − R_I/I,   E U_I/D_I = (1 − 1/I) R_I − R_J/J

These are solved together, none below 0. Test of R_J = 0: with R_I at hand, one-sided,

    z = (U_J/D_J + R_I/I) / √(2/D_J + 2/(D_I (I − 1)²))

The interval takes U/D for a mean of squares, χ² on as many degrees of freedom as the differences
between judges' U_g show; a bootstrap of judges covers less (docs/models/variance-components.md).
Where the test does not exclude 0 the upper end is normal.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.distributions import normal_quantile, t_quantile, two_sided_p
from evenhand.preference.tastes.residuals import Residuals, square_sums, square_votes

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

LEAST_TOLD: Final = 1e-6
"""Determinant from which tastes of judges and of items are told apart."""


@dataclass(frozen=True)
class Moment:
    """What one source of tastes looks like.

    Attributes:
        variance: R, not below 0.
        lower: lower end of its interval; 0 where the test does not exclude 0.
        upper: upper end; infinite where the data set no bound.
        z: of the test of 0.
        p: one-sided p-value.

    """

    variance: float
    lower: float
    upper: float
    z: float
    p: float


@dataclass(frozen=True, eq=False)
class Products:
    """Products of residuals of one judge (or item), summed.

    Attributes:
        scores: (J,) U of each judge.
        weights: (J,) D of each judge.
        systems: number of systems.
        effective: effective number of judges.

    """

    scores: Array
    weights: Array
    systems: int
    effective: float

    @property
    def ratio(self) -> float:
        """U/D of all."""
        return float(self.scores.sum() / self.weights.sum())

    @property
    def factor(self) -> float:
        """J/(J − 1), by what the common mean makes a variance smaller."""
        return len(self.scores) / (len(self.scores) - 1)


def sum_products(found: Residuals, owner: Integers, cell: Integers | None) -> Products | None:
    """Sum the products of residuals from which tastes of judges, or of items, are estimated.

    Args:
        found: residuals by entry.
        owner: (C,) judge of each entry, 0 to J − 1.
        cell: (C,) votes that may hang together for another reason, within owners; None where each
            vote stands for itself.

    Returns:
        None where nothing is known: one judge, or no two votes of one judge in different cells.

    """
    scores, weights = square_sums(found, owner)
    size = len(scores)
    if cell is None:
        less_scores, less_weights = square_votes(found, owner)
    else:
        cells, inner = _compact(cell, owner)
        less_scores, less_weights = (
            np.asarray(np.bincount(cells, one, size), float) for one in square_sums(found, inner)
        )
    u, d = scores - less_scores, weights - less_weights
    if size < 2 or float(d.sum()) <= 1e-9 * float(weights.sum()):
        return None
    loads = np.bincount(owner, found.weights, size)
    return Products(u, d, found.size, float(loads.sum() ** 2 / (loads @ loads)))


def conclude_alone(own: Products, level: float) -> Moment:
    """Estimate the variance of tastes of judges where nothing is known of items.

    Args:
        own: products.
        level: of the interval, and 1 − twice the level of the test.

    """
    return _conclude(own, level, 0.0, 0.0)


def conclude_both(judge: Products, item: Products, level: float) -> tuple[Moment, Moment]:
    """Estimate the variances of tastes of judges and of items together.

    Args:
        judge: products of judges.
        item: products of items.
        level: of the intervals, and 1 − twice the level of the tests.

    """
    variances = _solve(judge, item)
    pairs = ((judge, item, variances[1]), (item, judge, variances[0]))
    first, second = (
        _conclude(
            own,
            level,
            variance / other.effective,
            2 / float(other.weights.sum()) * (other.factor / other.effective) ** 2,
        )
        for own, other, variance in pairs
    )
    return first, second


def _solve(judge: Products, item: Products) -> tuple[float, float]:
    """Return R_J and R_I, none below 0; two judges on two items do not tell them apart."""
    matrix = np.array(
        [[1 / judge.factor, -1 / item.effective], [-1 / judge.effective, 1 / item.factor]]
    )
    ratios = np.array([judge.ratio, item.ratio])
    if np.linalg.det(matrix) < LEAST_TOLD:
        return max(judge.ratio, 0.0) * judge.factor, max(item.ratio, 0.0) * item.factor
    first, second = np.linalg.solve(matrix, ratios).tolist()
    if first < 0 or second < 0:
        first = 0.0 if first < 0 else max(judge.ratio, 0.0) * judge.factor
        second = 0.0 if second < 0 else max(item.ratio, 0.0) * item.factor
    return first, second


def _conclude(own: Products, level: float, shift: float, doubt: float) -> Moment:
    """Return estimate, interval and test from each judge's U and D.

    `shift` is what tastes of items take from U/D, `doubt` the variance of that by chance.
    """
    d, size, total = own.weights, len(own.scores), float(own.weights.sum())
    u, factor = own.scores + shift * d, own.factor
    chance = 2 / total + doubt
    ratio = factor * float(u.sum()) / total
    z = float(u.sum()) / total / sqrt(chance)
    p = two_sided_p(z) / 2 if z > 0 else 1 - two_sided_p(z) / 2
    quantile = normal_quantile((1 + level) / 2)
    left = u - ratio / factor * d
    error = factor * sqrt(float(left @ left) * size / (size - 1)) / total
    error *= t_quantile((1 + level) / 2, size - 1) / quantile
    if p >= 1 - level:  # 0 is not excluded
        widest = max(error, factor * sqrt(chance))
        return Moment(max(ratio, 0.0), 0.0, max(ratio, 0.0) + quantile * widest, z, p)
    df = min(2 * ratio**2 / error**2, (size - 1.0) * (own.systems - 1))
    return Moment(ratio, *_chi2_ends(ratio, df, level), z, p)


def _chi2_ends(ratio: float, df: float, level: float) -> tuple[float, float]:
    """Return the interval of the expectation of a mean of squares."""
    from scipy.special import chdtri

    high, low = (float(chdtri(df, one)) for one in ((1 - level) / 2, (1 + level) / 2))
    return ratio * df / high, ratio * df / low if low > 0 else inf


def _compact(cell: Integers, owner: Integers) -> tuple[Integers, Integers]:
    """Number the cells within owners: return the owner of each, and the cell of each entry."""
    keys = owner * (int(cell.max()) + 1) + cell
    found, inner = np.unique(keys, return_inverse=True)
    return found // (int(cell.max()) + 1), inner.reshape(-1)
