"""A person asks to be forgotten: what ties judgments to them is deleted, the chain still holds."""

from __future__ import annotations

from sqlalchemy import delete, select, update

from evenhand.web.store.board_count import settle_boards
from evenhand.web.store.desk import Desk, Entry
from evenhand.web.store.people import group
from evenhand.web.store.schema import OPEN, judges, leases, log, people, seats, tickets
from evenhand.web.store.schema import tokens as links
from evenhand.web.store.slots import empty


def forget(desk: Desk, judge: str, *, answers: bool = False) -> tuple[str, ...]:
    """Delete what is known of a person: worker id, notes, links, comments; of all their logins."""
    names = group(desk, judge)
    parts = ["note", "said"] if answers else ["note"]
    if answers:
        settle_boards(desk)  # what was decided with them stays decided
    facts = {"judges": names, "parts": parts}
    desk.write(Entry("forget", judge, fields={"facts": facts}))
    theirs = log.c.judge.in_(names)
    desk.run(update(log).where(theirs).values(dict.fromkeys(parts)))
    if answers:
        lost = select(log.c.number).where(theirs).scalar_subquery()
        asked = update(tickets).where(tickets.c.record.in_(lost))
        desk.run(asked.values(state=OPEN, record=None))
    desk.run(delete(people).where(people.c.judge.in_(names)))
    desk.run(delete(links).where(links.c.judge.in_(names), links.c.role == "judge"))
    desk.run(delete(leases).where(leases.c.judge.in_(names)))
    for one in desk.pick(select(seats.c.name).where(seats.c.holder.in_(names))):
        empty(desk, one.name)
    desk.run(update(seats).where(seats.c.holder.in_(names)).values(holder=None))
    desk.run(update(judges).where(judges.c.name.in_(names)).values(state="forgotten"))
    return tuple(names)
