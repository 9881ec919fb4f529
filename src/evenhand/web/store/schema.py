"""The tables, as they are after the last migration (`migrations/`); times are ms since 1970."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Select,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    UpdateBase,
    bindparam,
    insert,
)
from sqlalchemy.dialects import postgresql, sqlite

# States of a ticket: to be answered, answered, not to be asked any more
OPEN, CLOSED, VOID = 0, 1, 2

SECRET_BYTES: Final = 32  # Of the key of tickets' names
NUMBER: Final = BigInteger().with_variant(Integer, "sqlite")
TABLES: Final = MetaData()

# One row: which campaign it is, and the end of the log. It is written at every commit, so that it
# has to be short.
campaign = Table(
    "campaign",
    TABLES,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("assignment", Text, nullable=False),
    Column("paused", Boolean, nullable=False),
    Column("tickets", NUMBER, nullable=False),
    Column("head_number", NUMBER, nullable=False),
    Column("head_hash", Text, nullable=False),
    Column("head_at", BigInteger, nullable=False),
)

# One row: what is asked, as it was launched; secret is the key of the names that pages have for
# tickets, in hexadecimal digits, and leaves the database in no export
specs = Table(
    "specs",
    TABLES,
    Column("campaign", Integer, ForeignKey("campaign.id"), primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
    Column("secret", Text, nullable=False, server_default=""),
)

# Places in the design: whose tickets they are, and how many
seats = Table(
    "seats",
    TABLES,
    Column("name", Text, primary_key=True),
    Column("total", Integer, nullable=False),
    Column("holder", Text),
)

# Logins by pseudonym; joined names the login of the same person
judges = Table(
    "judges",
    TABLES,
    Column("name", Text, primary_key=True),
    Column("seat", Text, ForeignKey("seats.name"), nullable=False),
    Column("state", Text, nullable=False),
    Column("made", BigInteger, nullable=False),
    Column("consented", BigInteger),
    Column("joined", Text),
)

# Who is behind a pseudonym; a row is deleted when that is asked for
people = Table(
    "people",
    TABLES,
    Column("judge", Text, ForeignKey("judges.name"), primary_key=True),
    Column("platform", Text, nullable=False),
    Column("worker", Text, nullable=False),
    Column("note", Text, nullable=False),
    UniqueConstraint("platform", "worker", name="people_worker"),
)

# Links that are good; the secrets themselves are not kept
tokens = Table(
    "tokens",
    TABLES,
    Column("name", Text, primary_key=True),
    Column("digest", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("judge", Text, nullable=False),
    Column("made", BigInteger, nullable=False),
)
Index("tokens_judge", tokens.c.judge)

# Questions; record is the answer that stands. Without systems it is not known yet what is shown:
# then a policy says it, and how it was chosen.
tickets = Table(
    "tickets",
    TABLES,
    Column("number", NUMBER, primary_key=True, autoincrement=False),
    Column("seat", Text, nullable=False),
    Column("place", Integer, nullable=False),
    Column("state", SmallInteger, nullable=False),
    Column("task", Text, nullable=False),
    Column("item", Text, nullable=False),
    Column("systems", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("again", NUMBER),
    Column("expected", Text, nullable=False),
    Column("record", NUMBER),
    Column("chosen", Text, nullable=False, server_default=""),
)
Index("tickets_next", tickets.c.seat, tickets.c.state, tickets.c.number)

# What each judge has before them
leases = Table(
    "leases",
    TABLES,
    Column("judge", Text, primary_key=True),
    Column("ticket", NUMBER, nullable=False),
    Column("key", Text, nullable=False),
    Column("since", BigInteger, nullable=False),
    Column("until", BigInteger, nullable=False),
)

# Everything that happened, append-only; said and note may be erased
log = Table(
    "log",
    TABLES,
    Column("number", NUMBER, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("judge", Text, nullable=False),
    Column("ticket", NUMBER),
    Column("key", Text),
    Column("replaces", NUMBER, unique=True),
    Column("body", Text, nullable=False),
    Column("said", Text),
    Column("note", Text),
    Column("hash", Text, nullable=False),
    UniqueConstraint("ticket", "key", name="log_key"),
)
Index("log_judge", log.c.judge, log.c.number)

# What the votes of a pass decided up to a record of the log; sums of votes, and no answers
boards = Table(
    "boards",
    TABLES,
    Column("task", Text, primary_key=True),
    Column("record", NUMBER, nullable=False),
    Column("body", Text, nullable=False),
)


# Statements of the hot path, compiled once for each kind of database: SQLAlchemy takes 0.1 ms to
# hand one over each time; handed to the driver as text, a judgment takes a third of the time.


@dataclass(frozen=True)
class _Text:
    sql: str
    fixed: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Prepared:
    statement: Select[Any] | UpdateBase  # as SQLAlchemy has it
    _texts: dict[str, _Text] = field(default_factory=dict, init=False, repr=False)
    _row: Any = field(default=None, init=False, repr=False)

    def run(self, driver: Any, kind: str, values: Mapping[str, Any]) -> Any:
        text = self._texts.get(kind) or self._compile(kind)
        cursor = driver.cursor()
        cursor.execute(text.sql, {**text.fixed, **values} if text.fixed else values)
        return cursor

    def run_many(self, driver: Any, kind: str, rows: Sequence[Mapping[str, Any]]) -> None:
        text = self._texts.get(kind) or self._compile(kind)
        driver.cursor().executemany(text.sql, rows)

    def ask(self, driver: Any, kind: str, values: Mapping[str, Any]) -> Any:
        row = self.run(driver, kind, values).fetchone()
        return None if row is None else self._row(*row)

    def ask_each(self, driver: Any, kind: str, many: Sequence[Mapping[str, Any]]) -> list[Any]:
        sent = [self.run(driver, kind, values) for values in many]
        rows = [one.fetchone() for one in sent]
        return [None if row is None else self._row(*row) for row in rows]

    def ask_all(self, driver: Any, kind: str, values: Mapping[str, Any]) -> list[Any]:
        return [self._row(*one) for one in self.run(driver, kind, values).fetchall()]

    def __post_init__(self) -> None:
        chosen = self.statement.selected_columns if isinstance(self.statement, Select) else ()
        names: Sequence[str] = [str(one.name) for one in chosen]
        object.__setattr__(self, "_row", namedtuple("Row", names))

    def _compile(self, kind: str) -> _Text:
        kinds: Mapping[str, Any] = {"sqlite": sqlite, "postgresql": postgresql.psycopg}
        named = {"paramstyle": "named"} if kind == "sqlite" else {}
        dialect: Dialect = kinds[kind].dialect(**named)
        made = self.statement.compile(dialect=dialect, compile_kwargs={"render_postcompile": True})
        required = {one.key for one in made.bind_names if one.required}
        fixed = {name: value for name, value in made.params.items() if name not in required}
        self._texts[kind] = _Text(str(made), fixed)
        return self._texts[kind]


def fill(table: Table) -> Prepared:
    """Return the order that puts a row into a table; the parameters are named as its columns."""
    return Prepared(insert(table).values({one.name: bindparam(one.name) for one in table.c}))
