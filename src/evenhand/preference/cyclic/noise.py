"""How often a model without circles leaves residuals as large: a parametric bootstrap."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.threads import one_blas_thread
from evenhand.preference.cyclic.likelihood import CyclicLikelihood
from evenhand.preference.cyclic.search import Summit

Array = NDArray[np.float64]
DRAWS: Final = 99


@dataclass(frozen=True, eq=False)
class Noise:
    """What is needed to simulate campaigns in which nothing goes in circles.

    Circles would show in the spectral norm of the residuals that are left without them. Campaigns
    are drawn from the fit without circles, every comparison by itself, and fitted by one step of
    Newton's. Where comparisons of one ranking hang together there is less noise than is drawn.

    Attributes:
        likelihood: of the judgments.
        flat: its maximum without circles.
        seed: of the draws.

    """

    likelihood: CyclicLikelihood
    flat: Summit
    seed: int

    @cached_property
    def p(self) -> float:
        """Share of simulated campaigns, and the one seen, with a norm at least that seen."""
        start, at = self._flatten()
        child = np.random.SeedSequence(self.seed).spawn(1)[0]
        rng = np.random.Generator(np.random.PCG64(child))
        with one_blas_thread():
            seen = residual_norm(start, at)
            inverse = np.asarray(np.linalg.inv(start.expand(at).information), np.float64)
            above = sum(self._draw(start, at, inverse, rng) >= seen for _ in range(DRAWS))
        return (1 + int(above)) / (1 + DRAWS)

    def _flatten(self) -> tuple[CyclicLikelihood, Array]:
        """Return the likelihood without planes, and its maximum."""
        systems, gamma = self.likelihood.split(self.flat.beta)
        tie = [gamma] if self.likelihood.law.free else []
        return replace(self.likelihood, planes=0), np.append(systems[:, 0], tie)

    def _draw(
        self, flat: CyclicLikelihood, at: Array, inverse: Array, rng: np.random.Generator
    ) -> float:
        """Return the norm in one simulated campaign."""
        counts = flat.counts
        worth, gamma = at[: len(counts.systems)], float(at[-1]) if flat.law.free else 0.0
        half = (worth[counts.low] - worth[counts.high]) / 2
        chances = np.exp(flat.law.log_chances(half, gamma))
        totals = counts.counts.sum(axis=1).round().astype(np.int64)
        drawn = rng.multinomial(totals, chances / chances.sum(axis=1, keepdims=True))
        own = replace(flat, counts=replace(counts, counts=drawn.astype(np.float64)))
        return residual_norm(own, at + inverse @ own.slope(at).gradient)


def residual_norm(likelihood: CyclicLikelihood, beta: Array) -> float:
    """Return the spectral norm of the residuals.

    Args:
        likelihood: of the judgments.
        beta: (p,) where.

    """
    residuals = likelihood.residuals(likelihood.local(beta))
    # the largest eigenvalue of a Gram matrix costs a fraction of all singular values
    return float(np.sqrt(max(np.linalg.eigvalsh(residuals.T @ residuals)[-1], 0.0)))
