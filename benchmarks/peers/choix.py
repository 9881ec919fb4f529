"""choix: iterative Luce spectral ranking on a dense matrix that the user builds.

Ties are dropped; no standard errors.
"""

import choix
import numpy as np
from numpy.typing import NDArray

from benchmarks.peers import Worths, centred, coded, grouped


def duckdb_counts(path: str) -> Worths:
    """The matrix from a GROUP BY."""
    cells = grouped.counts(path)
    k = len(cells.systems)
    won = np.bincount(cells.left * k + cells.right, cells.wins, k * k)
    lost = np.bincount(cells.right * k + cells.left, cells.losses, k * k)
    return fitted(cells.systems, np.asarray(won + lost, dtype=float).reshape(k, k))


def polars_codes(path: str) -> Worths:
    """The matrix from integer codes."""
    rows = coded.codes(path)
    k = len(rows.systems)
    left, right = rows.left.astype(np.int64), rows.right.astype(np.int64)
    won, lost = rows.outcome == coded.LEFT, rows.outcome == coded.RIGHT
    key = np.concatenate([left[won] * k + right[won], right[lost] * k + left[lost]])
    return fitted(rows.systems, np.bincount(key, minlength=k * k).reshape(k, k).astype(float))


def fitted(systems: list[str], wins: NDArray[np.float64]) -> Worths:
    """Log-worths from wins[i, j], the times that i won against j."""
    return centred(systems, choix.ilsr_pairwise_dense(wins))
