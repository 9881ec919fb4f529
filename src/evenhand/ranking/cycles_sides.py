"""Whether an advantage of the output shown first must stand beside worths when cycles are sought.

A preference for one side makes circles where sides go round: a before b, b before c, c before a.
Where lot decided who stood where it makes none.
"""

from __future__ import annotations

from evenhand.errors import NotConverged, NotIdentified, UnknownOption
from evenhand.judgments.tally import Tally
from evenhand.ranking.anytime.sides import note_sides
from evenhand.ranking.cycles_residuals import find_residuals
from evenhand.ranking.one_sided import count_sides

BESIDE = "cycles are sought beside an advantage of the output shown first"
BLIND = (
    "cycles are sought without an advantage of the output shown first: what goes round may be a"
    " preference for one side"
)


def choose_sides(tally: Tally, *, asked: bool | None) -> tuple[bool, tuple[str, ...]]:
    """Return whether to fit an order effect, with notes why.

    Args:
        tally: judgments; whether positions are known is said there.
        asked: True or False; None to fit it where sides were not drawn by lot.

    >>> import numpy as np
    >>> names, codes = ("a", "b", "c"), np.array([[0, 1], [1, 2], [2, 0]], dtype=np.int32)
    >>> won = np.full(3, 60.0)
    >>> tally = Tally(names, *codes.T, won, np.zeros(3), won / 2, n_judgments=270.0)
    >>> choose_sides(tally, asked=None)[0], choose_sides(tally, asked=False)[1][-1] == BLIND
    (True, True)
    """
    if asked or not tally.positions_known:
        return bool(asked), ()
    notes = note_sides(tally.systems, count_sides(tally))
    if not notes:
        return False, ()
    if asked is None:
        try:
            find_residuals(tally, order_effect=True)
        except (NotIdentified, NotConverged, UnknownOption):
            return False, (*notes, BLIND)
        return True, (*notes, BESIDE)
    return False, (*notes, BLIND)
