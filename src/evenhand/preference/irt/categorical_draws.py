"""What the chains of the categorical model say: abilities, chances of new outputs, log-worths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.preference.irt.categorical_law import Law
from evenhand.preference.irt.categorical_sampler import State

Array = NDArray[np.float64]
Single = NDArray[np.float32]
Seen = NDArray[np.bool_]

AT_ONCE: Final = 2_000_000
"""Numbers that are held at once where every draw has K × K of them."""


@dataclass(frozen=True, eq=False)
class Draws:
    """What is kept of R chains of D sweeps.

    Attributes:
        ability: (R, D, K, Λ) drawn abilities.
        expected: (R, D, K, Λ) abilities expected given that sweep's qualities.
        strength: (K,) outputs of each system and Λα: what the expectation of its ability rests on.

    """

    ability: Single
    expected: Array
    strength: Array


def keep_draws(states: Iterator[State], law: Law, sweeps: int, burn_in: int) -> Draws:
    """Walk `sweeps` sweeps and keep those after the first `burn_in`."""
    ability, expected = [], []
    for state in islice(states, burn_in, sweeps):
        ability.append(state.ability.astype(np.float32))
        mass = state.counts + law.concentration
        strength = mass.sum(axis=2)
        expected.append(mass / strength[:, :, None])
    return Draws(np.stack(ability, axis=1), np.stack(expected, axis=1), strength[0])


def chances_of_new(draws: Draws, law: Law) -> Array:
    """Return (K, K, 3) chances of left, tie, right for new outputs of two systems.

        Σ_ab p_s(a) p_t(b) T(π | a, b),   p_s(a) = (n_sa + α) / (n_s + Λα)

    averaged over sweeps; given the qualities abilities of different systems are independent. Two
    outputs of one system share its ability, whose second moment has p_s(a) δ_ab beside the product.
    """
    r, d, k, categories = draws.expected.shape
    flat = draws.expected.reshape(r * d, k * categories)
    own = draws.expected.reshape(r * d, k, categories)
    tables = law.chances.reshape(3, -1).T
    found = np.empty((k, k, 3))
    for system in range(k):
        moment = (own[:, system].T @ flat).reshape(categories, k, categories) / (r * d)
        found[system] = moment.transpose(1, 0, 2).reshape(k, -1) @ tables
    alike = own.mean(axis=0) @ np.diagonal(law.chances, axis1=1, axis2=2).T
    share = (1 / (1 + draws.strength))[:, None]
    both = np.arange(k)
    found[both, both] += share * (alike - found[both, both])
    return found


def mean_qualities(ability: NDArray[np.floating[Any]]) -> Array:
    """Return (...,) mean qualities 1..Λ of (..., Λ) abilities."""
    return np.asarray(ability @ np.arange(1.0, ability.shape[-1] + 1))


def quality_sds(draws: Draws) -> Array:
    """Return (K,) posterior standard deviations of mean qualities.

    The variance between sweeps of what is expected given qualities, and the mean of what is left.
    """
    steps = np.arange(1.0, draws.expected.shape[-1] + 1)
    first, second = draws.expected @ steps, draws.expected @ steps**2
    left = ((second - first**2) / (1 + draws.strength)).mean(axis=(0, 1))
    return np.asarray(np.sqrt(first.var(axis=(0, 1)) + left))


def log_worths(chances: Array, seen: Seen) -> Array:
    """Return (K,) log-worths of (K, K, 3) chances.

    The mean of ln(P(win)/P(loss)) against the systems that were seen, 0 against itself. Others are
    left out, since how they fare depends on where on the scale the chains are.

    >>> even, odd = [1 / 3, 1 / 3, 1 / 3], [0.5, 0.25, 0.25]
    >>> chances = np.array([[even, odd], [odd[::-1], even]])
    >>> log_worths(chances, np.array([True, True])).round(3).tolist()
    [0.347, -0.347]
    """
    gaps = np.log(chances[..., 0]) - np.log(chances[..., 2])
    return np.asarray(gaps[:, seen].mean(axis=1))


def draw_log_worths(ability: Single, chances: Array, seen: Seen) -> Array:
    """Return (R, D, K) log-worths of drawn abilities.

    Args:
        ability: (R, D, K, Λ).
        chances: (3, Λ, Λ) T.
        seen: (K,) systems that were compared.

    """
    r, d, k, categories = ability.shape
    flat = ability.reshape(r * d, k, categories)
    wins = chances[0].astype(np.float64)
    found = np.empty((r * d, k))
    size = max(1, AT_ONCE // (k * k))
    for start in range(0, r * d, size):
        some = flat[start : start + size].astype(np.float64)
        won = np.log((some @ wins) @ some.transpose(0, 2, 1))
        found[start : start + size] = (won - won.transpose(0, 2, 1))[:, :, seen].mean(axis=2)
    return found.reshape(r, d, k)
