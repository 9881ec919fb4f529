"""What a judge does: is served a ticket, answers it, takes the answer back, hands the ticket back.

A ticket belongs to a seat of the design, and to the judge who holds the seat. A judge has one
ticket at a time; asking again gives the same one, until it is answered. The key of an answer makes
sending it twice harmless. A revision and an undone answer are records of their own.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

from evenhand.design.tasks import Ticket, read_whole, show
from evenhand.errors import EvenhandError, InvalidJudgments
from evenhand.web.store.log import NOT_ASSIGNED, AnsweredBefore, NotYours, Paused, Record, Refused
from evenhand.web.store.schema import CLOSED, OPEN
from evenhand.web.store.transaction import (
    BEGIN,
    DELETE_LEASE,
    FOLLOWING,
    INSERT_LEASE,
    LAST,
    NEXT,
    REPLY,
    SET_ANSWER,
    UPDATE_LEASE,
    Entry,
    WriteTransaction,
    check_login,
    check_name,
    find_record,
    look_up,
    read_row,
    read_ticket,
    resolve_ticket,
)

LONGEST_KEY: Final = 100  # Most characters of a key
LONGEST_TIME: Final = 10_000_000  # Most seconds that a judge can have taken
MAX_NUMBER: Final = 2**53  # No ticket and no record has a greater number


def check_reply(reply: Reply) -> None:
    for name, number in (("ticket", reply.ticket), ("replaces", reply.replaces)):
        if number is not None or name == "ticket":
            read_whole(number, name, 0, MAX_NUMBER)
    check_name(reply.judge)
    key, seconds = reply.key, reply.seconds
    if not isinstance(key, str) or not 0 < len(key) <= LONGEST_KEY or not key.isprintable():
        raise InvalidJudgments(
            f"the key of an answer is 1 to {LONGEST_KEY} characters, not {show(key)}"
        )
    if not is_time(seconds):
        raise InvalidJudgments(f"seconds taken are a number from 0, not {show(seconds)}")


def is_time(seconds: object) -> bool:
    """Say whether so many seconds can have been taken; None is not to say."""
    if seconds is None or isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return seconds is None
    return isfinite(seconds) and 0 <= seconds <= LONGEST_TIME


@dataclass(frozen=True)
class Served:
    ticket: Ticket
    key: str  # a key for the answer, the same as long as the ticket is served
    since: int  # when it was first served, in milliseconds since 1970
    until: int  # when it may go to somebody else
    place: int  # its place among the judge's tickets, from 1
    total: int  # how many tickets the judge has


@dataclass(frozen=True)
class Answered:
    record: Record
    next: Served | None  # None at the end, or where `halt` says why there is none
    halt: Refused | None = None


@dataclass(frozen=True)
class Reply:
    judge: str
    ticket: int
    answer: object  # parsed from JSON, not checked yet
    key: str  # what the page calls this answer
    seconds: float | None = None  # time taken by the judge's clock
    replaces: int | None = None  # number of the record that it takes the place of


def serve(tx: WriteTransaction, judge: str) -> Served | None:
    login = look_up(tx, judge)
    if tx.paused:
        raise Paused("the campaign is paused: no questions are asked right now; come back later")
    if login.holder != judge:
        return None
    if login.number is None or login.state != OPEN or login.seat != login.judge_seat:
        row = resolve_ticket(tx, tx.ask(NEXT, {"seat": login.judge_seat}), judge)
        return None if row is None else lease_ticket(tx, judge, row, login)
    if tx.now > login.until:
        return lease_ticket(tx, judge, login, login)
    ticket = read_ticket(login, judge)
    return Served(ticket, login.lease_key, login.since, login.until, login.place, login.total)


def lease_ticket(tx: WriteTransaction, judge: str, row: Any, login: Any) -> Served:
    """Give a ticket to a judge for a while; the one of a lease that ran out keeps its key."""
    same = login.leased == row.number and login.state == OPEN
    lease: dict[str, Any] = {
        "key": login.lease_key if same else secrets.token_urlsafe(18),
        "since": login.since if same else tx.now,
        "until": tx.now + tx.lease,
    }
    columns = {"ticket": row.number, **lease}
    if login.leased is None:
        tx.change(INSERT_LEASE, {"judge": judge, **columns})
    else:
        renamed = {f"new_{name}": value for name, value in columns.items()}
        tx.change(UPDATE_LEASE, {"who": judge, **renamed})
    return Served(read_ticket(row, judge), place=row.place, total=login.total, **lease)


def append(tx: WriteTransaction, reply: Reply) -> Record:
    return _append(tx, reply)[0]


def _append(tx: WriteTransaction, reply: Reply) -> tuple[Record, Any]:
    """Store an answer; return it, and who gave it where it was not stored before."""
    check_reply(reply)
    question = {"judge": reply.judge, "ticket": reply.ticket, "sent": reply.key}
    row = check_login(tx.ask(REPLY, question), reply.judge)
    if row.line is not None:
        return _repeat(tx, reply, row), None
    # who may go on holds their seat; it is asked here all the same
    if row.number is None or row.seat != row.judge_seat or row.holder != reply.judge:
        raise NotYours(NOT_ASSIGNED)
    if row.state == CLOSED:
        standing = find_record(tx, row.record)
        if reply.replaces != row.record:
            raise AnsweredBefore(
                "this item is answered already, perhaps in another tab: reload the page", standing
            )
        if standing.judge != reply.judge:
            raise NotYours("the current answer is another judge's: you cannot change it")
    elif (
        row.leased != row.number
        or reply.replaces is not None
        or (row.chosen and reply.key != row.lease_key)
    ):
        raise NotYours("this item was not asked yet, or its answer was undone: reload the page")
    ticket = read_ticket(row, reply.judge)
    answer, comment = check_answer(tx, ticket, reply.answer)
    fields: dict[str, Any] = {"key": reply.key}
    if row.leased == ticket.number:
        fields["served"] = row.since
    if reply.replaces is not None:
        fields["replaces"] = reply.replaces
    payload: dict[str, Any] = {"answer": answer}
    if reply.seconds is not None:
        payload["seconds"] = round(float(reply.seconds), 3)
    note = {"comment": comment} if comment else None
    kind = "judgment" if reply.replaces is None else "revision"
    record = tx.write(Entry(kind, reply.judge, ticket, fields, payload, note))
    tx.change(SET_ANSWER, {"ticket": row.number, "to": CLOSED, "by": record.number})
    if row.status == "invited":
        tx.change(BEGIN, {"judge": reply.judge})
    return record, row


def answer(tx: WriteTransaction, reply: Reply) -> Answered:
    record, login = _append(tx, reply)
    try:
        if login is not None and login.leased == reply.ticket and not tx.paused:
            question = {"seat": login.judge_seat, "answered": reply.ticket}
            row = resolve_ticket(tx, tx.ask(FOLLOWING, question), reply.judge)
            following = None if row is None else lease_ticket(tx, reply.judge, row, login)
            return Answered(record, following)
        return Answered(record, serve(tx, reply.judge))
    except Refused as halt:
        return Answered(record, None, halt)


def undo(tx: WriteTransaction, judge: str) -> Served:
    login = look_up(tx, judge)
    if tx.paused:
        raise Paused("the campaign is paused: nothing can be undone right now")
    row = tx.ask(LAST, {"judge": judge})
    if row is None or row.seat != login.judge_seat or login.holder != judge:
        raise NotYours("you have no answer to undo")
    tx.write(Entry("undo", judge, read_ticket(row, judge), {"replaces": row.record}))
    tx.change(SET_ANSWER, {"ticket": row.number, "to": OPEN, "by": None})
    return lease_ticket(tx, judge, row, login)


def find_open(tx: WriteTransaction, judge: str) -> int | None:
    login = look_up(tx, judge)
    has = login.number is not None and login.state == OPEN and login.seat == login.judge_seat
    return login.leased if has else None


def release(tx: WriteTransaction, judge: str) -> None:
    look_up(tx, judge)
    tx.change(DELETE_LEASE, {"judge": judge})


def check_answer(tx: WriteTransaction, ticket: Ticket, answer: object) -> tuple[Any, str]:
    """Return an answer as it is stored, and its comment apart."""
    checked = tx.campaign.read_answer(ticket, answer).to_dict()
    return checked, checked.pop("comment", "")


def _repeat(tx: WriteTransaction, reply: Reply, row: Any) -> Record:
    """Return what is stored under a key, if it is the same answer of the same judge."""
    if row.by != reply.judge:
        raise NotYours(NOT_ASSIGNED)
    record = read_row(row)
    if row.state != CLOSED:
        raise AnsweredBefore("this answer was undone: reload the page", record)
    if row.record != row.line:
        since = "another answer took the place of this one since: reload the page"
        raise AnsweredBefore(since, find_record(tx, row.record))
    if record.ticket is None or record.erased:
        return record
    if check_answer(tx, record.ticket, reply.answer) != (record.answer, record.comment):
        raise AnsweredBefore(
            "another answer to this item was sent from the same page: reload it", record
        )
    return record


# What the answers of a batch will ask the database is asked for all of them together: on PostgreSQL
# a question is a way to the server and back, and an answer asks two. What was asked ahead is true
# when it is used: answers of different judges to different tickets change nothing that the others
# read, and anything else that is written meanwhile makes the transaction forget it.


@dataclass(frozen=True)
class Answering:
    reply: Reply  # the answer

    def __call__(self, tx: WriteTransaction) -> Answered:
        with tx.keep_prefetched():
            return answer(tx, self.reply)


def prefetch_answers(
    tx: WriteTransaction, batch: Sequence[Callable[[WriteTransaction], Any]]
) -> None:
    """Ask what the answers of a batch will ask; those of which it cannot be known ask themselves.

    Where a policy chooses, an answer may change what others are asked: then nothing is known.
    """
    if not tx.is_remote or (tx.launched and tx.campaign.design.policy):
        return
    # the first answer of each judge, if it is the first to its ticket; sound ones alone
    first: list[Reply] = []
    judges: set[str] = set()
    tickets: set[int] = set()
    for work in batch:
        if not isinstance(work, Answering):
            continue
        reply = work.reply
        try:
            check_reply(reply)
        except EvenhandError:
            continue
        if reply.judge not in judges and reply.ticket not in tickets:
            first.append(reply)
        judges.add(reply.judge)
        tickets.add(reply.ticket)
    if len(first) < 2:
        return
    rows = tx.prefetch(
        REPLY, [{"judge": one.judge, "ticket": one.ticket, "sent": one.key} for one in first]
    )
    following = [
        {"seat": row.judge_seat, "answered": reply.ticket}
        for reply, row in zip(first, rows, strict=True)
        if row is not None and row.leased == reply.ticket
    ]
    tx.prefetch(FOLLOWING, following)
