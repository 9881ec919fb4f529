"""The way to a database: SQLite in a file, or PostgreSQL by its address.

SQLite is opened with a write-ahead log and `synchronous=FULL`: a commit has reached the disk before
it is acknowledged. PostgreSQL does the same by its default `synchronous_commit=on`, which is set
here whatever the server's default.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from evenhand.errors import UnknownOption

WRITE: Final = {"evenhand_write": True}  # Options of a connection that will write
_PRAGMAS: Final = (
    "PRAGMA busy_timeout=10000",
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA secure_delete=ON",  # what is deleted on request is overwritten
)


def read_url(where: str) -> URL:
    """Return the address of a database; a path is a SQLite file."""
    if "://" not in where:
        return URL.create("sqlite", database=where)
    try:
        url = make_url(where)
    except ArgumentError:
        raise UnknownOption("the address of the database cannot be read: " + _SAYS) from None
    if url.get_backend_name() == "sqlite":
        if url.database in (None, "", ":memory:"):
            raise UnknownOption("a database in memory would lose everything: " + _SAYS)
        return url
    if url.drivername not in ("postgresql", "postgres", "postgresql+psycopg"):
        raise UnknownOption(f"no database of kind '{url.drivername}' can be used: " + _SAYS)
    if find_spec("psycopg") is None:
        raise UnknownOption(
            "PostgreSQL needs its driver: pip install 'evenhand[postgres]' (in a clone:"
            " '.[postgres]')"
        )
    return url.set(drivername="postgresql+psycopg")


_SAYS: Final = (
    "give the path of a SQLite file, such as spring.db, or postgresql://user@host/database"
)


def connect(where: str) -> Engine:
    """Return the engine of a database; a SQLite file is made where there is none.

    A new file can be read and written by its owner alone. Faults do not say what was to be written.
    """
    url = read_url(where)
    if url.get_backend_name() == "sqlite":
        return _connect_sqlite(url)
    return create_engine(
        url,
        pool_pre_ping=True,
        pool_size=4,
        hide_parameters=True,
        connect_args={"options": "-c synchronous_commit=on -c timezone=UTC"},
    )


def connect_to_read(where: str) -> Engine:
    """Return the engine of a database that is there and will not be written."""
    url = read_url(where)
    if url.get_backend_name() == "sqlite":
        path = str(url.database)
        if not path.startswith("file:"):
            path = f"file:{quote(str(Path(path).resolve()))}?{_say_mode(Path(path).resolve())}"
        url = URL.create("sqlite", database=path, query={"uri": "true"})
        engine = create_engine(url, poolclass=NullPool, hide_parameters=True)
        _begin_by_hand(engine, ())
        return engine
    return create_engine(url, poolclass=NullPool, hide_parameters=True)


def _say_mode(path: Path) -> str:
    """Say how a file is opened that is only read.

    SQLite makes two files beside it, unless nothing waits in one of them and nobody can: where the
    folder cannot be written, as in an archive.
    """
    waits = path.with_name(f"{path.name}-wal").exists()
    effective = os.access in os.supports_effective_ids
    may = os.access(path.parent, os.W_OK, effective_ids=effective)
    return "mode=ro" if waits or may else "immutable=1"


def gather(connection: Connection) -> AbstractContextManager[object]:
    """Send statements together where a driver can: writing needs no answer before the end."""
    if connection.dialect.name != "postgresql":
        return nullcontext()
    driver: Any = connection.connection.driver_connection
    together: AbstractContextManager[object] = driver.pipeline()
    return together


def _connect_sqlite(url: URL) -> Engine:
    """Return the engine of a SQLite file."""
    path = url.database
    if path and not path.startswith("file:"):
        _make_private(Path(path))
    engine = create_engine(
        url, connect_args={"check_same_thread": False}, pool_size=4, hide_parameters=True
    )

    _begin_by_hand(engine, _PRAGMAS)
    return engine


def _begin_by_hand(engine: Engine, pragmas: tuple[str, ...]) -> None:
    """Let transactions of SQLite begin where `begin` says so.

    The driver itself begins one only to write: without it each question sees another state.
    """

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        for pragma in pragmas:
            connection.execute(pragma)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("evenhand_write")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def see_one_state(connection: Connection) -> Connection:
    """Return a connection whose next transaction reads one state; SQLite has no other kind."""
    if connection.dialect.name != "postgresql":
        return connection
    return connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


_NEEDS_FOLDER: Final = "see that its folder is there and may be written by you"
# What SQLite says of a database that cannot be used → what to do
_REMEDIES: Final = {
    "unable to open database file": _NEEDS_FOLDER,
    "disk I/O error": "see that its disk is there, is not full and may be written by you",
    "readonly database": "see that the file and its folder may be written by you",
    "is full": "give it room on its disk",
    "is locked": "another program holds it: end that one, or wait until it has done",
}


def say_fault(fault: SQLAlchemyError) -> str:
    """Return what a database says is wrong, and what to do where that is known."""
    said = str(getattr(fault, "orig", None) or fault).splitlines()[0]
    todo = [remedy for words, remedy in _REMEDIES.items() if words in said]
    return "; ".join([said, *todo[:1]])


def identify_file(engine: Engine, end: str = "") -> tuple[int, int] | None:
    """Return what a SQLite file is known by, wherever it is moved; None where there is no file."""
    path = f"{engine.url.database}{end}"
    if engine.dialect.name != "sqlite" or path.startswith("file:"):
        return None
    try:
        now = Path(path).stat()
    except OSError:
        return None
    return now.st_dev, now.st_ino


def _make_private(path: Path) -> None:
    """Make an empty file for its owner alone, unless it is there."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        sync_folder(path)
    except FileExistsError:
        return
    except OSError as error:
        raise UnknownOption(
            f"no database can be made at {path}: {error.strerror}; {_NEEDS_FOLDER}"
        ) from None


def sync_folder(path: Path) -> None:
    """Sync a folder's entries to disk; do nothing where folders cannot be opened."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    try:
        handle = os.open(path.resolve().parent, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:
        return  # files may be made there, but the folder may not be read
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
