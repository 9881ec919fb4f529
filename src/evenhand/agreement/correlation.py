"""Do judges rise and fall together: Pearson's and Spearman's correlation of two judges.

Both ignore how severe a judge is; Spearman's ignores distances too. Correlations are taken over
the units that both judges scored, ranks (ties their mean) within them. A judge is also set
against the mean of the others' scores on each unit, which is steadier than pair by pair.

When not to use it: judges who correlate may still disagree in every score; see `icc` and `alpha`.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.overlap import Overlap, PairMeasure
from evenhand.agreement.units import Units
from evenhand.numerics.grouping import rank_within, sum_above

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
FEWEST: Final = 3
"""Units from which a correlation can be anything but -1 or 1."""
DIGITS: Final = 12
"""Decimals of a mean of scores: what differs further back is rounding."""


def correlate_pairs(overlap: Overlap, *, ranks: bool = False) -> PairMeasure:
    """Return the correlation of pairs of judges.

    Args:
        overlap: their scores on common units.
        ranks: Spearman's correlation rather than Pearson's.

    Returns:
        correlations, NaN where a judge gave one score throughout or common units are fewer than
        three; and z_x z_y − r (z_x² + z_y²) / 2 for a pair of scores, in units of standard
        deviations, to which Spearman's adds what the scores do to the ranks of others.

    """
    groups, points = overlap.pair, overlap.points
    x, y = points[overlap.x], points[overlap.y]
    values = correlate_within(groups, x, y, ranks=ranks)
    r = np.where(np.isnan(values), 0.0, values)[groups]
    a, b = (rank_within(groups, one) for one in (x, y)) if ranks else (x, y)
    (zx, sx), (zy, sy) = _standardise(groups, a), _standardise(groups, b)
    influence = zx * zy - r * (zx**2 + zy**2) / 2
    if ranks:
        influence += sum_above(groups, x, zy - r * zx) / sx[groups]
        influence += sum_above(groups, y, zx - r * zy) / sy[groups]
    return PairMeasure(values, influence)


def correlate_within(groups: Numbers, x: Array, y: Array, *, ranks: bool = False) -> Array:
    """Return the correlation of x and y within each group.

    Args:
        groups: (m,) dense numbers of groups.
        x: (m,) values.
        y: (m,) values beside them.
        ranks: Spearman's correlation rather than Pearson's.

    Returns:
        (G,) correlations, NaN where x or y is constant or the group has fewer than three rows.

    >>> x, y = np.array([[1.0, 2, 3, 9], [2.0, 1, 3, 30]])
    >>> correlate_within(np.zeros(4, np.int64), x, y, ranks=True).tolist()
    [0.8]
    """
    if ranks:
        x, y = rank_within(groups, x), rank_within(groups, y)
    sizes = np.bincount(groups)
    varies = _varies(groups, x) & _varies(groups, y) & (sizes >= FEWEST)
    dx, dy = (v - (np.bincount(groups, v) / sizes)[groups] for v in (x, y))
    xx, yy, xy = (np.bincount(groups, v) for v in (dx * dx, dy * dy, dx * dy))
    found = xy / np.sqrt(np.where(varies, xx * yy, 1.0))
    return np.where(varies, np.clip(found, -1.0, 1.0), np.nan)


def correlate_with_others(units: Units, *, ranks: bool = False) -> Array:
    """Return each judge's correlation with the mean of the others' scores on the same units.

    Args:
        units: scores by unit, one of each judge.
        ranks: Spearman's correlation rather than Pearson's.

    Returns:
        (J,) correlations, NaN where the judge or the others gave one score throughout, or fewer
        than three units are shared.

    """
    kept = np.repeat(units.several, units.sizes)
    own, judge = units.points[units.code[kept]], units.judge[kept]
    sizes = units.sizes[units.several]
    unit = np.repeat(np.arange(len(sizes)), sizes)
    others = np.bincount(unit, own)[unit] - own
    found = np.full(len(units.rows.judges), np.nan)
    judges, groups = np.unique(judge, return_inverse=True)
    means = np.round(others / (sizes[unit] - 1), DIGITS)
    found[judges] = correlate_within(groups.reshape(-1), own, means, ranks=ranks)
    return found


def _standardise(groups: Numbers, values: Array) -> tuple[Array, Array]:
    """Return (m,) values less their group's mean by its spread, and (G,) spreads; 1 for none."""
    sizes = np.bincount(groups)
    centred = values - (np.bincount(groups, values) / sizes)[groups]
    spread = np.sqrt(np.bincount(groups, centred**2) / sizes)
    spread = np.where(spread > 0, spread, 1.0)
    return centred / spread[groups], spread


def _varies(groups: Numbers, values: Array) -> NDArray[np.bool_]:
    """(G,) whether a group has two different values."""
    opening = np.empty(int(groups.max(initial=-1)) + 1)
    opening[groups[::-1]] = values[::-1]
    return np.asarray(np.bincount(groups, values != opening[groups]) > 0)
