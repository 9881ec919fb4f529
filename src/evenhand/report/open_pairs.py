"""The open pairs at the top of a ranking: what they want, how many judgments decide the first."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Final

from evenhand.design.more_judgments import separate_pairs
from evenhand.errors import NotIdentified
from evenhand.ranking.clustering import SOME_JUDGES
from evenhand.ranking.ranking import name_ways

if TYPE_CHECKING:
    from evenhand.ranking.ranking import Ranking

BEYOND: Final = 100.0  # So many times as many judgments are more than anybody collects


def find_open(ranking: Ranking) -> list[tuple[int, int]]:
    """Return the open pairs of the first system with those that may be the best, nearest first.

    Where the first alone may be the best, those of the second place, and so on down to the first
    pair that is open: none where every pair is decided.
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


def find_want(ranking: Ranking, places: Sequence[int]) -> tuple[str, ...]:
    """Return what keeps some systems from being told apart, whatever the answers.

    Most open pairs among them rest on too few; or nothing at all is decided, and there are fewer
    judges than critical values are moderate for (INFERENCE B6).
    """
    sets = ranking.rank_sets
    if sets is None:
        return ()
    pairs = [pair for pair in combinations(places, 2) if sets.decided[pair] == 0]
    barred = [pair for pair in pairs if sets.barred[pair]]
    if 2 * len(barred) > len(pairs):
        return tuple(way for way in name_ways(sets, barred) if way in ("judge", "item"))
    few = ranking.effective_judges is not None and ranking.effective_judges < SOME_JUDGES
    return ("judge",) if few and "judge" in sets.ways and not sets.decided.any() else ()


def say_more(ranking: Ranking) -> str:
    """Say how many judgments would probably tell the first two open systems apart; "" where none.

    It is the number of the section on what to judge next.
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
