"""Was one system always shown first, or always second? Then its lead may be that of its place.

Lot is doubted as in `evenhand.ranking.anytime.sides`. Where judgments show both orders often enough
to tell that the place hardly matters, nothing is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged, NotIdentified, UnknownOption
from evenhand.preference.fit import Fit
from evenhand.ranking.cycles_sides import choose_sides

if TYPE_CHECKING:
    from evenhand.ranking.position_bias import PositionBias
    from evenhand.report.study import Study

NEARLY: Final = 0.9
"""Share of the votes of a system on one side from which it nearly always stood there."""
NEAR: Final = 0.10
"""How far from one half an interval may reach where nothing was found; else too little is known."""
WHOLE: Final = "that may be the whole difference"
HIDDEN: Final = "that may hide a difference"


def say_one_sided(study: Study) -> str:
    """Say that a system that may be the best, or every pair, was shown in one order; else "".

    Args:
        study: comparisons or rankings.

    Raises:
        NotIdentified: the judgments determine no worths.
        NotConverged: the estimates were not found.

    """
    ranking = study.ranking
    if not _is_open_to_place(study):
        return ""
    decided = ranking.rank_upper is not None and ranking.rank_upper[0] == 1
    first = _count_first(study)
    lower = ranking.rank_lower
    mays = 1 if decided or lower is None else int((np.asarray(lower) == 1).sum())
    means = WHOLE if decided else HIDDEN
    for system in ranking.systems[: max(mays, 1)]:
        at = study.tally.systems.index(system)
        side = _name_side(first[at].sum(), first[:, at].sum())
        if side:
            return f"{system} was {side}: {means}"
    pairs = first[np.triu_indices(len(first), 1)], first.T[np.triu_indices(len(first), 1)]
    seen = pairs[0] + pairs[1] > 0
    if all(_name_side(one, two) for one, two in zip(*(side[seen] for side in pairs), strict=True)):
        return f"each pair was shown in one order only, or nearly so: {means}"
    return ""


def _is_open_to_place(study: Study) -> bool:
    """Whether sides were not drawn by lot, and the place may matter for all that is known."""
    fit = study.ranking.fit
    if study.pairs.rankings is not None:  # who stood first of two is not drawn pair by pair
        return False
    if isinstance(fit, Fit) and fit.model.order_effect:
        return False
    if not choose_sides(study.tally, asked=False)[1]:
        return False
    try:
        return not is_near(study.position_bias)
    except (NotIdentified, NotConverged, UnknownOption):
        return True


def _count_first(study: Study) -> NDArray[np.float64]:
    """Return (K, K) how often the one of the row stood before that of the column."""
    tally = study.tally
    first = np.zeros((len(tally.systems),) * 2)
    np.add.at(first, (tally.left, tally.right), tally.counts.sum(axis=1))
    return first


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
    """Whether the whole interval of the share for the first output lies near one half.

    Args:
        bias: the advantage of the output shown first.

    """
    return max(abs(find_share(end) - 0.5) for end in (bias.lower, bias.upper)) <= NEAR


def find_share(log_odds: float) -> float:
    """Return the share that log-odds stand for.

    >>> find_share(0.0)
    0.5
    """
    return float(1 / (1 + np.exp(-log_odds)))
