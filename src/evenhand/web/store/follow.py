"""The ledger of a policy is brought up to the log, or made anew from the tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import bindparam, exists, select

from evenhand.design.campaign import Campaign
from evenhand.web.store.ledger import Asked, Ledger
from evenhand.web.store.prepared import Prepared
from evenhand.web.store.schema import OPEN, judges, leases, log, tickets

if TYPE_CHECKING:
    from evenhand.web.store.desk import Desk

_ASKED: Final = tuple(tickets.c[name] for name in ("number", "seat", "item", "systems", "kind"))
_ALL: Final = Prepared(
    select(*_ASKED, tickets.c.chosen, log.c.said)
    .select_from(tickets.outerjoin(log, log.c.number == tickets.c.record))
    .where(tickets.c.systems != "[]", tickets.c.kind != "training", tickets.c.kind != "repeat")
    .order_by(tickets.c.number)
)
_NEWS: Final = Prepared(
    select(log.c.number, log.c.body, log.c.said)
    .where(log.c.number > bindparam("seen"))
    .order_by(log.c.number)
)
_LATE: Final = Prepared(
    select(tickets.c.number)
    .select_from(leases.join(tickets, tickets.c.number == leases.c.ticket))
    .where(leases.c.until < bindparam("now"), tickets.c.state == OPEN, tickets.c.chosen != "")
    .where(~exists().where(log.c.ticket == tickets.c.number, log.c.kind == "judgment"))
)
_PERSONS: Final = Prepared(select(judges.c.name, judges.c.seat, judges.c.joined))


def open_ledger(desk: Desk, campaign: Campaign) -> Ledger:
    """Make a ledger of what the tables hold."""
    ledger = Ledger(campaign, _find_persons(desk))
    for row in desk.ask_all(_ALL, {}):
        asked = {name: getattr(row, name) for name in ("number", "item", "kind", "chosen")}
        asked["systems"] = json.loads(row.systems)
        _take_ticket(ledger, row.seat, asked)
        outcome = _read_outcome(row.said)
        if outcome is not None:
            _take_answer(ledger, asked, outcome)
    return ledger


def follow(ledger: Ledger, desk: Desk, seen: int) -> bool:
    """Take up what was written after a record; say whether that can be done without reading all."""
    for row in desk.ask_all(_NEWS, {"seen": seen}):
        body = json.loads(row.body)
        kind, asked = body["kind"], body.get("ticket")
        if kind in ("join", "forget"):
            return False
        for ticket in body.get("facts", {}).get("emptied", ()):
            ledger.free(ticket)
        if kind == "issue":
            _take_ticket(ledger, body["facts"]["seat"], asked)
        elif kind in ("judgment", "revision", "undo"):
            _take_answer(ledger, asked, None if kind == "undo" else _read_outcome(row.said))
    return True


def find_late(desk: Desk) -> set[int]:
    """Return tickets of a policy whose time ran out before any answer."""
    return {row.number for row in desk.ask_all(_LATE, {"now": desk.now})}


def _take_ticket(ledger: Ledger, seat: str, asked: dict[str, Any]) -> None:
    """Take up that somebody was handed a ticket."""
    shown = tuple(asked["systems"])
    if asked.get("chosen"):
        place = ledger.place(asked["item"])
        ledger.hold(Asked(asked["number"], seat, place, shown, asked["chosen"]))
    elif asked["kind"] not in ("training", "repeat"):
        ledger.note_design(seat, asked["item"])
        if asked["kind"] == "anchor":
            ledger.pairs.show(shown, 1)


def _take_answer(ledger: Ledger, asked: dict[str, Any], outcome: str | None) -> None:
    """Take up what stands for a ticket now."""
    number = asked["number"]
    if number in ledger.asked:
        ledger.answer(number, outcome)
    elif asked["kind"] == "anchor":
        ledger.pairs.answer(number, tuple(asked["systems"]), outcome)


def _read_outcome(said: str | None) -> str | None:
    """Return what was said, None where nothing stands or it was deleted."""
    return None if said is None else str(json.loads(said)["answer"]["outcome"])


def _find_persons(desk: Desk) -> dict[str, str]:
    """Return for each seat what stands for all seats of whoever held it."""
    root: dict[str, str] = {}

    def find(name: str) -> str:
        while root.get(name, name) != name:
            name = root[name]
        return name

    first: dict[str, str] = {}
    for row in desk.ask_all(_PERSONS, {}):
        one, other = find(row.seat), find(first.setdefault(row.joined or row.name, row.seat))
        root[max(one, other)] = min(one, other)
    return {seat: find(seat) for seat in root}
