"""Rows leave DuckDB in batches, as numpy arrays, in as much memory as one batch takes.

A DuckDB result is a stream of the Arrow C interface, whose three structures are read here with
ctypes: `fetchnumpy` takes the whole result, and everything else that streams needs pyarrow. Source
of the structures: the Arrow columnar format, "The Arrow C data interface" and "The Arrow C stream
interface" (https://arrow.apache.org/docs/format/CStreamInterface.html).
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from evenhand.judgments.refusals import explain, name_file

if TYPE_CHECKING:
    import duckdb

CAPSULE: Final = b"arrow_array_stream"


class _Array(ctypes.Structure):
    """`ArrowArray`: one batch, or one column of it."""


class _Stream(ctypes.Structure):
    """`ArrowArrayStream`: batches to come."""


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
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.c_void_p)),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Stream))),
    ("private_data", ctypes.c_void_p),
]


@dataclass(frozen=True, eq=False)
class Batch:
    """Some rows of a result.

    Attributes:
        columns: the numbers, by column; anything where one is missing.
        missing: columns in which one is missing.

    """

    columns: Mapping[str, NDArray[Any]]
    missing: frozenset[str]


def stream_batches(
    relation: duckdb.DuckDBPyRelation, kinds: Mapping[str, DTypeLike]
) -> Iterator[Batch]:
    """Run a query and go through its rows, some at a time.

    Args:
        relation: the query; its columns are numbers, in this order.
        kinds: column → the numpy type of its numbers, as DuckDB's type is laid out.

    Raises:
        UnknownFormat: a file that is damaged, which shows itself only now.

    """
    capsule = _open(relation)
    stream = ctypes.cast(_pointer(capsule, CAPSULE), ctypes.POINTER(_Stream)).contents
    while True:
        array = _Array()
        if stream.get_next(ctypes.byref(stream), ctypes.byref(array)):
            raise _explain(stream, relation)
        if not array.release:
            return
        try:
            batch = _copy(array, kinds)
        finally:
            array.release(ctypes.byref(array))
        yield batch


def _copy(array: _Array, kinds: Mapping[str, DTypeLike]) -> Batch:
    """Copy a batch out of the engine's memory, which is gone when the batch is released."""
    columns, missing = {}, set()
    for at, (name, kind) in enumerate(kinds.items()):
        column, width = array.children[at].contents, np.dtype(kind).itemsize
        columns[name] = np.empty(array.length, dtype=kind)
        if array.length:
            start = column.buffers[1] + column.offset * width
            ctypes.memmove(columns[name].ctypes.data, start, array.length * width)
        if column.buffers[0] and column.null_count:
            missing.add(name)
    return Batch(columns, frozenset(missing))


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

    said = stream.get_last_error(ctypes.byref(stream)) or b""
    return explain(duckdb.Error(said.decode("utf-8", "replace")), name_file(relation))


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype = ctypes.c_void_p
_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
