"""Pearson's and Spearman's correlation of two short columns, or None where there is none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.places import average_ranks

Array = NDArray[np.float64]
_SAME = 1e-12
"""A spread this small beside the values is rounding."""


def pearson(one: Array, other: Array) -> float | None:
    """Return Pearson's correlation, or None where a column does not vary.

    Args:
        one: (n,) numbers.
        other: (n,) numbers.

    >>> pearson(np.array([1.0, 2, 3]), np.array([2.0, 4, 6])), pearson(np.ones(3), np.arange(3.0))
    (1.0, None)
    """
    mine, theirs = one - one.mean(), other - other.mean()
    size = np.linalg.norm(mine), np.linalg.norm(theirs)
    least = _SAME * np.linalg.norm(one), _SAME * np.linalg.norm(other)
    if size[0] <= least[0] or size[1] <= least[1]:
        return None
    return float(np.clip((mine / size[0]) @ (theirs / size[1]), -1, 1))


def spearman(one: Array, other: Array) -> float | None:
    """Return Spearman's correlation of ranks, ties sharing the mean of theirs; None as `pearson`.

    >>> spearman(np.array([1.0, 2, 3]), np.array([2.0, 40, 6]))
    0.5
    """
    ranks = average_ranks(np.stack([one, other]))
    return pearson(ranks[0], ranks[1])
