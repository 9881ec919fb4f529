"""The maximum of the likelihood of judge slopes: start, climb, end of τ's range, interval of τ."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged, NotIdentified
from evenhand.numerics.newton import Maximum, invert_positive, maximise
from evenhand.preference.slopes.likelihood import ENDLESS, SlopeLikelihood

Array = NDArray[np.float64]
NODES: Final = 15
"""Nodes to begin with."""
MOST_NODES: Final = 240
SURE: Final = 60
"""Least nodes for a profile, which goes to larger τ."""
EXACT: Final = 1e-8
"""Change in log-likelihood, relative to 1 + |value|, that doubling the nodes may make."""
ROUNDS: Final = 30
STEPPED: Final = (0.05, 0.2, 0.4, 0.7, 1.0, 1.4, 2.0, 2.8, ENDLESS)
"""Values of τ that are looked at one by one where a climb from the first guess fails."""
AT_THE_END: Final = 0.9
"""Share of ENDLESS from which on a maximum is no maximum, but where the climb was stopped."""
_REMEDIES: Final = (
    "collect more judgments from each judge",
    "compare --model random-judges",
    "fit a model without slopes, such as --model bradley-terry",
)
_RUNS_AWAY: Final = (
    "the spread of the judges' slopes has no finite estimate: slopes cannot be told, since systems"
    " are hardly apart, judges prefer opposite systems, or some judges always agree and the others"
    " answer by chance"
)
_CIRCLES: Final = "the fit of judges' slopes did not converge: its likelihood has no clear maximum"
LEAST: Final = 3e-3
"""A τ that is none: nobody would tell slopes of .997 and 1.003 apart."""
STILL: Final = 1e-3
"""A climb so short, in units of reach, that the nodes need not be put anew."""
NONE: Final = 1e-7
"""Gain in log-likelihood over τ = 0, relative to 1 + |value|, that is none."""
HALF_CHI2: Final = 1.920729410347062
"""Half the .95 quantile of χ² on 1 df."""
NORMAL: Final = 1.959963984540054
FEW: Final = 100_000
"""Most cells for which τ has a profile-likelihood interval: it takes some twenty climbs."""
FURTHEST: Final = 2.5
"""The largest τ to which a profile is followed: beyond it worths have many maxima, since most
slopes are 0 or endless, and an interval that reaches so far has no upper end."""
FINE: Final = 1e-4
"""Width of the bracket of log τ at which its profile is followed no further."""


@dataclass(frozen=True, eq=False)
class Peak:
    """The maximum.

    Attributes:
        beta: (p,) λ and γ, and log τ behind them unless τ is 0.
        tau: τ.
        loglik: log-likelihood there (nats).
        vcov: inverse information of `beta`.
        nodes: nodes per judge.
        error: change in log-likelihood with twice as many.

    """

    beta: Array
    tau: float
    loglik: float
    vcov: Array
    nodes: int
    error: float


def find_peak(likelihood: SlopeLikelihood, flat: Array) -> tuple[Peak, float]:
    """Return the maximum, and the log-likelihood at τ = 0.

    Args:
        likelihood: with τ free.
        flat: maximum of the likelihood with τ = 0, λ and γ.

    Raises:
        NotConverged: there is no clear maximum.
        NotIdentified: τ runs away.

    """
    still = replace(likelihood, nodes=1, tau=0.0)
    level = still.expand(flat)
    found = _find_top(likelihood, flat)
    if found.tau > LEAST and found.loglik - level.value > NONE * (1 + abs(level.value)):
        return found, level.value
    vcov = invert_positive(level.information)
    return Peak(flat, 0.0, level.value, vcov, found.nodes, 0.0), level.value


def start_tau(likelihood: SlopeLikelihood, flat: Array) -> float:
    """Return a first τ by moments: scores of log-slopes vary by I + I² τ² (I their information)."""
    worths, gamma, _ = likelihood.hold(0.0).parts(flat)
    cells = likelihood.cells
    eta = worths[cells.left] - worths[cells.right]
    local = likelihood.law.expand(eta, gamma, cells.counts)
    score = cells.sums(local.eta * eta)
    known = cells.sums(local.eta_eta * eta**2)
    total = float((known**2).sum())
    square = float((score**2 - known).sum()) / total if total > 0 else 0.0
    return float(np.sqrt(np.clip(square, 0.04, 1.0)))


def _find_top(likelihood: SlopeLikelihood, flat: Array) -> Peak:
    """Climb from the first guess, or where that fails from the best of several values of τ."""
    try:
        found = _climb(likelihood, np.append(flat, np.log(start_tau(likelihood, flat))))
    except NotConverged:
        found = None
    if found is None or found.tau > AT_THE_END * ENDLESS:
        best = _step_through(likelihood, flat)
        try:
            found = _climb(likelihood, best)
        except NotConverged:
            raise NotConverged(_CIRCLES, _REMEDIES) from None
    if found.tau > AT_THE_END * ENDLESS:
        raise NotIdentified(_RUNS_AWAY, _REMEDIES)
    return found


def _step_through(likelihood: SlopeLikelihood, flat: Array) -> Array:
    """Return the best of the points with the values of τ in `STEPPED`, λ and γ at their best.

    Raises:
        NotIdentified: it is the last: τ runs away.
        NotConverged: none is found.

    """
    profile = _Profile(likelihood, flat, SURE)
    best, at = -np.inf, 0.0
    point = flat
    for tau in STEPPED:
        try:
            value = profile.climb(tau)
        except NotConverged:
            continue
        if value > best:
            best, at, point = value, tau, profile.rest
    if at == ENDLESS:
        raise NotIdentified(_RUNS_AWAY, _REMEDIES)
    if not at:
        raise NotConverged(_CIRCLES, _REMEDIES)
    return np.append(point, np.log(at))


def _climb(likelihood: SlopeLikelihood, beta: Array) -> Peak:
    """Climb with as many nodes as it takes for the integrals to be exact."""
    nodes = likelihood.nodes
    while True:
        own = replace(likelihood, nodes=nodes)
        try:
            found = _settle(own, beta)
        except NotConverged:  # with too few nodes the places of nodes may go round in circles
            if nodes >= MOST_NODES:
                raise
            nodes *= 2
            continue
        beta, value = found.at, found.expansion.value
        finer = replace(own, nodes=2 * nodes).loglik(beta)
        error = abs(finer - value)
        if error <= EXACT * (1 + abs(value)) or nodes >= MOST_NODES:
            vcov = invert_positive(found.expansion.information)
            return Peak(beta, float(np.exp(beta[-1])), finer, vcov, nodes, error)
        nodes *= 2


def _settle(likelihood: SlopeLikelihood, beta: Array) -> Maximum:
    """Climb with nodes that stay put, and put them anew, until both come to rest.

    Raises:
        NotConverged: they do not.

    """
    for _ in range(ROUNDS):
        found = maximise(likelihood.place(beta).expand, beta, reach=likelihood.reach)
        moved, beta = likelihood.reach(found.at - beta), found.at
        if moved < STILL or (likelihood.tau is None and beta[-1] < np.log(LEAST)):
            return found
    raise NotConverged(_CIRCLES, _REMEDIES)


@dataclass(frozen=True)
class Interval:
    """The .95 interval of τ.

    Attributes:
        lower: 0 where there is none.
        upper: infinity where there is none.
        method: how it was found.
        lost: whether the profile could not be followed to an end, which is then missing.

    """

    lower: float
    upper: float
    method: str
    lost: bool = False


def find_interval(likelihood: SlopeLikelihood, peak: Peak, level: float) -> Interval:
    """Return the .95 interval of τ.

    Args:
        likelihood: with τ free.
        peak: its maximum.
        level: log-likelihood at τ = 0.

    """
    if len(likelihood.cells.judge) <= FEW or not peak.tau:
        return _follow_profile(likelihood, peak, level)
    factor = float(np.exp(NORMAL * np.sqrt(peak.vcov[-1, -1])))
    return Interval(peak.tau / factor, peak.tau * factor, "Wald on log τ")


def _follow_profile(likelihood: SlopeLikelihood, peak: Peak, level: float) -> Interval:
    middle, width = float(np.log(0.05)), 0.5
    if peak.tau > 0:
        middle = float(np.log(peak.tau))
        width = float(np.clip(2 * np.sqrt(peak.vcov[-1, -1]), 0.05, 0.5))
    rest, nodes = peak.beta[:-1] if peak.tau > 0 else peak.beta, max(2 * peak.nodes, SURE)
    ends, lost = [0.0, float("inf")], False
    for side, step in enumerate((-width, width)):
        if step > 0 or peak.loglik - level > HALF_CHI2:
            try:
                profile = _Profile(likelihood, rest, min(nodes, MOST_NODES))
                ends[side] = _cross(profile, peak.loglik, middle, step)
            except NotConverged:  # the estimate stands; only this end of its interval is not found
                lost = True
    return Interval(ends[0], ends[1], "profile likelihood", lost)


class _Profile:
    """The log-likelihood with τ held; each climb over λ and γ starts where the last ended."""

    def __init__(self, likelihood: SlopeLikelihood, rest: Array, nodes: int) -> None:
        self.likelihood = likelihood
        self.rest = rest
        self.nodes = nodes

    def climb(self, tau: float) -> float:
        """Return the largest log-likelihood, with more nodes where so many go round in circles."""
        held = self.likelihood.hold(tau)
        while True:
            try:
                found = _settle(replace(held, nodes=self.nodes), self.rest)
            except NotConverged:
                if self.nodes >= MOST_NODES:
                    raise
                self.nodes = min(2 * self.nodes, MOST_NODES)
            else:
                self.rest = found.at
                return found.expansion.value


def _cross(profile: _Profile, top: float, middle: float, width: float) -> float:
    """Return the τ where the profile has dropped enough; infinity where it does not."""

    def drop(log_tau: float) -> float:
        """Return the drop less half the .95 quantile of χ²: negative inside the interval."""
        return top - profile.climb(float(np.exp(log_tau))) - HALF_CHI2

    inside, outside = middle, middle + width
    below, above = -HALF_CHI2, -HALF_CHI2
    while above < 0:
        if outside > np.log(FURTHEST):
            return float("inf")
        above = drop(outside)
        if above < 0:
            inside, below, outside = outside, above, outside + width
    while abs(outside - inside) > FINE:
        # the secant through the ends, kept off them
        share = float(np.clip(-below / (above - below), 0.05, 0.95))
        at = inside + share * (outside - inside)
        value = drop(at)
        if value < 0:
            inside, below = at, value
        else:
            outside, above = at, value
    return float(np.exp(inside + (outside - inside) * -below / (above - below)))
