"""The open pairs at the top of a ranking, and how many more judgments would decide the first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evenhand.errors import NotIdentified
from evenhand.planning.separation import separate_pairs

if TYPE_CHECKING:
    from evenhand.ranking.ranking import Ranking

BEYOND: Final = 100.0
"""So many times as many judgments are more than anybody collects."""


def find_open(ranking: Ranking) -> list[tuple[int, int]]:
    """Return the open pairs of the first system with those that may be the best, nearest first.

    Where the first alone may be the best, those of the second place, and so on down to the first
    pair that is open: none where every pair is decided.

    Args:
        ranking: with rank sets or without.

    """
    sets = ranking.rank_sets
    if sets is None:
        return []
    for place in range(len(ranking.systems) - 1):
        others = range(place + 1, len(ranking.systems))
        rows = [(place, other) for other in others if sets.decided[place, other] == 0]
        if rows:
            return rows
    return []


def say_more(ranking: Ranking) -> str:
    """Say how many judgments would probably tell the first two open systems apart; "" where none.

    It is the number of the section on what to judge next.

    Args:
        ranking: whose first place is open.

    """
    try:
        found = separate_pairs(ranking, find_open(ranking)[:1])
    except NotIdentified:
        return ""
    one = next(iter(found), None)
    if one is None or one.barred or one.times is None or one.times > BEYOND:
        return ""
    apart = f"to tell {one.better} and {one.worse} apart"
    return f"{apart} would take about {one.times:,.1f} times as many judgments"
