"""What the check of existence looks at: counts of outcomes by pair, and by judge group if any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments

Codes = NDArray[np.integer]
Counts = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Cells:
    """Counts of outcomes in coordinate form; a pair may have several rows.

    With an order effect the left system is the one shown first; without one, pairs may be folded.

    Attributes:
        systems: names of the K systems.
        left: code of one system of each row, 0 to K − 1, shape (C,).
        right: code of the other.
        wins: how often left was preferred.
        ties: how often neither was.
        losses: how often right was preferred.
        group: code of the judge group of each row, where each group has worths of its own.
        groups: names of the groups.

    Raises:
        InvalidJudgments: arrays of different lengths, a count that is negative or not a number, a
            system compared with itself.

    """

    systems: Sequence[str]
    left: Codes
    right: Codes
    wins: Counts
    ties: Counts
    losses: Counts
    group: Codes | None = None
    groups: Sequence[str] = ()

    def __post_init__(self) -> None:
        codes = (
            (self.left, self.right) if self.group is None else (self.left, self.right, self.group)
        )
        counts = (self.wins, self.ties, self.losses)
        if len({len(column) for column in (*codes, *counts)}) > 1:
            raise InvalidJudgments("the columns of a tally must be of one length")
        for name, count in zip(("wins", "ties", "losses"), counts, strict=True):
            if len(count) and not (count.min() >= 0 and np.isfinite(count.max())):
                raise InvalidJudgments(f"{name} must be counts: finite and not negative")
        same = np.flatnonzero(self.left == self.right)
        if same.size:
            system = self.systems[int(self.left[same[0]])]
            raise InvalidJudgments(f'"{system}" is compared with itself: leave such rows out')
