"""Outputs by scores, how often each was given: what krippendorff and statsmodels take.

`once` keeps one score of a judge for an output, as agreement between judges needs; without it a
judge who answered twice agrees with himself, and the column of judges is not read at all.
"""

import duckdb
import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.peers import parquet

POINTS = (1, 2, 3, 4, 5)
ONCE = "(SELECT item, system, first(score) AS score FROM {} GROUP BY item, system, judge)"


def by_duckdb(path: str, *, once: bool) -> NDArray[np.int64]:
    """One GROUP BY with a filtered count for each point."""
    counts = ", ".join(f"count(*) FILTER (score = {point}) AS n{point}" for point in POINTS)
    table = ONCE.format(parquet(path)) if once else parquet(path)
    query = f"SELECT {counts} FROM {table} GROUP BY item, system"
    return np.stack(list(duckdb.execute(query).fetchnumpy().values()), axis=1)


def by_polars(path: str, *, once: bool) -> NDArray[np.int64]:
    """The same in Polars."""
    counts = [
        (pl.col("score") == point).sum().cast(pl.Int64).alias(f"n{point}") for point in POINTS
    ]
    table = pl.scan_parquet(path)
    if once:
        table = table.unique(["item", "system", "judge"], keep="any")
    counted = table.group_by("item", "system").agg(counts).drop("item", "system")
    return counted.collect().to_numpy()
