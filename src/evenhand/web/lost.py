"""A database that was lost: links were given out, and their launch is not where it was.

Whoever starts a server there wants to go on. To launch anew would end every link that judges have,
and hide that their answers are missing. So the links and the database are compared before anything
is changed.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from evenhand.errors import CampaignError
from evenhand.web.links import LinksFile, read_file
from evenhand.web.store import reading
from evenhand.web.store.engine import connect_to_read, read_url, say_fault
from evenhand.web.store.migration import read_version
from evenhand.web.store.store import Store

# What SQLite says of a file that is no database, or not all of one
DAMAGED: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


@dataclass(frozen=True)
class Place:
    """Where a campaign is looked for."""

    where: str  # address of the database, or path of a SQLite file
    file: Path | None  # the SQLite file; None for PostgreSQL
    name: str  # of the database, without user and password

    @classmethod
    def at(cls, where: str) -> Place:
        """Return the place of an address."""
        url = read_url(where)
        if url.get_backend_name() != "sqlite":
            return cls(where, None, f"'{url.database or ''}' on PostgreSQL")
        path = str(url.database)
        file = None if path.startswith("file:") else Path(path)
        return cls(where, file, path)

    def find_log(self) -> str:
        """Return the write-ahead log beside the file, "" where nothing is in one."""
        log = self.file and self.file.with_name(f"{self.file.name}-wal")
        return str(log) if log and log.exists() and log.stat().st_size else ""


def check_launch(links: Path, where: str) -> None:
    """Refuse to begin anew, or to serve another launch, beside links that were given out."""
    place, known = Place.at(where), read_file(links)
    wrong = _look_for_file(place)
    if not known.rows:
        if wrong and (log := place.find_log()):
            raise CampaignError(
                f"the database {place.name} {wrong}, but {log} holds answers of it: put"
                f" {place.name} back from where it was moved; to begin anew, move {log} away"
            )
        return
    wrong = wrong or _look_inside(place, known)
    if wrong == OTHER:
        raise CampaignError(
            f"{links} is of another launch than the database {place.name}: serve the database that"
            " it is of (--database), or give this one links of its own"
            f" (--links {_name_free(links)})"
        )
    if wrong:
        raise CampaignError(
            f"{links} holds links that were given out, but the database {place.name} {wrong}:"
            f" {_say_remedy(place, links, there=wrong not in ABSENT)}"
        )


class EndNote:
    """Where the log of a launch ended at the last commit, in a file beside the links.

    A database that was restored from an older copy, or has lost its write-ahead log, looks whole:
    this note shows that its log ended later before. It is written after each commit, and not
    brought to the disk at once: it may fall behind the database, and is never before it.
    """

    def __init__(self, links: Path, launch: str, number: int) -> None:
        """Open the file, if that can be done; nothing is noted otherwise."""
        self.number = number
        self._launch, self._handle = launch, -1
        with suppress(OSError):
            path = links.with_name(f".{links.name}.end")
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)

    def read(self) -> tuple[int, str] | None:
        """Return number and hash of the last record of this launch; None where none is noted."""
        with suppress(OSError, ValueError):
            os.lseek(self._handle, 0, os.SEEK_SET)
            launch, number, hashed = os.read(self._handle, LINE).decode("ascii").split()
            return (int(number), hashed) if launch == self._launch else None
        return None

    def write(self, number: int, hashed: str) -> None:
        """Note the last record, if it is new; each line is as long as the one before."""
        if number == self.number:
            return
        self.number = number
        with suppress(OSError):
            os.lseek(self._handle, 0, os.SEEK_SET)
            os.write(self._handle, f"{self._launch} {number:020} {hashed}\n".encode())

    def close(self) -> None:
        """Close the file."""
        with suppress(OSError):
            os.close(self._handle)


LINE: Final = 200  # Bytes of a note that are read


def note_end(store: Store, links: Path, where: str) -> tuple[EndNote, str]:
    """Note from now on where the log ends."""
    with store.reading() as connection:
        number = reading.read_head(connection).number
        note = EndNote(links, reading.read_launch(connection), number)
        noted = note.read()
        same = noted is None or reading.find_hash(connection, noted[0]) == noted[1]
    store.note_end = note.write
    if noted is None or same:
        return note, ""
    name = Place.at(where).name
    what = (
        f"{name} ends at record {number:,}, and {noted[0]:,} were stored: the last"
        f" {noted[0] - number:,} are missing"
        if number < noted[0]
        else f"record {noted[0]:,} of {name} is not the one that was stored"
    )
    return note, (
        f"{what}. If this is no backup that you restored, end the server, and put back what was"
        " moved or deleted, also the file -wal beside it"
    )


MISSING, EMPTY, OTHER = "is missing", "is empty", "is of another launch"
ABSENT: Final = (MISSING, EMPTY)


def _look_for_file(place: Place) -> str:
    """Say what is wrong with the file itself; "" for nothing."""
    if place.file is None:
        return ""
    if not place.file.exists():
        return MISSING
    return "" if not place.file.is_file() or place.file.stat().st_size else EMPTY


def _look_inside(place: Place, known: LinksFile) -> str:
    """Say what is wrong with what a database holds; "" for nothing."""
    engine = connect_to_read(place.where)
    try:
        with engine.connect() as connection:
            if place.file is not None:  # what was cut off may be missed by all that is read here
                told = str(connection.execute(text("PRAGMA quick_check(1)")).scalar())
                if told != "ok":
                    return f"is damaged ({told.splitlines()[-1]})"
            if not read_version(connection) or not reading.read_launch(connection):
                return "holds no launch"
            if not reading.is_as_launched(connection):
                return "is damaged (its log is of another launch than its campaign)"
            return "" if known.is_of(connection) else OTHER
    except SQLAlchemyError as fault:
        code = getattr(getattr(fault, "orig", None), "sqlite_errorcode", 0) & 0xFF
        if code not in DAMAGED:  # a database that is locked or away is not lost
            raise CampaignError(
                f"the database {place.name} cannot be used: {say_fault(fault)}"
            ) from None
        return f"cannot be read ({str(getattr(fault, 'orig', None) or fault).splitlines()[0]})"
    finally:
        engine.dispose()


def _say_remedy(place: Place, links: Path, *, there: bool) -> str:
    """Say how the database is restored, and how a campaign is begun anew on purpose."""
    if place.file is None:
        return (
            "restore it from a backup (pg_restore), then start again; to begin anew, move"
            f" {links} away"
        )
    old = [one for one in (place.name if there else "", place.find_log()) if one]
    first = f"move {' and '.join(old)} away, " if old else ""
    # a log that is left belongs to the file that was moved: together they hold the newest answers
    back = "" if there else f"if {place.name} was only moved, put it back; otherwise "
    return (
        f"{back}{first}put a backup in its place as {place.name}, then start again; to begin anew,"
        f" move {' and '.join([*old, str(links)])} away"
    )


def _name_free(links: Path) -> Path:
    """Return the name of a file of links that is not there yet."""
    number = 2
    while (free := links.with_name(f"{links.stem}-{number}{links.suffix}")).exists():
        number += 1
    return free
