"""Kendall's coefficient of concordance W: do judges put outputs in one order?

Each of m judges ranks n units, ties sharing the mean of theirs; R_i are the sums of ranks:

    W = 12 Σ_i (R_i − m (n + 1) / 2)² / (m² (n³ − n) − m Σ_j T_j),   T_j = Σ (t³ − t) over ties
    χ² = m (n − 1) W on n − 1 degrees of freedom

W is 1 where all judges give the same ranks and 0 where rank sums are all equal; the mean Spearman
correlation of two judges is (m W − 1) / (m − 1) where none ties. χ² is Friedman's test with judges
as blocks.

Sources: Kendall & Babington Smith (1939), Annals of Mathematical Statistics 10:275-287; Kendall
(1948), Rank Correlation Methods. When not to use it: judges who scored different outputs (complete
blocks only), and few points on the scale, where ties leave little order to agree on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.coefficient import Coefficient
from evenhand.agreement.complete import find_block
from evenhand.agreement.units import Units
from evenhand.errors import NotIdentified
from evenhand.numerics.distributions import chi2_tail
from evenhand.numerics.places import average_ranks, concord_ranks

Array = NDArray[np.float64]
NAME, TITLE = "kendall-w", "Kendall's W"


@dataclass(frozen=True)
class Concordance:
    """Kendall's W of some judges.

    Attributes:
        w: concordance (proportion).
        statistic: χ² of no concordance.
        df: its degrees of freedom.
        p: its p-value.
        judges: number m of judges.
        units: number n of units.

    """

    w: float
    statistic: float
    df: int
    p: float
    judges: int
    units: int


def find_concordance(scores: Array) -> Concordance:
    """Return Kendall's W, corrected for ties.

    Args:
        scores: (n, m) score of each unit (row) by each judge (column), without holes.

    Raises:
        NotIdentified: fewer than two units or judges, or every judge scored all units alike.

    >>> found = find_concordance(np.array([[1.0, 2, 1], [2, 3, 3], [3, 5, 2]]))
    >>> round(found.w, 4), round(found.statistic, 4)
    (0.7778, 4.6667)
    """
    n, m = scores.shape
    if n < 2 or m < 2:
        few = f"{n} output{'s' * (n != 1)}" if n < 2 else f"{m} judge{'s' * (m != 1)}"
        raise NotIdentified(f"{TITLE} needs two outputs and two judges: there are {few}")
    w = concord_ranks(average_ranks(scores.T))
    if w is None:
        raise NotIdentified(f"{TITLE} has no value: every judge scored all outputs alike")
    statistic = m * (n - 1) * w
    return Concordance(w, statistic, n - 1, chi2_tail(statistic, n - 1), m, n)


def concordance_coefficient(units: Units) -> Coefficient:
    """Return Kendall's W for scores that may have holes, or why there is none.

    A table with holes is cut as for the ICC, which is noted.

    Args:
        units: scores by unit, one of each judge.

    """
    try:
        block = find_block(units)
        found = find_concordance(block.scores)
    except NotIdentified as refusal:
        return Coefficient(NAME, TITLE, None, why=str(refusal))
    cut = (block.note,) if block.note else ()
    p = f"p {found.p:.4f}" if found.p >= 0.0001 else "p <.0001"
    test = f"χ² {found.statistic:.1f} on {found.df:,} degrees of freedom, {p}"
    return Coefficient(
        NAME,
        TITLE,
        found.w,
        units=found.units,
        ratings=found.units * found.judges,
        notes=(*cut, test),
    )
