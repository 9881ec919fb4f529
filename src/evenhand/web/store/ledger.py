"""Who was asked which pair of which item, and what is left for whom.

An item is asked of a judge at most once with the same two systems, of at most k different judges
with them, and at most once at all where no source may be seen twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.design.campaign import Campaign
from evenhand.design.tasks import Choice
from evenhand.numerics.sampling import Draws
from evenhand.web.store.pair_counts import Mask, PairCounts

Integers = NDArray[np.int64]
Unit = tuple[int, int]  # A pair, and an item by its place
COIN: Final = 0.5


@dataclass(frozen=True)
class Asked:
    """A pair of an item that somebody was handed."""

    ticket: int  # its number
    seat: str  # whose
    item: int  # by its place
    shown: tuple[str, ...]  # the systems, in the order shown
    chosen: Choice  # how the pair was chosen


@dataclass(frozen=True)
class Person:
    """What somebody saw."""

    items: Integers  # (I,) how often each item
    groups: Integers  # (G,) how often each source, tickets of the design among them
    units: dict[int, set[int]] = field(default_factory=dict)  # pairs of items
    # pair → how much oftener its first system stood left
    sides: dict[int, int] = field(default_factory=dict)


class Ledger:
    """Who was asked what of the pairs that a policy chooses.

    names: (I,) items.
    """

    def __init__(self, campaign: Campaign, persons: dict[str, str]) -> None:
        """Begin with nobody asked."""
        free = [one for one in campaign.items if not one.control and not one.anchor]
        systems = sorted(campaign.systems)
        # where a rule likes several pairs alike it takes the first: which one that is must be drawn
        order = Draws(campaign.drawing_seed, "policy/systems").order(len(systems)).tolist()
        self.pairs = PairCounts(tuple(systems[at] for at in order))
        self.names = tuple(one.name for one in free)
        self.k, self.once = campaign.design.judges_per_item, campaign.design.once_per_source
        self.asked: dict[int, Asked] = {}
        self.begun: dict[Unit, Choice] = {}
        self.late: set[int] = set()
        codes = {name: at for at, name in enumerate({one.group: 0 for one in campaign.items})}
        self._group = {one.name: codes[one.group] for one in campaign.items}
        self._groups = np.array([codes[one.group] for one in free], dtype=np.int64)
        self._place = {name: at for at, name in enumerate(self.names)}
        self._has = np.array(
            [[one in item.outputs for item in free] for one in self.pairs.systems], dtype=np.bool_
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
        """(P,) pairs that somebody might be asked about."""
        return np.asarray(self._used < self._room)

    @property
    def possible(self) -> Mask:
        """(P,) pairs that there is an item of."""
        return np.asarray(self._room > 0)

    def place(self, item: str) -> int:
        """Return the place of an item."""
        return self._place[item]

    def know(self, seat: str) -> Person:
        """Return what whoever has a seat saw."""
        who = self._persons.get(seat, seat)
        if who not in self._known:
            groups = np.zeros(len(set(self._group.values())), dtype=np.int64)
            self._known[who] = Person(np.zeros(len(self.names), dtype=np.int64), groups)
        return self._known[who]

    def note_design(self, seat: str, item: str) -> None:
        """Take up a ticket that the design fixed: its source is seen."""
        self.know(seat).groups[self._group[item]] += 1

    def hold(self, asked: Asked) -> None:
        """Take up that a pair of an item was handed to somebody."""
        self.asked[asked.ticket] = asked
        self._see(asked, 1)
        self._keep(asked)

    def free(self, ticket: int) -> None:
        """Take up that a ticket was emptied: nobody saw it."""
        asked = self.asked[ticket]
        self.give_up(ticket)
        self.late.discard(ticket)
        self._see(asked, -1)
        del self.asked[ticket]

    def give_up(self, ticket: int) -> None:
        """Let others have a pair of an item that somebody lets lie."""
        if ticket in self.late:
            return
        self.late.add(ticket)
        asked = self.asked[ticket]
        pair, unit = self._name(asked)
        self._held[unit].remove(ticket)
        self.pairs.waiting[pair] -= not self.pairs.is_answered(ticket)
        self._used[pair] -= 1
        self._mark(unit, asked.chosen)

    def take_up(self, ticket: int) -> None:
        """Take up that somebody has gone on with what they let lie."""
        if ticket in self.late:
            self.late.discard(ticket)
            self._keep(self.asked[ticket])

    def answer(self, ticket: int, outcome: str | None) -> None:
        """Take up what stands for a ticket now; None for nothing."""
        asked = self.asked[ticket]
        self.take_up(ticket)
        pair, before = self._name(asked)[0], self.pairs.is_answered(ticket)
        self.pairs.answer(ticket, asked.shown, outcome)
        self.pairs.waiting[pair] += int(before) - int(outcome is not None)

    def may(self, seat: str, unit: Unit) -> bool:
        """Say whether somebody may be asked a pair of an item that others were asked."""
        pair, item = unit
        person = self.know(seat)
        if item in person.units.get(pair, ()):
            return False
        return not (self.once and person.groups[self._groups[item]])

    def find(self, seat: str, pair: int, rng: np.random.Generator) -> int | None:
        """Return an item for a pair: one that the person, then that anybody, was asked least."""
        free = self._find_free(seat, pair)
        if not len(free):
            return None
        person = self.know(seat)
        often = person.items[free] * (int(self._load.max()) + 1) + self._load[free]
        least = free[often == often.min()]
        return int(least[int(rng.random() * len(least))])

    def find_pairs(self, seat: str) -> Mask:
        """Return (P,) pairs that there is an item of for somebody."""
        found = self.allowed
        for pair in np.flatnonzero(found).tolist():
            found[pair] = bool(len(self._find_free(seat, pair)))
        return found

    def may_all(self, seat: str) -> bool:
        """Say whether somebody may be asked every pair that there is an item of."""
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
        lying = sorted(one for one in self.late if self._name(self.asked[one])[1] == unit)
        over = len(self._held.get(unit, ())) + len(lying) + 1 - self.k
        return lying[: max(0, over)]

    def turn(self, seat: str, unit: Unit, *, coin: bool) -> bool:
        """Say whether the second system of a pair is to stand left.

        So that over the campaign each of the two does equally often but for one; where either may,
        over the judges of the item, then of the judge's own; the coin says the rest.
        """
        pair = unit[0]
        beside = [self.asked[one].shown for one in self._held.get(unit, ())]
        gaps = (
            int(self.pairs.sides[pair]),
            sum(-1 if self.pairs.number(shown)[1] else 1 for shown in beside),
            self.know(seat).sides.get(pair, 0),
        )
        return next((gap > 0 for gap in gaps if gap), coin)

    def _find_free(self, seat: str, pair: int) -> Integers:
        """Return the items whose pair somebody may be asked."""
        person, low, high = self.know(seat), self.pairs.low[pair], self.pairs.high[pair]
        free = self._has[low] & self._has[high]
        if pair in self._full:
            free &= ~self._full[pair]
        if self.once:
            free &= person.groups[self._groups] == 0
        free[list(person.units.get(pair, ()))] = False
        return np.flatnonzero(free)

    def _name(self, asked: Asked) -> tuple[int, Unit]:
        pair = self.pairs.number(asked.shown)[0]
        return pair, (pair, asked.item)

    def _keep(self, asked: Asked) -> None:
        """Count a ticket for its pair and item."""
        pair, unit = self._name(asked)
        self._held.setdefault(unit, []).append(asked.ticket)
        self.pairs.waiting[pair] += not self.pairs.is_answered(asked.ticket)
        self._used[pair] += 1
        self._mark(unit, asked.chosen)

    def _mark(self, unit: Unit, chosen: Choice) -> None:
        """Say whether more judges may be asked a pair of an item."""
        pair, item = unit
        n = len(self._held[unit])
        if pair not in self._full:
            self._full[pair] = np.zeros(len(self.names), dtype=np.bool_)
        self._full[pair][item] = n >= self.k
        if 0 < n < self.k:
            self.begun.setdefault(unit, chosen)
        else:
            self.begun.pop(unit, None)

    def _see(self, asked: Asked, n: int) -> None:
        """Count a ticket for whoever saw it, and for the sides."""
        person, (pair, _) = self.know(asked.seat), self._name(asked)
        person.items[asked.item] += n
        person.groups[self._groups[asked.item]] += n
        mine = person.units.setdefault(pair, set())
        (mine.add if n > 0 else mine.discard)(asked.item)
        turned = self.pairs.number(asked.shown)[1]
        person.sides[pair] = person.sides.get(pair, 0) + (-n if turned else n)
        self.pairs.show(asked.shown, n)
        self._load[asked.item] += n
