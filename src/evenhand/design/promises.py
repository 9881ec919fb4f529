"""Tickets as numbers, in the order in which judges saw them: what guarantees are counted on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.design.campaign import Campaign, Item
from evenhand.design.tasks import TICKET_KINDS, Ticket

# One promise: what was said, what was found, whether it is kept.

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Guarantee:
    """One promise of a design."""

    name: str  # what it is about; no two guarantees of a check have one name
    promised: str  # in words; "" where this is only counted
    found: str  # what was counted
    # whether it is kept; None where nothing is promised, or it cannot be said yet
    holds: bool | None


def conclude(*, kept: bool, whole: bool, lost: bool = False) -> bool | None:
    """Say whether a promise is kept.

    lost: whether nothing that is to come can mend it. >>> ( ...     conclude(kept=True,
        whole=False), ...     conclude(kept=True, whole=True), ...     conclude(kept=False,
        whole=False), ... ) (None, True, None)
    """
    return False if lost else kept if whole else None


def say_range(numbers: Integers) -> str:
    """Say from where to where numbers go.

    >>> say_range(np.array([3, 3])), say_range(np.array([2, 5]))
    ('3', '2 to 5')
    """
    if not numbers.size:
        return "0"
    low, high = int(numbers.min()), int(numbers.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


Mask = NDArray[np.bool_]
# What there is of each ticket, but for what it repeats
_ROWS: Final = (
    *("judge", "person", "task", "unit", "item", "group", "label"),
    *("kind", "role", "sound", "settled"),
)
_KIND: Final = {name: at for at, name in enumerate(TICKET_KINDS)}


@dataclass(frozen=True, eq=False)
class Seen:
    """Tickets, judge after judge, each judge's in the order seen."""

    campaign: Campaign  # what was asked
    tickets: tuple[Ticket, ...]  # (n,) themselves
    judge: Integers  # (n,) place among the judges of the campaign of the one whose ticket it is
    person: Integers  # (n,) code of who saw it
    task: Integers  # (n,) place among the passes
    unit: Integers  # (n,) code of item and systems, whatever their order
    item: Integers  # (n,) code of the item
    group: Integers  # (n,) code of the source
    label: Integers  # (n,) code of the systems, whatever their order
    kind: Integers  # (n,) place in `ticket.KINDS`
    # (n,) place in `ticket.KINDS` of what the item is for; −1 where there is no such item
    role: Integers
    # (n,) whether different outputs of the item are shown, as many as the pass asks about
    sound: Mask
    settled: Mask  # (n,) of which tickets it is known what they show
    again: Integers  # (n,) place here of what is repeated; −1 for none, or where that was not seen
    # how many repeats are asked no more, since who saw the first is gone. A ticket of which it is
    # not known yet what it shows counts as an item of its own.
    void: int = 0

    def __len__(self) -> int:
        return len(self.tickets)

    def of(self, *kinds: str) -> Mask:
        """Return (n,) which tickets are of these kinds."""
        return np.isin(self.kind, [TICKET_KINDS.index(one) for one in kinds])

    @cached_property
    def width(self) -> Integers:
        """(n,) most outputs of a ticket of the pass."""
        return np.array([one.width for one in self.campaign.tasks], dtype=np.int64)[self.task]

    @cached_property
    def place(self) -> Integers:
        """(n,) how many tickets of the pass the judge saw before."""
        starts = np.r_[True, (np.diff(self.judge) != 0) | (np.diff(self.task) != 0)]
        first = np.maximum.accumulate(np.where(starts, np.arange(len(self)), 0))
        return np.arange(len(self)) - first if len(self) else first

    def take(self, mask: Mask) -> Seen:
        """Return some of them; what they repeat is forgotten."""
        kept = tuple(self.tickets[at] for at in np.flatnonzero(mask).tolist())
        rows = {name: getattr(self, name)[mask] for name in _ROWS}
        return replace(self, tickets=kept, again=np.full(len(kept), -1), **rows)


def see(
    campaign: Campaign,
    tickets: Iterable[Ticket],
    people: Mapping[str, str] | None = None,
    seats: Mapping[str, str] | None = None,
) -> Seen:
    """Turn tickets into numbers."""
    people, seats = people or {}, seats or {}
    judges = {one.name: at for at, one in enumerate(campaign.judges)}
    tickets = sorted(tickets, key=lambda one: judges[seats.get(one.judge, one.judge)])
    place = {(one.judge, one.number): at for at, one in enumerate(tickets)}
    names = [frozenset(one.systems) for one in tickets]
    read = _Reader.open(campaign)
    looks = [read.look(one, shown) for one, shown in zip(tickets, names, strict=True)]
    item, group, role, sound, settled = zip(*looks, strict=True) if looks else ((),) * 5
    again = (-1 if one.again is None else place.get((one.judge, one.again), -1) for one in tickets)
    of_task = {one.name: at for at, one in enumerate(campaign.tasks)}
    return Seen(
        campaign=campaign,
        tickets=tuple(tickets),
        judge=np.array(
            [judges[seats.get(one.judge, one.judge)] for one in tickets], dtype=np.int64
        ),
        person=_code(people.get(one.judge, one.judge) for one in tickets),
        task=np.array([of_task[one.task] for one in tickets], dtype=np.int64),
        unit=_code(zip(item, names, strict=True)),
        item=_code(item),
        group=_code(group),
        label=_code(names),
        kind=np.array([_KIND[one.kind] for one in tickets], dtype=np.int64),
        role=np.array(role, dtype=np.int64),
        sound=np.array(sound, dtype=np.bool_),
        settled=np.array(settled, dtype=np.bool_),
        again=np.array(list(again), dtype=np.int64),
    )


@dataclass(frozen=True)
class _Reader:
    """What a campaign says of the items of its tickets."""

    known: Mapping[str, Item]
    role: Mapping[str, int]
    width: Mapping[str, int]
    policy: bool

    @classmethod
    def open(cls, campaign: Campaign) -> _Reader:
        """Take up what a campaign says."""
        known = {one.name: one for one in campaign.items}
        role = {
            one.name: _KIND["control" if one.control else "anchor" if one.anchor else "target"]
            for one in campaign.items
        }
        taught = {one.item.name: one.item for one in campaign.training}
        role |= dict.fromkeys(taught, _KIND["training"])
        width = {one.name: one.width for one in campaign.tasks}
        return cls(known | taught, role, width, bool(campaign.design.policy))

    def look(
        self, ticket: Ticket, shown: frozenset[str]
    ) -> tuple[str | int, str | int, int, bool, bool]:
        """Return of a ticket: item, source, role of the item, whether it is sound, and settled."""
        if self.policy and not shown and not ticket.item and ticket.kind in ("target", "repeat"):
            free = ticket.number if ticket.again is None else ticket.again
            return free, free, _KIND["target"], True, False
        item = self.known.get(ticket.item)
        if item is None:
            return ticket.item, ticket.item, -1, False, True
        asked = min(self.width[ticket.task], len(item.outputs))
        sound = len(shown) == len(ticket.systems) == asked and shown <= item.outputs.keys()
        return item.name, item.group, self.role[item.name], sound, True


def _code(values: Iterable[object]) -> Integers:
    """Return codes in the order of first appearance."""
    code: dict[object, int] = {}
    return np.array([code.setdefault(one, len(code)) for one in values], dtype=np.int64)


def count(*codes: Integers) -> tuple[Integers, Integers]:
    """Return the first place of each different combination of codes, and how often it is there."""
    whole = np.zeros(len(codes[0]), dtype=np.int64)
    for one in codes:
        whole = np.unique(whole * (int(one.max(initial=0)) + 1) + one, return_inverse=True)[1]
    _, first, often = np.unique(whole, return_index=True, return_counts=True)
    return first, often


def count_different(what: Integers, *of: Integers) -> tuple[Integers, Integers]:
    """Return the first place of each combination, and how many different `what` it has."""
    first, _ = count(*of, what)
    at, often = count(*(one[first] for one in of))
    return first[at], often
