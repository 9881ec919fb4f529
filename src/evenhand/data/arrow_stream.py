"""Rows leave DuckDB in batches, as numpy arrays, in as much memory as one batch takes.

A DuckDB result is a stream of the Arrow C interface, whose structures are read here with ctypes:
`fetchnumpy` takes the whole result, and everything else that streams needs pyarrow. Source of the
structures: the Arrow columnar format, "The Arrow C data interface" and "The Arrow C stream
interface" (https://arrow.apache.org/docs/format/CStreamInterface.html).
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from evenhand.data.engine_errors import explain, name_file
from evenhand.errors import UnknownFormat

if TYPE_CHECKING:
    import duckdb


CAPSULE: Final = b"arrow_array_stream"
# Most rows of a batch: so few stay in the processor's cache while they are worked on
ROWS: Final = 50_000
_NUMBERS: Final = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]
# What Arrow calls the numbers of a numpy type
FORMATS: Final = dict(zip(map(np.dtype, _NUMBERS), "cCsSiIlLfg", strict=True))


class _Schema(ctypes.Structure):
    """`ArrowSchema`: the type of a batch, or of one column of it."""


class _Array(ctypes.Structure):
    """`ArrowArray`: one batch, or one column of it."""


class _Stream(ctypes.Structure):
    """`ArrowArrayStream`: batches to come."""


_INT = ctypes.c_int
_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.POINTER(_Schema)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))),
    ("private_data", ctypes.c_void_p),
]
_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", ctypes.POINTER(_Array)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))),
    ("private_data", ctypes.c_void_p),
]
_Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(_INT, ctypes.POINTER(_Stream), ctypes.POINTER(_Schema))),
    ("get_next", ctypes.CFUNCTYPE(_INT, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Stream))),
    ("private_data", ctypes.c_void_p),
]


@dataclass(frozen=True, eq=False)
class Batch:
    columns: Mapping[str, NDArray[Any]]  # the numbers, by column; anything where one is missing
    # columns in which one is missing, here or in rows that the engine keeps with them
    missing: frozenset[str]


def stream_batches(
    relation: duckdb.DuckDBPyRelation, kinds: Mapping[str, DTypeLike]
) -> Iterator[Batch]:
    capsule = _open(relation)
    stream = ctypes.cast(_pointer(capsule, CAPSULE), ctypes.POINTER(_Stream)).contents
    _check_formats(_read_formats(stream, relation), kinds)
    while True:
        array = _Array()
        if stream.get_next(ctypes.byref(stream), ctypes.byref(array)):
            raise _explain(stream, relation)
        if not array.release:
            return
        try:
            for first in range(0, max(array.length, 1), ROWS):
                columns, missing = {}, set()
                rows = min(ROWS, array.length - first)
                for at, (name, kind) in enumerate(kinds.items()):
                    column, width = array.children[at].contents, np.dtype(kind).itemsize
                    columns[name] = np.empty(rows, dtype=kind)
                    if rows:
                        start = column.buffers[1] + (array.offset + column.offset + first) * width
                        ctypes.memmove(columns[name].ctypes.data, start, rows * width)
                    if column.buffers[0] and column.null_count:
                        missing.add(name)
                yield Batch(columns, frozenset(missing))
        finally:
            array.release(ctypes.byref(array))


def _read_formats(stream: _Stream, relation: duckdb.DuckDBPyRelation) -> list[str]:
    schema = _Schema()
    if stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)):
        raise _explain(stream, relation)
    columns = [schema.children[at].contents for at in range(schema.n_children)]
    formats = [
        "dictionary" if column.dictionary else column.format.decode("utf-8", "replace")
        for column in columns
    ]
    schema.release(ctypes.byref(schema))
    return formats


def _check_formats(formats: Sequence[str], kinds: Mapping[str, DTypeLike]) -> None:
    """Refuse columns that are laid out otherwise: their bytes would be taken for other numbers."""
    expected = [FORMATS[np.dtype(kind)] for kind in kinds.values()]
    if list(formats) == expected:
        return
    import duckdb

    raise UnknownFormat(
        f"DuckDB {duckdb.__version__} hands out columns of the Arrow types {', '.join(formats)}"
        f" where {', '.join(expected)} are read: take another version of duckdb"
    )


def _open(relation: duckdb.DuckDBPyRelation) -> Any:
    """Begin a query; the stream lives as long as what is returned."""
    import duckdb

    try:
        return cast("Any", relation).__arrow_c_stream__()
    except duckdb.Error as error:
        raise explain(error, name_file(relation)) from None


def _explain(stream: _Stream, relation: duckdb.DuckDBPyRelation) -> Exception:
    """Return what the engine says of a query that broke off, in the user's words."""
    import duckdb

    message = stream.get_last_error(ctypes.byref(stream)) or b""
    return explain(duckdb.Error(message.decode("utf-8", "replace")), name_file(relation))


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype = ctypes.c_void_p
_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
