"""What judges said of pairs, counted as answers come, change and go."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.design.policy import State, number_pairs
from evenhand.judgments.tally import Tally

Counts = NDArray[np.float64]
Mask = NDArray[np.bool_]
Codes = NDArray[np.signedinteger[Any]]
WON, TIED, LOST = 0, 1, 2
# What was said → what it says of whoever stood left
OUTCOMES: Final = {"left": WON, "tie": TIED, "both_bad": TIED, "right": LOST}


class PairCounts:
    """Answers of each pair of systems; pair p is of systems `low[p]` < `high[p]`, as in a `State`.

    systems: by their codes.
    low: (P,) code of the first system of each pair.
    high: (P,) code of the second.
    counts: (3, P) how often the first was preferred, neither, the second.
    waiting: (P,) pairs that were handed out and are not answered.
    sides: (P,) how much oftener the first stood left than the second did.
    """

    def __init__(self, systems: tuple[str, ...]) -> None:
        """Count nothing yet."""
        self.systems = systems
        self.low, self.high = np.triu_indices(len(systems), 1)
        self.counts = np.zeros((3, len(self.low)))
        self.waiting = np.zeros(len(self.low))
        self.sides = np.zeros(len(self.low), dtype=np.int64)
        self.answers = self.new = 0
        self._code = {name: at for at, name in enumerate(systems)}
        self._numbers: dict[tuple[str, ...], tuple[int, bool]] = {}
        self._said: dict[int, tuple[int, int]] = {}
        self._near: Counts | None = None

    def number(self, shown: tuple[str, ...]) -> tuple[int, bool]:
        """Return the number of a pair, and whether it is turned: the second of it stands left."""
        if shown not in self._numbers:
            one, other = (self._code[name] for name in shown)
            pair = int(number_pairs([one], [other], len(self.systems))[0])
            self._numbers[shown] = pair, one > other
        return self._numbers[shown]

    def answer(self, ticket: int, shown: tuple[str, ...], outcome: str | None) -> None:
        """Take up what stands for a ticket now; None for nothing."""
        before = self._said.pop(ticket, None)
        if before is not None:
            self._count(before, -1)
        if outcome is not None:
            pair, turned = self.number(shown)
            said = OUTCOMES[outcome]
            self._said[ticket] = (pair, 2 - said if turned else said)
            self._count(self._said[ticket], 1)
        self.new += 1

    def is_answered(self, ticket: int) -> bool:
        """Say whether an answer stands for a ticket."""
        return ticket in self._said

    def show(self, shown: tuple[str, ...], n: int) -> None:
        """Count who stands left."""
        pair, turned = self.number(shown)
        self.sides[pair] += -n if turned else n

    def look(self, allowed: Mask) -> State:
        """Return what is known when the next pairs are chosen."""
        met = np.flatnonzero(self.counts.any(axis=0))
        ends = (self.low[met].astype(np.int32), self.high[met].astype(np.int32))
        won, tied, lost = self.counts[:, met]
        tally = Tally(self.systems, *ends, won, tied, lost, n_judgments=float(self.answers))
        state = State(tally, self.waiting.copy(), allowed, near=self._near)
        if self.answers:
            self._near = state.now.mean
        self.new = 0
        return state

    def _count(self, said: tuple[int, int], n: int) -> None:
        pair, outcome = said
        self.counts[outcome, pair] += n
        self.answers += n
