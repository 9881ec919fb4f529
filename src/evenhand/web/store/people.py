"""Who judges: links, seats, workers of crowd platforms, logins of one person, and launches.

The secret of a link is 192 random bits after a name of 48; the database keeps a digest. The name
finds the row, the digest of the secret is compared in constant time.

A page knows a ticket by a name, from which without the campaign's key nothing can be had: neither
the ticket's number, nor which of two tickets comes first. Of one ticket and judge it is always the
same, so that an answer that is sent again after a restart, or to another server, is recognised.
"""

from __future__ import annotations

import hmac
import json
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import Any, Final, Literal

from sqlalchemy import bindparam, delete, exists, func, insert, or_, select, update

from evenhand import __version__
from evenhand.design.assignment import Assignment
from evenhand.design.campaign import NAME_ONE, Campaign, write_seed
from evenhand.design.tasks import Ticket, is_text, say_bad_name, show
from evenhand.errors import CampaignError, Message
from evenhand.web.store.database import Entry, WriteTransaction
from evenhand.web.store.judging import check_name, empty, look_up
from evenhand.web.store.log import GENESIS, NoPlace, NoSuchJudge, Refused, ShutOut, Unproven, digest
from evenhand.web.store.schema import (
    OPEN,
    SECRET_BYTES,
    VOID,
    Prepared,
    campaign,
    fill,
    judges,
    leases,
    log,
    people,
    renew,
    seats,
    specs,
    tickets,
)
from evenhand.web.store.schema import tokens as links

# What a link is for: to judge, to organise, or to join as a judge of a crowd platform
Role = Literal["judge", "admin", "crowd"]
_NAME: Final = 8
_WHOLE: Final = _NAME + 32
# Bytes of a ticket's name: a keyed digest of 128 bits, and the number under a mask
_MAC, _NUMBER = 16, 8


@dataclass(frozen=True)
class Token:
    name: str  # finds the row
    secret: str  # proves the right to it; shown once and not kept

    def __str__(self) -> str:
        return self.name + self.secret

    def __repr__(self) -> str:
        return f"Token({self.name}...)"

    @property
    def digest(self) -> str:
        return sha256(f"evenhand link {self}".encode()).hexdigest()


@dataclass(frozen=True)
class Invitation:
    judge: str  # the pseudonym; "" for links of other roles
    token: str  # the end of the link; it cannot be shown again
    role: Role = "judge"

    def __repr__(self) -> str:
        return f"Invitation({self.judge or self.role})"


def draw_token() -> Token:
    return Token(secrets.token_urlsafe(6), secrets.token_urlsafe(24))


def read_token(text: str) -> Token | None:
    """Return the parts of a token, None of what cannot be one.

    >>> read_token("short") is None, read_token(str(draw_token())) is None
    (True, False)
    """
    if re.fullmatch(rf"[A-Za-z0-9_-]{{{_WHOLE}}}", text) is None:
        return None
    return Token(text[:_NAME], text[_NAME:])


def matches(token: Token, digest: str) -> bool:  # in constant time
    return hmac.compare_digest(token.digest.encode(), digest.encode())


def name_ticket(key: bytes, judge: str, number: int) -> str:
    """Return the name by which a judge's page knows a ticket.

    >>> read_ticket_name(b"key", "ann", name_ticket(b"key", "ann", 7))
    7
    """
    mac = hmac.digest(key, f"ticket {number} {judge}".encode(), "sha256")[:_MAC]
    return urlsafe_b64encode(mac + _mask(key, mac, number.to_bytes(_NUMBER))).decode()


def read_ticket_name(key: bytes, judge: str, name: str) -> int | None:
    """Return the number of a ticket, None of what is not a name of a ticket for this judge.

    >>> read_ticket_name(b"key", "bob", name_ticket(b"key", "ann", 7)) is None
    True
    """
    if re.fullmatch(r"[A-Za-z0-9_-]{32}", name) is None:
        return None
    decoded = urlsafe_b64decode(name)
    number = int.from_bytes(_mask(key, decoded[:_MAC], decoded[_MAC:]))
    return number if hmac.compare_digest(name_ticket(key, judge, number), name) else None


def _mask(key: bytes, mac: bytes, number: bytes) -> bytes:
    mask = hmac.digest(key, b"mask " + mac, "sha256")
    return bytes(one ^ other for one, other in zip(number, mask, strict=False))


# When a judge leaves, is revoked or lets time run out, what is left of the seat goes to the next
# one, under another pseudonym; repeats of what the first one answered are void.

PRESENT: Final = ("invited", "active")  # States of judges who may go on
_JUDGE: Final = Prepared(select(judges).where(judges.c.name == bindparam("judge")))
_SEAT: Final = Prepared(select(seats).where(seats.c.name == bindparam("seat")))
_UNLINK_ALL: Final = Prepared(
    delete(links).where(links.c.judge == bindparam("judge"), links.c.role == "judge")
)
_LINK, _PERSON = fill(links), fill(people)
_NEW_SEAT, _NEW_JUDGE = fill(seats), fill(judges)
_HOLD: Final = renew(seats.c.name, "seat", {"holder": "judge"})
_ANSWERED: Final = (
    select(tickets.c.number)
    .select_from(tickets.join(log, log.c.number == tickets.c.record))
    .where(tickets.c.seat == bindparam("seat"), log.c.judge != bindparam("judge"))
)
_VOID: Final = Prepared(
    update(tickets)
    .where(tickets.c.seat == bindparam("seat"), tickets.c.state == OPEN)
    .where(tickets.c.again.in_(_ANSWERED.scalar_subquery()))
    .values(state=VOID)
)


def invite(
    tx: WriteTransaction, judge: str, *, seat: str = "", note: str = "", token: Token | None = None
) -> Invitation:
    """Make a link for a judge; the ones that were made before are good no more."""
    named = isinstance(judge, str) and judge.strip() and judge == judge.strip()
    if not named or not is_text(judge + note):
        raise CampaignError(f"{show(judge)} is not a name of a judge: {NAME_ONE}")
    if fault := say_bad_name(judge):
        raise CampaignError(f"judge {show(judge)} {fault}")
    row = tx.ask(_JUDGE, {"judge": judge})
    if row is None:
        add_judge(tx, judge, seat or judge, "", note)
    elif row.state == "forgotten":
        raise ShutOut(f"judge '{judge}' asked to be forgotten: invite under another name")
    elif seat and seat != row.seat:
        raise Refused(f"judge '{judge}' has seat '{row.seat}': invite under another name")
    elif row.state not in PRESENT:
        _take_seat(tx, row.seat, judge)
        _set_state(tx, judge, "invited")
    tx.change(_UNLINK_ALL, {"judge": judge})
    if row is not None and note:
        describe(tx, judge, note)
    held = row.seat if row is not None else seat or judge
    tx.write(Entry("invite", judge, fields={"facts": {"seat": held}}))
    return keep_link(tx, token or draw_token(), "judge", judge)


def describe(tx: WriteTransaction, judge: str, note: str) -> None:
    """Keep who a judge is, for the organiser alone: it stands in no log."""
    if _find(tx, judge).state == "forgotten":
        raise ShutOut(f"judge '{judge}' asked to be forgotten: nothing is kept of them")
    if not is_text(note):
        raise CampaignError(f"{show(note)} cannot be kept: it is no text")
    if tx.pick(select(people.c.judge).where(people.c.judge == judge)):
        tx.run(update(people).where(people.c.judge == judge).values(note=note))
    else:
        tx.change(_PERSON, {"judge": judge, "platform": "", "worker": judge, "note": note})


def keep_link(tx: WriteTransaction, token: Token, role: Role, judge: str = "") -> Invitation:
    row = {"name": token.name, "digest": token.digest, "role": role, "judge": judge}
    tx.change(_LINK, {**row, "made": tx.now})
    return Invitation(judge if role == "judge" else "", str(token), role)


def replace_link(
    tx: WriteTransaction, role: Role, name: str = "", *, token: Token | None = None
) -> Invitation:
    mine = links.c.judge == name if name else links.c.role == role
    tx.run(delete(links).where(links.c.role == role, mine))
    return keep_link(tx, token or draw_token(), role, name)


def list_vacancies(tx: WriteTransaction) -> list[str]:
    """Return the seats of the design that nobody has had."""
    had = exists().where(judges.c.seat == seats.c.name)
    return [one.name for one in tx.pick(select(seats.c.name).where(~had).order_by(seats.c.name))]


def revoke(tx: WriteTransaction, judge: str) -> None:
    """Shut a judge out; what was judged stays, what is left goes to the next one."""
    _shut_out(tx, judge, "revoked", "revoke")
    tx.change(_UNLINK_ALL, {"judge": judge})


def leave(tx: WriteTransaction, judge: str) -> None:
    """Let a judge go; what is left goes to the next one."""
    look_up(tx, judge)
    _shut_out(tx, judge, "left", "leave")


def consent(tx: WriteTransaction, judge: str) -> None:
    look_up(tx, judge)
    text_digest = digest(tx.campaign.wording.consent)
    tx.write(Entry("consent", judge, fields={"facts": {"text": text_digest}}))
    made = update(judges).where(judges.c.name == judge)
    tx.run(made.values(consented=tx.now, state="active"))


def join(tx: WriteTransaction, judge: str, person: str) -> None:
    """Say that a judge is the same person as another one; exports name the other one."""
    root = _find(tx, person)
    name, mine = root.joined or root.name, group(tx, judge)
    if name in mine:
        raise Refused(f"'{judge}' and '{person}' are one person already")
    tx.write(Entry("join", judge, fields={"facts": {"person": name, "judges": mine}}))
    tx.run(update(judges).where(judges.c.name.in_(mine)).values(joined=name))


def group(tx: WriteTransaction, judge: str) -> list[str]:
    row = _find(tx, judge)
    name = row.joined or row.name
    mine = select(judges.c.name).where(or_(judges.c.name == name, judges.c.joined == name))
    return sorted(one.name for one in tx.pick(mine))


def _find(tx: WriteTransaction, judge: str) -> Any:
    row = tx.ask(_JUDGE, {"judge": check_name(judge)})
    if row is None:
        raise NoSuchJudge(f"there is no judge '{judge}'")
    return row


def _shut_out(tx: WriteTransaction, judge: str, state: str, kind: str) -> None:
    row = _find(tx, judge)
    if row.state in (state, "forgotten"):
        return
    _set_state(tx, judge, state)
    held = tx.pick(select(seats.c.name).where(seats.c.holder == judge))
    tx.run(update(seats).where(seats.c.holder == judge).values(holder=None))
    tx.run(delete(leases).where(leases.c.judge == judge))
    tx.write(Entry(kind, judge, fields=empty(tx, row.seat) if held else None))


def _set_state(tx: WriteTransaction, judge: str, state: str) -> None:
    tx.run(update(judges).where(judges.c.name == judge).values(state=state))


def add_judge(
    tx: WriteTransaction, judge: str, seat: str, platform: str, note: str, *, worker: str = ""
) -> None:
    """Make a judge and give them a seat; one that is not in the design has no tickets yet."""
    if not is_text(seat) or tx.ask(_SEAT, {"seat": seat}) is None:
        if seat != judge:
            raise Refused(f"the design has no seat '{seat}'")
        tx.change(_NEW_SEAT, {"name": seat, "total": 0, "holder": None})
    made = {"name": judge, "seat": seat, "state": "invited", "made": tx.now}
    _take_seat(tx, seat, judge)
    tx.change(_NEW_JUDGE, {**made, "consented": None, "joined": None})
    if worker or note:
        who = {"judge": judge, "platform": platform, "worker": worker or judge, "note": note}
        tx.change(_PERSON, who)


def _take_seat(tx: WriteTransaction, seat: str, judge: str) -> None:
    """Give a seat that is free to a judge; repeats of another one's answers are void."""
    held = tx.ask(_SEAT, {"seat": seat})
    if held is not None and held.holder not in (None, judge):
        raise NoPlace(f"seat '{seat}' is held by '{held.holder}': revoke them first")
    tx.change(_HOLD, {"seat": seat, "judge": judge})
    tx.change(_VOID, {"seat": seat, "judge": judge})


# Workers of a crowd platform all come with one link, and say who they are. The browser of a first
# visit brings a secret, which is the link of the worker's page: without it nobody is let in again.

_WORKER: Final = Prepared(
    select(judges)
    .select_from(people.join(judges))
    .where(people.c.platform == bindparam("platform"), people.c.worker == bindparam("worker"))
)
_NAMED_LINK: Final = Prepared(select(links).where(links.c.name == bindparam("name")))
# Invitations of LLM judges, which say of which model; the seat of one is for nobody else
LLM_INVITES: Final = select(log.c.judge, log.c.body).where(
    log.c.kind == "invite", log.c.body.contains('"model":')
)
_ORIGIN: Final = tickets.alias("origin")
_VOIDED: Final = exists().where(_ORIGIN.c.number == tickets.c.again, _ORIGIN.c.record.is_not(None))
# repeats of what another one answered will not be asked
_LEFT_OVER: Final = exists().where(
    tickets.c.seat == seats.c.name, tickets.c.state == OPEN, ~_VOIDED
)
_FREE: Final = Prepared(
    select(seats.c.name)
    .where(seats.c.holder.is_(None), _LEFT_OVER)
    .where(~LLM_INVITES.where(log.c.judge == seats.c.name).exists())
    .order_by(func.length(seats.c.name), seats.c.name)
    .limit(1)
)
_LAPSED: Final = Prepared(
    select(seats.c.name, seats.c.holder)
    .select_from(
        seats.join(judges, judges.c.name == seats.c.holder)
        .join(people, people.c.judge == seats.c.holder)
        .outerjoin(leases, leases.c.judge == seats.c.holder)
    )
    .where(
        func.coalesce(leases.c.until, judges.c.made + bindparam("lease")) < bindparam("now"),
        people.c.platform != "",
        _LEFT_OVER,
    )
    .order_by(judges.c.made)
    .limit(1)
)


def enrol(tx: WriteTransaction, platform: str, worker: str, secret: str = "") -> Invitation:
    """Give a worker of a crowd platform a seat; who was here before gets the same one."""
    for name, word in (("platform", platform), ("worker", worker)):
        if not isinstance(word, str) or not 0 < len(word) <= 200 or not is_text(word):
            raise Refused(f"the link has no sound {name}: {show(word)}")
    row = tx.ask(_WORKER, {"platform": platform, "worker": worker})
    token = read_token(secret)
    link: Any = None if token is None else tx.ask(_NAMED_LINK, {"name": token.name})
    if row is not None:
        look_up(tx, row.name)
        theirs = link is not None and (link.role, link.judge) == ("judge", row.name)
        if token is None or not theirs or not matches(token, link.digest):
            refusal = Message(
                "this worker began in another browser, or another device: go on there; where that"
                " cannot be, ask the organiser for a new link"
            )
            raise Unproven(refusal, row.name)
        tx.write(Entry("enter", row.name))
        return Invitation(row.name, secret)
    if tx.paused:
        raise NoPlace(Message("the campaign is paused: nobody can join right now"))
    free = tx.ask(_FREE, {})
    if free is None:  # who let time run out loses their seat
        free = tx.ask(_LAPSED, {"now": tx.now, "lease": tx.lease})
        if free is None:
            full = Message("all places in this campaign are taken: thank you for your interest")
            raise NoPlace(full)
        leave(tx, free.holder)
    seat: str = free.name
    number = len(tx.pick(select(judges.c.name).where(judges.c.seat == seat))) + 1
    judge = seat if number == 1 else f"{seat}.{number}"
    # a name is taken that is a judge's, or will be one's: that of another seat
    while tx.ask(_JUDGE, {"judge": judge}) is not None or (
        judge != seat and tx.ask(_SEAT, {"seat": judge}) is not None
    ):
        number += 1
        judge = f"{seat}.{number}"
    add_judge(tx, judge, seat, platform, "", worker=worker)
    tx.write(Entry("invite", judge, fields={"facts": {"seat": seat}}))
    return keep_link(tx, draw_token() if token is None or link else token, "judge", judge)


CHUNK: Final = 5_000  # Tickets that are written together
_TICKET: Final = fill(tickets)
_TURN: Final = Prepared(select(func.pg_advisory_xact_lock(0x6C61756E)))  # "laun": one at a time


def launch(tx: WriteTransaction, planned: Campaign, assignment: Assignment, plan: str = "") -> bool:
    if tx.connection.dialect.name == "postgresql":
        tx.ask(_TURN, {})
    if tx.pick(select(campaign.c.id)):
        return False
    facts: dict[str, Any] = {"name": planned.name, "assignment": assignment.digest}
    facts["tickets"] = len(assignment)
    ends = {"paused": False, "head_number": 0, "head_hash": GENESIS, "head_at": 0}
    tx.run(insert(campaign).values(id=1, digest=planned.digest, **facts, **ends))
    secret = secrets.token_hex(SECRET_BYTES)
    tx.run(insert(specs).values(campaign=1, body=planned.canonical.decode(), secret=secret))
    tx.begin(planned)
    tx.tickets = len(assignment)
    places: Counter[str] = Counter()

    def place(ticket: Ticket) -> dict[str, Any]:
        places[ticket.judge] += 1
        return make_row(ticket, ticket.judge, places[ticket.judge])

    rows = map(place, assignment)
    while chunk := list(islice(rows, CHUNK)):
        tx.load(_TICKET, chunk)
    held = [{"name": one.name, "total": places[one.name], "holder": None} for one in planned.judges]
    tx.load(_NEW_SEAT, held)
    facts |= {"campaign": planned.digest, "evenhand": __version__}
    facts["seed"] = write_seed(planned.drawing_seed)
    facts |= {"plan": plan} if plan else {}
    tx.write(Entry("launch", fields={"facts": facts}))
    return True


def make_row(ticket: Ticket, seat: str, place: int) -> dict[str, Any]:
    """Return the row of an open ticket, which has this place among those of a seat."""
    row = {**vars(ticket), "seat": seat, "place": place, "state": OPEN, "record": None}
    del row["judge"]
    return {**row, "systems": json.dumps(ticket.systems, ensure_ascii=False)}
