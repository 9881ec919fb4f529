"""Tickets as a database holds them, beside those that were launched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
from sqlalchemy import Connection, func, select

from evenhand.design.assignment import Assignment, Codes
from evenhand.design.campaign import Campaign
from evenhand.design.tasks import TICKET_KINDS, Ticket
from evenhand.errors import EvenhandError
from evenhand.web.store.lookups import read_ticket
from evenhand.web.store.reading import stream
from evenhand.web.store.schema import tickets

FIXED: Final = 5  # Columns before those of the systems
_KIND_OF: Final = {name: code for code, name in enumerate(TICKET_KINDS)}


def read_asked(row: Any) -> Ticket:
    """Return a ticket of the table, under the name of its seat."""
    return read_ticket(row, row.seat)


def read_design(
    connection: Connection, planned: Campaign, launch: Mapping[str, Any]
) -> tuple[Assignment | None, str]:
    """Return the tickets that were launched, whether they were asked yet or not."""
    wanted = select(tickets).where(tickets.c.number < launch["tickets"]).order_by(tickets.c.number)
    changed = "tickets are not those that were launched"
    count = select(func.count()).select_from(wanted.subquery())
    if connection.execute(count).scalar() != launch["tickets"]:
        return None, changed
    expected: dict[int, str] = {}
    try:
        found = map(read_asked, stream(connection, wanted))
        table = _code(planned, found, launch["tickets"], expected)
    except (EvenhandError, LookupError, OverflowError, TypeError, ValueError):
        return None, changed  # a number, judge, pass, item or system that is not there
    made = _find_assignment(planned, table, launch["assignment"])
    if made is None:
        return None, changed
    known = (made.kind == TICKET_KINDS.index("control")) | (
        made.kind == TICKET_KINDS.index("training")
    )
    for number in sorted({*np.flatnonzero(known).tolist(), *expected}):
        if made[number].expected != expected.get(number, ""):
            return None, f"what is expected of ticket {number} was changed"
    return made, ""


def _find_assignment(planned: Campaign, table: Codes, digest: str) -> Assignment | None:
    """Return the assignment of a digest; None where these tickets are of another one.

    How wide its table is depends on how it was made, and not on what it says.
    """
    shown = table[:, FIXED:]
    for width in range(1, 1 + shown.shape[1]):
        made = Assignment(
            campaign=planned,
            judge=table[:, 0],
            task=table[:, 1],
            kind=table[:, 2].astype(np.int8),
            again=table[:, 3],
            item=table[:, 4],
            shown=shown[:, :width],
        )
        if (shown[:, width:] < 0).all() and made.digest == digest:
            return made
    return None


def _code(planned: Campaign, found: Iterable[Ticket], n: int, expected: dict[int, str]) -> Codes:
    """Return tickets as whole numbers: judge, pass, kind, repeated ticket, item, systems.

    What a policy chose was not known at the launch, and what repeats it neither. What is expected
    of a ticket is put into `expected` by its number.
    """
    places = {one.name: at for at, one in enumerate(planned.judges)}
    passes = {one.name: at for at, one in enumerate(planned.tasks)}
    items = {("", one.name): at for at, one in enumerate(planned.items)}
    taught = enumerate(planned.training, start=len(planned.items))
    items |= {(one.task, one.item.name): at for at, one in taught}
    width = max(task.width for task in planned.tasks)
    table = np.full((n, FIXED + width), -1, dtype=np.int32)
    seen = 0
    for one in found:
        seen += 1
        row = table[one.number]
        row[:3] = places[one.judge], passes[one.task], _KIND_OF[one.kind]
        if one.expected:
            expected[one.number] = one.expected
        again = -1 if one.again is None else one.again
        row[3] = again
        if one.chosen or not one.settled or (0 <= again < n and table[again, 4] < 0):
            continue
        row[4] = items[one.task if one.kind == "training" else "", one.item]
        systems = planned.item(one.item).systems
        row[FIXED : FIXED + len(one.systems)] = [systems.index(name) for name in one.systems]
    if seen != n:
        raise ValueError
    return table
