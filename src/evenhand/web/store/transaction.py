"""One transaction: the end of the log is held, records are put behind it.

Whoever writes holds the one row of `campaign` until the commit, so that several servers on one
database write one chain. Times in the log never go back.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Protocol

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    UpdateBase,
    bindparam,
    delete,
    select,
    update,
)

from evenhand.design.campaign import Campaign
from evenhand.design.tasks import Choice, Ticket, is_text, show
from evenhand.errors import CampaignError
from evenhand.web.store import schema
from evenhand.web.store.log import (
    GENESIS,
    Line,
    NoSuchJudge,
    Record,
    Refused,
    ShutOut,
    canonical,
    digest,
    read_record,
    seal,
)
from evenhand.web.store.schema import (
    CLOSED,
    OPEN,
    Prepared,
    fill,
    judges,
    leases,
    log,
    seats,
    tickets,
)

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


class Assigner(Protocol):
    def assign(self, tx: WriteTransaction, seat: str) -> AssignedPair | None:
        """Choose what whoever has a seat is asked; None where nothing is left for them."""

    def commit(self) -> None:
        """Take up that what was written is stored."""


class WriteTransaction:
    def __init__(
        self, connection: Connection, campaign: Campaign | None, *, now: int, lease: int
    ) -> None:
        self.connection, self._campaign, self.lease = connection, campaign, lease
        self._kind = connection.dialect.name
        self._driver: Any = connection.connection.driver_connection
        self._ahead: dict[tuple[Any, ...], Any] = {}
        self._keeps = False
        state = self.ask(_HOLD, {})
        self.launched = state is not None
        self.paused: bool = state.paused if state else False
        self.tickets: int = state.tickets if state else 0
        self._number: int = state.head_number if state else 0
        self._hash: str = state.head_hash if state else GENESIS
        self.now = max(now, state.head_at if state else 0)
        self.changes = 0
        self.assigner: Assigner | None = None
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
        """Let what is written in this block leave true what was asked ahead."""
        self._keeps = True
        try:
            yield
        finally:
            self._keeps = False

    def ask(self, question: Prepared, values: Mapping[str, Any]) -> Any:
        if self._ahead and (key := (question, *values.items())) in self._ahead:
            return self._ahead.pop(key)
        return question.ask(self._driver, self._kind, values)

    def ask_all(self, question: Prepared, values: Mapping[str, Any]) -> list[Any]:
        return question.ask_all(self._driver, self._kind, values)

    def change(self, order: Prepared, values: Mapping[str, Any]) -> None:
        """Write; what was asked ahead is forgotten where it may not be true any more."""
        self.changes += 1
        if not self._keeps:
            self._ahead.clear()
        order.run(self._driver, self._kind, values)

    def pick(self, question: Select[Any]) -> list[Any]:
        return Prepared(question).ask_all(self._driver, self._kind, {})

    def run(self, order: UpdateBase) -> None:
        self.change(Prepared(order), {})

    def load(self, order: Prepared, rows: Sequence[Mapping[str, Any]]) -> None:
        self.changes += 1
        self._ahead.clear()
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
        text = canonical(body)
        line = Line(number, text, digest(text), **sealed)
        columns: dict[str, Any] = {"kind": entry.kind, "judge": entry.judge}
        columns["ticket"] = entry.ticket.number if entry.ticket else None
        columns |= {name: body.get(name) for name in ("key", "replaces")}
        self.change(_ADD, {**columns, **vars(line)})
        self._number, self._hash = number, line.hash
        return read_record(line)

    def close(self) -> None:
        if (self.paused, self.tickets, self._number) == self._state:
            return
        values = {"paused": self.paused, "tickets": self.tickets, "head_at": self.now}
        values |= {"head_number": self._number, "head_hash": self._hash}
        self.change(_MOVE, values)


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
# The ticket of a judge's last answer that stands
LAST: Final = Prepared(
    select(tickets)
    .select_from(log.join(tickets, tickets.c.record == log.c.number))
    .where(log.c.judge == bindparam("judge"))
    .order_by(log.c.number.desc())
    .limit(1)
)
_RECORD: Final = Prepared(select(*_LINE).where(log.c.number == bindparam("number")))
SET_ANSWER: Final = Prepared(
    update(tickets)
    .where(tickets.c.number == bindparam("ticket"))
    .values(state=bindparam("to"), record=bindparam("by"))
)
# A judge gave their first answer
BEGIN: Final = Prepared(
    update(judges).where(judges.c.name == bindparam("judge")).values(state="active")
)
_GAVE: Final = Prepared(
    select(log.c.number).where(log.c.judge == bindparam("judge"), log.c.kind == "judgment").limit(1)
)
INSERT_LEASE: Final = fill(leases)
UPDATE_LEASE: Final = Prepared(
    update(leases)
    .where(leases.c.judge == bindparam("who"))
    .values({name: bindparam(f"new_{name}") for name in ("ticket", "key", "since", "until")})
)
DELETE_LEASE: Final = Prepared(leases.delete().where(leases.c.judge == bindparam("judge")))


def look_up(tx: WriteTransaction, judge: str) -> Any:
    return check_login(tx.ask(BEFORE, {"judge": check_name(judge)}), judge)


def has_answered(tx: WriteTransaction, judge: str) -> bool:
    return tx.ask(_GAVE, {"judge": judge}) is not None


def check_name(judge: str) -> str:
    if not isinstance(judge, str) or not is_text(judge):
        raise NoSuchJudge(f"there is no judge {show(judge)}")
    return judge


def check_login(row: Any, judge: str) -> Any:
    if row is None:
        raise NoSuchJudge(f"there is no judge '{judge}'")
    if row.status not in ("invited", "active"):
        reasons = {"left": "has withdrawn from the campaign", "forgotten": "asked to be forgotten"}
        reason = reasons.get(row.status, "was removed from the campaign")
        raise ShutOut(f"judge '{judge}' {reason}: ask the organiser for a new link")
    return row


def read_ticket(row: Any, judge: str) -> Ticket:
    shown, rest = (row.task, row.item, tuple(json.loads(row.systems))), (row.expected, row.chosen)
    return Ticket(row.number, judge, *shown, row.kind, row.again, *rest)


def read_row(row: Any) -> Record:
    return read_record(Line(row.line, row.body, row.hash, row.said, row.note))


def find_record(tx: WriteTransaction, number: int) -> Record:
    row = tx.ask(_RECORD, {"number": number})
    if row is None:
        raise Refused(f"record {number} is not in the log: check it with evenhand check")
    return read_row(row)


# Tickets of which it is known only when somebody comes to them what they show: the design says
# where they stand among controls, anchors and repeats, a policy which pair of which item. A repeat
# of one shows what that showed.

_FREE: Final = {"item": "", "systems": "[]", "chosen": ""}
_ORIGIN: Final = Prepared(select(tickets).where(tickets.c.number == bindparam("again")))
_FILL: Final = Prepared(
    update(tickets)
    .where(tickets.c.number == bindparam("ticket"))
    .values({name: bindparam(f"new_{name}") for name in _FREE})
)
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
        filled = _repeat(tx, row) if row.kind == "repeat" else _assign(tx, row, judge)
        if filled is not None:
            return filled
        row = tx.ask(_AFTER, {"seat": row.seat, "after": row.number})
    return row


def empty(tx: WriteTransaction, seat: str) -> dict[str, Any] | None:
    """Give back what was chosen for whoever leaves a seat, and not answered."""
    if not tx.campaign.design.policy:
        return None
    emptied = [row.number for row in tx.ask_all(_OPEN, {"seat": seat})]
    tx.change(_EMPTY, {"whose": seat})
    return {"facts": {"emptied": emptied}} if emptied else None


def _repeat(tx: WriteTransaction, row: Any) -> Any:
    origin = tx.ask(_ORIGIN, {"again": row.again})
    if origin is None or origin.state != CLOSED:
        return None
    return _fill(tx, row, {"item": origin.item, "systems": origin.systems, "chosen": ""})


def _assign(tx: WriteTransaction, row: Any, judge: str) -> Any:
    """Let the policy fill a ticket, and put into the log how; None where nothing is left."""
    pair = tx.assigner.assign(tx, row.seat) if tx.assigner is not None else None
    if pair is None:
        return None
    for ticket in pair.instead:
        tx.change(_FILL, {"ticket": ticket, **{f"new_{name}": _FREE[name] for name in _FREE}})
        tx.change(_TAKE, {"number": ticket})
    systems = json.dumps(pair.systems, ensure_ascii=False)
    filled = _fill(tx, row, {"item": pair.item, "systems": systems, "chosen": pair.chosen})
    facts: dict[str, Any] = {"seat": row.seat}
    if pair.instead:
        facts["emptied"] = list(pair.instead)
    tx.write(Entry("issue", judge, read_ticket(filled, judge), {"facts": facts}))
    return filled


def _fill(tx: WriteTransaction, row: Any, columns: dict[str, str]) -> Any:
    tx.change(_FILL, {"ticket": row.number, **{f"new_{name}": columns[name] for name in columns}})
    return row._replace(**columns)
