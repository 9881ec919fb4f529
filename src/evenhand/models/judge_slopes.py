"""Judges who tell systems apart more or less sharply: a slope for every judge.

    P(left preferred, no tie) = σ(a_l (θ_j − θ_k)),    a_l = exp(τ z_l),  z_l ~ N(0, 1)

With ties (Davidson) p is in proportion to exp(a_l d), exp(γ), exp(−a_l d), d = λ_j − λ_k, θ = 2λ.
Sources: Chen, Bennett, Collins-Thompson & Horvitz (2013), WSDM, 193-202; the log-normal slope: Bock
& Aitkin (1981), Psychometrika 46:443-459. When not to use it: docs/models/judge-slopes.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Literal, get_args

import numpy as np

from evenhand.data.controls import Judgments, count_pairs, takes_judgments
from evenhand.data.tally import Tally
from evenhand.errors import NotConverged, NotIdentified, require_option
from evenhand.models.base import Codes, Coefficient, LRTest, WorthsFit, finite
from evenhand.models.design import name_worths, reference_code, require_counts
from evenhand.models.existence import check_tally, require_two
from evenhand.models.likelihood import (
    Davidson,
    Likelihood,
    Local,
    TieLaw,
    TwoOutcomes,
    plain_likelihood,
)
from evenhand.models.texts import say
from evenhand.numerics import Array
from evenhand.numerics.distributions import hermite_rule
from evenhand.numerics.newton import Expansion, Maximum, invert_positive, maximise, one_blas_thread
from evenhand.render.document import Finding

# The judgments of a model with judge slopes: cells in the order of judges, taken in parts.
#
# Arrays over nodes and cells have shape (Q, C): node of the quadrature, cell. Cells of one judge
# are neighbours, so that sums over judges are sums over stretches.

# Values by cell and node taken at once, so that what is in between stays in the cache
VALUES_AT_ONCE: Final = 60_000


@dataclass(frozen=True, eq=False)
class SlopeCells:
    plain: Likelihood  # of the cells, every judge having slope 1
    judge: Codes  # (C,) place of the judge, ascending
    starts: Codes  # (J,) first cell of each judge

    @property
    def judges(self) -> int:
        return len(self.starts)

    @property
    def counts(self) -> Array:
        return self.plain.counts

    def sums(self, values: Array) -> Array:
        return np.asarray(np.add.reduceat(values, self.starts, axis=-1))

    def parts(self, nodes: int) -> Iterator[SlopeCells]:
        """Yield stretches of judges with about as many cells as fit in the cache."""
        most, whole = max(VALUES_AT_ONCE // nodes, 1), self.plain.design
        border, first = np.append(self.starts, len(self.judge)), 0
        while first < self.judges:
            last = int(np.searchsorted(border, border[first] + most, side="right")) - 1
            last = min(max(last, first + 1), self.judges)
            rows = slice(int(border[first]), int(border[last]))
            design = replace(whole, left=whole.left[rows], right=whole.right[rows])
            counts = np.asfortranarray(self.counts[rows])
            plain = replace(self.plain, design=design, counts=counts)
            yield SlopeCells(plain, self.judge[rows] - first, self.starts[first:last] - rows.start)
            first = last


def make_slope_cells(tally: Tally, reference: int, law: TieLaw) -> tuple[SlopeCells, Codes]:
    used = np.flatnonzero(tally.counts.sum(axis=1) > 0)
    code = tally.factor("judge").codes
    rows = used[np.lexsort((tally.right[used], tally.left[used], code[used]))]
    present, starts, judge = np.unique(code[rows], return_index=True, return_inverse=True)
    plain = plain_likelihood(tally.take(rows), reference, law)
    cells = SlopeCells(plain, judge.astype(np.intp), starts.astype(np.intp))
    return cells, present.astype(np.intp)


# Where to look at a judge's slope: nodes and weights of the integral over z.
#
# ∫ φ(z) Π_c p_c(exp(τ z) d_c, γ)^n_c dz
#
# Up to thirty nodes are Gauss and Hermite's, moved to the mode and scaled by the curvature there
# (Naylor & Smith 1982, Applied Statistics 31:214-225; Liu & Pierce 1994, Biometrika 81:624-629):
# few are needed where the integrand is nearly normal. For large τ it is a plateau with a cliff;
# then more nodes are asked for, and these are spaced evenly over all of the integrand: the
# trapezoid rule gains digits with every node where a smooth integrand vanishes at both ends
# (Trefethen & Weideman 2014, SIAM Review 56:385-458).

CLIMBS: Final = 60  # Most steps towards the modes
MODE_TOLERANCE: Final = 1e-3  # Distance from a mode, in standard deviations, that is near enough
MAX_MODE_STEP: Final = 2.0  # How far one step towards a mode may go
MAX_LOG_SLOPE: Final = 50.0  # Largest |τ z|: beyond it a slope is 0 or endless to every digit
MAX_HERMITE_NODES: Final = 30  # Most nodes that are Gauss and Hermite's
INTEGRAND_DEPTH: Final = 40.0  # How far below its mode (nats) an integrand is nothing
SPREADS: Final = 30
HALVINGS: Final = 5


@dataclass(frozen=True, eq=False)
class Integrand:
    cells: SlopeCells  # their judgments
    gaps: Array  # (C,) λ[left] − λ[right]
    gamma: float  # γ
    tau: float  # τ

    def log_slope(self, z: Array) -> Array:
        return np.asarray(np.clip(self.tau * z, -MAX_LOG_SLOPE, MAX_LOG_SLOPE))

    def eta(self, log_slope: Array) -> Array:
        """Return (..., C) half log-odds at (..., J) log-slopes."""
        return np.asarray(np.exp(log_slope)[..., self.cells.judge] * self.gaps)

    def expand(self, eta: Array) -> Local:
        return self.cells.plain.law.expand(eta, self.gamma, self.cells.counts)

    def height(self, z: Array) -> Array:
        """Return (..., J) log of the integrand at (..., J) z, up to a constant."""
        local = self.expand(self.eta(self.log_slope(z)))
        return np.asarray(self.cells.sums(local.value) - z**2 / 2)


def place_nodes(integrand: Integrand, nodes: int) -> tuple[Array, Array]:
    """Return (Q, J) nodes and their log-weights."""
    if nodes <= MAX_HERMITE_NODES:
        centre, scale = find_modes(integrand)
        x, logs = hermite_rule(nodes)
        return centre + scale * x[:, None], logs[:, None] + np.log(scale)
    low, high = find_ranges(integrand, INTEGRAND_DEPTH)
    z = low + (high - low) * np.linspace(0.0, 1.0, nodes)[:, None]
    return z, np.log((high - low) / (nodes - 1)) * np.ones((nodes, 1))


def find_modes(integrand: Integrand) -> tuple[Array, Array]:
    """Return (J,) modes of the integrands, and the standard deviations there."""
    # where the curvature at a point is not downwards, Fisher's expected one takes its place
    cells, tau = integrand.cells, integrand.tau
    z, scale = np.zeros(cells.judges), np.ones(cells.judges)
    for _ in range(CLIMBS):
        eta = integrand.eta(integrand.log_slope(z))
        local = integrand.expand(eta)
        pull = cells.sums(local.eta * eta)
        fisher = 1 + tau**2 * cells.sums(local.eta_eta * eta**2)
        bend = fisher - tau**2 * pull
        scale = 1 / np.sqrt(np.where(bend > fisher / 4, bend, fisher))
        step = np.clip((tau * pull - z) * scale**2, -MAX_MODE_STEP, MAX_MODE_STEP)
        z = z + step
        if (np.abs(step) <= MODE_TOLERANCE * scale).all():
            break
    return z, scale


def find_ranges(integrand: Integrand, depth: float) -> tuple[Array, Array]:
    """Return (J,) ends between which all integrands stand, down to so many nats below the mode."""
    centre, scale = find_modes(integrand)
    floor = integrand.height(centre) - depth
    ends = []
    for sign in (-1.0, 1.0):
        inside, outside = np.zeros_like(scale), 4 * scale
        for _ in range(SPREADS):
            above = integrand.height(centre + sign * outside) > floor
            if not above.any():
                break
            inside, outside = np.where(above, outside, inside), np.where(above, 2, 1) * outside
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2
            above = integrand.height(centre + sign * middle) > floor
            inside, outside = np.where(above, middle, inside), np.where(above, outside, middle)
        ends.append(centre + sign * outside)
    return ends[0], ends[1]


# The likelihood of judge slopes, with the slopes integrated out, to second order.
#
# L_l = ∫ φ(z) Π_c p_c(exp(τ z) d_c, γ)^n_c dz,    d_c = λ[left_c] − λ[right_c]
#
# one integral per judge l. Derivatives are posterior means, exact for the exact
# integral: the gradient is E[s], s the derivative with z known (Fisher's identity), and the
# information E[−∂s] − Var[s] (Louis 1982). Parameters: λ without the reference, γ where it is free,
# u = log τ.

Places = tuple[tuple[Array, Array], ...]
LOG_ROOT: Final = float(np.log(2 * np.pi) / 2)
# A τ that has run away: half of all slopes are beyond a factor of 15. It is never passed.
ENDLESS: Final = 4.0


@dataclass(frozen=True, eq=False)
class Posterior:
    log_slope: Array  # (Q, J) τ z
    z: Array  # (Q, J)
    weights: Array  # (Q, J) posterior weights; they sum to one for each judge
    value: Array  # (J,) log of the integrals
    eta: Array  # (Q, C) half log-odds
    local: Local  # the laws to second order, (Q, C)


@dataclass(frozen=True, eq=False)
class SlopeLikelihood:
    cells: SlopeCells  # the judgments
    nodes: int  # nodes per judge
    tau: float | None = None  # τ where it is held fixed, None where it is estimated
    # nodes and log-weights of each part of the cells, where they stay put; None where they are
    # placed anew at every point
    places: Places | None = None

    @property
    def plain(self) -> Likelihood:
        return self.cells.plain

    @property
    def size(self) -> int:
        return self.plain.size + (self.tau is None)

    def hold(self, tau: float) -> SlopeLikelihood:
        return replace(self, tau=tau, places=None)

    def place(self, beta: Array) -> SlopeLikelihood:
        """Return the likelihood with nodes where this point needs them, at any other too."""
        # so it is one smooth function, and its derivatives are exactly those of its values
        placed = [place_nodes(part, self.nodes) for part in self.integrands(beta)]
        return replace(self, places=tuple(placed))

    def reach(self, step: Array) -> float:
        """Return how far a step goes, where 1 is as far as the second order may be trusted."""
        k = self.plain.n_worths
        moved = [float(np.ptp(np.append(step[:k], 0.0))) / 3]
        moved += [abs(float(step[k])) / 3] if self.plain.law.free else []
        return max([*moved, 2 * abs(float(step[-1]))] if self.tau is None else moved)

    def loglik(self, beta: Array) -> float:
        return float(sum(posterior.value.sum() for _, posterior in self._integrals(beta)))

    def expand(self, beta: Array) -> Expansion:
        # Where its information is not positive definite, far from the maximum, directions that bend
        # upwards are taken to bend down as much, so that a step still leads uphill. A τ above
        # `ENDLESS` is worth less than any other, so that a step that goes too far is cut.
        if self.tau is None and beta[-1] > np.log(ENDLESS):
            return Expansion(-np.inf, np.zeros(self.size), np.eye(self.size))
        k, p, value = self.plain.design.size, self.plain.size + 1, 0.0
        kept = [i for i in range(k + self.plain.law.free) if i != self.plain.design.reference]
        kept.append(k + 1)
        gradient, information = np.zeros(p), np.zeros((p, p))
        for part, posterior in self._integrals(beta):
            scores, middle = _scores(part, posterior)
            value += float(posterior.value.sum())
            gradient += middle.sum(axis=0)[kept]
            information += _known_information(part, posterior)
            information -= (scores.T @ scores - middle.T @ middle)[np.ix_(kept, kept)]
        gradient, bend = gradient[: self.size], information[: self.size, : self.size]
        try:
            np.linalg.cholesky(bend)
        except np.linalg.LinAlgError:
            values, vectors = np.linalg.eigh(bend)
            size = np.maximum(np.abs(values), 1e-6 * np.abs(values).max() + 1e-12)
            bend = np.asarray((vectors * size) @ vectors.T)
        return Expansion(value, gradient, bend)

    def _integrals(self, beta: Array) -> Iterator[tuple[SlopeCells, Posterior]]:
        """Integrate part by part, so that what is in between stays in the cache."""
        places = iter(self.places or ())
        for part in self.integrands(beta):
            place = place_nodes(part, self.nodes) if self.places is None else next(places)
            yield part.cells, integrate(part, *place)

    def integrands(self, beta: Array) -> Iterator[Integrand]:
        worths, tie, order, _ = self.plain.parts(beta)
        gamma = float(tie)  # one for all
        tau = float(np.exp(beta[-1])) if self.tau is None else self.tau
        for part in self.cells.parts(self.nodes):
            yield Integrand(part, part.plain.eta(worths, order), gamma, tau)


def integrate(integrand: Integrand, z: Array, logs: Array) -> Posterior:
    """Integrate the slopes of some judges out, over (Q, J) nodes with their log-weights."""
    cells = integrand.cells
    log_slope = integrand.log_slope(z)
    eta = integrand.eta(log_slope)
    local = integrand.expand(eta)
    heights = cells.sums(local.value) - z**2 / 2 - LOG_ROOT + logs
    top = heights.max(axis=0)
    weights = np.exp(heights - top)
    total = weights.sum(axis=0)
    return Posterior(log_slope, z, weights / total, top + np.log(total), eta, local)


def _scores(cells: SlopeCells, posterior: Posterior) -> tuple[Array, Array]:
    """Return (Q·J, K + 2) scores with z known times √weight, and their (J, K + 2) means."""
    from scipy.sparse import csr_matrix

    k, n, q = cells.plain.design.size, cells.judges, len(posterior.z)
    pull = posterior.local.eta * np.exp(posterior.log_slope)[:, cells.judge]
    place = np.arange(len(cells.judge))
    at = np.concatenate([cells.judge * k + side for side in cells.plain.design.ends])
    signs = np.repeat([1.0, -1.0], len(place))
    sort = csr_matrix((signs, (at, np.tile(place, 2))), shape=(n * k, len(place)))
    scores = np.empty((q, n, k + 2))
    scores[:, :, :k] = (sort @ pull.T).T.reshape(q, n, k)
    scores[:, :, k] = cells.sums(posterior.local.tie)
    scores[:, :, k + 1] = cells.sums(posterior.local.eta * posterior.eta) * posterior.log_slope
    means = (posterior.weights[:, :, None] * scores).sum(axis=0)
    scores *= np.sqrt(posterior.weights)[:, :, None]
    return scores.reshape(q * n, k + 2), means


def _known_information(cells: SlopeCells, posterior: Posterior) -> Array:
    """Return (p, p), τ the last: posterior mean of minus the second derivatives with z known."""
    local, eta = posterior.local, posterior.eta
    weights, log_slope = posterior.weights[:, cells.judge], posterior.log_slope[:, cells.judge]
    slope = np.exp(log_slope)

    def mean(values: Array) -> Array:
        return np.asarray((weights * values).sum(axis=0))

    none, ties = np.zeros(len(cells.judge)), mean(local.tie_tie)
    bends = mean(slope**2 * local.eta_eta), mean(slope * local.eta_tie), ties
    known = cells.plain.pull_information(Local(none, none, none, *bends))
    by_tau = mean(slope * log_slope * (local.eta_eta * eta - local.eta))
    tie_tau = mean(local.eta_tie * eta * log_slope)
    across = cells.plain.pull_scores(Local(none, by_tau, tie_tau, none, none, none))
    bent = local.eta_eta * (log_slope * eta) ** 2 - local.eta * eta * (log_slope + log_slope**2)
    corner = np.array([[mean(bent).sum()]])
    return np.block([[known, across[:, None]], [across[None], corner]])


# The slope of each judge given the judgments, with worths, γ and τ taken as known.

POINTS: Final = 60  # Points at which a density is looked at
# How far below its mode (nats) a density is nothing: a chance of about 1e-7
DENSITY_DEPTH: Final = 16.0
PROBABILITIES: Final = (0.5, 0.025, 0.975)


def slope_quantiles(likelihood: SlopeLikelihood, beta: Array) -> Array:
    """Return (3, J): median, .025 and .975 quantile of each judge's slope."""
    quantiles = []
    for integrand in replace(likelihood, nodes=POINTS).integrands(beta):
        part, tau = integrand.cells, integrand.tau
        low, high = find_ranges(integrand, DENSITY_DEPTH)
        width = (high - low) / (POINTS - 1)
        z = low + width * np.arange(POINTS)[:, None]
        eta = integrand.eta(integrand.log_slope(z))
        local = integrand.expand(eta)
        heights = part.sums(local.value) - z**2 / 2
        density = np.exp(heights - heights.max(axis=0))
        # The trapezoid rule, corrected by the slopes at the ends of each step, is exact for cubics;
        # within a step the density is taken for linear.
        rise = density * (tau * part.sums(local.eta * eta) - z)
        steps = width * (density[1:] + density[:-1]) / 2 + width**2 * (rise[:-1] - rise[1:]) / 12
        sums = np.zeros_like(density)
        np.cumsum(steps, axis=0, out=sums[1:])
        place = np.arange(len(width))
        rows = []
        for probability in PROBABILITIES:
            wanted = probability * sums[-1]
            at = np.clip((sums < wanted).sum(axis=0) - 1, 0, POINTS - 2)
            first, last = density[at, place], density[at + 1, place]
            mass = (wanted - sums[at, place]) / steps[at, place] * (first + last)
            inside = mass / (first + np.sqrt(first**2 + (last - first) * mass))
            rows.append(z[at, place] + width * inside)
        quantiles.append(np.exp(tau * np.stack(rows)))
    return np.concatenate(quantiles, axis=1)


NODES: Final = 15  # Nodes to begin with
MAX_NODES: Final = 240
MIN_PROFILE_NODES: Final = 60  # Least nodes for a profile, which goes to larger τ
# Change in log-likelihood, relative to 1 + |value|, that doubling the nodes may make
MAX_QUADRATURE_ERROR: Final = 1e-8
ROUNDS: Final = 30
# Values of τ that are looked at one by one where a climb from the first guess fails
STEPPED: Final = (0.05, 0.2, 0.4, 0.7, 1.0, 1.4, 2.0, 2.8, ENDLESS)
# Share of ENDLESS from which on a maximum is no maximum, but where the climb was stopped
AT_THE_END: Final = 0.9
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
MIN_TAU: Final = 3e-3  # A τ that is none: nobody would tell slopes of .997 and 1.003 apart
# A climb so short, in units of reach, that the nodes need not be put anew
MAX_STILL_STEP: Final = 1e-3
MIN_GAIN: Final = 1e-7  # Gain in log-likelihood over τ = 0, relative to 1 + |value|, that is none
HALF_CHI2: Final = 1.920729410347062  # Half the .95 quantile of χ² on 1 df
NORMAL: Final = 1.959963984540054
# Most cells for which τ has a profile-likelihood interval: it takes some twenty climbs
MAX_PROFILED_CELLS: Final = 100_000
# The largest τ to which a profile is followed: beyond it worths have many maxima, since most
# slopes are 0 or endless, and an interval that reaches so far has no upper end
MAX_TAU: Final = 2.5
# Width of the bracket of log τ at which its profile is followed no further
PROFILE_TOLERANCE: Final = 1e-4


@dataclass(frozen=True, eq=False)
class Peak:
    beta: Array  # (p,) λ and γ, and log τ behind them unless τ is 0
    tau: float  # τ
    loglik: float  # log-likelihood there (nats)
    vcov: Array  # inverse information of `beta`
    nodes: int  # nodes per judge
    error: float  # change in log-likelihood with twice as many


def find_peak(likelihood: SlopeLikelihood, flat: Array) -> tuple[Peak, float]:
    """Return the maximum, and the log-likelihood at τ = 0."""
    level = replace(likelihood, nodes=1, tau=0.0).expand(flat)
    cells, plain = likelihood.cells, likelihood.plain
    worths, _, order, _ = plain.parts(flat)
    eta, local = plain.eta(worths, order), plain.expand_entries(flat)
    score, known = cells.sums(local.eta * eta), cells.sums(local.eta_eta * eta**2)
    total = float((known**2).sum())
    square = float((score**2 - known).sum()) / total if total > 0 else 0.0
    first = float(np.sqrt(np.clip(square, 0.04, 1.0)))
    try:
        peak = _climb(likelihood, np.append(flat, np.log(first)))
    except NotConverged:
        peak = None
    if peak is None or peak.tau > AT_THE_END * ENDLESS:
        # the best of the points with the values of τ in `STEPPED`, λ and γ at their best
        profile = _Profile(likelihood, flat, MIN_PROFILE_NODES)
        best, at, point = -np.inf, 0.0, flat
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
        try:
            peak = _climb(likelihood, np.append(point, np.log(at)))
        except NotConverged:
            raise NotConverged(_CIRCLES, _REMEDIES) from None
    if peak.tau > AT_THE_END * ENDLESS:
        raise NotIdentified(_RUNS_AWAY, _REMEDIES)
    if peak.tau > MIN_TAU and peak.loglik - level.value > MIN_GAIN * (1 + abs(level.value)):
        return peak, level.value
    vcov = invert_positive(level.information)
    return Peak(flat, 0.0, level.value, vcov, peak.nodes, 0.0), level.value


def _climb(likelihood: SlopeLikelihood, beta: Array) -> Peak:
    """Climb with as many nodes as it takes for the integrals to be exact."""
    while True:
        maximum, nodes = _settle(likelihood, beta)
        beta, value = maximum.at, maximum.expansion.value
        likelihood = replace(likelihood, nodes=2 * nodes)
        finer = likelihood.loglik(beta)
        error = abs(finer - value)
        if error <= MAX_QUADRATURE_ERROR * (1 + abs(value)) or nodes >= MAX_NODES:
            vcov = invert_positive(maximum.expansion.information)
            return Peak(beta, float(np.exp(beta[-1])), finer, vcov, nodes, error)


def _settle(likelihood: SlopeLikelihood, beta: Array) -> tuple[Maximum, int]:
    """Climb with nodes that stay put, and put them anew, until both come to rest.

    Where few nodes do not come to rest, more are taken; return how many.
    """
    at = beta
    for _ in range(ROUNDS):
        try:
            maximum = maximise(likelihood.place(at).expand, at, reach=likelihood.reach)
        except NotConverged:
            break
        moved, at = likelihood.reach(maximum.at - at), maximum.at
        if moved < MAX_STILL_STEP or (likelihood.tau is None and at[-1] < np.log(MIN_TAU)):
            return maximum, likelihood.nodes
    if likelihood.nodes >= MAX_NODES:
        raise NotConverged(_CIRCLES, _REMEDIES)
    return _settle(replace(likelihood, nodes=min(2 * likelihood.nodes, MAX_NODES)), beta)


@dataclass(frozen=True)
class Interval:
    lower: float  # 0 where there is none
    upper: float  # infinity where there is none
    method: str  # how it was found
    lost: bool = False  # whether the profile could not be followed to an end, which is then missing


def find_interval(likelihood: SlopeLikelihood, peak: Peak, level: float) -> Interval:
    middle, width, worths = float(np.log(0.05)), 0.5, peak.beta
    if peak.tau > 0:
        error = float(np.sqrt(peak.vcov[-1, -1]))  # of log τ
        if len(likelihood.cells.judge) > MAX_PROFILED_CELLS:
            factor = float(np.exp(NORMAL * error))
            return Interval(peak.tau / factor, peak.tau * factor, "Wald on log τ")
        middle, worths = float(np.log(peak.tau)), peak.beta[:-1]
        width = float(np.clip(2 * error, 0.05, 0.5))
    nodes, ends, lost = max(2 * peak.nodes, MIN_PROFILE_NODES), [0.0, float("inf")], False
    for side, step in enumerate((-width, width)):
        if step > 0 or peak.loglik - level > HALF_CHI2:
            try:
                profile = _Profile(likelihood, worths, min(nodes, MAX_NODES))
                ends[side] = _cross(profile, peak.loglik, middle, step)
            except NotConverged:  # the estimate stands; only this end of its interval is not found
                lost = True
    return Interval(ends[0], ends[1], "profile likelihood", lost)


class _Profile:
    """The log-likelihood with τ held; each climb over λ and γ starts where the last ended."""

    def __init__(self, likelihood: SlopeLikelihood, rest: Array, nodes: int) -> None:
        self.likelihood, self.rest, self.nodes = likelihood, rest, nodes

    def climb(self, tau: float) -> float:
        held = replace(self.likelihood.hold(tau), nodes=self.nodes)
        maximum, self.nodes = _settle(held, self.rest)
        self.rest = maximum.at
        return maximum.expansion.value


def _cross(profile: _Profile, top: float, middle: float, width: float) -> float:
    """Return the τ where the profile has dropped enough; infinity where it does not."""

    def drop(log_tau: float) -> float:
        """Return the drop less half the .95 quantile of χ²: negative inside the interval."""
        return top - profile.climb(float(np.exp(log_tau))) - HALF_CHI2

    inside, outside = middle, middle + width
    below, above = -HALF_CHI2, -HALF_CHI2
    while above < 0:
        if outside > np.log(MAX_TAU):
            return float("inf")
        above = drop(outside)
        if above < 0:
            inside, below, outside = outside, above, outside + width
    while abs(outside - inside) > PROFILE_TOLERANCE:
        # the secant through the ends, kept off them
        share = float(np.clip(-below / (above - below), 0.05, 0.95))
        at = inside + share * (outside - inside)
        value = drop(at)
        if value < 0:
            inside, below = at, value
        else:
            outside, above = at, value
    return float(np.exp(inside + (outside - inside) * -below / (above - below)))


# Points over the population of judges in predictions, evenly spaced: exact to ten digits at every
# τ that is fitted, since the chances are smooth in z on a scale of 1/τ
MIXING: Final = 401
FARTHEST: Final = 9.0  # Standard deviations beyond which there is no judge
PAIRS_AT_ONCE: Final = 2_000  # Pairs that are predicted at once, so that memory stays small
MAX_SLOPES_NAMED: Final = 5
LEVEL: Final = 0.05
QUARTILE: Final = 0.6744897501960817


@dataclass(frozen=True, eq=False)
class Slopes:
    """The judges' slopes given the data, worths and τ taken as known."""

    judges: tuple[str, ...]  # names
    estimate: Array  # (J,) posterior median; 1 is a judge in the middle (geometric mean 1)
    lower: Array  # (J,) .025 quantile of the posterior
    upper: Array  # (J,) .975 quantile
    comparisons: Array  # (J,) comparisons of each judge


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SlopesFit(WorthsFit):
    """Parameters are λ, and γ where it is free, for a judge of slope 1.

    The last row of `vcov` is of log τ, where τ is not 0.
    """

    model: JudgeSlopes  # the settings
    tau: float  # standard deviation of the judges' log-slopes
    # its .95 interval; infinity where it has no upper end; None on rankings
    tau_interval: tuple[float, float] | None
    tau_method: str  # how that was found, "profile likelihood", "Wald on log τ" or "none"
    # the likelihood-ratio test of τ = 0; None on rankings, whose comparisons are correlated
    tau_test: LRTest | None
    slopes: Slopes  # the judges' slopes
    flat_loglik: float  # that of the same model with τ = 0
    nodes: int  # nodes of the integral per judge
    quadrature_error: float  # change in log-likelihood with twice as many (nats)
    law: TieLaw  # the tie law

    assumes = "judgments independent given judges' slopes"

    @property
    def coefficients(self) -> tuple[Coefficient, ...]:
        """Every parameter; τ last, without z and p, since 0 is the end of its range."""
        p, vcov = len(self.names), self.vcov
        stderr = self.tau * float(np.sqrt(vcov[p, p])) if len(vcov) > p else None
        tau = Coefficient("tau", "judge slopes", self.tau, stderr, None, None)
        return (*super().coefficients, tau)

    @property
    def signature_parts(self) -> tuple[str, ...]:
        return (f"ties={self.model.ties}", f"reference={self.reference}", f"{self.nodes} nodes")

    @property
    def extras(self) -> Mapping[str, Any]:
        test, slopes = self.tau_test, self.slopes
        columns = (slopes.estimate, slopes.lower, slopes.upper, slopes.comparisons)
        rows = zip(slopes.judges, *(column.tolist() for column in columns), strict=True)
        names = ("judge", "estimate", "lower", "upper", "comparisons")
        return {
            "tau": self.tau,
            "tau_interval": [finite(end) for end in self.tau_interval or (np.inf, np.inf)],
            "lr_statistic": None if test is None else test.statistic,
            "lr_p": None if test is None else test.p,
            "flat_loglik": self.flat_loglik,
            "n_judges": float(len(slopes.judges)),
            "slopes": [dict(zip(names, row, strict=True)) for row in rows],
        }

    @cached_property
    def says(self) -> tuple[Finding, ...]:
        tau, test, slopes = self.tau, self.tau_test, self.slopes
        if test is None:
            sentences = [say("slopes-untested")]
        else:
            code = "slopes-alike" if test.p > LEVEL else "slopes-differ"
            sentences = [say(code, statistic=test.statistic, p=test.p)]
        if self.tau_interval is None:
            sentences.append(say("slopes-of-rankings", tau=tau))
        else:
            lower, high = self.tau_interval
            upper = "no upper end" if high == np.inf else f"{high:.3f}"
            factor = float(np.exp(QUARTILE * tau))
            ends = {"lower": lower, "upper": upper, "low": 1 / factor, "high": factor}
            sentences.append(say("slopes", tau=tau, method=self.tau_method, **ends))
        sentences.append(say("slopes-loglik", "info", loglik=self.loglik, flat=self.flat_loglik))
        if tau > 0 and test is not None:
            flattest = []
            for i in np.argsort(slopes.estimate, kind="stable")[:MAX_SLOPES_NAMED].tolist():
                ends_of = f"{slopes.lower[i]:.2f} to {slopes.upper[i]:.2f}"
                flattest.append(f"{slopes.judges[i]} {slopes.estimate[i]:.2f} ({ends_of})")
            sentences.append(say("flattest", "info", slopes=", ".join(flattest)))
        sentences.append(say("nodes", "info", nodes=self.nodes, error=self.quadrature_error))
        return tuple(sentences)

    def predict_gaps(self, gaps: Array) -> Array:
        """Return the chances of a judge drawn from the population."""
        gamma = float(self.estimate[-1]) if self.law.free else 0.0
        z = np.linspace(-FARTHEST, FARTHEST, MIXING)
        weights = np.exp(-(z**2) / 2)
        mixed = np.empty((len(gaps), 3))
        for first in range(0, len(gaps), PAIRS_AT_ONCE):
            some = gaps[first : first + PAIRS_AT_ONCE] / 2
            eta = np.exp(self.tau * z)[:, None] * some
            chances = np.exp(self.law.log_chances(eta.reshape(-1), gamma))
            mean = weights @ chances.reshape(len(z), -1) / weights.sum()
            mixed[first : first + PAIRS_AT_ONCE] = mean.reshape(-1, 3)
        return mixed


SlopeTies = Literal["davidson", "discard"]
TIES: Final[tuple[str, ...]] = get_args(SlopeTies)
MIN_JUDGES: Final = 5  # Judges below which nothing is said of a population of judges
# Comparisons beyond which the rounding of a log-likelihood is as large as what a judge adds
MAX_COMPARISONS: Final = 1e9
WITHOUT: Final = "fit a model without slopes, such as --model bradley-terry"


@dataclass(frozen=True)
class JudgeSlopes:
    """Settings of a Bradley-Terry model with a slope for every judge.

    Attributes:
        ties: davidson (a common γ) or discard (drop tied comparisons).
        reference: the system with λ = 0; the last by default.

    >>> from evenhand.data import Factor
    >>> judge = Factor(("ann", "tom"), np.array([0, 1], np.int32), np.array([20.0, 20.0]), 2)
    >>> one, two = np.zeros(2, np.int32), np.ones(2, np.int32)
    >>> counts = np.array([18.0, 11.0]), np.zeros(2), np.array([2.0, 9.0])
    >>> fit = JudgeSlopes().fit(Tally(("A", "B"), one, two, *counts, {"judge": judge}, 40))
    >>> bool(fit.slopes.estimate[0] > 1 > fit.slopes.estimate[1])
    True
    """

    ties: SlopeTies = "davidson"
    reference: str | None = None

    def __post_init__(self) -> None:
        require_option("ties", self.ties, TIES)

    @takes_judgments("data")
    def fit(self, data: Judgments) -> SlopesFit:
        """Fit by maximum marginal likelihood.

        Raises:
            NotIdentified: worths or τ have no finite maximum, there is one judge, or none gave two
                comparisons; names the systems and the remedy.
            InvalidJudgments: a value in the data that cannot be.
            UnknownColumn: the data name no judges.
            UnknownOption: importance weights, or judges that were merged.
            NotConverged: the likelihood has no clear maximum, or counts are too large for one.
        """
        # by judge, who stood first forgotten
        tally = count_pairs(data, ("judge",))
        require_counts(tally)
        tally = replace(tally, factors={"judge": tally.whole_factor("judge")}).fold()
        require_two(tally.systems)
        verdict = check_tally(tally, self.ties)
        law = Davidson() if verdict.ties_estimated else TwoOutcomes()
        used = replace(tally, ties=0 * tally.ties) if self.ties == "discard" else tally
        reference, interval = reference_code(tally.systems, self.reference), None
        cells, codes = make_slope_cells(used, reference, law)
        fault, loads = "slopes of judges are not identified", cells.sums(cells.counts.sum(axis=1))
        if cells.judges == 1:
            raise NotIdentified(
                f"{fault}: there is one judge, whose slope is the unit of the worths",
                ["collect judgments of several judges", WITHOUT],
            )
        if not (loads >= 2).any():
            raise NotIdentified(
                f"{fault}: no judge gave two comparisons that count",
                ["collect more from each", WITHOUT],
            )
        if loads.sum() > MAX_COMPARISONS:
            raise NotConverged(
                f"slopes of judges cannot be fitted to {loads.sum():,.0f} comparisons (at most"
                f" {MAX_COMPARISONS:,.0f}): rounding hides how judges differ",
                ["check whether these are counts", WITHOUT],
            )
        with one_blas_thread():
            flat = plain_likelihood(used.pool(), reference, law).maximise().at
            likelihood = SlopeLikelihood(cells, NODES)
            peak, level = find_peak(likelihood, flat)
            if tally.of_pairs:
                interval = find_interval(likelihood, peak, level)
            estimate, lower, upper = slope_quantiles(likelihood.hold(peak.tau), peak.beta)
        # judges without a slope: those with only ties, those of whom no row counts
        judge = tally.factor("judge")
        given = np.bincount(judge.codes, tally.counts.sum(axis=1), minlength=judge.size)
        slopeless = given[np.setdiff1d(np.arange(judge.size), codes)]
        numbers = {"only-ties": (slopeless > 0).sum(), "no-weight": (slopeless == 0).sum()}
        notes = [say(code, judges=int(number)) for code, number in numbers.items() if number]
        if interval is None:
            notes.append(say("tau-of-rankings", "warning"))
        if len(codes) < MIN_JUDGES:
            notes.append(say("few-judges-slopes", "warning", judges=len(codes)))
        if not peak.tau:
            notes.append(say("tau-zero"))
        if interval is not None and (interval.lost or interval.upper == np.inf):
            notes.append(say("tau-end-lost" if interval.lost else "tau-unbounded", "warning"))
        judges = tuple(judge.labels[i] for i in codes.tolist())
        names, labels = name_worths(tally.systems, reference)
        return SlopesFit(
            model=self,
            systems=tally.systems,
            names=(*names, *(["g1"] if law.free else [])),
            labels=(*labels, *(["tie"] if law.free else [])),
            reference=tally.systems[reference],
            estimate=peak.beta[: len(flat)],
            vcov=peak.vcov,
            tau=peak.tau,
            tau_interval=(interval.lower, interval.upper) if interval else None,
            tau_method=interval.method if interval else "none",
            tau_test=LRTest.at_boundary(peak.loglik, level) if interval else None,
            slopes=Slopes(judges, estimate, lower, upper, loads),
            loglik=peak.loglik,
            flat_loglik=level,
            n_judgments=tally.n_judgments,
            n_comparisons=float(cells.counts.sum()),
            nodes=peak.nodes,
            quadrature_error=peak.error,
            notes=(*verdict.notes, *notes),
            law=law,
        )
