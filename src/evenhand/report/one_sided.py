"""Was one system always shown first, or always second? Then its lead may be that of its place.

Lot is doubted as in `evenhand.ranking.sides`. Where judgments show both orders often enough
to tell that the place hardly matters, nothing is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from evenhand.errors import NotConverged, NotIdentified, UnknownOption
from evenhand.models.base import Fit
from evenhand.ranking.sides import (
    count_pairs,
    count_sides,
    count_systems,
    have_pairs_own_sides,
    note_sides,
)

if TYPE_CHECKING:
    from evenhand.ranking.position_bias import PositionBias
    from evenhand.ranking.ranking import Ranking
    from evenhand.report.study import Study

# Share of the votes of a system on one side from which it nearly always stood there
NEARLY: Final = 0.9
# How far from one half an interval may reach where nothing was found; else too little is known
NEAR: Final = 0.10
# Share of the votes in the rarer order of each pair from which orders are balanced
EVEN: Final = 1 / 3
WHOLE: Final = "that may be the whole difference"
HIDDEN: Final = "that may hide a difference"


def say_one_sided(study: Study) -> str:
    """Say that a system that may be the best, or every pair, was shown in one order; else ""."""
    if not _tells_sides(study):
        return ""
    ranking, systems, seen = study.ranking, study.tally.systems, count_sides(study.tally)
    of_pairs = have_pairs_own_sides(len(systems), seen)
    if not (of_pairs or note_sides(systems, seen)) or _hardly_matters(study):
        return ""
    decided = ranking.rank_upper is not None and ranking.rank_upper[0] == 1
    means = WHOLE if decided else HIDDEN
    first, second = count_systems(len(systems), seen)
    for system in ranking.systems[: 1 if decided else _count_leaders(ranking)]:
        at = systems.index(system)
        side = _name_side(first[at], second[at])
        if side:
            return f"{system} was {side}: {means}"
    _, *sides = count_pairs(len(systems), seen)
    if of_pairs and all(_name_side(one, two) for one, two in zip(*sides, strict=True)):
        return f"each pair was shown in one order only, or nearly so: {means}"
    return ""


def are_orders_balanced(study: Study) -> bool:
    """Whether lot explains who stood where, and pairs were shown in both orders."""
    if not _tells_sides(study):
        return False
    systems, seen = study.tally.systems, count_sides(study.tally)
    _, one, two = count_pairs(len(systems), seen)
    even = np.minimum(one, two).sum() >= EVEN * (one + two).sum() > 0
    return bool(even) and not note_sides(systems, seen)


def _tells_sides(study: Study) -> bool:
    """Whether lot could have decided sides, and worths do not stand beside an effect of them."""
    fit = study.ranking.fit
    if study.pairs.rankings is not None:  # who stood first of two is not drawn pair by pair
        return False
    return study.tally.positions_known and not (isinstance(fit, Fit) and fit.model.order_effect)


def _hardly_matters(study: Study) -> bool:
    """Whether judgments show both orders often enough to tell that the place hardly matters."""
    try:
        return is_near(study.position_bias)
    except (NotIdentified, NotConverged, UnknownOption):
        return False


def _count_leaders(ranking: Ranking) -> int:
    """Return how many systems may be the best; one where that is not known."""
    if ranking.rank_lower is None:
        return 1
    return max(int((np.asarray(ranking.rank_lower) == 1).sum()), 1)


def _name_side(first: float, second: float) -> str:
    """Say on which side something stood, if nearly always on one.

    >>> _name_side(60, 0), _name_side(3, 57), _name_side(30, 30)
    ('always shown first', 'nearly always shown second', '')
    """
    most = max(first, second)
    if most < NEARLY * (first + second):
        return ""
    always = "always" if most == first + second else "nearly always"
    return f"{always} shown {'first' if first > second else 'second'}"


def is_near(bias: PositionBias) -> bool:
    """Whether the whole interval of the share for the first output lies near one half."""
    return max(abs(find_share(end) - 0.5) for end in (bias.lower, bias.upper)) <= NEAR


def find_share(log_odds: float) -> float:
    """Return the share that log-odds stand for.

    >>> find_share(0.0)
    0.5
    """
    return float(1 / (1 + np.exp(-log_odds)))
