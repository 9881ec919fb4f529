"""Where systems stand: by what is decided, and by what leads now.

Who leads is read off log-worths, and log-worths of systems that no vote joins, directly or through
others, cannot be compared: a group that met weaker opponents would seem to lead. They stand group
by group, and nobody has a place.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.graph import Graph, weak_components
from evenhand.ranking.anytime.claims import Claim

if TYPE_CHECKING:
    from evenhand.ranking.anytime.state import BoardState

Array = NDArray[np.float64]
Groups = tuple[tuple[str, ...], ...]
"""Names of the systems that votes join."""

LEVEL: Final = 1e-9
"""Log-worths no farther apart than this are level: what is left of rounding."""
ONLY_TIED: Final = "only ever tied, or never compared,"
"""What systems were that no vote joins where ties are left out."""


@dataclass(frozen=True)
class Standing:
    """A system on the board.

    Attributes:
        system: its name.
        place: its place by what leads now, from 1; level systems share one. None where votes do
            not join all systems: then nobody knows.
        log_worth: fitted to all votes with a weak prior; the mean of the board, or of a group that
            no vote joins with others, is about 0.
        wins: votes that preferred it.
        ties: votes that preferred neither.
        losses: votes that preferred the other.
        better_than: systems that it is decided to be better than.
        worse_than: systems that are decided to be better.
        better_by_judges: the same by judges, one vote each; None without that column.
        lower: the best place that what is decided leaves it.
        upper: the worst.

    """

    system: str
    place: int | None
    log_worth: float
    wins: int
    ties: int
    losses: int
    better_than: int
    worse_than: int
    better_by_judges: int | None
    lower: int
    upper: int


def list_standings(
    state: BoardState, worth: Array, decided: tuple[Claim, ...], groups: Groups
) -> tuple[Standing, ...]:
    """Return the systems, the leading one first; equals stand by name and share a place.

    Where votes do not join all systems they stand group by group, and have no place.

    Args:
        state: the votes.
        worth: (K,) log-worths now.
        decided: what is decided.
        groups: names of the systems that votes join.

    """
    names, k = state.systems, len(state.systems)
    better = Counter(one.better for one in decided)
    worse = Counter(one.worse for one in decided)
    judged = Counter(one.better for one in state.judge_claims)
    votes = _count(state)
    places = share_places(worth)
    found = []
    group = {name: i for i, part in enumerate(groups) for name in part}
    order = sorted(range(k), key=lambda code: (group[names[code]], places[code], names[code]))
    for code in order:
        name, place = names[code], places[code] if len(groups) < 2 else None
        won, tied, lost = votes[code]
        ends = (1 + worse[name], k - better[name])
        by_judges = None if state.signs is None else judged[name]
        sums = (better[name], worse[name], by_judges)
        found.append(Standing(name, place, float(worth[code]), won, tied, lost, *sums, *ends))
    return tuple(found)


def share_places(worth: Array) -> list[int]:
    """Return the place of each system, from 1; level systems share the first of theirs.

    >>> share_places(np.array([0.5, -1.0, 0.5 + 1e-12]))
    [1, 3, 1]
    """
    order = np.argsort(-worth, kind="stable")
    apart = np.diff(worth[order], prepend=np.inf) < -LEVEL
    first = np.maximum.accumulate(np.where(apart, np.arange(len(worth)), 0))
    places = np.empty(len(worth), dtype=np.intp)
    places[order] = first + 1
    found: list[int] = places.tolist()
    return found


def _count(state: BoardState) -> list[list[int]]:
    """Return wins, ties and losses of each system; ties also where they say nothing."""
    votes = np.zeros((len(state.systems), 3), dtype=np.int64)
    for (left, right), counts in state.shown.items():
        votes[left] += counts
        votes[right] += counts[::-1]
    found: list[list[int]] = votes.tolist()
    return found


def find_groups(state: BoardState) -> Groups:
    """Return the names of systems that votes join, the largest group first, names sorted."""
    source, target = np.array(state.numerator.ends, dtype=np.intp).reshape(-1, 2).T
    part = weak_components(Graph(len(state.systems), source, target)).tolist()
    groups: dict[int, list[str]] = {}
    for name, one in sorted(zip(state.systems, part, strict=True)):
        groups.setdefault(one, []).append(name)
    return tuple(sorted(map(tuple, groups.values()), key=lambda one: (-len(one), one)))


def say_unjoined(state: BoardState, groups: Groups) -> str:
    """Say which groups no vote joins; "" where there is one group."""
    from evenhand.preference.refusals import NEVER, say_apart

    if len(groups) < 2:
        return ""
    group = {name: i for i, part in enumerate(groups) for name in part}
    ends = ((state.systems[left], state.systems[right]) for left, right in state.shown)
    tied = any(group[one] != group[other] for one, other in ends)
    return say_apart(groups, ONLY_TIED if tied else NEVER)
