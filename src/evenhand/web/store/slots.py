"""Tickets of which it is known only when somebody comes to them what they show.

The design says where they stand among controls, anchors and repeats; a policy says which pair of
which item. A repeat of one shows what that showed.
"""

from __future__ import annotations

import json
from typing import Any, Final

from sqlalchemy import bindparam, delete, select, update

from evenhand.web.store.desk import Desk, Entry
from evenhand.web.store.lookups import read_ticket
from evenhand.web.store.prepared import Prepared
from evenhand.web.store.schema import CLOSED, OPEN, leases, tickets

_FREE: Final = {"item": "", "systems": "[]", "chosen": ""}
_AFTER: Final = Prepared(
    select(tickets)
    .where(
        tickets.c.seat == bindparam("seat"),
        tickets.c.state == OPEN,
        tickets.c.number > bindparam("after"),
    )
    .order_by(tickets.c.number)
    .limit(1)
)
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


def settle(desk: Desk, row: Any, judge: str) -> Any:
    """Return the first ticket from one on of which it can be said what it shows; None for none."""
    while row is not None and row.systems == "[]":
        found = _repeat(desk, row) if row.kind == "repeat" else _choose(desk, row, judge)
        if found is not None:
            return found
        row = desk.ask(_AFTER, {"seat": row.seat, "after": row.number})
    return row


def empty(desk: Desk, seat: str) -> dict[str, Any] | None:
    """Give back what was chosen for whoever leaves a seat, and not answered."""
    if not desk.campaign.design.policy:
        return None
    emptied = [row.number for row in desk.ask_all(_OPEN, {"seat": seat})]
    desk.change(_EMPTY, {"whose": seat})
    return {"facts": {"emptied": emptied}} if emptied else None


def _repeat(desk: Desk, row: Any) -> Any:
    """Settle a repeat; None where what it repeats is not answered."""
    origin = desk.ask(_ORIGIN, {"again": row.again})
    if origin is None or origin.state != CLOSED:
        return None
    return _fill(desk, row, {"item": origin.item, "systems": origin.systems, "chosen": ""})


def _choose(desk: Desk, row: Any, judge: str) -> Any:
    """Let the policy settle a ticket, and put into the log how; None where nothing is left."""
    dealt = desk.dealer.deal(desk, row.seat) if desk.dealer is not None else None
    if dealt is None:
        return None
    for ticket in dealt.instead:
        desk.change(_FILL, {"ticket": ticket, **{f"new_{name}": _FREE[name] for name in _FREE}})
        desk.change(_TAKE, {"number": ticket})
    systems = json.dumps(dealt.systems, ensure_ascii=False)
    found = _fill(desk, row, {"item": dealt.item, "systems": systems, "chosen": dealt.chosen})
    facts: dict[str, Any] = {"seat": row.seat}
    if dealt.instead:
        facts["emptied"] = list(dealt.instead)
    desk.write(Entry("issue", judge, read_ticket(found, judge), {"facts": facts}))
    return found


def _fill(desk: Desk, row: Any, told: dict[str, str]) -> Any:
    desk.change(_FILL, {"ticket": row.number, **{f"new_{name}": told[name] for name in told}})
    return row._replace(**told)
