"""Parquet: columns keep their types; only the footer is read before something is counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evenhand.errors import InvalidJudgments
from evenhand.judgments.engine import quote

if TYPE_CHECKING:
    import duckdb


def open_parquet(
    connection: duckdb.DuckDBPyConnection, names: Sequence[str], said: str, *, folders: bool
) -> duckdb.DuckDBPyRelation:
    """Return a relation over Parquet files.

    Args:
        connection: what reads them.
        names: of the files, as DuckDB takes them.
        said: what they are called in messages.
        folders: whether folders named like `task=fr-en` become columns: several files are read.

    Raises:
        InvalidJudgments: no rows.

    """
    files = "[" + ", ".join(map(quote, names)) + "]"
    counted = connection.execute(
        f"select sum(num_rows) from parquet_file_metadata({files})"
    ).fetchone()
    if counted is None or not counted[0]:
        raise InvalidJudgments(f"{said} holds columns but no rows")
    hive = "true" if folders else "false"
    return connection.sql(
        f"select * from read_parquet({files}, binary_as_string = true, hive_types_autocast = false,"
        f" hive_partitioning = {hive})"
    )
