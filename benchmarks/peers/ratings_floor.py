"""DuckDB reads the ratings and averages them by system."""

import duckdb

from benchmarks.peers import Values, parquet


def group_by(path: str) -> Values:
    """One mean for each system."""
    query = f"SELECT system, avg(score), count(*) FROM {parquet(path)} GROUP BY ALL"
    duckdb.execute(query).fetchnumpy()
    return {}
