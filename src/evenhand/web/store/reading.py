"""What is in a store: lines, records, judgments that stand, rows of our tables, progress."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, func, select

from evenhand.design.campaign import Campaign
from evenhand.web.store.chain import GENESIS, digest
from evenhand.web.store.line import Line
from evenhand.web.store.record import JUDGMENTS, Record, read_record
from evenhand.web.store.schema import (
    CLOSED,
    VOID,
    campaign,
    judges,
    leases,
    log,
    people,
    seats,
    specs,
    tokens,
)
from evenhand.web.store.schema import tickets as asked
from evenhand.web.store.tokens import Token, matches
from evenhand.web.store.verification import Head

AT_A_TIME: Final = 1_000  # Rows that are fetched together
LAUNCH: Final = 16  # Hexadecimal digits by which launches are told apart
LINE: Final = (log.c.number, log.c.body, log.c.hash, log.c.said, log.c.note)  # Columns of a line


@dataclass(frozen=True)
class JudgeState:
    """Where a judge stands."""

    name: str  # the pseudonym
    seat: str  # whose tickets these are
    state: str  # invited, active, left, revoked, forgotten; "vacant" where nobody has the seat
    person: str  # the login by which exports name the person
    done: int  # answered tickets of the seat
    total: int  # tickets of the seat that are or will be asked
    since: int | None = None  # when the present ticket was served; None for none
    # when the judge agreed to the text of the campaign; None for not yet
    consented: int | None = None
    platform: str = ""  # the crowd platform they came from; "" for an invited judge
    worker: str = ""  # their name there
    note: str = ""  # what the organiser wrote about who it is


def stream_lines(connection: Connection) -> Iterator[Line]:
    """Yield the log line by line."""
    for row in stream(connection, select(*LINE).order_by(log.c.number)):
        yield make_line(row)


def read_lines(connection: Connection, after: int) -> list[Line]:
    """Return the lines after one, at most so many as are fetched together."""
    wanted = select(*LINE).where(log.c.number > after).order_by(log.c.number).limit(AT_A_TIME)
    return [make_line(row) for row in connection.execute(wanted)]


def stream_standing(connection: Connection) -> Iterator[Record]:
    """Yield the answers that stand, in the order in which they were given."""
    standing = select(*LINE).join(asked, asked.c.record == log.c.number)
    for row in stream(connection, standing.order_by(log.c.number)):
        yield read_record(make_line(row))


def list_firsts(connection: Connection) -> list[tuple[int, int]]:
    """Return records whose answers stand, each with the first answer to its ticket, in its order.

    A revision, or an answer that was taken back and given anew, stands where the judge said
    something first.
    """
    standing = set(
        connection.execute(select(asked.c.record).where(asked.c.record.is_not(None))).scalars()
    )
    wanted = select(log.c.number, log.c.ticket, log.c.judge).where(log.c.kind.in_(JUDGMENTS))
    begun: dict[tuple[int, str], int] = {}
    found = []
    for number, ticket, judge in connection.execute(wanted.order_by(log.c.number)):
        first = begun.setdefault((ticket, judge), number)
        if number in standing:
            found.append((number, first))
    return sorted(found, key=itemgetter(1))


def read_numbered(connection: Connection, numbers: Collection[int]) -> list[Line]:
    """Return lines by their numbers, in order."""
    wanted = select(*LINE).where(log.c.number.in_(numbers)).order_by(log.c.number)
    return [make_line(row) for row in connection.execute(wanted)]


def make_rows(
    planned: Campaign, table: str, record: Record, first: int, persons: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of an answer; none where it was deleted, or belongs to another table."""
    ticket = record.ticket
    if ticket is None or record.answer is None or planned.task(ticket.task).table != table:
        return
    task, told = planned.task(ticket.task), dict(record.answer)
    if record.comment:
        told["comment"] = record.comment
    answer = task.validate(told, planned.shown(ticket), planned.item(ticket.item).source)
    named = replace(ticket, judge=persons.get(record.judge, record.judge))
    extra: dict[str, Any] = {"at": record.at, "seconds": record.seconds}
    extra["answered_at"] = f"{first / 1000:.3f}"
    extra |= {"login": record.judge, "comment": record.comment}
    if planned.has_documents:
        extra["document"] = planned.item(ticket.item).document
    if planned.design.policy:
        extra["chosen"] = ticket.chosen or "design"
    for row in task.rows(named, answer):
        yield {**row, **extra}


def read_persons(connection: Connection) -> Mapping[str, str]:
    """Return by which login exports name the person behind each login."""
    found = connection.execute(select(judges.c.name, judges.c.joined))
    return {name: joined or name for name, joined in found}


def read_head(connection: Connection) -> Head:
    """Return the end of the log."""
    found = connection.execute(select(campaign.c.head_number, campaign.c.head_hash)).first()
    return Head(0, GENESIS) if found is None else Head(*found)


def read_launch(connection: Connection) -> str:
    """Return what a launch is known by, "" where nothing was launched: the start of a hash.

    The first record of a log holds when it was written, to the millisecond: another launch of the
    same campaign has another one.
    """
    first = connection.execute(select(log.c.hash).where(log.c.number == 1)).scalar()
    return str(first or "")[:LAUNCH]


def find_hash(connection: Connection, number: int) -> str:
    """Return the hash of a record, "" where the log ends before it."""
    return str(connection.execute(select(log.c.hash).where(log.c.number == number)).scalar() or "")


def is_as_launched(connection: Connection) -> bool:
    """Say whether campaign and log belong together: a file with the log of another one mixes them.

    The first record names the campaign by its digest, and the last one is where the log ends.
    """
    body = connection.execute(select(log.c.body).where(log.c.number == 1)).scalar()
    spec = connection.execute(select(specs.c.body)).scalar()
    head = read_head(connection)
    if body is None or spec is None or find_hash(connection, head.number) != head.hash:
        return False
    return digest(spec) in body


def knows_link(connection: Connection, token: Token) -> bool:
    """Say whether a database holds a link, whoever has it."""
    stored = connection.execute(select(tokens.c.digest).where(tokens.c.name == token.name)).scalar()
    return stored is not None and matches(token, stored)


def read_judges(connection: Connection) -> tuple[JudgeState, ...]:
    """Return where each judge stands, seats that nobody has among them."""
    done = _count_tickets(connection)
    who = {row.judge: row for row in connection.execute(select(people))}
    leased = connection.execute(select(leases.c.judge, leases.c.since))
    since = {row.judge: row.since for row in leased}
    found: list[JudgeState] = []
    for row in connection.execute(select(judges).order_by(judges.c.made, judges.c.name)):
        closed, total = done.get(row.seat, (0, 0))
        person = row.joined or row.name
        state = JudgeState(row.name, row.seat, row.state, person, closed, total)
        known: Row[Any] | None = who.get(row.name)
        told = (
            {name: getattr(known, name) for name in ("platform", "worker", "note")} if known else {}
        )
        found.append(replace(state, since=since.get(row.name), consented=row.consented, **told))
    held = {one.seat for one in found}
    for name in connection.execute(select(seats.c.name).order_by(seats.c.name)).scalars():
        if name not in held:
            closed, total = done.get(name, (0, 0))
            found.append(JudgeState(name, name, "vacant", name, closed, total))
    return tuple(found)


def _count_tickets(connection: Connection) -> dict[str, tuple[int, int]]:
    """Return by seats how many tickets are answered, and how many are or will be asked."""
    counted = select(asked.c.seat, asked.c.state, func.count()).group_by(
        asked.c.seat, asked.c.state
    )
    found: dict[str, tuple[int, int]] = {}
    for seat, state, count in connection.execute(counted):
        closed, total = found.get(seat, (0, 0))
        found[seat] = (
            closed + count * (state == CLOSED),
            total + count * (state != VOID),
        )
    return found


def make_line(row: Any) -> Line:
    """Return a line as it is stored: a row that begins with its columns."""
    return Line(row.number, row.body, row.hash, row.said, row.note)


def stream(connection: Connection, wanted: Select[Any]) -> Iterator[Row[Any]]:
    """Yield rows without holding all of them."""
    with connection.execution_options(yield_per=AT_A_TIME).execute(wanted) as found:
        yield from found


def parse_spec(connection: Connection) -> Mapping[str, Any] | None:
    """Return the campaign as it was launched, None before the launch."""
    found = connection.execute(select(specs.c.body)).scalar()
    return None if found is None else dict(json.loads(found))
