"""A batch of pairs in the making: what was taken, and what is expected of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.active.belief import Belief
from evenhand.active.state import State

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Integers = NDArray[np.intp]

START: Final = "start-up"
RANDOM: Final = "random"
CHOSEN: Final = "chosen"


@dataclass(frozen=True)
class Choice:
    """A pair to ask about.

    Attributes:
        left: the system to show first.
        right: the other.
        kind: "start-up", "random" or "chosen".
        reason: why, in words.

    """

    left: str
    right: str
    kind: str
    reason: str


class Batch:
    """Pairs that are asked together: none comes again while another may still be asked."""

    def __init__(self, state: State, top: int = 0) -> None:
        self.state, self.top = state, top
        self.systems, self.low, self.high = state.systems, state.low, state.high
        self.out = state.waiting.copy()
        self.loads = state.loads.copy()
        self.taken: list[tuple[int, str, str]] = []
        self._belief: Belief | None = None
        self._expected = 0

    @property
    def belief(self) -> Belief:
        """What is believed, the pairs taken so far counted as answered on average."""
        if self._belief is None:
            self._belief = self.state.belief
        for pair, _, _ in self.taken[self._expected :]:
            self._belief = self._belief.expect(int(self.low[pair]), int(self.high[pair]))
        self._expected = len(self.taken)
        return self._belief

    @property
    def free(self) -> Mask:
        """(P,) the pairs that may be taken: allowed ones, of them those least often out."""
        allowed = self.state.allowed
        least = self.out[allowed].min()
        return np.asarray(allowed & (self.out == least))

    def take(self, pair: int, kind: str, reason: str) -> None:
        """Take a pair."""
        self.taken.append((pair, kind, reason))
        self.out[pair] += 1
        self.loads[[self.low[pair], self.high[pair]]] += 1

    def take_best(self, scores: Array, say: Callable[[Batch, int, float], str]) -> None:
        """Take the free pair with the highest score.

        Args:
            scores: (P,) of all pairs.
            say: puts the reason into words.

        """
        pair = int(np.argmax(np.where(self.free, scores, -np.inf)))
        self.take(pair, CHOSEN, say(self, pair, float(scores[pair])))
