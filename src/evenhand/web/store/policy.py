"""Which pair a judge is asked next: a policy chooses it while judgments come in.

What is known is counted from the log, record by record, and again from the tables after a restart.
Pairs are chosen some ahead, the more the more answers there are: a few more answers change little.

Tickets say "random" only of a pair that was drawn from all pairs, for a judge who may be asked any.
Whoever comes to a draw uses it up: were it kept for somebody else where it does not fit, the pairs
that judges have used up would gather. So which draws count does not depend on what was drawn.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import bindparam, exists, select

from evenhand.design.campaign import Campaign
from evenhand.design.policy import (
    CHOSEN,
    NARROWED,
    RANDOM,
    START,
    State,
    make_policy,
    make_tally,
    number_pairs,
)
from evenhand.design.tasks import Choice
from evenhand.numerics import Integers
from evenhand.numerics.sampling import Draws
from evenhand.web.store.database import AssignedPair, WriteTransaction
from evenhand.web.store.schema import OPEN, Prepared, judges, leases, log, tickets

Counts = NDArray[np.float64]
Mask = NDArray[np.bool_]
WON, TIED, LOST = 0, 1, 2
# What was said → what it says of whoever stood left
OUTCOMES: Final = {"left": WON, "tie": TIED, "both_bad": TIED, "right": LOST}


class PairCounts:
    """Answers of each pair p of systems, `low[p]` < `high[p]`, as in a `State`."""

    def __init__(self, systems: tuple[str, ...]) -> None:
        self.systems = systems
        self.low, self.high = np.triu_indices(len(systems), 1)
        self.counts = np.zeros((3, len(self.low)))  # the first was preferred, neither, the second
        self.waiting = np.zeros(len(self.low))  # handed out, and not answered
        self.sides = np.zeros(len(self.low), dtype=np.int64)  # left, the first above the second
        self.answers = self.new = 0
        self._code = {name: at for at, name in enumerate(systems)}
        self._numbers: dict[tuple[str, ...], tuple[int, bool]] = {}
        self._outcomes: dict[int, tuple[int, int]] = {}
        self._near: Counts | None = None

    def number(self, shown: tuple[str, ...]) -> tuple[int, bool]:
        """Return the number of a pair, and whether it is turned: the second of it stands left."""
        if shown not in self._numbers:
            one, other = (self._code[name] for name in shown)
            pair = int(number_pairs([one], [other], len(self.systems))[0])
            self._numbers[shown] = pair, one > other
        return self._numbers[shown]

    def answer(self, ticket: int, shown: tuple[str, ...], outcome: str | None) -> None:
        if ticket in self._outcomes:
            self.counts[self._outcomes.pop(ticket)] -= 1
            self.answers -= 1
        if outcome is not None:
            pair, turned = self.number(shown)
            code = OUTCOMES[outcome]
            self._outcomes[ticket] = (2 - code if turned else code, pair)
            self.counts[self._outcomes[ticket]] += 1
            self.answers += 1
        self.new += 1

    def is_answered(self, ticket: int) -> bool:
        return ticket in self._outcomes

    def show(self, shown: tuple[str, ...], n: int) -> None:
        pair, turned = self.number(shown)
        self.sides[pair] += -n if turned else n

    def look(self, allowed: Mask) -> State:
        tally = make_tally(self.systems, self.counts.T)
        state = State(tally, self.waiting.copy(), allowed, near=self._near)
        if self.answers:
            self._near = state.now.mean
        self.new = 0
        return state


# Who was asked which pair of which item, and what is left for whom. An item is asked of a judge at
# most once with the same two systems, of at most k different judges with them, and at most once at
# all where no source may be seen twice.

Unit = tuple[int, int]  # A pair, and an item by its place
# What is asked, how it was chosen, who stands left if either may
Chosen = tuple[Unit, Choice, bool]


@dataclass(frozen=True)
class Asked:
    ticket: int
    seat: str
    unit: Unit
    shown: tuple[str, ...]  # the systems, in the order shown
    chosen: Choice


@dataclass(frozen=True)
class Person:
    items: Integers  # (I,) how often each item
    groups: Integers  # (G,) how often each source, tickets of the design among them
    units: dict[int, set[int]] = field(default_factory=dict)  # pair → items
    sides: dict[int, int] = field(default_factory=dict)  # pair → left, the first above the second


class AssignmentLedger:
    def __init__(self, campaign: Campaign, persons: dict[str, str]) -> None:
        free = [one for one in campaign.items if not one.control and not one.anchor]
        systems = sorted(campaign.systems)
        # where a rule likes several pairs alike it takes the first: which one that is must be drawn
        order = Draws(campaign.drawing_seed, "policy/systems").order(len(systems)).tolist()
        self.pairs = PairCounts(tuple(systems[at] for at in order))
        self.names = tuple(one.name for one in free)  # (I,) items
        self.k, self.once = campaign.design.judges_per_item, campaign.design.once_per_source
        self.asked: dict[int, Asked] = {}
        self.begun: dict[Unit, Choice] = {}
        self.late: set[int] = set()
        codes = {name: at for at, name in enumerate({one.group: 0 for one in campaign.items})}
        self._group = {one.name: codes[one.group] for one in campaign.items}
        self._groups = np.array([codes[one.group] for one in free], dtype=np.int64)
        self._place = {name: at for at, name in enumerate(self.names)}
        self._has = np.array(
            [[one in item.systems for item in free] for one in self.pairs.systems], dtype=np.bool_
        )
        self._held: dict[Unit, list[int]] = {}
        self._full: dict[int, Mask] = {}
        self._load = np.zeros(len(free), dtype=np.int64)
        self._used = np.zeros(len(self.pairs.low), dtype=np.int64)
        together = self._has.astype(np.float64) @ self._has.T
        self._room = (together[self.pairs.low, self.pairs.high] * self.k).astype(np.int64)
        self._persons, self._known = persons, dict[str, Person]()

    @property
    def allowed(self) -> Mask:
        return np.asarray(self._used < self._room)

    @property
    def possible(self) -> Mask:
        return np.asarray(self._room > 0)

    def know(self, seat: str) -> Person:
        who = self._persons.get(seat, seat)
        if who not in self._known:
            groups = np.zeros(len(set(self._group.values())), dtype=np.int64)
            self._known[who] = Person(np.zeros(len(self.names), dtype=np.int64), groups)
        return self._known[who]

    def take_ticket(self, seat: str, ticket: dict[str, Any]) -> None:
        shown = tuple(ticket["systems"])
        if ticket.get("chosen"):
            unit = self.pairs.number(shown)[0], self._place[ticket["item"]]
            assignment = Asked(ticket["number"], seat, unit, shown, ticket["chosen"])
            self.asked[assignment.ticket] = assignment
            self._see(assignment, 1)
            self._hold(assignment)
        elif ticket["kind"] not in ("training", "repeat"):
            # one that the design fixed: its source is seen
            self.know(seat).groups[self._group[ticket["item"]]] += 1
            if ticket["kind"] == "anchor":
                self.pairs.show(shown, 1)

    def take_answer(self, ticket: dict[str, Any], outcome: str | None) -> None:
        number = ticket["number"]
        if number in self.asked:
            assignment = self.asked[number]
            self.take_up(number)
            pair, before = assignment.unit[0], self.pairs.is_answered(number)
            self.pairs.answer(number, assignment.shown, outcome)
            self.pairs.waiting[pair] += int(before) - int(outcome is not None)
        elif ticket["kind"] == "anchor":
            self.pairs.answer(number, tuple(ticket["systems"]), outcome)

    def free(self, ticket: int) -> None:
        """Take up that a ticket was emptied: nobody saw it."""
        assignment = self.asked[ticket]
        self.give_up(ticket)
        self.late.discard(ticket)
        self._see(assignment, -1)
        del self.asked[ticket]

    def give_up(self, ticket: int) -> None:
        """Let others have a pair of an item that somebody lets lie."""
        if ticket not in self.late:
            self.late.add(ticket)
            assignment = self.asked[ticket]
            pair, _ = assignment.unit
            self._held[assignment.unit].remove(ticket)
            self.pairs.waiting[pair] -= not self.pairs.is_answered(ticket)
            self._used[pair] -= 1
            self._mark(assignment.unit, assignment.chosen)

    def take_up(self, ticket: int) -> None:
        if ticket in self.late:
            self.late.discard(ticket)
            self._hold(self.asked[ticket])

    def may(self, seat: str, unit: Unit) -> bool:
        (pair, item), person = unit, self.know(seat)
        seen = self.once and person.groups[self._groups[item]] > 0
        return not (seen or item in person.units.get(pair, ()))

    def find(self, seat: str, pair: int, rng: np.random.Generator) -> int | None:
        """Return an item for a pair: one that the person, then that anybody, was asked least."""
        free = self._find_free(seat, pair)
        if not len(free):
            return None
        often = self.know(seat).items[free] * (int(self._load.max()) + 1) + self._load[free]
        least = free[often == often.min()]
        return int(least[int(rng.random() * len(least))])

    def find_pairs(self, seat: str) -> Mask:
        mask = self.allowed
        for pair in np.flatnonzero(mask).tolist():
            mask[pair] = bool(len(self._find_free(seat, pair)))
        return mask

    def may_all(self, seat: str) -> bool:
        person = self.know(seat)
        lost = self._used // self.k
        if self.once:
            lost += (person.groups[self._groups] > 0).sum()
        else:
            for pair, items in person.units.items():
                lost[pair] += len(items)
        near = np.flatnonzero(self.possible & (self._room // self.k <= lost))
        return all(len(self._find_free(seat, pair)) for pair in near.tolist())

    def list_late(self, unit: Unit) -> list[int]:
        """Return tickets that have to be emptied if one more is asked a pair of an item."""
        lying = sorted(one for one in self.late if self.asked[one].unit == unit)
        over = len(self._held.get(unit, ())) + len(lying) + 1 - self.k
        return lying[: max(0, over)]

    def turn(self, seat: str, unit: Unit, *, coin: bool) -> bool:
        """Say whether the second system of a pair is to stand left."""
        # So that over the campaign each of the two does equally often but for one; where either
        # may, over the judges of the item, then of the judge's own; the coin says the rest.
        pair = unit[0]
        beside = [self.asked[one].shown for one in self._held.get(unit, ())]
        of_item = sum(-1 if self.pairs.number(shown)[1] else 1 for shown in beside)
        gaps = (int(self.pairs.sides[pair]), of_item, self.know(seat).sides.get(pair, 0))
        return next((gap > 0 for gap in gaps if gap), coin)

    def _find_free(self, seat: str, pair: int) -> Integers:
        person, low, high = self.know(seat), self.pairs.low[pair], self.pairs.high[pair]
        free = self._has[low] & self._has[high]
        if pair in self._full:
            free &= ~self._full[pair]
        if self.once:
            free &= person.groups[self._groups] == 0
        free[list(person.units.get(pair, ()))] = False
        return np.flatnonzero(free)

    def _hold(self, assignment: Asked) -> None:
        pair, _ = assignment.unit
        self._held.setdefault(assignment.unit, []).append(assignment.ticket)
        self.pairs.waiting[pair] += not self.pairs.is_answered(assignment.ticket)
        self._used[pair] += 1
        self._mark(assignment.unit, assignment.chosen)

    def _mark(self, unit: Unit, chosen: Choice) -> None:
        pair, item = unit
        n = len(self._held[unit])
        if pair not in self._full:
            self._full[pair] = np.zeros(len(self.names), dtype=np.bool_)
        self._full[pair][item] = n >= self.k
        if 0 < n < self.k:
            self.begun.setdefault(unit, chosen)
        else:
            self.begun.pop(unit, None)

    def _see(self, assignment: Asked, n: int) -> None:
        person, (pair, item) = self.know(assignment.seat), assignment.unit
        person.items[item] += n
        person.groups[self._groups[item]] += n
        mine = person.units.setdefault(pair, set())
        (mine.add if n > 0 else mine.discard)(item)
        turned = self.pairs.number(assignment.shown)[1]
        person.sides[pair] = person.sides.get(pair, 0) + (-n if turned else n)
        self.pairs.show(assignment.shown, n)
        self._load[item] += n


_ASKED: Final = tuple(tickets.c[name] for name in ("number", "seat", "item", "systems", "kind"))
_ALL: Final = Prepared(
    select(*_ASKED, tickets.c.chosen, log.c.said)
    .select_from(tickets.outerjoin(log, log.c.number == tickets.c.record))
    .where(tickets.c.systems != "[]", tickets.c.kind != "training", tickets.c.kind != "repeat")
    .order_by(tickets.c.number)
)
_NEW: Final = select(log.c.number, log.c.body, log.c.said).where(log.c.number > bindparam("seen"))
_NEWS: Final = Prepared(_NEW.order_by(log.c.number))
_LATE: Final = Prepared(
    select(tickets.c.number)
    .select_from(leases.join(tickets, tickets.c.number == leases.c.ticket))
    .where(leases.c.until < bindparam("now"), tickets.c.state == OPEN, tickets.c.chosen != "")
    .where(~exists().where(log.c.ticket == tickets.c.number, log.c.kind == "judgment"))
)
_PERSONS: Final = Prepared(select(judges.c.name, judges.c.seat, judges.c.joined))


def build_ledger(tx: WriteTransaction, campaign: Campaign) -> AssignmentLedger:
    ledger = AssignmentLedger(campaign, _find_persons(tx))
    for row in tx.ask_all(_ALL, {}):
        ticket = {name: getattr(row, name) for name in ("number", "item", "kind", "chosen")}
        ticket["systems"] = json.loads(row.systems)
        ledger.take_ticket(row.seat, ticket)
        if row.said is not None:
            ledger.take_answer(ticket, _read_outcome(row.said))
    return ledger


def follow(ledger: AssignmentLedger, tx: WriteTransaction, seen: int) -> bool:
    """Take up what was written after a record; say whether that can be done without reading all."""
    for row in tx.ask_all(_NEWS, {"seen": seen}):
        body = json.loads(row.body)
        kind, ticket = body["kind"], body.get("ticket")
        if kind in ("join", "forget"):
            return False
        for emptied in body.get("facts", {}).get("emptied", ()):
            ledger.free(emptied)
        if kind == "issue":
            ledger.take_ticket(body["facts"]["seat"], ticket)
        elif kind in ("judgment", "revision", "undo"):
            ledger.take_answer(ticket, None if kind == "undo" else _read_outcome(row.said))
    return True


def find_expired(tx: WriteTransaction) -> set[int]:
    return {row.number for row in tx.ask_all(_LATE, {"now": tx.now})}


def _read_outcome(payload: str | None) -> str | None:
    """Return what was said, None where nothing stands or it was deleted."""
    return None if payload is None else str(json.loads(payload)["answer"]["outcome"])


def _find_persons(tx: WriteTransaction) -> dict[str, str]:
    """Return for each seat what stands for all seats of whoever held it."""
    root: dict[str, str] = {}

    def find(name: str) -> str:
        while root.get(name, name) != name:
            name = root[name]
        return name

    first: dict[str, str] = {}
    for row in tx.ask_all(_PERSONS, {}):
        one, other = find(row.seat), find(first.setdefault(row.joined or row.name, row.seat))
        root[max(one, other)] = min(one, other)
    return {seat: find(seat) for seat in root}


MAX_AHEAD: Final = 16  # Most pairs that are chosen ahead
ANSWERS_PER_PAIR: Final = 16  # Answers for each pair that is chosen ahead
# Judges at work for each pair that is chosen ahead: where many are, one answer is old soon
JUDGES_PER_PAIR: Final = 4


@dataclass(frozen=True)
class _Pick:
    pair: int
    turned: bool
    chosen: Choice


class PolicyAssigner:
    def __init__(self, campaign: Campaign) -> None:
        import_module("scipy.special")  # the first choice would wait for it, and judges with it
        policy = make_policy(campaign)
        assert policy is not None
        self.campaign, self.policy = campaign, policy
        self._ledger: AssignmentLedger | None = None
        self._ahead: deque[_Pick] = deque()
        self._seen = 0
        self._tx: WriteTransaction | None = None
        self._rng = np.random.default_rng(campaign.drawing_seed)

    def commit(self) -> None:
        self._tx = None

    def assign(self, tx: WriteTransaction, seat: str) -> AssignedPair | None:
        ledger = self._catch_up(tx)
        # a pair of an item that others were asked and that wants more judges comes first
        begun = (one for one in ledger.begun.items() if ledger.may(seat, one[0]))
        tossed = ((*one, bool(self._rng.random() < 0.5)) for one in begun)
        choice = next(tossed, None) or self._find_ahead(ledger, seat)
        if choice is None:  # a pair for somebody who may be asked none of those chosen ahead
            for pick in self._choose(ledger, ledger.find_pairs(seat), 1):
                choice = self._find_item(ledger, seat, pick)
        if choice is None:
            return None
        unit, chosen, coin = choice
        (pair, item), pairs = unit, ledger.pairs
        low, high = pairs.systems[pairs.low[pair]], pairs.systems[pairs.high[pair]]
        shown = (high, low) if ledger.turn(seat, unit, coin=coin) else (low, high)
        return AssignedPair(ledger.names[item], shown, chosen, tuple(ledger.list_late(unit)))

    def _catch_up(self, tx: WriteTransaction) -> AssignmentLedger:
        """Take up what happened since; all anew where something written was not stored."""
        ledger = self._ledger if self._tx in (None, tx) else None
        self._tx = tx
        if ledger is None or not follow(ledger, tx, self._seen):
            ledger = build_ledger(tx, self.campaign)
            self._ahead.clear()
            self._rng = np.random.default_rng([self.campaign.drawing_seed, tx.head[0]])
        self._ledger, self._seen = ledger, tx.head[0]
        late = find_expired(tx) & ledger.asked.keys()
        for ticket in ledger.late - late:
            ledger.take_up(ticket)
        for ticket in late:
            ledger.give_up(ticket)
        return ledger

    def _find_ahead(self, ledger: AssignmentLedger, seat: str) -> Chosen | None:
        pairs = ledger.pairs
        more = max(pairs.answers // ANSWERS_PER_PAIR, int(pairs.waiting.sum()) // JUDGES_PER_PAIR)
        sorts = self.policy.rule == "sort"  # what it asks next is said by the votes alone
        ahead = 1 if sorts else min(MAX_AHEAD, 1 + more)
        if not self._ahead or pairs.new > (0 if sorts else 2 * ahead):
            self._ahead = deque(self._choose(ledger, ledger.allowed, ahead))
        for at, pick in enumerate(self._ahead):
            if pick.chosen in {RANDOM, NARROWED} and self.policy.rule != RANDOM:
                del self._ahead[at]
                return self._draw(ledger, seat, pick)
            if (choice := self._find_item(ledger, seat, pick)) is not None:
                del self._ahead[at]
                return choice
        return None

    def _draw(self, ledger: AssignmentLedger, seat: str, pick: _Pick) -> Chosen | None:
        """Find an item for a pair at random; another pair, where it was not drawn from all."""
        pair, chosen = pick.pair, pick.chosen
        if chosen != RANDOM or not ledger.may_all(seat):
            left = np.flatnonzero(ledger.find_pairs(seat))
            if not len(left):
                return None
            pair, chosen = int(self._rng.choice(left)), "narrowed"
        return self._find_item(ledger, seat, replace(pick, pair=pair, chosen=chosen))

    def _find_item(self, ledger: AssignmentLedger, seat: str, pick: _Pick) -> Chosen | None:
        item = ledger.find(seat, pick.pair, self._rng)
        return None if item is None else ((pick.pair, item), pick.chosen, pick.turned)

    def _choose(self, ledger: AssignmentLedger, allowed: Mask, n: int) -> list[_Pick]:
        if not allowed.any():
            return []
        picks = []
        # what tickets say of how a pair was chosen, maybe of every pair that has an item
        drawn: Choice = "random" if (allowed == ledger.possible).all() else "narrowed"
        words: dict[str, Choice] = {START: "start-up", RANDOM: "random", CHOSEN: "policy"}
        for choice in self.policy.choose(ledger.pairs.look(allowed), n, self._rng):
            pair, turned = ledger.pairs.number((choice.left, choice.right))
            picks.append(_Pick(pair, turned, words.get(choice.kind, drawn)))
        return picks
