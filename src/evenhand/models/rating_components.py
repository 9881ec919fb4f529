"""Variance components of ratings: how much of a score is the system, the judge, the item, chance.

    y = μ + system + judge + item + (item x system) + (judge x system) + (judge x item) + residual

Each effect is normal with a variance of its own; the variances are what is estimated, by restricted
maximum likelihood. Designs need not be balanced or complete. Components that a design cannot tell
apart are one, and it is said which.

Sources: Patterson & Thompson (1971), Biometrika 58:545-554 (the likelihood); Brennan (2001),
Generalizability Theory, Springer (the use); components.py has the numerics.

When not to use it: where scores pile up at an end of the scale, variances are too small there and
differ between systems; where judges are of a few known groups; with two or three judges the
variance between them is hardly known, as the interval shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, inf, log, sqrt
from typing import Final, Literal

import numpy as np

from evenhand.data.rating_rows import RatingRows
from evenhand.data.results import RESIDUAL, SYSTEM, Component
from evenhand.errors import NotConverged, NotIdentified
from evenhand.models.components import (
    Problem,
    Solved,
    Term,
    arrange,
    count_incidence,
    cross,
    identify,
    make_terms,
    solve_equations,
)
from evenhand.models.texts import say
from evenhand.numerics import Array, Flags
from evenhand.numerics.distributions import chi2_tail, normal_quantile
from evenhand.numerics.sampling import one_blas_thread

# Moment estimates of variance components, linear in the number of scores.
#
# The sum of squares within the levels of term k is a quadratic form of the scores that the mean
# leaves alone; its expectation is Σ_l σ_l² tr Z_lᵀ(I − P_k)Z_l, also in the most unbalanced design.
# As many forms as components are solved for them. Unbiased; negative estimates become 0. In
# balanced designs they are those of the analysis of variance.
#
# Source: Henderson (1953), Biometrics 9:226-252, method 1; Gao & Owen (2017), Electronic Journal of
# Statistics 11:1235-1296, for crossed designs of any size.


def estimate_moments(score: Array, terms: Sequence[Term]) -> Array:
    """Return the variances of the terms and, last, of the residual, from (n,) scores."""
    n = len(score)
    whole = Term("", np.zeros(n, dtype=np.int64), 1)
    rest = Term(RESIDUAL, np.arange(n), n)
    _, within = count_incidence([whole, *terms, rest])
    squares = []
    for term in (whole, *terms):
        means = np.bincount(term.codes, score, term.size) / term.counts
        squares.append(float(((score - means[term.codes]) ** 2).sum()))
    return np.maximum(np.linalg.solve(within[:-1, 1:], np.array(squares)), 0.0)


# Restricted maximum likelihood: steps of average information, variances not below 0.
#
# A variance at 0 whose derivative is not positive rests there; the others take a Newton step with
# the average information, halved until the likelihood does not fall; where none such is found, a
# step of the EM algorithm.
#
# Source: Gilmour, Thompson & Cullis (1995), Biometrics 51:1440-1450; resting at the bound:
# Bertsekas (1982), SIAM Journal on Control and Optimization 20:221-246.

MIN_VARIANCE: Final = 1e-7  # Of a term that is as good as 0, where scores have variance 1
MIN_RESIDUAL: Final = 1e-9  # The same of the residual, which the equations are divided by
MAX_STEPS: Final = 200
MAX_HALVINGS: Final = 30
MAX_GAIN_LEFT: Final = 1e-8  # Twice the log-likelihood still to be gained at the end (nats)
MAX_GAIN_ROUNDED: Final = 1e-4  # The same where rounding keeps the likelihood from rising
LOGLIK_ROUNDING: Final = 1e-9  # Loss of log-likelihood, relative to 1 + |ℓ|, that is rounding
MIN_INFORMATION: Final = 1e-12  # Less is rounding
RIDGE: Final = 1e-9  # Share added to the diagonal of the information


@dataclass(frozen=True, eq=False)
class Peak:
    variances: Array  # (K + 1,) estimates, the residual's last; the floor where they are 0
    solved: Solved  # the likelihood there

    @property
    def zero(self) -> Flags:
        return np.asarray(self.variances <= _floors(len(self.variances)))


def maximise(
    problem: Problem, start: Array, *, held: int | None = None, gain: float = MAX_GAIN_LEFT
) -> Peak:
    """Climb to the highest restricted likelihood; `gain` is twice what may be left to gain."""
    floors = _floors(len(start))
    variances = np.maximum(start, floors)
    here = solve_equations(problem, variances)
    sizes = np.array([*(term.size for term in problem.terms), problem.df], dtype=np.float64)
    for _ in range(MAX_STEPS):
        free = (variances > floors) | (here.gradient > 0)
        if held is not None:
            free[held] = False
        step = np.zeros(len(free))
        if free.any():
            information = here.information[np.ix_(free, free)].copy()
            scale = np.sqrt(np.maximum(np.diag(information), MIN_INFORMATION))
            information /= scale * scale[:, None]
            information[np.diag_indices_from(information)] += RIDGE
            step[free] = np.linalg.solve(information, here.gradient[free] / scale) / scale
        promise = float(here.gradient @ step)
        if promise <= gain:
            return Peak(variances, here)
        moved = _advance(problem, (variances, here), step)
        if moved is None and promise <= MAX_GAIN_ROUNDED:
            return Peak(variances, here)
        if moved is None:
            # a step of the EM algorithm, for where the scores hold no average information: where
            # a source has no trace in them at all, as judges who agree perfectly
            step = np.where(free, 2 * variances**2 * here.gradient / sizes, 0.0)
            moved = _advance(problem, (variances, here), step)
        if moved is None:
            break
        variances, here = moved
    raise NotConverged(
        "the variance components were not found: the likelihood has no clear maximum",
        ["collect more scores per output", "take tasks or criteria apart"],
    )


def _floors(size: int) -> Array:
    return np.append(np.full(size - 1, MIN_VARIANCE), MIN_RESIDUAL)


def _advance(
    problem: Problem, at: tuple[Array, Solved], step: Array
) -> tuple[Array, Solved] | None:
    """Go along a step as far as the likelihood does not fall; None where it falls at once."""
    variances, here = at
    least = here.value - LOGLIK_ROUNDING * (1 + abs(here.value))
    for _ in range(MAX_HALVINGS):
        moved = np.maximum(variances + step, _floors(len(step)))
        try:
            there = solve_equations(problem, moved)
        except np.linalg.LinAlgError:  # variances are so far apart that rounding decides
            step = step / 2
            continue
        if there.value >= least and not np.array_equal(moved, variances):
            return moved, there
        step = step / 2
    return None


# Intervals and tests of variance components by profile likelihood.
#
# The profile of a variance is the highest restricted likelihood that is left when it is held. The
# interval holds the variances whose profile is within χ²/2 of the maximum; a lower end that is not
# reached above 0 is 0. The test of 0 stands on the edge of the parameter's range: the statistic is
# half the time 0, half the time χ² on one degree of freedom (Self & Liang 1987, Journal of the
# American Statistical Association 82:605-610).

# How near the root of the statistic must come to the quantile, a third digit of sd
ROOT_TOLERANCE: Final = 0.004
MAX_TRIES: Final = 25
MAX_LOG_VARIANCE: Final = log(1e8)  # That is looked at, where scores have variance 1
PROFILE_GAIN_LEFT: Final = 1e-5


@dataclass(frozen=True)
class Range:
    lower: float  # lower end of the interval of the variance
    upper: float  # upper end; infinite where the profile never falls far enough
    p: float | None  # one-sided p-value of 0; None of the residual


def profile(problem: Problem, peak: Peak, at: int, level: float) -> Range:
    z = normal_quantile((1 + level) / 2)
    curve = _Curve(problem, peak, at, z)
    above = curve.cross(1)
    if at == len(problem.terms):
        return Range(curve.cross(-1), above, None)
    p, root = curve.test_zero()
    return Range(curve.cross(-1) if root > z else 0.0, above, p)


def approximate(peak: Peak, at: int, level: float) -> Range:
    """Return an untested interval by the information, for data whose profiles take too long."""
    keep = ~peak.zero | (np.arange(len(peak.variances)) == at)
    place = int(keep[:at].sum())
    error = sqrt(np.linalg.inv(peak.solved.information[np.ix_(keep, keep)])[place, place])
    z, value = normal_quantile((1 + level) / 2), float(peak.variances[at])
    if peak.zero[at]:
        return Range(0.0, z * error, None)
    factor = exp(z * error / value)
    return Range(value / factor, value * factor, None)


class _Curve:
    """The profile of one variance, followed from the maximum outwards."""

    def __init__(self, problem: Problem, peak: Peak, at: int, z: float) -> None:
        self.problem, self.peak, self.at, self.z = problem, peak, at, z

    def look(self, variance: float, near: Peak) -> tuple[float, float, Peak]:
        """Return the root of the statistic, its slope by log variance, and where it was found."""
        others, _ = _others(near, self.at)
        start = near.variances + others * (variance - near.variances[self.at])
        start = np.maximum(start, near.variances / 4)
        start[self.at] = variance
        peak = maximise(self.problem, start, held=self.at, gain=PROFILE_GAIN_LEFT)
        root = sqrt(max(2 * (self.peak.solved.value - peak.solved.value), 1e-12))
        slope = -variance * float(peak.solved.gradient[self.at]) / root
        return root, slope, peak

    def test_zero(self) -> tuple[float, float]:
        """Return the p-value of 0, and the root of the statistic."""
        if self.peak.zero[self.at]:
            return 1.0, 0.0
        root = self.look(MIN_VARIANCE, self.peak)[0]
        return chi2_tail(root**2, 1) / 2, root

    def cross(self, side: int) -> float:
        """Return where the root of the statistic is z, below (−1) or above (+1) the maximum."""
        inner = log(float(self.peak.variances[self.at]))
        outer: float | None = None if side > 0 else log(MIN_VARIANCE)
        here, near = inner + side * self._guess_distance(side), self.peak
        for _ in range(MAX_TRIES):
            if here > MAX_LOG_VARIANCE:
                return inf
            try:
                root, slope, near = self.look(exp(here), near)
            except np.linalg.LinAlgError:  # variances so far apart that rounding decides: no end
                return inf if side > 0 else 0.0
            if abs(root - self.z) < ROOT_TOLERANCE:
                break
            if root < self.z:
                inner = here
            else:
                outer = here
            # Newton's step where it stays between the ends, else halve or go on outwards
            low, high = sorted((inner, outer if outer is not None else side * inf))
            newton = (self.z - root) / slope if slope * side > 0 else None
            if newton is not None and low < here + max(min(newton, 3.0), -3.0) < high:
                here += max(min(newton, 3.0), -3.0)
            else:
                here = (inner + outer) / 2 if outer is not None else here + side * 1.0
        return exp(here)

    def _guess_distance(self, side: int) -> float:
        # in log variance, as if the variance were a mean of squares with as many degrees of freedom
        # as its error says
        variance = float(self.peak.variances[self.at])
        known = max(_others(self.peak, self.at)[1], 1e-12)
        if self.peak.zero[self.at]:
            return log(max(self.z / sqrt(known), 2 * MIN_VARIANCE) / variance)
        error = self.z / sqrt(known) / variance
        return min(error + side * error**2 / 6, 3.0)


def _others(peak: Peak, at: int) -> tuple[Array, float]:
    """Return how the other variances move with one, and the information that is left on it."""
    information = peak.solved.information
    free = ~peak.zero
    free[at] = False
    slopes = np.zeros(len(free))
    slopes[free] = -np.linalg.solve(information[np.ix_(free, free)], information[free, at])
    return slopes, float(information[at, at] + information[at] @ slopes)


# How far the levels of a term cancel in a difference of two system means.
#
# With p_ls the share of system s's scores that stand at level l, a variance σ² of the term gives
# the difference of the means of s and t the variance σ² Σ_l (p_ls − p_lt)²: 0 where both systems
# have the same levels to the same shares, σ²(1/J + 1/J) where each has J of its own.


def share_levels(terms: Sequence[Term], system: Term) -> dict[str, float]:
    """Return Σ_l (p_ls − p_lt)² of each term, the mean over all pairs of systems."""
    k, shares = system.size, {}
    for term in terms:
        codes, cells = cross(term.codes, system.codes)
        level = np.empty(cells, dtype=np.int64)
        owner = np.empty(cells, dtype=np.int64)
        level[codes], owner[codes] = term.codes, system.codes
        part = np.bincount(codes, minlength=cells) / system.counts[owner]
        squares = float(part @ part)
        total = np.bincount(level, part, term.size).astype(np.float64)
        across = (float(total @ total) - squares) / (k * (k - 1))
        shares[term.name] = max(2 * (squares / k - across), 0.0)
    return shares


Systems = Literal["random", "fixed"]

MAX_COST_PROFILED: Final = 1e8  # Operations of one solution up to which intervals are profiles
MIN_START: Final = 1e-3  # Share of the variance to begin with, so that no component starts at 0
# Moment estimate that is 0 but for rounding, where scores have variance 1
MOMENT_ROUNDING: Final = 1e-12
_NOTHING: Final = (
    "nothing can be said of sources of variance: there are no two judges, items or systems whose"
    " scores could be told from chance"
)
_NO_ERROR: Final = (
    "scores are explained without a remainder, or nearly so: there is no chance to compare with"
)
_UNCLEAR: Final = "the restricted likelihood has no clear maximum within the range of the scores"
_BY_MOMENTS: Final = (
    "variances are moment estimates (Henderson's first method), without intervals and tests"
)
_CONSTANT: Final = "all scores are equal: there is no variance to take apart"


@dataclass(frozen=True)
class RatingComponents:
    components: tuple[Component, ...]  # by NAMES, those that are told apart
    method: str  # "REML" or "moments"
    sharing: Mapping[str, float]  # component → share in differences of systems
    reasons: tuple[str, ...]  # what cannot be told from what, and why
    notes: tuple[str, ...]  # what must stand beside the estimates


@dataclass(frozen=True, eq=False)
class _Estimates:
    """Variances of terms and residual, in units where scores have variance 1."""

    terms: Sequence[Term]  # random terms
    variances: Array  # (K + 1,) the residual's last
    ranges: Sequence[Range]  # interval and test of each; empty where there are none
    method: str  # what made them
    notes: tuple[str, ...] = ()  # what must be said
    systems: float | None = None  # variance of fixed systems, or None


def estimate_rating_components(
    rows: RatingRows, *, systems: Systems = "random", level: float = 0.95, quick: bool = False
) -> RatingComponents:
    system, *others = make_terms(rows)
    known = identify([system, *others])
    if not known.terms:
        raise NotIdentified(_NOTHING, ["collect scores of several systems, items and judges"])
    mean, spread = float(rows.score.mean()), float(rows.score.std())
    if spread <= 1e-12 * abs(mean):
        variances = np.zeros(len(known.terms) + 1)
        estimates, spread = _Estimates(known.terms, variances, (), "REML", (_CONSTANT,)), 0.0
    else:
        fixed = system if systems == "fixed" and system in known.terms else None
        score, terms = (rows.score - mean) / spread, known.terms
        with one_blas_thread():
            if quick:
                estimates = _fall_back(
                    score, terms, estimate_moments(score, terms), say("moments-quick")
                )
            else:
                estimates = _estimate(score, terms, fixed, level)
    components = tuple(
        replace(component, carries=known.carries.get(component.name, ()))
        for component in _list_components(estimates, spread, system)
    )
    rest = Term(RESIDUAL, np.arange(rows.size), rows.size)
    sharing = share_levels([*known.terms, rest], system) if system.size > 1 else {}
    return RatingComponents(components, estimates.method, sharing, known.reasons, estimates.notes)


def _estimate(score: Array, terms: Sequence[Term], fixed: Term | None, level: float) -> _Estimates:
    """Estimate variances of scores of mean 0 and variance 1."""
    random = [term for term in terms if term is not fixed]
    means = fixed or Term("mean", np.zeros(len(score), dtype=np.int64), 1)
    arrangement = arrange(random, means)
    if arrangement is None:
        return _Estimates(
            terms, estimate_moments(score, terms), (), "moments", (say("moments-large"),)
        )
    problem = Problem(score, random, means, arrangement)
    try:
        peak = find_peak(problem)
    except (NotIdentified, NotConverged) as refusal:
        why = f"{refusal.cause}; {_BY_MOMENTS}"
        return _fall_back(score, terms, estimate_moments(score, terms), why)
    numbers = range(len(peak.variances))
    notes: tuple[str, ...] = ()
    try:
        if problem.arrangement.cost > MAX_COST_PROFILED:
            notes = (say("intervals-approximate"),)
            ranges = [approximate(peak, at, level) for at in numbers]
        else:
            ranges = [profile(problem, peak, at, level) for at in numbers]
    except NotConverged:
        ranges, notes = [approximate(peak, at, level) for at in numbers], (say("likelihood-flat"),)
    variances = np.where(peak.zero, 0.0, peak.variances)
    if fixed is None:
        return _Estimates(random, variances, ranges, "REML", notes)
    # the variance of fixed systems' means, less what their errors add
    size = fixed.size
    fitted, vcov = peak.solved.effects[:size], peak.solved.means_vcov
    error = (np.trace(vcov) - vcov.sum() / size) / (size - 1)
    between = max(float(fitted.var(ddof=1) - error), 0.0)
    return _Estimates(random, variances, ranges, "REML", (*notes, say("systems-fixed")), between)


def find_peak(problem: Problem, gain: float = MAX_GAIN_LEFT) -> Peak:
    """Return the highest restricted likelihood of scores of mean 0 and variance 1.

    Raises:
        NotIdentified: the effects explain the scores without a remainder.
        NotConverged: no maximum within the range of the scores.

    """
    means = [problem.fixed] if problem.fixed.size > 1 else []
    moments = estimate_moments(problem.score, [*means, *problem.terms])[len(means) :]
    if moments[-1] <= MIN_RESIDUAL:
        raise NotIdentified(_NO_ERROR)
    try:
        peak = maximise(problem, np.maximum(moments, MIN_START), gain=gain)
    except NotConverged:
        raise NotConverged(_UNCLEAR) from None
    if peak.zero[-1]:
        raise NotIdentified(_NO_ERROR)
    if float(peak.variances.max()) > max_variance(problem.score):
        raise NotConverged(_UNCLEAR)
    return peak


def _fall_back(score: Array, terms: Sequence[Term], moments: Array, why: str) -> _Estimates:
    if float(moments.max()) > max_variance(score):
        raise NotConverged(
            "the variance components were not found: what fits these scores best has variances"
            " beyond the range of the scores",
            ["collect scores of more outputs by each judge", "take tasks or criteria apart"],
        )
    return _Estimates(
        terms, np.where(moments <= MOMENT_ROUNDING, 0.0, moments), (), "moments", (why,)
    )


def max_variance(score: Array) -> float:
    """Return the largest variance that values within the range of the scores can have."""
    return float(np.ptp(score)) ** 2 / 2


def _list_components(estimates: _Estimates, spread: float, system: Term) -> list[Component]:
    """Return components in the unit of the scores, the residual last."""
    rows = []
    if estimates.systems is not None:
        sd = spread * sqrt(estimates.systems)
        rows.append(Component(SYSTEM, sd, system.size, how=estimates.method))
    names = [*((term.name, term.size) for term in estimates.terms), (RESIDUAL, len(system.codes))]
    for i, (name, size) in enumerate(names):
        sd = spread * sqrt(float(estimates.variances[i]))
        component = Component(name, sd, size, how=estimates.method)
        if estimates.ranges:
            known = estimates.ranges[i]
            lower, upper = spread * sqrt(known.lower), spread * sqrt(known.upper)
            component = replace(component, lower=lower, upper=upper, p=known.p)
        rows.append(component)
    return rows
