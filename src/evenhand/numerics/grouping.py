"""Groups of rows that share their codes, and the pairs of rows within them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
_SPARE = 4
"""Codes up to this many times the rows are counted rather than sorted."""


def number_groups(*codes: NDArray[np.integer[Any]]) -> Numbers:
    """Number the different combinations of codes 0, 1, 2 ... in ascending order.

    Args:
        codes: (n,) codes, none negative; the first counts most in the order.

    Returns:
        (n,) number of each row's combination; every number below the highest occurs.

    >>> number_groups(np.array([7, 3, 7, 7]), np.array([0, 5, 0, 1])).tolist()
    [1, 0, 1, 2]
    """
    numbers = _close_ranks(codes[0].astype(np.int64))
    for more in codes[1:]:
        dense = _close_ranks(more.astype(np.int64))
        width = int(dense.max(initial=0)) + 1
        numbers = _close_ranks(numbers * width + dense)
    return numbers


def _close_ranks(values: Numbers) -> Numbers:
    """Number values in ascending order, without gaps."""
    if not len(values):
        return values
    if int(values.max()) < _SPARE * len(values):
        present = np.bincount(values) > 0
        return (np.cumsum(present) - 1)[values]
    return np.unique(values, return_inverse=True)[1].reshape(-1)


def pairs_within(groups: Numbers) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return all pairs of rows of the same group, each once, the earlier row first.

    Args:
        groups: (n,) number of each row's group.

    >>> first, second = pairs_within(np.array([0, 1, 0, 0]))
    >>> list(zip(first.tolist(), second.tolist()))
    [(0, 2), (0, 3), (2, 3)]
    """
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(np.bincount(groups))[groups[order]]
    place = np.arange(len(order))
    later = ends - place - 1
    first = np.repeat(place, later)
    skipped = np.cumsum(later) - later
    second = first + 1 + np.arange(len(first)) - skipped[first]
    return order[first], order[second]


def rank_within(groups: Numbers, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rank of each value within its group, 1 for the smallest, ties their mean.

    Args:
        groups: (n,) number of each row's group.
        values: (n,) what is ranked.

    >>> rank_within(np.array([0, 0, 1, 0]), np.array([5.0, 2.0, 7.0, 5.0])).tolist()
    [2.5, 1.0, 1.0, 2.5]
    """
    if not len(groups):
        return values
    order = np.lexsort((values, groups))
    g, v = groups[order], values[order]
    opens = np.r_[True, g[1:] != g[:-1]]
    steps = opens | np.r_[True, v[1:] != v[:-1]]
    place = np.arange(len(g))
    start = np.maximum.accumulate(np.where(opens, place, 0))
    run = np.cumsum(steps) - 1
    first = np.flatnonzero(steps)
    last = np.r_[first[1:], len(g)] - 1
    ranks = np.empty(len(g))
    ranks[order] = (first + last)[run] / 2 - start + 1
    return ranks


def sum_above(
    groups: Numbers, values: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the sum of the weights of higher values in the same group, half for equal ones.

    Args:
        groups: (n,) number of each row's group.
        values: (n,) what is compared.
        weights: (n,) what is added up; a row's own counts half.

    >>> sum_above(
    ...     np.array([0, 0, 0]), np.array([5.0, 2.0, 5.0]), np.array([1.0, 2.0, 4.0])
    ... ).tolist()
    [2.5, 6.0, 2.5]
    """
    if not len(groups):
        return values
    order = np.lexsort((values, groups))
    g, v = groups[order], values[order]
    closes = np.r_[g[1:] != g[:-1], True]
    steps = np.r_[True, closes[:-1] | (v[1:] != v[:-1])]
    first = np.flatnonzero(steps)
    last = np.r_[first[1:], len(g)]
    total = np.r_[0.0, np.cumsum(weights[order])]
    run = np.cumsum(steps) - 1
    ends = np.flatnonzero(closes) + 1
    whole = total[ends[np.cumsum(np.r_[0, closes[:-1]])]]
    found = np.empty(len(g))
    found[order] = whole - (total[last[run]] + total[first[run]]) / 2
    return found
