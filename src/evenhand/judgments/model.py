"""What every way to rank gives back: scores by a rule, in one shape.

A rule (win rate, feedback arc set, TrueSkill, ...) is no model: it says an order, and at most a
number behind it. All of them return `Scores`, so that one table shows them side by side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Scores:
    """What a rule says of each system.

    Attributes:
        rule: the rule's name, as it is asked for.
        systems: the K systems, sorted by name.
        values: (K,) scores, higher is better; for rules that only order, minus the place.
        unit: what a score is, such as "proportion" or "place".
        stderr: (K,) standard errors where the rule has them, else None.
        rank_lower: (K,) best place of each system where the rule gives ranges, else None.
        rank_upper: (K,) worst place.
        cluster: (K,) cluster of each system, 1 is best, where the rule makes clusters.
        settings: what changes the numbers, for the signature, such as "seed=20131".
        notes: what must be known, such as ties between optima.

    """

    rule: str
    systems: tuple[str, ...]
    values: Array
    unit: str
    stderr: Array | None = None
    rank_lower: Integers | None = None
    rank_upper: Integers | None = None
    cluster: Integers | None = None
    settings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def order(self) -> tuple[str, ...]:
        """The systems best first; equal scores by name."""
        return tuple(self.systems[i] for i in np.argsort(-self.values, kind="stable"))

    @property
    def places(self) -> Integers:
        """(K,) place of each system; equal scores share the best of theirs.

        >>> Scores("wins", ("a", "b", "c"), np.array([0.5, 0.7, 0.5]), "proportion").places.tolist()
        [2, 1, 2]
        """
        better = self.values[None, :] > self.values[:, None]
        return np.asarray(1 + better.sum(axis=1), dtype=np.int64)
