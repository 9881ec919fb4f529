"""Judgments that lie in memory: frames of any library, dicts of columns, rows, data sets."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, Final

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError, NarwhalsError
from numpy.typing import NDArray

from evenhand.data.engine import make_table, quote_name
from evenhand.data.engine_errors import explain_polars
from evenhand.errors import InvalidJudgments, UnknownFormat, listing
from evenhand.formats.files import connect
from evenhand.formats.table import Table

_NAMES: Final = count()  # Numbers of tables in the engine


def open_memory(source: Any) -> Table:
    if type(source).__module__.partition(".")[0] == "datasets":
        kind = type(source).__name__
        if isinstance(source, Mapping):
            splits = listing([f"data[{split!r}]" for split in source])
            raise UnknownFormat(
                f"a {kind} holds a data set for each split: pass one of them ({splits})"
            )
        if not hasattr(source, "num_rows"):
            raise UnknownFormat(
                f"{kind} is read as it streams: load the data set with streaming=False, or pass"
                " list(data)"
            )
        import pyarrow as pa
        import pyarrow.compute as pc

        table = source.with_format("arrow")[:]
        for name, feature in source.features.items():
            if hasattr(feature, "int2str"):  # labels are numbers there, -1 where there is none
                known = pc.if_else(pc.less(table[name], 0), None, table[name])
                labels = pc.take(pa.array(feature.names), known)
                table = table.set_column(table.column_names.index(name), name, labels)
        return open_frame(table, "data set")
    if isinstance(source, Mapping):
        return open_columns(source)
    if isinstance(source, Sequence) and not isinstance(source, str | bytes):
        return open_rows(source)
    return open_frame(source)


def open_frame(source: Any, what: str = "data frame") -> Table:
    """Wrap a data frame as it is; nothing is copied, and what is lazy stays lazy."""
    native = nw.to_native(source, pass_through=True)
    # not by its attributes: a frame of Spark Connect has every one, as a column
    if nw.dependencies.is_pandas_like_dataframe(native):
        named = [name for name in native.index.names if name is not None]
        for name in [name for name in named if name in native.columns]:
            column = native[name]  # a frame where there are several
            if column.ndim == 1 and column.tolist() != native.index.get_level_values(name).tolist():
                raise UnknownFormat(
                    f"the data frame has an index and a column called '{name}', and they differ:"
                    " rename one"
                )
            named.remove(name)
        source = native.reset_index(level=named) if named else native
    try:
        frame = nw.from_native(source)
        names = list(frame.collect_schema().names())
    except TypeError:
        raise UnknownFormat(
            f"{type(source).__name__} is neither a file name nor a data frame: pass a path, a list"
            " of paths, a pandas, Polars, PyArrow, DuckDB, PySpark or Ibis frame, a dict of"
            " columns, a list of dicts, or a Dataset of Hugging Face"
        ) from None
    except DuplicateError as error:
        raise UnknownFormat(
            f"the {what} has a column twice: {' '.join(str(error).split())}"
        ) from None
    except (NarwhalsError, OSError) as error:  # a lazy frame of Polars opens its files only now
        raise explain_polars(error) from None
    _refuse_unnamed(names, what)
    if isinstance(frame, nw.DataFrame) and not len(frame):
        raise InvalidJudgments(f"the {what} has columns but no rows")
    return Table(frame, what)


def _refuse_unnamed(names: Sequence[Any], what: str) -> None:
    unnamed = [name for name in names if not isinstance(name, str)]
    if unnamed:
        raise UnknownFormat(
            f"column name {unnamed[0]} of the {what} is no text but"
            f" {type(unnamed[0]).__name__}: columns need names"
        )


def open_columns(columns: Mapping[Any, Any], what: str = "dict") -> Table:
    """Put a dict of columns into a table: lists, arrays or series, all as long."""
    _refuse_unnamed([*columns], what)
    if all(map(_is_plain, columns.values())) and len({*map(len, columns.values())} - {0}) == 1:
        return _hold_arrays(columns, what)
    held: dict[str, list[Any]] = {}
    for name, values in columns.items():
        if isinstance(values, str | Mapping) or not hasattr(values, "__len__"):
            raise UnknownFormat(
                f"'{name}' of the {what} is {type(values).__name__}, no column: give a list with"
                " one value a row"
            )
        held[name] = values.tolist() if hasattr(values, "tolist") else [*values]
    lengths = {len(values): name for name, values in held.items()}
    if len(lengths) > 1:
        (short, one), *_, (long, other) = sorted(lengths.items())
        raise UnknownFormat(
            f"columns of the {what} differ in length: '{one}' has {short:,} values and '{other}'"
            f" {long:,}"
        )
    if not max(lengths, default=0):
        raise InvalidJudgments(f"the {what} has no rows")
    table = hold_columns(held, what)
    typed = [
        f"{quoted}::{_find_type(values)} as {quoted}"
        for quoted, values in ((quote_name(name), values) for name, values in held.items())
    ]
    return table.with_frame(nw.from_native(table.frame.to_native().project(", ".join(typed))))


def _is_plain(values: Any) -> bool:
    """Say whether it is an array of numbers, or of text with None where it is missing."""
    if not isinstance(values, np.ndarray) or values.ndim != 1:
        return False
    text = values.dtype == object and {*map(type, values)} <= {str, type(None)}
    return text or values.dtype in (np.int64, np.float64)


def _hold_arrays(columns: Mapping[str, NDArray[Any]], what: str) -> Table:
    """Put arrays into DuckDB as they are; blanks are missing."""
    connection = connect()
    name = f"evenhand_arrays_{next(_NAMES)}"
    blank = [quote_name(one) for one, values in columns.items() if values.dtype == object]
    unblanked = ", ".join(f"nullif({one}, '') as {one}" for one in blank)
    chosen = f"* replace ({unblanked})" if blank else "*"
    connection.register(f"{name}_given", dict(columns))
    connection.execute(f"create temp table {name} as select {chosen} from {name}_given")
    connection.unregister(f"{name}_given")
    return Table(nw.from_native(connection.table(name)), what, connection)


def _find_type(values: Sequence[Any]) -> str:
    known = [value for value in values if type(value).__name__ not in _MISSING_TYPES]
    kinds = {*map(type, known)}
    if kinds and all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds):
        return "BIGINT" if max(map(abs, known)) < 2**63 else "VARCHAR"
    numbers = all(issubclass(kind, int | float | np.number) and kind is not bool for kind in kinds)
    return "DOUBLE" if kinds and numbers else "VARCHAR"


_MISSING_TYPES: Final = ("NoneType", "NAType", "NaTType")


def open_rows(rows: Sequence[Any]) -> Table:
    """Put a list of dicts, one a judgment, into a table; what a row lacks is missing there."""
    for at, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise UnknownFormat(
                f"row {at:,} of the list is no dict but {type(row).__name__}: give a list of dicts,"
                " one a judgment, or a list of paths"
            )
    names = dict.fromkeys(name for row in rows for name in row)
    return open_columns({name: [row.get(name) for row in rows] for name in names}, "list")


def hold_columns(columns: Mapping[str, Sequence[Any]], name: str) -> Table:
    """Return columns that lie in memory as the table of a CSV file of them; blanks are missing."""
    connection = connect()
    texts = {column: [*map(_write_cell, values)] for column, values in columns.items()}
    return Table(make_table(connection, texts), name, connection)


def _write_cell(value: Any) -> str | None:
    if isinstance(value, str):
        return value or None
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=str)
    text = str(value)
    return None if text in _MISSING else text


_MISSING: Final = ("None", "nan", "NaN", "<NA>", "NaT")  # how missing values of any library print
