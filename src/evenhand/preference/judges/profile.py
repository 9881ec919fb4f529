"""How far σ may be from its estimate: an interval by the profile likelihood, adjusted.

    a(σ) = max over θ, γ of ℓ(θ, γ, σ) − ½ log det I_θ(σ) − (K − 1) log s(σ),  2(a(σ°) − a(σ)) ≤ χ²₁

For each σ the worths and γ are fitted anew, by one Newton step where that is enough. Worths that
are estimated from the same answers take up some of the variance between judges: maximum likelihood
makes σ too small, and its interval too, where judges or their answers are few. The determinant puts
back what they took, as the n − 1 of a variance does; the restricted estimate σ° is where a is
largest. It is taken of θ/s(σ), which the answers of all judges determine whatever σ is
(softening.py): θ itself grows with σ, and its determinant alone would make σ too large.
Without all this, σ° is the maximum likelihood estimate and a the plain profile.

Source: Cox & Reid (1987), JRSS B 49:1-39, eq. 10; Barndorff-Nielsen (1983), Biometrika 70:343-365,
for the Jacobian s.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged
from evenhand.numerics.distributions import normal_quantile
from evenhand.numerics.newton import invert_positive
from evenhand.numerics.quasi_newton import climb
from evenhand.preference.judges.estimation import LARGEST, Peak
from evenhand.preference.judges.likelihood import Panel, Point, State
from evenhand.preference.judges.softening import find_softening
from evenhand.preference.judges.start import Pooled

Array = NDArray[np.float64]
NEAR: Final = 0.1
"""Distance of the root of the deviance from its goal within which a last step is taken blindly."""
LEFT: Final = 1 / 40
"""Share of that gain in worths below which the gain of a Newton step in log σ is added up too."""
_LOST: Final = "the interval of σ was not found"


@dataclass(frozen=True, eq=False)
class Interval:
    """What the profile says of σ.

    Attributes:
        lower: the lower end; 0 where the data do not exclude it.
        upper: the upper end; infinite where there is none.
        peak: the maximum moved to σ°; as it was where that is as good as there.

    """

    lower: float
    upper: float
    peak: Peak


@dataclass(frozen=True, eq=False)
class _Height:
    """The profile at one log σ, its slope, and the worths and γ that go with it."""

    value: float
    slope: float
    beta: Array
    point: Point


@dataclass(frozen=True, eq=False)
class _Top:
    """Where the profile is largest (log σ), how high it is there, how bent, and a point nearby."""

    at: float
    value: float
    bend: float
    near: _Height


def find_interval(
    panel: Panel, peak: Peak, pooled: Pooled, level: float, *, restricted: bool
) -> Interval:
    """Return the interval of σ, and the estimate that goes with it.

    Args:
        panel: judges' answers.
        peak: where the likelihood is largest.
        pooled: the fit at σ = 0.
        level: of the interval.
        restricted: whether to adjust for worths being estimated.

    Raises:
        NotConverged: an end was not found.

    """
    goal = normal_quantile((1 + level) / 2)
    profile = _Profile(panel, peak, restricted=restricted)
    zero = pooled.loglik
    if restricted:
        zero -= _half_log_det(invert_positive(pooled.vcov)[: (n := panel.n_systems - 1), :n])
    spread = _spread(peak, goal)
    top = _find_top(profile, zero, float(peak.beta[-1]) if peak.point else log(spread) - 1.5)
    if top is None:
        upper = _find_end(profile, zero, goal, (log(spread), -inf, inf))
        none = Peak(pooled.beta, 0.0, pooled.loglik, pooled.vcov, None, peak.dispersion)
        return Interval(0.0, upper, none)
    step = min(goal / sqrt(top.bend), 1.0)
    upper = _find_end(profile, top.value, goal, (top.at + step, top.at, inf))
    lower = 0.0  # also where the likelihood itself, which the test of 0 goes by, is largest at 0
    if peak.point is not None and 2 * (top.value - zero) > goal**2:
        lower = _find_end(profile, top.value, -goal, (top.at - step, -inf, top.at))
    return Interval(lower, upper, _move(panel, peak, top))


def _move(panel: Panel, peak: Peak, top: _Top) -> Peak:
    """Return the maximum at the top of the adjusted profile."""
    if peak.point is not None:
        moved = abs(top.at - float(peak.beta[-1])) * sqrt(top.bend)
        if moved**2 / 2 < LEFT * panel.left_over:
            return peak
    beta = np.append(top.near.beta, top.at)
    point = panel.expand(beta, top.near.point.state, information=True)
    some = panel.thinned()
    there = point if some.weights == panel.weights else some.expand(beta, None, information=True)
    information = some.information(beta, there)
    information[: panel.n_systems - 1, : panel.n_systems - 1] = point.worths
    inner = invert_positive(information[:-1, :-1])
    drift = np.append(-inner @ information[:-1, -1], 1.0)
    vcov = np.outer(drift, drift) / top.bend
    vcov[:-1, :-1] += inner
    return Peak(beta, exp(top.at), peak.loglik, vcov, point, peak.dispersion)


def _spread(peak: Peak, goal: float) -> float:
    """Return the standard error of log σ; at σ = 0 about the upper end of σ."""
    if peak.point is not None:
        return float(np.sqrt(peak.vcov[-1, -1]))
    bend, slope = peak.dispersion.bend, peak.dispersion.slope
    return sqrt((slope + sqrt(slope**2 + bend * goal**2)) / bend)


def _half_log_det(information: Array) -> float:
    return float(np.linalg.slogdet(information)[1]) / 2


@dataclass(frozen=True, eq=False)
class _Inner:
    """The likelihood by worths and γ alone."""

    value: float
    gradient: Array
    point: Point


class _Profile:
    """The profile as a function of log σ, worths and γ fitted anew."""

    def __init__(self, panel: Panel, peak: Peak, *, restricted: bool) -> None:
        self.panel, self.peak, self.restricted = panel, peak, restricted
        n = panel.size - 1
        self.drift = np.zeros(n)
        self.information = invert_positive(peak.vcov)[:n, :n]
        if peak.point is not None:
            self.drift = peak.vcov[:n, -1] / peak.vcov[-1, -1]

    def height(self, at: float, near: _Height | None = None) -> _Height:
        """Return the profile at log σ.

        Raises:
            NotConverged: worths and γ were not found.

        """
        beta, state = self.peak.beta[: self.panel.size - 1], None
        point = self.peak.point
        if point is not None:
            if at == self.peak.beta[-1]:
                return self._finish(beta, at, point, 0.0)
            state = point.state
            beta = beta + self.drift * np.clip(at - self.peak.beta[-1], -1.0, 1.0)
        if near is not None:
            beta, state = near.beta, near.point.state
        first = self._expand(beta, at, state)
        information, k = self.information.copy(), self.panel.n_systems
        information[: k - 1, : k - 1] = first.point.worths
        end, here, gain = climb(
            lambda x, before: self._expand(x, at, before.point.state),
            (beta, first),
            information,
            tolerance=2 * self.panel.left_over / (1.0 + abs(first.value)),
            reach=lambda step: float(np.abs(step).max()),
        )
        return self._finish(end, at, here.point, gain)

    def _expand(self, beta: Array, at: float, state: State | None) -> _Inner:
        point = self.panel.expand(np.append(beta, at), state, information=True)
        return _Inner(point.value, point.gradient[:-1], point)

    def _finish(self, beta: Array, at: float, there: Point, gain: float) -> _Height:
        slope = float(there.gradient[-1] - there.gradient[:-1] @ self.drift)
        value = there.value + gain
        if self.restricted:
            assert there.worths is not None
            assert there.bends is not None
            slope -= float(np.trace(np.linalg.solve(there.worths, there.bends))) / 2
            value -= _half_log_det(there.worths)
            n = self.panel.n_systems - 1
            softer = find_softening(at, float(beta[-1]) if self.panel.ties else None)
            value -= n * softer.value
            slope -= n * softer.slope
        return _Height(value, slope, beta, there)


def _find_top(profile: _Profile, zero: float, first: float) -> _Top | None:
    """Return where the profile is largest; None where that is at σ = 0.

    Args:
        profile: the profile.
        zero: its value at σ = 0.
        first: log σ to begin with, at or below the top.

    """
    peak = profile.peak
    bend = 1 / float(peak.vcov[-1, -1]) if peak.point is not None else 4.0
    at, here = first, profile.height(first)
    if here.slope <= 0 and peak.point is None:
        return None
    for _ in range(60):
        gain = here.slope**2 / (2 * bend)
        step = float(np.clip(here.slope / bend, -0.5, 0.5))
        if gain < LEFT * profile.panel.left_over or at > log(LARGEST):
            top = here.value + gain
            return _Top(at + step, top, bend, here) if top > zero else None
        there = profile.height(at + step, here)
        fallen = (here.slope - there.slope) / step
        bend = fallen if fallen > 0 else bend / 2
        at, here = at + step, there
    raise NotConverged(_LOST)


def _find_end(
    profile: _Profile, top: float, goal: float, places: tuple[float, float, float]
) -> float:
    """Return σ at which the signed root of the deviance, which rises with σ, is `goal`.

    Args:
        profile: the adjusted profile.
        top: its largest value.
        goal: quantile of a standard normal, negative for the lower end.
        places: where to begin, and what the end lies between (log σ).

    """
    at, low, high = places
    for _ in range(60):
        if at > log(LARGEST):
            return inf
        there = profile.height(at)
        root = float(np.copysign(sqrt(max(2 * (top - there.value), 0.0)), goal))
        slope = -there.slope / root if root else inf
        low, high = (at, high) if root < goal else (low, at)
        ahead = at + float(np.clip((goal - root) / slope, -1.0, 1.0)) if slope > 0 else inf
        if slope > 0 and abs(root - goal) < NEAR:
            return exp(ahead)
        at = ahead if low < ahead < high else _between(at, low, high)
    raise NotConverged(_LOST)


def _between(at: float, low: float, high: float) -> float:
    """Return the middle of a bracket, or a step beyond its only end."""
    if np.isinf(low):
        return at - 1.0
    return at + 1.0 if np.isinf(high) else (low + high) / 2
