"""A log is checked where it lies: a file of JSON Lines, or a database, which is only read."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from evenhand.errors import MissingFile, UnknownFormat, UnknownOption, end, suggest
from evenhand.web.store.comparison import OtherVersion
from evenhand.web.store.engine import connect, connect_to_read
from evenhand.web.store.line import Line
from evenhand.web.store.migration import migrate
from evenhand.web.store.readable import Readable, explained
from evenhand.web.store.reading import stream_lines
from evenhand.web.store.verification import Head, LogCheck, read_log, verify

_SQLITE: Final = b"SQLite format 3\0"


def audit(where: str, head: Head | None = None, *, receipts: Collection[str] = ()) -> LogCheck:
    """Check a log; of a file with older tables a copy is brought up to date, and checked."""
    if "://" not in where and not _is_database(Path(where)):
        return verify(read_log(where), head, receipts=receipts)
    try:
        return open_to_read(where).verify(head, receipts=receipts)
    except OtherVersion:
        if "://" in where:
            raise
    with TemporaryDirectory(prefix="evenhand-") as folder:
        copy = str(Path(folder) / "copy.db")
        _copy_file(where, copy)
        return open_to_read(copy).verify(head, receipts=receipts)


def _copy_file(where: str, copy: str) -> None:
    """Copy a SQLite file that holds older tables, and bring the copy up to date."""
    source = open_to_read(where)
    with source.reading() as connection, closing(sqlite3.connect(copy)) as target:
        driver: Any = connection.connection.driver_connection
        driver.backup(target)
    engine = connect(copy)
    try:
        with explained():
            migrate(engine)
    finally:
        engine.dispose()


def stream_log(where: str) -> Iterator[Line]:
    """Yield the log of a database, or of a file of JSON Lines, line by line."""
    if "://" not in where and not _is_database(Path(where)):
        return read_log(where)
    return open_to_read(where).lines()


def write_log(where: str, path: str | Path) -> int:
    """Write the log of a database as JSON Lines, and return how many lines it has.

    The file can be read by its owner alone: comments stand in it.
    """
    if "://" not in where and not _is_database(Path(where)):
        raise UnknownOption(f"--write-log {path}: '{where}' is a log already, and no database")
    count = 0
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with (
            os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file,
            open_to_read(where).reading() as connection,
        ):
            for line in stream_lines(connection):
                file.write(f"{line.write()}\n")
                count += 1
    except FileExistsError:
        raise UnknownOption(f"--write-log {path}: the file is there; name another one") from None
    except OSError as fault:
        reason = (fault.strerror or str(fault)).lower()
        raise UnknownOption(f"--write-log {path}: it cannot be written: {reason}") from None
    return count


def open_to_read(where: str) -> Readable:
    """Open a database that is only read; its tables stay of the version that they are."""
    return Readable(connect_to_read(where))


def _is_database(path: Path) -> bool:
    """Say whether a file is of SQLite."""
    if not path.is_file():
        near = [one.name for one in path.parent.iterdir()] if path.parent.is_dir() else []
        raise MissingFile(f"there is no file '{path}'{end(suggest(path.name, near))}")
    try:
        with path.open("rb") as file:
            start = file.read(len(_SQLITE))
    except OSError as fault:
        reason = (fault.strerror or str(fault)).lower()
        raise UnknownFormat(f"'{path}' cannot be read: {reason}") from None
    if not start:
        raise UnknownFormat(f"'{path}' is empty: it has lost what it held; restore it from a copy")
    if start != _SQLITE and not start.startswith(b"{"):
        raise UnknownFormat(
            f"'{path}' is no log: it is neither a database of evenhand serve nor JSON Lines of one"
        )
    return start == _SQLITE
