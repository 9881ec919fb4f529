"""What a ranking says in a sentence that can be quoted, and why it says no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evenhand.ranking.one_sided import LIMIT
from evenhand.ranking.rank_sets import say_place
from evenhand.ranking.reasons import BETWEEN, OWN, say_why

if TYPE_CHECKING:
    from evenhand.ranking.ranking import Ranking

Pairs = list[tuple[int, int]]


def say_board(ranking: Ranking) -> str:
    """Say who leads, and of whom that is said."""
    return f"{_say_leader(ranking)}{_limit(ranking)}"


def say_system(ranking: Ranking, place: int) -> str:
    """Say where one system stands, such as "B is 2nd to 4th", and of whom that is said.

    Args:
        ranking: the ranking.
        place: of the system on the board, from 0.

    """
    return f"{_say_stand(ranking, place)}{_limit(ranking)}"


def _say_leader(ranking: Ranking) -> str:
    best, others = ranking.systems[0], len(ranking.systems) - 1
    if ranking.rank_lower is None or ranking.rank_upper is None:
        return f"{best} leads by its estimate; too many systems for intervals of all"
    if ranking.rank_upper[0] == 1:
        whom = f"each of the other {others}" if others > 1 else ranking.systems[1]
        return f"{best} is the best: better than {whom}"
    first = np.flatnonzero(ranking.rank_lower == 1).tolist()
    if len(first) == 1:
        return f"{best} is the best, since no other can be{_say_beside(ranking)}"
    names = [ranking.systems[place] for place in first]
    pairs = [(i, j) for i in first for j in first if i < j]
    if len(first) == others + 1 == 2:
        return f"{_join(names)} cannot be told apart{_end(ranking, pairs)}"
    if len(first) == others + 1:
        said = "no system can be told to be worse than another: any of them may be the best"
        return f"{said}{_end(ranking, pairs)}"
    return f"{_join(names)} may each be the best; {say_why(ranking, pairs, 'which', BETWEEN)}"


def _say_stand(ranking: Ranking, place: int) -> str:
    system, sets = ranking.systems[place], ranking.rank_sets
    if ranking.rank_lower is None or ranking.rank_upper is None:
        return f"{system} is number {ranking.rank[place]} by its estimate; no interval"
    low, high = int(ranking.rank_lower[place]), int(ranking.rank_upper[place])
    said = f"{system} is {say_place(low, high, len(ranking.systems))}"
    if low == high:
        return said
    if sets is None:
        return f"{said}; these data do not tell more"
    best, worst = (int(end[place]) for end in sets.marginal)
    if (best, worst) != (low, high):
        said += f" (by itself, {say_place(best, worst, len(ranking.systems))})"
    beside = np.flatnonzero(sets.decided[place] == 0).tolist()
    pairs = [(place, other) for other in beside if other != place]
    return f"{said}; {say_why(ranking, pairs, 'more', OWN)}"


def _limit(ranking: Ranking) -> str:
    """Return in brackets of whom a sentence is said, and what may be in it.

    Claims may not hold all at once, and sides may not have been drawn by lot.

    Of two systems there is one claim.
    """
    together = ranking.rank_interval == "simultaneous" or len(ranking.systems) == 2
    limits = [] if together or ranking.rank_lower is None else ["pairs decided one at a time"]
    limits += [ranking.headline] if ranking.headline else []
    limits += [LIMIT] if ranking.one_sided else []
    return f" ({'; '.join(limits)})" if limits else ""


def _say_beside(ranking: Ranking) -> str:
    """Say of whom the only system that can be the best is not decided to be better."""
    sets = ranking.rank_sets
    if sets is None or ranking.rank_upper is None:
        n = 0 if ranking.rank_upper is None else int(ranking.rank_upper[0]) - 1
        return f", though {n} of the others cannot be told apart from it"
    names = [ranking.systems[i] for i in np.flatnonzero(sets.decided[0] == 0).tolist() if i]
    return f", though not told apart from {_join(names)}"


def _end(ranking: Ranking, pairs: Pairs) -> str:
    """Return why, behind a semicolon; nothing where there is no more to say."""
    if ranking.rank_sets is None:
        return ""
    return f"; {say_why(ranking, pairs, 'more', BETWEEN)}"


def _join(names: list[str]) -> str:
    if len(names) > 4:
        return f"{', '.join(names[:3])} and {len(names) - 3} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
