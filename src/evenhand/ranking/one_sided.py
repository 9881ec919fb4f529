"""Whether a preference for one side may be in worths, since lot did not decide who stood where.

Comparisons tell a better output from a preferred side only where both outputs of a pair stand on
both sides. The rule is that of `anytime.sides`; where the advantage of the output shown first is
fitted, worths are beside it and nothing is said. Of rankings nothing is said either: who stands
first of two outputs is not drawn pair by pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.judgments.tally import Tally
from evenhand.ranking.anytime.sides import (
    ALPHA,
    Seen,
    count_pairs,
    find_largest_share,
    log_one_sided,
    note_sides,
)

LIMIT = "sides were not drawn by lot: a preference for one side may be in it"
"""What stands beside a claim that rests on such comparisons."""
UNEVEN = 0.6
"""Share of votes on one side, of a system or a pair, from which that stands beside the claim."""


@dataclass(frozen=True)
class OneSided:
    """What is to be said of sides that were not drawn by lot.

    Attributes:
        notes: that they were not; empty where lot explains them, or does not matter.
        uneven: whether they were so far from lot that a preference for one may carry a claim. In
            very many votes also a share of 51 % is not explained by lot; a note says so, and no
            more.

    """

    notes: tuple[str, ...] = ()
    uneven: bool = False


def find_one_sided(tally: Tally, model: Any, *, of_pairs: bool) -> OneSided:
    """Return what is to be said of sides that were not drawn by lot.

    Args:
        tally: the counts that are ranked.
        model: settings of the model; one that fits an order effect allows for sides.
        of_pairs: whether answers are comparisons, and no rankings.

    >>> names, codes = ("new", "old"), np.array([[0, 1]], dtype=np.int32)
    >>> tally = Tally(names, *codes.T, *np.array([[50.0], [15.0], [35.0]]), n_judgments=100.0)
    >>> found = find_one_sided(tally, None, of_pairs=True)
    >>> found.uneven, found.notes[0][:72]
    (True, 'sides were not drawn by lot: new stood first in 100 of 100 votes, old st')
    """
    if not of_pairs or not tally.positions_known or getattr(model, "order_effect", False):
        return OneSided()
    seen = count_sides(tally)
    notes = note_sides(tally.systems, seen)
    return OneSided(notes, bool(notes) and find_largest_share(len(tally.systems), seen) >= UNEVEN)


def count_sides(tally: Tally) -> Seen:
    """Return votes by who stood first; importance weights as the votes that they are worth."""
    pooled = tally.pool()
    votes = pooled.counts.sum(axis=1)
    if pooled.squares is not None:
        votes = votes * (votes.sum() / pooled.squares.sum())
    left, right = (side.astype(np.int64) for side in (pooled.left, pooled.right))
    return left, right, votes.round()


def have_pairs_own_sides(k: int, seen: Seen) -> bool:
    """Whether pairs taken together keep to one order each more than lot explains.

    Of five votes on a pair all in one order say little, of five on each of a hundred pairs much.
    The evidence of pairs multiplies, since lot is drawn for each by itself.

    Args:
        k: number of systems.
        seen: who stood first, who second, and in how many votes.

    >>> first, second = np.triu_indices(5, 1)
    >>> [have_pairs_own_sides(5, (first, second, np.full(10, n))) for n in (1.0, 2.0, 5.0)]
    [False, False, True]
    """
    _, stood, other = count_pairs(k, seen)
    return bool(log_one_sided(stood, other).sum() >= -np.log(ALPHA))
