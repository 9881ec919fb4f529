"""The Gaussian item-response model: systems have abilities, outputs qualities, judges noise.

    μ_s ~ N(0, σ_0²)                      ability of system s
    q_i ~ N(μ_s(i), σ_a²)                 quality of output i
    D   ~ N(q_i − q_j, 2σ_obs²)           difference that a judge perceives between outputs i and j
    left where D ≥ r, right where D ≤ −r, no preference between

The four scales are known; abilities and qualities are estimated, by Gibbs sampling, all judgments
of one output sharing its quality. Predictions are for outputs that nobody has judged.

Source: Hopkins & May (2013), Models of Translation Competitions, ACL, section 7; their values are
the defaults. They ran one chain of 200 sweeps (`IRTGaussian.paper()`).

When not to use it: where judges must count as clusters (given qualities every answer is
independent of every other, so posterior intervals are too narrow where a judge's answers hang
together); where position matters (no order effect); where the share of ties is far from what the
radius implies, since the radius is set, not estimated; to learn σ's or r, which the data do not
tell apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Self

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, UnknownOption
from evenhand.judgments.coding import SEED
from evenhand.judgments.forms import Judgments
from evenhand.judgments.votes import TIE
from evenhand.numerics.chains import FEWEST
from evenhand.numerics.threads import one_blas_thread
from evenhand.preference.design import DENSE
from evenhand.preference.irt.gaussian_draws import draw_chains
from evenhand.preference.irt.gaussian_fit import IRTGaussianFit
from evenhand.preference.irt.gaussian_posterior import Scales
from evenhand.preference.irt.gaussian_sampler import make_problem
from evenhand.preference.irt.linking import note_parts
from evenhand.preference.irt.outputs import OutputPairs, pair_outputs


@dataclass(frozen=True)
class IRTGaussian:
    """Settings of a Gaussian item-response model; abilities are in units of `noise_sd`.

    Attributes:
        ability_sd: σ_0, how far abilities are from each other before anything is known.
        item_sd: σ_a, how far outputs of one system are from each other.
        noise_sd: σ_obs, how far what a judge perceives of an output is from its quality.
        radius: r, perceived difference below which nobody prefers anything.
        chains: chains, which start farther apart than the prior.
        sweeps: sweeps of each chain, burn-in with them.
        burn_in: sweeps that are left out.
        seed: of all draws.

    >>> IRTGaussian.paper().sweeps
    200
    """

    ability_sd: float = 1.0
    item_sd: float = 0.5
    noise_sd: float = 1.0
    radius: float = 0.4
    chains: int = 4
    sweeps: int = 1000
    burn_in: int = 200
    seed: int = SEED

    def __post_init__(self) -> None:
        """Refuse settings that cannot be.

        Raises:
            UnknownOption: names the setting and what it may be.

        """
        for name in ("ability_sd", "item_sd", "noise_sd"):
            if not 0 < getattr(self, name) < inf:
                raise UnknownOption(f"{name} cannot be {getattr(self, name)}: it is above 0")
        if not 0 <= self.radius < inf:
            raise UnknownOption(f"radius cannot be {self.radius}: it is 0 or more")
        if self.chains < 1:
            raise UnknownOption(f"chains cannot be {self.chains}: there is one at least")
        if self.burn_in < 0 or self.sweeps - self.burn_in < FEWEST:
            raise UnknownOption(
                f"sweeps={self.sweeps} and burn_in={self.burn_in} leave too little: take"
                f" {FEWEST} sweeps more than burn-in, or more"
            )

    @classmethod
    def paper(cls, seed: int = SEED) -> Self:
        """Return the settings of Hopkins & May: one chain of 200 sweeps, 50 of them burn-in."""
        return cls(chains=1, sweeps=200, burn_in=50, seed=seed)

    @property
    def output_variance(self) -> float:
        """Variance 2σ_a² + 2σ_obs² of what is perceived between two new outputs."""
        return 2 * (self.item_sd**2 + self.noise_sd**2)

    def fit(self, data: Judgments) -> IRTGaussianFit:
        """Draw abilities and qualities given the comparisons.

        Args:
            data: comparisons or rankings. A tally that does not tell items apart takes every
                comparison for one of two outputs of its own, and a note says so.

        Raises:
            NotIdentified: nothing was compared, ties where the radius is 0, too many systems.
            InvalidJudgments: a value in the data that cannot be.
            UnknownOption: importance weights, or items that were merged.

        """
        pairs = pair_outputs(data)
        self._check(pairs)
        scales = Scales(self.ability_sd, self.item_sd, self.noise_sd * 2**0.5)
        with one_blas_thread():
            problem = make_problem(pairs, scales, self.radius)
            length = self.chains, self.sweeps, self.burn_in
            draws = draw_chains(problem, length, self.seed, pairs.code)
        compared, counts = _count(pairs)
        return IRTGaussianFit(
            model=self,
            systems=pairs.systems,
            draws=draws,
            pairs=compared,
            counts=counts,
            n_judgments=pairs.n_judgments,
            n_outputs=len(pairs.author),
            said=(*pairs.notes, *note_parts(pairs)),
        )

    def _check(self, pairs: OutputPairs) -> None:
        """Refuse data that the settings have no place for."""
        if not self.radius and (ties := int((pairs.outcome == TIE).sum())):
            raise NotIdentified(
                f"{ties:,} comparisons without a preference, which cannot happen where radius is 0",
                ["take a radius above 0, such as .4", "leave them out"],
            )
        if len(pairs.systems) > DENSE:
            raise NotIdentified(
                f"{len(pairs.systems):,} systems are too many for this model (at most {DENSE:,})",
                ["leave some out", "take bradley-terry"],
            )


def _count(pairs: OutputPairs) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the pairs of systems that were compared, by name, and their (P, 3) outcomes."""
    k = len(pairs.systems)
    name = np.argsort(pairs.code)
    one, other = name[pairs.author[pairs.one]], name[pairs.author[pairs.other]]
    turned = one > other
    low, high = np.minimum(one, other), np.maximum(one, other)
    outcome = np.where(turned, 2 - pairs.outcome, pairs.outcome)
    found, at = np.unique(low * k + high, return_inverse=True)
    counts = np.bincount(at.reshape(-1) * 3 + outcome, minlength=3 * len(found)).reshape(-1, 3)
    return np.stack((found // k, found % k), axis=1).astype(np.intp), counts.astype(np.float64)
