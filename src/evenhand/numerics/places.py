"""Places within rows of a table, ties sharing the mean of theirs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def average_ranks(table: Array) -> Array:
    """Return the rank of every value within its row, 1 for the smallest, ties their mean.

    Args:
        table: (n, k) values.

    >>> average_ranks(np.array([[2.0, 5.0, 2.0, 9.0]])).tolist()
    [[1.5, 3.0, 1.5, 4.0]]
    """
    rows, k = table.shape
    order = np.argsort(table, axis=1, kind="stable")
    ascending = np.take_along_axis(table, order, axis=1)
    rises = ascending[:, 1:] > ascending[:, :-1]
    edge = np.ones((rows, 1), dtype=np.bool_)
    place = np.arange(k)
    first = np.maximum.accumulate(np.where(np.hstack([edge, rises]), place, 0), axis=1)
    ends = np.where(np.hstack([rises, edge]), place, k)
    last = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty((rows, k))
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=1)
    return ranks


def concord_ranks(ranks: Array) -> float | None:
    """Return Kendall's W of rows of ranks, corrected for ties; None where no row tells any apart.

    Args:
        ranks: (m, n) ranks within each row, ties their mean.

    >>> concord_ranks(np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]]))
    0.75
    """
    m, n = ranks.shape
    centred = ranks - (n + 1) / 2
    spread = float((centred**2).sum())
    if not spread:
        return None
    together = float((centred.sum(axis=0) ** 2).sum())
    return float(min(together / (m * spread), 1.0))
