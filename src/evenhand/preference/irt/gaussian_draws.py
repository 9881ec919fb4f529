"""What the chains of the Gaussian item-response model leave behind, and what it says of abilities.

Qualities of outputs are not kept: there are as many as outputs in every sweep, and given the
differences abilities are known without them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.chains import bulk_size, split_r_hat
from evenhand.preference.irt.gaussian_predictive import all_pairs, chance_beyond, pair_variances
from evenhand.preference.irt.gaussian_sampler import Problem, walk

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AbilityDraws:
    """Draws of abilities after burn-in.

    Attributes:
        means: (chains, draws, K) E[μ | D] of every sweep, in the order of the systems' names.
        abilities: (chains, draws, K) draws of μ.
        vcov_given: (K, K) covariance S of μ given D, the same for every sweep.

    """

    means: Array
    abilities: Array
    vcov_given: Array

    @cached_property
    def flat_means(self) -> Array:
        """(S, K) E[μ | D] of all chains."""
        return self.means.reshape(-1, self.means.shape[2])

    @property
    def flat_abilities(self) -> Array:
        """(S, K) draws of μ of all chains."""
        return self.abilities.reshape(-1, self.abilities.shape[2])

    @cached_property
    def mean(self) -> Array:
        """(K,) posterior means of μ."""
        return np.asarray(self.flat_means.mean(axis=0))

    @cached_property
    def vcov(self) -> Array:
        """(K, K) posterior covariance of μ: that given D, and that of its means over D."""
        return np.asarray(self.vcov_given + np.cov(self.flat_means, rowvar=False))

    @cached_property
    def _contrasts(self) -> tuple[Array, Array]:
        """(chains, draws, K) draws of abilities, and their means given D, less those of all.

        Draws wander freely around means that may hardly move, so both are asked.
        """
        both = self.abilities, self.means
        drawn, mean = (np.asarray(one - one.mean(axis=2, keepdims=True)) for one in both)
        return drawn, mean

    @cached_property
    def r_hat(self) -> Array:
        """(K,) split R̂ of each ability less the mean of all; that of draws or of means."""
        drawn, mean = self._contrasts
        return np.maximum(split_r_hat(drawn), split_r_hat(mean))

    @cached_property
    def effective(self) -> Array:
        """(K,) effective number of draws of the same, the smaller of the two."""
        drawn, mean = self._contrasts
        return np.minimum(bulk_size(drawn), bulk_size(mean))

    @cached_property
    def better(self) -> Array:
        """(K, K) chance that the ability of the row's system is above that of the column's."""
        k = self.means.shape[2]
        pairs = all_pairs(k)
        variance = pair_variances(self.vcov_given, pairs)
        above, below = chance_beyond(self.flat_means, pairs, variance, 0.0).T
        found = np.full((k, k), 0.5)
        found[pairs[:, 0], pairs[:, 1]] = above
        found[pairs[:, 1], pairs[:, 0]] = below
        return found

    @cached_property
    def _ranks(self) -> NDArray[np.intp]:
        """(S, K) rank of each system in each draw, 1 for the most able."""
        order = np.argsort(-self.flat_abilities, axis=1)
        ranks = np.empty_like(order)
        np.put_along_axis(ranks, order, np.arange(1, order.shape[1] + 1)[None], axis=1)
        return ranks

    @cached_property
    def rank_chances(self) -> Array:
        """(K, K) chance that the row's system has rank 1, 2, ... by ability."""
        k = self.means.shape[2]
        cells = self._ranks - 1 + k * np.arange(k)
        counts = np.bincount(cells.reshape(-1), minlength=k * k).reshape(k, k)
        return np.asarray(counts / len(self._ranks))

    def rank_ranges(self, level: float) -> NDArray[np.int64]:
        """Return (K, 2) best and worst rank, the tails beyond either together at most 1 − level."""
        share = (1 - level) / 2
        ends = np.quantile(self._ranks, (share, 1 - share), axis=0, method="inverted_cdf")
        return np.asarray(ends.T, dtype=np.int64)


def draw_chains(
    problem: Problem, length: tuple[int, int, int], seed: int, code: NDArray[np.int64]
) -> AbilityDraws:
    """Walk the chains and keep abilities.

    Args:
        problem: the comparisons.
        length: chains, sweeps, and how many of the sweeps are burn-in.
        seed: of all draws.
        code: (K,) number that each system, in the order of names, has in the problem.

    """
    chains, sweeps, burn_in = length
    kept = np.empty((2, sweeps - burn_in, len(code), chains))
    rng = np.random.default_rng(seed)
    for i, sweep in enumerate(islice(walk(problem, chains, rng), sweeps)):
        if i >= burn_in:
            kept[0, i - burn_in] = sweep.means
            kept[1, i - burn_in] = sweep.abilities
    means, abilities = kept[:, :, code].transpose(0, 3, 1, 2)
    vcov = problem.posterior.ability_vcov[np.ix_(code, code)]
    return AbilityDraws(np.ascontiguousarray(means), np.ascontiguousarray(abilities), vcov)
