"""The floor: the bare GROUP BY of the file in DuckDB. No fit; nothing that reads it can do less."""

import duckdb

from benchmarks.peers import Worths, parquet

GROUP_BY = "SELECT model_a, model_b, winner, count(*) AS n FROM {} GROUP BY ALL"
BY_JUDGE = "SELECT model_a, model_b, winner, judge, count(*) AS n FROM {} GROUP BY ALL"


def group_by(path: str) -> Worths:
    """Count by pair and outcome, and fetch the counts."""
    duckdb.execute(GROUP_BY.format(parquet(path))).fetchnumpy()
    return {}


def by_judge(path: str) -> Worths:
    """The same for each judge: what clustering by judge needs."""
    duckdb.execute(BY_JUDGE.format(parquet(path))).fetchnumpy()
    return {}
