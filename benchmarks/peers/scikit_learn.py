"""scikit-learn: logistic regression without a penalty on a sparse design that the user builds.

A tie is two half-weighted rows, one for each outcome; no standard errors.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from benchmarks.peers import Worths, centred, coded, grouped

Array = NDArray[Any]


def duckdb_counts(path: str) -> Worths:
    """One weighted row per pair and outcome, from a GROUP BY."""
    return weighted(grouped.counts(path))


def duckdb_filters(path: str) -> Worths:
    """The same, counted in one pass."""
    return weighted(grouped.counts(path, grouped.FILTERED))


def weighted(cells: grouped.Counts) -> Worths:
    """Log-worths from counts."""
    half = cells.ties / 2
    weight = np.concatenate([cells.wins + half, cells.losses + half])
    seen = weight > 0
    rows = design(np.tile(cells.left, 2), np.tile(cells.right, 2), len(cells.systems))
    won = np.repeat([True, False], len(cells.left))
    return fitted(cells.systems, rows[seen], won[seen], weight[seen])


def polars_codes(path: str) -> Worths:
    """One row per row of the file, from integer codes."""
    codes = coded.codes(path)
    tie = codes.outcome == coded.TIE
    left = np.concatenate([codes.left, codes.left[tie]])
    right = np.concatenate([codes.right, codes.right[tie]])
    halves = np.full(int(tie.sum()), 0.5)
    won = np.concatenate([codes.outcome != coded.RIGHT, np.zeros(len(halves), dtype=bool)])
    weight = np.concatenate([np.where(tie, 0.5, 1.0), halves])
    return fitted(codes.systems, design(left, right, len(codes.systems)), won, weight)


def design(left: Array, right: Array, k: int) -> sparse.csr_matrix:
    """Rows with +1 for the left system and -1 for the right one: (n, K)."""
    n = len(left)
    column = np.empty(2 * n, dtype=np.int32)
    column[::2], column[1::2] = left, right
    start = np.arange(0, 2 * n + 1, 2, dtype=np.int32)
    return sparse.csr_matrix((np.tile([1.0, -1.0], n), column, start), shape=(n, k))


def fitted(systems: list[str], rows: sparse.csr_matrix, won: Array, weight: Array) -> Worths:
    """Log-worths by L-BFGS, the solver that was fastest here, to a gradient of 1e-8."""
    model = LogisticRegression(
        C=np.inf, fit_intercept=False, solver="lbfgs", tol=1e-8, max_iter=1_000
    )
    return centred(systems, model.fit(rows, won, sample_weight=weight).coef_[0])
