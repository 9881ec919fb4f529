"""Tickets as numbers, in the order in which judges saw them: what guarantees are counted on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.design.campaign import Campaign
from evenhand.design.tasks import TICKET_KINDS, Ticket
from evenhand.numerics import Integers


@dataclass(frozen=True)
class Guarantee:
    name: str  # what it is about; no two guarantees of a check have one name
    promised: str  # in words; "" where this is only counted
    found: str  # what was counted
    holds: bool | None  # whether it is kept; None where that is not promised or known


def say_range(numbers: Integers) -> str:
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
_KIND: Final[Mapping[str, int]] = {name: at for at, name in enumerate(TICKET_KINDS)}


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
    kind: Integers  # (n,) place in `TICKET_KINDS`
    role: Integers  # (n,) place in `TICKET_KINDS` of what the item is for; −1 without an item
    sound: Mask  # (n,) whether it shows different outputs of the item, as many as are asked
    settled: Mask  # (n,) of which tickets it is known what they show
    again: Integers  # (n,) place here of what is repeated; −1 for none, or where that was not seen
    # how many repeats are asked no more, since who saw the first is gone. A ticket of which it is
    # not known yet what it shows counts as an item of its own.
    void: int = 0
    whole: bool = True  # whether all tickets are here; else some are still to come

    def __len__(self) -> int:
        return len(self.tickets)

    def conclude(self, *, holds: bool, lost: bool = False) -> bool | None:
        """Say whether a promise is kept; what is lost, nothing that is to come can mend."""
        return False if lost else holds if self.whole else None

    def of(self, *kinds: str) -> Mask:
        return np.isin(self.kind, [_KIND[kind] for kind in kinds])

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
        tickets = tuple(self.tickets[at] for at in np.flatnonzero(mask).tolist())
        rows = {name: getattr(self, name)[mask] for name in _ROWS}
        return replace(self, tickets=tickets, again=np.full(len(tickets), -1), **rows)


def encode_tickets(
    campaign: Campaign,
    tickets: Iterable[Ticket],
    people: Mapping[str, str] | None = None,
    seats: Mapping[str, str] | None = None,
) -> Seen:
    people, seats = people or {}, seats or {}
    judges = {judge.name: at for at, judge in enumerate(campaign.judges)}
    tasks = {task.name: at for at, task in enumerate(campaign.tasks)}
    items = {item.name: item for item in campaign.items}
    roles = {
        name: "control" if item.control else "anchor" if item.anchor else "target"
        for name, item in items.items()
    }
    for training in campaign.training:
        items[training.item.name], roles[training.item.name] = training.item, "training"
    tickets = sorted(tickets, key=lambda one: judges[seats.get(one.judge, one.judge)])
    place = {(one.judge, one.number): at for at, one in enumerate(tickets)}
    # of each ticket: item, source, role of the item, whether it is sound, and settled
    rows: list[tuple[str | int, str | int, int, bool, bool]] = []
    for ticket in tickets:
        open_kind = ticket.kind in ("target", "repeat")
        if campaign.design.policy and open_kind and not ticket.systems and not ticket.item:
            free = ticket.number if ticket.again is None else ticket.again
            rows.append((free, free, _KIND["target"], True, False))
        elif ticket.item not in items:
            rows.append((ticket.item, ticket.item, -1, False, True))
        else:
            item, shown = items[ticket.item], frozenset(ticket.systems)
            n = min(campaign.tasks[tasks[ticket.task]].width, len(item.outputs))
            sound = len(shown) == len(ticket.systems) == n and shown <= item.outputs.keys()
            rows.append((item.name, item.group, _KIND[roles[item.name]], sound, True))
    item_names, sources, role, is_sound, settled = zip(*rows, strict=True) if rows else ((),) * 5
    labels = [frozenset(one.systems) for one in tickets]
    again = [-1 if one.again is None else place.get((one.judge, one.again), -1) for one in tickets]
    return Seen(
        campaign=campaign,
        tickets=tuple(tickets),
        judge=_integers(judges[seats.get(one.judge, one.judge)] for one in tickets),
        person=_code(people.get(one.judge, one.judge) for one in tickets),
        task=_integers(tasks[one.task] for one in tickets),
        unit=_code(zip(item_names, labels, strict=True)),
        item=_code(item_names),
        group=_code(sources),
        label=_code(labels),
        kind=_integers(_KIND[one.kind] for one in tickets),
        role=_integers(role),
        sound=np.array(is_sound, dtype=np.bool_),
        settled=np.array(settled, dtype=np.bool_),
        again=_integers(again),
    )


def _integers(numbers: Iterable[int]) -> Integers:
    return np.array(list(numbers), dtype=np.int64)


def _code(values: Iterable[object]) -> Integers:
    """Return codes in the order of first appearance."""
    code: dict[object, int] = {}
    return _integers(code.setdefault(value, len(code)) for value in values)


def combine(*codes: Integers) -> Integers:
    combined = np.zeros(len(codes[0]), dtype=np.int64)
    for one in codes:
        wide = combined * (int(one.max(initial=0)) + 1) + one
        combined = np.unique(wide, return_inverse=True)[1]
    return combined


def count(*codes: Integers) -> tuple[Integers, Integers]:
    """Return the first place of each different combination of codes, and how often it is there."""
    _, first, often = np.unique(combine(*codes), return_index=True, return_counts=True)
    return first, often


def count_different(what: Integers, *of: Integers) -> tuple[Integers, Integers]:
    """Return the first place of each combination, and how many different `what` it has."""
    first, _ = count(*of, what)
    at, often = count(*(one[first] for one in of))
    return first[at], often
