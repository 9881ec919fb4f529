"""Tables of a DuckDB file: `duckdb://votes.db?table=votes`, opened for reading only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw

from evenhand.errors import MissingFile, UnknownFormat, UnknownOption, end, listing, suggest
from evenhand.formats.addresses import Address
from evenhand.formats.table import Table
from evenhand.judgments.engine import quote_name


def open_table(address: Address) -> Table:
    """Open a table or view of a DuckDB file; a file with one table needs no name of it."""
    if address.settings or address.user or "path" in address.asked:
        raise UnknownOption(f"'{address}' says too much: a DuckDB file takes ?table=NAME only")
    path = Path(f"{address.place}{address.path}").expanduser()
    if not path.is_file():
        raise MissingFile(f"there is no DuckDB file '{path}'")
    try:
        connection = _connect(path)
        relation = connection.sql(f"from {_choose(connection, address)}")
    except duckdb.PermissionException:
        raise UnknownFormat(
            f"'{address}' is a view that reads other files, which are not opened for it: name those"
            " files instead, or keep its rows (create table NAME as from the view)"
        ) from None
    except duckdb.Error as error:
        if not path.stat().st_size:
            raise UnknownFormat(
                f"'{path}' is empty: its tables are gone; restore it from a copy"
            ) from None
        raise UnknownFormat(f"'{address}' cannot be opened: {address.clean(error)}") from None
    return Table(nw.from_native(relation), str(address), connection)


def _connect(path: Path) -> duckdb.DuckDBPyConnection:
    """Open a file for reading; its own views and macros may read no file of this machine.

    No query can set that access back. A file with plain tables alone keeps it: what is made of
    these may be written.
    """
    connection = duckdb.connect(str(path), read_only=True)
    (own,) = connection.execute(
        "select (select count(*) from duckdb_views() where not internal)"
        " + (select count(*) from duckdb_functions() where not internal)"
    ).fetchone() or (1,)
    if own:
        connection.execute("set enable_external_access = false")
    return connection


def _choose(connection: duckdb.DuckDBPyConnection, address: Address) -> str:
    """Return the table that is asked for, or the only one, as SQL names it."""
    query = (
        "select table_schema, table_name from information_schema.tables"
        " where table_catalog = current_database() order by all"
    )
    rows: list[tuple[Any, ...]] = connection.execute(query).fetchall()
    names = {
        name if schema == "main" else f"{schema}.{name}": (schema, name) for schema, name in rows
    }
    asked = address.asked.get("table")
    if asked is None and len(names) == 1:
        return _write(*rows[0])
    if asked is None:
        there = f"it has {listing(list(names))}" if names else "it has none"
        raise UnknownOption(f"'{address}' must say which table to read, with ?table=NAME: {there}")
    if asked.removeprefix("main.") not in names:
        hint = suggest(asked, list(names)) or (f" It has {listing(list(names))}" if names else "")
        raise UnknownFormat(f"'{address}': there is no table '{asked}'{end(hint)}")
    return _write(*names[asked.removeprefix("main.")])


def _write(*parts: str) -> str:
    """Write a name of several parts in SQL, whatever signs it holds."""
    return ".".join(map(quote_name, parts))
