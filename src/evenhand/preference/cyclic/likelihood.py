"""The penalised log-likelihood of worths and circles, with gradient and information.

    x_ij = r_i − r_j + c_iᵀ Ω c_j,    η = x / 2 in the laws of ties

    ℓ(r, c, γ) − s/2 Σ ‖c_i‖² + prior/2 Σ ln σ(r_i) σ(−r_i)

The last term is half a win and half a loss, times the prior, of each system against a ghost at 0.
Ω has a block [[0, 1], [−1, 0]] for each plane. With B_j = (1, Ω c_j) both parts of x are one: x
moves by B_j with (r_i, c_i) and by −B_i with those of j. Of all c with the same A = c Ω cᵀ the
penalty takes the shortest, for which it is s/2 times the nuclear norm of A: where the residuals
without circles have a spectral norm below s, circles are zero, not small.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.newton import Expansion
from evenhand.preference.pair_counts import PairCounts
from evenhand.preference.ties.laws import Local, TieLaw, TwoOutcomes

Array = NDArray[np.float64]
REACH = 2.0
"""Longest step of a worth or coordinate."""


@dataclass(frozen=True, eq=False)
class CyclicLikelihood:
    """A penalised log-likelihood.

    Attributes:
        counts: outcomes of each pair.
        law: the law of ties.
        planes: k, the number of planes; c has 2k columns.
        strength: s, the penalty on c.
        prior: pseudo-comparisons of each system with the ghost.

    """

    counts: PairCounts
    law: TieLaw
    planes: int
    strength: float
    prior: float

    @property
    def shape(self) -> tuple[int, int]:
        """Systems, and parameters of each: its worth and 2k coordinates."""
        return len(self.counts.systems), 1 + 2 * self.planes

    def split(self, beta: Array) -> tuple[Array, float]:
        """Return (K, 1 + 2k) worth and coordinates of each system, and γ.

        Args:
            beta: (p,) the same row by row, then γ where it is free.

        """
        k, width = self.shape
        return beta[: k * width].reshape(k, width), float(beta[-1]) if self.law.free else 0.0

    def local(self, beta: Array) -> Local:
        """Return the log-likelihood of each pair to second order in η and γ."""
        systems, gamma = self.split(beta)
        low, high = self.counts.low, self.counts.high
        x = systems[low, 0] - systems[high, 0]
        x += (systems[low, 1:] * turn(systems[high, 1:])).sum(axis=1)
        return self.law.expand(x / 2, gamma, self.counts.counts)

    def loglik(self, beta: Array) -> float:
        """Return the log-likelihood (nats), without penalty and prior."""
        return float(self.local(beta).value.sum())

    def slope(self, beta: Array, before: Expansion | None = None) -> Expansion:  # noqa: ARG002
        """Return the penalised log-likelihood to first order; its information is left empty.

        Args:
            beta: (p,) where.
            before: what was found nearby, of which nothing is needed.

        """
        return self._expand(beta, lambda *_: np.zeros((0, 0)))

    def expand(self, beta: Array) -> Expansion:
        """Return the penalised log-likelihood with Fisher's information, positive definite."""
        return self._expand(beta, self._information)

    def _expand(self, beta: Array, inform: Callable[[Array, Local, Local], Array]) -> Expansion:
        systems, _ = self.split(beta)
        local, ghost = self.local(beta), self._ghost(systems)
        value = local.value.sum() + ghost.value.sum()
        value -= self.strength / 2 * (systems[:, 1:] ** 2).sum()
        gradient = self.residuals(local) @ partners(systems)
        gradient[:, 0] += ghost.eta / 2
        gradient[:, 1:] -= self.strength * systems[:, 1:]
        tie = [local.tie.sum()] if self.law.free else []
        return Expansion(
            float(value), np.append(gradient.reshape(-1), tie), inform(systems, local, ghost)
        )

    def residuals(self, local: Local) -> Array:
        """Return (K, K) derivatives of the log-likelihood by each x, skew."""
        return self._square(local.eta / 2, -local.eta / 2)

    def weights(self, local: Local) -> Array:
        """Return (K, K) minus its second derivatives by each x, symmetric."""
        return self._square(local.eta_eta / 4, local.eta_eta / 4)

    def _square(self, above: Array, below: Array) -> Array:
        square = np.zeros((len(self.counts.systems),) * 2)
        square[self.counts.low, self.counts.high] = above
        square[self.counts.high, self.counts.low] = below
        return square

    def _ghost(self, systems: Array) -> Local:
        """Return the log-likelihood of pseudo-comparisons with the ghost, of each system."""
        counts = np.tile([self.prior / 2, 0.0, self.prior / 2], (len(systems), 1))
        return TwoOutcomes().expand(systems[:, 0] / 2, 0.0, counts)

    def _information(self, systems: Array, local: Local, ghost: Local) -> Array:
        k, width = self.shape
        weights, sides = self.weights(local), partners(systems)
        blocks: Array = -np.einsum("ij,ja,ib->iajb", weights, sides, sides)
        at = np.arange(k)
        blocks[at, :, at, :] += np.einsum("ij,ja,jb->iab", weights, sides, sides)
        blocks[at, 0, at, 0] += ghost.eta_eta / 4
        for column in range(1, width):
            blocks[at, column, at, column] += self.strength
        information: Array = blocks.reshape(k * width, k * width)
        if not self.law.free:
            return information
        cross = self._square(local.eta_tie / 2, -local.eta_tie / 2) @ sides
        edge = cross.reshape(-1, 1)
        return np.block([[information, edge], [edge.T, local.tie_tie.sum().reshape(1, 1)]])

    def reach(self, step: Array) -> float:
        """Return how far a step goes; 1 is as far as it may."""
        return float(np.abs(step).max()) / REACH


def turn(coordinates: Array) -> Array:
    """Return (K, 2k) Ω c of each row.

    >>> turn(np.array([[1.0, 2.0]])).tolist()
    [[2.0, -1.0]]
    """
    turned = np.empty_like(coordinates)
    turned[:, 0::2], turned[:, 1::2] = coordinates[:, 1::2], -coordinates[:, 0::2]
    return turned


def partners(systems: Array) -> Array:
    """Return (K, 1 + 2k) rows (1, Ω c): what x moves by with another system's parameters."""
    return np.hstack([np.ones((len(systems), 1)), turn(systems[:, 1:])])


def cyclic_part(coordinates: Array) -> Array:
    """Return (K, K) log-odds A = c Ω cᵀ, skew."""
    return np.asarray(coordinates @ turn(coordinates).T)
