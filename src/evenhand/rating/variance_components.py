"""Variance components of ratings: how much of a score is the system, the judge, the item, chance.

    y = μ + system + judge + item + (item x system) + (judge x system) + (judge x item) + residual

Each effect is normal with a variance of its own; the variances are what is estimated, by restricted
maximum likelihood. Designs need not be balanced or complete. Components that a design cannot tell
apart are one, and it is said which (components/identification.py).

Sources: Patterson & Thompson (1971), Biometrika 58:545-554 (the likelihood); Brennan (2001),
Generalizability Theory, Springer (the use); components/ has the numerics.

When not to use it: where scores pile up at an end of the scale, variances are too small there and
differ between systems; where judges are of a few known groups; with two or three judges the
variance between them is hardly known, as the interval shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged, NotIdentified
from evenhand.judgments.components import RESIDUAL, SYSTEM, Component
from evenhand.judgments.rating_rows import RatingRows
from evenhand.numerics.threads import one_blas_thread
from evenhand.rating.components.arrangement import Arrangement, arrange
from evenhand.rating.components.equations import Problem
from evenhand.rating.components.identification import identify
from evenhand.rating.components.moments import estimate_moments
from evenhand.rating.components.profile import Range, approximate, profile, try_zero
from evenhand.rating.components.reml import LEAST_RESIDUAL, Peak, maximise
from evenhand.rating.components.sharing import share_levels
from evenhand.rating.components.terms import Term, make_terms

Array = NDArray[np.float64]
Systems = Literal["random", "fixed"]

PROFILED: Final = 1e8
"""Operations of one solution up to which intervals are profiles."""
START: Final = 1e-3
"""Least share of the variance to begin with, so that no component starts at 0."""
ROUNDING: Final = 1e-12
"""Moment estimate that is 0 but for rounding, where scores have variance 1."""
_NOTHING: Final = (
    "nothing can be said of sources of variance: there are no two judges, items or systems whose"
    " scores could be told from chance"
)
_NO_ERROR: Final = (
    "scores are explained without a remainder, or nearly so: there is no chance to compare with, so"
    " variances are moment estimates (Henderson's first method), without intervals and tests"
)
_UNCLEAR: Final = (
    "the restricted likelihood has no clear maximum within the range of the scores: variances are"
    " moment estimates (Henderson's first method), without intervals and tests"
)
_CONSTANT: Final = "all scores are equal: there is no variance to take apart"
_LARGE: Final = (
    "intervals are from the information, on the scale of log sd, and nothing is tested: profiles"
    " would take too long on data of this size"
)
_LOST: Final = (
    "intervals are from the information, on the scale of log sd, and nothing is tested: the"
    " likelihood is too flat for profiles"
)
_TOO_LARGE: Final = (
    "variances are moment estimates (Henderson's first method), without intervals: judges, systems"
    " and items are too many for restricted likelihood; take one task, or a part of the items"
)
_QUICK: Final = (
    "variances are moment estimates (Henderson's first method), without intervals and tests, which"
    " take longer"
)
_FIXED: Final = "systems are fixed: their variance is that of these systems' means, less error"


@dataclass(frozen=True)
class RatingComponents:
    """What one set of ratings says of the sources of variance.

    Attributes:
        components: in the order of NAMES; only those that the design can tell apart.
        method: "REML" or "moments".
        sharing: component → how far its variance goes into the average difference of two system
            means in this design: 0 where it cancels (components/sharing.py); empty for one system.
        reasons: what cannot be told from what, and why.
        notes: what must stand beside the estimates.

    """

    components: tuple[Component, ...]
    method: str
    sharing: Mapping[str, float]
    reasons: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Found:
    """Variances of terms and residual, in units where scores have variance 1.

    Attributes:
        terms: random terms.
        variances: (K + 1,) the residual's last.
        ranges: interval and test of each; empty where there are none.
        method: what made them.
        notes: what must be said.
        systems: variance of fixed systems, or None.

    """

    terms: Sequence[Term]
    variances: Array
    ranges: Sequence[Range]
    method: str
    notes: tuple[str, ...] = ()
    systems: float | None = None


def estimate_rating_components(
    rows: RatingRows,
    *,
    systems: Systems = "random",
    level: float = 0.95,
    intervals: bool = True,
    quick: bool = False,
) -> RatingComponents:
    """Take the variance of ratings apart.

    Args:
        rows: scores of one task under one criterion.
        systems: random, a sample of systems; fixed, these systems only.
        level: of the intervals.
        intervals: False leaves them out, which takes most of the time; tests stay.
        quick: whether moment estimates will do, which take a hundredth of the time; they come
            without intervals and tests, and systems are random.

    Raises:
        NotIdentified: no source has two levels that could be told from chance.
        NotConverged: neither likelihood nor moments give variances within the range of scores.

    """
    system, *others = make_terms(rows)
    known = identify([system, *others])
    if not known.terms:
        raise NotIdentified(_NOTHING, ["collect scores of several systems, items and judges"])
    mean, spread = float(rows.score.mean()), float(rows.score.std())
    if spread <= 1e-12 * abs(mean):
        variances = np.zeros(len(known.terms) + 1)
        found, spread = _Found(known.terms, variances, (), "REML", (_CONSTANT,)), 0.0
    else:
        fixed = system if systems == "fixed" and system in known.terms else None
        score, terms = (rows.score - mean) / spread, known.terms
        with one_blas_thread():
            if quick:
                found = _fall_back(score, terms, estimate_moments(score, terms), _QUICK)
            else:
                found = _estimate(score, terms, fixed, level if intervals else None)
    listed = _list_components(found, spread, system)
    components = [replace(one, carries=known.carries.get(one.name, ())) for one in listed]
    rest = Term(RESIDUAL, np.arange(rows.size), rows.size)
    sharing = share_levels([*known.terms, rest], system) if system.size > 1 else {}
    return RatingComponents(tuple(components), found.method, sharing, known.reasons, found.notes)


def _estimate(
    score: Array, terms: Sequence[Term], fixed: Term | None, level: float | None
) -> _Found:
    """Estimate variances of scores of mean 0 and variance 1."""
    moments = estimate_moments(score, terms)
    random = [term for term in terms if term is not fixed]
    kept = np.array([term is not fixed for term in terms] + [True])
    means = fixed or Term("mean", np.zeros(len(score), dtype=np.int64), 1)
    arrangement = arrange(random, means)
    if arrangement is None:
        return _Found(terms, moments, (), "moments", (_TOO_LARGE,))
    problem = Problem(score, random, means, arrangement)
    if moments[-1] <= LEAST_RESIDUAL:
        return _fall_back(score, terms, moments, _NO_ERROR)
    try:
        peak = maximise(problem, np.maximum(moments[kept], START))
    except NotConverged:
        return _fall_back(score, terms, moments, _UNCLEAR)
    if peak.zero[-1] or float(peak.variances.max()) > _most(score):
        return _fall_back(score, terms, moments, _NO_ERROR if peak.zero[-1] else _UNCLEAR)
    ranges, notes = _find_ranges(problem, peak, arrangement, level)
    variances = np.where(peak.zero, 0.0, peak.variances)
    if fixed is None:
        return _Found(random, variances, ranges, "REML", notes)
    between = _between_systems(peak, fixed.size)
    return _Found(random, variances, ranges, "REML", (*notes, _FIXED), between)


def _fall_back(score: Array, terms: Sequence[Term], moments: Array, why: str) -> _Found:
    """Return moment estimates, for where the likelihood says nothing of the scores.

    Raises:
        NotConverged: moments say what the range of the scores rules out.

    """
    if float(moments.max()) > _most(score):
        raise NotConverged(
            "the variance components were not found: what fits these scores best has variances"
            " beyond the range of the scores",
            ["collect scores of more outputs by each judge", "take tasks or criteria apart"],
        )
    return _Found(terms, np.where(moments <= ROUNDING, 0.0, moments), (), "moments", (why,))


def _most(score: Array) -> float:
    """Return the largest variance that values within the range of the scores can have."""
    return float(np.ptp(score)) ** 2 / 2


def _find_ranges(
    problem: Problem, peak: Peak, arrangement: Arrangement, level: float | None
) -> tuple[list[Range], tuple[str, ...]]:
    """Return intervals and tests, and what must be said of them."""
    numbers = range(len(peak.variances))
    if level is None:
        return [try_zero(problem, peak, at) for at in numbers], ()
    if arrangement.cost > PROFILED:
        return [approximate(peak, at, level) for at in numbers], (_LARGE,)
    try:
        return [profile(problem, peak, at, level) for at in numbers], ()
    except NotConverged:
        return [approximate(peak, at, level) for at in numbers], (_LOST,)


def _between_systems(peak: Peak, size: int) -> float:
    """Return the variance of fixed systems' means, less what their errors add."""
    means, vcov = peak.solved.effects[:size], peak.solved.means_vcov
    error = (np.trace(vcov) - vcov.sum() / size) / (size - 1)
    return max(float(means.var(ddof=1) - error), 0.0)


def _list_components(found: _Found, spread: float, system: Term) -> list[Component]:
    """Return components in the unit of the scores, the residual last."""
    rows = []
    if found.systems is not None:
        sd = spread * sqrt(found.systems)
        rows.append(Component(SYSTEM, sd, system.size, how=found.method))
    names = [*((one.name, one.size) for one in found.terms), (RESIDUAL, len(system.codes))]
    for i, (name, size) in enumerate(names):
        one = Component(name, spread * sqrt(float(found.variances[i])), size, how=found.method)
        rows.append(_with_range(one, found.ranges[i], spread) if found.ranges else one)
    return rows


def _with_range(one: Component, known: Range, spread: float) -> Component:
    if known.lower is None or known.upper is None:
        return replace(one, p=known.p)
    upper = inf if known.upper == inf else spread * sqrt(known.upper)
    return replace(one, lower=spread * sqrt(known.lower), upper=upper, p=known.p)
