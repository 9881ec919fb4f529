"""Boards that are kept beside the log, so that they need not be counted anew after a restart.

A board is made of the log alone, from its first record to the one that is named beside it. It is
kept nevertheless: answers that were deleted on request can be counted no more, and what was decided
with them stays decided.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from sqlalchemy import Connection, Select, bindparam, delete, select, update

from evenhand.design.campaign import Campaign
from evenhand.errors import UnknownFormat
from evenhand.numerics.newton import one_blas_thread
from evenhand.numerics.sampling import Draws
from evenhand.web.store.database import Entry, WriteTransaction
from evenhand.web.store.judging import empty
from evenhand.web.store.log import JUDGMENTS, Line, Record, read_record
from evenhand.web.store.people import group
from evenhand.web.store.queries import LINE
from evenhand.web.store.schema import (
    OPEN,
    Prepared,
    boards,
    fill,
    judges,
    leases,
    log,
    people,
    seats,
    tickets,
)
from evenhand.web.store.schema import tokens as links

if TYPE_CHECKING:
    from evenhand.ranking.sequential.leaderboard import Confirmation, SequentialState
    from evenhand.ranking.sequential.votes import Vote


FOLLOWED: Final = (*JUDGMENTS, "join")  # Kinds of records that boards rest on
_ADD: Final = fill(boards)
_HELD: Final = Prepared(select(boards.c.record).where(boards.c.task == bindparam("task")))
_DROP: Final = Prepared(delete(boards).where(boards.c.task == bindparam("task")))


@dataclass(frozen=True)
class SavedBoard:
    record: int  # the last record of the log that it has seen
    body: str  # the board, as JSON


def read_boards(connection: Connection) -> Mapping[str, SavedBoard]:
    rows = _ask(connection, select(boards))
    return {row.task: SavedBoard(row.record, row.body) for row in rows}


def save_boards(tx: WriteTransaction, made: Mapping[str, SavedBoard]) -> None:
    """Put boards in the place of older ones; one that has seen more stays."""
    for task, board in made.items():
        held = tx.ask(_HELD, {"task": task})
        if held is None or held.record <= board.record:
            tx.change(_DROP, {"task": task})
            tx.change(_ADD, {"task": task, **vars(board)})


def read_after(connection: Connection, number: int, most: int) -> list[Line]:
    wanted = select(*LINE).where(log.c.number > number, log.c.kind.in_(FOLLOWED))
    return [Line(*row) for row in _ask(connection, wanted.order_by(log.c.number).limit(most))]


def has_deletion(connection: Connection, number: int) -> bool:
    """Say whether somebody was forgotten after a record: answers behind it may be gone."""
    wanted = select(log.c.number).where(log.c.number > number, log.c.kind == "forget").limit(1)
    return bool(_ask(connection, wanted))


def _ask(connection: Connection, wanted: Select[Any]) -> list[Any]:
    """Return all rows, also amid orders of a batch that were sent without waiting."""
    driver = connection.connection.driver_connection
    return Prepared(wanted).ask_all(driver, connection.dialect.name, {})


# What the boards count is a person's first answer to a question (docs/serving.md). Answers that are
# deleted are counted before: `settle_boards` is part of what deletes them.

ON_BOARDS: Final = ("pair", "rank")  # Kinds of passes whose answers are votes
# Kinds of tickets that say something of systems; repeats are told by the board itself
COUNTED: Final = ("target", "anchor", "repeat")
AT_ONCE: Final = 250  # Records that are fetched together
OUTCOMES: Final = {"left": "left", "right": "right", "tie": "tie", "both_bad": "tie"}


@dataclass(eq=False)
class _PassBoard:
    state: SequentialState
    shown: set[tuple[str, str]] = field(default_factory=set)  # pairs that were shown as decided
    confirmed: Confirmation | None = None


class BoardCount:
    def __init__(self, campaign: Campaign) -> None:
        self.campaign, self.record = campaign, 0
        from evenhand.ranking.sequential.leaderboard import LiveLeaderboard

        self.passes: dict[str, _PassBoard] = {}
        for name in list_boards(campaign):
            state = LiveLeaderboard().start(sorted(campaign.systems))
            state.order = "log"
            if campaign.task(name).kind == "rank":
                state.seed = find_board_seed(campaign)
            self.passes[name] = _PassBoard(state)
        self._persons: dict[str, str] = {}

    @classmethod
    def read(cls, connection: Connection, campaign: Campaign) -> Self:
        made, saved = cls(campaign), read_boards(connection)
        kept = ((name, _read(saved.get(name))) for name in made.passes)
        passes = {name: one for name, one in kept if one is not None}
        seen = {saved[name].record for name in passes}
        if passes.keys() == made.passes.keys() and len(seen) == 1:
            made.passes, made.record = passes, seen.pop()
            joins = select(*LINE).where(log.c.number <= made.record, log.c.kind == "join")
            for row in _ask(connection, joins.order_by(log.c.number)):
                made._join(read_record(Line(*row)))
        return made

    @property
    def decided(self) -> int:
        return sum(len(one.state.claims) for one in self.passes.values())

    def count(self, line: Line) -> None:
        if line.number > self.record:
            self.take(read_record(line))

    def take(self, record: Record) -> None:
        self.record = record.number
        if record.kind == "join":
            self._join(record)
            return
        vote = self._read_vote(record)
        if vote is not None and record.ticket is not None:
            self.passes[record.ticket.task].state.follow([vote])

    def count_all(self, connection: Connection) -> None:
        with one_blas_thread():
            while lines := read_after(connection, self.record, AT_ONCE):
                for line in lines:
                    self.count(line)
        self.hide()

    def hide(self) -> None:
        """Forget what would give an answer away that is deleted later."""
        for one in self.passes.values():
            one.state.trace.clear()
            one.state.seen = replace(one.state.seen, digest="")

    def write(self) -> Mapping[str, SavedBoard]:
        from evenhand.ranking.sequential.leaderboard import write_board

        made = {}
        for name, one in self.passes.items():
            sets = None
            if one.confirmed is not None:
                sets = {**vars(one.confirmed), "pairs": sorted(map(list, one.confirmed.pairs))}
                silent = one.confirmed.silent.items()
                sets["silent"] = sorted([*sorted(two), why] for two, why in silent)
            whole = {"board": write_board(one.state), "shown": sorted(one.shown), "confirmed": sets}
            made[name] = SavedBoard(self.record, json.dumps(whole, ensure_ascii=False))
        return made

    def _join(self, record: Record) -> None:
        self._persons |= dict.fromkeys(record.facts["judges"], record.facts["person"])

    def _read_vote(self, record: Record) -> Vote | None:
        """Return what a record says of two systems; None where it says nothing."""
        # It is the vote of whichever login of the person has answered the question before.
        ticket = record.ticket
        if ticket is None or record.answer is None or ticket.kind not in COUNTED or record.by_llm:
            return None
        if ticket.task not in self.passes:
            return None
        person = self._persons.get(record.judge, record.judge)
        others = (login for login, one in self._persons.items() if one == person != login)
        votes = [self._make_vote(record, name) for name in (person, *others)]
        known = self.passes[ticket.task].state.keys
        return next((one for one in votes if one.key in known), votes[0])

    def _make_vote(self, record: Record, name: str) -> Vote:
        """Return a record as the vote of one login; of a ranking, one pair of systems stands."""
        from evenhand.ranking.sequential.votes import Vote

        assert record.ticket is not None
        assert record.answer is not None
        ticket, answer = record.ticket, record.answer
        key = json.dumps([ticket.task, ticket.item, name, sorted(ticket.systems)])
        seed = find_board_seed(self.campaign)

        def draw_same(system: str) -> str:  # an answer on equal outputs is one vote: of one of them
            same = self.campaign.item(ticket.item).list_same(system)
            at = Draws(seed, f"equal/{key}/{system}").order(len(same))[0] if same[1:] else 0
            return same[at]

        if "outcome" in answer:
            left, right = map(draw_same, ticket.systems)
            return Vote(left, right, OUTCOMES[answer["outcome"]], name, ticket.item)
        left, right = _draw_pair(ticket.systems, Draws(seed, f"rank/{key}"))
        place = dict(zip(ticket.systems, answer["ranks"], strict=True))
        sides = ("left", "tie", "right")
        outcome = sides[1 + (place[left] > place[right]) - (place[left] < place[right])]
        return Vote(draw_same(left), draw_same(right), outcome, name, ticket.item)


def list_boards(campaign: Campaign) -> tuple[str, ...]:
    return tuple(one.name for one in campaign.tasks if one.kind in ON_BOARDS)


def find_board_seed(campaign: Campaign) -> int:
    """Return the seed of the pairs that stand for rankings; boards show it."""
    # Of a seed that is secret it is drawn, and says nothing of it.
    if not campaign.has_secret_seed:
        return campaign.drawing_seed
    return int(Draws(campaign.drawing_seed, "boards").keys(1)[0] >> np.uint64(1))


def settle_boards(tx: WriteTransaction) -> None:
    if not list_boards(tx.campaign):
        return
    count = BoardCount.read(tx.connection, tx.campaign)
    count.count_all(tx.connection)
    save_boards(tx, count.write())


def count_ahead(connection: Connection, campaign: Campaign) -> Mapping[str, SavedBoard]:
    """Return boards to keep, so that `settle_boards`, for which judges wait, has little to do."""
    if not list_boards(campaign):
        return {}
    count = BoardCount.read(connection, campaign)
    before = count.record
    count.count_all(connection)
    deleted = has_deletion(connection, before)  # whoever did it has kept the boards
    return {} if deleted else count.write()


def _read(saved: SavedBoard | None) -> _PassBoard | None:
    from evenhand.ranking.sequential.leaderboard import Confirmation, read_board

    if saved is None:
        return None
    try:
        whole = json.loads(saved.body)
        state, confirmed = read_board(whole["board"]), None
        if (sets := whole["confirmed"]) is not None:
            pairs = frozenset((better, worse) for better, worse in sets["pairs"])
            silent = {frozenset((one, other)): why for one, other, why in sets["silent"]}
            confirmed = Confirmation(pairs, silent, tuple(sets["notes"]), sets["method"])
    except (UnknownFormat, ValueError, LookupError, TypeError):
        return None
    return _PassBoard(state, {(better, worse) for better, worse in whole["shown"]}, confirmed)


def _draw_pair(systems: tuple[str, ...], draws: Draws) -> tuple[str, str]:
    """Return the pair of systems that stands for a ranking, in the order shown.

    The order shown does not matter for which two they are.

    >>> _draw_pair(("b", "a"), Draws(1))
    ('b', 'a')
    """
    order = sorted(systems)
    two = {order[at] for at in draws.order(len(order))[:2].tolist()}
    left, right = (one for one in systems if one in two)
    return left, right


def forget(tx: WriteTransaction, judge: str, *, answers: bool = False) -> tuple[str, ...]:
    """Delete what is known of a person: worker id, notes, links, comments; of all their logins."""
    names = group(tx, judge)
    parts = ["note", "said"] if answers else ["note"]
    if answers:
        settle_boards(tx)  # what was decided with them stays decided
    tx.write(Entry("forget", judge, fields={"facts": {"judges": names, "parts": parts}}))
    theirs = log.c.judge.in_(names)
    tx.run(update(log).where(theirs).values(dict.fromkeys(parts)))
    if answers:
        lost = select(log.c.number).where(theirs).scalar_subquery()
        statement = update(tickets).where(tickets.c.record.in_(lost))
        tx.run(statement.values(state=OPEN, record=None))
    tx.run(delete(people).where(people.c.judge.in_(names)))
    tx.run(delete(links).where(links.c.judge.in_(names), links.c.role == "judge"))
    tx.run(delete(leases).where(leases.c.judge.in_(names)))
    for one in tx.pick(select(seats.c.name).where(seats.c.holder.in_(names))):
        empty(tx, one.name)
    tx.run(update(seats).where(seats.c.holder.in_(names)).values(holder=None))
    tx.run(update(judges).where(judges.c.name.in_(names)).values(state="forgotten"))
    return tuple(names)
