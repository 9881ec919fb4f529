"""The conclusions of a board whose support is asked about."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, Final

import numpy as np

from evenhand.errors import InvalidJudgments, UnknownOption, listing, name_near
from evenhand.ranking.fragility_search import Claim
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.reasons import name_cause, say_barred

BORDERS: Final = 5
"""Most borders between clusters that are asked about unasked."""


def find_claims(ranking: Ranking) -> tuple[Claim, ...]:
    """Return what a board says first.

    Who leads (alone, or level with others), the nearest system that the leader is decided to be
    better than, and the borders between clusters.

    Args:
        ranking: the board.

    """
    systems, ahead = ranking.systems, leaders(ranking)
    claims = []
    if ahead == 1:
        claims.append(Claim(f"{systems[0]} is first", systems[:1], systems[1:]))
    elif ahead < len(systems):
        name = f"{listing(systems[:ahead])} are ahead of all others"
        claims.append(Claim(name, systems[:ahead], systems[ahead:]))
    sets = ranking.rank_sets
    if sets is not None:  # the leader is seldom decided to be first; whom it beats may be
        beaten = np.flatnonzero(sets.decided[0] > 0).tolist()
        claims += [
            _pair(ranking, systems[0], systems[place]) for place in beaten[:1] if place > ahead
        ]
    if ranking.cluster is None:
        return tuple(claims)
    borders = (np.flatnonzero(np.diff(ranking.cluster)) + 1).tolist()
    return (*claims, *(_border(ranking, place) for place in borders[:BORDERS] if place > ahead))


def leaders(ranking: Ranking) -> int:
    """Return how many systems share the first place."""
    return int((ranking.rank == ranking.rank[0]).sum())


def say_level(ranking: Ranking) -> tuple[str, ...]:
    """Note that several systems are level at the head, so that nobody is first."""
    ahead = leaders(ranking)
    names = listing(ranking.systems[:ahead])
    return (f"level at the head, so that nobody is first: {names}",) if ahead > 1 else ()


def say_few(ranking: Ranking, claims: Sequence[Claim]) -> tuple[str, ...]:
    """Note which conclusions are of pairs that may not be decided, since few link them.

    Args:
        ranking: the board.
        claims: what is asked about.

    """
    sets, notes = ranking.rank_sets, []
    for claim in claims if sets is not None else ():
        rows, columns = claim.across(ranking.systems)
        pairs = list(product(rows.ravel().tolist(), columns.ravel().tolist()))
        causes: dict[str, list[tuple[int, int]]] = {}
        for pair in pairs:
            if sets is not None and sets.barred[pair]:
                causes.setdefault(name_cause(sets, pair), []).append(pair)
        if sets is not None and causes:
            alone = len(claim.above) == 1 < len(pairs)
            whose = ("its", "pairs") if alone else ("the", "pairs across it")
            whose = ("the", "pairs") if len(pairs) == 1 else whose
            rest = say_barred(sets, causes, len(pairs), whose)
            stay = "stays" if sum(map(len, causes.values())) == 1 else "stay"
            notes.append(f"{claim.name}: {rest} and {stay} open, however far apart")
    return tuple(notes)


def require_claims(
    ranking: Ranking, pairs: Sequence[tuple[str, str]], after: Sequence[int]
) -> tuple[Claim, ...]:
    """Return the conclusions that were asked about.

    Args:
        ranking: the board.
        pairs: (better, worse) systems; the same pair counts once.
        after: places above borders, counted from 1; likewise.

    Raises:
        InvalidJudgments: no such system.
        UnknownOption: the board has them level or the other way round, or has no such border, or a
            pair is one system.

    """
    given: Sequence[Any] = pairs
    alone = len(given) == 2 and all(one in ranking.systems for one in given)
    asked: list[Any] = [tuple(one) for one in ([given] if alone else given)]
    if any(len(one) != 2 for one in asked):
        raise UnknownOption("pairs are (better, worse), two systems each: pairs=[('A', 'B')]")
    places = (after,) if isinstance(after, int) else after
    return (
        *(_pair(ranking, *pair) for pair in dict.fromkeys(asked)),
        *(_border(ranking, place) for place in dict.fromkeys(places)),
    )


def _pair(ranking: Ranking, better: str, worse: str) -> Claim:
    for system in (better, worse):
        if system not in ranking.systems:
            raise InvalidJudgments(f"no system '{system}'.{name_near(system, ranking.systems)}")
    if better == worse:
        raise UnknownOption(f"{better} and {worse} are one system: a pair is of two")
    above, below = (int(ranking.rank[ranking.systems.index(one)]) for one in (better, worse))
    if above == below:
        raise UnknownOption(f"the board has {better} and {worse} level: neither is ahead")
    if above > below:
        raise UnknownOption(
            f"the board does not have {better} ahead of {worse}: ask about {worse} ahead of"
            f" {better}"
        )
    return Claim(f"{better} is ahead of {worse}", (better,), (worse,))


def _border(ranking: Ranking, place: int) -> Claim:
    systems = ranking.systems
    if not 1 <= place < len(systems):
        raise UnknownOption(
            f"no border after place {place}: {len(systems)} systems have borders after places 1"
            f" to {len(systems) - 1}"
        )
    if ranking.rank[place - 1] == ranking.rank[place]:
        raise UnknownOption(
            f"no border after place {place}: {systems[place - 1]} and {systems[place]} are level"
        )
    return Claim(f"border after place {place}", systems[:place], systems[place:])
