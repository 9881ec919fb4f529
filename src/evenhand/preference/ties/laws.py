"""How a difference in worth, and a tie parameter, become the chances of the three outcomes.

With λ the worths on the papers' scale and η = λ_left − λ_right (+ δ where the order matters):

    Davidson (1970)            p ∝ exp(η), exp(γ), exp(−η)
    γ = 0, ties kept           the same with γ = 0: what Dras (2015) calls leaving the ties out
    two outcomes               p(left) = 1 / (1 + exp(−2η)); ties dropped or split in halves

The laws with a threshold (Rao & Kupper, Glenn & David) stand in ties/thresholds.py.

Every law takes η of shape (C,), the tie parameter t (γ, or ξ = log τ so that τ stays positive) and
counts (C, 3) of left, tie, right, and gives log-likelihood, derivatives and information per entry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Tie: TypeAlias = "float | Array"
"""The tie parameter t: one for all entries, or one for each, (C,)."""
BLOCK: Final = 8_192
"""Entries taken at once, so that what is in between stays in the processor's cache."""
ENDLESS: Final = 300.0
"""A γ beyond which a tie is certain: a wild step of Newton's must not overflow."""


@dataclass(frozen=True, eq=False)
class Local:
    """Log-likelihood of each entry to second order in (η, t); all of shape (C,).

    Attributes:
        value: log-likelihood.
        eta: its derivative by η.
        tie: its derivative by t.
        eta_eta: minus the second derivative by η; likewise `eta_tie`, `tie_tie`.
        eta_tie: see eta_eta.
        tie_tie: see eta_eta.

    """

    value: Array
    eta: Array
    tie: Array
    eta_eta: Array
    eta_tie: Array
    tie_tie: Array


class TieLaw(Protocol):
    """What the likelihood asks of a tie model."""

    @property
    def free(self) -> bool:
        """Whether the tie parameter is estimated."""

    def expand(self, eta: Array, tie: Tie, counts: Array) -> Local:
        """Return the log-likelihood of each entry to second order."""

    def log_chances(self, eta: Array, tie: Tie) -> Array:
        """Return (C, 3) log-probabilities of left, tie, right."""

    def scores(self, eta: Array, tie: Tie) -> tuple[Array, Array]:
        """Return (C, 3) derivatives of each outcome's log-probability by η and by t."""

    def start(self, counts: Array) -> float:
        """Return a first value of the tie parameter."""


@dataclass(frozen=True)
class Davidson:
    """Davidson's ties; with free=False γ is fixed at 0 and the tie cells stay."""

    free: bool = True

    def log_chances(self, eta: Array, tie: Tie) -> Array:
        """Return (C, 3) log-probabilities of left, tie, right."""
        exponents = np.stack([eta, np.full_like(eta, tie), -eta], axis=1)
        top = exponents.max(axis=1, keepdims=True)
        shifted = exponents - top
        return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))

    def expand(self, eta: Array, tie: Tie, counts: Array) -> Local:
        """Return the log-likelihood of each entry to second order.

        Chances stand in proportion to 1 (the stronger), √weak · ν (a tie) and weak: one exponential
        serves all, and values and variances are no differences of nearly equal numbers. What is no
        longer needed is written over: moving numbers is what takes the time.
        """
        tie = np.minimum(tie, ENDLESS)
        won, ties, lost = counts.T
        size, side = np.abs(eta), np.copysign(1.0, eta)
        root = np.exp(-size)
        weak, none = root * root, np.exp(tie) * root
        either = 1.0 + weak
        total = either + none
        decided, net = won + lost, won - lost
        n = decided + ties
        upsets = decided - net * side  # twice those that the stronger lost
        upsets *= size
        each = n / total
        tied = each * none
        side *= 1.0 - weak
        bound = tied / total
        cross = -bound * side
        bound *= either
        curve = 4.0 * weak * each
        curve /= total
        curve += bound
        value = ties * (tie - size)
        value -= upsets
        value -= n * np.log1p(weak + none)
        return Local(value, net - each * side, ties - tied, curve, cross, bound)

    def scores(self, eta: Array, tie: Tie) -> tuple[Array, Array]:
        """Return (C, 3) derivatives of each outcome's log-probability by η and by t."""
        chances = np.exp(self.log_chances(eta, tie))
        mean = chances[:, :1] - chances[:, 2:]
        return np.array([1.0, 0.0, -1.0]) - mean, np.array([0.0, 1.0, 0.0]) - chances[:, 1:2]

    def start(self, counts: Array) -> float:
        """Return γ for systems of equal worth."""
        won, tied, lost = counts.sum(axis=0)
        return float(np.log(2 * (tied + 0.5) / (won + lost + 1.0))) if self.free else 0.0


@dataclass(frozen=True)
class TwoOutcomes:
    """Plain Bradley-Terry: no tie cells; counts of ties must be zero."""

    free: bool = False

    def log_chances(self, eta: Array, tie: Tie) -> Array:  # noqa: ARG002 - as every law
        """Return (C, 3) log-probabilities; a tie has none."""
        won = -np.logaddexp(0, -2 * eta)
        return np.stack([won, np.full_like(eta, -np.inf), won - 2 * eta], axis=1)

    def expand(self, eta: Array, tie: Tie, counts: Array) -> Local:  # noqa: ARG002 - as every law
        """Return the log-likelihood of each entry to second order."""
        size, side = np.abs(eta), np.copysign(1.0, eta)
        weak = np.exp(-2 * size)
        won, _, lost = counts.T
        n, net = won + lost, won - lost
        each = n / (1.0 + weak)
        value = (net * side - n) * size - n * np.log1p(weak)
        slope = net - each * (1.0 - weak) * side
        none = np.zeros_like(eta)
        return Local(value, slope, none, 4.0 * weak * each / (1.0 + weak), none, none)

    def scores(self, eta: Array, tie: Tie) -> tuple[Array, Array]:  # noqa: ARG002 - as every law
        """Return (C, 3) derivatives of each outcome's log-probability by η and by t."""
        return np.array([1.0, 0.0, -1.0]) - np.tanh(eta)[:, None], np.zeros((len(eta), 3))

    def start(self, counts: Array) -> float:  # noqa: ARG002 - as every law
        """Return nothing to start from."""
        return 0.0


def expand_blocks(law: TieLaw, eta: Array, tie: Tie, counts: Array) -> Local:
    """Return the log-likelihood of each entry to second order, some thousand entries at a time."""
    if len(eta) <= BLOCK:
        return law.expand(eta, tie, counts)
    whole = np.empty((6, len(eta)))
    for start in range(0, len(eta), BLOCK):
        rows = slice(start, start + BLOCK)
        part = law.expand(
            eta[rows], tie[rows] if isinstance(tie, np.ndarray) else tie, counts[rows]
        )
        parts = (part.value, part.eta, part.tie, part.eta_eta, part.eta_tie, part.tie_tie)
        for row, values in enumerate(parts):
            whole[row, rows] = values
    return Local(*whole)
