"""Open files on a private DuckDB connection that is kept as long as somebody holds the table."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import count
from os import getpid
from pathlib import Path
from typing import Any, Final

import duckdb
import narwhals as nw

from evenhand.errors import UnknownFormat
from evenhand.formats.files.delimited import open_delimited
from evenhand.formats.files.head import Head, read_head
from evenhand.formats.files.json_records import open_json
from evenhand.formats.files.names import duckdb_name, find_files, name_files
from evenhand.formats.files.parquet import open_parquet
from evenhand.formats.files.shapes import open_shaped, tell_shape
from evenhand.formats.files.wrapped import is_wrapped, open_wrapped
from evenhand.formats.table import Kinds, Table
from evenhand.judgments.engine import quote
from evenhand.judgments.refusals import explain, note_opened

# Engines of files elsewhere, each with a folder of its own for what memory does not hold
_APART: Final = count(1)


def connect() -> duckdb.DuckDBPyConnection:
    """Open a connection of our own, with tables of its own, to the one engine of this process.

    An engine for each file would start its threads and fetch its memory anew: at 10⁷ rows that
    costs as much as half a GROUP BY. An engine that broke off over a damaged file is replaced.
    """
    try:
        connection = _engine().cursor()
        connection.execute("select 1")
    except duckdb.FatalException:
        _engine.cache_clear()
        connection = _engine().cursor()
    return connection


def limit_memory(most: str) -> None:
    """Let the engine take so much memory, such as "4GB"; what is more goes to disk."""
    _engine().execute(f"set memory_limit = {quote(most)}")


@cache
def _engine() -> duckdb.DuckDBPyConnection:
    """Start an engine that installs nothing.

    What does not fit in memory goes to the system's folder for temporary files, not to the
    working directory. What was read of a file is not kept for the next time: a file written anew
    within a second looks the same to the engine, and what is kept takes as much memory as the
    columns take on disk.
    """
    return duckdb.connect(config={**_settings(), "enable_external_file_cache": "false"})


def connect_apart() -> duckdb.DuckDBPyConnection:
    """Open a connection to an engine of its own, for files elsewhere, as long as one holds it.

    It keeps what was read of them, as far as its memory goes, so that no column comes twice. It
    has one thread: others would call Python to read, and wait for it for ever where what they read
    for is given up meanwhile.
    """
    (limit,) = connect().execute("select current_setting('memory_limit')").fetchone() or ("",)
    own = {"memory_limit": limit, "threads": "1"}
    return duckdb.connect(config={**_settings(f"-{next(_APART)}"), **own})


def _settings(ending: str = "") -> dict[str, Any]:
    return {
        "temp_directory": str(Path(tempfile.gettempdir()) / f"evenhand-{getpid()}{ending}"),
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
    }


def open_files(source: str | Path | Sequence[str | Path], *, among: bool = False) -> Table:
    """Open one or many files of one layout as a table; of the rows nothing is read yet."""
    paths = find_files(source)
    note_opened([str(path) for path in paths])
    connection = connect()
    heads = [read_head(path, connection) for path in paths]
    _refuse_mixture(heads)
    name = name_files(paths)
    try:
        if heads[0].kind == "parquet":
            names, folders = [duckdb_name(path) for path in paths], among or len(paths) > 1
            relation, mixed = open_parquet(connection, names, name, folders=folders)
            found: Mapping[str, str] = {}
        else:
            relation, found, mixed = _open_text(connection, heads)
    except duckdb.Error as error:
        raise explain(error, name) from None
    return Table(nw.from_native(relation), name, connection, found, tuple(paths), mixed)


def _open_text(
    connection: duckdb.DuckDBPyConnection, heads: Sequence[Head]
) -> tuple[duckdb.DuckDBPyRelation, Mapping[str, str], dict[str, Kinds]]:
    if len(heads) == 1 and is_wrapped(heads[0]):
        return open_wrapped(connection, heads[0]), {}, {}
    if heads[0].kind == "json":
        return open_json(connection, heads)
    shapes = [shape for head in heads if (shape := tell_shape(head)) is not None]
    if len(shapes) == len(heads):
        return open_shaped(connection, heads, shapes), {}, {}
    return open_delimited(connection, heads), {}, {}


def _refuse_mixture(heads: Sequence[Head]) -> None:
    for head in heads:
        if head.kind != heads[0].kind:
            raise UnknownFormat(
                f"{heads[0].path} is {heads[0].kind} and {head.path} is {head.kind}: files read"
                " together must be of one kind"
            )
