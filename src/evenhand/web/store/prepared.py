"""Statements of the hot path, compiled once for each kind of database.

SQLAlchemy writes them and takes 0.1 ms to hand one over each time; handed to the driver as text, a
judgment takes a third of the processor's time.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Dialect, Select, Table, UpdateBase, bindparam, insert
from sqlalchemy.dialects import postgresql, sqlite


@dataclass(frozen=True)
class _Text:
    """A statement as a driver takes it, and what it says itself."""

    sql: str
    fixed: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A statement whose parameters are all named."""

    statement: Select[Any] | UpdateBase  # as SQLAlchemy has it
    _texts: dict[str, _Text] = field(default_factory=dict, init=False, repr=False)
    _row: Any = field(default=None, init=False, repr=False)

    def run(self, driver: Any, kind: str, values: Mapping[str, Any]) -> Any:
        """Hand it to a connection of the driver; return the cursor."""
        text = self._texts.get(kind) or self._compile(kind)
        cursor = driver.cursor()
        cursor.execute(text.sql, {**text.fixed, **values} if text.fixed else values)
        return cursor

    def run_many(self, driver: Any, kind: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Hand it to a connection of the driver, once for each row."""
        text = self._texts.get(kind) or self._compile(kind)
        driver.cursor().executemany(text.sql, rows)

    def ask(self, driver: Any, kind: str, values: Mapping[str, Any]) -> Any:
        """Return the first row, by the names of its columns; None for none."""
        found = self.run(driver, kind, values).fetchone()
        return None if found is None else self._row(*found)

    def ask_each(self, driver: Any, kind: str, many: Sequence[Mapping[str, Any]]) -> list[Any]:
        """Return the first row of each answer to many questions that are sent together."""
        sent = [self.run(driver, kind, values) for values in many]
        rows = [one.fetchone() for one in sent]
        return [None if row is None else self._row(*row) for row in rows]

    def ask_all(self, driver: Any, kind: str, values: Mapping[str, Any]) -> list[Any]:
        """Return all rows, by the names of their columns."""
        return [self._row(*one) for one in self.run(driver, kind, values).fetchall()]

    def __post_init__(self) -> None:
        """Name the columns of rows."""
        chosen = self.statement.selected_columns if isinstance(self.statement, Select) else ()
        names: Sequence[str] = [str(one.name) for one in chosen]
        object.__setattr__(self, "_row", namedtuple("Row", names))

    def _compile(self, kind: str) -> _Text:
        kinds: Mapping[str, Any] = {"sqlite": sqlite, "postgresql": postgresql.psycopg}
        named = {"paramstyle": "named"} if kind == "sqlite" else {}
        dialect: Dialect = kinds[kind].dialect(**named)
        made = self.statement.compile(dialect=dialect, compile_kwargs={"render_postcompile": True})
        asked = {one.key for one in made.bind_names if one.required}
        fixed = {name: value for name, value in made.params.items() if name not in asked}
        self._texts[kind] = _Text(str(made), fixed)
        return self._texts[kind]


def fill(table: Table) -> Prepared:
    """Return the order that puts a row into a table; the parameters are named as its columns."""
    return Prepared(insert(table).values({one.name: bindparam(one.name) for one in table.c}))
