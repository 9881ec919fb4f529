"""A result leaves its engine some rows at a time, as Arrow batches where the engine has them.

DuckDB and Ibis hand out Arrow's record batches (DuckDB without pyarrow tuples, at about one and a
half times the CPU), Polars frames, Spark the rows of one partition after the other. A frame that
lies in memory as it is has nothing to gain and is not streamed.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from itertools import islice
from typing import Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.errors import UnknownFormat
from evenhand.judgments.engine import Columns, Frame, is_spark
from evenhand.judgments.pushed import note_stream
from evenhand.judgments.refusals import explain, explain_polars, name_file

ROWS: Final = 2**18  # Rows of a batch


def can_stream(frame: Frame) -> bool:
    """Say whether the engine of a table hands out results some rows at a time."""
    if isinstance(frame, nw.DataFrame):
        return False
    engine = frame.implementation
    if engine.is_polars():
        return hasattr(frame.to_native(), "collect_batches")
    return engine.is_duckdb() or engine.is_ibis() or is_spark(frame)


def fetch_batches(frame: Frame, rows: int = ROWS) -> Iterator[Columns]:
    """Run a query once and return its columns some rows at a time."""
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
            yield from _from_tuples(relation, rows)
            return
        read = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
        for batch in read(rows):
            yield _from_arrow(batch)
    except (duckdb.Error, OSError) as error:  # pyarrow makes the latter of DuckDB's own
        raise explain(duckdb.Error(str(error)), name) from None


def _from_tuples(relation: Any, rows: int) -> Iterator[Columns]:
    names = list(relation.columns)
    while found := relation.fetchmany(rows):
        yield _from_rows(found, names)


def _stream_ibis(table: Any, rows: int) -> Iterator[Columns]:
    from evenhand.judgments.warehouse import list_errors

    try:
        for batch in table.to_pyarrow_batches(chunk_size=rows):
            yield _from_arrow(batch)
    except list_errors() as error:
        first = str(error).strip().partition("\n")[0]
        raise UnknownFormat(f"the database refused a query: {first}") from None


def _stream_spark(table: Any, rows: int) -> Iterator[Columns]:
    from evenhand.judgments.spark import list_faults, say_fault

    try:
        left, names = iter(table.toLocalIterator()), list(table.columns)
        while found := list(islice(left, rows)):
            yield _from_rows(found, names)
    except list_faults() as error:
        first = say_fault(error).strip().partition("\n")[0]
        raise UnknownFormat(f"Spark could not answer a query: {first}") from None


def _stream_polars(table: Any, rows: int) -> Iterator[Columns]:
    from polars.exceptions import PolarsError

    try:
        for batch in table.collect_batches(chunk_size=rows):
            yield _from_frame(batch)
    except PolarsError as error:
        raise explain_polars(error) from None


def _from_arrow(batch: Any) -> Columns:
    return {
        name: _tidy(batch.column(at).to_numpy(zero_copy_only=False))
        for at, name in enumerate(batch.schema.names)
    }


def _from_frame(frame: Any) -> Columns:
    return {name: _tidy(frame[name].to_numpy()) for name in frame.columns}


def _from_rows(rows: list[Any], names: list[str]) -> Columns:
    return {
        name: _from_list(list(values))
        for name, values in zip(names, zip(*rows, strict=True), strict=True)
    }


def _from_list(values: list[Any]) -> NDArray[Any]:
    """Keep text as objects; numbers become arrays, missing ones NaN."""
    if any(isinstance(value, str) for value in values):
        return np.array(values, dtype=object)
    return np.array([np.nan if value is None else value for value in values])


def _tidy(values: NDArray[Any]) -> NDArray[Any]:
    return values.astype(object) if values.dtype.kind in "US" else values
