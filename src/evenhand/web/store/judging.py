"""What a judge does: is served a ticket, answers it, takes the answer back, hands the ticket back.

A ticket belongs to a seat of the design, and to the judge who holds the seat. A judge has one
ticket at a time; asking again gives the same one, until it is answered. The key of an answer makes
sending it twice harmless. A revision and an undone answer are records of their own.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from evenhand.design.tasks import Answer, Ticket
from evenhand.web.store.desk import Desk, Entry
from evenhand.web.store.lookups import (
    BEGIN,
    FOLLOWING,
    LAST,
    LEND,
    NEXT,
    RELEND,
    REPLY,
    RETURN,
    SETTLE,
    check_login,
    find_record,
    look_up,
    read_row,
    read_ticket,
)
from evenhand.web.store.record import Record
from evenhand.web.store.refusals import AnsweredBefore, NotYours, Paused, Refused
from evenhand.web.store.replies import check_reply
from evenhand.web.store.schema import CLOSED, OPEN
from evenhand.web.store.slots import settle


@dataclass(frozen=True)
class Served:
    """A ticket that a judge has before them."""

    ticket: Ticket  # what is asked
    key: str  # a key for the answer, the same as long as the ticket is served
    since: int  # when it was first served, in milliseconds since 1970
    until: int  # when it may go to somebody else
    place: int  # its place among the judge's tickets, from 1
    total: int  # how many tickets the judge has


@dataclass(frozen=True)
class Answered:
    """An answer that is stored, and what comes next."""

    record: Record  # the answer
    next: Served | None  # the next ticket; None at the end, or where `halt` says why there is none
    halt: Refused | None = None  # why nothing more is served


@dataclass(frozen=True)
class Reply:
    """An answer as it came."""

    judge: str  # whose
    ticket: int  # number of the ticket
    answer: object  # parsed from JSON, not checked yet
    key: str  # what the page calls this answer
    seconds: float | None = None  # time taken by the judge's clock
    # number of the record that it takes the place of; None for a first answer
    replaces: int | None = None


def serve(desk: Desk, judge: str) -> Served | None:
    """Serve the ticket that a judge has, or the next one; None when all are answered."""
    login = look_up(desk, judge)
    if desk.paused:
        raise Paused("the campaign is paused: nothing is asked at the moment; come back later")
    if login.holder != judge:
        return None
    if login.number is None or login.state != OPEN or login.seat != login.mine:
        return _serve_next(desk, judge, login)
    if desk.now > login.until:
        return lend(desk, judge, login, login)
    ticket = read_ticket(login, judge)
    return Served(ticket, login.lease_key, login.since, login.until, login.place, login.total)


def lend(desk: Desk, judge: str, row: Any, login: Any) -> Served:
    """Give a ticket to a judge for a while; the one of a lease that ran out keeps its key."""
    same = login.lent == row.number and login.state == OPEN
    lease = {
        "ticket": row.number,
        "key": login.lease_key if same else secrets.token_urlsafe(18),
        "since": login.since if same else desk.now,
        "until": desk.now + desk.lease,
    }
    if login.lent is None:
        desk.change(LEND, {"judge": judge, **lease})
    else:
        desk.change(RELEND, {"who": judge, **{f"new_{name}": lease[name] for name in lease}})
    ticket = read_ticket(row, judge)
    asked = {name: lease[name] for name in ("key", "since", "until")}
    return Served(ticket, place=row.place, total=login.total, **asked)


def append(desk: Desk, reply: Reply) -> Record:
    """Store an answer; the same one sent twice is stored once."""
    return _append(desk, reply)[0]


def _append(desk: Desk, reply: Reply) -> tuple[Record, Any]:
    """Store an answer; return it, and who gave it where it was not stored before."""
    check_reply(reply)
    asked = {"judge": reply.judge, "ticket": reply.ticket, "sent": reply.key}
    row = check_login(desk.ask(REPLY, asked), reply.judge)
    if row.line is not None:
        return _repeat(desk, reply, row), None
    # who may go on holds their seat; it is asked here all the same
    if row.number is None or row.seat != row.mine or row.holder != reply.judge:
        raise NotYours("this item is not yours, or went to somebody else: load the page again")
    if row.state == CLOSED and reply.replaces != row.record:
        raise AnsweredBefore(
            "this item is answered already, perhaps in another tab: load the page again",
            find_record(desk, row.record),
        )
    if row.state != CLOSED and (row.lent != row.number or _is_off(reply, row)):
        raise NotYours("this item was not asked yet, or its answer was taken back: load the page")
    if row.state == CLOSED and find_record(desk, row.record).judge != reply.judge:
        raise NotYours("somebody else gave the answer that stands: it is not yours to change")
    ticket = read_ticket(row, reply.judge)
    told = check_answer(desk, ticket, reply.answer)
    record = desk.write(_enter(reply, ticket, told, row))
    desk.change(SETTLE, {"ticket": row.number, "to": CLOSED, "by": record.number})
    if row.status == "invited":
        desk.change(BEGIN, {"judge": reply.judge})
    return record, row


def answer(desk: Desk, reply: Reply) -> Answered:
    """Store an answer and serve the next ticket, in one commit."""
    record, login = _append(desk, reply)
    try:
        if login is not None and login.lent == reply.ticket and not desk.paused:
            asked = {"seat": login.mine, "answered": reply.ticket}
            row = settle(desk, desk.ask(FOLLOWING, asked), reply.judge)
            following = None if row is None else lend(desk, reply.judge, row, login)
            return Answered(record, following)
        return Answered(record, serve(desk, reply.judge))
    except Refused as halt:
        return Answered(record, None, halt)


def undo(desk: Desk, judge: str) -> Served:
    """Take the last answer of a judge back, and serve its ticket again."""
    login = look_up(desk, judge)
    if desk.paused:
        raise Paused("the campaign is paused: nothing can be taken back at the moment")
    row = desk.ask(LAST, {"judge": judge})
    if row is None or row.seat != login.mine or login.holder != judge:
        raise NotYours("there is no answer of yours to take back")
    desk.write(Entry("undo", judge, read_ticket(row, judge), {"replaces": row.record}))
    desk.change(SETTLE, {"ticket": row.number, "to": OPEN, "by": None})
    return lend(desk, judge, row, login)


def find_open(desk: Desk, judge: str) -> int | None:
    """Return the number of the ticket that a judge has before them, None for none."""
    login = look_up(desk, judge)
    has = login.number is not None and login.state == OPEN and login.seat == login.mine
    return login.lent if has else None


def give_back(desk: Desk, judge: str) -> None:
    """Hand back the ticket that a judge has, without an answer; it is asked again."""
    look_up(desk, judge)
    desk.change(RETURN, {"judge": judge})


def check_answer(desk: Desk, ticket: Ticket, answer: object) -> Answer:
    """Check an answer by its task."""
    task = desk.campaign.task(ticket.task)
    source = desk.campaign.item(ticket.item).source
    return task.validate(answer, desk.campaign.shown(ticket), source)


def _serve_next(desk: Desk, judge: str, login: Any) -> Served | None:
    """Serve the first ticket of the seat that is not answered."""
    row = settle(desk, desk.ask(NEXT, {"seat": login.mine}), judge)
    return None if row is None else lend(desk, judge, row, login)


def _repeat(desk: Desk, reply: Reply, row: Any) -> Record:
    """Return what is stored under a key, if it is the same answer of the same judge."""
    if row.by != reply.judge:
        raise NotYours("this item is not yours, or went to somebody else: load the page again")
    record = read_row(row)
    if row.state != CLOSED:
        raise AnsweredBefore("this answer was taken back: load the page again", record)
    if row.record != row.line:
        since = "another answer took the place of this one since: load the page again"
        raise AnsweredBefore(since, find_record(desk, row.record))
    if record.ticket is None or record.erased:
        return record
    told = check_answer(desk, record.ticket, reply.answer).to_dict()
    comment = told.pop("comment", "")
    if (told, comment) != (record.answer, record.comment):
        raise AnsweredBefore(
            "another answer to this item was sent from the same page: load it again", record
        )
    return record


def _is_off(reply: Reply, row: Any) -> bool:
    """Say whether an answer is to something else than what a ticket asks now."""
    return reply.replaces is not None or bool(row.chosen and reply.key != row.lease_key)


def _enter(reply: Reply, ticket: Ticket, answer: Answer, login: Any) -> Entry:
    """Return what an answer puts into the log."""
    fields: dict[str, Any] = {"key": reply.key}
    if login.lent == ticket.number:
        fields["served"] = login.since
    if reply.replaces is not None:
        fields["replaces"] = reply.replaces
    told = answer.to_dict()
    comment = told.pop("comment", "")
    said: dict[str, Any] = {"answer": told}
    if reply.seconds is not None:
        said["seconds"] = round(float(reply.seconds), 3)
    return Entry(
        "revision" if reply.replaces is not None else "judgment",
        reply.judge,
        ticket,
        fields,
        said,
        {"comment": comment} if comment else None,
    )
