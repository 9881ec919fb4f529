"""Tables by a URL: Spark, DuckDB's own files, and every database that Ibis reaches.

    sc://HOST:PORT/TABLE                a Spark Connect server
    spark://local?path=votes.parquet    Spark in this process; spark://HOST:PORT for a cluster
    duckdb:///data/votes.db?table=votes a DuckDB file
    postgres://HOST/DB?table=votes      and every other name that Ibis connects to

The rows stay there: a query goes to the engine, and what it counts comes back.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from evenhand.errors import UnknownFormat, end, suggest
from evenhand.formats.addresses import Address, is_address, read_address

if TYPE_CHECKING:
    from evenhand.formats.table import Table

__all__ = ["is_address", "open_address"]

DATABASES: Final = (
    *("athena", "bigquery", "clickhouse", "databricks", "druid", "exasol", "flink", "impala"),
    *("materialize", "mssql", "mysql", "oracle", "postgres", "postgresql", "redshift"),
    *("risingwave", "singlestoredb", "snowflake", "sqlite", "trino"),
)
# Kinds of URLs that name files elsewhere, which are not opened here
STORES: Final = ("s3", "gs", "r2", "https")
_ROOMS: Final = {
    "sc": "spark",
    "spark": "spark",
    "duckdb": "duckdb_files",
    **dict.fromkeys(DATABASES, "databases"),
}


def open_address(text: str) -> Table:
    """Open the table that a URL names; of its rows nothing is read yet."""
    address = read_address(text)
    room = _ROOMS.get(address.scheme)
    if room is None:
        hint = suggest(address.scheme, [*_ROOMS, *STORES])
        raise UnknownFormat(
            f"'{address}' is no engine that is known: sc, spark, duckdb, s3, gs, r2, http and"
            " https are, and databases by the names of Ibis, such as postgres or"
            f" snowflake{end(hint)}"
        )
    return _open(room, address)


def _open(room: str, address: Address) -> Table:
    """Import what opens such a table only now: each brings an engine with it."""
    table: Table = import_module(f"evenhand.formats.engines.{room}").open_table(address)
    return table
