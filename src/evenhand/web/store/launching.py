"""A campaign and its tickets come into a database; more tickets may come later."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final

from sqlalchemy import func, insert, select, update

from evenhand import __version__
from evenhand.design.assignment import Assignment
from evenhand.design.campaign import Campaign, write_seed
from evenhand.design.tasks import TICKET_KINDS, Ticket
from evenhand.errors import CampaignError, require_option
from evenhand.web.store.chain import GENESIS
from evenhand.web.store.desk import Desk, Entry
from evenhand.web.store.lookups import look_up
from evenhand.web.store.prepared import Prepared, fill
from evenhand.web.store.schema import OPEN, SECRET_BYTES, campaign, seats, specs, tickets

CHUNK: Final = 5_000  # Tickets that are written together
_TICKET: Final = fill(tickets)
_SEAT: Final = fill(seats)
_TURN: Final = Prepared(select(func.pg_advisory_xact_lock(0x6C61756E)))  # "laun": one at a time
_THERE: Final = Prepared(select(campaign.c.id))


def launch(desk: Desk, planned: Campaign, assignment: Assignment) -> bool:
    """Store a campaign with its tickets, and begin the log."""
    if desk.connection.dialect.name == "postgresql":
        desk.ask(_TURN, {})
    if desk.ask(_THERE, {}) is not None:
        return False
    row = {"id": 1, "name": planned.name, "digest": planned.digest, "paused": False}
    row |= {"assignment": assignment.digest}
    row |= {"tickets": len(assignment), "head_number": 0, "head_hash": GENESIS, "head_at": 0}
    desk.run(insert(campaign).values(**row))
    secret = secrets.token_hex(SECRET_BYTES)
    desk.run(insert(specs).values(campaign=1, body=planned.canonical.decode(), secret=secret))
    desk.begin(planned)
    desk.tickets = len(assignment)
    places: Counter[str] = Counter()
    rows = (_fill_row(one, places) for one in assignment)
    for chunk in _cut(rows, CHUNK):
        desk.load(_TICKET, chunk)
    held = [{"name": one.name, "total": places[one.name], "holder": None} for one in planned.judges]
    desk.load(_SEAT, held)
    facts: dict[str, Any] = {
        "name": planned.name,
        "campaign": planned.digest,
        "assignment": assignment.digest,
    }
    facts |= {"tickets": len(assignment), "evenhand": __version__}
    facts |= {"seed": write_seed(planned.drawing_seed)}
    desk.write(Entry("launch", fields={"facts": facts}))
    return True


def issue(desk: Desk, ticket: Ticket) -> Ticket:
    """Add a ticket for a judge, such as a policy asks for; its number is given here."""
    task, item = desk.campaign.task(ticket.task), desk.campaign.item(ticket.item)
    require_option("kind of a ticket", ticket.kind, TICKET_KINDS)
    strange = [one for one in ticket.systems if one not in item.outputs]
    if strange or len(set(ticket.systems)) != len(ticket.systems):
        raise CampaignError(f"item '{item.name}' has no outputs of {', '.join(ticket.systems)}")
    if not 0 < len(ticket.systems) <= task.width:
        raise CampaignError(f"task '{task.name}' shows {task.width} outputs on a ticket")
    login = look_up(desk, ticket.judge)
    made = Ticket(**{**vars(ticket), "number": desk.tickets})
    row = _fill_row(made, Counter({login.mine: login.total}))
    desk.run(insert(tickets).values({**row, "seat": login.mine}))
    mine = update(seats).where(seats.c.name == login.mine)
    desk.run(mine.values(total=seats.c.total + 1))
    desk.tickets += 1
    desk.write(Entry("issue", made.judge, made, {"facts": {"seat": login.mine}}))
    return made


def _fill_row(ticket: Ticket, places: Counter[str]) -> dict[str, Any]:
    """Return the row of a ticket, and count it for its judge."""
    places[ticket.judge] += 1
    return {
        "number": ticket.number,
        "seat": ticket.judge,
        "place": places[ticket.judge],
        "state": OPEN,
        "task": ticket.task,
        "item": ticket.item,
        "systems": json.dumps(ticket.systems, ensure_ascii=False),
        "kind": ticket.kind,
        "again": ticket.again,
        "expected": ticket.expected,
        "record": None,
        "chosen": ticket.chosen,
    }


def _cut(rows: Iterable[dict[str, Any]], size: int) -> Iterator[list[dict[str, Any]]]:
    """Cut rows into lists."""
    left = iter(rows)
    while chunk := list(islice(left, size)):
        yield chunk
