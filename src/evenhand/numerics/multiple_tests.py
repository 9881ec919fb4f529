"""Which of many contrasts differ from zero, all claims holding together at one level.

The largest |t*| over all contrasts in replicates in which none differs gives a critical value; what
exceeds it is decided and leaves the family, and the rest is tested again (Romano & Wolf 2005, Exact
and approximate stepwise methods for multiple hypothesis testing, JASA 100:94-108). Of several
sources of replicates, such as resampled judges and resampled items, each step takes the larger
critical value.

The critical value is an order statistic, the ⌈level (B + 1)⌉-th smallest of B, which makes the test
exact where replicates and data are exchangeable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments
from evenhand.numerics import Array, Flags
from evenhand.numerics.distributions import t_quantile

# Holm (1979)                    p(i) → max_{j ≤ i} min(1, (m − j + 1) p(j)): family-wise error
# Benjamini & Hochberg (1995)    p(i) → min_{j ≥ i} min(1, m p(j) / j): false discovery rate
#
# p(1) ≤ ... ≤ p(m). Holm's holds whatever the dependence between the tests; Benjamini and
# Hochberg's under independence or positive dependence, which comparisons that share systems only
# resemble: when an error would be dear, use Holm's.


def holm(p: Array) -> Array:
    """Return (m,) p-values adjusted so that any false rejection at all is as rare as the level."""
    order = _sort(p)
    raised = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted


def benjamini_hochberg(p: Array) -> Array:
    """Return (m,) p-values adjusted so that of all rejections a share of the level is false."""
    order = _sort(p)
    raised = np.minimum(p[order] * len(p) / np.arange(1, len(p) + 1), 1.0)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum.accumulate(raised[::-1])[::-1]
    return adjusted


def _sort(p: Array) -> NDArray[np.intp]:
    if not ((p >= 0) & (p <= 1)).all():
        raise InvalidJudgments("p-values lie between 0 and 1: something else cannot be adjusted")
    return np.argsort(p, kind="stable")


def order_statistic(draws: NDArray[Any], level: float) -> Array:
    """Return the ⌈level (B + 1)⌉-th smallest of B draws along the first axis; ∞ beyond the last."""
    place = ceil(round(level * (len(draws) + 1), 9)) - 1
    if place >= len(draws):
        return np.full(draws.shape[1:], np.inf)
    return np.asarray(np.partition(draws, place, axis=0)[place], dtype=np.float64)


def step_down(
    statistic: Array, replicates: Sequence[NDArray[Any]], level: float
) -> tuple[Flags, tuple[float, ...]]:
    """Return which of (P,) |t| (B, P) replicates of each source decide, and all criticals."""

    def find_critical(left: Flags) -> float:
        # a row for each contrast: of draws that are stored so the chosen are copied in one piece
        largest = [draws.T[left].max(axis=0) for draws in replicates]
        return max(float(order_statistic(draws, level)) for draws in largest)

    return _step(statistic, find_critical)


def adjust_by_steps(statistic: Array, replicates: Sequence[NDArray[Any]]) -> Array:
    """Return (P,) p-values of the same test: `step_down` decides those of 1 − level at most."""
    order = np.argsort(statistic, kind="stable")
    p = np.zeros(len(statistic))
    for draws in replicates:
        # of each contrast the largest of all that are no larger in the data
        largest = np.maximum.accumulate(draws[:, order], axis=1)
        beyond = (largest >= statistic[order]).sum(axis=0)
        p = np.maximum(p, (1 + beyond) / (len(draws) + 1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(p[::-1])[::-1]
    return adjusted


def step_down_holm(statistic: Array, df: float, level: float) -> tuple[Flags, tuple[float, ...]]:
    """Decide contrasts by Holm's method, which needs no replicates and knows no correlations."""

    def find_critical(left: Flags) -> float:
        return t_quantile(1 - (1 - level) / (2 * int(left.sum())), df)

    return _step(statistic, find_critical)


def _step(
    statistic: Array, find_critical: Callable[[Flags], float]
) -> tuple[Flags, tuple[float, ...]]:
    left = np.ones(len(statistic), dtype=np.bool_)
    critical: list[float] = []
    while left.any():
        critical.append(find_critical(left))
        fresh = left & (statistic > critical[-1])
        if not fresh.any():
            break
        left &= ~fresh
    return ~left, tuple(critical)


def absolute_t(estimate: NDArray[Any], variance: NDArray[Any]) -> NDArray[Any]:
    """Return |t|, infinite where nothing varies: such a replicate says that all may happen."""
    if (variance > 0).all():  # a division with a mask takes three times as long
        return np.asarray(np.abs(estimate) / np.sqrt(variance))
    endless = np.full_like(estimate, np.inf)
    spread = np.sqrt(np.maximum(variance, 0))
    return np.asarray(np.divide(np.abs(estimate), spread, out=endless, where=spread > 0))
