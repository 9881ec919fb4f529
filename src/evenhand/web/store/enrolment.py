"""Workers of a crowd platform: who comes first gets a seat, who comes back the same one.

All come with one link, and say who they are. Whoever says another worker's name shall not get at
their page: the browser of a first visit brings a secret, which is the link of the worker's page,
and nobody is let in again without it.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import bindparam, exists, func, select

from evenhand.design.tasks import is_text, show
from evenhand.web.store.desk import Desk, Entry
from evenhand.web.store.lookups import look_up
from evenhand.web.store.people import add_judge, keep_link, leave, make_link, name_judge
from evenhand.web.store.prepared import Prepared
from evenhand.web.store.refusals import NoPlace, Refused, Unproven
from evenhand.web.store.schema import OPEN, judges, leases, people, seats, tickets
from evenhand.web.store.schema import tokens as links
from evenhand.web.store.tokens import Invitation, matches, read_token

_WORKER: Final = Prepared(
    select(judges)
    .select_from(people.join(judges))
    .where(people.c.platform == bindparam("platform"), people.c.worker == bindparam("worker"))
)
_LINK: Final = Prepared(select(links).where(links.c.name == bindparam("name")))
_ORIGIN: Final = tickets.alias("origin")
_VOIDED: Final = exists().where(_ORIGIN.c.number == tickets.c.again, _ORIGIN.c.record.is_not(None))
# repeats of what another one answered will not be asked
_LEFT_OVER: Final = exists().where(
    tickets.c.seat == seats.c.name, tickets.c.state == OPEN, ~_VOIDED
)
_FREE: Final = Prepared(
    select(seats.c.name)
    .where(seats.c.holder.is_(None), _LEFT_OVER)
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


def enrol(desk: Desk, platform: str, worker: str, secret: str = "") -> Invitation:
    """Give a worker of a crowd platform a seat; who was here before gets the same one."""
    for name, word in (("platform", platform), ("worker", worker)):
        if not isinstance(word, str) or not 0 < len(word) <= 200 or not is_text(word):
            raise Refused(f"the link has no sound {name}: {show(word)}")
    found = desk.ask(_WORKER, {"platform": platform, "worker": worker})
    if found is not None:
        return _let_in(desk, found.name, secret)
    if desk.paused:
        raise NoPlace("the campaign is paused: nobody can join at the moment")
    seat = _find_seat(desk)
    judge = name_judge(desk, seat)
    add_judge(desk, judge, seat, platform, "", worker=worker)
    desk.write(Entry("invite", judge, fields={"facts": {"seat": seat}}))
    token = read_token(secret)
    if token is None or _find_link(desk, secret) is not None:
        return make_link(desk, "judge", judge)
    return keep_link(desk, token, "judge", judge)


def _let_in(desk: Desk, judge: str, secret: str) -> Invitation:
    """Let a worker in again, and put it into the log."""
    look_up(desk, judge)
    token, link = read_token(secret), _find_link(desk, secret)
    theirs = link is not None and (link.role, link.judge) == ("judge", judge)
    if token is None or not theirs or not matches(token, link.digest):
        raise Unproven(
            "this worker began in another browser, or another device: go on there; where that"
            " cannot be, ask the organiser for a new link",
            judge,
        )
    desk.write(Entry("enter", judge))
    return Invitation(judge, secret)


def _find_link(desk: Desk, secret: str) -> Any:
    """Return the row of a link by its name, None where there is none."""
    token = read_token(secret)
    return None if token is None else desk.ask(_LINK, {"name": token.name})


def _find_seat(desk: Desk) -> str:
    """Return a seat for somebody new; who let time run out loses theirs."""
    free = desk.ask(_FREE, {})
    if free is None:
        free = desk.ask(_LAPSED, {"now": desk.now, "lease": desk.lease})
        if free is None:
            raise NoPlace("all places in this campaign are taken: thank you for coming")
        leave(desk, free.holder)
    seat: str = free.name
    return seat
