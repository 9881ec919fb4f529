"""Bradley and Terry's model with judges who have tastes of their own.

For systems j and k and judge l, with log-worths θ and u_lj ~ N(0, σ²) independent:

    P(j preferred) : P(tie) : P(k preferred) = e^{x/2} : e^γ : e^{−x/2},
    x = (θ_j + u_lj) − (θ_k + u_lk)

Source: Böckenholt (2001), Hierarchical modeling of paired comparison data, Psychological Methods
6:49-66. What σ means, and when not to use it: docs/models/random-judges.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, erfc, exp, inf, log, sqrt
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.controls import ANSWERS, Judgments, count_pairs, takes_judgments
from evenhand.data.tally import Tally, join_codes
from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownOption,
    require_level,
    require_option,
    suggest_or_list,
)
from evenhand.models import random_judges_likelihood as integrals
from evenhand.models.base import LRTest, WorthsFit, finite
from evenhand.models.design import name_worths, reference_code, require_counts, require_few
from evenhand.models.existence import (
    check_tally,
    make_preference_graph,
    refuse_nothing,
    require_two,
)
from evenhand.models.likelihood import Davidson, TwoOutcomes
from evenhand.models.texts import say
from evenhand.numerics import Array
from evenhand.numerics.distributions import normal_quantile
from evenhand.numerics.gaussian_process import Batch
from evenhand.numerics.graph import Integers, solve_differences
from evenhand.numerics.newton import climb, invert_positive, one_blas_thread
from evenhand.render.document import Finding

DOUBTFUL: Final = 0.05  # P-value from which nothing is claimed


# What one judge's answers say of a taste at the estimated θ, γ and σ. With few answers its mean
# stays near 0 and its standard deviation near σ: such a judge is unknown, not average.


@dataclass(frozen=True, eq=False)
class Taste:
    """How far one judge's log-worths are from the mean judge's."""

    judge: str  # the judge's name
    systems: tuple[str, ...]  # the systems that this judge saw; of others nothing is known but σ
    deviation: Array  # (systems,) posterior mean of u (log-odds)
    stderr: Array  # (systems,) posterior standard deviation


# Were the integrals over judges' tastes right? Importance sampling says, and by how much not.
#
# Draws of u from the Gaussian that the sites make, N(ū, S), weighted with
#
# log w = Σ_c (ℓ_c − site_c)(e_c),    L = L_sites · mean(w),
#
# correct the log-likelihood and its slope by log σ, E‖u‖²/σ² − d, without any approximation but
# that of finitely many draws. Draws come in pairs of opposite signs. What the correction would do
# to σ is one Newton step. Source: Pinheiro & Bates (1995), JCGS 4:12-35, section 2.3.

PAIRS: Final = (64, 2_048)  # Fewest and most pairs of opposite draws for each block
TOTAL_PAIRS: Final = 50_000  # Pairs over all blocks that are aimed at
BATCHES: Final = 16  # Batches that stand for all
NUMBERS: Final = 1_000_000  # Log-odds held at once
CACHED_NUMBERS: Final = 20_000  # Log-odds whose chances are computed at once


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


def check_integrals(
    panel: integrals.Panel, peak: integrals.Peak, state: integrals.Sites, seed: int
) -> IntegralCheck:
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
        sites = integrals.shift_sites(state, batch, votes)
        covariance, mean, _ = integrals.invert(batch, sites, sigma)
        centre = batch.differ(mean)
        logs, lengths = _draw(batch, votes, sites, (covariance, mean), pairs=pairs, rng=rng)
        lengths /= sigma**2
        # what the method has in the place of log mean(w), and of the slope by log σ beyond the
        # Gaussian's own E‖u‖²/σ² − d, which is nothing but for Laplace's
        if panel.method == "corrected":
            tilted = integrals.tilt(votes, sites, centre, batch.spread(covariance))
            plain, slope = batch.sums(tilted.log_scale), 0.0
        else:
            piece = integrals.integrate_laplace(batch, votes, sigma, sites, panel.settled)
            slope = piece.log_sigma - integrals.by_log_sigma(covariance, mean, sigma)
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
    votes: integrals.Votes,
    sites: integrals.Sites,
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
    few = max(1, CACHED_NUMBERS // len(votes.n))
    for start in range(0, pairs, step):
        rows = slice(start, min(start + step, pairs))
        away = root @ rng.standard_normal((batch.size, batch.width, rows.stop - start))
        apart = batch.differ(away).T
        for side, sign in enumerate((1.0, -1.0)):
            lengths[side, rows] = ((mean[:, :, None] + sign * away) ** 2).sum(axis=1).T
            # a few draws at a time, so that what is in between stays in the processor's cache
            for first in range(0, len(apart), few):
                deviation = centre + sign * apart[first : first + few]
                terms = votes.values(deviation) - sites.values(deviation)
                here = slice(start + first, start + first + len(terms))
                if batch.size == 1:
                    logs[side, here, 0] = terms.sum(axis=1)
                else:
                    logs[side, here] = np.stack([batch.sums(row) for row in terms])
    return logs, lengths


# Rankings dealt to judges at random: how much of σ is taste, where one answer is many comparisons.
#
# Comparisons of one ranking are correlated, whoever made it; a model that takes them as
# independent given the judge books what they share as taste. With s_r the sum of score residuals
# r a over the comparisons of ranking r at the pooled fit, and S_l = Σ_{r of l} s_r:
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

DEALS: Final = 199  # Random deals: the smallest p is .005


@dataclass(frozen=True)
class DealTest:
    """The test that rankings of one judge are no more alike than those of different judges."""

    p: float  # share of deals, the one that was seen among them, in which judges differ as much
    deals: int  # random deals
    sigma: float  # moment estimate of σ with the judges as they were
    dealt: float  # the same of the mean deal: what comparisons of one ranking share


def _number_entries(tally: Tally, names: Sequence[str]) -> NDArray[np.int64]:
    """Return a number for each entry, the same where all of some factors are the same."""
    factors = [tally.factors[name] for name in names if name in tally.factors]
    return join_codes([(factor.codes, factor.size) for factor in factors])


def deal_rankings(
    tally: Tally,
    panel: integrals.Panel,
    pooled: integrals.Peak,
    dispersion: integrals.Dispersion,
    seed: int,
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
    votes = integrals.Votes(won - lost, tied, won + tied + lost, centre, gamma, panel.nodes)
    score, k = integrals.slopes(votes, np.zeros_like(centre)).x, len(tally.systems)
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
    return DealTest(
        p=(1 + int((np.array(spreads) >= seen * (1 - 1e-9)).sum())) / (DEALS + 1),
        deals=DEALS,
        sigma=integrals.soften(dispersion.ratio(0.0)),
        dealt=integrals.soften(dispersion.ratio(float(np.mean(spreads)) - seen)),
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
    peak: integrals.Peak  # the maximum moved to σ°; as it was where that is as good as there


@dataclass(frozen=True, eq=False)
class _Height:
    """The profile at one log σ, its slope, and the worths and γ that go with it."""

    value: float
    slope: float
    beta: Array
    point: integrals.Point


def find_interval(
    model: RandomJudges,
    panel: integrals.Panel,
    peak: integrals.Peak,
    pooled: integrals.Peak,
    dispersion: integrals.Dispersion,
) -> Interval:
    goal = normal_quantile((1 + model.level) / 2)
    profile = _Profile(panel, peak, restricted=model.restricted)
    zero = pooled.loglik
    if model.restricted:
        worths = invert_positive(pooled.vcov)[: panel.n_systems - 1, : panel.n_systems - 1]
        zero -= float(np.linalg.slogdet(worths)[1]) / 2
    # the standard error of log σ; at σ = 0 about the upper end of σ
    if peak.point is not None:
        spread = float(np.sqrt(peak.vcov[-1, -1]))
    else:
        bend, slope = dispersion.bend, dispersion.slope
        spread = sqrt((slope + sqrt(slope**2 + bend * goal**2)) / bend)
    found = _find_top(profile, zero, float(peak.beta[-1]) if peak.point else log(spread) - 1.5)
    if found is None:
        upper = _find_end(profile, zero, goal, (log(spread), -inf, inf))
        return Interval(0.0, upper, pooled)
    at, top, bend, near = found
    step = min(goal / sqrt(bend), 1.0)
    upper = _find_end(profile, top, goal, (at + step, at, inf))
    lower = 0.0  # also where the likelihood itself, which the test of 0 goes by, is largest at 0
    if peak.point is not None:
        if 2 * (top - zero) > goal**2:
            lower = _find_end(profile, top, -goal, (at - step, -inf, at))
        moved = abs(at - float(peak.beta[-1])) * sqrt(bend)
        if moved**2 / 2 < MAX_GAIN_LEFT * panel.left_over:
            return Interval(lower, upper, peak)
    # the maximum at the top of the adjusted profile
    beta = np.append(near.beta, at)
    point = panel.expand(beta, near.point.state, information=True)
    some = panel.thinned()
    there = point if some.weights == panel.weights else some.expand(beta, None, information=True)
    information = some.information(beta, there)
    worths_of = slice(panel.n_systems - 1)
    information[worths_of, worths_of] = panel.inform_worths(beta, point)
    inner = invert_positive(information[:-1, :-1])
    drift = np.append(-inner @ information[:-1, -1], 1.0)
    vcov = np.outer(drift, drift) / bend
    vcov[:-1, :-1] += inner
    return Interval(lower, upper, integrals.Peak(beta, exp(at), peak.loglik, vcov, point))


class _Profile:
    def __init__(self, panel: integrals.Panel, peak: integrals.Peak, *, restricted: bool) -> None:
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
        information[: k - 1, : k - 1] = first.worths
        end, here, gain = climb(
            lambda x, before: self._expand(x, at, before.state),
            (beta, first),
            information,
            tolerance=2 * self.panel.left_over / (1.0 + abs(first.value)),
            reach=lambda step: float(np.abs(step).max()),
        )
        return self._finish(end, at, here, gain)

    def _expand(self, beta: Array, at: float, state: integrals.Sites | None) -> integrals.Point:
        point = self.panel.expand(np.append(beta, at), state, information=True)
        return replace(point, gradient=point.gradient[:-1])

    def _finish(self, beta: Array, at: float, there: integrals.Point, gain: float) -> _Height:
        slope = there.slope - float(there.gradient[: len(self.drift)] @ self.drift)
        value = there.value + gain
        if self.restricted:
            assert there.worths is not None
            assert there.bends is not None
            slope -= float(np.trace(np.linalg.solve(there.worths, there.bends))) / 2
            value -= float(np.linalg.slogdet(there.worths)[1]) / 2
            n = self.panel.n_systems - 1
            softer = integrals.find_softening(at, float(beta[-1]) if self.panel.ties else None)
            value -= n * softer[0]
            slope -= n * softer[1]
        return _Height(value, slope, beta, there)


def _find_top(
    profile: _Profile, zero: float, first: float
) -> tuple[float, float, float, _Height] | None:
    """Return where the profile is largest (log σ), how high and how bent it is, a point nearby."""
    peak = profile.peak
    bend = 1 / float(peak.vcov[-1, -1]) if peak.point is not None else 4.0
    at, here = first, profile.height(first)
    if here.slope <= 0 and peak.point is None:
        return None
    for _ in range(60):
        gain = here.slope**2 / (2 * bend)
        step = float(np.clip(here.slope / bend, -0.5, 0.5))
        if gain < MAX_GAIN_LEFT * profile.panel.left_over or at > log(integrals.MAX_SIGMA):
            top = here.value + gain
            return (at + step, top, bend, here) if top > zero else None
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
        if at > log(integrals.MAX_SIGMA):
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


NODES = 41  # Nodes of the sum over a new judge's log-odds, more in proportion where σ exceeds 1


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RandomJudgesFit(WorthsFit):
    """Parameters are λ of the mean judge, and γ where ties are an outcome.

    Judges, not judgments, are taken for independent, so that `vcov` has the variance between them
    in it; σ is no coefficient, it stands apart.
    """

    model: RandomJudges  # the settings
    labels_of_judges: tuple[str, ...]  # the judges with a judgment that counts, sorted
    sigma: float  # standard deviation of judges' log-worths around the mean judge's (log-odds)
    # ends of its profile likelihood interval; 0 and infinity where there is none;
    sigma_interval: tuple[float, float] | None
    sigma_ml: float  # the maximum likelihood estimate of σ, without adjustment
    lr_test: LRTest | None  # likelihood-ratio test of σ = 0; None of rankings
    # of rankings, the test that judges do not differ by random deals of rankings to judges; None
    # otherwise, and where the data do not tell rankings apart
    deal_test: DealTest | None
    pooled_loglik: float  # log-likelihood of the same model with σ = 0 (nats)
    check: IntegralCheck | None  # importance sampling of the integrals; None at σ = 0
    panel: integrals.Panel  # judges' answers
    peak: integrals.Peak  # the estimates and their covariance

    assumes = "judges independent, each with a taste, their judgments independent given it"

    @property
    def gamma(self) -> float | None:
        return float(self.estimate[-1]) if self.panel.ties else None

    @property
    def says(self) -> tuple[Finding, ...]:
        sigma, check = self.sigma, self.check
        test = self.lr_test or self.deal_test
        # a claim only where a test supports it
        claim = "judges-untested"
        if test is not None:
            claim = "judges-differ" if test.p <= DOUBTFUL else "judges-alike"
        if self.sigma_interval is None:
            sentences = [say(f"{claim}-bound", sigma=sigma)]
        else:
            low, high = self.sigma_interval
            upper = "no upper end" if high == inf else f"{high:.2f}"
            level = f"{100 * self.model.level:g} %"
            sentences = [say(claim, sigma=sigma, lower=low, upper=upper, level=level)]
        if check is not None:
            # To judges, two systems equal to the mean judge differ by N(0, 2σ²) log-odds: they pick
            # their favourite in a share of the mean of 1 / (1 + exp(−|x|)). Of two that are 1 apart
            # the worse is the better to a share of Φ(−1/(√2 σ)).
            z = np.linspace(0.0, 9.0, 3601)
            density = np.exp(-(z**2) / 2)
            density[0] /= 2
            picked = density / (1 + np.exp(-sqrt(2) * sigma * z))
            favourite = 100 * float(picked.sum() / density.sum())
            reverse = 100 * erfc(1 / (2 * sigma)) / 2
            sentences.append(say("tastes", favourite=favourite, reverse=reverse))
        if self.lr_test is not None:
            values = {"statistic": self.lr_test.statistic, "p": self.lr_test.p}
            sentences.append(say("sigma-test", "info", **values))
        elif self.deal_test is not None:
            sentences.append(say("deal-test", "info", **vars(self.deal_test)))
        else:
            sentences.append(say("sigma-untested", "info"))
        if check is not None:
            sentences.append(say("integrals-checked", "info", **vars(check)))
        return tuple(sentences)

    @property
    def signature_parts(self) -> tuple[str, ...]:
        model = self.model
        restricted = "restricted" if model.restricted else "ml"
        named = (f"ties={model.ties}", f"method={model.method}", f"reference={self.reference}")
        return (*named, restricted, f"level={model.level:g}", f"seed={model.seed}")

    def predict_gaps(self, gaps: Array) -> Array:
        # an even sum is exact here: its error is exp(−2π d / step), d the distance
        # of the nearest pole, π / (√2 σ)
        at = np.linspace(-9.0, 9.0, ceil(NODES * max(1.0, self.sigma)))
        weight = np.exp(-(at**2) / 2)
        log_odds = gaps[:, None] + np.sqrt(2) * self.sigma * at
        law = Davidson() if self.panel.ties else TwoOutcomes()
        chances = np.exp(law.log_chances(log_odds.reshape(-1) / 2, self.gamma or 0.0))
        mean = np.einsum("nqo,q->no", chances.reshape(len(gaps), len(at), 3), weight / weight.sum())
        return np.asarray(mean / mean.sum(axis=1, keepdims=True))

    def judges(self, names: Sequence[str] | None = None) -> tuple[Taste, ...]:
        """Return tastes of judges, as far as their answers tell: posterior means and errors."""
        labels = self.labels_of_judges
        known = {name: code for code, name in enumerate(labels)}
        unknown = [name for name in names or () if name not in known]
        if unknown:
            hint = suggest_or_list(unknown[0], labels)
            raise InvalidJudgments(f"no judge '{unknown[0]}' in this fit.{hint}")
        codes = [known[name] for name in (labels if names is None else names)]
        # posterior means and standard deviations by slot
        panel, state = self.panel, None if self.peak.point is None else self.peak.point.state
        mean, error = np.zeros((2, len(panel.system)))
        if state is not None:
            wanted = np.isin(panel.judge, np.asarray(codes, dtype=np.intp))
            theta, gamma, sigma = panel.parts(self.peak.beta)
            for batch in panel.blocks.batches:
                if wanted[batch.nodes].any():
                    sites = integrals.shift_sites(state, batch, panel.votes(batch, theta, gamma))
                    covariance, centre, _ = integrals.invert(batch, sites, sigma)
                    mean[batch.nodes] = centre.reshape(-1)
                    diagonal = np.diagonal(covariance, axis1=1, axis2=2)
                    error[batch.nodes] = np.sqrt(diagonal).reshape(-1)
        order = np.lexsort((panel.system, panel.judge))
        order = order[panel.judge[order] < len(labels)]
        starts = np.searchsorted(panel.judge[order], np.arange(len(labels) + 1))
        tastes = []
        for code in codes:
            places = order[starts[code] : starts[code + 1]]
            seen = tuple(self.systems[i] for i in panel.system[places].tolist())
            tastes.append(Taste(labels[code], seen, mean[places], error[places]))
        return tuple(tastes)

    @property
    def extras(self) -> Mapping[str, Any]:
        test, deal = self.lr_test, self.deal_test
        ends = (None, None) if self.sigma_interval is None else map(finite, self.sigma_interval)
        return {
            "sigma": self.sigma,
            "sigma_interval": [*ends],
            "sigma_ml": self.sigma_ml,
            "lr_statistic": None if test is None else test.statistic,
            "lr_p": None if test is None else test.p,
            "deal_p": None if deal is None else deal.p,
            "pooled_loglik": self.pooled_loglik,
            "n_judges": float(len(self.labels_of_judges)),
        }


# When σ cannot be told from the answers, and when it can hardly: refusals and notes.

MIN_JUDGES: Final = 6  # Judges below which nothing is said of a population of judges
MAX_INTERVAL_WIDTH: Final = 1.0  # Width of an interval of σ from 0 on that says hardly anything
# Share of effective draws below which importance sampling says little
MIN_EFFECTIVE_SHARE: Final = 0.1
MAX_SIGMA_SHIFT: Final = 0.02  # Shift of σ, relative, from which on the integrals are called poor


def refuse_without_judges(tally: Tally, judge: NDArray[np.integer], labels: Sequence[str]) -> None:
    if len(labels) == 1:
        raise NotIdentified(
            f"how much judges differ cannot be told from one judge ({labels[0]})",
            ["collect answers of several judges", integrals.REMEDIES[1]],
        )
    if np.bincount(judge, tally.wins + tally.ties + tally.losses).max() <= 1:
        raise NotIdentified(
            f"how much judges differ cannot be told from chance: each of {len(labels):,} judges"
            " gave one judgment",
            ["collect several from each", integrals.REMEDIES[1]],
        )
    if (tally.wins * tally.losses).any():
        return
    # Where some tastes explain every answer of every judge with certainty, ever larger tastes fit
    # ever better: no closed walk through one judge's answers has as many preferences as ties or
    # more, so that no judge contradicts himself or herself. A simple walk has n_nodes steps at
    # most: one with as many preferences as ties is forbidden too.
    graph = make_preference_graph(tally, by="judge")
    steps = graph.steps(ties=True)
    if solve_differences(steps.graph, steps.gain * (graph.n_nodes + 1) - 1).cycle is None:
        raise NotIdentified(
            "σ has no finite estimate: no judge ever contradicts himself or herself, so that"
            " tastes alone could explain all of them",
            integrals.REMEDIES,
        )


def note_result(
    sigma: float, interval: Interval, check: IntegralCheck | None
) -> tuple[Finding, ...]:
    notes, (low, high) = [], (interval.lower, interval.upper)
    if high == inf or (low == 0 and high > MAX_INTERVAL_WIDTH):
        notes.append(say("sigma-uncertain", "warning"))
    if check is None:
        return (*notes, say("sigma-zero"))
    if check.worst < MIN_EFFECTIVE_SHARE:
        notes.append(say("integrals-unchecked", "warning", draws=check.draws, worst=check.worst))
    shift = check.sigma_shift
    if abs(shift) > max(MAX_SIGMA_SHIFT * sigma, 3 * check.sigma_error):
        notes.append(say("integrals-poor", "warning", sigma_shift=shift))
    return tuple(notes)


Ties = Literal["davidson", "discard"]


@dataclass(frozen=True)
class RandomJudges:
    """Settings of a Bradley-Terry model with random judges.

    Attributes:
        ties: davidson (a γ common to all judges) or discard (drop tied comparisons).
        reference: the system with log-worth 0; the last by default.
        method: corrected (expectation propagation), or laplace, which makes σ too small where
            judges gave few answers.
        restricted: adjust σ and its interval for worths being estimated from the same answers;
            False gives the maximum likelihood estimate, which is too small where judges are few.
        level: of the interval of σ.
        seed: of the draws that check the integrals, and of the deals that test σ of rankings; no
            estimate depends on it.

    >>> RandomJudges(ties="discard")
    RandomJudges(ties='discard', reference=None, method='corrected', restricted=True, level=0.95,
    seed=20131)
    """

    ties: Ties = "davidson"
    reference: str | None = None
    method: integrals.Method = "corrected"
    restricted: bool = True
    level: float = 0.95
    seed: int = SEED

    def __post_init__(self) -> None:
        chosen: str = self.ties
        if chosen == "half-win":
            raise UnknownOption(
                "ties='half-win' has no likelihood of which judges' tastes could be integrated out:"
                " choose davidson (ties as an outcome) or discard"
            )
        require_option("ties", chosen, get_args(Ties))
        require_option("method", self.method, ("corrected", "laplace"))
        require_level(self.level)

    @takes_judgments("data")
    def fit(self, data: Judgments) -> RandomJudgesFit:
        """Fit by maximum likelihood, tastes integrated out.

        Raises:
            NotIdentified: worths or σ have no finite, unique estimate; says why and what to do.
            NotConverged: σ was not found, as where it lies beyond 6.
            InvalidJudgments: a value in the data that cannot be.
            UnknownColumn: the data do not say who judged.
            UnknownOption: weights of importance, or judges that were merged.
        """
        answers = count_pairs(data, ("judge",), answers=True)
        require_counts(answers)
        known = ("judge", *(name for name in ANSWERS if name in answers.factors))
        answers = replace(answers, factors={name: answers.whole_factor(name) for name in known})
        whole = replace(answers, factors={"judge": answers.factors["judge"]}).fold()
        tally = self._used(whole)
        require_few(tally.systems)
        verdict = check_tally(whole, self.ties)
        judge, used = np.unique(tally.factors["judge"].codes, return_inverse=True)
        labels = tuple(tally.factors["judge"].labels[i] for i in judge.tolist())
        refuse_without_judges(tally, used, labels)
        reference = reference_code(tally.systems, self.reference)
        lr_test, deal_test, check = None, None, None
        of_rankings = not answers.of_pairs  # one answer makes several comparisons
        if not of_rankings and "ranking" in answers.factors:
            key = _number_entries(answers, ("task", "ranking"))
            of_rankings = len(np.unique(key)) < len(key)
        with one_blas_thread():
            panel = integrals.make_panel(tally, used.astype(np.intp), reference, self.method)
            pooled = integrals.pool_judges(tally, reference, ties=panel.ties)
            spread = integrals.find_dispersion(panel, pooled)
            try:
                highest = integrals.find_peak(panel, pooled, spread)
                interval = find_interval(self, panel, highest, pooled, spread)
            except NotConverged as lost:
                raise integrals.explain_lost(lost, panel, pooled) from None
            peak = interval.peak
            if peak.point is not None:
                check = check_integrals(panel, peak, peak.point.state, self.seed)
            if not of_rankings:
                lr_test = LRTest.at_boundary(highest.loglik, pooled.loglik)
            elif "ranking" in answers.factors:
                rankings = self._used(answers)
                deal_test = deal_rankings(rankings, panel, pooled, spread, self.seed)
        notes = list(verdict.notes)
        if len(labels) < MIN_JUDGES:
            notes.append(say("few-judges-taste", "warning", judges=len(labels)))
        if of_rankings:
            merged = "" if deal_test is not None else "merged-"
            notes.append(say(f"sigma-of-{merged}rankings", "warning"))
        names, others = name_worths(tally.systems, reference)
        p = len(panel.scale)
        return RandomJudgesFit(
            model=self,
            systems=tally.systems,
            labels_of_judges=labels,
            names=(*names, *("g1",) * panel.ties),
            labels=(*others, *("tie",) * panel.ties),
            reference=tally.systems[reference],
            estimate=peak.beta[:p] * panel.scale,
            vcov=peak.vcov[:p, :p] * panel.scale * panel.scale[:, None],
            sigma=peak.sigma,
            sigma_interval=None if of_rankings else (interval.lower, interval.upper),
            sigma_ml=highest.sigma,
            lr_test=lr_test,
            deal_test=deal_test,
            loglik=highest.loglik,
            pooled_loglik=pooled.loglik,
            check=check,
            n_judgments=tally.n_judgments,
            n_comparisons=tally.n_comparisons,
            notes=(*notes, *note_result(peak.sigma, interval, check)),
            panel=panel,
            peak=peak,
        )

    def _used(self, tally: Tally) -> Tally:
        require_two(tally.systems)
        used = replace(tally, ties=0 * tally.ties) if self.ties == "discard" else tally
        rows = used.wins + used.ties + used.losses > 0
        if not rows.any():
            refuse_nothing(tally)
        return used if rows.all() else used.take(rows)
