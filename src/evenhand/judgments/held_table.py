"""The answer to a query, kept by the engine that gave it while more is asked of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any, Final, cast

import narwhals as nw

from evenhand.judgments.engine import Frame, collect, is_spark
from evenhand.judgments.pushed import note_held
from evenhand.judgments.refusals import explain, name_file

if TYPE_CHECKING:
    import duckdb

_NAMES: Final = count()


@contextmanager
def hold_table(frame: Frame, connection: duckdb.DuckDBPyConnection | None) -> Iterator[Frame]:
    """Let the engine of a query keep its answer while the context lasts, where it can.

    DuckDB without its connection, and a database that makes no temporary tables, are asked anew
    each time.
    """
    native: Any = frame.to_native()
    if frame.implementation.is_duckdb() and connection is not None:
        note_held(frame, frame.collect_schema().names())
        name = _store(native, connection)
        try:
            yield nw.from_native(connection.table(name))
        finally:
            connection.execute(f"drop table {name}")
    elif is_spark(frame):
        held = native.cache()
        try:
            yield nw.from_native(held)
        finally:
            held.unpersist()
    elif frame.implementation.is_ibis():
        from evenhand.judgments.warehouse import store_warehouse

        with store_warehouse(native, _name()) as held:
            yield cast("Frame", nw.from_native(held))
    elif frame.implementation.is_polars() and isinstance(frame, nw.LazyFrame):
        answer = collect(frame)
        note_held(frame, answer.columns)
        yield answer.lazy()
    else:
        yield frame


def _store(relation: Any, connection: duckdb.DuckDBPyConnection) -> str:
    """Store the answer to a query in a temporary table; return its name."""
    import duckdb

    name = _name()
    query, file = cast("duckdb.DuckDBPyRelation", relation).sql_query(), name_file(relation)
    try:
        connection.execute(f"create temp table {name} as {query}")
    except duckdb.Error as error:
        raise explain(error, file) from None
    return name


def _name() -> str:
    return f"evenhand_sums_{next(_NAMES)}"
