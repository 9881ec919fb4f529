"""krippendorff: one α, no interval, from how often each score was given to each output."""

import krippendorff
import numpy as np
from numpy.typing import NDArray

from benchmarks.peers import Worths
from benchmarks.peers.agreement_counts import POINTS, by_duckdb, by_polars


def duckdb_once(path: str) -> Worths:
    """One score per judge, counted by DuckDB."""
    return interval(by_duckdb(path, once=True))


def polars_once(path: str) -> Worths:
    """One score per judge, counted by Polars."""
    return interval(by_polars(path, once=True))


def duckdb_all(path: str) -> Worths:
    """All scores, counted by DuckDB."""
    return interval(by_duckdb(path, once=False))


def polars_all(path: str) -> Worths:
    """All scores, counted by Polars."""
    return interval(by_polars(path, once=False))


def interval(counts: NDArray[np.int64]) -> Worths:
    """The interval α alone."""
    alpha = krippendorff.alpha(
        value_counts=counts, value_domain=list(POINTS), level_of_measurement="interval"
    )
    return {"alpha-interval": float(alpha)}
