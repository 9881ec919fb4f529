"""Adjust p-values for the number of tests.

    Holm (1979)                    p(i) → max_{j ≤ i} min(1, (m − j + 1) p(j)): family-wise error
    Benjamini & Hochberg (1995)    p(i) → min_{j ≥ i} min(1, m p(j) / j): false discovery rate

p(1) ≤ ... ≤ p(m). Holm's holds whatever the dependence between the tests; Benjamini and Hochberg's
under independence or positive dependence, which comparisons that share systems only resemble: when
an error would be dear, use Holm's.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments

Array = NDArray[np.float64]


def holm(p: Array) -> Array:
    """Return p-values adjusted so that any false rejection at all is as rare as the level.

    Args:
        p: (m,) p-values.

    Raises:
        InvalidJudgments: something is no p-value.

    >>> holm(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    order, ascending = _sort(p)
    m = len(p)
    raised = np.minimum(np.maximum.accumulate(ascending * np.arange(m, 0, -1)), 1.0)
    return _put_back(order, raised)


def benjamini_hochberg(p: Array) -> Array:
    """Return p-values adjusted so that of all rejections a share of the level is false.

    Args:
        p: (m,) p-values.

    Raises:
        InvalidJudgments: something is no p-value.

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.04, 0.04]
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
