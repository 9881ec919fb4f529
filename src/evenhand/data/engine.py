"""The seam to the data engines: how a result leaves, and how a small table goes in.

Everything else about tables is written once with narwhals. Two things are not the same everywhere:
a DuckDB result would need pyarrow to be collected by narwhals (it leaves as numpy arrays instead),
and only its own engine can be handed a small table of labels to join with. Where a result leaves
some rows at a time, DuckDB and Ibis hand out Arrow's record batches (DuckDB without pyarrow tuples,
at about one and a half times the CPU), Polars frames, Spark the rows of one partition after the
other. A frame that lies in memory as it is has nothing to gain and is not streamed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import count, islice
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

import narwhals as nw
import numpy as np
from narwhals.exceptions import NarwhalsError
from numpy.typing import NDArray

from evenhand.data.databases import (
    fetch_spark,
    fetch_warehouse,
    knows,
    list_errors,
    list_faults,
    make_spark_table,
    make_warehouse_table,
    say_fault,
)
from evenhand.data.engine_errors import explain, explain_polars, explained, name_file
from evenhand.data.query_log import note_fetch, note_stream
from evenhand.errors import UnknownFormat

if TYPE_CHECKING:
    import duckdb


Frame: TypeAlias = "nw.LazyFrame[Any] | nw.DataFrame[Any]"
Columns: TypeAlias = dict[str, NDArray[Any]]
COUNT = "evenhand_count"
SQUARES = "evenhand_squares"
ANSWER = "evenhand_answer"  # Columns that we add to somebody's table carry names that are nobody's
# Held while DuckDB answers: a connection has one answer at a time, and one count of threads
_ENGINE = RLock()
_NAMES = count()
_LARGEST = float(np.finfo(np.float64).max)


def fetch_columns(frame: Frame) -> Columns:
    """Run a query and return its columns as numpy arrays; missing text is None.

    >>> import polars as pl
    >>> fetch_columns(nw.from_native(pl.DataFrame({"a": ["x", None]})))
    {'a': array(['x', None], dtype=object)}
    """
    columns = _fetch(frame)
    note_fetch(frame, columns)
    return columns


def _fetch(frame: Frame) -> Columns:
    if isinstance(frame, nw.DataFrame):
        return {name: _to_array(frame.get_column(name)) for name in frame.columns}
    if frame.implementation.is_duckdb():
        return _fetch_duckdb(cast("duckdb.DuckDBPyRelation", frame.to_native()))
    if is_spark(frame):
        fetched = fetch_spark(frame)
        return fetched if isinstance(fetched, dict) else _fetch(fetched)
    if frame.implementation.is_ibis():
        return _fetch(fetch_warehouse(frame))
    return _fetch(collect(frame))


def collect(frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
    """Run a query of Polars; what it cannot read shows itself only now."""
    try:
        return frame.collect()
    except (NarwhalsError, OSError) as error:
        raise explain_polars(error) from None


def is_spark(frame: Frame) -> bool:
    return frame.implementation.is_pyspark() or frame.implementation.is_pyspark_connect()


def is_nan(frame: Frame, column: str) -> nw.Expr:
    """Return the condition that a number of a column is none; missing ones stay missing."""
    # Databases without such values (SQLite, MySQL) have no word for them either.
    value = nw.col(column)
    return value.is_nan() if _knows(frame, "IsNan") else value != value  # noqa: PLR0124


def is_finite(frame: Frame, column: str) -> nw.Expr:
    value = nw.col(column)
    return value.is_finite() if _knows(frame, "IsInf") else value.abs() <= _LARGEST


def _knows(frame: Frame, operation: str) -> bool:
    """Say whether an engine has an operation of Ibis; those that are not reached by it have all."""
    return not frame.implementation.is_ibis() or knows(frame, operation)


def keeps_rows(frame: Frame) -> bool:
    """Say whether rows had better stay in the engine, even one integer of each: it is not here."""
    return is_spark(frame) or frame.implementation.is_ibis()


def _fetch_duckdb(relation: duckdb.DuckDBPyRelation) -> Columns:
    """Run a DuckDB query; a damaged file shows itself only now, by its line where that is known."""
    name = name_file(relation)  # asked before: an engine that broke off answers nothing more
    with explained(name), _ENGINE:
        columns = relation.fetchnumpy()
    return {name: _unmask(column) for name, column in columns.items()}


def require_open(frame: Frame, name: str) -> None:
    """Refuse a DuckDB relation that cannot be read any more; no row is looked at."""
    if not frame.implementation.is_duckdb():
        return
    import duckdb

    try:
        cast("duckdb.DuckDBPyRelation", frame.to_native()).project("1 as one")
    except duckdb.ConnectionException:
        raise UnknownFormat(
            f"the DuckDB connection of {name} was closed: keep it open until all is counted"
        ) from None
    except duckdb.Error as error:
        raise explain(error, name) from None


def _unmask(column: NDArray[Any]) -> NDArray[Any]:
    """DuckDB marks missing values by a mask: text becomes None, numbers NaN, times NaT."""
    if not isinstance(column, np.ma.MaskedArray):
        return column
    values = np.asarray(column.data)
    if not np.ma.is_masked(column):
        return values
    if values.dtype.kind in "mM":
        return np.where(np.ma.getmaskarray(column), np.array("NaT", values.dtype), values)
    filled = values.astype(object if values.dtype == object else np.float64)
    filled[np.ma.getmaskarray(column)] = None if values.dtype == object else np.nan
    return filled


def _to_array(column: nw.Series[Any]) -> NDArray[Any]:
    if column.dtype == nw.String and column.implementation.is_polars():
        return np.array(column.to_list(), dtype=object)  # a third of the time of `to_numpy`
    values = column.to_numpy()
    if values.dtype.kind in "US":
        return values.astype(object)
    if values.dtype != object:
        return values
    # Pandas writes missing text as nan or NA; here it is None, as in every other engine
    missing = column.is_null().to_numpy()
    if not missing.any():
        return values
    filled = values.copy()
    filled[missing] = None
    return filled


def label_frame(
    like: Frame,
    columns: Mapping[str, Sequence[str] | NDArray[np.int64]],
    connection: duckdb.DuckDBPyConnection | None,
) -> Frame | None:
    # Returns None where that cannot be done (a DuckDB relation whose connection is not known).
    data = {
        name: values.tolist() if isinstance(values, np.ndarray) else list(values)
        for name, values in columns.items()
    }
    if like.implementation.is_duckdb():
        return None if connection is None else make_table(connection, data)
    if is_spark(like):
        session = cast("Any", like.to_native()).sparkSession
        return cast("Frame", nw.from_native(make_spark_table(session, data)))
    if like.implementation.is_ibis():
        return cast("Frame", nw.from_native(make_warehouse_table(data)))
    frame = nw.from_dict(data, backend=like.implementation)
    if like.implementation.is_pyarrow():
        # Arrow columns the type of their namesakes: it joins no text with large text
        native, schema = cast("Any", frame.to_native()), cast("Any", like.to_native()).schema
        for at, name in enumerate(native.column_names):
            if name in schema.names:
                native = native.set_column(at, name, native[name].cast(schema.field(name).type))
        return cast("Frame", nw.from_native(native))
    return frame.lazy() if isinstance(like, nw.LazyFrame) else frame


def small_table(
    like: Frame, columns: Mapping[str, Sequence[str]], connection: duckdb.DuckDBPyConnection | None
) -> Frame:
    # Where the connection of a DuckDB relation is not known it stands in the query, and is read
    # anew by every query that uses it: `label_frame` is better where it can be made.
    table = label_frame(like, columns, connection)
    if table is not None:
        return table
    one_row = cast("duckdb.DuckDBPyRelation", like.to_native()).limit(1)
    text = {name: list(values) for name, values in columns.items()}
    selected = _select_lists(text, dict.fromkeys(text, "VARCHAR"))
    return cast("Frame", nw.from_native(one_row.project(selected)))


MOST_IN_A_QUERY: Final = 20_000  # Rows that are written into one query: its text takes memory


def make_table(connection: duckdb.DuckDBPyConnection, data: Mapping[str, list[Any]]) -> Frame:
    """Put columns of text or whole numbers into DuckDB, without pandas."""
    name = f"evenhand_labels_{next(_NAMES)}"
    kinds = {column: _kind(values) for column, values in data.items()}
    verb = f"create temp table {name} as"
    for start in range(0, max(1, *map(len, data.values())), MOST_IN_A_QUERY):
        rows = slice(start, start + MOST_IN_A_QUERY)
        part = {column: values[rows] for column, values in data.items()}
        connection.execute(f"{verb} select {_select_lists(part, kinds)}")
        verb = f"insert into {name}"
    return cast("Frame", nw.from_native(connection.table(name)))


def _select_lists(data: Mapping[str, list[Any]], kinds: Mapping[str, str]) -> str:
    """Write columns as JSON text: lists bound as parameters would import pandas."""
    return ", ".join(
        f"unnest(from_json({quote(json.dumps(values))}, '[\"{kinds[column]}\"]'))"
        f" as {quote_name(column)}"
        for column, values in data.items()
    )


def _kind(values: Sequence[Any]) -> str:
    """Return the narrowest type that serves: casts of long columns cost."""
    if not values or not isinstance(values[0], int):
        return "VARCHAR"
    return "INTEGER" if max(values) <= np.iinfo(np.int32).max else "BIGINT"


def quote(text: str) -> str:
    """Write text as a SQL literal.

    >>> quote("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def quote_name(name: str) -> str:
    """Write a name, such as a column's, in SQL, whatever signs it holds.

    >>> print(quote_name('one "word" more'))
    "one ""word"" more"
    """
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def one_thread(connection: duckdb.DuckDBPyConnection | None) -> Iterator[None]:
    """Let DuckDB use one thread for what is short, or long to fetch: two cost more CPU."""
    if connection is None:
        yield
        return
    with _ENGINE:
        setting = connection.execute("select current_setting('threads')").fetchone()
        threads = 1 if setting is None else int(setting[0])
        connection.execute("set threads = 1")
        try:
            yield
        finally:
            connection.execute(f"set threads = {threads}")


BATCH_ROWS: Final = 2**18  # Rows of a batch


def can_stream(frame: Frame) -> bool:
    if isinstance(frame, nw.DataFrame):
        return False
    engine = frame.implementation
    if engine.is_polars():
        return hasattr(frame.to_native(), "collect_batches")
    return engine.is_duckdb() or engine.is_ibis() or is_spark(frame)


def fetch_batches(frame: Frame, rows: int = BATCH_ROWS) -> Iterator[Columns]:
    total, batches = 0, 0
    names = tuple(frame.collect_schema().names())
    for columns in _stream(frame, rows):
        total += len(columns[names[0]])
        batches += 1
        yield columns
    note_stream(frame, names, total, batches)


def _stream(frame: Frame, rows: int) -> Iterator[Columns]:
    native: Any = frame.to_native()
    if frame.implementation.is_duckdb():
        return _stream_duckdb(native, rows)
    if frame.implementation.is_ibis():
        return _stream_ibis(native, rows)
    if is_spark(frame):
        return _stream_spark(native, rows)
    return _stream_polars(native, rows)


def _stream_duckdb(relation: Any, rows: int) -> Iterator[Columns]:
    import duckdb

    name = name_file(relation)
    try:
        if find_spec("pyarrow") is None:
            names = list(relation.columns)
            while chunk := relation.fetchmany(rows):
                yield _from_rows(chunk, names)
            return
        read = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
        for batch in read(rows):
            yield _from_arrow(batch)
    except (duckdb.Error, OSError) as error:  # pyarrow makes the latter of DuckDB's own
        raise explain(duckdb.Error(str(error)), name) from None


def _stream_ibis(table: Any, rows: int) -> Iterator[Columns]:
    try:
        for batch in table.to_pyarrow_batches(chunk_size=rows):
            yield _from_arrow(batch)
    except list_errors() as error:
        first = str(error).strip().partition("\n")[0]
        raise UnknownFormat(f"the database refused a query: {first}") from None


def _stream_spark(table: Any, rows: int) -> Iterator[Columns]:
    try:
        left, names = iter(table.toLocalIterator()), list(table.columns)
        while chunk := list(islice(left, rows)):
            yield _from_rows(chunk, names)
    except list_faults() as error:
        first = say_fault(error).strip().partition("\n")[0]
        raise UnknownFormat(f"Spark could not answer a query: {first}") from None


def _stream_polars(table: Any, rows: int) -> Iterator[Columns]:
    from polars.exceptions import PolarsError

    try:
        for batch in table.collect_batches(chunk_size=rows):
            yield {name: _tidy(batch[name].to_numpy()) for name in batch.columns}
    except PolarsError as error:
        raise explain_polars(error) from None


def _from_arrow(batch: Any) -> Columns:
    return {
        name: _tidy(batch.column(at).to_numpy(zero_copy_only=False))
        for at, name in enumerate(batch.schema.names)
    }


def _from_rows(rows: list[Any], names: list[str]) -> Columns:
    return {
        name: _from_list(list(values))
        for name, values in zip(names, zip(*rows, strict=True), strict=True)
    }


def _from_list(values: list[Any]) -> NDArray[Any]:
    if any(isinstance(value, str) for value in values):
        return np.array(values, dtype=object)
    return np.array([np.nan if value is None else value for value in values])


def _tidy(values: NDArray[Any]) -> NDArray[Any]:
    return values.astype(object) if values.dtype.kind in "US" else values
