"""What a database behind Ibis does in its own way: results, small tables, and what it refuses."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final

import narwhals as nw

from evenhand.errors import UnknownFormat

# Modules whose errors a database speaks in, where it is that database
_DRIVERS: Final = (
    *("sqlite3", "psycopg", "MySQLdb", "pyodbc", "oracledb", "duckdb", "pyexasol.exceptions"),
    *("snowflake.connector", "trino.exceptions", "databricks.sql", "singlestoredb"),
    *("google.api_core.exceptions", "clickhouse_connect.driver.exceptions", "botocore.exceptions"),
)
_ROOTS: Final = ("Error", "TrinoError", "ExaError", "GoogleAPIError", "BotoCoreError")


def list_errors(*besides: type[Exception]) -> tuple[type[Exception], ...]:
    """Return what drivers raise, of those that are loaded: each has a root of its own."""
    from ibis.common.exceptions import IbisError

    loaded = [sys.modules[name] for name in _DRIVERS if name in sys.modules]
    found = [getattr(module, root) for module in loaded for root in _ROOTS if hasattr(module, root)]
    return (IbisError, *found, *besides)


def fetch_warehouse(frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
    """Run a query of a database, which gives an Arrow table."""
    try:
        return frame.collect(backend="pyarrow")
    except list_errors() as error:
        first = str(error).strip().partition("\n")[0]
        raise UnknownFormat(f"the database refused a query: {first}") from None


def make_warehouse_table(data: Mapping[str, list[Any]]) -> Any:
    """Put columns of text or whole numbers where a backend of Ibis takes them from."""
    import ibis
    import pyarrow as pa

    whole = {name: bool(own) and isinstance(own[0], int) for name, own in data.items()}
    kinds = {name: pa.int64() if one else pa.string() for name, one in whole.items()}
    return ibis.memtable(pa.table(dict(data), schema=pa.schema(kinds)))


def knows(frame: nw.LazyFrame[Any] | nw.DataFrame[Any], operation: str) -> bool:
    """Say whether the database behind a table has an operation, by Ibis' name of it."""
    import ibis.expr.operations as ops

    native: Any = frame.to_native()
    return bool(native.get_backend().has_operation(getattr(ops, operation)))


@contextmanager
def store_warehouse(native: Any, name: str) -> Iterator[Any]:
    """Store the answer to a query in a temporary table, while the context lasts.

    Where none may be made, the query itself is given back. Where none can be dropped, it goes with
    the session.
    """
    backend = native.get_backend()
    try:
        held = backend.create_table(name, native, temp=True)
    except list_errors(NotImplementedError):
        yield native
        return
    try:
        yield held
    finally:
        with suppress(*list_errors(NotImplementedError)):
            backend.drop_table(name)
