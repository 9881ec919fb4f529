"""How a difference in worth, and a tie parameter, become the chances of the three outcomes.

With λ the worths on the papers' scale and η = λ_left − λ_right (+ δ where the order matters):

    Davidson (1970)            p ∝ exp(η), exp(γ), exp(−η)
    γ = 0, ties kept           the same with γ = 0: what Dras (2015) calls leaving the ties out
    two outcomes               p(left) = 1 / (1 + exp(−2η)); ties dropped or split in halves

The laws with a threshold (Rao & Kupper, Glenn & David) stand in threshold_laws.py.

Every law takes η of shape (C,), the tie parameter t (γ, or ξ = log τ so that τ stays positive) and
counts (C, 3) of left, tie, right, and gives log-likelihood, derivatives and information per entry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


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

    def expand(self, eta: Array, tie: float, counts: Array) -> Local:
        """Return the log-likelihood of each entry to second order."""

    def log_chances(self, eta: Array, tie: float) -> Array:
        """Return (C, 3) log-probabilities of left, tie, right."""

    def scores(self, eta: Array, tie: float) -> tuple[Array, Array]:
        """Return (C, 3) derivatives of each outcome's log-probability by η and by t."""

    def start(self, counts: Array) -> float:
        """Return a first value of the tie parameter."""


@dataclass(frozen=True)
class Davidson:
    """Davidson's ties; with free=False γ is fixed at 0 and the tie cells stay."""

    free: bool = True

    def log_chances(self, eta: Array, tie: float) -> Array:
        """Return (C, 3) log-probabilities of left, tie, right."""
        exponents = np.stack([eta, np.full_like(eta, tie), -eta], axis=1)
        top = exponents.max(axis=1, keepdims=True)
        shifted = exponents - top
        return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))

    def expand(self, eta: Array, tie: float, counts: Array) -> Local:
        """Return the log-likelihood of each entry to second order."""
        size = np.abs(eta)
        top = np.maximum(size, tie)
        strong, weak, none = np.exp(size - top), np.exp(-size - top), np.exp(tie - top)
        total = strong + weak + none
        sign = np.sign(eta)
        mean = sign * (strong - weak) / total
        tied = none / total
        won, ties, lost = counts.T
        n, net = won + ties + lost, won - lost
        return Local(
            value=net * eta + ties * tie - n * (np.log(total) + top),
            eta=net - n * mean,
            tie=ties - n * tied,
            eta_eta=n * (1 - tied - mean**2),
            eta_tie=-n * tied * mean,
            tie_tie=n * tied * (1 - tied),
        )

    def scores(self, eta: Array, tie: float) -> tuple[Array, Array]:
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

    def log_chances(self, eta: Array, tie: float) -> Array:
        """Return (C, 3) log-probabilities; a tie has none."""
        won = -np.logaddexp(0, -2 * eta)
        return np.stack([won, np.full_like(eta, -np.inf), won - 2 * eta], axis=1)

    def expand(self, eta: Array, tie: float, counts: Array) -> Local:
        """Return the log-likelihood of each entry to second order."""
        weak = np.exp(-2 * np.abs(eta))
        n = counts[:, 0] + counts[:, 2]
        mean = np.sign(eta) * (1 - weak) / (1 + weak)
        value = (counts[:, 0] - counts[:, 2]) * eta - n * (np.abs(eta) + np.log1p(weak))
        none = np.zeros_like(eta)
        slope = counts[:, 0] - counts[:, 2] - n * mean
        return Local(value, slope, none, n * (1 - mean**2), none, none)

    def scores(self, eta: Array, tie: float) -> tuple[Array, Array]:
        """Return (C, 3) derivatives of each outcome's log-probability by η and by t."""
        return np.array([1.0, 0.0, -1.0]) - np.tanh(eta)[:, None], np.zeros((len(eta), 3))

    def start(self, counts: Array) -> float:
        """Return nothing to start from."""
        return 0.0
