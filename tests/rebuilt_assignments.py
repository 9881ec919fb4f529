"""Assignments made anew from tickets, and small changes of tickets."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.design.assignment import Assignment
from evenhand.design.campaign import Campaign
from evenhand.design.tasks import TICKET_KINDS, Ticket

Rows = list[Ticket]
Break = Callable[[Rows], Iterable[Ticket]]


def rebuild(campaign: Campaign, tickets: Iterable[Ticket]) -> Assignment:
    """Return an assignment of these tickets in this order; judge by judge."""
    rows = list(tickets)
    place = {one.number: at for at, one in enumerate(rows)}
    items = [*campaign.items, *(one.item for one in campaign.training)]
    named = {one.name: at for at, one in enumerate(items)}
    judges = [one.name for one in campaign.judges]
    tasks = [one.name for one in campaign.tasks]
    shown = np.full((len(rows), max(one.width for one in campaign.tasks)), -1)
    for at, one in enumerate(rows):
        spots = [items[named[one.item]].systems.index(name) for name in one.systems]
        shown[at, : len(spots)] = spots
    return Assignment(
        campaign=campaign,
        judge=np.array([judges.index(one.judge) for one in rows], dtype=np.int32),
        task=np.array([tasks.index(one.task) for one in rows], dtype=np.int32),
        item=np.array([named[one.item] for one in rows], dtype=np.int32),
        shown=shown.astype(np.int32),
        kind=np.array([TICKET_KINDS.index(one.kind) for one in rows], dtype=np.int8),
        again=np.array(
            [-1 if one.again is None else place.get(one.again, -1) for one in rows], dtype=np.int32
        ),
    )


def find(rows: Rows, **told: Any) -> int:
    """Return the place of the first ticket of which this is so."""
    return next(
        at
        for at, one in enumerate(rows)
        if all(getattr(one, name) == value for name, value in told.items())
    )


def drop(**told: Any) -> Break:
    """Leave one ticket out."""

    def lose(rows: Rows) -> Rows:
        at = find(rows, **told)
        return rows[:at] + rows[at + 1 :]

    return lose


def spare(rows: Rows) -> Rows:
    """Leave out a ticket of a judge who has most."""
    often = Counter(one.judge for one in rows)
    return drop(judge=max(often, key=lambda name: often[name]))(rows)


def show(*orders: str) -> Break:
    """Show other outputs: the first tickets these, one letter a system, then from the start."""

    def turn(rows: Rows) -> Rows:
        return [
            replace(one, systems=tuple(f"S{name}" for name in orders[at % len(orders)]))
            for at, one in enumerate(rows)
        ]

    return turn


def move(rows: Rows, at: int, to: int) -> Rows:
    """Put a ticket to another place."""
    left = rows[:at] + rows[at + 1 :]
    return [*left[:to], rows[at], *left[to:]]


def give(judges: Iterable[str]) -> Break:
    """Give the tickets to these judges instead."""

    def hand(rows: Rows) -> Rows:
        given = [replace(one, judge=name) for one, name in zip(rows, judges, strict=True)]
        return sorted(given, key=lambda one: one.judge)

    return hand
