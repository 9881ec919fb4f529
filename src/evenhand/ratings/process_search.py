"""How sure the parameters of a judge process are: a normal around the likeliest ones (Laplace).

    θ | y ≈ N(θ̂, H⁻¹),    H = −∂² (log evidence + log prior) at θ̂

H is found by differences of the analytic gradient, beyond `MAX_CURVED` ratings of so many of them.
Turning W changes neither evidence nor prior, so that no width is given to turns. Along other
directions the width is at most √2 times the prior's. Source: MacKay (1992), Neural Computation
4:415-447.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.gaussian_process import (
    Evidence,
    Points,
    Posterior,
    correlate,
    pull_back,
    weigh_exactly,
    weigh_inducing,
)
from evenhand.numerics.newton import climb, one_blas_thread

# How judges' functions go together: parameters of the covariance, and its derivatives.
#
# Cov[f_d(x), f_d'(x')] = B_dd' k(x, x') + v [d = d'] + 1        noise σ_d²
#
# low rank    B = W Wᵀ + diag(κ)      what judges share, and what each has alone
# none        B = diag(κ)             a process for each judge
# full        B = s² 1 1ᵀ             one process for all judges
#
# v is the variance of the judges' means β_d and 1 that of the mean of all, on standardised ratings:
# both means are integrated out.

Sharing = Literal["low rank", "none", "full"]

SHARINGS: Final[tuple[Sharing, ...]] = ("low rank", "none", "full")
MEAN_VARIANCE: Final = 1.0  # Of the mean of all judges before the data, in variances of the ratings


@dataclass(frozen=True)
class Layout:
    """Where parameters lie in one vector; all but the loadings are logarithms."""

    sharing: Sharing  # of SHARINGS
    judges: int  # number D of judges
    rank: int  # number of columns of W
    scales: int  # number of length scales
    means: bool  # whether judges have means of their own
    noises: bool  # whether judges have noise of their own

    def sizes(self) -> dict[str, int]:
        """Return the parts of the vector, in order."""
        loadings = {"low rank": self.judges * self.rank, "none": 0, "full": 1}[self.sharing]
        return {
            "loadings": loadings,
            "private": 0 if self.sharing == "full" else self.judges,
            "scales": self.scales,
            "noise": self.judges if self.noises else 1,
            "centre": int(self.noises),
            "spread": int(self.means),
        }

    def split(self, vector: Array) -> dict[str, Array]:
        ends = np.cumsum(list(self.sizes().values()))[:-1]
        return dict(zip(self.sizes(), np.split(vector, ends), strict=True))

    def join(self, parts: dict[str, Array]) -> Array:
        return np.concatenate([parts[name].ravel() for name in self.sizes()])


@dataclass(frozen=True, eq=False)
class JudgedPoints:
    judge: Integers  # (n,) code of the judge
    points: Points  # n outputs' features

    def __len__(self) -> int:
        return len(self.judge)

    def take(self, rows: NDArray[np.integer] | Flags) -> JudgedPoints:
        return JudgedPoints(self.judge[rows], self.points.take(rows))


@dataclass(frozen=True, eq=False)
class Coregion:
    loadings: Array  # (D, R) W
    private: Array  # (D,) κ
    log_scales: Array  # (P + L,) log ℓ
    noise: Array  # (D,) σ²
    spread: float  # v

    @property
    def similarity(self) -> Array:
        return self.loadings @ self.loadings.T + np.diag(self.private)

    @property
    def correlation(self) -> Array:
        b = self.similarity
        root = np.sqrt(np.diag(b))
        return np.asarray(b / np.multiply.outer(root, root))

    def covariance(self, a: JudgedPoints, b: JudgedPoints) -> tuple[Array, Array]:
        """Return the (n, m) covariances of rows with rows, and their k."""
        k = correlate(a.points, b.points, self.log_scales)
        covariance = self.similarity[np.ix_(a.judge, b.judge)]
        covariance *= k
        covariance += MEAN_VARIANCE
        if self.spread:
            covariance += self.spread * (a.judge[:, None] == b.judge)
        return covariance, k

    def variances(self, a: JudgedPoints) -> Array:
        return np.asarray(np.diag(self.similarity)[a.judge] + self.spread + MEAN_VARIANCE)


# Derivatives by the (D, D) entries of B, by (P + L,) log ℓ, and by v
Slopes = tuple[Array, Array, float]


def find_slopes(
    at: Coregion, slope: Array, rows: tuple[JudgedPoints, JudgedPoints], k: Array
) -> Slopes:
    """Return derivatives, given (n, m) those by the covariances of rows; their k is overwritten."""
    (a, b), judges = rows, np.arange(len(at.noise))
    # (n, D) columns that are 1 where a row is of the judge
    first, second = (np.asarray(one.judge[:, None] == judges, dtype=np.float64) for one in rows)
    spread = float(np.einsum("nd,nd->", first, slope @ second))
    k *= slope
    similarity = first.T @ (k @ second)
    k *= at.similarity[np.ix_(a.judge, b.judge)]
    return similarity, pull_back(k, a.points, b.points, at.log_scales), spread


def read_parameters(layout: Layout, vector: Array) -> Coregion:
    parts, d = layout.split(vector), layout.judges
    loadings, private = np.zeros((d, 0)), np.exp(parts["private"])
    if layout.sharing == "low rank":
        loadings = parts["loadings"].reshape(d, -1)
    elif layout.sharing == "full":
        loadings, private = np.full((d, 1), np.exp(parts["loadings"][0])), np.zeros(d)
    noise = np.broadcast_to(np.exp(parts["noise"]), (d,))
    spread = float(np.exp(parts["spread"][0])) if layout.means else 0.0
    return Coregion(loadings, private, parts["scales"], noise, spread)


# What is held likely of a judge process before the data; ratings and features are standardised.
#
# log κ_d ~ N(log .1, 1)              log .5 where judges share nothing
# log σ_d² ~ N(c, .7²), c ~ N(log .5, 1)      log σ² ~ N(log .5, 1) where judges have one noise
# log ℓ ~ N(log √(2 P), 1) for numbers, N(0, 1) for labels
# columns of W ~ N(0, .5² I + .7² 1 1ᵀ)       log s ~ N(log .7, 1) where judges share all
# log v ~ N(log .3, 1)
#
# At ℓ = √(2 P) two outputs drawn at random are a distance of 1 apart. The prior of W says that
# judges lean the same way, and does not change when W is rotated, as nothing else does.
# These priors are ours.

PRIVATE: Final = {"low rank": log(0.1), "none": log(0.5), "full": 0.0}
NOISE: Final = log(0.5)
NOISE_SD: Final = 0.7
STRENGTH: Final = log(0.7)
SPREAD: Final = log(0.3)
OWN: Final = 0.5
TOGETHER: Final = 0.7


def weigh_parameters(layout: Layout, vector: Array, numbers: int) -> tuple[float, Array]:
    """Return the log density of a (p,) vector of parameters (nats), and its gradient."""
    parts = layout.split(vector)
    centre, width = (parts["centre"], NOISE_SD) if layout.noises else (np.array([NOISE]), 1.0)
    off = {
        "loadings": parts["loadings"] - (STRENGTH if layout.sharing == "full" else 0.0),
        "private": parts["private"] - PRIVATE[layout.sharing],
        "scales": parts["scales"] - usual_scales(layout.scales, numbers),
        "noise": parts["noise"] - centre,
        "centre": parts["centre"] - NOISE,
        "spread": parts["spread"] - SPREAD,
    }
    away = {**off, "noise": off["noise"] / width**2}  # precisions times distances
    if layout.sharing == "low rank":
        w = parts["loadings"].reshape(layout.judges, layout.rank)
        share = TOGETHER**2 / (OWN**2 + layout.judges * TOGETHER**2)
        away["loadings"] = np.asarray((w - share * w.sum(axis=0)) / OWN**2).ravel()
    names = ("private", "scales", "centre", "spread", "noise", "loadings")
    value = -0.5 * sum(float(away[name] @ off[name]) for name in names)
    if layout.noises:
        away["centre"] = away["centre"] - away["noise"].sum()
    return value, -layout.join(away)


def usual_scales(scales: int, numbers: int) -> Array:
    return np.where(np.arange(scales) < numbers, 0.5 * log(2 * max(numbers, 1)), 0.0)


def start_parameters(layout: Layout, numbers: int, rng: np.random.Generator) -> Array:
    """Return where a fit begins: near the priors, columns of W apart by chance."""
    loadings = rng.normal(0.0, 0.2, (layout.judges, layout.rank))
    loadings[:, 0] = 0.6 + 0.25 * loadings[:, 0]
    first = {"low rank": loadings.ravel(), "none": np.zeros(0), "full": np.array([STRENGTH])}
    usual = {"private": PRIVATE[layout.sharing], "noise": NOISE, "centre": NOISE, "spread": SPREAD}
    parts = {name: np.full(layout.sizes()[name], value) for name, value in usual.items()}
    scales = usual_scales(layout.scales, numbers)
    return layout.join({**parts, "loadings": first[layout.sharing], "scales": scales})


def draw_correlations(rank: int, size: int, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    common = TOGETHER * rng.standard_normal((size, rank, 1))
    w = common + OWN * rng.standard_normal((size, rank, 2))
    private = np.exp(PRIVATE["low rank"] + rng.standard_normal((size, 2)))
    root = np.sqrt(((w**2).sum(axis=1) + private).prod(axis=1))
    return np.asarray((w[:, :, 0] * w[:, :, 1]).sum(axis=1) / root)


# The search for the likeliest parameters of a judge process: evidence and prior, with gradients.
#
# The surface is climbed by BFGS (numerics/newton.py). Where there are many ratings a
# spread-out part of them is climbed first, which costs little and leaves few steps for the whole.

FIRST_PART: Final = 500  # Ratings of the part that is climbed first
TOLERANCE: Final = 1e-4  # What the gain to come may be, relative to the log evidence
# Of the noise, whose variance goes to 0 where judges repeat themselves to the point
MIN_NOISE: Final = 1e-6


@dataclass(frozen=True, eq=False)
class Surface:
    value: float  # their sum, in nats
    gradient: Array  # (p,) its derivatives
    evidence: Evidence  # with the posterior of the functions
    at: Coregion  # the covariance
    vector: Array  # (p,) the parameters


@dataclass(frozen=True, eq=False)
class Problem:
    layout: Layout  # of the parameters
    judged: JudgedPoints  # n rows, who rated what
    y: Array  # (n,) standardised ratings
    inducing: JudgedPoints | None = None  # rows that others depend on; None: exact

    @property
    def support(self) -> JudgedPoints:
        return self.judged if self.inducing is None else self.inducing

    def expand(self, vector: Array) -> Surface:
        at, rows = read_parameters(self.layout, vector), self.judged
        evidence, near, nearest = self._observe(at)
        parts = [find_slopes(at, evidence.cross, (rows, self.support), near)]
        if nearest is not None and evidence.inner is not None and evidence.diagonal is not None:
            parts.append(find_slopes(at, evidence.inner, (self.support, self.support), nearest))
            # by the variances of rows
            sums = np.bincount(rows.judge, evidence.diagonal, len(at.noise)).astype(float)
            total = float(evidence.diagonal.sum())
            parts.append((np.diag(sums), np.zeros(len(at.log_scales)), total))
        noise = np.bincount(rows.judge, evidence.noise, self.layout.judges).astype(np.float64)
        prior, along = weigh_parameters(self.layout, vector, rows.points.numbers.shape[1])
        # derivatives by the vector of parameters, noise (D,) being that by each σ²
        layout, (similarity, scales, spread) = self.layout, parts[0]
        for more in parts[1:]:
            similarity, scales = similarity + more[0], scales + more[1]
            spread += more[2]
        mirrored = similarity + similarity.T
        loadings, private = mirrored @ at.loadings, np.diag(similarity) * at.private
        if layout.sharing == "full":
            loadings = np.array([0.5 * float(mirrored.sum()) * 2.0 * at.loadings[0, 0] ** 2])
            private = np.zeros(0)
        elif layout.sharing == "none":
            loadings = np.zeros(0)
        by_log = noise * at.noise
        slopes = {
            "loadings": loadings,
            "private": private,
            "scales": scales,
            "noise": by_log if layout.noises else by_log.sum(keepdims=True),
            "centre": np.zeros(int(layout.noises)),
            "spread": np.array([spread * at.spread] if layout.means else []),
        }
        gradient = layout.join(slopes) + along
        return Surface(evidence.value + prior, gradient, evidence, at, vector)

    def weigh(self, at: Coregion) -> Posterior:
        return self._observe(at)[0].posterior

    def _observe(self, at: Coregion) -> tuple[Evidence, Array, Array | None]:
        """Return the evidence, k of the rows with the support, and k of inducing rows if any."""
        rows, noise = self.judged, at.noise[self.judged.judge] + MIN_NOISE
        cross, near = at.covariance(rows, self.support)
        if self.inducing is None:
            return weigh_exactly(cross, noise, self.y), near, None
        inner, nearest = at.covariance(self.inducing, self.inducing)
        evidence = weigh_inducing(cross, inner, at.variances(rows), noise, self.y)
        return evidence, near, nearest

    def climb(self, start: Array) -> tuple[Array, Surface]:
        # a rough guess of minus the second derivatives: half a unit for each rating
        layout, sizes = self.layout, self.layout.sizes()
        n = np.bincount(self.judged.judge, minlength=layout.judges).astype(np.float64)
        by_judge, total = 1.0 + 0.3 * n, (1.0 + 0.3 * n).sum(keepdims=True)
        loadings = np.repeat(by_judge, layout.rank) if sizes["loadings"] > 1 else total
        guess = {
            "loadings": 2.0 * loadings[: sizes["loadings"]],
            "private": 0.3 * by_judge[: sizes["private"]],
            "scales": np.full(sizes["scales"], 1.0 + 0.1 * n.sum()),
            "noise": 2.0 + by_judge if layout.noises else 2.0 + total,
            "centre": np.full(sizes["centre"], 1.0 + 2.0 * layout.judges),
            "spread": np.full(sizes["spread"], 1.0 + 0.5 * layout.judges),
        }
        top, _, _ = climb(
            lambda vector, _: self.expand(vector),
            (start, self.expand(start)),
            np.diag(layout.join(guess)),
            tolerance=TOLERANCE,
            reach=lambda step: float(np.abs(step).max()),
        )
        return top, self.expand(top)


def search(problem: Problem, rng: np.random.Generator) -> Surface:
    layout = problem.layout
    at = start_parameters(layout, problem.judged.points.numbers.shape[1], rng)
    if len(problem.y) > 2 * FIRST_PART:
        part = sample_evenly(problem.judged.judge, FIRST_PART, rng)
        at, _ = Problem(layout, problem.judged.take(part), problem.y[part]).climb(at)
    return problem.climb(at)[1]


def sample_evenly(judge: Integers, size: int, rng: np.random.Generator) -> Integers:
    """Return sorted rows, drawn by chance, as evenly over judges as their ratings allow."""
    order = rng.permutation(len(judge))
    by_judge = order[np.argsort(judge[order], kind="stable")]
    starts = np.cumsum(np.bincount(judge)) - np.bincount(judge)
    turn = np.arange(len(judge)) - starts[judge[by_judge]]
    return np.sort(by_judge[np.argsort(turn, kind="stable")][:size])


MAX_CURVED: Final = 1000  # Ratings whose second derivatives are found
STEP: Final = 1e-4  # Of differences of the gradient
MIN_CURVATURE: Final = 0.5  # In that of the prior


@dataclass(frozen=True, eq=False)
class Uncertainty:
    layout: Layout  # of the parameters
    centre: Array  # (p,) the likeliest
    root: Array  # (p, p) a square root of their covariance

    def draw(self, size: int, seed: int) -> list[Coregion]:
        normal = np.random.default_rng(seed).standard_normal((size, len(self.centre)))
        drawn = self.centre + normal @ self.root.T
        return [read_parameters(self.layout, vector) for vector in drawn]


def find_uncertainty(problem: Problem, centre: Array, seed: int) -> Uncertainty:
    layout, part = problem.layout, Problem(problem.layout, problem.judged, problem.y)
    if len(problem.y) > MAX_CURVED:
        rows = sample_evenly(problem.judged.judge, MAX_CURVED, np.random.default_rng(seed))
        part = Problem(layout, problem.judged.take(rows), problem.y[rows])
    steps = STEP * np.eye(len(centre))
    with one_blas_thread():
        here = part.expand(centre).gradient
        bent = np.array([here - part.expand(centre + step).gradient for step in steps]) / STEP
    # a square root of the prior's covariance: its log density is a square
    numbers = problem.judged.points.numbers.shape[1]
    _, here = weigh_parameters(layout, centre, numbers)
    unit_steps = np.eye(len(centre))
    moved = [here - weigh_parameters(layout, centre + step, numbers)[1] for step in unit_steps]
    root = np.asarray(np.linalg.inv(np.linalg.cholesky(moved)).T)
    whitened = root.T @ (0.5 * (bent + bent.T)) @ root
    projection, turns = np.eye(len(centre)), []  # directions in which W turns
    if layout.sharing == "low rank":
        w = layout.split(centre)["loadings"].reshape(layout.judges, layout.rank)
        for a in range(layout.rank):
            for b in range(a):
                turned = np.zeros_like(w)
                turned[:, a], turned[:, b] = -w[:, b], w[:, a]
                turns.append(np.r_[turned.ravel(), np.zeros(len(centre) - w.size)])
    if turns:
        basis, _ = np.linalg.qr(np.linalg.solve(root, np.array(turns).T))
        projection -= basis @ basis.T
    value, vector = np.linalg.eigh(projection @ whitened @ projection)
    narrowed = vector / np.sqrt(np.maximum(value, MIN_CURVATURE))
    return Uncertainty(layout, centre, root @ projection @ narrowed)


# One function of outputs, learned from some labels: what is each worth, and how sure is that?
#
#     y = m + f(x) + ε        Cov[f(x), f(x')] = s² k(x, x'),  k(x, x) = 1        ε ~ N(0, σ²)
#
# It is the process of `MultiTaskGP` with one judge: squared exponential with a length scale for
# each feature, its mean integrated out, the same priors. What is new is that labels come in
# batches: parameters are learned at stated steps from where the last search ended, and from at most
# so many labels drawn by chance; the posterior always rests on all of them.
#
# Labels are standardised by their own mean and deviation, since others are not known yet.

MIN_LABELS: Final = 3  # Below which parameters stay at their priors


@dataclass(frozen=True)
class Standard:
    mean: float  # in points of the scale
    deviation: float  # likewise

    def standardise(self, score: Array) -> Array:
        return np.asarray((score - self.mean) / self.deviation)


@dataclass(frozen=True, eq=False)
class OutputProcess:
    known: Points  # features of the outputs with labels
    standard: Standard  # constants of the labels
    at: Coregion  # parameters
    posterior: Posterior  # of the function

    @property
    def noise(self) -> float:
        """Variance of one label around the function, on standardised labels."""
        return float(self.at.noise[0]) + MIN_NOISE

    def predict_mean(self, points: Points) -> Array:
        """Return (n,) means alone, in points of the scale: at no more cost than covariances."""
        cross, _ = self.at.covariance(_ask(points), _ask(self.known))
        scale = self.standard.deviation
        return np.asarray(self.standard.mean + scale * (cross @ self.posterior.weights))

    def predict(self, points: Points) -> tuple[Array, Array]:
        """Return (n,) means and standard deviations of the function, in points of the scale."""
        judged = _ask(points)
        cross, _ = self.at.covariance(judged, _ask(self.known))
        mean, variance = self.posterior.predict(cross, self.at.variances(judged))
        scale = self.standard.deviation
        return self.standard.mean + scale * mean, scale * np.sqrt(variance)

    def covariance(self, a: Points, b: Points) -> Array:
        """Return the (n, m) covariances that are left, on standardised labels."""
        judged, other, known = _ask(a), _ask(b), _ask(self.known)
        before, _ = self.at.covariance(judged, other)
        one, _ = self.at.covariance(judged, known)
        two = one if a is b else self.at.covariance(other, known)[0]
        return np.asarray(before - (one @ self.posterior.reduction) @ two.T)

    def correlate(self, a: Points, b: Points) -> Array:
        return correlate(a, b, self.at.log_scales)


def begin(points: Points) -> Array:
    layout, rng = _lay_out(points), np.random.default_rng(0)  # nothing is drawn with one function
    return start_parameters(layout, points.numbers.shape[1], rng)


def relearn(
    points: Points, target: Array, start: Array, most: int, rng: np.random.Generator
) -> Array:
    if len(target) < MIN_LABELS or np.ptp(target) == 0:
        return start
    rows = np.arange(len(target))
    if len(rows) > most:
        rows = np.sort(rng.permutation(rows)[:most])
    y = _standardise(target).standardise(target)
    problem = Problem(_lay_out(points), _ask(points.take(rows)), y[rows])
    try:
        return problem.climb(start)[0]
    except NotConverged:  # a warm start may lie where the surface is flat
        return problem.climb(begin(points))[0]


def condition(points: Points, target: Array, vector: Array) -> OutputProcess:
    layout, standard = _lay_out(points), _standardise(target)
    at = read_parameters(layout, vector)
    posterior = Problem(layout, _ask(points), standard.standardise(target)).weigh(at)
    return OutputProcess(points, standard, at, posterior)


def _standardise(target: Array) -> Standard:
    """Return the constants of labels; labels that are all alike have no deviation to divide by."""
    deviation = float(target.std())
    return Standard(float(target.mean()), deviation if np.ptp(target) > 0 else 1.0)


def _lay_out(points: Points) -> Layout:
    scales = points.numbers.shape[1] + points.labels.shape[1]
    return Layout("full", 1, 1, scales, means=False, noises=False)


def _ask(points: Points) -> JudgedPoints:
    return JudgedPoints(np.zeros(len(points), np.int64), points)
