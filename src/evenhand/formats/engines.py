"""Tables by a URL: Spark, DuckDB's own files, and every database that Ibis reaches.

The rows stay there: a query goes to the engine, and what it counts comes back.
"""

from __future__ import annotations

import os
import shutil
import socket
import warnings
import weakref
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import duckdb
import narwhals as nw

from evenhand.data.engine import list_errors, list_faults, quote_name, say_fault
from evenhand.errors import (
    MissingFile,
    UnknownFormat,
    UnknownOption,
    listing,
    sentence_hint,
    suggest,
)
from evenhand.formats.file_heads import Address, read_address
from evenhand.formats.roles import list_words
from evenhand.formats.table import Table

DATABASES: Final = list_words(
    "athena bigquery clickhouse databricks druid exasol flink impala materialize mssql mysql "
    "oracle postgres postgresql redshift risingwave singlestoredb snowflake sqlite trino"
)
# Kinds of URLs that name files elsewhere, which are not opened here
STORES: Final = ("s3", "gs", "r2", "https")
# Tables of a database that Ibis reaches: `postgres://host/db?table=schema.votes`.
SHORT_NAMES: Final = {"postgresql": "postgres", "redshift": "postgres"}


def _open_with_ibis(address: Address) -> Table:
    kind = SHORT_NAMES.get(address.scheme, address.scheme)  # Ibis' name of the database
    _, name = address.require(("table",))
    try:
        import ibis
    except ModuleNotFoundError:
        raise UnknownFormat(
            f"'{address}' is read through Ibis, which is not installed: pip install"
            f" 'evenhand[ibis]' 'ibis-framework[{kind}]' (in a clone '.[ibis]' for the"
            " first)"
        ) from None
    if address.scheme == "sqlite" and not Path(f"{address.place}{address.path}").is_file():
        raise MissingFile(f"there is no SQLite file '{address.place}{address.path}'")
    *spaces, table = name.split(".")
    try:
        user = f"{address.user}@" if address.user else ""
        settings = "&".join(f"{name}={value}" for name, value in address.settings)
        url = f"{kind}://{user}{address.place}{address.path}"
        backend = ibis.connect(f"{url}?{settings}" if settings else url)
        # Close the connection when nobody holds a table of it any more
        close = getattr(getattr(backend, "con", None), "close", None)
        if close is not None:
            weakref.finalize(backend, close)
        native = backend.table(table, database=tuple(spaces) or None)
    except ibis.common.exceptions.TableNotFound:
        names = sorted(map(str, backend.list_tables()))
        hint = suggest(name, names) or (f" It has {listing(names)}" if names else "")
        raise UnknownFormat(
            f"'{address}': there is no table '{name}'{sentence_hint(hint)}"
        ) from None
    except ImportError:
        raise UnknownFormat(
            f"'{address}' needs a driver that is not installed: pip install"
            f" 'ibis-framework[{kind}]'"
        ) from None
    except list_errors(OSError, ValueError) as error:
        raise UnknownFormat(f"'{address}' does not answer: {address.clean(error)}") from None
    return Table(nw.from_native(native), str(address))


# Tables of a DuckDB file: `duckdb://votes.db?table=votes`, opened for reading only.


def _open_duckdb(address: Address) -> Table:
    if address.settings or address.user or "path" in address.query:
        raise UnknownOption(f"'{address}' says too much: a DuckDB file takes ?table=NAME only")
    path = Path(f"{address.place}{address.path}").expanduser()
    if not path.is_file():
        raise MissingFile(f"there is no DuckDB file '{path}'")
    try:
        # The views and macros of a file may read no file of this machine, and no query can set
        # that access back. A file with plain tables alone keeps it: what is made of these may be
        # written.
        connection = duckdb.connect(str(path), read_only=True)
        (user_objects,) = connection.execute(
            "select (select count(*) from duckdb_views() where not internal)"
            " + (select count(*) from duckdb_functions() where not internal)"
        ).fetchone() or (1,)
        if user_objects:
            connection.execute("set enable_external_access = false")
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


def _choose(connection: duckdb.DuckDBPyConnection, address: Address) -> str:
    query = (
        "select table_schema, table_name from information_schema.tables"
        " where table_catalog = current_database() order by all"
    )
    rows: list[tuple[Any, ...]] = connection.execute(query).fetchall()
    names = {
        name if schema == "main" else f"{schema}.{name}": (schema, name) for schema, name in rows
    }
    table_name = address.query.get("table")
    if table_name is None and len(names) == 1:
        return _write(*rows[0])
    if table_name is None:
        there = f"it has {listing(list(names))}" if names else "it has none"
        raise UnknownOption(f"'{address}' must say which table to read, with ?table=NAME: {there}")
    if table_name.removeprefix("main.") not in names:
        hint = suggest(table_name, list(names)) or (
            f" It has {listing(list(names))}" if names else ""
        )
        raise UnknownFormat(f"'{address}': there is no table '{table_name}'{sentence_hint(hint)}")
    return _write(*names[table_name.removeprefix("main.")])


def _write(*parts: str) -> str:
    return ".".join(map(quote_name, parts))


# Tables of Spark: of a Connect server (`sc://`), or of a session of this process (`spark://`).
PORT: Final = 15002  # Where a Connect server listens unless it says otherwise
# Seconds that a server may take to answer: Spark itself would try for minutes
PATIENCE: Final = 10.0
KINDS: Final = {".parquet": "parquet", ".pq": "parquet", ".orc": "orc"}
QUIET: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}
_LOG: Final = Path(__file__).with_name("log4j2.properties")


def _open_spark(address: Address) -> Table:
    kind, name = "table", address.path.strip("/") if address.scheme == "sc" else ""
    if name and address.query:
        raise UnknownOption(f"'{address}' names two tables: one is read")
    if not name:
        kind, name = address.require(("table", "path"))
    # Refuse what cannot run here
    needed = ("pyspark", "grpc") if address.scheme == "sc" else ("pyspark",)
    if any(find_spec(name) is None for name in needed):
        raise UnknownFormat(
            f"'{address}' is read by Spark, which is not installed: pip install 'evenhand[spark]'"
            " (in a clone: '.[spark]')"
        )
    if address.scheme == "spark" and not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        raise UnknownFormat(
            f"'{address}' runs Spark in this process, which needs Java 17 or newer, and there is"
            " none: install it, or name a Connect server (sc://HOST:PORT/TABLE), which needs none"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # Spark's, about the version of pandas
        try:
            session = _connect_spark(address) if address.scheme == "sc" else _start(address)
            if kind == "table":
                native = session.table(name)
            else:
                suffix = Path(name.rstrip("/*")).suffix.lower()
                native = session.read.format(KINDS.get(suffix, "parquet")).load(name)
            columns = native.columns  # a server looks a table up only now
        except list_faults() as error:
            message = address.clean(say_fault(error))
            raise UnknownFormat(f"'{address}' cannot be read: {message}") from None
    if not columns:
        raise UnknownFormat(f"'{address}' has no columns")
    return Table(nw.from_native(native), str(address))


def _connect_spark(address: Address) -> Any:
    """Return a session of a Connect server, after a knock at its door."""
    from pyspark.sql.connect.session import SparkSession

    host, _, port = address.place.partition(":")
    if not host or not (port or "0").isdecimal():
        raise UnknownOption(f"'{address}' names no server: write sc://HOST:PORT/TABLE")
    try:
        socket.create_connection((host, int(port or PORT)), PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise UnknownFormat(
            f"no Spark Connect server answers at {host}:{port or PORT}: {address.clean(error)}"
        ) from None
    settings = [*address.settings]
    if address.user:
        settings.append(("user_id", address.user.split(":", 1)[0]))
    url = f"sc://{host}:{port or PORT}/"
    parts = [url, *(f"{name}={value}" for name, value in settings)]
    return SparkSession.builder.remote(";".join(parts)).getOrCreate()


def _start(address: Address) -> Any:
    from pyspark.sql import SparkSession

    local = address.place.startswith("local")
    master = address.place if local else f"spark://{address.place}"
    if not address.place or address.path.strip("/") or address.user:
        raise UnknownOption(
            f"'{address}' names no Spark: write spark://local?table=NAME or spark://HOST:PORT?…"
        )
    builder = SparkSession.builder.master("local[*]" if master == "local" else master)
    quiet = {**QUIET, "spark.driver.extraJavaOptions": f"-Dlog4j.configurationFile={_LOG.as_uri()}"}
    for name, value in {**quiet, **dict(address.settings)}.items():
        builder = builder.config(name, value)
    return builder.appName("evenhand").getOrCreate()


_OPENERS: Final = {
    "sc": _open_spark,
    "spark": _open_spark,
    "duckdb": _open_duckdb,
    **dict.fromkeys(DATABASES, _open_with_ibis),
}


def open_address(text: str) -> Table:
    """Open the table that a URL names; of its rows nothing is read yet."""
    address = read_address(text)
    opener = _OPENERS.get(address.scheme)
    if opener is None:
        hint = suggest(address.scheme, [*_OPENERS, *STORES])
        raise UnknownFormat(
            f"'{address}' is no engine that is known: sc, spark, duckdb, s3, gs, r2, http and"
            " https are, and databases by the names of Ibis, such as postgres or"
            f" snowflake{sentence_hint(hint)}"
        )
    return opener(address)
