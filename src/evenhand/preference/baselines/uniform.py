"""Chances that are the same for all pairs: uniform, and uniform but for the share of ties.

    Uniform:             Q(π | s1, s2) = 1/3
    adjusted uniform:    Q(tie) = (α + n_tie) / (3α + n),   Q(left) = Q(right) = (1 − Q(tie)) / 2

Source: Hopkins & May (2013), sections 5.1 and 5.2. Their formula of the second has α = 0; they say
elsewhere that the Dirichlet strength of each baseline was 1, which is the default here. Perplexity
of the first is 3 on any judgments.

When not to use them: to rank. They know nothing of systems; a model that does not beat the second
on judgments that it has not seen has learned nothing but how often judges tie.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified
from evenhand.judgments.forms import Judgments
from evenhand.preference.baselines.dirichlet import require_strength
from evenhand.preference.baselines.fit import BaselineFit
from evenhand.preference.coefficients import Coefficient
from evenhand.preference.pair_counts import Codes, pair_up

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Uniform:
    """Left, tie and right are equally likely, whatever was judged.

    >>> from evenhand.judgments import Tally
    >>> one, two = np.array([0], np.int32), np.array([1], np.int32)
    >>> counts = np.array([61.0]), np.array([24.0]), np.array([35.0])
    >>> fit = Uniform().fit(Tally(("new", "old"), one, two, *counts, n_judgments=120))
    >>> fit.predict([("new", "old")]).round(3).tolist()
    [[0.333, 0.333, 0.333]]
    """

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """Settings that change numbers."""
        return ()

    def fit(self, data: Judgments) -> BaselineFit:
        """Note the systems; nothing is estimated.

        Raises:
            InvalidJudgments: a bad cell, or something that holds no judgments on pairs.
            NotIdentified: there are fewer than two systems.
            UnknownOption: importance weights.

        """
        counts = pair_up(data)
        return BaselineFit(self, SameForAll(1 / 3, estimated=False), counts)


@dataclass(frozen=True)
class AdjustedUniform:
    """A tie as likely as ties were, left and right equally likely.

    Attributes:
        strength: pseudo-counts α of each outcome; 0 gives the formula as it is printed.

    >>> from evenhand.judgments import Tally
    >>> one, two = np.array([0], np.int32), np.array([1], np.int32)
    >>> counts = np.array([61.0]), np.array([24.0]), np.array([35.0])
    >>> fit = AdjustedUniform(strength=0).fit(Tally(("new", "old"), one, two, *counts))
    >>> fit.predict([("new", "old")]).round(3).tolist()
    [[0.4, 0.2, 0.4]]
    """

    strength: float = 1.0

    def __post_init__(self) -> None:
        """Refuse settings that do not exist.

        Raises:
            UnknownOption: names the setting and what it may be.

        """
        require_strength(self.strength, least="zero")

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """Settings that change numbers."""
        return (f"strength {self.strength:g}",)

    def fit(self, data: Judgments) -> BaselineFit:
        """Count the ties.

        Raises:
            InvalidJudgments: a bad cell, or something that holds no judgments on pairs.
            NotIdentified: there are fewer than two systems; or no judgments, or only
                ties, and strength 0.
            UnknownOption: importance weights.

        """
        counts = pair_up(data)
        left, ties, right = counts.totals.tolist()
        total = left + ties + right
        if not (total or self.strength):
            raise NotIdentified("the share of ties is not identified: there is no comparison")
        if not (left + right + self.strength):
            raise NotIdentified(
                f"every comparison is a tie ({ties:,.0f}): left and right would have no chance",
                ["take a strength above 0"],
            )
        share = (ties + self.strength) / (total + 3 * self.strength)
        said = (f"tie {share:.4f}, left and right {(1 - share) / 2:.4f} each",)
        return BaselineFit(self, SameForAll(share, estimated=True), counts, said)


@dataclass(frozen=True)
class SameForAll:
    """The same chances for every pair.

    Attributes:
        tie: chance of a tie; left and right share the rest.
        estimated: whether it was found in judgments.

    """

    tie: float
    estimated: bool

    def chances(self, left: Codes, right: Codes) -> Array:  # noqa: ARG002 - as every law
        """Return (n, 3) chances."""
        side = (1 - self.tie) / 2
        return np.tile([side, self.tie, side], (len(left), 1))

    def coefficients(self, systems: Sequence[str]) -> tuple[Coefficient, ...]:  # noqa: ARG002
        """Return γ of ties, where it is finite."""
        if not (self.estimated and 0 < self.tie < 1):
            return ()
        gamma = float(np.log(2 * self.tie / (1 - self.tie)))
        return (Coefficient("g1", "tie", gamma, None, None, None),)

    def extras(self, systems: Sequence[str]) -> Mapping[str, Any]:  # noqa: ARG002 - as every law
        """Return the chance of a tie."""
        return {"tie": self.tie}
