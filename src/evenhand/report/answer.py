"""The answer in a sentence for each decision, in words that need no statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from evenhand.ranking.ranking import Ranking

NAMED: Final = 5  # Most systems that are named in a sentence
# Judgments below which an open answer is no advice; the models are not held against each other on
# fewer either
FEW: Final = 30

# What is wanting → what to collect
COLLECT: Final = {"judge": "of more judges", "item": "on more items"}


def say_answer(ranking: Ranking, *, advise: bool = True) -> tuple[str, ...]:
    """Say which system to take, and which choices the judgments leave open."""
    if ranking.rank_lower is None or ranking.rank_upper is None:
        said = [
            f"{ranking.systems[0]} leads; so many systems have no intervals here, and it is open"
            " which of them are really behind it."
        ]
    elif ranking.rank_upper[0] == 1:
        said = [_say_best(ranking, advise=advise), *_say_next(ranking)]
    else:
        few = advise and ranking.n_judgments < FEW
        said = [_say_open(ranking, advise=advise and not few), *_say_barred(ranking)]
        said += [_say_few(round(ranking.n_judgments))] * few
    return (*said, *_say_limit(ranking))


def _say_best(ranking: Ranking, *, advise: bool) -> str:
    """Say which system is decided to be better than each of the others."""
    best, *others = ranking.systems
    if len(others) == 1:
        return f"{best} is better than {others[0]}{f': take {best}' if advise else ''}."
    return f"{best} is the best of {len(ranking.systems)} systems."


def _say_open(ranking: Ranking, *, advise: bool) -> str:
    """Say which systems may be the best, and what to do where that is to be said.

    That is to take the one that costs least, but for want of judges or items to collect more: what
    nobody could have told apart is no reason to drop a system.
    """
    places = np.flatnonzero(np.asarray(ranking.rank_lower) == 1)
    if len(places) == 1:
        return f"{ranking.systems[places[0]]} is the best, since no other can be."
    said, joint, take = _say_leaders(ranking, places)
    if not advise:
        return f"{said}."
    from evenhand.report.open_pairs import find_want, say_more

    want, more = find_want(ranking, places.tolist()), say_more(ranking)
    if want:
        take = " and ".join(COLLECT[one] for one in want)
        take = f"collect judgments {take}"
    begun = take if joint == ": " else f"{take[:1].upper()}{take[1:]}"
    return f"{said}{joint}{begun}{f'; {more}' if more else ''}."


def _say_leaders(ranking: Ranking, places: NDArray[np.int64]) -> tuple[str, str, str]:
    """Say which of several systems may be the best."""
    n, names = len(ranking.systems), [ranking.systems[place] for place in places]
    cheap = "cheaper" if len(names) == 2 else "cheapest"
    if len(names) == n == 2:
        return f"{join_names(names)} cannot be told apart", ": ", "take the cheaper one"
    if len(names) == n:
        said = f"Nothing is decided: any of the {n} systems may be the best"
        return said, ". ", "take the cheapest"
    if len(names) > NAMED:
        said = (
            f"{len(names)} of {n} systems may each be the best, {names[0]} by its estimate; the"
            f" other {f'{n - len(names)} are' if n - len(names) > 1 else 'one is'} not, at"
            f" {_level(ranking)} confidence"
        )
        return said, ". ", "take the cheapest of those that may be"
    if _all_open(ranking, places):
        said = f"{join_names(names)} lead and cannot be told apart"
        return said, ": ", f"take the {cheap} of them"
    said = f"{join_names(names)} may each be the best; no other can be, at"
    return f"{said} {_level(ranking)} confidence", ". ", f"take the {cheap} of them"


def _say_few(n: int) -> str:
    """Say that what was asked is too little to act on."""
    return f"{n} judgment{'s' * (n != 1)} are too few to act on: collect more."


def _level(ranking: Ranking) -> str:
    """Return the level at which systems are decided not to be the best."""
    return f"{100 * ranking.level:g} %"


def _say_barred(ranking: Ranking) -> list[str]:
    """Say how many pairs would be open whatever the answers were."""
    sets = ranking.rank_sets
    if sets is None:
        return []
    upper = np.triu_indices(len(sets.barred), 1)
    barred, n = int(sets.barred[upper].sum()), len(upper[0])
    if not barred:
        return []
    verb = "is" if barred == 1 else "are"
    whom = " or ".join(f"{way}s" for way in sets.ways)
    return [f"{barred:,} of {n:,} pairs {verb} open for want of {whom}."]


def _all_open(ranking: Ranking, places: NDArray[np.int64]) -> bool:
    """Whether no pair of some systems is decided."""
    if ranking.rank_sets is None:
        return False
    return not ranking.rank_sets.decided[np.ix_(places, places)].any()


def _say_next(ranking: Ranking) -> list[str]:
    """Say who comes behind a system that is the best: the second, or those that may be."""
    lower = np.asarray(ranking.rank_lower)
    names = [ranking.systems[place] for place in np.flatnonzero(lower == 2)]
    if len(ranking.systems) == 2:
        return []
    if len(names) == 1:
        return [f"{names[0]} comes second."]
    if len(names) == len(ranking.systems) - 1:
        return ["The others cannot be told apart."]
    return [f"{join_names(names)} may each be second."] if names else []


def _say_limit(ranking: Ranking) -> list[str]:
    """Say of whom this is said, if not of judges like these."""
    return [f"This is {ranking.headline}."] if ranking.headline else []


def join_names(names: list[str]) -> str:
    """Write names as a list; of many the first, and how many more.

    >>> join_names(["A"]), join_names(["A", "B", "C"])
    ('A', 'A, B and C')
    """
    if len(names) > NAMED:
        return f"{', '.join(names[: NAMED - 1])} and {len(names) - NAMED + 1} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
