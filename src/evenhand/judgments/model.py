"""What models of preference promise, and what every way to rank gives back.

A model of preference says how likely left, tie and right are for any two systems; whoever compares
models knows no more of them than that.

A rule (win rate, feedback arc set, TrueSkill, ...) is no model: it says an order, and at most a
number behind it. All of them return `Scores`, so that one table shows them side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.votes import Votes

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


class Predictor(Protocol):
    """A fit, as far as held-out judgments are concerned."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The K systems, sorted by name."""

    def predict(self, pairs: Sequence[tuple[str, str]]) -> Array:
        """Return (n, 3) chances of left, tie, right."""


class PreferenceModel(Protocol):
    """Settings that can be fitted."""

    def fit(self, data: Votes) -> Predictor:
        """Fit to votes; refuse in words (NotIdentified) where they determine no estimate."""


@dataclass(frozen=True, eq=False)
class Scores:
    """What a rule says of each system."""

    rule: str  # the rule's name, as it is asked for
    systems: tuple[str, ...]  # the K systems, sorted by name
    values: Array  # (K,) scores, higher is better; for rules that only order, minus the place
    unit: str  # what a score is, such as "proportion" or "place"
    stderr: Array | None = None  # (K,) standard errors where the rule has them, else None
    # (K,) best place of each system where the rule gives ranges, else None
    rank_lower: Integers | None = None
    rank_upper: Integers | None = None  # (K,) worst place
    # (K,) cluster of each system, 1 is best, where the rule makes clusters
    cluster: Integers | None = None
    # what changes the numbers, for the signature, such as "seed=20131"
    settings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # what must be known, such as ties between optima

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
