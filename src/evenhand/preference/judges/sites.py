"""The chances of three outcomes as a function of one judge's log-odds, and Gaussians in its place.

With x the log-odds of left against right in the eyes of one judge and ν = exp(γ):

    ℓ(x) = (n₊ − n₋) x/2 + n₀ γ − n log(exp(x/2) + ν + exp(−x/2))      (Davidson 1970)

without ties ν = 0. A *site* is what stands for exp ℓ in a Gaussian approximation: with e = x − m
the judge's deviation from the mean judge's log-odds m, exp(b e − t e²/2).

Source: Minka (2001), Expectation propagation for approximate Bayesian inference, UAI 17:362-369.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.quadrature import hermite_rule

Array = NDArray[np.float64]


@cache
def _gauss_hermite(n: int) -> tuple[Array, Array]:
    """Return nodes and weights for a standard normal, as columns."""
    at, logs = hermite_rule(n)
    weight = np.exp(logs - at**2 / 2)
    return at[:, None], (weight / weight.sum())[:, None]


@dataclass(frozen=True, eq=False)
class Votes:
    """What was said of each entry, and where the mean judge stands.

    Attributes:
        net: (c,) preferences for left less those for right.
        ties: (c,) ties.
        n: (c,) judgments.
        centre: (c,) log-odds m of the mean judge.
        gamma: tie parameter; None without ties.
        nodes: of the quadrature over one difference.

    """

    net: Array
    ties: Array
    n: Array
    centre: Array
    gamma: float | None
    nodes: int

    @property
    def nu(self) -> float:
        """Davidson's ν."""
        return 0.0 if self.gamma is None else float(np.exp(self.gamma))

    def values(self, deviation: Array) -> Array:
        """Return ℓ(m + e) for deviations (..., c), in nats."""
        x = (self.centre + deviation) / 2
        size = np.abs(x)
        root = np.exp(-size)
        value = self.net * x - self.n * (size + np.log(1.0 + root * (self.nu + root)))
        return np.asarray(value if self.gamma is None else value + self.ties * self.gamma)

    def tied(self, deviation: Array) -> Array:
        """Return the chance of a tie at deviations (..., c)."""
        root = np.exp(-np.abs(self.centre + deviation) / 2)
        none = self.nu * root
        return np.asarray(none / (1.0 + none + root * root))


@dataclass(frozen=True, eq=False)
class Slopes:
    """Derivatives of ℓ by x and γ; all of shape (c,).

    Attributes:
        x: first derivative by x.
        xx: second; likewise the others.
        xxx: see xx.
        g: first derivative by γ.
        xg: see xx.
        xxg: see xx.

    """

    x: Array
    xx: Array
    xxx: Array
    g: Array
    xg: Array
    xxg: Array


def slopes(votes: Votes, deviation: Array) -> Slopes:
    """Return derivatives at deviations (c,): cumulants of (left − right)/2 and of the tie."""
    x = (votes.centre + deviation) / 2
    root = np.exp(-np.abs(x))
    weak, none = root * root, votes.nu * root
    total = 1.0 + weak + none
    lean = np.copysign(1.0 - weak, x) / total
    tied, other = none / total, (1.0 + weak) / total
    n = votes.n
    return Slopes(
        x=(votes.net - n * lean) / 2,
        xx=-n * (other - lean**2) / 4,
        xxx=-n * lean * (1.0 - 3.0 * other + 2.0 * lean**2) / 8,
        g=votes.ties - n * tied,
        xg=n * tied * lean / 2,
        xxg=-n * tied * (2.0 * lean**2 - other) / 4,
    )


@dataclass(frozen=True, eq=False)
class Sites:
    """A Gaussian in place of each entry's likelihood; shapes (c,).

    Attributes:
        precision: t.
        linear: b, of the deviation e.

    """

    precision: Array
    linear: Array

    def values(self, deviation: Array) -> Array:
        """Return b e − t e²/2 for deviations (..., c)."""
        return np.asarray(deviation * (self.linear - self.precision / 2 * deviation))


@dataclass(frozen=True, eq=False)
class Moments:
    """A difference under what the others say and the exact likelihood of its own entry.

    Attributes:
        log_scale: (c,) log of the mean of exp(ℓ − site), in nats.
        mean: (c,) mean of e.
        variance: (c,) variance of e.
        deviation: (q, c) nodes of the quadrature.
        weight: (q, c) their weights.

    """

    log_scale: Array
    mean: Array
    variance: Array
    deviation: Array
    weight: Array

    def tied(self, votes: Votes) -> Array:
        """Return (c,) mean chances of a tie."""
        return np.asarray((self.weight * votes.tied(self.deviation)).sum(axis=0))


def tilt(votes: Votes, sites: Sites, mean: Array, variance: Array) -> Moments:
    """Put the exact likelihood in the place of each site, one at a time.

    Args:
        votes: the entries.
        sites: what stands for them.
        mean: (c,) mean of each difference with all sites.
        variance: (c,) its variance.

    """
    at, rule = _gauss_hermite(votes.nodes)  # they move with mean and width
    deviation = mean + np.sqrt(variance) * at
    logs = votes.values(deviation)
    logs -= sites.values(deviation)
    top = logs.max(axis=0)
    weight = np.exp(logs - top)
    weight *= rule
    total = weight.sum(axis=0)
    weight /= total
    first = (weight * at).sum(axis=0)
    second = (weight * at**2).sum(axis=0)
    return Moments(
        log_scale=top + np.log(total),
        mean=mean + np.sqrt(variance) * first,
        variance=variance * (second - first**2),
        deviation=deviation,
        weight=weight,
    )
