"""Collected judgments as a pool of answers, drawn without putting them back."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evenhand.active.state import State, number_pairs
from evenhand.errors import UnknownOption
from evenhand.judgments.tally import Tally

Counts = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pool:
    """Answers that were collected, by pair.

    Attributes:
        systems: the K systems.
        answers: (P, 3) how often the first system of each pair was preferred, neither, the second.

    """

    systems: tuple[str, ...]
    answers: Counts

    @property
    def size(self) -> int:
        """Number of judgments."""
        return int(self.answers.sum())

    @property
    def per_pair(self) -> Counts:
        """Judgments of each pair that has any."""
        totals = self.answers.sum(axis=1)
        return np.asarray(totals[totals > 0])

    def shuffle(self, rng: np.random.Generator) -> list[list[int]]:
        """Return the answers of each pair, 0, 1 or 2, in random order."""
        rows = self.answers.astype(np.intp)
        return [rng.permutation(np.repeat((0, 1, 2), row)).tolist() for row in rows]

    def state(self, taken: Counts, near: Counts | None = None) -> State:
        """Return the state after some answers were taken; emptied pairs may not be asked.

        Args:
            taken: (P, 3) answers taken so far.
            near: (K,) log-worths from which the fit begins.

        """
        left = self.answers.sum(axis=1) > taken.sum(axis=1)
        return State(make_tally(self.systems, taken), np.zeros(len(left)), left, near)


def make_tally(systems: tuple[str, ...], counts: Counts) -> Tally:
    """Return (P, 3) counts of all pairs as a tally of those that have any."""
    low, high = np.triu_indices(len(systems), 1)
    used = counts.sum(axis=1) > 0
    ends = low[used].astype(np.int32), high[used].astype(np.int32)
    wins, ties, losses = counts[used].T
    return Tally(systems, *ends, wins, ties, losses, n_judgments=float(counts.sum()))


def pool_answers(tally: Tally) -> Pool:
    """Count answers by pair.

    Raises:
        UnknownOption: weights that are no counts.

    """
    folded = replace(tally, factors={}, squares=None).fold()
    if tally.squares is not None or (folded.counts % 1).any():
        raise UnknownOption("importance weights count no answers: read the table without them")
    k = len(tally.systems)
    answers = np.zeros((k * (k - 1) // 2, 3))
    answers[number_pairs(folded.left, folded.right, k)] = folded.counts
    return Pool(tally.systems, answers)
