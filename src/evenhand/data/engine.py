"""The seam to the data engines: how a result leaves, and how a small table goes in.

Everything else about tables is written once with narwhals. A DuckDB result would need pyarrow to be
collected by narwhals (it leaves as numpy arrays instead), and only its own engine can be handed a
small table of labels to join with. Spark is asked by its SQL, so that a session in this process and
one on a server take the same path, and no Python runs on the workers.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from itertools import count, islice
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

import narwhals as nw
import numpy as np
from narwhals.exceptions import NarwhalsError
from numpy.typing import DTypeLike, NDArray

from evenhand.data.query_log import name_originals, note_query
from evenhand.errors import UnknownFormat

if TYPE_CHECKING:
    import duckdb


Frame: TypeAlias = "nw.LazyFrame[Any] | nw.DataFrame[Any]"
Columns: TypeAlias = dict[str, NDArray[Any]]
COUNT = "evenhand_count"
SQUARES = "evenhand_squares"
ANSWER = "evenhand_answer"  # Columns that we add to somebody's table carry names that are nobody's
PLACE = "evenhand_place"  # Column that says where a row stood
# Held while DuckDB answers: a connection has one answer at a time, and one count of threads
_ENGINE = RLock()
_NAMES = count()
_READS: Final = re.compile(r"read_\w+\((?:\w+\.)?list_value\('((?:[^']|'')+)'")
_LARGEST = float(np.finfo(np.float64).max)


@contextmanager
def explained(name: str = "the file") -> Iterator[None]:
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        from evenhand.data.engine_errors import explain

        raise explain(error, name) from None


def name_file(relation: duckdb.DuckDBPyRelation) -> str:
    """Return the first file that a relation reads, for errors that do not name it."""
    import duckdb

    try:
        query = relation.sql_query()
    except duckdb.Error:  # some relations cannot be written as SQL
        return "the file"
    match = _READS.search(query)
    return name_originals(match[1].replace("''", "'")) if match else "the file"


def fetch_columns(frame: Frame) -> Columns:
    """Run a query and return its columns as numpy arrays; missing text is None."""
    columns = _fetch(frame)
    note_query(frame, tuple(columns), len(next(iter(columns.values()), ())))
    return columns


@dataclass(frozen=True, eq=False)
class CodedColumn:
    labels: list[Any]  # the different values, as they occur; None where one is missing
    codes: NDArray[np.int32]  # (n,) the place of each row's value among them

    @property
    def values(self) -> list[Any]:
        return [self.labels[code] for code in self.codes.tolist()]

    def recode(self, places: Mapping[Any, int]) -> NDArray[np.int32]:
        """Return (n,) other codes, those of the labels in `places`."""
        return np.array([places[one] for one in self.labels], dtype=np.int32)[self.codes]


def code_values(columns: Columns, names: Sequence[str]) -> dict[str, CodedColumn]:
    coded = {}
    for name in names:
        values = columns[name].tolist()
        places = {label: at for at, label in enumerate(dict.fromkeys(values))}
        codes = np.fromiter(map(places.__getitem__, values), np.int32, len(values))
        coded[name] = CodedColumn(list(places), codes)
    return coded


def code_columns(frame: Frame, names: Sequence[str]) -> dict[str, CodedColumn] | None:
    """Return columns of text as codes, a third of the time of fetching them; None but of pandas."""
    if not (isinstance(frame, nw.DataFrame) and frame.implementation.is_pandas()):
        return None
    native: Any = frame.to_native()
    coded = {}
    for name in names:
        codes, labels = native[name].factorize()  # −1 where a value is missing
        codes, labels = codes.astype(np.int32), labels.tolist()
        if (codes < 0).any():
            codes[codes < 0] = len(labels)
            labels.append(None)
        coded[name] = CodedColumn(labels, codes)
    note_query(frame, tuple(names), len(native))
    return coded


def count_by(frame: Frame, keys: Sequence[str], *sums: nw.Expr) -> Columns:
    """Count rows by columns, or sum them: one entry for each combination that is there."""
    sums = sums or (nw.len().alias(COUNT),)
    return fetch_columns(frame.group_by(*keys).agg(*sums) if keys else frame.select(*sums))


def count_rows(frame: Frame) -> int:
    return int(count_by(frame, ())[COUNT][0])


def count_labels(
    frame: Frame, name: str, weight: nw.Expr | None = None, *, as_text: bool = False
) -> dict[Any, float]:
    frame = frame.select(nw.col(name).cast(nw.String)) if as_text else frame
    load = nw.len() if weight is None else weight.sum()
    fetched = count_by(frame, [name], load.alias(COUNT))
    return dict(zip(fetched[name].tolist(), fetched[COUNT].tolist(), strict=True))


def _fetch(frame: Frame) -> Columns:
    if isinstance(frame, nw.DataFrame):
        return {name: _to_array(frame.get_column(name)) for name in frame.columns}
    if frame.implementation.is_duckdb():
        relation = cast("duckdb.DuckDBPyRelation", frame.to_native())
        name = name_file(relation)  # asked before: an engine that broke off answers nothing more
        with explained(name), _ENGINE:
            columns = relation.fetchnumpy()
        return {name: _unmask(column) for name, column in columns.items()}
    if is_spark(frame):
        with _spark_explained():
            if find_spec("pyarrow") is not None:
                return _fetch(frame.collect(backend="pyarrow"))
            rows = cast("Any", frame.to_native()).collect()
        names = frame.collect_schema().names()
        return {name: _from_list([row[name] for row in rows], whole=True) for name in names}
    if frame.implementation.is_ibis():
        with _database_explained():
            collected = frame.collect(backend="pyarrow")
        return _fetch(collected)
    return _fetch(collect(frame))


def collect(frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
    """Run a query of Polars; what it cannot read shows itself only now."""
    try:
        return frame.collect()
    except (NarwhalsError, OSError) as error:
        from evenhand.data.engine_errors import explain_polars

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
    if not frame.implementation.is_ibis():
        return True
    import ibis.expr.operations as ops

    native: Any = frame.to_native()
    return bool(native.get_backend().has_operation(getattr(ops, operation)))


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
        from evenhand.data.engine_errors import explain

        raise explain(error, name) from None


def _unmask(column: NDArray[Any]) -> NDArray[Any]:
    """DuckDB marks missing values by a mask: text becomes None, numbers NaN, times NaT."""
    if type(column) is np.ndarray:  # asked first: numpy imports `numpy.ma` when it is named
        return column
    if not np.ma.is_masked(column):
        return np.asarray(column.data)
    values, mask = np.asarray(column.data), np.ma.getmaskarray(column)
    if values.dtype.kind in "mM":
        return np.where(mask, np.array("NaT", values.dtype), values)
    filled = values.astype(object if values.dtype == object else np.float64)
    filled[mask] = None if values.dtype == object else np.nan
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

        def quoted(name: str) -> str:  # inside a type that stands inside a SQL literal
            return "`" + name.replace("`", "``").replace("\\", "\\\\").replace("'", "\\'") + "`"

        fields = ", ".join(
            f"{quoted(name)}: {'bigint' if _is_whole(values) else 'string'}"
            for name, values in data.items()
        )
        rows = [dict(zip(data, row, strict=True)) for row in zip(*data.values(), strict=True)]
        query = f"select inline(from_json(:rows, 'array<struct<{fields}>>'))"
        return cast("Frame", nw.from_native(session.sql(query, args={"rows": json.dumps(rows)})))
    if like.implementation.is_ibis():
        import ibis
        import pyarrow as pa

        types = {True: pa.int64(), False: pa.string()}
        schema = pa.schema({name: types[_is_whole(values)] for name, values in data.items()})
        return cast("Frame", nw.from_native(ibis.memtable(pa.table(data, schema=schema))))
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
    kinds = dict.fromkeys(data, "VARCHAR")
    for column, values in data.items():
        if _is_whole(values):  # the narrowest type that serves: casts of long columns cost
            small = max(values) <= np.iinfo(np.int32).max
            kinds[column] = "INTEGER" if small else "BIGINT"
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


def _is_whole(values: Sequence[Any]) -> bool:
    return bool(values) and isinstance(values[0], int)


def quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def quote_name(name: str) -> str:
    """Write a name, such as a column's, in SQL, whatever signs it holds."""
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
    note_query(frame, names, total, batches)


def _stream(frame: Frame, rows: int) -> Iterator[Columns]:
    from evenhand.data.engine_errors import explain, explain_polars

    native: Any = frame.to_native()
    engine = frame.implementation
    if engine.is_duckdb():
        import duckdb

        name = name_file(native)
        try:
            if find_spec("pyarrow") is None:
                while chunk := native.fetchmany(rows):
                    yield _from_rows(chunk, native.columns)
                return
            read = getattr(native, "to_arrow_reader", None) or native.fetch_record_batch
            yield from map(_from_arrow, read(rows))
        except (duckdb.Error, OSError) as error:  # pyarrow makes the latter of DuckDB's own
            raise explain(duckdb.Error(str(error)), name) from None
    elif engine.is_ibis():
        with _database_explained():
            yield from map(_from_arrow, native.to_pyarrow_batches(chunk_size=rows))
    elif is_spark(frame):
        with _spark_explained():
            left = iter(native.toLocalIterator())
            while chunk := list(islice(left, rows)):
                yield _from_rows(chunk, native.columns)
    else:
        from polars.exceptions import PolarsError

        try:
            for batch in native.collect_batches(chunk_size=rows):
                yield {name: _tidy(batch[name].to_numpy()) for name in batch.columns}
        except PolarsError as error:
            raise explain_polars(error) from None


def _from_arrow(batch: Any) -> Columns:
    return {
        name: _tidy(batch.column(at).to_numpy(zero_copy_only=False))
        for at, name in enumerate(batch.schema.names)
    }


def _from_rows(rows: list[Any], names: Sequence[str]) -> Columns:
    return {
        name: _from_list(list(values))
        for name, values in zip(names, zip(*rows, strict=True), strict=True)
    }


def _from_list(values: list[Any], *, whole: bool = False) -> NDArray[Any]:
    """Keep text as objects; numbers become arrays, missing ones NaN (refused later)."""
    # whole: whether it is a whole column, which is text if all of it is missing.
    nothing = whole and all(value is None for value in values)
    if nothing or any(isinstance(value, str) for value in values):
        return np.array(values, dtype=object)
    return np.array([np.nan if value is None else value for value in values])


def _tidy(values: NDArray[Any]) -> NDArray[Any]:
    return values.astype(object) if values.dtype.kind in "US" else values


# What Spark and the drivers of databases refuse, said in one line.
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


@contextmanager
def _refused(errors: Callable[[], tuple[type[Exception], ...]], what: str) -> Iterator[None]:
    try:
        yield
    except errors() as error:
        first = say_fault(error).strip().partition("\n")[0]
        raise UnknownFormat(f"{what}: {first}") from None


_spark_explained = partial(_refused, list_faults, "Spark could not answer a query")


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


_database_explained = partial(_refused, list_errors, "the database refused a query")


# `fetchnumpy` takes the whole result, and what else streams needs pyarrow: nanoarrow reads batches
# of the Arrow C interface (https://arrow.apache.org/docs/format/CStreamInterface.html).
ROWS: Final = 50_000  # Most rows of a batch: so few stay in the processor's cache
_NUMBERS: Final = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]
# What Arrow calls the numbers of a numpy type
FORMATS: Final = dict(zip(map(np.dtype, _NUMBERS), "cCsSiIlLfg", strict=True))


@dataclass(frozen=True, eq=False)
class Batch:
    columns: Mapping[str, NDArray[Any]]  # the numbers, by column; anything where one is missing
    # columns in which one is missing, here or in rows that the engine keeps with them
    missing: frozenset[str]


def stream_batches(
    relation: duckdb.DuckDBPyRelation, kinds: Mapping[str, DTypeLike]
) -> Iterator[Batch]:
    import duckdb
    import nanoarrow

    try:
        with nanoarrow.c_array_stream(relation) as stream:
            # Columns that are laid out otherwise: their bytes would be taken for other numbers
            children = stream.get_schema().children
            formats = ["dictionary" if one.dictionary else one.format for one in children]
            expected = [FORMATS[np.dtype(kind)] for kind in kinds.values()]
            if formats != expected:
                raise UnknownFormat(
                    f"DuckDB {duckdb.__version__} hands out columns of the Arrow types"
                    f" {', '.join(formats)} where {', '.join(expected)} are read: take another"
                    " version of duckdb"
                )
            for array in stream:
                views = {
                    name: child.view() for name, child in zip(kinds, array.children, strict=True)
                }
                columns = {
                    name: np.frombuffer(view.buffer(1), dtype=kinds[name])[view.offset :]
                    for name, view in views.items()
                }
                missing = frozenset(name for name, view in views.items() if view.null_count)
                for first in range(array.offset, array.offset + max(array.length, 1), ROWS):
                    last = min(first + ROWS, array.offset + array.length)
                    yield Batch({name: c[first:last] for name, c in columns.items()}, missing)
    except (duckdb.Error, RuntimeError) as error:  # nanoarrow raises the second
        from evenhand.data.engine_errors import explain

        raise explain(duckdb.Error(str(error)), name_file(relation)) from None
