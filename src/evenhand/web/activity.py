"""When each judge answered last, how long an answer takes them, and how they did on controls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median
from typing import Any, Final

from evenhand.design.tasks import Ticket
from evenhand.web.store.record import Record

LATELY: Final = 50  # Answers from which the time of an answer is taken
KNOWN: Final = ("control",)  # Kinds of tickets of which the campaign knows the best system
TIES: Final = {"both_bad": "tie"}
Right = Callable[[Ticket, Mapping[str, Any]], bool]
# Kind of task → whether an answer to a control is the one that is expected
RIGHT: Final[Mapping[str, Right]] = {
    "pair": lambda ticket, said: TIES.get(said["outcome"], said["outcome"]) == ticket.expected,
    "rank": lambda ticket, said: (
        [one for one, place in zip(ticket.systems, said["ranks"], strict=True) if place == 1]
        == [_name_best(ticket)]
    ),
}


@dataclass(frozen=True)
class Seen:
    """An answer that stands."""

    judge: str  # the login that gave it
    at: int  # when, in milliseconds since 1970
    seconds: float | None  # time that it took by the judge's clock; None where it was not told
    # whether it is what a control expects; None where it is no control, or one of scores
    right: bool | None = None


@dataclass(frozen=True)
class Activity:
    """What a judge did so far."""

    judge: str  # the login
    n: int  # answers that stand
    last: datetime  # when the last of them was given
    seconds: float | None  # median time of the last fifty; None where none is known
    controls: int  # controls of pairs and rankings that were answered
    right: int  # of these, as expected


def _name_best(ticket: Ticket) -> str:
    """Return the system that a control expects; of two systems its ticket holds the side."""
    sides = ("left", "right")
    if len(ticket.systems) == len(sides) and ticket.expected in sides:
        return ticket.systems[sides.index(ticket.expected)]
    return ticket.expected


def see(record: Record, kind: str) -> Seen:
    """Return what counts of an answer."""
    ticket, said = record.ticket, record.answer
    right = None
    if ticket is not None and said is not None and ticket.kind in KNOWN and kind in RIGHT:
        right = RIGHT[kind](ticket, said)
    return Seen(record.judge, record.at, record.seconds, right)


def sum_up(seen: Iterable[Seen]) -> tuple[Activity, ...]:
    """Return what each judge did, who answered last first.

    seen: answers in the order in which they were given. >>> one, two = Seen("ann", 0, 3.0),
        Seen("ann", 60_000, 5.0, True) >>> (found,) = sum_up([one, two]) >>> found.n,
        found.last.isoformat(), found.seconds, found.right, found.controls (2,
        '1970-01-01T00:01:00+00:00', 4.0, 1, 1)
    """
    by: dict[str, list[Seen]] = {}
    for one in seen:
        by.setdefault(one.judge, []).append(one)
    found = [_count(judge, mine) for judge, mine in by.items()]
    return tuple(sorted(found, key=lambda one: (-one.last.timestamp(), one.judge)))


def _count(judge: str, mine: list[Seen]) -> Activity:
    times = [one.seconds for one in mine[-LATELY:] if one.seconds is not None]
    known = [one.right for one in mine if one.right is not None]
    last = datetime.fromtimestamp(max(one.at for one in mine) / 1000, UTC)
    return Activity(
        judge, len(mine), last, median(times) if times else None, len(known), sum(known)
    )
