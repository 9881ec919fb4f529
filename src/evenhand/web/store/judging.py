"""What a judge does: is served a ticket, answers it, takes the answer back.

A ticket belongs to a seat of the design, and to the judge who holds the seat. A judge has one
ticket at a time; asking again gives the same one, until it is answered. The key of an answer makes
sending it twice harmless. A revision and an undone answer are records of their own.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, bindparam, delete, select, update

from evenhand.design.tasks import Ticket, is_text, read_whole, show
from evenhand.errors import EvenhandError, InvalidJudgments, Message
from evenhand.web.store import log as records
from evenhand.web.store.database import Entry, WriteTransaction
from evenhand.web.store.schema import (
    CLOSED,
    OPEN,
    VOID,
    Prepared,
    fill,
    judges,
    leases,
    log,
    renew,
    seats,
    tickets,
)

_LOGIN: Final = (
    judges.c.state.label("status"),
    judges.c.seat.label("judge_seat"),
    seats.c.holder,
    seats.c.total,
    leases.c.ticket.label("leased"),
    leases.c.key.label("lease_key"),
    leases.c.since,
    leases.c.until,
)
_LINE: Final = (log.c.number.label("line"), log.c.body, log.c.hash, log.c.said, log.c.note)


def _ask(ticket: ColumnElement[bool], *more: ColumnElement[Any]) -> Select[Any]:
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


def _ask_first(*conditions: ColumnElement[bool]) -> Prepared:
    """Return the question for the first ticket of a seat that is not answered."""
    mine = (tickets.c.seat == bindparam("seat"), tickets.c.state == OPEN, *conditions)
    return Prepared(select(tickets).where(*mine).order_by(tickets.c.number).limit(1))


NEXT: Final = _ask_first()
# The next one beside one that is being answered, and after one of which it cannot be said
FOLLOWING: Final = _ask_first(tickets.c.number != bindparam("answered"))
_AFTER: Final = _ask_first(tickets.c.number > bindparam("after"))
# A certain one, for one of several that are on their way to an LLM
_NUMBERED: Final = _ask_first(tickets.c.number == bindparam("number"))
# The ticket of a judge's last answer that stands
LAST: Final = Prepared(
    select(tickets)
    .select_from(
        log.join(tickets, (tickets.c.number == log.c.ticket) & (tickets.c.record == log.c.number))
    )
    .where(log.c.judge == bindparam("judge"))
    .order_by(log.c.number.desc())
    .limit(1)
)
# That a judge submitted the document of which a ticket is the last
_SENT: Final = (log.c.ticket == bindparam("ticket"), log.c.judge == bindparam("judge"))
_SUBMITTED: Final = Prepared(select(log.c.number).where(*_SENT, log.c.kind == "submit").limit(1))
# The segments of a document, each with the answer that stands
_SEGMENTS: Final = Prepared(
    select(*tickets.c, *_LINE)
    .select_from(tickets.outerjoin(log, log.c.number == tickets.c.record))
    .where(tickets.c.seat == bindparam("seat"))
    .where(tickets.c.number.between(bindparam("first"), bindparam("last")))
    .order_by(tickets.c.number)
)
_RECORD: Final = Prepared(select(*_LINE).where(log.c.number == bindparam("number")))
SET_ANSWER: Final = renew(tickets.c.number, "ticket", {"state": "to", "record": "by"})
# A judge gave their first answer
BEGIN: Final = Prepared(
    update(judges).where(judges.c.name == bindparam("judge")).values(state="active")
)
GAVE: Final = Prepared(
    select(log.c.number).where(log.c.judge == bindparam("judge"), log.c.kind == "judgment").limit(1)
)
INSERT_LEASE: Final = fill(leases)
_LEASED: Final = ("ticket", "key", "since", "until")
UPDATE_LEASE: Final = renew(leases.c.judge, "who", {name: f"new_{name}" for name in _LEASED})


def look_up(tx: WriteTransaction, judge: str) -> Any:
    return check_login(tx.ask(BEFORE, {"judge": check_name(judge)}), judge)


def check_name(judge: str) -> str:
    if not isinstance(judge, str) or not is_text(judge):
        raise records.NoSuchJudge(f"there is no judge {show(judge)}")
    return judge


_SHUT_OUT: Final = {
    "left": Message(
        "judge '{judge}' has withdrawn from the campaign: ask the organiser for a new link"
    ),
    "forgotten": Message("judge '{judge}' asked to be forgotten: ask the organiser for a new link"),
    "revoked": Message(
        "judge '{judge}' was removed from the campaign: ask the organiser for a new link"
    ),
}


def check_login(row: Any, judge: str) -> Any:
    if row is None:
        raise records.NoSuchJudge(f"there is no judge '{judge}'")
    if row.status not in ("invited", "active"):
        reason = _SHUT_OUT.get(row.status, _SHUT_OUT["revoked"])
        raise records.ShutOut(Message(reason, {"judge": judge}))
    return row


def read_ticket(row: Any, judge: str) -> Ticket:
    shown, rest = (row.task, row.item, tuple(json.loads(row.systems))), (row.expected, row.chosen)
    return Ticket(row.number, judge, *shown, row.kind, row.again, *rest)


def read_row(row: Any) -> records.Record:
    return records.read_record(records.Line(row.line, row.body, row.hash, row.said, row.note))


def find_record(tx: WriteTransaction, number: int) -> records.Record:
    row = tx.ask(_RECORD, {"number": number})
    if row is None:
        raise records.Refused(f"record {number} is not in the log: check it with evenhand check")
    return read_row(row)


# Tickets of which it is known only when somebody comes to them what they show: the design says
# where they stand among controls, anchors and repeats, a policy which pair of which item. A repeat
# of one shows what that showed.

_FREE: Final = {"item": "", "systems": "[]", "chosen": ""}
_ORIGIN: Final = Prepared(select(tickets).where(tickets.c.number == bindparam("again")))
_FILL: Final = renew(tickets.c.number, "ticket", {name: f"new_{name}" for name in _FREE})
_OPEN: Final = Prepared(
    select(tickets.c.number).where(
        tickets.c.seat == bindparam("seat"), tickets.c.state == OPEN, tickets.c.chosen != ""
    )
)
_EMPTY: Final = Prepared(
    update(tickets)
    .where(tickets.c.seat == bindparam("whose"), tickets.c.state == OPEN)
    .where((tickets.c.chosen != "") | (tickets.c.kind == "repeat"))
    .values(_FREE)
)
_TAKE: Final = Prepared(delete(leases).where(leases.c.ticket == bindparam("number")))


def resolve_ticket(tx: WriteTransaction, row: Any, judge: str) -> Any:
    """Return the first ticket from one on of which it can be said what it shows; None for none."""
    while row is not None and row.systems == "[]":
        if row.kind != "repeat":
            filled = _assign(tx, row, judge)
            if filled is not None:
                return filled
        elif (origin := tx.ask(_ORIGIN, {"again": row.again})) and origin.state == CLOSED:
            return _fill(tx, row, {"item": origin.item, "systems": origin.systems, "chosen": ""})
        row = tx.ask(_AFTER, {"seat": row.seat, "after": row.number})
    return row


def empty(tx: WriteTransaction, seat: str) -> dict[str, Any] | None:
    """Give back what was chosen for whoever leaves a seat, and not answered."""
    if not tx.campaign.design.policy:
        return None
    emptied = [row.number for row in tx.ask_all(_OPEN, {"seat": seat})]
    tx.change(_EMPTY, {"whose": seat})
    return {"facts": {"emptied": emptied}} if emptied else None


def _assign(tx: WriteTransaction, row: Any, judge: str) -> Any:
    """Let the policy fill a ticket, and put into the log how; None where nothing is left."""
    pair = tx.assign(tx, row.seat)
    if pair is None:
        return None
    for ticket in pair.instead:
        tx.change(_FILL, {"ticket": ticket, **_renew(_FREE)})
        tx.change(_TAKE, {"number": ticket})
    systems = json.dumps(pair.systems, ensure_ascii=False)
    filled = _fill(tx, row, {"item": pair.item, "systems": systems, "chosen": pair.chosen})
    facts: dict[str, Any] = {"seat": row.seat}
    if pair.instead:
        facts["emptied"] = list(pair.instead)
    tx.write(Entry("issue", judge, read_ticket(filled, judge), {"facts": facts}))
    return filled


def _fill(tx: WriteTransaction, row: Any, columns: dict[str, str]) -> Any:
    tx.change(_FILL, {"ticket": row.number, **_renew(columns)})
    return row._replace(**columns)


def _renew(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return values as orders that change a row name them, which already names its columns."""
    return {f"new_{name}": value for name, value in columns.items()}


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
class Segment:
    ticket: Ticket
    record: records.Record | None  # the answer that stands
    open: bool  # whether it is still to be answered


@dataclass(frozen=True)
class Sitting:
    """Documents whose answers a judge may still change; empty where items are of no document."""

    here: tuple[Segment, ...] = ()  # that of the ticket before the judge
    before: tuple[Segment, ...] = ()  # one that is answered, and not submitted yet
    closed: bool = False  # whether the last answer is of a document that was submitted


@dataclass(frozen=True)
class Answered:
    record: records.Record
    next: Served | None  # None at the end, or where `halt` says why there is none
    halt: records.Refused | None = None
    sitting: Sitting = Sitting()


@dataclass(frozen=True)
class Reply:
    judge: str
    ticket: int
    answer: object  # parsed from JSON, not checked yet
    key: str  # what the page calls this answer
    seconds: float | None = None  # time taken by the judge's clock
    replaces: int | None = None  # number of the record that it takes the place of
    # of an LLM: the digest of its prompt, the tokens that it took; and what it wrote
    facts: Mapping[str, Any] | None = None
    text: str = ""
    probabilities: Mapping[str, float] | None = None  # of an LLM's outcomes, where known


def _admit(tx: WriteTransaction, judge: str) -> Any:
    login = look_up(tx, judge)
    if tx.paused:
        why = Message("the campaign is paused: no questions are asked right now; come back later")
        raise records.Paused(why)
    return login


# How a reply is stored
Write = Callable[[WriteTransaction, Reply], records.Record]


def serve(tx: WriteTransaction, judge: str) -> Served | None:
    login = _admit(tx, judge)
    if login.holder != judge:
        return None
    if login.number is None or login.state != OPEN or login.seat != login.judge_seat:
        row = resolve_ticket(tx, tx.ask(NEXT, {"seat": login.judge_seat}), judge)
        return None if row is None else lease_ticket(tx, judge, row, login)
    if tx.now > login.until:
        return lease_ticket(tx, judge, login, login)
    ticket = read_ticket(login, judge)
    return Served(ticket, login.lease_key, login.since, login.until, login.place, login.total)


def find_next(tx: WriteTransaction, judge: str, after: int) -> tuple[Ticket, int] | None:
    """Return the first open ticket after one, and when; several may be on their way to an LLM."""
    login = _admit(tx, judge)
    if login.holder != judge:
        return None
    row = tx.ask(_AFTER, {"seat": login.judge_seat, "after": after})
    return None if row is None else (read_ticket(row, judge), tx.now)


def settle(tx: WriteTransaction, write: Write, reply: Reply, since: int) -> records.Record:
    """Store what an LLM said to one of the tickets on their way: it is leased for that."""
    login = look_up(tx, reply.judge)
    row = tx.ask(_NUMBERED, {"seat": login.judge_seat, "number": reply.ticket})
    if row is None:
        raise records.NotYours(records.NOT_ASSIGNED)
    return write(tx, replace(reply, key=lease_ticket(tx, reply.judge, row, login, since).key))


def lease_ticket(
    tx: WriteTransaction, judge: str, row: Any, login: Any, since: int | None = None
) -> Served:
    """Give a ticket to a judge for a while; the one of a lease that ran out keeps its key."""
    since = tx.now if since is None else since
    same = login.leased == row.number and login.state == OPEN
    key, since = (login.lease_key, login.since) if same else (secrets.token_urlsafe(18), since)
    lease: dict[str, Any] = {"key": key, "since": since, "until": tx.now + tx.lease}
    columns = {"ticket": row.number, **lease}
    if login.leased is None:
        tx.change(INSERT_LEASE, {"judge": judge, **columns})
    else:
        tx.change(UPDATE_LEASE, {"who": judge, **_renew(columns)})
    return Served(read_ticket(row, judge), place=row.place, total=login.total, **lease)


def append(tx: WriteTransaction, reply: Reply) -> records.Record:
    return _append(tx, reply)[0]


def _append(tx: WriteTransaction, reply: Reply) -> tuple[records.Record, Any]:
    """Store an answer; return it, and who gave it where it was not stored before."""
    check_reply(reply)
    question = {"judge": reply.judge, "ticket": reply.ticket, "sent": reply.key}
    row = check_login(tx.ask(REPLY, question), reply.judge)
    if row.line is not None:
        return _repeat(tx, reply, row), None
    # who may go on holds their seat; it is asked here all the same
    if row.number is None or row.seat != row.judge_seat or row.holder != reply.judge:
        raise records.NotYours(records.NOT_ASSIGNED)
    standing = None
    if row.state == CLOSED:
        standing = _find_replaced(tx, row, reply)
    else:
        # refuse an answer to a ticket that is open, and not before the judge
        served = row.leased == row.number and reply.replaces is None
        if not served or (row.chosen and reply.key != row.lease_key):
            why = Message("this item was not asked yet, or its answer was undone: reload the page")
            raise records.NotYours(why)
        if reply.facts is None and find_sitting(tx, reply.judge).before:  # LLMs submit nothing
            why = Message(
                "the document before is not submitted yet: reload the page, and submit it"
            )
            raise records.NotYours(why)
    ticket = read_ticket(row, reply.judge)
    answer, comment = check_answer(tx, ticket, reply)
    fields: dict[str, Any] = {"key": reply.key}
    if row.leased == ticket.number:
        fields["served"] = row.since
    elif standing is not None and standing.served is not None:
        fields["served"] = standing.served
    if reply.replaces is not None:
        fields["replaces"] = reply.replaces
    payload: dict[str, Any] = {"answer": answer}
    seconds = reply.seconds
    if seconds is not None and standing is not None:  # those of the answer it changes, too
        seconds = standing.seconds and min(standing.seconds + seconds, LONGEST_TIME)
    if seconds is not None:
        payload["seconds"] = round(seconds, 3)
    if reply.facts is not None:
        fields["facts"], payload["reply"] = reply.facts, reply.text
    if reply.probabilities is not None:
        payload["probabilities"] = reply.probabilities
    note = {"comment": comment} if comment else None
    kind = "judgment" if reply.replaces is None else "revision"
    record = tx.write(Entry(kind, reply.judge, ticket, fields, payload, note))
    tx.change(SET_ANSWER, {"ticket": row.number, "to": CLOSED, "by": record.number})
    if row.status == "invited":
        tx.change(BEGIN, {"judge": reply.judge})
    return record, row


_SUBMITTED_STAYS: Final = Message("the document was submitted: its answers stay as they are")


def _find_replaced(tx: WriteTransaction, row: Any, reply: Reply) -> records.Record:
    """Return the answer that stands for a ticket, where its judge may change it."""
    standing = find_record(tx, row.record)
    if reply.replaces != row.record:
        why = Message("this item is answered already, perhaps in another tab: reload the page")
        raise records.AnsweredBefore(why)
    if standing.judge != reply.judge:
        raise records.NotYours("the current answer is another judge's: you cannot change it")
    if _is_submitted(tx, reply.judge, _read_document(tx, reply.judge, row.seat, row.number)):
        raise records.NotYours(_SUBMITTED_STAYS)
    return standing


def skip(tx: WriteTransaction, reply: Reply) -> records.Record:
    """Store that an LLM gave no answer to the ticket before it, which is not asked again."""
    row, ticket = _find_leased(tx, reply)
    fields = {"key": reply.key, "served": row.since, "facts": reply.facts}
    record = tx.write(Entry("skip", reply.judge, ticket, fields, {"reply": reply.text}))
    tx.change(SET_ANSWER, {"ticket": row.number, "to": VOID, "by": None})
    tx.change(_TAKE, {"number": row.number})
    return record


def note_attempt(tx: WriteTransaction, reply: Reply) -> records.Record:
    """Store what a reply took that is no answer; its ticket is still asked."""
    _, ticket = _find_leased(tx, reply)
    fields = {"facts": reply.facts}
    return tx.write(Entry("attempt", reply.judge, ticket, fields, {"reply": reply.text}))


def _find_leased(tx: WriteTransaction, reply: Reply) -> tuple[Any, Ticket]:
    row = look_up(tx, reply.judge)
    if row.leased != reply.ticket or row.state != OPEN:
        raise records.NotYours(records.NOT_ASSIGNED)
    return row, read_ticket(row, reply.judge)


def answer(tx: WriteTransaction, reply: Reply) -> Answered:
    record, login = _append(tx, reply)
    try:
        if login is not None and login.leased == reply.ticket and not tx.paused:
            question = {"seat": login.judge_seat, "answered": reply.ticket}
            row = resolve_ticket(tx, tx.ask(FOLLOWING, question), reply.judge)
            following = None if row is None else lease_ticket(tx, reply.judge, row, login)
            return Answered(record, following)
        return Answered(record, serve(tx, reply.judge))
    except records.Refused as halt:
        return Answered(record, None, halt)


def find_sitting(tx: WriteTransaction, judge: str) -> Sitting:
    if not tx.campaign.segments:
        return Sitting()
    seat, number = look_up(tx, judge).judge_seat, find_open(tx, judge)
    here = () if number is None else _read_document(tx, judge, seat, number)
    last = tx.ask(LAST, {"judge": judge})
    if last is None or last.seat != seat:
        return Sitting(here)
    done = _read_document(tx, judge, seat, last.number)
    if not done or any(one.open for one in done):
        return Sitting(here)
    closed = _is_submitted(tx, judge, done)
    return Sitting(here, () if closed else done, closed)


def _is_submitted(tx: WriteTransaction, judge: str, document: Sequence[Segment]) -> bool:
    if not document:
        return False
    return tx.ask(_SUBMITTED, {"ticket": document[-1].ticket.number, "judge": judge}) is not None


def submit(tx: WriteTransaction, judge: str, receipts: Sequence[str]) -> None:
    """Store that a judge has done with a document: its answers are changed no more.

    receipts: hashes of the judge's answers to it, as they were looked at. The same wish sent twice
        is stored once.
    """
    login, before = look_up(tx, judge), find_sitting(tx, judge).before
    if not before:
        return
    standing = (one.record for one in before)
    mine = [one for one in standing if one is not None and one.judge == judge]
    if login.holder != judge or [one.hash for one in mine] != list(receipts):
        changed = Message(
            "an answer to this document was changed, perhaps in another tab: reload the page"
        )
        raise records.NotYours(changed)
    facts = {"first": before[0].ticket.number, "answers": [one.number for one in mine]}
    tx.write(Entry("submit", judge, before[-1].ticket, {"facts": facts}))


def _read_document(tx: WriteTransaction, judge: str, seat: str, number: int) -> tuple[Segment, ...]:
    """Return the segments of the document that a ticket of a seat is of; none where of none."""
    if not tx.campaign.segments:
        return ()
    row = tx.ask(_SEGMENTS, {"seat": seat, "first": number, "last": number})
    if row is None or not tx.campaign.item(row.item).document or row.kind == "training":
        return ()
    ticket = read_ticket(row, judge)
    items = tx.campaign.list_segments(ticket)
    first = number - items.index(ticket.item)
    rows = tx.ask_all(_SEGMENTS, {"seat": seat, "first": first, "last": first + len(items) - 1})
    records_of = (None if one.line is None else read_row(one) for one in rows)
    return tuple(
        Segment(read_ticket(one, judge), record, one.state == OPEN)
        for one, record in zip(rows, records_of, strict=True)
    )


def revise(tx: WriteTransaction, reply: Reply, receipt: str) -> Answered:
    """Change an answer of a document not submitted yet; `receipt` is the hash of what stands."""
    sitting = find_sitting(tx, reply.judge)
    standing = [one.record for one in (*sitting.here, *sitting.before) if one.record is not None]
    same = (one for one in standing if one.ticket is not None and one.hash == receipt)
    # there is no record 0: what changes nothing that stands is refused, and is no first answer
    number = next((one.number for one in same if one.ticket.number == reply.ticket), 0)  # type: ignore[union-attr]
    return answer(tx, replace(reply, replaces=number))


def undo(tx: WriteTransaction, judge: str) -> Served:
    login = look_up(tx, judge)
    if tx.paused:
        raise records.Paused(Message("the campaign is paused: nothing can be undone right now"))
    row = tx.ask(LAST, {"judge": judge})
    if row is None or row.seat != login.judge_seat or login.holder != judge:
        raise records.NotYours(Message("you have no answer to undo"))
    if find_sitting(tx, judge).closed:
        raise records.NotYours(_SUBMITTED_STAYS)
    tx.write(Entry("undo", judge, read_ticket(row, judge), {"replaces": row.record}))
    tx.change(SET_ANSWER, {"ticket": row.number, "to": OPEN, "by": None})
    return lease_ticket(tx, judge, row, login)


def find_open(tx: WriteTransaction, judge: str) -> int | None:
    login = look_up(tx, judge)
    has = login.number is not None and login.state == OPEN and login.seat == login.judge_seat
    return login.leased if has else None


def check_answer(tx: WriteTransaction, ticket: Ticket, reply: Reply) -> tuple[Any, str]:
    """Return an answer as it is stored, and its comment apart."""
    checked = tx.campaign.read_answer(ticket, reply.answer).to_dict()
    by_person = reply.facts is None
    if by_person and "document" not in checked and tx.campaign.find_document_question(ticket):
        raise InvalidJudgments("nothing was answered: document is missing")
    return checked, checked.pop("comment", "")


def _repeat(tx: WriteTransaction, reply: Reply, row: Any) -> records.Record:
    """Return what is stored under a key, if it is the same answer of the same judge."""
    if row.by != reply.judge:
        raise records.NotYours(records.NOT_ASSIGNED)
    if row.state != CLOSED:
        raise records.AnsweredBefore(Message("this answer was undone: reload the page"))
    if row.record != row.line:
        why = Message("another answer took the place of this one since: reload the page")
        raise records.AnsweredBefore(why)
    record = read_row(row)
    if record.ticket is None or record.erased:
        return record
    if check_answer(tx, record.ticket, reply) != (record.answer, record.comment):
        why = Message("another answer to this item was sent from the same page: reload it")
        raise records.AnsweredBefore(why)
    return record


# What the answers of a batch will ask the database is asked for all of them together: on PostgreSQL
# a question is a way to the server and back, and an answer asks two. What was asked ahead is true
# when it is used: answers of different judges to different tickets change nothing that the others
# read, and anything else that is written meanwhile makes the transaction forget it.


@dataclass(frozen=True)
class Answering:
    reply: Reply  # the answer
    receipt: str = ""  # hash of the answer that it changes

    def __call__(self, tx: WriteTransaction) -> Answered:
        with tx.keep_prefetched():
            change = self.receipt
            done = revise(tx, self.reply, change) if change else answer(tx, self.reply)
        if done.halt is not None:
            return done
        return replace(done, sitting=find_sitting(tx, self.reply.judge))


def prefetch_answers(
    tx: WriteTransaction, batch: Sequence[Callable[[WriteTransaction], Any]]
) -> None:
    """Ask what the answers of a batch will ask; some, of which it is not known, ask themselves."""
    # where a policy chooses, an answer may change what others are asked
    if not tx.is_remote or (tx.launched and tx.campaign.design.policy):
        return
    # the first answer of each judge, if it is the first to its ticket; sound ones alone
    first: list[Reply] = []
    answering: set[str] = set()
    answered: set[int] = set()
    for work in batch:
        if not isinstance(work, Answering):
            continue
        reply = work.reply
        try:
            check_reply(reply)
        except EvenhandError:
            continue
        if reply.judge not in answering and reply.ticket not in answered:
            first.append(reply)
        answering.add(reply.judge)
        answered.add(reply.ticket)
    if len(first) < 2:
        return
    asked = [{"judge": one.judge, "ticket": one.ticket, "sent": one.key} for one in first]
    rows = tx.prefetch(REPLY, asked)
    following = [
        {"seat": row.judge_seat, "answered": reply.ticket}
        for reply, row in zip(first, rows, strict=True)
        if row is not None and row.leased == reply.ticket
    ]
    tx.prefetch(FOLLOWING, following)
