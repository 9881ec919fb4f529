"""Small campaigns for tests of the store, and judges who answer them."""

import json
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from typing import Any

from sqlalchemy import delete, insert, update

from evenhand.data.coding import SEED
from evenhand.design.campaign import Campaign, Design, Item, Judge, Wording
from evenhand.design.tasks import PairTask, Ticket
from evenhand.web.store import judging, people
from evenhand.web.store.database import Clock, Entry, WriteTransaction
from evenhand.web.store.judging import Reply, Served
from evenhand.web.store.log import Record, read_record
from evenhand.web.store.people import Invitation
from evenhand.web.store.queries import RECORDS_AT_ONCE, Readable, list_standing, read_numbered
from evenhand.web.store.schema import OPEN, leases, seats, tickets
from evenhand.web.store.store import Store

LEFT = {"outcome": "left"}
RIGHT = {"outcome": "right"}


class HandClock:
    """A clock that a test sets."""

    def __init__(self, wall: float = 1_000_000.0) -> None:
        self.wall, self.steady = wall, 0.0

    def start(self, stored: int) -> Clock:
        return Clock.start_at(stored, wall=lambda: self.wall, steady=lambda: self.steady)

    def wait(self, seconds: float) -> None:
        self.wall += seconds
        self.steady += seconds


def make_pairs(items: int = 6, judges: int = 2, **settings: Any) -> Campaign:
    """A campaign of pairs: two systems, each item for as many judges as the design says."""
    return Campaign(
        name="pairs",
        tasks=(PairTask(name="better", comment=True),),
        items=tuple(Item(f"i{n}", {"A": f"eins {n}", "B": f"zwei {n}"}) for n in range(items)),
        judges=tuple(Judge(f"j{n}") for n in range(judges)),
        design=Design(**settings),
        wording=Wording(consent="I agree."),
    )


def fill(store: Store, campaign: Campaign | None = None) -> dict[str, str]:
    """Launch a campaign, with a seed of its own or the same for all, and invite its judges."""
    planned = campaign or make_pairs()
    store.launch(planned if planned.seed is not None else replace(planned, seed=SEED))
    return {one.judge: one.token for one in invite_all(store)}


def invite_all(store: Store) -> list[Invitation]:
    """Invite a judge for each seat that nobody has."""
    return store.do(lambda tx: [people.invite(tx, one) for one in people.list_vacancies(tx)])


def list_judgments(store: Readable) -> Iterator[Record]:
    """The answers that stand, in the order in which they were given."""
    with store.reading() as connection:
        numbers = list_standing(connection)
        for start in range(0, len(numbers), RECORDS_AT_ONCE):
            lines = read_numbered(connection, numbers[start : start + RECORDS_AT_ONCE])
            yield from map(read_record, lines)


def name_worker(word: str) -> str:
    """The name of a worker as Prolific writes them."""
    return sha256(word.encode()).hexdigest()[:24]


def take(store: Store, judge: str) -> Served:
    """Serve a judge who has something left."""
    served = store.do(judging.serve, judge)
    assert served is not None
    return served


def reply_to(served: Served, answer: object = LEFT, key: str = "", **more: Any) -> Reply:
    """What the page sends for a ticket."""
    ticket = served.ticket
    return Reply(ticket.judge, ticket.number, answer, key or served.key, **more)


def judge_next(store: Store, judge: str, answer: object = LEFT, **more: Any) -> Record:
    """Serve a judge, and store their answer."""
    return store.do(judging.append, reply_to(take(store, judge), answer, **more))


def issue(tx: WriteTransaction, ticket: Ticket) -> Ticket:
    """Ask for a ticket behind those of the design: a log may hold one, though no server asks."""
    login = judging.look_up(tx, ticket.judge)
    made = replace(ticket, number=tx.tickets)
    row = {**vars(made), "systems": json.dumps(made.systems), "seat": login.judge_seat}
    del row["judge"]
    row |= {"place": login.total + 1, "state": OPEN, "record": None}
    tx.run(insert(tickets).values(row))
    mine = update(seats).where(seats.c.name == login.judge_seat)
    tx.run(mine.values(total=seats.c.total + 1))
    tx.tickets += 1
    tx.write(Entry("issue", made.judge, made, {"facts": {"seat": login.judge_seat}}))
    return made


def release(tx: WriteTransaction, judge: str) -> None:
    """Take from a judge what they have before them."""
    judging.look_up(tx, judge)
    tx.run(delete(leases).where(leases.c.judge == judge))
