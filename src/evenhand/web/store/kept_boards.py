"""Boards that are kept beside the log, so that they need not be counted anew after a restart.

A board is made of the log alone, from its first record to the one that is named beside it. It is
kept nevertheless: answers that were deleted on request can be counted no more, and what was decided
with them stays decided.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Select, bindparam, delete, select

from evenhand.web.store.desk import Desk
from evenhand.web.store.line import Line
from evenhand.web.store.prepared import Prepared, fill
from evenhand.web.store.record import JUDGMENTS, Record, read_record
from evenhand.web.store.schema import boards, log

FOLLOWED: Final = (*JUDGMENTS, "join")  # Kinds of records that boards rest on
_ADD: Final = fill(boards)
_HELD: Final = Prepared(select(boards.c.record).where(boards.c.task == bindparam("task")))
_DROP: Final = Prepared(delete(boards).where(boards.c.task == bindparam("task")))
_COLUMNS: Final = (log.c.number, log.c.body, log.c.hash, log.c.said, log.c.note)


@dataclass(frozen=True)
class KeptBoard:
    """A board as it is kept."""

    record: int  # the last record of the log that it has seen
    body: str  # the board, as JSON


def read_boards(connection: Connection) -> Mapping[str, KeptBoard]:
    """Return the boards that are kept, by pass."""
    found = _ask(connection, select(boards))
    return {row.task: KeptBoard(row.record, row.body) for row in found}


def keep_boards(desk: Desk, made: Mapping[str, KeptBoard]) -> None:
    """Put boards in the place of older ones; one that has seen more stays."""
    for task, board in made.items():
        held = desk.ask(_HELD, {"task": task})
        if held is None or held.record <= board.record:
            desk.change(_DROP, {"task": task})
            desk.change(_ADD, {"task": task, **vars(board)})


def read_after(connection: Connection, number: int, most: int) -> list[Line]:
    """Return the next lines of the log that boards rest on, in their order."""
    wanted = select(*_COLUMNS).where(log.c.number > number, log.c.kind.in_(FOLLOWED))
    return [Line(*row) for row in _ask(connection, wanted.order_by(log.c.number).limit(most))]


def has_deletion(connection: Connection, number: int) -> bool:
    """Say whether somebody was forgotten after a record: answers behind it may be gone."""
    wanted = select(log.c.number).where(log.c.number > number, log.c.kind == "forget").limit(1)
    return bool(_ask(connection, wanted))


def read_joins(connection: Connection, number: int) -> Iterator[Record]:
    """Yield which logins were joined up to a record."""
    wanted = select(*_COLUMNS).where(log.c.number <= number, log.c.kind == "join")
    for row in _ask(connection, wanted.order_by(log.c.number)):
        yield read_record(Line(*row))


def _ask(connection: Connection, wanted: Select[Any]) -> list[Any]:
    """Return all rows, also amid orders of a batch that were sent without waiting."""
    driver = connection.connection.driver_connection
    return Prepared(wanted).ask_all(driver, connection.dialect.name, {})
