"""What a fitted baseline holds: chances of each pair, and what can be said of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from evenhand.preference.coefficients import Coefficient
from evenhand.preference.pair_counts import Codes, PairCounts, code_sides

Array = NDArray[np.float64]
NO_ERRORS: Final = "no standard errors, tests or intervals: this model describes, it tests nothing"


class PairLaw(Protocol):
    """How likely left, tie and right are for two systems."""

    def chances(self, left: Codes, right: Codes) -> Array:
        """Return (n, 3) chances."""

    def coefficients(self, systems: Sequence[str]) -> tuple[Coefficient, ...]:
        """Return every parameter: o is ½ ln(won / lost), g is ln(tied / √(won · lost))."""

    def extras(self, systems: Sequence[str]) -> Mapping[str, Any]:
        """Return what stands beside the coefficients, for machines."""


class Named(Protocol):
    """Settings of a baseline."""

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """Settings that change numbers."""


@dataclass(frozen=True, eq=False)
class BaselineFit:
    """A fitted baseline.

    Attributes:
        model: the settings.
        law: chances of pairs.
        counts: what was counted.
        findings: lines for people.
        notes: what a report should say beside the numbers.

    """

    model: Named
    law: PairLaw
    counts: PairCounts
    findings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """The K systems, sorted by name."""
        return self.counts.systems

    @cached_property
    def log_worth(self) -> Array:
        """(K,) mean over all systems of ln(P(win) / P(loss)) against them, 0 against itself.

        Over both orders of a pair; they sum to zero.
        """
        k = len(self.systems)
        odds = np.zeros((k, k))
        left, right = np.nonzero(~np.eye(k, dtype=np.bool_))
        chances = self.law.chances(left, right)
        odds[left, right] = np.log(chances[:, 0]) - np.log(chances[:, 2])
        return np.asarray((odds - odds.T).mean(axis=1) / 2)

    @property
    def worth_vcov(self) -> None:
        """None: the model has no worths that could have a covariance."""
        return None

    @cached_property
    def coefficients(self) -> tuple[Coefficient, ...]:
        """Every parameter, without errors."""
        return self.law.coefficients(self.systems)

    @property
    def scale(self) -> str:
        """What the estimates of `coefficients` are: of counts as they came, not of worths."""
        return "half log-odds"

    @property
    def extras(self) -> Mapping[str, Any]:
        """What stands beside the coefficients, for machines."""
        return self.law.extras(self.systems)

    @cached_property
    def loglik(self) -> float:
        """Log-likelihood (nats) of the judgments that the chances were made of, prior left out."""
        shown = self.counts.shown
        counts = shown.counts
        chances = self.law.chances(shown.left.astype(np.intp), shown.right.astype(np.intp))
        seen = counts > 0
        return float((counts[seen] * np.log(chances[seen])).sum())

    @property
    def n_judgments(self) -> float:
        """Answers; a ranking is one."""
        return self.counts.shown.n_judgments

    @property
    def n_comparisons(self) -> float:
        """Pairs."""
        return self.counts.shown.n_comparisons

    @property
    def says(self) -> tuple[str, ...]:
        """Lines for people."""
        return (*self.findings, NO_ERRORS)

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """Settings that change numbers."""
        return self.model.signature_parts

    def predict(self, pairs: Sequence[tuple[str, str]]) -> Array:
        """Return (n, 3) chances of left, tie, right.

        Raises:
            InvalidJudgments: a system that the fit does not know, or a system with itself.

        """
        return self.law.chances(*code_sides(self.systems, pairs))

    def __repr__(self) -> str:
        return (
            f"BaselineFit({self.model!r}: {len(self.systems)} systems,"
            f" {self.n_comparisons:,.0f} comparisons, loglik {self.loglik:.4f})"
        )


def name_shares(suffix: str, label: str, chances: Array) -> tuple[Coefficient, Coefficient]:
    """Return three chances as two coefficients, without errors.

    Args:
        suffix: what stands behind the o and the g, such as "1" or "1:2".
        label: whose chances they are.
        chances: (3,) left, tie, right.

    """
    won, tied, lost = np.log(chances).tolist()
    rows = (
        (f"o{suffix}", label, (won - lost) / 2),
        (f"g{suffix}", f"tie of {label}", tied - (won + lost) / 2),
    )
    first, second = (Coefficient(*row, None, None, None) for row in rows)
    return first, second
