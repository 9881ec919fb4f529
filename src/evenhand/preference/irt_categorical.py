"""Outputs have qualities on a scale of Λ steps; judges see them with noise and compare.

    p_s ~ Dirichlet(α, …, α)              ability of system s, a distribution over 1..Λ
    q_i ~ p_s(i)                          quality of output i, which all its comparisons share
    o | q_i ∝ φ((o − q_i)/σ), o ∈ 1..Λ    what one judge sees of it in one comparison
    left preferred iff o − o' > r, right iff o' − o > r, else a tie

Source: Hopkins & May (2013), Models of translation competitions, ACL, section 7, with their values
as defaults. They call it a tie when the difference is lower than the radius; with their radius of 0
that never happens, so that a tie is a difference of at most the radius here. An output is what one
system made of one item.

When not to use it: where one wants a number per system and nothing else, the Gaussian form mixes
better and needs fewer judgments; where some system is never compared with the rest, worths of the
two parts are told apart by the prior alone; judges are all alike here, and so are sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, UnknownOption
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.tally import Tally
from evenhand.judgments.votes import Votes
from evenhand.numerics.chains import FEWEST
from evenhand.numerics.threads import one_blas_thread
from evenhand.preference.design import DENSE
from evenhand.preference.irt.categorical_draws import (
    Draws,
    chances_of_new,
    keep_draws,
    mean_qualities,
    quality_sds,
)
from evenhand.preference.irt.categorical_fit import CategoricalFit
from evenhand.preference.irt.categorical_law import Law, noise_matrix, preference_chances
from evenhand.preference.irt.categorical_plan import plan_colours
from evenhand.preference.irt.categorical_sampler import walk
from evenhand.preference.irt.linking import note_parts
from evenhand.preference.irt.outputs import OutputPairs, pair_outputs

Array = NDArray[np.float64]

LEAST_CONCENTRATION = 0.05
"""Below, draws of an ability nobody has judged may be nothing but zeros."""
LEAST_CHANCE = 1e-120
"""Chances of a preference below which a single judgment outweighs all others."""


@dataclass(frozen=True)
class IRTCategorical:
    """Settings of the categorical item-response model.

    Attributes:
        categories: Λ, steps of the scale of qualities.
        concentration: α of the Dirichlet prior of abilities, per category.
        noise_sd: σ of what judges see, in steps.
        radius: differences up to it, in steps, are ties.
        chains: chains that are walked at once, from both ends of the scale.
        sweeps: sweeps of each.
        burn_in: sweeps of each that are left out at its start.
        seed: seed of all draws.

    >>> one, two = np.zeros(30, np.int32), np.ones(30, np.int32)
    >>> outcome = np.repeat(np.array([0, 1, 2], np.int8), [20, 6, 4])
    >>> votes = Votes(("",), ("ann",), ("",), ("new", "old"), one, one, one, one, two, outcome)
    >>> fit = IRTCategorical(sweeps=400, burn_in=100).fit(votes)
    >>> fit.predict([("new", "old")]).round(1).tolist()
    [[0.6, 0.2, 0.2]]
    """

    categories: int = 8
    concentration: float = 0.5
    noise_sd: float = 1.0
    radius: float = 0.0
    chains: int = 4
    sweeps: int = 1000
    burn_in: int = 250
    seed: int = SEED

    def __post_init__(self) -> None:
        """Refuse settings that cannot be.

        Raises:
            UnknownOption: names the setting and what it may be.

        """
        if self.categories < 2:
            raise UnknownOption(f"categories must be 2 or more, not {self.categories}")
        if not LEAST_CONCENTRATION <= self.concentration < np.inf:
            raise UnknownOption(
                f"concentration must be {LEAST_CONCENTRATION} or more, not {self.concentration:g}"
            )
        if not 0 < self.noise_sd < np.inf:
            raise UnknownOption(f"noise_sd must be above 0, not {self.noise_sd:g}")
        if not 0 <= self.radius < self.categories - 1:
            raise UnknownOption(
                f"radius must be from 0 to below {self.categories - 1}, the longest difference, not"
                f" {self.radius:g}"
            )
        if self.law.chances.min() < LEAST_CHANCE:
            raise UnknownOption(
                f"noise_sd {self.noise_sd:g} is too small for {self.categories} categories: judges"
                " would never err, and one who does could not be explained"
            )
        _require_sweeps(self.chains, self.sweeps, self.burn_in)

    @classmethod
    def paper(cls, seed: int = SEED) -> Self:
        """Return the settings of the paper: one chain of 200 sweeps, the first 50 left out.

        >>> IRTCategorical.paper().sweeps
        200
        """
        return cls(chains=1, sweeps=200, burn_in=50, seed=seed)

    @property
    def law(self) -> Law:
        """What the scale and the noise make of two qualities."""
        noise = noise_matrix(self.categories, self.noise_sd)
        return Law(preference_chances(noise, self.radius), self.concentration)

    def fit(self, data: Votes | Comparisons | Rankings | Tally) -> CategoricalFit:
        """Draw from the posterior by Gibbs sampling.

        A system without comparisons has the ability of the prior.

        Raises:
            NotIdentified: nothing was compared, or there are too many systems.
            InvalidJudgments: a value in the data that cannot be.
            UnknownOption: importance weights, or items that were merged.

        """
        pairs, law = pair_outputs(data), self.law
        if len(pairs.systems) > DENSE:
            raise NotIdentified(
                f"{len(pairs.systems):,} systems are too many for this model (at most {DENSE:,})",
                ["leave some out", "take bradley-terry"],
            )
        rng = np.random.Generator(np.random.PCG64(self.seed))
        with one_blas_thread():
            states = walk(plan_colours(pairs), law, self.chains, rng)
            draws = keep_draws(states, law, self.sweeps, self.burn_in)
            chances = chances_of_new(draws, law)
        return self._summarise(pairs, draws, chances)

    def _summarise(self, pairs: OutputPairs, draws: Draws, chances: Array) -> CategoricalFit:
        code = pairs.code
        ability = draws.expected.mean(axis=(0, 1))[code]
        authors = pairs.author[pairs.one], pairs.author[pairs.other]
        told = np.log(chances[(*authors, pairs.outcome)])
        return CategoricalFit(
            model=self,
            systems=pairs.systems,
            ability=_read_only(ability),
            quality=_read_only(mean_qualities(ability)),
            quality_sd=_read_only(quality_sds(draws)[code]),
            chances=_read_only(chances[np.ix_(code, code)]),
            ability_draws=_read_only(draws.ability[:, :, code]),
            outputs=_read_only(np.bincount(pairs.author, minlength=len(code))[code]),
            loglik=float(told.sum()),
            n_judgments=pairs.n_judgments,
            n_comparisons=float(len(pairs.outcome)),
            said=(*pairs.notes, *note_parts(pairs)),
        )


def _require_sweeps(chains: int, sweeps: int, burn_in: int) -> None:
    """Refuse chains that are none, or too short to say anything."""
    if chains < 1:
        raise UnknownOption(f"chains must be 1 or more, not {chains}")
    if burn_in < 0:
        raise UnknownOption(f"burn_in must be 0 or more, not {burn_in}")
    if sweeps - burn_in < FEWEST:
        raise UnknownOption(
            f"sweeps must be at least {FEWEST} more than burn_in ({burn_in}), not {sweeps}"
        )


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array = array.copy()
    array.flags.writeable = False
    return array
