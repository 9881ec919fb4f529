"""Where to look at a judge's slope: nodes and weights of the integral over z.

    ∫ φ(z) Π_c p_c(exp(τ z) d_c, γ)^n_c dz

Up to thirty nodes are Gauss and Hermite's, moved to the mode and scaled by the curvature there
(Naylor & Smith 1982, Applied Statistics 31:214-225; Liu & Pierce 1994, Biometrika 81:624-629): few
are needed where the integrand is nearly normal. For large τ it is a plateau with a cliff; then more
nodes are asked for, and these are spaced evenly over all of the integrand: the trapezoid rule gains
digits with every node where a smooth integrand vanishes at both ends (Trefethen & Weideman 2014,
SIAM Review 56:385-458).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.quadrature import hermite_rule
from evenhand.preference.slopes.cells import SlopeCells
from evenhand.preference.ties.laws import TieLaw

Array = NDArray[np.float64]
CLIMBS: Final = 60
"""Most steps towards the modes."""
NEAR: Final = 1e-3
"""Distance from a mode, in standard deviations, that is near enough."""
FURTHEST: Final = 2.0
"""How far one step towards a mode may go."""
STEEPEST: Final = 50.0
"""Largest |τ z|: beyond it a slope is 0 or endless to every digit."""
HERMITE: Final = 30
"""Most nodes that are Gauss and Hermite's."""
DEPTH: Final = 40.0
"""How far below its mode (nats) an integrand is nothing."""
SPREADS: Final = 30
HALVINGS: Final = 5


@dataclass(frozen=True, eq=False)
class Integrand:
    """The integrands of some judges, as functions of z.

    Attributes:
        cells: their judgments.
        law: the tie law.
        gaps: (C,) λ[left] − λ[right].
        gamma: γ.
        tau: τ.

    """

    cells: SlopeCells
    law: TieLaw
    gaps: Array
    gamma: float
    tau: float

    def log_slope(self, z: Array) -> Array:
        """Return τ z, kept where its exponential is a number."""
        return np.asarray(np.clip(self.tau * z, -STEEPEST, STEEPEST))

    def eta(self, log_slope: Array) -> Array:
        """Return (..., C) half log-odds at (..., J) log-slopes."""
        return np.asarray(np.exp(log_slope)[..., self.cells.judge] * self.gaps)

    def height(self, z: Array) -> Array:
        """Return (..., J) log of the integrand at (..., J) z, up to a constant."""
        local = self.law.expand(self.eta(self.log_slope(z)), self.gamma, self.cells.counts)
        return np.asarray(self.cells.sums(local.value) - z**2 / 2)


def place_nodes(integrand: Integrand, nodes: int) -> tuple[Array, Array]:
    """Return (Q, J) nodes and their log-weights."""
    if nodes <= HERMITE:
        centre, scale = find_modes(integrand)
        x, logs = hermite_rule(nodes)
        return centre + scale * x[:, None], logs[:, None] + np.log(scale)
    low, high = find_ranges(integrand, DEPTH)
    z = low + (high - low) * np.linspace(0.0, 1.0, nodes)[:, None]
    return z, np.log((high - low) / (nodes - 1)) * np.ones((nodes, 1))


def find_modes(integrand: Integrand) -> tuple[Array, Array]:
    """Return (J,) modes of the integrands, and the standard deviations there.

    Where the curvature at a point is not downwards, Fisher's expected one takes its place.
    """
    cells, tau = integrand.cells, integrand.tau
    z, scale = np.zeros(cells.judges), np.ones(cells.judges)
    for _ in range(CLIMBS):
        eta = integrand.eta(integrand.log_slope(z))
        local = integrand.law.expand(eta, integrand.gamma, cells.counts)
        pull = cells.sums(local.eta * eta)
        fisher = 1 + tau**2 * cells.sums(local.eta_eta * eta**2)
        bend = fisher - tau**2 * pull
        scale = 1 / np.sqrt(np.where(bend > fisher / 4, bend, fisher))
        step = np.clip((tau * pull - z) * scale**2, -FURTHEST, FURTHEST)
        z = z + step
        if (np.abs(step) <= NEAR * scale).all():
            break
    return z, scale


def find_ranges(integrand: Integrand, depth: float) -> tuple[Array, Array]:
    """Return (J,) ends between which all integrands stand, down to so many nats below the mode."""
    centre, scale = find_modes(integrand)
    floor = integrand.height(centre) - depth
    ends = []
    for sign in (-1.0, 1.0):
        inside, outside = np.zeros_like(scale), 4 * scale
        for _ in range(SPREADS):
            above = integrand.height(centre + sign * outside) > floor
            if not above.any():
                break
            inside, outside = np.where(above, outside, inside), np.where(above, 2, 1) * outside
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2
            above = integrand.height(centre + sign * middle) > floor
            inside, outside = np.where(above, middle, inside), np.where(above, outside, middle)
        ends.append(centre + sign * outside)
    return ends[0], ends[1]
