"""The likelihood that all log-linear models share, on nodes, with its derivatives.

    ℓ = Σ_c Σ_o n_co log p_o(η_c, t),   η_c = λ[left_c] − λ[right_c] + δ   (METHODS 1)

The nuisance μ of every pair is never fitted: given the totals of cells the model is a multinomial
logit. Parameters come in this order: those of the design, the tie parameter, δ, the ghosts' λ.

A prior is comparisons of every system with a ghost, half of them won. Each judge group has a ghost
of its own, whose λ is free, so that nothing depends on which system is the reference.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.tally import Tally
from evenhand.numerics.newton import Expansion
from evenhand.preference.design import Design
from evenhand.preference.tie_laws import Local, TieLaw, TwoOutcomes, expand_blocks

Array = NDArray[np.float64]
LONGEST: Final = 5.0
"""How far one step may move η: further on a win is certain, and the second order says nothing."""
FURTHEST: Final = 1.5
"""Where the iteration may start (λ): from further out than the maximum Newton's steps overshoot."""


@dataclass(frozen=True, eq=False)
class Likelihood:
    """A design, a tie law and counts.

    Attributes:
        design: the map from parameters to worths.
        law: the tie law.
        counts: (C, 3) left, tie, right.
        order_effect: whether δ is a parameter.
        prior: comparisons of every node with its group's ghost, half of them won (0: none).

    """

    design: Design
    law: TieLaw
    counts: Array
    order_effect: bool = False
    prior: float = 0.0

    @property
    def n_worths(self) -> int:
        """Number of parameters of the design."""
        return len(self.design.names)

    @property
    def reported(self) -> int:
        """Number of parameters without the ghosts'."""
        return self.n_worths + self.law.free + self.order_effect

    @property
    def size(self) -> int:
        """Number of all parameters."""
        return self.reported + (len(self.design.groups) if self.prior > 0 else 0)

    def parts(self, beta: Array) -> tuple[Array, float, float, Array]:
        """Take a parameter vector apart: λ of the nodes, t, δ, λ of the ghosts (if any)."""
        extras = iter(beta[self.n_worths : self.reported])
        tie = float(next(extras)) if self.law.free else 0.0
        order = float(next(extras)) if self.order_effect else 0.0
        return self.design.worths(beta[: self.n_worths]), tie, order, beta[self.reported :]

    def start(self) -> Array:
        """Return worths by share of wins in the plain design, else equal ones; ties to match."""
        beta = np.zeros(self.size)
        if self.design.matrix is None:
            won, tied, lost = self.counts.T
            gained = self._half_sums(won + tied / 2, lost + tied / 2)
            given = self._half_sums(lost + tied / 2, won + tied / 2)
            apart = (self.design.size - 1) / self.design.size  # the others' mean is not zero
            shares = np.log((gained + 0.5) / (given + 0.5)) / 2
            worths = np.clip(shares * apart, -FURTHEST, FURTHEST)
            beta[: self.n_worths] = self.design.pull(worths - worths[self.design.reference])
        if self.law.free:
            beta[self.n_worths] = self.law.start(self.counts)
        return beta

    def reach(self, step: Array) -> float:
        """Return how far a step moves η, t and the distances from ghosts, in units of LONGEST."""
        worths, tie, order, ghosts = self.parts(step)
        moved = [float(np.ptp(worths)) + abs(order), abs(tie)]
        if len(ghosts):
            moved.append(float(np.abs(worths - ghosts[self.design.group]).max()))
        return max(moved) / LONGEST

    def _half_sums(self, of_left: Array, of_right: Array) -> Array:
        """Sum what left and right scored onto nodes: (N,)."""
        size, design = self.design.size, self.design
        sums = np.bincount(design.left, of_left, minlength=size)
        return np.asarray(sums + np.bincount(design.right, of_right, minlength=size))

    def eta(self, worths: Array, order: float) -> Array:
        """Return (C,) half log-odds of left against right."""
        return np.asarray(worths[self.design.left] - worths[self.design.right] + order)

    def loglik(self, beta: Array) -> float:
        """Return the log-likelihood of the data, without the prior (nats)."""
        worths, tie, order, _ = self.parts(beta)
        eta = self.eta(worths, order)
        return float(expand_blocks(self.law, eta, tie, self.counts).value.sum())

    def expand(self, beta: Array) -> Expansion:
        """Return log-likelihood plus log-prior to second order."""
        worths, tie, order, ghosts = self.parts(beta)
        local = expand_blocks(self.law, self.eta(worths, order), tie, self.counts)
        gradient = self._gradient(local)
        information = self._information(local)
        value = float(local.value.sum())
        if self.prior > 0:
            distance = worths - ghosts[self.design.group]
            value += self._add_ghosts(distance, gradient, information)
        return Expansion(value, gradient, information)

    def _by_node(self, weights: Array) -> Array:
        """Sum entries onto nodes, + for left and − for right: (N,)."""
        size, design = self.design.size, self.design
        up = np.bincount(design.left, weights=weights, minlength=size)
        return np.asarray(up - np.bincount(design.right, weights=weights, minlength=size))

    def _gradient(self, local: Local) -> Array:
        gradient = np.zeros(self.size)
        gradient[: self.n_worths] = self.design.pull(self._by_node(local.eta))
        if self.law.free:
            gradient[self.n_worths] = local.tie.sum()
        if self.order_effect:
            gradient[self.n_worths + self.law.free] = local.eta.sum()
        return gradient

    def _information(self, local: Local) -> Array:
        p, information = self.n_worths, np.zeros((self.size, self.size))
        information[:p, :p] = self._project(node_laplacian(self.design, local.eta_eta))
        borders = [(local.eta_tie, local.tie_tie)] if self.law.free else []
        if self.order_effect:
            borders.append((local.eta_eta, local.eta_eta))
        for at, (by_node, own) in enumerate(borders, start=p):
            information[:p, at] = information[at, :p] = self.design.pull(self._by_node(by_node))
            information[at, at] = own.sum()
        if self.law.free and self.order_effect:
            information[p, p + 1] = information[p + 1, p] = local.eta_tie.sum()
        return information

    def outer_information(self, tally: Tally, outer: Local) -> Array:
        """Return (p, p) sums of products of single answers' scores, for entries of any tally."""
        nodes = replace(self.design, left=tally.left, right=tally.right)
        plain = replace(self, design=nodes, prior=0.0)
        return plain._information(outer)

    def _project(self, laplacian: Array) -> Array:
        return self.design.pull(self.design.pull(laplacian).T)

    def _add_ghosts(self, distance: Array, gradient: Array, information: Array) -> float:
        """Add the comparisons of every node with its ghost; return their log-likelihood."""
        half = np.full(len(distance), self.prior / 2)
        counts = np.stack([half, np.zeros_like(half), half], axis=1)
        local = TwoOutcomes().expand(distance, 0.0, counts)
        p, at, group = self.n_worths, self.reported, self.design.group
        gradient[:p] += self.design.pull(local.eta)
        gradient[at:] -= np.bincount(group, weights=local.eta)
        information[:p, :p] += self._project(np.diag(local.eta_eta))
        nodes = np.zeros((len(distance), self.size - at))
        nodes[np.arange(len(distance)), group] = local.eta_eta
        cross = self.design.pull(nodes)
        information[:p, at:] -= cross
        information[at:, :p] -= cross.T
        information[at:, at:] += np.diag(nodes.sum(axis=0))
        return float(local.value.sum())


def node_laplacian(design: Design, weights: Array) -> Array:
    """Return the (N, N) weighted Laplacian of who was compared with whom."""
    n = design.size
    flat = np.bincount(design.left.astype(np.int64) * n + design.right, weights, minlength=n * n)
    table = flat.reshape(n, n)
    table += table.T
    degree = table.sum(axis=1)
    laplacian = np.negative(table, out=table, dtype=np.float64)
    laplacian[np.diag_indices(n)] = degree
    return np.asarray(laplacian)
