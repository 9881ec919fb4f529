"""What a fit of the Gaussian item-response model holds: abilities, doubt, predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import listing
from evenhand.numerics.chains import AGREED
from evenhand.numerics.distributions import normal_quantile
from evenhand.preference.coefficients import Coefficient
from evenhand.preference.irt.gaussian_draws import AbilityDraws
from evenhand.preference.irt.gaussian_predictive import (
    all_pairs,
    chance_beyond,
    pair_variances,
)
from evenhand.preference.tables import code_pairs

if TYPE_CHECKING:
    from evenhand.preference.irt_gaussian import IRTGaussian

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
LEVEL: Final = 0.95
_THINNED: Final = 1_000
"""Most draws that the covariance of log-worths is taken from."""


@dataclass(frozen=True, eq=False)
class IRTGaussianFit:
    """A fitted Gaussian item-response model.

    Attributes:
        model: the settings.
        systems: the K systems, sorted by name.
        draws: what the chains left.
        pairs: (P, 2) codes of the pairs of systems that were compared, the lower first.
        counts: (P, 3) how often the first was preferred, neither, the second.
        n_judgments: answers; a ranking is one.
        n_outputs: outputs that were judged.
        said: what must be said of the data.

    """

    model: IRTGaussian
    systems: tuple[str, ...]
    draws: AbilityDraws
    pairs: Codes
    counts: Array
    n_judgments: float
    n_outputs: int
    said: tuple[str, ...]

    @property
    def abilities(self) -> Array:
        """(K,) posterior means of μ less their mean: only differences are in the data."""
        mean = self.draws.mean
        return np.asarray(mean - mean.mean())

    @cached_property
    def ability_vcov(self) -> Array:
        """(K, K) posterior covariance of abilities less their mean."""
        centre = np.eye(len(self.systems)) - 1 / len(self.systems)
        return centre @ self.draws.vcov @ centre

    @property
    def order_draws(self) -> Array:
        """(S, K) draws of abilities, by which systems are ordered."""
        return self.ability_draws

    @property
    def scale(self) -> str:
        """What the estimates of `coefficients` are."""
        return "ability"

    @property
    def order_scale(self) -> str:
        """What systems are ordered by."""
        return "ability"

    @property
    def ability_sd(self) -> Array:
        """(K,) posterior standard deviations of `abilities`."""
        return np.sqrt(np.diag(self.ability_vcov))

    @property
    def r_hat(self) -> Array:
        """(K,) split R̂ of `abilities`: 1 where chains agree."""
        return self.draws.r_hat

    @property
    def effective_draws(self) -> Array:
        """(K,) how many independent draws those of `abilities` are worth."""
        return self.draws.effective

    @property
    def ability_draws(self) -> Array:
        """(D, K) draws of abilities, each with the common place that it was drawn at."""
        return self.draws.flat_abilities

    @property
    def better(self) -> Array:
        """(K, K) posterior chance that the row's system is more able than the column's."""
        return self.draws.better

    @property
    def rank_chances(self) -> Array:
        """(K, K) posterior chance that the row's system has rank 1, 2, ... by ability."""
        return self.draws.rank_chances

    def rank_ranges(self, level: float = LEVEL) -> NDArray[np.int64]:
        """Return (K, 2) best and worst rank of each system at a posterior level, one by one."""
        return self.draws.rank_ranges(level)

    def _chances(self, codes: Codes) -> Array:
        """Return (P, 2) predictive chances of first and second."""
        variance = pair_variances(self.draws.vcov_given, codes) + self.model.output_variance
        return chance_beyond(self.draws.flat_means, codes, variance, self.model.radius)

    def predict(self, pairs: Sequence[tuple[str, str]]) -> Array:
        """Return (n, 3) chances of left, tie, right for outputs that nobody has judged.

        Raises:
            InvalidJudgments: a system that the fit does not know, or a system with itself.

        """
        if not pairs:
            return np.empty((0, 3))
        distinct = list(dict.fromkeys(pairs))
        codes = np.array(code_pairs(self.systems, distinct), dtype=np.intp)
        left, right = self._chances(codes).T
        place = {pair: i for i, pair in enumerate(distinct)}
        rows = [place[pair] for pair in pairs]
        tie = np.maximum(1 - left - right, 0.0)  # at radius 0 rounding leaves less than nothing
        return np.stack((left, tie, right), axis=1)[rows]

    @cached_property
    def log_worth(self) -> Array:
        """(K,) mean over all systems of ln P(win)/P(loss) against them, 0 against itself."""
        k = len(self.systems)
        codes = all_pairs(k)
        return _mean_odds(np.log(self._chances(codes)), codes, k)

    @cached_property
    def worth_vcov(self) -> Array:
        """(K, K) covariance of the log-worths that drawn abilities imply."""
        from scipy.special import log_ndtr

        draws, k = self.draws.flat_abilities, len(self.systems)
        draws = draws[:: -(-len(draws) // _THINNED)]
        r, sd = self.model.radius, np.sqrt(self.model.output_variance)
        worths = np.empty(draws.shape)
        for i in range(k):
            gap = draws[:, [i]] - draws
            worths[:, i] = (log_ndtr((gap - r) / sd) - log_ndtr((-r - gap) / sd)).mean(axis=1)
        return np.atleast_2d(np.cov(worths, rowvar=False))

    @cached_property
    def coefficients(self) -> tuple[Coefficient, ...]:
        """Abilities with posterior standard deviations, which are no tests."""
        rows = zip(self.systems, self.abilities.tolist(), self.ability_sd.tolist(), strict=True)
        return tuple(
            Coefficient(f"o{i + 1}", name, mean, sd, None, None)
            for i, (name, mean, sd) in enumerate(rows)
        )

    @cached_property
    def loglik(self) -> float:
        """Σ ln P (nats) of the comparisons as `predict` has them, each with outputs of its own."""
        left, right = self._chances(self.pairs).T
        chances = np.stack((left, 1 - left - right, right), axis=1)
        seen = self.counts > 0  # at radius 0 ties have chance 0, and none were seen
        return float((self.counts[seen] * np.log(chances[seen])).sum())

    @property
    def n_comparisons(self) -> float:
        """Pairs."""
        return float(self.counts.sum())

    @property
    def notes(self) -> tuple[str, ...]:
        """What must stand beside the numbers."""
        return (*self.said, *self._note_chains())

    def _note_chains(self) -> list[str]:
        apart = [
            f"{name} {r_hat:.2f}"
            for name, r_hat in zip(self.systems, self.r_hat.tolist(), strict=True)
            if r_hat > AGREED
        ]
        if not apart:
            return []
        return [
            f"chains do not agree yet, R-hat above {AGREED}: {listing(apart)}; take more sweeps"
            f" than {self.model.sweeps:,}, in Python IRTGaussian(sweeps={4 * self.model.sweeps})"
        ]

    @property
    def says(self) -> tuple[str, ...]:
        """Lines for people: who is ahead, how sure that is, what it rests on."""
        best, last = int(np.argmax(self.abilities)), int(np.argmin(self.abilities))
        chance = self.rank_chances[best, 0]
        model = self.model
        kept = model.sweeps - model.burn_in
        worth = f"{self.effective_draws.min():,.0f} independent draws"
        return (
            f"most able: {self._span(best)}, the most able of all with chance {chance:.0%}",
            f"least able: {self._span(last)}",
            f"abilities are posterior means less the mean of all, in units of a judge's noise sd"
            f" {model.noise_sd:g}; prior sd {model.ability_sd:g}, outputs of one system differ by"
            f" sd {model.item_sd:g}, no preference within {model.radius:g}",
            f"{_chains(model.chains)} of {kept:,} draws: R-hat at most {self.r_hat.max():.3f},"
            f" worth {worth} or more",
            "intervals take answers for independent given qualities: judges are not told apart",
        )

    def _span(self, code: int) -> str:
        at, half = self.abilities[code], normal_quantile((1 + LEVEL) / 2) * self.ability_sd[code]
        return f"{self.systems[code]} {at:.2f} ({LEVEL:.0%} {at - half:.2f} to {at + half:.2f})"

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """Settings that change numbers."""
        model = self.model
        return (
            f"ability sd {model.ability_sd:g}",
            f"item sd {model.item_sd:g}",
            f"noise sd {model.noise_sd:g}",
            f"radius {model.radius:g}",
            f"{model.chains} x {model.sweeps} sweeps, burn-in {model.burn_in}",
            f"seed={model.seed}",
        )

    @property
    def extras(self) -> Mapping[str, Any]:
        """What stands beside the coefficients, for machines, systems in the order of names."""
        return {
            "abilities": self.abilities.tolist(),
            "ability_sd": self.ability_sd.tolist(),
            "best_chance": self.rank_chances[:, 0].tolist(),
            "rank_ranges": self.rank_ranges().tolist(),
            "r_hat": self.r_hat.tolist(),
            "effective_draws": self.effective_draws.tolist(),
            "highest_r_hat": float(self.r_hat.max()),
            "fewest_effective_draws": float(self.effective_draws.min()),
            "n_outputs": float(self.n_outputs),
        }

    def __repr__(self) -> str:
        return (
            f"IRTGaussianFit({len(self.systems)} systems, {self.n_comparisons:,.0f} comparisons of"
            f" {self.n_outputs:,} outputs, R-hat {self.r_hat.max():.3f})"
        )


def _chains(number: int) -> str:
    return "1 chain" if number == 1 else f"{number:,} chains"


def _mean_odds(log_chances: Array, codes: Codes, k: int) -> Array:
    """Return (K,) mean log-odds of each system against all, from (P, 2) logs of chances."""
    odds = log_chances[:, 0] - log_chances[:, 1]
    sums = np.bincount(codes[:, 0], odds, k) - np.bincount(codes[:, 1], odds, k)
    return np.asarray(sums / k)
