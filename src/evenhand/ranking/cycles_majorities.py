"""Circles of three majorities: are they more than chance makes of each of the three?"""

from __future__ import annotations

from typing import Final

from evenhand.judgments.tally import Tally
from evenhand.numerics.distributions import normal_quantile
from evenhand.ranking.cycles_result import Cycle, Cycles

CONFIDENCE: Final = 0.95
"""Of each majority, one-sided."""


def find_sure_circle(cycles: Cycles, tally: Tally) -> Cycle | None:
    """Return the strongest circle whose three majorities are all sure; None where there is none.

    Nothing is sure where pairs deviate from worths no more than by chance.

    Args:
        cycles: what `find_cycles` found.
        tally: the same judgments.

    """
    if not cycles.real:
        return None
    closed = (one for one in cycles.cycles if one.closed)
    return next((one for one in closed if is_sure(one, tally)), None)


def is_sure(one: Cycle, tally: Tally) -> bool:
    """Whether each of the three majorities is more than chance makes, one-sided at .05.

    A share p of n votes of equals is about normal with mean 1/2 and standard deviation 1/(2 √n).

    Args:
        one: three systems that make a circle of majorities.
        tally: the judgments, their votes taken for independent.

    >>> import numpy as np
    >>> codes, won = np.array([[0, 1], [1, 2], [2, 0]], dtype=np.int32), np.full(3, 30.0)
    >>> tally = Tally(("a", "b", "c"), *codes.T, won, np.zeros(3), won / 2)
    >>> [is_sure(Cycle(("a", "b", "c"), (p, p, p), 0, 0, 0, (), ()), tally) for p in (0.61, 0.64)]
    [False, True]
    """
    enough = normal_quantile(CONFIDENCE)
    return all(
        (share - 0.5) * 2 * _count_votes(tally, one.systems[at], one.systems[(at + 1) % 3]) ** 0.5
        >= enough
        for at, share in enumerate(one.won)
    )


def _count_votes(tally: Tally, first: str, second: str) -> float:
    """Return the decided comparisons of two systems."""
    one, two = tally.systems.index(first), tally.systems.index(second)
    at = ((tally.left == one) & (tally.right == two)) | ((tally.left == two) & (tally.right == one))
    return float((tally.wins + tally.losses)[at].sum())
