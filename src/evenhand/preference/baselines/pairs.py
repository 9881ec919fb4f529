"""Independent pairs: the chances of each pair by its own counts.

    Q(π | s1, s2) = (α + n_π(s1, s2) + n_π̂(s2, s1)) / (3α + n(s1, s2) + n(s2, s1))

π̂ is π with left and right exchanged: a pair and its mirror image share counts. Source: Hopkins &
May (2013), section 6.1, with α = 1.

When not to use it: with few judgments for each of the K(K − 1)/2 pairs. It learns nothing of a pair
from other pairs, so that it needs many more judgments than models with a worth for each system;
beyond that it is right about systems that beat each other in a circle, which those are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.forms import Judgments
from evenhand.preference.baselines.dirichlet import require_strength, shares
from evenhand.preference.baselines.fit import BaselineFit, name_shares
from evenhand.preference.coefficients import Coefficient
from evenhand.preference.pair_counts import Codes, PairCounts, pair_up

Array = NDArray[np.float64]


@dataclass(frozen=True)
class IndependentPairs:
    """Each pair by its own counts.

    Attributes:
        strength: pseudo-counts α of each outcome of each pair, above zero.

    >>> from evenhand.judgments import Tally
    >>> one, two = np.array([0], np.int32), np.array([1], np.int32)
    >>> counts = np.array([61.0]), np.array([24.0]), np.array([35.0])
    >>> fit = IndependentPairs().fit(Tally(("new", "old"), one, two, *counts))
    >>> fit.predict([("old", "new")]).round(3).tolist()
    [[0.293, 0.203, 0.504]]
    """

    strength: float = 1.0

    def __post_init__(self) -> None:
        """Refuse settings that do not exist.

        Raises:
            UnknownOption: names the setting and what it may be.

        """
        require_strength(
            self.strength, least="pairs that were never compared would have no chances at all"
        )

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """Settings that change numbers."""
        return (f"strength {self.strength:g}",)

    def fit(self, data: Judgments) -> BaselineFit:
        """Count the outcomes of each pair.

        Raises:
            InvalidJudgments: a bad cell, or something that holds no judgments on pairs.
            NotIdentified: there are fewer than two systems.
            UnknownOption: importance weights.

        """
        counts = pair_up(data)
        k = len(counts.systems)
        said = (f"{len(counts.low):,} of {k * (k - 1) // 2:,} pairs were compared",)
        notes = counts.note_unseen("all outcomes are equally likely for their pairs")
        return BaselineFit(self, OwnCounts(counts, self.strength), counts, said, notes)


@dataclass(frozen=True, eq=False)
class OwnCounts:
    """Chances of each pair by its own counts.

    Attributes:
        counts: the counts.
        strength: pseudo-counts of each outcome.

    """

    counts: PairCounts
    strength: float

    def chances(self, left: Codes, right: Codes) -> Array:
        """Return (n, 3) chances."""
        return shares(self.counts.between(left, right), self.strength)

    def coefficients(self, systems: Sequence[str]) -> tuple[Coefficient, ...]:
        """Return o and g of each pair that was compared."""
        own = shares(self.counts.counts, self.strength)
        sides = zip(self.counts.low.tolist(), self.counts.high.tolist(), own, strict=True)
        return tuple(
            coefficient
            for i, j, chances in sides
            for coefficient in name_shares(
                f"{i + 1}:{j + 1}", f"{systems[i]} : {systems[j]}", chances
            )
        )

    def extras(self, systems: Sequence[str]) -> Mapping[str, Any]:
        """Return the chances of each pair that was compared."""
        own = shares(self.counts.counts, self.strength).tolist()
        low, high = self.counts.low.tolist(), self.counts.high.tolist()
        names = ("first", "second", "left", "tie", "right")
        rows = ((systems[i], systems[j], *p) for i, j, p in zip(low, high, own, strict=True))
        return {"pairs": [dict(zip(names, row, strict=True)) for row in rows]}
