"""Which of many contrasts differ from zero, all claims holding together at one level.

The largest |t*| over all contrasts in worlds in which none differs gives a critical value; what
exceeds it is decided and leaves the family, and the rest is asked again (Romano & Wolf 2005, Exact
and approximate stepwise methods for multiple hypothesis testing, JASA 100:94-108). Of several
sources of worlds, such as resampled judges and resampled items, each step takes the larger critical
value (INFERENCE B3).

The critical value is an order statistic, the ⌈level (B + 1)⌉-th smallest of B, which makes the test
exact where worlds and data are exchangeable.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments
from evenhand.numerics.distributions import t_quantile

# Adjust p-values for the number of tests.
#
# Holm (1979)                    p(i) → max_{j ≤ i} min(1, (m − j + 1) p(j)): family-wise error
# Benjamini & Hochberg (1995)    p(i) → min_{j ≥ i} min(1, m p(j) / j): false discovery rate
#
# p(1) ≤ ... ≤ p(m). Holm's holds whatever the dependence between the tests; Benjamini and
# Hochberg's under independence or positive dependence, which comparisons that share systems only
# resemble: when an error would be dear, use Holm's.

Array = NDArray[np.float64]


def holm(p: Array) -> Array:
    """Return p-values adjusted so that any false rejection at all is as rare as the level.

    p: (m,) p-values.
    """
    order, ascending = _sort(p)
    m = len(p)
    raised = np.minimum(np.maximum.accumulate(ascending * np.arange(m, 0, -1)), 1.0)
    return _put_back(order, raised)


def benjamini_hochberg(p: Array) -> Array:
    """Return p-values adjusted so that of all rejections a share of the level is false.

    p: (m,) p-values.
    """
    order, ascending = _sort(p)
    m = len(p)
    raised = np.minimum(ascending * m / np.arange(1, m + 1), 1.0)
    return _put_back(order, np.minimum.accumulate(raised[::-1])[::-1])


def _sort(p: Array) -> tuple[NDArray[np.intp], Array]:
    if not ((p >= 0) & (p <= 1)).all():
        raise InvalidJudgments("p-values lie between 0 and 1: something else cannot be adjusted")
    order = np.argsort(p, kind="stable")
    return order, p[order]


def _put_back(order: NDArray[np.intp], values: Array) -> Array:
    back = np.empty(len(order))
    back[order] = values
    return back


Truths = NDArray[np.bool_]


def order_statistic(draws: NDArray[Any], level: float) -> Array:
    """Return the ⌈level (B + 1)⌉-th smallest of B draws along the first axis; ∞ beyond the last.

    >>> order_statistic(np.arange(1.0, 1000), 0.95), order_statistic(np.array([1.0, 2]), 0.95)
    (array(950.), array(inf))
    """
    place = ceil(round(level * (len(draws) + 1), 9)) - 1
    if place >= len(draws):
        return np.full(draws.shape[1:], np.inf)
    return np.asarray(np.partition(draws, place, axis=0)[place], dtype=np.float64)


def step_down(
    statistic: Array, worlds: Sequence[NDArray[Any]], level: float
) -> tuple[Truths, tuple[float, ...]]:
    """Decide contrasts.

    statistic: (P,) |t| of the data.
    worlds: from each source (B, P) |t*| of worlds in which no contrast differs from zero.
    level: at which all claims hold together (proportion).
    Returns: (P,) whether each is decided, and the critical value of every step.
    """
    decided = np.zeros(len(statistic), dtype=np.bool_)
    critical: list[float] = []
    while not decided.all():
        # a row for each contrast: of worlds that are stored so the chosen are copied in one piece
        largest = [draws.T[~decided].max(axis=0) for draws in worlds]
        critical.append(max(float(order_statistic(one, level)) for one in largest))
        fresh = ~decided & (statistic > critical[-1])
        if not fresh.any():
            break
        decided |= fresh
    return decided, tuple(critical)


def step_down_holm(statistic: Array, df: float, level: float) -> tuple[Truths, tuple[float, ...]]:
    """Decide contrasts by Holm's method, which needs no worlds and knows no correlations.

    statistic: (P,) |t| of the data.
    level: at which all claims hold together (proportion).
    """
    decided = np.zeros(len(statistic), dtype=np.bool_)
    critical: list[float] = []
    while not decided.all():
        family = int(len(decided) - decided.sum())
        critical.append(t_quantile(1 - (1 - level) / (2 * family), df))
        fresh = ~decided & (statistic > critical[-1])
        if not fresh.any():
            break
        decided |= fresh
    return decided, tuple(critical)
