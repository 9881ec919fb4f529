"""The way to a database, and one transaction on it: SQLite in a file, or PostgreSQL by its address.

SQLite is opened with a write-ahead log and `synchronous=FULL`: a commit has reached the disk before
it is acknowledged. PostgreSQL does the same by its default `synchronous_commit=on`, which is set
here whatever the server's default.

Whoever writes holds the one row of `campaign` until the commit, so that several servers on one
database write one chain. Times in the log never go back.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from sqlalchemy import (
    Connection,
    Engine,
    Select,
    UpdateBase,
    bindparam,
    create_engine,
    event,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from evenhand.design.campaign import Campaign
from evenhand.design.tasks import Choice, Ticket
from evenhand.errors import CampaignError, UnknownOption
from evenhand.web.store import schema
from evenhand.web.store.log import (
    GENESIS,
    Line,
    Record,
    canonical,
    digest,
    draw_salt,
    read_record,
    seal,
)
from evenhand.web.store.schema import TABLES, Prepared, fill

WRITE: Final = {"evenhand_write": True}  # Options of a connection that will write
_PRAGMAS: Final = (
    "PRAGMA busy_timeout=10000",
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA secure_delete=ON",  # what is deleted on request is overwritten
)


def read_url(where: str) -> URL:
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
    # A new file can be read and written by its owner alone. Faults do not say what was to be
    # written.
    url = read_url(where)
    settings: dict[str, Any] = {"pool_size": 4, "hide_parameters": True}
    if url.get_backend_name() != "sqlite":
        settings["connect_args"] = {"options": "-c synchronous_commit=on -c timezone=UTC"}
        return create_engine(url, pool_pre_ping=True, **settings)
    path = url.database
    if path and not path.startswith("file:"):
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            sync_folder(Path(path))
        except FileExistsError:
            pass
        except OSError as error:
            raise UnknownOption(
                f"no database can be made at {path}: {error.strerror}; {_NEEDS_FOLDER}"
            ) from None
    engine = create_engine(url, connect_args={"check_same_thread": False}, **settings)
    _begin_by_hand(engine, _PRAGMAS)
    return engine


def connect_to_read(where: str) -> Engine:
    url = read_url(where)
    is_file = url.get_backend_name() == "sqlite"
    if is_file:
        path = str(url.database)
        if not path.startswith("file:"):
            # SQLite makes two files beside it, unless nothing waits in one of them and nobody can:
            # where the folder cannot be written, as in an archive. What was being written when the
            # machine or the program ended waits in a journal, and only who may write takes it back.
            whole = Path(path).resolve()
            log, journal = (
                whole.with_name(f"{whole.name}{end}").exists() for end in ("-wal", "-journal")
            )
            effective = os.access in os.supports_effective_ids
            may = os.access(whole.parent, os.W_OK, effective_ids=effective)
            mode = "mode=rw" if may and journal else "mode=ro"
            path = f"file:{quote(str(whole))}?{mode if log or journal or may else 'immutable=1'}"
        url = URL.create("sqlite", database=path, query={"uri": "true"})
    engine = create_engine(url, poolclass=NullPool, hide_parameters=True)
    if is_file:
        _begin_by_hand(engine, ())
    return engine


def gather(connection: Connection) -> AbstractContextManager[object]:
    """Send statements together where a driver can: writing needs no answer before the end."""
    driver: Any = connection.connection.driver_connection
    return driver.pipeline() if connection.dialect.name == "postgresql" else nullcontext()


def _begin_by_hand(engine: Engine, pragmas: tuple[str, ...]) -> None:
    """Let transactions of SQLite begin where `begin` says so."""
    # The driver itself begins one only to write: without it each question sees another state.

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        for pragma in pragmas:
            connection.execute(pragma)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("evenhand_write")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


_BESIDE: Final = "and that what stands beside it as -wal, -shm or -journal is its own"
_NEEDS_FOLDER: Final = f"see that its folder is there and may be written by you, {_BESIDE}"
# What SQLite says of a database that cannot be used → what to do
_REMEDIES: Final = {
    "unable to open database file": _NEEDS_FOLDER,
    "disk I/O error": "see that its disk is there, is not full and may be written by you",
    "readonly database": f"see that the file and its folder may be written by you, {_BESIDE}",
    "is full": "give it room on its disk",
    "is locked": "another program holds it: end that one, or wait until it has done",
}


def is_damaged(fault: SQLAlchemyError) -> bool:
    """Say whether a fault is of what the database holds, and not of how it is reached."""
    cause = getattr(fault, "orig", None)
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return True
    # PostgreSQL's class of internal errors; and SQLite's driver, which gives this one no code
    internal = str(getattr(cause, "sqlstate", None) or "").startswith("XX")
    return internal or "Could not decode" in str(cause)


def say_fault(fault: SQLAlchemyError) -> str:
    message = str(getattr(fault, "orig", None) or fault).splitlines()[0]
    todo = [remedy for words, remedy in _REMEDIES.items() if words in message]
    return "; ".join([message, *todo[:1]])


def identify_file(engine: Engine, end: str = "") -> tuple[int, int] | None:
    """Return what a SQLite file is known by, wherever it is moved; None where there is no file."""
    # A database that was emptied in its place is there no more.
    path = f"{engine.url.database}{end}"
    if engine.dialect.name != "sqlite" or path.startswith("file:"):
        return None
    try:
        now = Path(path).stat()
    except OSError:
        return None
    return (now.st_dev, now.st_ino) if end or now.st_size else None


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


FRESH: Final = 0.5  # Seconds after a commit for which a connection is taken to be alive


class WriteConnection:
    """Transactions that write, one after the other; not for several threads at a time."""

    # To take a connection from the pool and to ask whether it is alive costs as much as half an
    # answer, and on PostgreSQL a way to the server and back. So a connection that was good a moment
    # ago is used again; after a fault, or after a pause, the pool gives one that is alive.

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._kept: Connection | None = None
        self._until = 0.0

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """Give a connection in a transaction: committed at the end, rolled back after a fault."""
        if self._kept is None or time.monotonic() > self._until:
            self.close()
            self._kept = self._engine.connect().execution_options(**WRITE)
        good = False
        try:
            with self._kept.begin():
                yield self._kept
            good = True
        finally:
            if not good:
                self.close()
        self._until = time.monotonic() + FRESH

    def checkpoint(self) -> bool:
        """Bring SQLite's write-ahead log into the file, and let the connection go."""
        if self._kept is None:
            self._kept = self._engine.connect().execution_options(**WRITE)
        driver: Any = self._kept.connection.driver_connection
        busy = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        self.close()
        return bool(busy)

    def close(self) -> None:
        connection, self._kept = self._kept, None
        if connection is not None:
            connection.close()


# counts the time in which the machine slept, where there is such a clock
_STEADY: Final[int] = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", 0))


def read_steady() -> float:
    """Return seconds by a clock that nobody sets."""
    return time.clock_gettime(_STEADY) if hasattr(time, "clock_gettime") else time.monotonic()


@dataclass(frozen=True)
class Clock:
    """Milliseconds since 1970 that never go back: the wall clock at the start, then a steady one.

    A wall clock that is set back or forth while the server runs changes nothing; one that stands
    behind the last stored time at the start is taken to stand at that time.

    >>> Clock.start_at(5_000, wall=lambda: 1.0, steady=lambda: 7.0).now()
    5000
    """

    start: int  # milliseconds at the start
    began: float  # the steady clock at the start, in seconds
    steady: Callable[[], float] = read_steady

    @classmethod
    def start_at(
        cls,
        stored: int,
        *,
        wall: Callable[[], float] = time.time,
        steady: Callable[[], float] = read_steady,
    ) -> Clock:
        return cls(max(stored, int(wall() * 1000)), steady(), steady)

    def now(self) -> int:
        return self.start + max(0, int((self.steady() - self.began) * 1000))


VERSION: Final = "0007"  # The last of `migrations/`
MIGRATIONS: Final = Path(__file__).parent / "migrations"
# Tables that every version has
OURS: Final = frozenset({"campaign", "judges", "log", "seats", "tickets"})
_LOCK: Final = 0x6576656E  # "even": one server at a time makes tables in PostgreSQL


class NotOurs(CampaignError):
    """The tables are not those of a campaign, or not all of them."""

    def __init__(self, seen: str, remedy: str, others: Sequence[str] = ()) -> None:
        super().__init__(f"the database {seen}: {remedy}")
        self.seen, self.remedy = seen, remedy
        self.others = others  # tables of another program


def refuse_other_version(version: str) -> None:
    if version in ("", VERSION):
        return
    refuse_unknown_version(version)
    raise CampaignError(
        f"the tables are of version {version}, and this program reads version {VERSION}:"
        " 'evenhand serve' brings them up to date"
    )


def refuse_unknown_version(version: str) -> None:
    if version and version not in {path.name[1:5] for path in MIGRATIONS.glob("r[0-9]*_*.py")}:
        raise CampaignError(
            f"the database is of version {version}, which this program, of version {VERSION}, does"
            " not know: another Evenhand made it, newer or never released; use that one for it, or"
            " serve the campaign in a new database (--database NEW.db)"
        )


def look(where: str) -> None:
    url = read_url(where)
    path = Path(url.database or "")
    if url.get_backend_name() != "sqlite" or not path.is_file() or not path.stat().st_size:
        return
    engine = connect_to_read(where)
    try:
        with engine.connect() as connection:
            read_version(connection)
    finally:
        engine.dispose()


def read_version(connection: Connection) -> str:
    names, stored_version = set(inspect(connection).get_table_names()), ""
    if "alembic_version" in names:
        value = connection.scalar(text("SELECT version_num FROM alembic_version"))
        stored_version = str(value or "")
    shared = connection.dialect.name == "postgresql"
    strange = names & {"alembic_version", *TABLES.tables} if shared else names
    if not stored_version and not strange - {"alembic_version"}:
        return ""
    ours = stored_version.isdigit() and len(stored_version) == len(VERSION)
    if ours and names & OURS and (gone := sorted(OURS - names)):
        raise NotOurs(f"is damaged (there is no table '{gone[0]}')", "restore it from a backup")
    if not ours or not names >= OURS:
        raise NotOurs("holds tables of another program", "choose another one", sorted(names))
    return stored_version


def migrate(engine: Engine) -> None:
    """Make the tables where there are none; else run the revisions that were not run."""
    with engine.connect() as connection:
        if read_version(connection) == VERSION:
            return
    from alembic.config import Config
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    config = Config()
    for option in ("script_location", "version_locations"):
        config.set_main_option(option, str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    script = ScriptDirectory.from_config(config)
    steps = {"fn": lambda revision, _context: script._upgrade_revs("head", revision)}
    with engine.connect().execution_options(**WRITE) as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
        stored_version = read_version(connection)
        refuse_unknown_version(stored_version)
        context = MigrationContext.configure(connection, opts=steps)
        if stored_version:
            with Operations.context(context):
                context.run_migrations()
        else:
            TABLES.create_all(connection)
            context.stamp(script, "head")


_STATE = schema.campaign
_ENDS: Final = ("paused", "tickets", "head_number", "head_hash", "head_at")
_HOLD: Final = Prepared(select(*(_STATE.c[name] for name in _ENDS)).with_for_update())
_MOVE: Final = Prepared(update(_STATE).values({name: bindparam(name) for name in _ENDS}))
_ADD: Final = fill(schema.log)


@dataclass(frozen=True)
class Entry:
    kind: str  # see `Record`
    judge: str = ""
    ticket: Ticket | None = None
    fields: Mapping[str, Any] | None = None  # what else the hash covers: key, served, facts, ...
    said: Mapping[str, Any] | None = None  # the answer; kept beside the chain
    note: Mapping[str, Any] | None = None  # what else may be personal; kept beside the chain


@dataclass(frozen=True)
class AssignedPair:
    item: str
    systems: tuple[str, str]  # in the order shown
    chosen: Choice
    instead: tuple[int, ...] = ()  # tickets of the same pair and item that others let lie: emptied


class WriteTransaction:
    def __init__(
        self, connection: Connection, campaign: Campaign | None, *, now: int, lease: int
    ) -> None:
        self._connection, self._campaign, self.lease = connection, campaign, lease
        self._kind = connection.dialect.name
        self._driver: Any = connection.connection.driver_connection
        self._ahead: dict[tuple[Any, ...], Any] = {}
        self._keeps = False
        self._unsent: dict[Prepared, list[Mapping[str, Any]]] = {}
        state = self.ask(_HOLD, {})
        self.launched = state is not None
        self.paused: bool = state.paused if state else False
        self.tickets: int = state.tickets if state else 0
        self._number: int = state.head_number if state else 0
        self._hash: str = state.head_hash if state else GENESIS
        self.now = max(now, state.head_at if state else 0)
        self.changes = 0
        # chooses what whoever has a seat is asked; None where nothing is left for them
        self.assign: Callable[[WriteTransaction, str], AssignedPair | None] = lambda *_: None
        self._state = (self.paused, self.tickets, self._number)

    @property
    def campaign(self) -> Campaign:
        if self._campaign is None:
            raise CampaignError("no campaign was launched in this database: launch one first")
        return self._campaign

    @property
    def head(self) -> tuple[int, str]:
        return self._number, self._hash

    def begin(self, campaign: Campaign) -> None:
        self._campaign, self.launched = campaign, True

    @property
    def connection(self) -> Connection:
        """The connection, after what is written so far."""
        self._send()
        return self._connection

    @property
    def is_remote(self) -> bool:
        return self._kind == "postgresql"

    def prefetch(self, question: Prepared, many: Sequence[Mapping[str, Any]]) -> list[Any]:
        """Ask what will be asked, all at once; each answer is used once, unless it is forgotten."""
        rows = question.ask_each(self._driver, self._kind, many)
        for values, row in zip(many, rows, strict=True):
            self._ahead[question, *values.items()] = row
        return rows

    @contextmanager
    def keep_prefetched(self) -> Iterator[None]:
        """Let what is written in this block leave true what was asked ahead.

        It is sent later, each order with all its rows: the sequence of orders does not matter.
        """
        self._keeps = True
        try:
            yield
        finally:
            self._keeps = False

    def ask(self, question: Prepared, values: Mapping[str, Any]) -> Any:
        if self._ahead and (key := (question, *values.items())) in self._ahead:
            return self._ahead.pop(key)
        self._send()
        return question.ask(self._driver, self._kind, values)

    def ask_all(self, question: Prepared, values: Mapping[str, Any]) -> list[Any]:
        self._send()
        return question.ask_all(self._driver, self._kind, values)

    def change(self, order: Prepared, values: Mapping[str, Any]) -> None:
        """Write; what was asked ahead is forgotten where it may not be true any more."""
        self.changes += 1
        if self._keeps:
            self._unsent.setdefault(order, []).append(values)
            return
        self._ahead.clear()
        self._send()
        order.run(self._driver, self._kind, values)

    def _send(self) -> None:
        unsent, self._unsent = self._unsent, {}
        for order, rows in unsent.items():
            order.run_many(self._driver, self._kind, rows)

    def pick(self, question: Select[Any]) -> list[Any]:
        return self.ask_all(Prepared(question), {})

    def run(self, order: UpdateBase) -> None:
        self.change(Prepared(order), {})

    def load(self, order: Prepared, rows: Sequence[Mapping[str, Any]]) -> None:
        self.changes += 1
        self._ahead.clear()
        self._send()
        order.run_many(self._driver, self._kind, rows)

    def write(self, entry: Entry) -> Record:
        number = self._number + 1
        body: dict[str, Any] = {"before": self._hash, "number": number, "kind": entry.kind}
        body |= {"at": self.now, "judge": entry.judge, **(entry.fields or {})}
        if entry.ticket is not None:
            body["ticket"] = entry.ticket.to_dict()
            del body["ticket"]["judge"]
        parts = {"said": entry.said, "note": entry.note}
        sealed = {name: seal(part) for name, part in parts.items() if part is not None}
        body |= {name: digest(text) for name, text in sealed.items()}
        if not sealed:  # what is sealed has a salt: no name can be tried against a published head
            body["salt"] = draw_salt()
        text = canonical(body)
        line = Line(number, text, digest(text), **sealed)
        columns: dict[str, Any] = {"kind": entry.kind, "judge": entry.judge}
        columns["ticket"] = entry.ticket.number if entry.ticket else None
        columns |= {name: body.get(name) for name in ("key", "replaces")}
        self.change(_ADD, {**columns, **vars(line)})
        self._number, self._hash = number, line.hash
        return read_record(line)

    def close(self) -> None:
        self._send()
        if (self.paused, self.tickets, self._number) == self._state:
            return
        values = {"paused": self.paused, "tickets": self.tickets, "head_at": self.now}
        values |= {"head_number": self._number, "head_hash": self._hash}
        self.change(_MOVE, values)
