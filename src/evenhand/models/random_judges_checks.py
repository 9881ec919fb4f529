"""What random judges are checked by: the integrals, deals of rankings, and an interval of σ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.tally import Tally, join_codes
from evenhand.errors import NotConverged
from evenhand.models.random_judges_likelihood import (
    MAX_SIGMA,
    Dispersion,
    Panel,
    Peak,
    Point,
    Pooled,
    Sites,
    State,
    Votes,
    find_softening,
    integrate_laplace,
    invert,
    shift_sites,
    slopes,
    soften,
    tilt,
)
from evenhand.numerics.distributions import normal_quantile
from evenhand.numerics.gaussian_process import Batch
from evenhand.numerics.newton import climb, invert_positive

# Were the integrals over judges' tastes right? Importance sampling says, and by how much not.
#
# Draws of u from the Gaussian that the sites make, N(ū, S), weighted with
#
# log w = Σ_c (ℓ_c − site_c)(e_c),    L = L_sites · mean(w),
#
# correct the log-likelihood and its slope by log σ, E‖u‖²/σ² − d, without any approximation but
# that of finitely many draws. Draws come in pairs of opposite signs. What the correction would do
# to σ is one Newton step. Source: Pinheiro & Bates (1995), JCGS 4:12-35, section 2.3.

Array = NDArray[np.float64]
PAIRS: Final = (64, 2_048)  # Fewest and most pairs of opposite draws for each block
TOTAL_PAIRS: Final = 50_000  # Pairs over all blocks that are aimed at
BATCHES: Final = 16  # Batches that stand for all
NUMBERS: Final = 1_000_000  # Log-odds held at once


@dataclass(frozen=True)
class IntegralCheck:
    blocks: int  # blocks that were looked at: connected parts of one judge's comparisons
    draws: int  # draws for each
    effective: float  # share of draws that count, median over blocks: 1 where the Gaussian is exact
    worst: float  # the same for the worst of a hundred blocks
    loglik_shift: float  # what the log-likelihood would change by (nats)
    loglik_error: float  # Monte Carlo standard error of that
    sigma_shift: float  # what σ would change by
    sigma_error: float  # Monte Carlo standard error of that


def check_integrals(panel: Panel, peak: Peak, state: State, seed: int) -> IntegralCheck:
    """Compare the integrals at the maximum with importance sampling."""
    theta, gamma, sigma = panel.parts(peak.beta)
    rng = np.random.Generator(np.random.PCG64(seed))
    totals, effective = np.zeros(4), []
    weights = panel.blocks.weigh_sample(BATCHES)
    blocks = sum(b.size for b, w in zip(panel.blocks.batches, weights, strict=True) if w)
    pairs = int(np.clip(TOTAL_PAIRS // blocks, *PAIRS))
    for batch, weight in zip(panel.blocks.batches, weights, strict=True):
        if not weight:
            continue
        votes = panel.votes(batch, theta, gamma)
        sites = shift_sites(state, batch, votes)
        covariance, mean, _ = invert(batch, sites, sigma)
        centre = batch.differ(mean)
        logs, lengths = _draw(batch, votes, sites, (covariance, mean), pairs=pairs, rng=rng)
        lengths /= sigma**2
        # what the method has in the place of log mean(w), and of the slope by log σ beyond the
        # Gaussian's own E‖u‖²/σ² − d, which is nothing but for Laplace's
        if panel.method == "corrected":
            tilted = tilt(votes, sites, centre, batch.spread(covariance))
            plain, slope = batch.sums(tilted.log_scale), 0.0
        else:
            piece = integrate_laplace(batch, votes, sigma, sites, panel.settled)
            trace = np.trace(covariance, axis1=1, axis2=2).sum()
            slope = piece.log_sigma - float((trace + (mean**2).sum()) / sigma**2 - mean.size)
            plain = batch.sums(votes.values(centre) - sites.values(centre))
        top = logs.max(axis=(0, 1))
        draws = np.exp(logs - top)
        mass = draws.mean(axis=(0, 1))
        draws /= mass
        effective.append(1 / (draws**2).mean(axis=(0, 1)))
        spread = draws.mean(axis=0).var(axis=0) / pairs
        # the log of a mean is half its variance low
        shift = top + np.log(mass) + spread / 2 - plain
        length = (draws * lengths).mean(axis=(0, 1))
        unweighted = lengths.mean(axis=(0, 1))
        moved = draws * (lengths - length) - (lengths - unweighted)
        errors = moved.mean(axis=0).var(axis=0) / pairs
        longer = (length - unweighted).sum() - slope
        sums = np.array([shift.sum(), spread.sum(), longer, errors.sum()])
        totals += np.array([weight, weight**2, weight, weight**2]) * sums
    shares = np.concatenate(effective)
    step = sigma * float(peak.vcov[-1, -1])
    return IntegralCheck(
        blocks=len(shares),
        draws=2 * pairs,
        effective=float(np.median(shares)),
        worst=float(np.quantile(shares, 0.01)),
        loglik_shift=float(totals[0]),
        loglik_error=float(np.sqrt(totals[1])),
        sigma_shift=step * float(totals[2]),
        sigma_error=step * float(np.sqrt(totals[3])),
    )


def _draw(
    batch: Batch,
    votes: Votes,
    sites: Sites,
    gaussian: tuple[Array, Array],
    *,
    pairs: int,
    rng: np.random.Generator,
) -> tuple[Array, Array]:
    """Return (2, pairs, B) log-weights and lengths ‖u‖² of draws and their opposites."""
    covariance, mean = gaussian
    centre, root = batch.differ(mean), np.linalg.cholesky(covariance)
    logs, lengths = np.empty((2, 2, pairs, batch.size))
    step = max(1, NUMBERS // max(len(votes.n), mean.size))
    for start in range(0, pairs, step):
        rows = slice(start, min(start + step, pairs))
        away = root @ rng.standard_normal((batch.size, batch.width, rows.stop - start))
        apart = batch.differ(away).T
        for side, sign in enumerate((1.0, -1.0)):
            deviation = centre + sign * apart
            terms = votes.values(deviation) - sites.values(deviation)
            logs[side, rows] = np.stack([batch.sums(row) for row in terms])
            lengths[side, rows] = ((mean[:, :, None] + sign * away) ** 2).sum(axis=1).T
    return logs, lengths


# Rankings dealt to judges at random: how much of σ is taste, where one answer is many comparisons.
#
# Comparisons of one ranking hang together, whoever made it; a model that takes them for independent
# given the judge books what they share as taste. With s_r the sum of score residuals r a over the
# comparisons of ranking r at the pooled fit, and S_l = Σ_{r of l} s_r:
#
# U = Σ_l ‖S_l‖²,    p = (1 + #{U* ≥ U}) / (B + 1)
#
# U* has the rankings of each task dealt to its judges at random, as many to each as they made.
# Where judges do not differ every deal is as likely as the one that was seen, whatever hangs
# together within a ranking.
#
# Source: Phipson & Smyth (2010), Permutation p-values should never be zero, SAGMB 9:39.
#
# When not to use it: where judges and items go together, a judge having made many rankings of one
# item: what rankings of one item share is then taken for taste.

Integers = NDArray[np.intp]
DEALS: Final = 199  # Random deals: the smallest p is .005


@dataclass(frozen=True)
class DealTest:
    """The test that rankings of one judge are no more alike than those of different judges."""

    p: float  # share of deals, the one that was seen among them, in which judges differ as much
    deals: int  # random deals
    sigma: float  # moment estimate of σ with the judges as they were
    dealt: float  # the same of the mean deal: what comparisons of one ranking share


def hang_together(tally: Tally) -> bool:
    """Say whether one answer makes several comparisons."""
    if not tally.of_pairs:
        return True
    if "ranking" not in tally.factors:
        return False
    key = _number_entries(tally, ("task", "ranking"))
    return len(np.unique(key)) < len(key)


def _number_entries(tally: Tally, names: Sequence[str]) -> NDArray[np.int64]:
    """Return a number for each entry, the same where all of some factors are the same."""
    factors = [tally.factors[name] for name in names if name in tally.factors]
    return join_codes([(factor.codes, factor.size) for factor in factors])


def deal_rankings(
    tally: Tally, panel: Panel, pooled: Pooled, dispersion: Dispersion, seed: int
) -> DealTest:
    key = _number_entries(tally, ("task", "ranking", "judge"))
    first, answer = np.unique(key, return_index=True, return_inverse=True)[1:]
    judge = tally.factors["judge"].codes[first].astype(np.intp)
    task = np.zeros_like(judge)
    if "task" in tally.factors:
        task = tally.factors["task"].codes[first].astype(np.intp)
    # (C,) score residuals by the log-odds of left against right, summed by answer and system
    theta, gamma, _ = panel.parts(np.append(pooled.beta, 0.0))
    won, tied, lost = tally.counts.T
    centre = theta[tally.left] - theta[tally.right]
    votes = Votes(won - lost, tied, won + tied + lost, centre, gamma, panel.nodes)
    score, k = slopes(votes, np.zeros_like(centre)).x, len(tally.systems)
    places = np.concatenate((answer * k + tally.left, answer * k + tally.right))
    used, inverse = np.unique(places, return_inverse=True)
    sums = np.asarray(np.bincount(inverse, np.concatenate((score, -score))), dtype=np.float64)
    at, system = np.divmod(used, k)

    def spread(judge: Integers) -> float:
        """Return U, given the judge of every answer."""
        return float((np.bincount(judge[at] * k + system, sums) ** 2).sum())

    seen = spread(judge)
    rng = np.random.Generator(np.random.PCG64(seed))
    by_task, dealt, spreads = np.argsort(task, kind="stable"), np.empty_like(judge), []
    for _ in range(DEALS):  # the judges of each task are dealt among its answers
        dealt[by_task] = judge[np.lexsort((rng.random(len(judge)), task))]
        spreads.append(spread(dealt))
    as_much = int((np.array(spreads) >= seen * (1 - 1e-9)).sum())
    return DealTest(
        p=(1 + as_much) / (DEALS + 1),
        deals=DEALS,
        sigma=soften(dispersion.ratio(0.0)),
        dealt=soften(dispersion.ratio(float(np.mean(spreads)) - seen)),
    )


# How far σ may be from its estimate: an interval by the profile likelihood, adjusted.
#
# a(σ) = max over θ, γ of ℓ(θ, γ, σ) − ½ log det I_θ(σ) − (K − 1) log s(σ),  2(a(σ°) − a(σ)) ≤ χ²₁
#
# For each σ the worths and γ are fitted anew, by one Newton step where that is enough. Worths that
# are estimated from the same answers take up some of the variance between judges: maximum
# likelihood makes σ too small, and its interval too, where judges or their answers are few. The
# determinant puts back what they took, as the n − 1 of a variance does; the restricted estimate σ°
# is where a is largest. It is taken of θ/s(σ), which the answers of all judges determine whatever σ
# is (`find_softening`): θ itself grows with σ, and its determinant alone would make σ too large.
# Without all this, σ° is the maximum likelihood estimate and a the plain profile.
#
# Source: Cox & Reid (1987), JRSS B 49:1-39, eq. 10; Barndorff-Nielsen (1983), Biometrika
# 70:343-365, for the Jacobian s.

# Distance of the root of the deviance from its goal within which a last step is taken blindly
LAST_STEP_DISTANCE: Final = 0.1
# Share of that gain in worths below which the gain of a Newton step in log σ is added up too
MAX_GAIN_LEFT: Final = 1 / 40
_LOST: Final = "the interval of σ was not found"


@dataclass(frozen=True, eq=False)
class Interval:
    lower: float  # the lower end; 0 where the data do not exclude it
    upper: float  # the upper end; infinite where there is none
    peak: Peak  # the maximum moved to σ°; as it was where that is as good as there


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
    goal = normal_quantile((1 + level) / 2)
    profile = _Profile(panel, peak, restricted=restricted)
    zero = pooled.loglik
    if restricted:
        zero -= _half_log_det(invert_positive(pooled.vcov)[: (n := panel.n_systems - 1), :n])
    spread = _sigma_error(peak, goal)
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
        if moved**2 / 2 < MAX_GAIN_LEFT * panel.left_over:
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


def _sigma_error(peak: Peak, goal: float) -> float:
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
            value -= n * softer[0]
            slope -= n * softer[1]
        return _Height(value, slope, beta, there)


def _find_top(profile: _Profile, zero: float, first: float) -> _Top | None:
    """Return where the profile is largest; None where that is at σ = 0."""
    peak = profile.peak
    bend = 1 / float(peak.vcov[-1, -1]) if peak.point is not None else 4.0
    at, here = first, profile.height(first)
    if here.slope <= 0 and peak.point is None:
        return None
    for _ in range(60):
        gain = here.slope**2 / (2 * bend)
        step = float(np.clip(here.slope / bend, -0.5, 0.5))
        if gain < MAX_GAIN_LEFT * profile.panel.left_over or at > log(MAX_SIGMA):
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
    """Return σ at which the signed root of the deviance, which rises with σ, is `goal`."""
    at, low, high = places
    for _ in range(60):
        if at > log(MAX_SIGMA):
            return inf
        there = profile.height(at)
        root = float(np.copysign(sqrt(max(2 * (top - there.value), 0.0)), goal))
        slope = -there.slope / root if root else inf
        low, high = (at, high) if root < goal else (low, at)
        ahead = at + float(np.clip((goal - root) / slope, -1.0, 1.0)) if slope > 0 else inf
        if slope > 0 and abs(root - goal) < LAST_STEP_DISTANCE:
            return exp(ahead)
        if low < ahead < high:
            at = ahead
        elif np.isinf(low):
            at -= 1.0
        else:
            at = at + 1.0 if np.isinf(high) else (low + high) / 2
    raise NotConverged(_LOST)
