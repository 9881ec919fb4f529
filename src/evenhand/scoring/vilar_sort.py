"""Vilar's sort: systems are sorted, and the majority of judgments on a pair compares the two.

    s before o  ⇔  R_so > 0,   R_so = (w_so − w_os) / m_so,   by merge insertion

Vilar, Leusch, Ney & Banchs (2007) take ranking systems as sorting them by "is better than", for
which a few pairs suffice, and point to Knuth for how few. Our reading: the sort is merge insertion
(Ford & Johnson 1959; Knuth, The Art of Computer Programming, volume 3, section 5.3.1); it begins
with systems in the order of their `vilar` score; where a pair never met or is even, that score
decides, then the name.

When not to use it: where majorities run in circles the order depends on which pairs the sort came
to ask, and pairs that it did not ask may contradict it: a note counts them. With all pairs judged
`feedback-arc-set` uses all of them. The sort is meant for asking judges as few pairs as possible.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.model import Scores
from evenhand.judgments.tally import Tally
from evenhand.numerics.merge_insertion import merge_insertion
from evenhand.scoring.standings import list_meetings
from evenhand.scoring.vilar import score_vilar


def score_vilar_sort(tally: Tally) -> Scores:
    """Order systems by merge insertion, the majority of judgments being the comparator.

    Args:
        tally: counts; groups, judges and who was shown first are pooled.

    Returns:
        Minus the places, with notes on the pairs that were asked and contradicted.

    Raises:
        NotIdentified: no chain of comparisons joins all systems.

    >>> import polars as pl
    >>> from evenhand import read
    >>> votes = {"left": ["x", "y", "x"], "right": ["y", "z", "z"], "winner": ["right"] * 3}
    >>> score_vilar_sort(read(pl.DataFrame(votes)).tally()).order
    ('z', 'y', 'x')
    """
    met = list_meetings(tally)
    k = len(tally.systems)
    net = np.zeros((k, k))
    net[met.system, met.opponent] = met.wins - met.losses
    start = np.argsort(-score_vilar(tally).values, kind="stable")
    majority = _Majority(net, np.argsort(start, kind="stable"))
    order = merge_insertion(start.tolist(), majority.prefers)
    values = np.empty(k)
    values[order] = -np.arange(1.0, k + 1)
    return Scores("vilar-sort", tally.systems, values, "place", notes=_notes(majority, order))


@dataclass(frozen=True, eq=False)
class _Majority:
    """The comparator: (K, K) net wins, and the places that decide where these are even."""

    net: NDArray[np.float64]
    place: NDArray[np.intp]
    asked: set[tuple[int, int]] = field(default_factory=set)

    def prefers(self, one: int, other: int) -> bool:
        """Say whether `one` stands before `other`."""
        self.asked.add((min(one, other), max(one, other)))
        wins = self.net[one, other]
        return bool(wins > 0 if wins else self.place[one] < self.place[other])


def _notes(majority: _Majority, order: list[int]) -> tuple[str, ...]:
    k = len(order)
    against = int(np.count_nonzero(np.tril(majority.net[np.ix_(order, order)], -1) > 0))
    even = sum(1 for pair in majority.asked if majority.net[pair] == 0)
    pairs = k * (k - 1) // 2
    notes = [f"the sort asked {len(majority.asked):,} of {pairs:,} pair{'s' * (pairs != 1)}"]
    if even:
        notes.append(f"{even:,} of them had no majority: the vilar score decided")
    if against:
        of = "one pair contradicts" if against == 1 else f"{against:,} pairs contradicts"
        notes.append(f"the majority of {of} the order")
    return tuple(notes)
