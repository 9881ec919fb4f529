"""DuckDB reads the comparisons and counts them by item and pair."""

import duckdb

from benchmarks.peers import Values, parquet


def group_by(path: str) -> Values:
    """What all item-response models need."""
    query = f'SELECT item, "left", "right", outcome, count(*) FROM {parquet(path)} GROUP BY ALL'
    duckdb.execute(query).fetchnumpy()
    return {}
