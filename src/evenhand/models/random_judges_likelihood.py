"""The likelihood of judges' answers with tastes integrated out, its start and its maximum."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, log, sqrt
from typing import Final, Literal

import numpy as np

from evenhand.data.tally import Tally
from evenhand.errors import NotConverged
from evenhand.models.likelihood import Davidson, TwoOutcomes, plain_likelihood
from evenhand.numerics import Array
from evenhand.numerics.distributions import normal_rule
from evenhand.numerics.gaussian_process import Batch, Blocks, invert_all, make_blocks
from evenhand.numerics.graph import Integers
from evenhand.numerics.newton import climb, invert_positive

# The chances of three outcomes as a function of one judge's log-odds, and Gaussians in its place.
#
# With x the log-odds of left against right in the eyes of one judge and ν = exp(γ):
#
# ℓ(x) = (n₊ − n₋) x/2 + n₀ γ − n log(exp(x/2) + ν + exp(−x/2))      (Davidson 1970)
#
# without ties ν = 0. A *site* is what stands for exp ℓ in a Gaussian approximation: with e = x − m
# the judge's deviation from the mean judge's log-odds m, exp(b e − t e²/2).
#
# Source: Minka (2001), Expectation propagation for approximate Bayesian inference, UAI 17:362-369.


@dataclass(frozen=True, eq=False)
class Votes:
    net: Array  # (c,) preferences for left less those for right
    ties: Array  # (c,) ties
    n: Array  # (c,) judgments
    centre: Array  # (c,) log-odds m of the mean judge
    gamma: float | None  # tie parameter; None without ties
    nodes: int  # of the quadrature over one difference

    @property
    def nu(self) -> float:
        return 0.0 if self.gamma is None else float(np.exp(self.gamma))

    def values(self, deviation: Array) -> Array:
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
    """Derivatives of ℓ by x and γ; all of shape (c,)."""

    x: Array  # first derivative by x
    xx: Array  # second; likewise the others
    xxx: Array  # see xx
    g: Array  # first derivative by γ
    xg: Array  # see xx
    xxg: Array  # see xx


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
    """A Gaussian in place of each entry's likelihood; shapes (c,)."""

    precision: Array  # t
    linear: Array  # b, of the deviation e

    def values(self, deviation: Array) -> Array:
        return np.asarray(deviation * (self.linear - self.precision / 2 * deviation))


@dataclass(frozen=True, eq=False)
class Moments:
    """A difference under what the others say and the exact likelihood of its own entry."""

    log_scale: Array  # (c,) log of the mean of exp(ℓ − site), in nats
    mean: Array  # (c,) mean of e
    variance: Array  # (c,) variance of e
    deviation: Array  # (q, c) nodes of the quadrature
    weight: Array  # (q, c) their weights


def tilt(votes: Votes, sites: Sites, mean: Array, variance: Array) -> Moments:
    """Put the exact likelihood in the place of each site, given means and variances."""
    at, rule = (one[:, None] for one in normal_rule(votes.nodes))  # moved by mean and width
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


# The likelihood of judges' answers, tastes integrated out, one batch of blocks at a time.
#
# L_l = ∫ exp(Σ_c ℓ_c(m_c + u_left − u_right)) Π_j N(u_j; 0, σ²) du
#
# A block is a connected part of one judge's comparisons; nothing else enters its integral. With a
# Gaussian site in place of each ℓ_c the integral is one of linear algebra:
#
# log L = Σ_c log s_c − ½ log det(I + σ² M) + ½ Σ_c b_c ē_c,
# M = Σ_c t_c a_c a_cᵀ,   S = (M + I/σ²)⁻¹
#
# Laplace's method takes the sites from value, slope and bend of ℓ at the mode. Expectation
# propagation chooses them so that mean and variance of every difference do not change when the
# exact ℓ_c takes its site's place (Minka 2001); it is exact where a judge compared one pair. At
# such a fixed point sites need no derivative: the gradient is that of the formula with sites held.
#
# Laplace: Breslow & Clayton (1993), JASA 88:9-25; its gradient differentiates log det(I + σ² M)
# too.

MAX_PASSES: Final = 500
FULL_STEP_PASSES: Final = 30  # Passes after which steps are halved
# Newton decrement squared of a block below which its mode is found: the last step squares it
MODE_TOLERANCE: Final = 1e-14
START_TOLERANCE: Final = 1e-1  # The same where a mode is only the start of other passes


@dataclass(frozen=True, eq=False)
class Piece:
    value: float  # sum of the log-integrals (nats)
    centre: Array  # (c,) derivative by each entry's log-odds m
    gamma: float  # derivative by γ
    log_sigma: float  # derivative by log σ
    sites: Sites  # the sites at the end
    covariance: Array  # (B, d, d) posterior covariances S of u


def invert(batch: Batch, sites: Sites, sigma: float) -> tuple[Array, Array, Array]:
    """Return S (B, d, d), the means of u that go with the sites (B, d), and log det S⁻¹ (B,)."""
    covariance, log_det = invert_all(batch.precision(sites.precision, sigma**-2))
    return covariance, _times(covariance, batch.gather(sites.linear)), log_det


def integrate_laplace(
    batch: Batch,
    votes: Votes,
    sigma: float,
    start: Sites | None,
    settled: float,  # noqa: ARG001 - a mode costs little to find exactly
) -> Piece:
    mean = find_mode(batch, votes, sigma, start=start)
    deviation = batch.differ(mean)
    at = slopes(votes, deviation)
    sites = Sites(-at.xx, at.x - at.xx * deviation)
    covariance, log_det = invert_all(batch.precision(sites.precision, sigma**-2))
    bent = batch.spread(covariance) * at.xxx / 2
    pulled = _times(covariance, batch.gather(bent))
    turned = batch.differ(pulled)
    scale = votes.values(deviation) - sites.values(deviation)
    return Piece(
        value=_value(sites, sigma, log_det, deviation, batch.width) + float(scale.sum()),
        centre=at.x + bent + at.xx * turned,
        gamma=float((at.g + batch.spread(covariance) * at.xxg / 2 + turned * at.xg).sum()),
        log_sigma=by_log_sigma(covariance, mean, sigma)
        + float(2 * (pulled * mean).sum() / sigma**2),
        sites=sites,
        covariance=covariance,
    )


def integrate_corrected(
    batch: Batch, votes: Votes, sigma: float, start: Sites | None, settled: float
) -> Piece:
    if start is None:
        deviation = batch.differ(find_mode(batch, votes, sigma, flat=START_TOLERANCE))
        at = slopes(votes, deviation)
        start = Sites(-at.xx, at.x - at.xx * deviation)
    sites = start
    for taken in range(MAX_PASSES):
        covariance, mean, log_det = invert(batch, sites, sigma)
        centre, width = batch.differ(mean), batch.spread(covariance)
        tilted = tilt(votes, sites, centre, width)
        shift = np.abs(tilted.mean - centre) / np.sqrt(width)
        if max(shift.max(), np.abs(tilted.variance / width - 1).max()) < settled:
            break
        # move the sites so that means and variances agree with those found; ℓ is concave, so that
        # no precision is negative but by the rounding of the quadrature
        length = 0.5 if taken > FULL_STEP_PASSES else 1.0
        precision = sites.precision + length * (1 / tilted.variance - 1 / width)
        linear = sites.linear + length * (tilted.mean / tilted.variance - centre / width)
        sites = Sites(np.maximum(precision, 0.0), linear)
    else:
        raise NotConverged(
            "the integrals over judges' tastes did not settle",
            ["look for judges with millions of answers on one pair"],
        )
    gamma = 0.0
    if votes.gamma is not None:
        tied = (tilted.weight * votes.tied(tilted.deviation)).sum(axis=0)
        gamma = float((votes.ties - votes.n * tied).sum())
    return Piece(
        value=_value(sites, sigma, log_det, centre, batch.width) + float(tilted.log_scale.sum()),
        centre=sites.linear - sites.precision * centre,
        gamma=gamma,
        log_sigma=by_log_sigma(covariance, mean, sigma),
        sites=sites,
        covariance=covariance,
    )


def bend_by_precisions(batch: Batch, votes: Votes, sigma: float, sites: Sites) -> Array:
    """Return (B, d, d) what Laplace's log det adds to the information on the nodes' log-worths."""
    # With worths the mode moves, log-odds by dx = Aᵀ (S/σ²) dθ, and with it the precisions −ℓ″. The
    # second derivative of −½ log det(I + σ² M) by x is, with P = Aᵀ S A,
    #     diag(½ P_cc ℓ⁗_c + ½ (P diag(P) ℓ‴)_c ℓ‴_c) + ½ ℓ‴_c P_ck² ℓ‴_k.
    # The squares are expanded into products of S and of ℓ‴ between nodes (T, antisymmetric): no P.
    covariance, mean, _ = invert(batch, sites, sigma)
    deviation, spread = batch.differ(mean), batch.spread(covariance)
    at = slopes(votes, deviation)
    turned = batch.differ(_times(covariance, batch.gather(spread * at.xxx / 2)))
    lean = (votes.net - 2 * at.x) / votes.n
    other = lean**2 - 4 * at.xx / votes.n
    fourth = other - 3 * other**2 - 4 * lean**2 + 12 * lean**2 * other - 6 * lean**4
    bent = batch.precision(spread * -votes.n * fourth / 32 + turned * at.xxx, 0.0)
    turns = batch.antisymmetric(at.xxx)
    rows, squares, across = turns.sum(axis=2), covariance**2, turns @ covariance
    half = (turns @ squares - 2 * covariance * across) * rows[:, None, :]
    half -= 2 * turns @ (covariance * _turn(across))
    pairs = half + _turn(half) + 2 * across * _turn(across)
    pairs += squares * rows[:, :, None] * rows[:, None, :] + turns @ squares @ _turn(turns)
    pairs += 2 * covariance * (turns @ _turn(across))
    share = covariance / sigma**2
    return np.asarray(-share @ (bent + pairs / 2) @ share)


def _turn(matrices: Array) -> Array:
    return matrices.transpose(0, 2, 1)


def find_mode(
    batch: Batch,
    votes: Votes,
    sigma: float,
    *,
    start: Sites | None = None,
    flat: float = MODE_TOLERANCE,
) -> Array:
    """Return (B, d) tastes u at which prior and answers together are likeliest (Newton)."""
    ridge = sigma**-2
    flat_start = np.zeros((batch.size, batch.width))
    mean = flat_start if start is None else invert(batch, start, sigma)[1]
    value = _height(batch, votes, mean, ridge)
    for _ in range(MAX_PASSES):
        at = slopes(votes, batch.differ(mean))
        gradient = batch.gather(at.x) - ridge * mean
        solved = np.linalg.solve(batch.precision(-at.xx, ridge), gradient[..., None])
        step: Array = np.asarray(solved[..., 0], dtype=np.float64)
        if float((gradient * step).sum(axis=1).max()) < flat:
            return mean + step
        # the step of every block that does not lose by it; half of the others'
        length = np.ones(batch.size)
        for _ in range(40):
            there = mean + length[:, None] * step
            height = _height(batch, votes, there, ridge)
            short = height < value - 1e-12 * (1.0 + np.abs(value))
            if not short.any():
                break
            length = np.where(short, length / 2, length)
        mean, value = there, height
    raise NotConverged("the modes of judges' tastes were not found")


def _height(batch: Batch, votes: Votes, mean: Array, ridge: float) -> Array:
    """Return (B,) log-densities of answers and tastes, constants apart."""
    answers = batch.sums(votes.values(batch.differ(mean)))
    return np.asarray(answers - ridge / 2 * (mean**2).sum(axis=1))


def _value(sites: Sites, sigma: float, log_det: Array, centre: Array, width: int) -> float:
    """Return −½ log det(I + σ² M) + ½ Σ b ē."""
    scaled = log_det.sum() + 2 * np.log(sigma) * width * len(log_det)
    return float((sites.linear * centre).sum() - scaled) / 2


def by_log_sigma(covariance: Array, mean: Array, sigma: float) -> float:
    trace = np.trace(covariance, axis1=1, axis2=2).sum()
    return float((trace + (mean**2).sum()) / sigma**2 - mean.size)


def _times(matrices: Array, vectors: Array) -> Array:
    return np.asarray((matrices @ vectors[..., None])[..., 0])


# The likelihood of all judges' answers, their tastes integrated out, with its derivatives.
#
# Parameters come in this order: log-worths θ of all systems but the reference, γ where ties are an
# outcome, log σ. The information on θ is that of the Gaussian sites, Σ_l (I − S/σ²)/σ² on the
# systems of each block, by Laplace's method with what varies with θ (`bend_by_precisions`; how far
# it matters: docs/models/random-judges.md). Rows of γ and log σ are differences of exact gradients.

Method = Literal["corrected", "laplace"]
# Entries from which integrals and maximum are found to a hundredth of a standard error
MAX_FINE_ENTRIES: Final = 100_000
# Where the passes of the integrals end, what may be left to gain, relative to |log-likelihood|
# (less where the integrals are exact), the same in nats for the worths at a given σ, and nodes of
# the quadrature over one difference
FINE: Final = (1e-9, 1e-14, 1e-6, 21)
ROUGH: Final = (1e-5, 1e-10, 0.05, 11)
BATCHES: Final = 60  # Batches that stand for all where the maximum is first looked for
# Half the distance of γ or log σ between which gradients are differenced
DIFFERENCE_STEP: Final = 1e-2


@dataclass(frozen=True, eq=False)
class Point:
    value: float  # log-likelihood (nats)
    gradient: Array  # (p,) its derivatives
    slope: float  # that by log σ
    state: Sites  # those of all entries there, of the log-odds x, a start for a point nearby
    worths: Array | None  # (K − 1, K − 1) information on θ; None unless asked for
    bends: Array | None  # (K − 1, K − 1) its derivative by log σ, sites held; None unless asked for
    log_sigma: float  # information on log σ of the Gaussian sites; 0 unless asked for


@dataclass(frozen=True, eq=False)
class Panel:
    n_systems: int  # K
    reference: int  # code of the system with θ = 0
    blocks: Blocks  # connected parts of each judge's comparisons
    left: Integers  # (C,) system of each entry, in the blocks' order
    right: Integers  # (C,) the other
    counts: Array  # (C, 3) left, tie, right
    system: Integers  # (slots,) system of each place for a node; K where it is not filled
    judge: Integers  # (slots,) judge of each place; J where it is not filled
    ties: bool  # whether γ is a parameter
    method: Method  # how tastes are integrated out
    # how little a mean (in standard deviations) or variance (relative) may still move
    settled: float
    tolerance: float  # what may be left to gain at the maximum, relative to |log-likelihood|
    left_over: float  # the same in nats, for worths and γ at a given σ; what is left is added up
    nodes: int  # nodes of the quadrature over one difference
    # how many batches each batch stands for, itself included; 0 where another does
    weights: tuple[float, ...]

    @property
    def size(self) -> int:
        return self.n_systems + self.ties

    @property
    def scale(self) -> Array:
        """(p − 1,) what turns log-worths and γ into estimates: log-worths into λ."""
        return np.repeat([0.5, 1.0], [self.n_systems - 1, int(self.ties)])

    def thinned(self) -> Panel:
        """Return the panel with some batches standing for all; itself where there are few."""
        return replace(self, weights=self.blocks.weigh_sample(BATCHES))

    def parts(self, beta: Array) -> tuple[Array, float | None, float]:
        """Take a parameter vector apart: (K,) θ, γ or None, σ."""
        theta = np.insert(beta[: self.n_systems - 1], self.reference, 0.0)
        return theta, float(beta[-2]) if self.ties else None, float(np.exp(beta[-1]))

    def votes(self, batch: Batch, theta: Array, gamma: float | None) -> Votes:
        won, tied, lost = self.counts[batch.entries].T
        left, right = self.left[batch.entries], self.right[batch.entries]
        centre = theta[left] - theta[right]
        return Votes(won - lost, tied, won + tied + lost, centre, gamma, self.nodes)

    def expand(self, beta: Array, start: Sites | None, *, information: bool = False) -> Point:
        theta, gamma, sigma = self.parts(beta)
        integrate = integrate_corrected if self.method == "corrected" else integrate_laplace
        by_entry = np.zeros(len(self.left))  # by itself: a state that is kept must not hold it
        precision, linear = np.zeros((2, len(self.left)))
        tables = np.zeros((2, (self.n_systems + 1) ** 2)) if information else None
        sums = np.zeros(4)
        for batch, weight in zip(self.blocks.batches, self.weights, strict=True):
            if not weight:
                continue
            votes, rows = self.votes(batch, theta, gamma), batch.entries
            sites = None if start is None else shift_sites(start, batch, votes)
            piece = integrate(batch, votes, sigma, sites, self.settled)
            by_entry[rows], precision[rows] = weight * piece.centre, piece.sites.precision
            linear[rows] = piece.sites.linear + piece.sites.precision * votes.centre
            sums[:3] += weight * np.array((piece.value, piece.gamma, piece.log_sigma))
            if tables is not None:
                # the batch's information on worths, and its derivative
                share = np.eye(batch.width) - piece.covariance / sigma**2
                # matrix by matrix, a symmetric one times itself costs half; of narrow ones the loop
                # is dear
                alone = batch.size == 1
                squares = np.stack([one @ one.T for one in share]) if alone else share @ share
                places = self._places(batch)
                for row, values in enumerate((share, -2 * squares)):
                    added = np.bincount(places, values.reshape(-1), minlength=tables.shape[1])
                    tables[row] += weight / sigma**2 * added
                sums[3] += float(2 * weight * (share**2).sum())
        k = self.n_systems
        by_system = np.bincount(self.left, by_entry, minlength=k)
        by_system = by_system - np.bincount(self.right, by_entry, minlength=k)
        extras = sums[1:3] if self.ties else sums[2:3]
        return Point(
            value=float(sums[0]),
            gradient=np.concatenate((np.delete(by_system, self.reference), extras)),
            slope=float(sums[2]),
            state=Sites(precision, linear),
            worths=None if tables is None else self._among_worths(tables[0]),
            bends=None if tables is None else self._among_worths(tables[1]),
            log_sigma=float(sums[3]),
        )

    def _places(self, batch: Batch) -> Integers:
        """Return where the numbers of a batch's matrices stand in a table of all systems."""
        codes = self.system[batch.nodes].reshape(batch.size, batch.width)
        return (codes[:, :, None] * (self.n_systems + 1) + codes[:, None, :]).reshape(-1)

    def _among_worths(self, table: Array) -> Array:
        k = self.n_systems
        inner = table.reshape(k + 1, k + 1)[:k, :k]
        return np.delete(np.delete(inner, self.reference, axis=0), self.reference, axis=1)

    def inform_worths(self, beta: Array, here: Point) -> Array:
        """Return (K − 1, K − 1) information on θ at a point expanded with information."""
        assert here.worths is not None
        if self.method == "corrected":
            return here.worths
        theta, gamma, sigma = self.parts(beta)
        table = np.zeros((self.n_systems + 1) ** 2)
        for batch, weight in zip(self.blocks.batches, self.weights, strict=True):
            if weight:
                votes = self.votes(batch, theta, gamma)
                sites = shift_sites(here.state, batch, votes)
                bends = weight * bend_by_precisions(batch, votes, sigma, sites)
                table += np.bincount(self._places(batch), bends.reshape(-1), minlength=len(table))
        return here.worths + self._among_worths(table)

    def information(self, beta: Array, here: Point) -> Array:
        """Return (p, p) minus the second derivatives at a point expanded with information."""
        p, k = self.size, self.n_systems
        full = np.zeros((p, p))
        full[: k - 1, : k - 1] = self.inform_worths(beta, here)
        for at in range(k - 1, p):
            step = np.zeros(p)
            step[at] = DIFFERENCE_STEP
            ahead = self.expand(beta + step, here.state).gradient
            behind = self.expand(beta - step, here.state).gradient
            full[at] = (behind - ahead) / (2 * DIFFERENCE_STEP)
        full[: k - 1, k - 1 :] = full[k - 1 :, : k - 1].T
        full[k - 1 :, k - 1 :] = (full[k - 1 :, k - 1 :] + full[k - 1 :, k - 1 :].T) / 2
        return full


def shift_sites(state: Sites, batch: Batch, votes: Votes) -> Sites:
    """Return the sites of a batch, as functions of deviations from the mean judge."""
    precision = state.precision[batch.entries]
    return Sites(precision, state.linear[batch.entries] - precision * votes.centre)


def make_panel(tally: Tally, judge: Integers, reference: int, method: Method) -> Panel:
    """Sort the entries of a tally into blocks; (C,) judge of each entry, from 0."""
    k = len(tally.systems)
    key = judge.astype(np.int64) * k
    sides = np.concatenate((key + tally.left, key + tally.right))
    seen, node = np.unique(sides, return_inverse=True)
    left, right = node[: len(key)], node[len(key) :]
    blocks = make_blocks(len(seen), left, right)
    system = np.full(blocks.slots, k, dtype=np.intp)
    owner = np.full(blocks.slots, int(judge.max()) + 1, dtype=np.intp)
    settled, tolerance, left_over, nodes = FINE if len(key) <= MAX_FINE_ENTRIES else ROUGH
    system[blocks.place], owner[blocks.place] = seen % k, seen // k
    return Panel(
        n_systems=k,
        reference=reference,
        blocks=blocks,
        left=tally.left[blocks.order].astype(np.intp),
        right=tally.right[blocks.order].astype(np.intp),
        counts=np.asfortranarray(tally.counts[blocks.order]),
        system=system,
        judge=owner,
        ties=bool(tally.ties.any()),
        method=method,
        settled=settled,
        tolerance=1e-18 if method == "laplace" else tolerance,
        left_over=left_over,
        nodes=nodes,
        weights=(1.0,) * len(blocks.batches),
    )


# Where the fit of judges' tastes begins: all judges pooled, and σ from what they share.
#
# At σ = 0 the model is Bradley and Terry's. With r the score residual of an answer by its log-odds,
# w its variance, and S_l, H_l the sums of r a and w a aᵀ over the answers of a judge:
#
# σ² ≈ Σ_l ‖S_l‖² − Σ r² ‖a‖²  over  Σ_l ‖H_l‖² − Σ w² ‖a aᵀ‖²
# slope of the log-likelihood by σ² at 0 = ½ Σ_l (‖S_l‖² − tr H_l)
#
# Only products of two answers of one judge enter the first, so that it needs no model of variances;
# answers being less decided than tastes, it is raised by 1 + 2c²σ² with c² = .3456. Where the slope
# is not positive the likelihood is largest at σ = 0.

# c²: a logistic curve averaged over a normal of variance s² is about one on x / √(1 + c² s²)
SOFTER: Final = 0.3456
MIN_START_SIGMA: Final = 0.1  # A σ to begin with where the slope is positive but the ratio is not


@dataclass(frozen=True, eq=False)
class Peak:
    """Of the likelihood; where all judges are taken for one, σ is 0 and judgments independent."""

    beta: Array  # (p,) log-worths, γ, log σ; without log σ where σ is 0
    sigma: float  # σ
    loglik: float  # log-likelihood (nats)
    vcov: Array  # covariance of `beta`
    point: Point | None  # the likelihood there; None where σ is 0


@dataclass(frozen=True, eq=False)
class Dispersion:
    """What the answers say of σ before anything is integrated."""

    slope: float  # derivative of the log-likelihood by σ² at 0
    bend: float  # information on σ² there
    shared: float  # Σ_l ‖S_l‖² − Σ r² ‖a‖², what different answers of one judge share
    scale: float  # Σ_l ‖H_l‖² − Σ w² ‖a aᵀ‖², what σ² = 1 would have them share, to first order

    @property
    def sigma(self) -> float:
        """A first estimate of σ, where the slope is positive."""
        return float(np.clip(soften(self.ratio(0.0)), MIN_START_SIGMA, 3.0))

    def ratio(self, more: float) -> float:
        """Return σ² to first order if answers of one judge shared so much more; 0 at least."""
        return max(self.shared + more, 0.0) / self.scale if self.scale > 0 else 0.0


def pool_judges(tally: Tally, reference: int, *, ties: bool) -> Peak:
    law = Davidson() if ties else TwoOutcomes()
    likelihood = plain_likelihood(tally.pool(), reference, law)
    peak = likelihood.maximise()
    scale = np.full(likelihood.size, 2.0)  # λ is half of a log-worth
    scale[likelihood.n_worths :] = 1.0
    vcov = invert_positive(peak.expansion.information) * scale * scale[:, None]
    return Peak(peak.at * scale, 0.0, peak.expansion.value, vcov, None)


def find_dispersion(panel: Panel, pooled: Peak) -> Dispersion:
    theta, gamma, _ = panel.parts(np.append(pooled.beta, 0.0))
    shared, singles, products, squares, trace = np.zeros(5)
    for batch in panel.blocks.batches:
        votes = panel.votes(batch, theta, gamma)
        at = slopes(votes, np.zeros_like(votes.centre))
        weight = -at.xx
        shared += float((batch.gather(at.x) ** 2).sum())
        products += float((batch.precision(weight, 0.0) ** 2).sum())
        trace += 2 * float(weight.sum())
        # Σ r² of single answers; `at.x` sums r by entry
        counts = panel.counts[batch.entries]
        mean = ((counts[:, 0] - counts[:, 2]) / 2 - at.x) / votes.n
        residuals = np.array([0.5, 0.0, -0.5]) - mean[:, None]
        singles += 2 * float((counts * residuals**2).sum())
        squares += 4 * float((weight**2 / votes.n).sum())
    slope = (shared - trace) / 2
    return Dispersion(slope, products / 2, shared - singles, products - squares)


def soften(ratio: float) -> float:
    """Return σ from σ² to first order: answers are less decided than tastes."""
    return sqrt(ratio * (1 + 2 * SOFTER * ratio))


def stretch(pooled: Peak, sigma: float, *, ties: bool) -> Array:
    """Return the pooled parameters with worths as far apart as they are to a judge with tastes."""
    beta = pooled.beta.copy()
    beta[: len(beta) - ties] *= np.sqrt(1 + 2 * SOFTER * sigma**2)
    return beta


# Where the likelihood of judges' answers is largest, and whether σ may be 0.
#
# σ = 0 is the edge of the parameter's range: the likelihood-ratio statistic against it is half the
# time 0, half the time χ²₁ (Self & Liang 1987, JASA 82:605-610).

# A σ beyond which nothing is looked for: judges then pick their favourite in 94 % of answers
MAX_SIGMA: Final = 6.0
# What may be done where hardly any judge contradicts himself or herself
REMEDIES: Final = (
    "let judges answer more, and show them some pairs again",
    "fit without random judges",
)


def find_peak(panel: Panel, pooled: Peak, dispersion: Dispersion) -> Peak:
    if dispersion.slope <= 0:
        return pooled
    # of very many judges some stand for all at first, and for the second derivatives by γ and σ
    some, n_worths = panel.thinned(), panel.n_systems - 1
    start = stretch(pooled, dispersion.sigma, ties=panel.ties)
    start = np.append(start, np.log(dispersion.sigma))
    here = some.expand(start, None, information=True)
    guess = np.zeros((panel.size, panel.size))  # without what joins γ and σ to the worths
    guess[:n_worths, :n_worths] = here.worths
    if panel.ties:
        guess[-2, -2] = 1 / pooled.vcov[-1, -1]
    guess[-1, -1] = max(here.log_sigma, 1.0)
    beta, point = _climb_panel(some, (start, here), guess)
    information = some.information(beta, point)
    if some.weights != panel.weights:
        beta, point = _climb_panel(panel, (beta, panel.expand(beta, None)), information)
        information[:n_worths, :n_worths] = panel.inform_worths(beta, point)
    return Peak(beta, float(np.exp(beta[-1])), point.value, invert_positive(information), point)


def _climb_panel(panel: Panel, start: tuple[Array, Point], guess: Array) -> tuple[Array, Point]:
    beta, here, _ = climb(
        lambda at, before: panel.expand(at, before.state),
        start,
        guess,
        tolerance=panel.tolerance,
        reach=lambda step: float(max(np.abs(step[:-1]).max() / 3.0, np.abs(step[-1]) / 0.7)),
    )
    return beta, panel.expand(beta, here.state, information=True)


def explain_lost(lost: NotConverged, panel: Panel, pooled: Peak) -> NotConverged:
    start = np.append(stretch(pooled, MAX_SIGMA, ties=panel.ties), np.log(MAX_SIGMA))
    try:
        rising = panel.expand(start, None).slope > 0
    except NotConverged:
        rising = False
    if not rising:
        return NotConverged(f"σ was not found: {lost.fault}", [*lost.remedies, *REMEDIES])
    return NotConverged(
        f"σ was not found: the likelihood still rises at σ = {MAX_SIGMA:g}, beyond which"
        " nothing is looked for, since hardly any judge contradicts himself or herself",
        REMEDIES,
    )


# How much less decided all judges together are than one judge: the difference between wins and
# losses expected of judges with log-odds N(x, 2σ²) rises, at x = 0, as that of a judge at x / s,
#
# 1/s(σ) = E v(√2 σ z) / v(0),    v(x) = P(left) + P(right) − (P(left) − P(right))²,  z ~ N(0, 1)
#
# so that θ/s hardly depends on σ, given the answers. Zeger, Liang & Albert (1988), Biometrics
# 44:1049-1060, match the whole logistic curve instead: √(1 + 2c²σ²) with c² = .3456.

_STEP = 1e-4


def find_softening(log_sigma: float, gamma: float | None) -> tuple[float, float]:
    """Return log s at one log σ, and its derivative by log σ."""
    nu = 0.0 if gamma is None else exp(gamma)
    z = np.linspace(-9.0, 9.0, 4001)
    density = np.exp(-(z**2) / 2)
    logs = []  # of E v, by a fine sum: v is narrow where σ is large
    for at in (log_sigma, log_sigma + _STEP, log_sigma - _STEP):
        root = np.exp(-np.abs(sqrt(2) * exp(at) * z) / 2)
        weak = root * root
        total = 1 + weak + nu * root
        spread = (1 + weak) / total - ((1 - weak) / total) ** 2
        logs.append(float(np.log((density * spread).sum() / density.sum())))
    here, ahead, behind = logs
    return log(2 / (2 + nu)) - here, (behind - ahead) / (2 * _STEP)
