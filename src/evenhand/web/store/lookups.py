"""What a request needs to know, each in one question: who asks, what they have, what is stored."""

from __future__ import annotations

import json
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, bindparam, select, update

from evenhand.design.tasks import Ticket, is_text, show
from evenhand.web.store.desk import Desk
from evenhand.web.store.line import Line
from evenhand.web.store.prepared import Prepared, fill
from evenhand.web.store.record import Record, read_record
from evenhand.web.store.refusals import NoSuchJudge, Refused, ShutOut
from evenhand.web.store.schema import OPEN, judges, leases, log, seats, tickets

_LOGIN: Final = (
    judges.c.state.label("status"),
    judges.c.seat.label("mine"),
    seats.c.holder,
    seats.c.total,
    leases.c.ticket.label("lent"),
    leases.c.key.label("lease_key"),
    leases.c.since,
    leases.c.until,
)
_LINE: Final = (log.c.number.label("line"), log.c.body, log.c.hash, log.c.said, log.c.note)


def _ask(ticket: ColumnElement[bool], *more: ColumnElement[Any]) -> Select[Any]:
    """Return the question who a judge is, and about one ticket beside that."""
    known = judges.join(seats).outerjoin(leases, leases.c.judge == judges.c.name)
    return (
        select(*_LOGIN, *tickets.c, *more)
        .select_from(known.outerjoin(tickets, ticket))
        .where(judges.c.name == bindparam("judge"))
    )


# A judge, and the ticket that they have
BEFORE: Final = Prepared(_ask(tickets.c.number == leases.c.ticket))
# A judge, a ticket, and the answer that is stored under a key
REPLY: Final = Prepared(
    _ask(tickets.c.number == bindparam("ticket"), log.c.judge.label("by"), *_LINE).outerjoin(
        log, (log.c.ticket == tickets.c.number) & (log.c.key == bindparam("sent"))
    )
)
# The first ticket of a seat that is not answered
NEXT: Final = Prepared(
    select(tickets)
    .where(tickets.c.seat == bindparam("seat"), tickets.c.state == OPEN)
    .order_by(tickets.c.number)
    .limit(1)
)
# The first ticket of a seat that is not answered, beside one that is being answered
FOLLOWING: Final = Prepared(
    select(tickets)
    .where(tickets.c.seat == bindparam("seat"), tickets.c.state == OPEN)
    .where(tickets.c.number != bindparam("answered"))
    .order_by(tickets.c.number)
    .limit(1)
)
# The ticket of a judge's last answer that stands
LAST: Final = Prepared(
    select(tickets)
    .select_from(log.join(tickets, tickets.c.record == log.c.number))
    .where(log.c.judge == bindparam("judge"))
    .order_by(log.c.number.desc())
    .limit(1)
)
# A record by its number
RECORD: Final = Prepared(select(*_LINE).where(log.c.number == bindparam("number")))
# Say which answer of a ticket stands
SETTLE: Final = Prepared(
    update(tickets)
    .where(tickets.c.number == bindparam("ticket"))
    .values(state=bindparam("to"), record=bindparam("by"))
)
# Note that a judge gave their first answer
BEGIN: Final = Prepared(
    update(judges).where(judges.c.name == bindparam("judge")).values(state="active")
)
_GAVE: Final = Prepared(
    select(log.c.number).where(log.c.judge == bindparam("judge"), log.c.kind == "judgment").limit(1)
)
LEND: Final = fill(leases)  # Give a judge their first ticket
# Give a judge another ticket
RELEND: Final = Prepared(
    update(leases)
    .where(leases.c.judge == bindparam("who"))
    .values({name: bindparam(f"new_{name}") for name in ("ticket", "key", "since", "until")})
)
# Take a judge's ticket
RETURN: Final = Prepared(leases.delete().where(leases.c.judge == bindparam("judge")))


def look_up(desk: Desk, judge: str) -> Any:
    """Return who a judge is and what they have before them: a row of BEFORE."""
    return check_login(desk.ask(BEFORE, {"judge": check_name(judge)}), judge)


def has_answered(desk: Desk, judge: str) -> bool:
    """Say whether a judge ever gave an answer."""
    return desk.ask(_GAVE, {"judge": judge}) is not None


def check_name(judge: str) -> str:
    """Return the name of a judge, if it can be one."""
    if not isinstance(judge, str) or not is_text(judge):
        raise NoSuchJudge(f"there is no judge {show(judge)}")
    return judge


def check_login(found: Any, judge: str) -> Any:
    """Return who a judge is, if they may go on."""
    if found is None:
        raise NoSuchJudge(f"there is no judge '{judge}'")
    if found.status not in ("invited", "active"):
        words = {"left": "has left the campaign", "forgotten": "asked to be forgotten"}
        told = words.get(found.status, "was shut out of the campaign")
        raise ShutOut(f"judge '{judge}' {told}: ask the organiser for a new link")
    return found


def read_ticket(row: Any, judge: str) -> Ticket:
    """Return a ticket as it is stored."""
    return Ticket(
        number=row.number,
        judge=judge,
        task=row.task,
        item=row.item,
        systems=tuple(json.loads(row.systems)),
        kind=row.kind,
        again=row.again,
        expected=row.expected,
        chosen=row.chosen,
    )


def read_row(row: Any) -> Record:
    """Return a record as it is stored: a row that has the columns of a line."""
    return read_record(Line(row.line, row.body, row.hash, row.said, row.note))


def find_record(desk: Desk, number: int) -> Record:
    """Return a record by its number."""
    found = desk.ask(RECORD, {"number": number})
    if found is None:
        raise Refused(f"record {number} is not in the log: check it with evenhand verify")
    return read_row(found)
