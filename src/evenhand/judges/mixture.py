"""Honest, careless or reversed: a mixture over all judges of a campaign, and the flags it allows.

    b̂_l ~ π0 N(m, τ² + se_l²) + π1 N(0, se_l²) + π2 N(−m, τ² + se_l²)

b̂_l is how strongly the answers of judge l follow what the others say: m on average for honest
judges, who differ by τ; 0 for careless ones, who answer whatever the outputs are; −m for those who
take the scale the wrong way round. P(honest | b̂_l) is the local false discovery rate of Efron
(2008, Statistical Science 23:1-22): the mean of it over the flagged judges is the expected share
of honest ones among them, and the flagged are the largest set with a mean of at most the level.
Controls, repeats and timing enter as further log-likelihoods of each judge under the three classes.

The estimate is the posterior mode with Dirichlet pseudo-counts (8, .5, .5), m ≥ .3 and τ in
[.15, 1]: with few judges the data alone would call anyone careless who is a little unlike the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments
from evenhand.judges.texts import say
from evenhand.numerics import Array
from evenhand.numerics.distributions import normal_quantile
from evenhand.render.findings import Finding

Mask = NDArray[np.bool_]


# The mean slope of all judges, whatever they are: do they follow each other at all?
def pool_slopes(slopes: Array, errors: Array) -> tuple[float, float, float]:
    """Return the mean slope and its 95 % interval; of one judge an endless one."""
    # Judges are weighed by 1 / (s² + se²) with s² from the data (DerSimonian & Laird 1986); the
    # variance is the weighted sum of squares, so that it holds whatever judges differ by.
    if len(slopes) == 1:
        return float(slopes[0]), -np.inf, np.inf
    between = max(float(np.var(slopes, ddof=1) - (errors**2).mean()), 0.0)
    weight = 1 / (between + errors**2)
    mean = float(weight @ slopes / weight.sum())
    inflation = len(weight) / (len(weight) - 1)
    error = np.sqrt(inflation * (weight**2 @ (slopes - mean) ** 2)) / weight.sum()
    margin = normal_quantile(0.975) * float(error)
    return mean, mean - margin, mean + margin


PSEUDO_COUNTS: Final = (8.0, 0.5, 0.5)  # Judges of each class that are added to those seen
SPREAD_LIMITS: Final = (0.15, 1.0)
MIN_SLOPE: Final = 0.3
MAX_ITERATIONS: Final = 200
TOLERANCE: Final = 1e-10
MIN_JUDGES: Final = 8  # Judges below which nobody is flagged
MIN_HONEST_SHARE: Final = 0.6  # Share below which it is open who the honest ones are
# Standard deviations between the honest and the careless, below which they mix
MIN_SEPARATION: Final = 2.0


@dataclass(frozen=True, eq=False)
class Mixture:
    shares: Array  # (3,) shares of honest, careless and reversed judges, with the pseudo-counts
    mean: float  # m, the mean slope of honest judges
    spread: float  # τ, their standard deviation
    slopes: Array  # (J,) b̂, as given
    errors: Array  # (J,) their standard errors, as given
    posterior: Array  # (J, 3) probabilities of honest, careless and reversed

    def odds_of(self, logs: Array) -> Array:
        """Return (J,) the log-odds against being honest that log-likelihoods add (nats)."""
        # Careless and reversed judges are weighed by their shares.
        # logs: (J, 3) log-likelihoods under honest, careless and reversed.
        careless, reverse = (logs[:, 1:] + np.log(self.shares[1:])).T
        doubt = np.logaddexp(careless, reverse) - np.log(self.shares[1:].sum())
        return np.asarray(doubt - logs[:, 0])

    @cached_property
    def log_odds(self) -> Array:
        """(J,) log-odds against being honest that each slope adds (nats)."""
        at = np.array([*self.shares, self.mean, self.spread])
        return self.odds_of(_logs(at, self.slopes, self.errors))

    @property
    def p_honest(self) -> Array:
        """(J,) probability that each judge is honest: the local false discovery rate."""
        return np.asarray(self.posterior[:, 0])

    def testable(self, information: Array, level: float = 0.05) -> Mask:
        """Say of which judges it would be seen if they were careless: (J,)."""
        # About half of them are flagged at the least number of judgments, and more with more.
        least = self.least_information(level)
        return np.asarray(information >= (np.inf if least is None else least))

    def least_information(self, level: float = 0.05) -> float | None:
        """Return the least 1 / se² at which a careless judge is testable; None where none is."""
        # A slope of exactly 0 gives m² / (2 (τ² + se²)) + ½ ln(1 + τ² / se²) against being honest
        # (nats), which must reach the prior odds for honest and the odds of the level.
        needed = float(np.log((1 - level) / level * self.shares[0] / self.shares[1]))
        spread = self.spread**2

        def reaches(information: float) -> bool:
            noise = (information**-0.5) ** 2
            log_odds = self.mean**2 / (2 * (spread + noise)) + np.log1p(spread / noise) / 2
            return bool(log_odds >= needed)

        low, high = 1e-6, 1e9  # evidence grows with information: bisection on its logarithm
        if not reaches(high):
            return None
        for _ in range(200):
            middle = float(np.sqrt(low * high))
            low, high = (low, middle) if reaches(middle) else (middle, high)
        return high

    def separation(self) -> float:
        """Return m / √(τ² + se²) of the median judge: how far honest and careless lie apart."""
        # Judges are weighed by 1 / se²: a crowd with a handful of judgments each, about whom
        # nothing can be said, must not hide what the others show.
        spread, weight = np.sqrt(self.spread**2 + self.errors**2), self.errors**-2.0
        order = np.argsort(spread, kind="stable")
        sums = np.cumsum(weight[order])
        return float(self.mean / spread[order][np.searchsorted(sums, sums[-1] / 2)])

    def abstention(self) -> Finding | None:
        """Say why nobody may be called careless or reversed here; None where it can be told."""
        if len(self.slopes) < MIN_JUDGES:
            return say("few-judges", n=len(self.slopes), needed=MIN_JUDGES)
        _, lower, upper = pool_slopes(self.slopes, self.errors)
        if lower <= 0:
            return say("slope-near-zero", lower=float(lower), upper=float(upper))
        seen = self.posterior.mean(axis=0)  # without the pseudo-counts
        share = float(seen[0])
        if share < seen.max():
            return say("honest-not-largest")
        if share < MIN_HONEST_SHARE:
            return say("few-honest", share=share, needed=MIN_HONEST_SHARE)
        apart = self.mean / np.sqrt(self.spread**2 + self.errors**2) >= MIN_SEPARATION
        if self.separation() < MIN_SEPARATION or apart.sum() < MIN_JUDGES:
            numbers = {"distance": self.separation(), "apart": int(apart.sum())}
            return say("not-separable", **numbers, least=MIN_SEPARATION, needed=MIN_JUDGES)
        return None


def fit_mixture(
    slopes: Array,
    errors: Array,
    *,
    extra: Array | None = None,
) -> Mixture:
    # slopes: (J,) b̂ of every judge.
    # errors: (J,) their standard errors, positive.
    # extra: (J, 3) log-likelihoods of what else is known of each judge under the classes honest,
    #     careless, reversed (nats); zeros where nothing is. None for nothing at all.
    if not len(slopes):
        raise InvalidJudgments("no judge has a slope: there is nobody to compare")
    usual = np.isfinite(slopes) & np.isfinite(errors) & (errors > 0)
    if not usual.all():
        raise InvalidJudgments(
            f"{(~usual).sum()} of {len(slopes)} judges have no finite slope with a positive"
            " standard error: leave them out before the mixture is fitted"
        )
    n = len(slopes)
    further = np.zeros((n, 3)) if extra is None else extra
    shares = (np.array(PSEUDO_COUNTS) + np.array([n, 0, 0])) / (n + sum(PSEUDO_COUNTS))
    at = np.append(shares, [max(float(np.median(slopes)), MIN_SLOPE), np.mean(SPREAD_LIMITS)])
    for _ in range(MAX_ITERATIONS):
        posterior = _classify(at, slopes, errors, further)
        # m is a weighted mean, τ² takes one scoring step; both within their limits
        counts = posterior.sum(axis=0) + PSEUDO_COUNTS
        wide = at[4] ** 2 + errors**2
        follow, against = posterior[:, 0] / wide, posterior[:, 2] / wide
        mean = max(float((follow - against) @ slopes / (follow + against).sum()), MIN_SLOPE)
        left = (follow / wide) @ ((slopes - mean) ** 2 - errors**2)
        left += (against / wide) @ ((slopes + mean) ** 2 - errors**2)
        square = float(left / ((follow + against) / wide).sum())
        sd = min(max(np.sqrt(max(square, 0.0)), SPREAD_LIMITS[0]), SPREAD_LIMITS[1])
        before, at = at, np.append(counts / counts.sum(), [mean, sd])
        if np.abs(at - before).max() < TOLERANCE:
            break
    posterior = _classify(at, slopes, errors, further)
    return Mixture(at[:3], float(at[3]), float(at[4]), slopes, errors, posterior)


def choose_flags(p_honest: Array, level: float) -> Mask:
    """Choose the largest set of judges whose mean P(honest) is at most the level: (J,)."""
    # Judges with exactly the same probability are flagged together or not at all.
    order = np.argsort(p_honest, kind="stable")
    means = np.cumsum(p_honest[order]) / np.arange(1, len(order) + 1)
    for size in np.flatnonzero(means <= level)[::-1] + 1:
        last = p_honest[order[size - 1]]
        if size == len(order) or p_honest[order[size]] > last:
            return np.asarray(p_honest <= last)
    return np.zeros(len(p_honest), dtype=bool)


def _logs(at: Array, slopes: Array, errors: Array) -> Array:
    """Return (J, 3) log-densities of the slopes under the classes."""
    logs, wide = np.empty((len(slopes), 3)), at[4] ** 2 + errors**2
    for column, (mean, variance) in enumerate(((at[3], wide), (0.0, errors**2), (-at[3], wide))):
        logs[:, column] = (
            -((slopes - mean) ** 2) / (2 * variance) - np.log(2 * np.pi * variance) / 2
        )
    return logs


def _classify(at: Array, slopes: Array, errors: Array, further: Array) -> Array:
    """Return (J, 3) probabilities of the classes."""
    logs = _logs(at, slopes, errors) + further + np.log(at[:3])
    # three columns by turns: numpy takes three times as long for many rows of three
    largest = np.maximum(np.maximum(logs[:, 0], logs[:, 1]), logs[:, 2])
    chances = np.exp(logs - largest[:, None])
    return np.asarray(chances / (chances[:, 0] + chances[:, 1] + chances[:, 2])[:, None])
