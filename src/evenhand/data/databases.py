"""What Spark does in its own way: how a result leaves it, and how a small table goes in.

Both ways are those of Spark's SQL, so that a session in this process (classic) and a session on a
server (Connect) take the same path, and no Python runs on the workers.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.errors import UnknownFormat


def fetch_spark(frame: nw.LazyFrame[Any]) -> dict[str, NDArray[Any]] | nw.DataFrame[Any]:
    try:
        if find_spec("pyarrow") is not None:
            return frame.collect(backend="pyarrow")
        rows = frame.to_native().collect()
    except list_faults() as error:
        first = say_fault(error).strip().partition("\n")[0]
        raise UnknownFormat(f"Spark could not answer a query: {first}") from None
    names = frame.collect_schema().names()
    return {name: _from_list([row[name] for row in rows]) for name in names}


def list_faults() -> tuple[type[Exception], ...]:
    """Return what Spark may raise: its own, and where it runs in this process that of Java."""
    from pyspark.errors import PySparkException

    if find_spec("py4j") is None:  # a client of a server alone
        return (PySparkException,)
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]

    return (PySparkException, Py4JError)


def say_fault(error: Exception) -> str:
    java = getattr(error, "java_exception", None)
    return str(error if java is None else java.toString())


def _from_list(values: list[Any]) -> NDArray[np.generic]:
    """Keep text as objects; numbers become arrays, missing ones NaN (refused later)."""
    if any(isinstance(value, str) for value in values) or all(v is None for v in values):
        return np.array(values, dtype=object)
    return np.array([np.nan if value is None else value for value in values])


def make_spark_table(session: Any, data: Mapping[str, list[Any]]) -> Any:
    """Put columns of text or whole numbers into Spark, as a literal of the query."""
    fields = ", ".join(f"{_quoted(name)}: {_kind(values)}" for name, values in data.items())
    rows = [dict(zip(data, row, strict=True)) for row in zip(*data.values(), strict=True)]
    query = f"select inline(from_json(:rows, 'array<struct<{fields}>>'))"
    return session.sql(query, args={"rows": json.dumps(rows)})


def _kind(values: list[Any]) -> str:
    return "bigint" if values and isinstance(values[0], int) else "string"


def _quoted(name: str) -> str:
    """Write a column's name inside a type that stands inside a SQL literal."""
    return "`" + name.replace("`", "``").replace("\\", "\\\\").replace("'", "\\'") + "`"


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
    driver_errors = [
        getattr(module, root) for module in loaded for root in _ROOTS if hasattr(module, root)
    ]
    return (IbisError, *driver_errors, *besides)


def fetch_warehouse(frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
    try:
        return frame.collect(backend="pyarrow")
    except list_errors() as error:
        first = str(error).strip().partition("\n")[0]
        raise UnknownFormat(f"the database refused a query: {first}") from None


def make_warehouse_table(data: Mapping[str, list[Any]]) -> Any:
    import ibis
    import pyarrow as pa

    whole = {name: bool(values) and isinstance(values[0], int) for name, values in data.items()}
    kinds = {name: pa.int64() if one else pa.string() for name, one in whole.items()}
    return ibis.memtable(pa.table(dict(data), schema=pa.schema(kinds)))


def knows(frame: nw.LazyFrame[Any] | nw.DataFrame[Any], operation: str) -> bool:
    """Say whether the database behind a table has an operation, by Ibis' name of it."""
    import ibis.expr.operations as ops

    native: Any = frame.to_native()
    return bool(native.get_backend().has_operation(getattr(ops, operation)))


@contextmanager
def store_warehouse(native: Any, name: str) -> Iterator[Any]:
    # Where none may be made, the query itself is given back. Where none can be dropped, it goes
    # with the session.
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
