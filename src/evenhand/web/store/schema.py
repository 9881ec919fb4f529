"""The tables; a change to them needs a revision in `migrations/`. Times are ms since 1970."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

# States of a ticket: to be answered, answered, not to be asked any more
OPEN, CLOSED, VOID = 0, 1, 2

SECRET_BYTES: Final = 32  # Of the key of tickets' names
NUMBER: Final = sa.BigInteger().with_variant(sa.Integer, "sqlite")
TABLES: Final = sa.MetaData()


def _fill_columns(kind: Any, *names: str) -> tuple[sa.Column[Any], ...]:
    """Return columns in which every row has a value."""
    return tuple(sa.Column(name, kind, nullable=False) for name in names)


# One row: which campaign it is, and the end of the log. It is written at every commit, so that it
# has to be short.
campaign = sa.Table(
    "campaign",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    *_fill_columns(sa.Text, "name", "digest", "assignment"),
    sa.Column("paused", sa.Boolean, nullable=False),
    *_fill_columns(NUMBER, "tickets", "head_number"),
    sa.Column("head_hash", sa.Text, nullable=False),
    sa.Column("head_at", sa.BigInteger, nullable=False),
)

# One row: what is asked, as it was launched; secret is the key of the names that pages have for
# tickets, in hexadecimal digits, and leaves the database in no export
specs = sa.Table(
    "specs",
    TABLES,
    sa.Column(
        "campaign", sa.Integer, sa.ForeignKey("campaign.id"), primary_key=True, autoincrement=False
    ),
    *_fill_columns(sa.Text, "body", "secret"),
)

# Places in the design: whose tickets they are, and how many
seats = sa.Table(
    "seats",
    TABLES,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("total", sa.Integer, nullable=False),
    sa.Column("holder", sa.Text),
)

# Logins by pseudonym; joined names the login of the same person
judges = sa.Table(
    "judges",
    TABLES,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("seat", sa.Text, sa.ForeignKey("seats.name"), nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("made", sa.BigInteger, nullable=False),
    sa.Column("consented", sa.BigInteger),
    sa.Column("joined", sa.Text),
)

# Who is behind a pseudonym; a row is deleted when that is asked for
people = sa.Table(
    "people",
    TABLES,
    sa.Column("judge", sa.Text, sa.ForeignKey("judges.name"), primary_key=True),
    *_fill_columns(sa.Text, "platform", "worker", "note"),
    sa.UniqueConstraint("platform", "worker", name="people_worker"),
)

# Links that are good; the secrets themselves are not kept
tokens = sa.Table(
    "tokens",
    TABLES,
    sa.Column("name", sa.Text, primary_key=True),
    *_fill_columns(sa.Text, "digest", "role", "judge"),
    sa.Column("made", sa.BigInteger, nullable=False),
)
sa.Index("tokens_judge", tokens.c.judge)

# Questions; record is the answer that stands. Without systems it is not known yet what is shown:
# then a policy says it, and how it was chosen.
tickets = sa.Table(
    "tickets",
    TABLES,
    sa.Column("number", NUMBER, primary_key=True, autoincrement=False),
    sa.Column("seat", sa.Text, nullable=False),
    sa.Column("place", sa.Integer, nullable=False),
    sa.Column("state", sa.SmallInteger, nullable=False),
    *_fill_columns(sa.Text, "task", "item", "systems", "kind"),
    sa.Column("again", NUMBER),
    sa.Column("expected", sa.Text, nullable=False),
    sa.Column("record", NUMBER),
    sa.Column("chosen", sa.Text, nullable=False),
)
sa.Index("tickets_next", tickets.c.seat, tickets.c.state, tickets.c.number)

# What each judge has before them
leases = sa.Table(
    "leases",
    TABLES,
    sa.Column("judge", sa.Text, primary_key=True),
    sa.Column("ticket", NUMBER, nullable=False),
    sa.Column("key", sa.Text, nullable=False),
    *_fill_columns(sa.BigInteger, "since", "until"),
)

# Everything that happened, append-only; said and note may be erased
log = sa.Table(
    "log",
    TABLES,
    sa.Column("number", NUMBER, primary_key=True, autoincrement=False),
    *_fill_columns(sa.Text, "kind", "judge"),
    sa.Column("ticket", NUMBER),
    sa.Column("key", sa.Text),
    sa.Column("replaces", NUMBER, unique=True),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("said", sa.Text),
    sa.Column("note", sa.Text),
    sa.Column("hash", sa.Text, nullable=False),
    sa.UniqueConstraint("ticket", "key", name="log_key"),
)
sa.Index("log_judge", log.c.judge, log.c.number)

# What the votes of a pass decided up to a record of the log; sums of votes, and no answers
boards = sa.Table(
    "boards",
    TABLES,
    sa.Column("task", sa.Text, primary_key=True),
    sa.Column("record", NUMBER, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
)


# Statements of the hot path, compiled once for each kind of database: SQLAlchemy takes 0.1 ms to
# hand one over each time; handed to the driver as text, a judgment takes a third of the time.


class Prepared:
    def __init__(self, statement: sa.Select[Any] | sa.UpdateBase) -> None:
        self.statement = statement  # as SQLAlchemy has it
        # kind of database → the text, and the parameters that are always the same
        self._texts: dict[str, tuple[str, Mapping[str, Any]]] = {}
        chosen = statement.selected_columns if isinstance(statement, sa.Select) else ()
        make: Any = namedtuple
        self._row = make("Row", [str(one.name) for one in chosen])

    def run(self, driver: Any, kind: str, values: Mapping[str, Any]) -> Any:
        sql, fixed = self._texts.get(kind) or self._compile(kind)
        cursor = driver.cursor()
        cursor.execute(sql, {**fixed, **values} if fixed else values)
        return cursor

    def run_many(self, driver: Any, kind: str, rows: Sequence[Mapping[str, Any]]) -> None:
        sql, fixed = self._texts.get(kind) or self._compile(kind)
        driver.cursor().executemany(sql, [{**fixed, **one} for one in rows] if fixed else rows)

    def ask(self, driver: Any, kind: str, values: Mapping[str, Any]) -> Any:
        row = self.run(driver, kind, values).fetchone()
        return None if row is None else self._row(*row)

    def ask_each(self, driver: Any, kind: str, many: Sequence[Mapping[str, Any]]) -> list[Any]:
        if not many:
            return []
        sql, fixed = self._texts.get(kind) or self._compile(kind)
        cursor = driver.cursor()  # of PostgreSQL: others give no rows here
        cursor.executemany(sql, [{**fixed, **one} for one in many], returning=True)
        rows = [cursor.fetchone()]
        while cursor.nextset():
            rows.append(cursor.fetchone())
        return [None if row is None else self._row(*row) for row in rows]

    def ask_all(self, driver: Any, kind: str, values: Mapping[str, Any]) -> list[Any]:
        return [self._row(*one) for one in self.run(driver, kind, values).fetchall()]

    def _compile(self, kind: str) -> tuple[str, Mapping[str, Any]]:
        kinds: Mapping[str, Any] = {"sqlite": sqlite, "postgresql": postgresql.psycopg}
        named = {"paramstyle": "named"} if kind == "sqlite" else {}
        dialect: sa.Dialect = kinds[kind].dialect(**named)
        made = self.statement.compile(dialect=dialect, compile_kwargs={"render_postcompile": True})
        required = {one.key for one in made.bind_names if one.required}
        fixed = {name: value for name, value in made.params.items() if name not in required}
        self._texts[kind] = (str(made), fixed)
        return self._texts[kind]


def renew(key: sa.Column[Any], named: str, columns: Mapping[str, str]) -> Prepared:
    """Return the order that changes the rows of a key; columns: name → parameter of its value."""
    table: Any = key.table
    values: dict[str, Any] = {name: sa.bindparam(one) for name, one in columns.items()}
    return Prepared(sa.update(table).where(key == sa.bindparam(named)).values(values))


def fill(table: sa.Table) -> Prepared:
    """Return the order that puts a row into a table; the parameters are named as its columns."""
    return Prepared(sa.insert(table).values({one.name: sa.bindparam(one.name) for one in table.c}))
