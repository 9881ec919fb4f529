"""Files elsewhere as a table: Parquet where it lies, all else from copies."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from shutil import disk_usage
from tempfile import TemporaryDirectory, gettempdir
from typing import Final
from weakref import finalize

import duckdb
import narwhals as nw

from evenhand.errors import EvenhandError, UnknownFormat, UnknownOption
from evenhand.formats.files.names import name_files
from evenhand.formats.files.opening import connect_apart, open_files
from evenhand.formats.files.parquet import open_parquet
from evenhand.formats.stores.stored_file import PARQUET, StoredFile
from evenhand.formats.table import Table
from evenhand.judgments.copies import call_copy, forget_copies, name_originals
from evenhand.judgments.refusals import explain
from evenhand.judgments.traffic import Traffic, note_traffic

# Bytes of a file's name that a copy bears; a longer one keeps its endings alone
_LONGEST: Final = 100


def open_stored(files: Sequence[StoredFile], *, among: bool = False) -> Table:
    """Open files of one layout that lie elsewhere."""
    kinds = {file.path.suffix.lower() in PARQUET: file for file in files}
    if len(kinds) > 1:
        raise UnknownFormat(
            f"{kinds[True]} is Parquet and {kinds[False]} is not: files read together must be of"
            " one kind"
        )
    stay = all(file.stays for file in files)
    size = sum(file.size for file in files)
    traffic = Traffic(name_files(files), files=len(files), size=size, copied=not stay)
    note_traffic(traffic)
    opened = _open_there if stay else _open_copies
    return opened(files, traffic, among=among)


def _open_there(files: Sequence[StoredFile], traffic: Traffic, *, among: bool) -> Table:
    """Open Parquet where it lies."""
    from evenhand.formats.stores.bridge import Bridge

    name, connection = traffic.name, connect_apart()
    connection.register_filesystem(Bridge().hold(files, traffic))
    try:
        relation, mixed = open_parquet(
            connection, [file.url for file in files], name, folders=among or len(files) > 1
        )
    except duckdb.Error as error:
        raise explain(error, name) from None
    return Table(nw.from_native(relation), name, connection, mixed=mixed)


def _open_copies(files: Sequence[StoredFile], traffic: Traffic, *, among: bool) -> Table:
    """Open copies of files, which last as long as the table."""
    _refuse_place(traffic, among=among or len(files) > 1)
    folder = TemporaryDirectory(prefix="evenhand-")
    copies: list[str] = []
    with ExitStack() as undo, _naming():
        undo.callback(folder.cleanup)
        undo.callback(forget_copies, copies)
        for i, file in enumerate(files):
            copies.append(str(_copy(file, Path(folder.name, str(i)), traffic)))
        table = open_files([Path(copy) for copy in copies], among=among)
        undo.pop_all()  # they last as long as the table
    finalize(table.connection, forget_copies, copies)
    finalize(table.connection, folder.cleanup)
    return replace(table, name=traffic.name, paths=())


def _refuse_place(traffic: Traffic, *, among: bool) -> None:
    """Refuse a folder for copies that is too small, or whose name would be read as a column."""
    place = gettempdir()
    if among and "=" in place:
        raise UnknownOption(
            f"copies of the files would lie in {place}, where a folder named like NAME=VALUE is"
            " read as a column: set TMPDIR to another folder"
        )
    free = disk_usage(place).free
    if traffic.size > free:
        raise UnknownOption(
            f"no room for copies of the files in {place} ({traffic.size:,} bytes, {free:,} free):"
            " set TMPDIR to a folder with more"
        )


@contextmanager
def _naming() -> Iterator[None]:
    """Call copies that cannot be read by their originals."""
    try:
        yield
    except EvenhandError as error:
        raise type(error)(name_originals(str(error))) from None
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        raise UnknownOption(
            f"no room for copies of the files in {gettempdir()}: set TMPDIR to a folder with more"
        ) from None


def _copy(file: StoredFile, folder: Path, traffic: Traffic) -> Path:
    """Copy a file, folders like `day=1` with it."""
    name = file.path.name
    if name in ("", ".", "..") or len(name.encode()) > _LONGEST:
        name = "judgments" + "".join(file.path.suffixes[-2:])[-_LONGEST // 4 :]
    path = folder.joinpath(*file.folders, name)
    try:
        path.parent.mkdir(parents=True)
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        raise UnknownFormat(
            f"'{file}' lies in a folder whose name is too long for a copy here: download the file"
        ) from None
    with path.open("wb") as copy:
        traffic.add(file.store.copy(file.name, copy))
    call_copy(str(path), file.url)
    return path
