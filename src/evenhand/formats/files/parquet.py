"""Parquet: columns keep their types; only the footer is read before something is counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evenhand.errors import InvalidJudgments
from evenhand.formats.files.head import Head
from evenhand.formats.files.names import duckdb_name, name_files

if TYPE_CHECKING:
    import duckdb


def open_parquet(
    connection: duckdb.DuckDBPyConnection, heads: Sequence[Head], *, folders: bool
) -> duckdb.DuckDBPyRelation:
    """Return a relation over Parquet files.

    Folders named like `task=fr-en` become columns where `folders` says so: several files are read.

    Raises:
        InvalidJudgments: no rows.

    """
    names = [duckdb_name(head.path).replace("'", "''") for head in heads]
    files = "[" + ", ".join(f"'{name}'" for name in names) + "]"
    counted = connection.execute(
        f"select sum(num_rows) from parquet_file_metadata({files})"
    ).fetchone()
    if counted is None or not counted[0]:
        raise InvalidJudgments(f"{name_files([h.path for h in heads])} holds columns but no rows")
    hive = "true" if folders else "false"
    return connection.sql(
        f"select * from read_parquet({files}, binary_as_string = true, hive_types_autocast = false,"
        f" hive_partitioning = {hive})"
    )
