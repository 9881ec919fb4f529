"""LLM judges: each a login with a seat of its own, whose tickets stand behind the design's.

A judge is a model with a prompt; another prompt is another judge. What is asked of it is issued in
the log, so that it is served and answers as people do, and resumes where it was.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from sqlalchemy import bindparam, func, select, update

from evenhand.design.campaign import Campaign
from evenhand.design.tasks import Ticket
from evenhand.web.store.people import LLM_INVITES, add_judge, draw_token, keep_link, make_row
from evenhand.web.store.queries import Readable, open_to_read
from evenhand.web.store.schema import CLOSED, OPEN, Prepared, fill, judges, log, seats, tickets
from evenhand.web.store.schema import tokens as links
from evenhand.web.store.transaction import Entry, WriteTransaction

_ISSUE: Final = fill(tickets)
_GROWN: Final = Prepared(
    update(seats).where(seats.c.name == bindparam("seat")).values(total=bindparam("new_total"))
)


@dataclass(frozen=True)
class LlmJudge:
    model: str  # as the endpoint calls it
    template: str  # of the prompts

    @property
    def digest(self) -> str:
        """Sha256 of model and template, in hexadecimal digits; each answer names it."""
        return sha256(f"{self.model}\n{self.template}".encode()).hexdigest()


@dataclass(frozen=True)
class Progress:
    judge: str = ""  # the pseudonym; "" where it was not asked before
    issued: int = 0  # tickets that it has
    answered: int = 0
    skipped: int = 0  # tickets to which it gave no answer
    tokens: tuple[int, int] = (0, 0)  # sent to it, and written by it, for what is stored

    @property
    def left(self) -> int:
        return self.issued - self.answered - self.skipped


def read_progress(store: Readable, llm: LlmJudge) -> Progress:
    with store.reading() as connection:
        invited = ((row.judge, json.loads(row.body)) for row in connection.execute(LLM_INVITES))
        known = {body["facts"]["prompt"]: judge for judge, body in invited}
        if llm.digest not in known:
            return Progress()
        judge = known[llm.digest]
        mine = select(tickets.c.state, func.count().label("n")).where(tickets.c.seat == judge)
        states = connection.execute(mine.group_by(tickets.c.state))
        counts = {row.state: int(row.n) for row in states}
        kinds = log.c.kind.in_(("judgment", "skip", "attempt"))
        bodies = connection.execute(select(log.c.body).where(log.c.judge == judge, kinds))
        took = [json.loads(body)["facts"]["tokens"] for (body,) in bodies]
    closed, issued = counts.get(CLOSED, 0), sum(counts.values())
    tokens = (sum(sent for sent, _ in took), sum(written for _, written in took))
    return Progress(judge, issued, closed, issued - closed - counts.get(OPEN, 0), tokens)


def is_unused(where: str, planned: Campaign) -> bool:
    """Say whether a database holds another campaign, which only LLM judges began, unanswered.

    Nothing was sent for it that is paid for, and no link was made but those that LLM judges have.
    """
    store = open_to_read(where)
    stored = store.find_campaign()
    if stored is None or planned.fits(stored):
        return False
    with store.reading() as connection:
        invited = [json.loads(row.body) for row in connection.execute(LLM_INVITES)]
        seats_of_llm = {body["facts"]["seat"] for body in invited}
        kinds = {kind for (kind,) in connection.execute(select(log.c.kind).distinct())}
        given = {(row.role, row.judge) for row in connection.execute(select(links))}
    by_llm = all(role == "judge" and judge in seats_of_llm for role, judge in given)
    return by_llm and bool(invited) and kinds <= {"launch", "invite", "issue"}


def invite_llm(tx: WriteTransaction, llm: LlmJudge) -> str:
    """Give a model with a prompt a login and a seat, once; return its pseudonym."""
    for row in tx.pick(LLM_INVITES):
        if json.loads(row.body)["facts"]["prompt"] == llm.digest:
            return str(row.judge)
    taken = {row.name for one in (judges, seats) for row in tx.pick(select(one.c.name))}
    name = llm.model if llm.model not in taken else f"{llm.model} {llm.digest[:8]}"
    add_judge(tx, name, name, "", "")
    facts = {"seat": name, "prompt": llm.digest, **vars(llm)}
    tx.write(Entry("invite", name, fields={"facts": facts}))
    keep_link(tx, draw_token(), "judge", name)  # which nobody gets
    return name


def issue(tx: WriteTransaction, judge: str, asked: Sequence[Ticket]) -> None:
    """Put tickets, numbered from 0, behind all that there are, and behind those of a judge."""
    (seat,) = tx.pick(select(seats).where(seats.c.holder == judge))
    first = tx.tickets
    for place, one in enumerate(asked, start=seat.total + 1):
        again = None if one.again is None else first + one.again
        made = replace(one, number=tx.tickets, judge=judge, again=again)
        tx.change(_ISSUE, make_row(made, seat.name, place))
        tx.tickets += 1
        tx.write(Entry("issue", judge, made, {"facts": {"seat": seat.name}}))
    tx.change(_GROWN, {"seat": seat.name, "new_total": seat.total + len(asked)})
