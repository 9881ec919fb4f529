"""DuckDB reads the file and counts the scores of every output. No coefficient.

A yardstick rather than a floor: what codes rows without hashing text may be faster.
"""

import duckdb

from benchmarks.peers import Worths, parquet

BY_OUTPUT = "SELECT item, system, score, count(*) AS n FROM {} GROUP BY ALL"
ONE_COLUMN = "SELECT score, count(*) AS n FROM {} GROUP BY score"


def by_output(path: str) -> Worths:
    """How often each score was given to each output: what all coefficients but n-agreement need."""
    duckdb.execute(BY_OUTPUT.format(parquet(path))).fetchnumpy()
    return {}


def one_column(path: str) -> Worths:
    """How often each score was given at all: no other column is read."""
    duckdb.execute(ONE_COLUMN.format(parquet(path))).fetchnumpy()
    return {}
