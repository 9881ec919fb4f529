"""statsmodels: Fleiss' κ, no interval, from how often each score was given to each output."""

import numpy as np
from numpy.typing import NDArray
from statsmodels.stats.inter_rater import fleiss_kappa

from benchmarks.peers import Worths
from benchmarks.peers.agreement_counts import by_duckdb, by_polars


def duckdb_once(path: str) -> Worths:
    """One score per judge, counted by DuckDB."""
    return kappa(by_duckdb(path, once=True))


def polars_once(path: str) -> Worths:
    """One score per judge, counted by Polars."""
    return kappa(by_polars(path, once=True))


def duckdb_all(path: str) -> Worths:
    """All scores, counted by DuckDB."""
    return kappa(by_duckdb(path, once=False))


def polars_all(path: str) -> Worths:
    """All scores, counted by Polars."""
    return kappa(by_polars(path, once=False))


def kappa(counts: NDArray[np.int64]) -> Worths:
    """Fleiss' κ alone."""
    return {"fleiss": float(fleiss_kappa(counts))}
