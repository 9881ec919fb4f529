"""How sure the parameters of a judge process are: a normal around the likeliest ones (Laplace).

    θ | y ≈ N(θ̂, H⁻¹),    H = −∂² (log evidence + log prior) at θ̂

H is found by differences of the analytic gradient, one step for each parameter. Beyond `CURVED`
ratings that of the evidence is taken from so many of them, as evenly over judges as can be: judges
with few ratings keep all of theirs, and of the others less is claimed than is known.

Turning W changes neither evidence nor prior, so that no width is given to turns. Along other
directions the width is at most √2 times the prior's.

Sources: Rasmussen & Williams (2006), section 5.5; MacKay (1992), Neural Computation 4:415-447.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.gaussian_process import (
    Evidence,
    Points,
    Posterior,
    correlate,
    pull_back,
    weigh_exactly,
    weigh_inducing,
)
from evenhand.numerics.newton import climb
from evenhand.numerics.sampling import one_blas_thread

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

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
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
        """Return the parts of the vector, in order.

        >>> Layout("low rank", 3, 2, 1, True, True).sizes()["loadings"]
        6
        """
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
        """Take a vector apart."""
        ends = np.cumsum(list(self.sizes().values()))[:-1]
        return dict(zip(self.sizes(), np.split(vector, ends), strict=True))

    def join(self, parts: dict[str, Array]) -> Array:
        """Put one together."""
        return np.concatenate([parts[name].ravel() for name in self.sizes()])


@dataclass(frozen=True, eq=False)
class Asked:
    """Who was asked about what."""

    judge: Codes  # (n,) code of the judge
    points: Points  # n outputs' features

    def __len__(self) -> int:
        return len(self.judge)

    def take(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> Asked:
        """Keep some rows."""
        return replace(self, judge=self.judge[rows], points=self.points.take(rows))


@dataclass(frozen=True, eq=False)
class Coregion:
    """The covariance at one set of parameters."""

    loadings: Array  # (D, R) W
    private: Array  # (D,) κ
    log_scales: Array  # (P + L,) log ℓ
    noise: Array  # (D,) σ²
    spread: float  # v

    @property
    def similarity(self) -> Array:
        """(D, D) B."""
        return self.loadings @ self.loadings.T + np.diag(self.private)

    @property
    def correlation(self) -> Array:
        """(D, D) B_dd' / √(B_dd B_d'd')."""
        b = self.similarity
        root = np.sqrt(np.diag(b))
        return np.asarray(b / np.multiply.outer(root, root))

    def covariance(self, a: Asked, b: Asked) -> tuple[Array, Array]:
        """Return the (n, m) covariances of rows with rows, and their k."""
        k = correlate(a.points, b.points, self.log_scales)
        found = self.similarity[np.ix_(a.judge, b.judge)]
        found *= k
        found += MEAN_VARIANCE
        if self.spread:
            found += self.spread * (a.judge[:, None] == b.judge)
        return found, k

    def average(self, points: Points, support: Asked) -> tuple[Array, float]:
        """Return (n, m) covariances of the mean of all judges with rows, and its variance."""
        b, judges = self.similarity, len(self.noise)
        found = correlate(points, support.points, self.log_scales)
        found *= b.mean(axis=0)[support.judge]
        found += MEAN_VARIANCE + self.spread / judges
        return found, float(b.mean()) + self.spread / judges + MEAN_VARIANCE

    def own(self, a: Asked) -> Array:
        """Return the (n,) variances of rows."""
        return np.asarray(np.diag(self.similarity)[a.judge] + self.spread + MEAN_VARIANCE)


@dataclass(frozen=True, eq=False)
class Slopes:
    """Derivatives of the log evidence by B, log ℓ and v."""

    similarity: Array  # (D, D) by the entries of B
    scales: Array  # (P + L,) by log ℓ
    spread: float  # by v

    def __add__(self, other: Slopes) -> Slopes:
        return Slopes(
            self.similarity + other.similarity,
            self.scales + other.scales,
            self.spread + other.spread,
        )


def find_slopes(at: Coregion, slope: Array, rows: tuple[Asked, Asked], k: Array) -> Slopes:
    """Return derivatives, given those by the entries of a covariance.

    slope: (n, m) derivative by the covariances of the first rows with the second.
    k: (n, m) their k; overwritten.
    """
    (a, b), judges = rows, len(at.noise)
    first, second = _indicate(a.judge, judges), _indicate(b.judge, judges)
    spread = float(np.einsum("nd,nd->", first, slope @ second))
    k *= slope
    similarity = first.T @ (k @ second)
    k *= at.similarity[np.ix_(a.judge, b.judge)]
    return Slopes(similarity, pull_back(k, a.points, b.points, at.log_scales), spread)


def find_own_slopes(at: Coregion, slope: Array, a: Asked) -> Slopes:
    """Return the same, given (n,) derivatives by the variances of rows."""
    judges = len(at.noise)
    similarity = np.diag(np.bincount(a.judge, slope, judges).astype(np.float64))
    return Slopes(similarity, np.zeros(len(at.log_scales)), float(slope.sum()))


def read_parameters(layout: Layout, vector: Array) -> Coregion:
    """Return the covariance of a vector of parameters."""
    parts, d = layout.split(vector), layout.judges
    loadings = parts["loadings"].reshape(d, -1) if layout.sharing == "low rank" else None
    if layout.sharing == "full":
        loadings = np.full((d, 1), np.exp(parts["loadings"][0]))
    return Coregion(
        np.zeros((d, 0)) if loadings is None else loadings,
        np.exp(parts["private"]) if layout.sharing != "full" else np.zeros(d),
        parts["scales"],
        np.broadcast_to(np.exp(parts["noise"]), (d,)),
        float(np.exp(parts["spread"][0])) if layout.means else 0.0,
    )


def collect_gradient(layout: Layout, at: Coregion, slopes: Slopes, noise: Array) -> Array:
    """Return the derivatives by the vector of parameters.

    noise: (D,) derivative by each judge's σ².
    """
    both = slopes.similarity + slopes.similarity.T
    loadings = both @ at.loadings
    if layout.sharing == "full":
        loadings = np.array([0.5 * float(both.sum()) * 2.0 * at.loadings[0, 0] ** 2])
    by_log = noise * at.noise
    parts = {
        "loadings": loadings if layout.sharing != "none" else np.zeros(0),
        "private": np.diag(slopes.similarity) * at.private,
        "scales": slopes.scales,
        "noise": by_log if layout.noises else by_log.sum(keepdims=True),
        "centre": np.zeros(int(layout.noises)),
        "spread": np.array([slopes.spread * at.spread]),
    }
    if layout.sharing == "full":
        parts["private"] = np.zeros(0)
    if not layout.means:
        parts["spread"] = np.zeros(0)
    return layout.join(parts)


def _indicate(code: Codes, size: int) -> Array:
    """Return the (n, size) columns that are 1 where a row has their code."""
    return np.asarray(code[:, None] == np.arange(size), dtype=np.float64)


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


@dataclass(frozen=True, eq=False)
class Prior:
    """Log density, up to a constant, and its derivatives."""

    value: float  # in nats
    gradient: Array  # (p,) by the vector of parameters


def weigh_parameters(layout: Layout, vector: Array, numbers: int) -> Prior:
    """Return the log prior of a vector of parameters.

    vector: (p,) parameters.
    """
    parts = layout.split(vector)
    centre = parts["centre"] if layout.noises else np.array([NOISE])
    width = NOISE_SD if layout.noises else 1.0
    away = {
        "loadings": _loadings(layout, parts["loadings"]),
        "private": parts["private"] - PRIVATE[layout.sharing],
        "scales": parts["scales"] - usual_scales(layout.scales, numbers),
        "noise": (parts["noise"] - centre) / width**2,
        "centre": parts["centre"] - NOISE,
        "spread": parts["spread"] - SPREAD,
    }
    value = -0.5 * sum(
        float(away[name] @ off)
        for name, off in {
            **{name: away[name] for name in ("private", "scales", "centre", "spread")},
            "noise": parts["noise"] - centre,
            "loadings": parts["loadings"] - (STRENGTH if layout.sharing == "full" else 0.0),
        }.items()
    )
    if layout.noises:
        away["centre"] = away["centre"] - away["noise"].sum()
    return Prior(value, -layout.join(away))


def usual_scales(scales: int, numbers: int) -> Array:
    """Return the centres of log ℓ.

    >>> usual_scales(3, 2).round(3).tolist()
    [0.693, 0.693, 0.0]
    """
    return np.where(np.arange(scales) < numbers, 0.5 * log(2 * max(numbers, 1)), 0.0)


def start_parameters(layout: Layout, numbers: int, rng: np.random.Generator) -> Array:
    """Return where a fit begins: near the priors, columns of W apart by chance."""
    loadings = rng.normal(0.0, 0.2, (layout.judges, layout.rank))
    loadings[:, 0] = 0.6 + 0.25 * loadings[:, 0]
    first = {"low rank": loadings.ravel(), "none": np.zeros(0), "full": np.array([STRENGTH])}
    sizes = layout.sizes()
    return layout.join(
        {
            "loadings": first[layout.sharing],
            "private": np.full(sizes["private"], PRIVATE[layout.sharing]),
            "scales": usual_scales(layout.scales, numbers),
            "noise": np.full(sizes["noise"], NOISE),
            "centre": np.full(sizes["centre"], NOISE),
            "spread": np.full(sizes["spread"], SPREAD),
        }
    )


def draw_correlations(rank: int, size: int, seed: int) -> Array:
    """Draw correlations of two judges from the prior."""
    rng = np.random.default_rng(seed)
    common = TOGETHER * rng.standard_normal((size, rank, 1))
    w = common + OWN * rng.standard_normal((size, rank, 2))
    own = np.exp(PRIVATE["low rank"] + rng.standard_normal((size, 2)))
    one, other = (w[:, :, judge] for judge in (0, 1))
    root = np.sqrt(((w**2).sum(axis=1) + own).prod(axis=1))
    return np.asarray((one * other).sum(axis=1) / root)


def _loadings(layout: Layout, flat: Array) -> Array:
    """Return the precision of W times W, column by column."""
    if layout.sharing != "low rank":
        return flat - STRENGTH
    w = flat.reshape(layout.judges, layout.rank)
    share = TOGETHER**2 / (OWN**2 + layout.judges * TOGETHER**2)
    return np.asarray((w - share * w.sum(axis=0)) / OWN**2).ravel()


# The search for the likeliest parameters of a judge process: evidence and prior, with gradients.
#
# The surface is climbed by BFGS (numerics/quasi_newton.py). Where there are many ratings a
# spread-out part of them is climbed first, which costs little and leaves few steps for the whole.

PART: Final = 500  # Ratings of the part that is climbed first
TOLERANCE: Final = 1e-4  # What the gain to come may be, relative to the log evidence
# Least variance of the noise, which goes to 0 where judges repeat themselves to the point
FLOOR: Final = 1e-6


@dataclass(frozen=True, eq=False)
class Surface:
    """Log evidence and log prior at one vector of parameters."""

    value: float  # their sum, in nats
    gradient: Array  # (p,) its derivatives
    evidence: Evidence  # what was found, with the posterior of the functions
    at: Coregion  # the covariance
    vector: Array  # (p,) the parameters


@dataclass(frozen=True, eq=False)
class Problem:
    """Ratings that a judge process is to explain."""

    layout: Layout  # of the parameters
    asked: Asked  # n rows, who rated what
    y: Array  # (n,) standardised ratings
    # rows that all others hang together by; None for the exact evidence
    inducing: Asked | None = None

    @property
    def support(self) -> Asked:
        """Rows that predictions rest on."""
        return self.asked if self.inducing is None else self.inducing

    def expand(self, vector: Array) -> Surface:
        """Return value and gradient at a vector of parameters."""
        at = read_parameters(self.layout, vector)
        found, slopes = self._exact(at) if self.inducing is None else self._sparse(at)
        noise = np.bincount(self.asked.judge, found.noise, self.layout.judges).astype(np.float64)
        prior = weigh_parameters(self.layout, vector, self.asked.points.numbers.shape[1])
        gradient = collect_gradient(self.layout, at, slopes, noise)
        return Surface(found.value + prior.value, gradient + prior.gradient, found, at, vector)

    def weigh(self, at: Coregion) -> Posterior:
        """Return the posterior of the functions at given parameters."""
        noise = at.noise[self.asked.judge] + FLOOR
        if self.inducing is None:
            covariance, _ = at.covariance(self.asked, self.asked)
            return weigh_exactly(covariance, noise, self.y).posterior
        (cross, _), (inner, _) = (
            at.covariance(rows, self.inducing) for rows in (self.asked, self.inducing)
        )
        return weigh_inducing(cross, inner, at.own(self.asked), noise, self.y).posterior

    def climb(self, start: Array) -> tuple[Array, Surface]:
        """Climb from a vector of parameters to the top."""
        found, _, _ = climb(
            lambda vector, _: self.expand(vector),
            (start, self.expand(start)),
            np.diag(self._bend()),
            tolerance=TOLERANCE,
            reach=lambda step: float(np.abs(step).max()),
        )
        return found, self.expand(found)

    def _exact(self, at: Coregion) -> tuple[Evidence, Slopes]:
        covariance, k = at.covariance(self.asked, self.asked)
        found = weigh_exactly(covariance, at.noise[self.asked.judge] + FLOOR, self.y)
        return found, find_slopes(at, found.cross, (self.asked, self.asked), k)

    def _sparse(self, at: Coregion) -> tuple[Evidence, Slopes]:
        rows, few = self.asked, self.support
        (cross, near), (inner, nearest) = at.covariance(rows, few), at.covariance(few, few)
        noise = at.noise[rows.judge] + FLOOR
        found = weigh_inducing(cross, inner, at.own(rows), noise, self.y)
        slopes = find_slopes(at, found.cross, (rows, few), near)
        if found.inner is not None and found.own is not None:
            slopes += find_slopes(at, found.inner, (few, few), nearest)
            slopes += find_own_slopes(at, found.own, rows)
        return found, slopes

    def _bend(self) -> Array:
        """Return a rough guess of minus the second derivatives: half a unit for each rating."""
        n = np.bincount(self.asked.judge, minlength=self.layout.judges).astype(np.float64)
        own = 1.0 + 0.3 * n
        sizes = self.layout.sizes()
        wide = np.repeat(own, self.layout.rank) if sizes["loadings"] > 1 else own.sum(keepdims=True)
        return self.layout.join(
            {
                "loadings": 2.0 * wide[: sizes["loadings"]],
                "private": 0.3 * own[: sizes["private"]],
                "scales": np.full(sizes["scales"], 1.0 + 0.1 * n.sum()),
                "noise": 2.0 + own if self.layout.noises else 2.0 + own.sum(keepdims=True),
                "centre": np.full(sizes["centre"], 1.0 + 2.0 * self.layout.judges),
                "spread": np.full(sizes["spread"], 1.0 + 0.5 * self.layout.judges),
            }
        )


def search(problem: Problem, rng: np.random.Generator) -> Surface:
    """Return the top of the surface: a spread-out part of the ratings is climbed first."""
    layout = problem.layout
    at = start_parameters(layout, problem.asked.points.numbers.shape[1], rng)
    if len(problem.y) > 2 * PART:
        part = spread_out(problem.asked.judge, PART, rng)
        at, _ = Problem(layout, problem.asked.take(part), problem.y[part]).climb(at)
    return problem.climb(at)[1]


def spread_out(judge: NDArray[np.int64], size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return sorted rows, drawn by chance, as evenly over judges as their ratings allow.

    >>> rng = np.random.default_rng(1)
    >>> judge = np.array([0, 0, 0, 0, 0, 1])
    >>> np.bincount(judge[spread_out(judge, 3, rng)]).tolist()
    [2, 1]
    """
    order = rng.permutation(len(judge))
    by_judge = order[np.argsort(judge[order], kind="stable")]
    starts = np.cumsum(np.bincount(judge)) - np.bincount(judge)
    turn = np.arange(len(judge)) - starts[judge[by_judge]]
    return np.sort(by_judge[np.argsort(turn, kind="stable")][:size])


CURVED: Final = 1000  # Most ratings whose second derivatives are found
STEP: Final = 1e-4  # Of differences of the gradient
LEAST: Final = 0.5  # Least curvature, in that of the prior


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """A normal around parameters."""

    layout: Layout  # of the parameters
    centre: Array  # (p,) the likeliest
    root: Array  # (p, p) a square root of their covariance

    def draw(self, size: int, seed: int) -> list[Coregion]:
        """Draw parameters by chance."""
        normal = np.random.default_rng(seed).standard_normal((size, len(self.centre)))
        drawn = self.centre + normal @ self.root.T
        return [read_parameters(self.layout, one) for one in drawn]


def find_uncertainty(problem: Problem, centre: Array, seed: int) -> Uncertainty:
    """Find how sure the likeliest parameters are.

    centre: (p,) the likeliest parameters.
    """
    part = _take_part(problem, seed)
    steps = STEP * np.eye(len(centre))
    with one_blas_thread():
        here = part.expand(centre).gradient
        bent = np.array([here - part.expand(centre + step).gradient for step in steps]) / STEP
    root = _root_of_prior(problem, centre)
    whitened = root.T @ (0.5 * (bent + bent.T)) @ root
    turns = np.linalg.solve(root, _find_turns(problem.layout, centre).T)
    kept = np.eye(len(centre))
    if turns.size:
        basis, _ = np.linalg.qr(turns)
        kept -= basis @ basis.T
    value, vector = np.linalg.eigh(kept @ whitened @ kept)
    narrowed = vector / np.sqrt(np.maximum(value, LEAST))
    return Uncertainty(problem.layout, centre, root @ kept @ narrowed)


def _take_part(problem: Problem, seed: int) -> Problem:
    if len(problem.y) <= CURVED:
        return Problem(problem.layout, problem.asked, problem.y)
    part = spread_out(problem.asked.judge, CURVED, np.random.default_rng(seed))
    return Problem(problem.layout, problem.asked.take(part), problem.y[part])


def _root_of_prior(problem: Problem, centre: Array) -> Array:
    """Return a square root of the prior's covariance: its log density is a square."""
    numbers = problem.asked.points.numbers.shape[1]
    here = weigh_parameters(problem.layout, centre, numbers).gradient
    moved = np.array(
        [
            here - weigh_parameters(problem.layout, centre + step, numbers).gradient
            for step in np.eye(len(centre))
        ]
    )
    return np.asarray(np.linalg.inv(np.linalg.cholesky(moved)).T)


def _find_turns(layout: Layout, centre: Array) -> Array:
    """Return the (R (R − 1) / 2, p) directions in which W turns."""
    if layout.sharing != "low rank":
        return np.zeros((0, len(centre)))
    w = layout.split(centre)["loadings"].reshape(layout.judges, layout.rank)
    found = []
    for one in range(layout.rank):
        for other in range(one):
            turned = np.zeros_like(w)
            turned[:, one], turned[:, other] = -w[:, other], w[:, one]
            found.append(np.r_[turned.ravel(), np.zeros(len(centre) - w.size)])
    return np.array(found).reshape(len(found), len(centre))
