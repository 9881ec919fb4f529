"""Gibbs sampling of the Gaussian item-response model: differences, then everything else at once.

A sweep draws the difference that each judge perceived, given qualities and the answer: beyond the
radius on the side of what was preferred, within it for no preference. Given differences,
abilities and qualities are jointly Gaussian and drawn as one (gaussian_posterior.py), so that
neither the common place of all abilities nor that of a system's outputs is a slow direction.

Source: Hopkins & May (2013), section 7; Albert & Chib (1993), JASA 88:669-679, for differences as
latent data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.votes import LEFT, RIGHT, TIE
from evenhand.numerics.truncated_normal import draw_above, draw_between
from evenhand.preference.irt.gaussian_posterior import Posterior, Scales, make_posterior_of
from evenhand.preference.irt.outputs import OutputPairs

Array = NDArray[np.float64]

WIDE: Final = 2.0
"""How much farther apart than under the prior chains start."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Comparisons as the sampler takes them: those with a preference first, the preferred +1.

    Attributes:
        posterior: of abilities and qualities given differences.
        decided: number of comparisons with a preference.
        radius: perceived difference below which nobody prefers anything.
        ability_sd: σ_0.

    """

    posterior: Posterior
    decided: int
    radius: float
    ability_sd: float


@dataclass(frozen=True, eq=False)
class Sweep:
    """Where c chains stand after a sweep.

    Attributes:
        means: (K, c) E[μ | D].
        abilities: (K, c) draws of μ.
        qualities: (N, c) draws of q.

    """

    means: Array
    abilities: Array
    qualities: Array


def make_problem(pairs: OutputPairs, scales: Scales, radius: float) -> Problem:
    """Put comparisons in the sampler's order and prepare what stays the same."""
    order = np.argsort(pairs.outcome == TIE, kind="stable")
    one, other, outcome = pairs.one[order], pairs.other[order], pairs.outcome[order]
    turned = outcome == RIGHT
    sides = np.where(turned, other, one), np.where(turned, one, other)
    posterior = make_posterior_of(len(pairs.systems), pairs.author, sides, scales)
    decided = int(((outcome == LEFT) | turned).sum())
    return Problem(posterior, decided, radius, scales.ability)


def draw_differences(problem: Problem, rng: np.random.Generator, centre: Array) -> Array:
    """Return (C, c) perceived differences, given differences of qualities and the answers."""
    sd, at = problem.posterior.noise_sd, problem.decided
    drawn = np.empty_like(centre)
    drawn[:at] = draw_above(rng, centre[:at], sd, problem.radius)
    drawn[at:] = draw_between(rng, centre[at:], sd, problem.radius)
    return drawn


def walk(problem: Problem, chains: int, rng: np.random.Generator) -> Iterator[Sweep]:
    """Yield sweep after sweep, without end, of chains that start farther apart than the prior.

    Args:
        problem: the comparisons.
        chains: how many chains c, all in step.
        rng: where chance comes from.

    """
    posterior = problem.posterior
    k, n = len(posterior.ability_vcov), len(posterior.author)
    abilities = WIDE * problem.ability_sd * rng.standard_normal((k, chains))
    own = posterior.item_sd * rng.standard_normal((n, chains))
    qualities = abilities[posterior.author] + own
    while True:
        centre = np.asarray(posterior.differ @ qualities)
        differences = draw_differences(problem, rng, centre)
        means = posterior.mean_abilities(differences)
        abilities = posterior.draw_abilities(rng, means)
        qualities = posterior.draw_qualities(rng, differences, abilities)
        yield Sweep(means, abilities, qualities)
