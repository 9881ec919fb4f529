"""Who judges: links, seats, workers of crowd platforms, logins of one person, and being forgotten.

A seat is a place in the design: its tickets fit together (no source twice, and the like). Whoever
holds it answers them. When a judge leaves, is revoked or lets time run out, what is left of the
seat goes to the next one, under another pseudonym; repeats of what the first one answered are void,
since they ask whether a judge agrees with themself.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import bindparam, delete, exists, or_, select, update

from evenhand.design.tasks import is_text, say_bad_name, show
from evenhand.errors import CampaignError
from evenhand.web.store.chain import digest
from evenhand.web.store.desk import Desk, Entry
from evenhand.web.store.lookups import check_name, look_up
from evenhand.web.store.prepared import Prepared, fill
from evenhand.web.store.refusals import NoPlace, NoSuchJudge, Refused, ShutOut
from evenhand.web.store.schema import OPEN, VOID, judges, leases, log, people, seats, tickets
from evenhand.web.store.schema import tokens as links
from evenhand.web.store.slots import empty
from evenhand.web.store.tokens import Invitation, Role, Token, draw_token

PRESENT: Final = ("invited", "active")  # States of judges who may go on
_JUDGE: Final = Prepared(select(judges).where(judges.c.name == bindparam("judge")))
_SEAT: Final = Prepared(select(seats).where(seats.c.name == bindparam("seat")))
_UNLINK_ALL: Final = Prepared(
    delete(links).where(links.c.judge == bindparam("judge"), links.c.role == "judge")
)
_LINK, _PERSON = fill(links), fill(people)
_NEW_SEAT, _NEW_JUDGE = fill(seats), fill(judges)
_HOLD: Final = Prepared(
    update(seats).where(seats.c.name == bindparam("seat")).values(holder=bindparam("judge"))
)
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
    desk: Desk, judge: str, *, seat: str = "", note: str = "", token: Token | None = None
) -> Invitation:
    """Make a link for a judge; the ones that were made before are good no more."""
    _check_new_name(judge, note)
    found = desk.ask(_JUDGE, {"judge": judge})
    if found is None:
        add_judge(desk, judge, seat or judge, "", note)
    elif found.state == "forgotten":
        raise ShutOut(f"judge '{judge}' asked to be forgotten: invite under another name")
    elif seat and seat != found.seat:
        raise Refused(f"judge '{judge}' has seat '{found.seat}': invite under another name")
    elif found.state not in PRESENT:
        _take_seat(desk, found.seat, judge)
        _set_state(desk, judge, "invited")
    desk.change(_UNLINK_ALL, {"judge": judge})
    held = found.seat if found is not None else seat or judge
    desk.write(Entry("invite", judge, fields={"facts": {"seat": held}}))
    return keep_link(desk, token or draw_token(), "judge", judge)


def make_link(desk: Desk, role: Role, judge: str = "") -> Invitation:
    """Make a link."""
    return keep_link(desk, draw_token(), role, judge)


def keep_link(desk: Desk, token: Token, role: Role, judge: str = "") -> Invitation:
    """Make a link of a secret that was drawn before."""
    row = {"name": token.name, "digest": token.digest, "role": role, "judge": judge}
    desk.change(_LINK, {**row, "made": desk.now})
    return Invitation(judge if role == "judge" else "", str(token), role)


def has_link(desk: Desk, role: Role) -> bool:
    """Say whether there is a link of a role, of whatever name."""
    return bool(desk.pick(select(links.c.name).where(links.c.role == role)))


def is_taken(desk: Desk, token: Token) -> bool:
    """Say whether there is a link whose secret begins like this one's."""
    return bool(desk.pick(select(links.c.name).where(links.c.name == token.name)))


def replace_link(
    desk: Desk, role: Role, name: str = "", *, token: Token | None = None
) -> Invitation:
    """Make a link of a role that no judge has."""
    mine = links.c.judge == name if name else links.c.role == role
    desk.run(delete(links).where(links.c.role == role, mine))
    return keep_link(desk, token or draw_token(), role, name)


def list_vacancies(desk: Desk) -> list[str]:
    """Return the seats of the design that nobody has had."""
    had = exists().where(judges.c.seat == seats.c.name)
    return [one.name for one in desk.pick(select(seats.c.name).where(~had).order_by(seats.c.name))]


def revoke(desk: Desk, judge: str) -> None:
    """Shut a judge out; what was judged stays, what is left goes to the next one."""
    _shut_out(desk, judge, "revoked", "revoke")
    desk.change(_UNLINK_ALL, {"judge": judge})


def leave(desk: Desk, judge: str) -> None:
    """Let a judge go; what is left goes to the next one."""
    look_up(desk, judge)
    _shut_out(desk, judge, "left", "leave")


def consent(desk: Desk, judge: str) -> None:
    """Note that a judge agreed to the text of the campaign."""
    look_up(desk, judge)
    told = digest(desk.campaign.wording.consent)
    desk.write(Entry("consent", judge, fields={"facts": {"text": told}}))
    made = update(judges).where(judges.c.name == judge)
    desk.run(made.values(consented=desk.now, state="active"))


def join(desk: Desk, judge: str, person: str) -> None:
    """Say that a judge is the same person as another one; exports name the other one."""
    root = _find(desk, person)
    name = root.joined or root.name
    _find(desk, judge)
    if name in group(desk, judge):
        raise Refused(f"'{judge}' and '{person}' are one person already")
    mine = group(desk, judge)
    desk.write(Entry("join", judge, fields={"facts": {"person": name, "judges": mine}}))
    desk.run(update(judges).where(judges.c.name.in_(mine)).values(joined=name))


def group(desk: Desk, judge: str) -> list[str]:
    """Return all logins of the person behind a judge, by name."""
    found = _find(desk, judge)
    name = found.joined or found.name
    mine = select(judges.c.name).where(or_(judges.c.name == name, judges.c.joined == name))
    return sorted(one.name for one in desk.pick(mine))


def _check_new_name(judge: str, note: str) -> None:
    """Refuse what is no name of a judge."""
    if not isinstance(judge, str) or not judge.strip() or judge != judge.strip():
        raise CampaignError(f"{show(judge)} is no name of a judge")
    if not is_text(judge + note) or len(judge) > 200:
        raise CampaignError(f"{show(judge)} is no name of a judge")
    if fault := say_bad_name(judge):
        raise CampaignError(f"judge {judge!r} {fault}: take it out")


def _find(desk: Desk, judge: str) -> Any:
    found = desk.ask(_JUDGE, {"judge": check_name(judge)})
    if found is None:
        raise NoSuchJudge(f"there is no judge '{judge}'")
    return found


def _shut_out(desk: Desk, judge: str, state: str, kind: str) -> None:
    """Free the seat of a judge."""
    found = _find(desk, judge)
    if found.state in (state, "forgotten"):
        return
    _set_state(desk, judge, state)
    held = desk.pick(select(seats.c.name).where(seats.c.holder == judge))
    desk.run(update(seats).where(seats.c.holder == judge).values(holder=None))
    desk.run(delete(leases).where(leases.c.judge == judge))
    desk.write(Entry(kind, judge, fields=empty(desk, found.seat) if held else None))


def _set_state(desk: Desk, judge: str, state: str) -> None:
    desk.run(update(judges).where(judges.c.name == judge).values(state=state))


def name_judge(desk: Desk, seat: str) -> str:
    """Return a pseudonym that is free: the seat's, or with a number behind it."""
    number = len(desk.pick(select(judges.c.name).where(judges.c.seat == seat))) + 1
    name = seat if number == 1 else f"{seat}.{number}"
    while _is_taken(desk, name, seat):
        number += 1
        name = f"{seat}.{number}"
    return name


def _is_taken(desk: Desk, name: str, seat: str) -> bool:
    """Say whether a pseudonym is a judge's, or will be one's: that of another seat."""
    if desk.ask(_JUDGE, {"judge": name}) is not None:
        return True
    return name != seat and desk.ask(_SEAT, {"seat": name}) is not None


def add_judge(
    desk: Desk, judge: str, seat: str, platform: str, note: str, *, worker: str = ""
) -> None:
    """Make a judge and give them a seat; one that is not in the design has no tickets yet."""
    if not is_text(seat) or desk.ask(_SEAT, {"seat": seat}) is None:
        if seat != judge:
            raise Refused(f"the design has no seat '{seat}'")
        desk.change(_NEW_SEAT, {"name": seat, "total": 0, "holder": None})
    made = {"name": judge, "seat": seat, "state": "invited", "made": desk.now}
    _take_seat(desk, seat, judge)
    desk.change(_NEW_JUDGE, {**made, "consented": None, "joined": None})
    if worker or note:
        who = {"platform": platform, "worker": worker or judge, "note": note}
        desk.change(_PERSON, {"judge": judge, **who})


def _take_seat(desk: Desk, seat: str, judge: str) -> None:
    """Give a seat that is free to a judge; repeats of another one's answers are void."""
    held = desk.ask(_SEAT, {"seat": seat})
    if held is not None and held.holder not in (None, judge):
        raise NoPlace(f"seat '{seat}' is held by '{held.holder}': revoke them first")
    desk.change(_HOLD, {"seat": seat, "judge": judge})
    desk.change(_VOID, {"seat": seat, "judge": judge})
