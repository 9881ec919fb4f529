"""mElo: Bradley and Terry's model with a part in which systems may beat each other in circles.

For systems i and j with worths r and points c_i in k planes:

    P(i preferred) : P(tie) : P(j preferred) = e^{x/2} : e^γ : e^{−x/2},
    x = r_i − r_j + c_iᵀ Ω c_j,    Ω = [[0, 1], [−1, 0]] in each plane

c_iᵀ Ω c_j is the area that i and j span: a rank-2k skew matrix. Points have a Gaussian prior (a
penalty of s/2 Σ‖c‖²), worths a weak one (a ghost). What the points say of a system against all
others is taken into its worth, so that r is its mean log-odds and the rest is circles alone.

Source: Balduzzi, Tuyls, Pérolat & Graepel (2018), Re-evaluating evaluation, NeurIPS 31, whose
mElo_2k is updated game by game; here it is fitted at once. Ties as Davidson's (1970).

The penalty is for prediction: noise alone leaves circles under it, in most campaigns of many
systems. A circle is named only where the residuals without circles have a larger norm than in all
but 5 % of campaigns simulated without circles.

When not to use it: to rank, where there are circles: no order then says who beats whom. With few
judgments on a pair it has little to find circles in. Judges of different taste are no circles, but
they weaken those that there are. One ranking cannot contain a circle, so that rankings have less
noise of this kind than is simulated: circles in them are named too seldom, not too often.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged, NotIdentified, UnknownOption, require_option
from evenhand.judgments.coding import SEED
from evenhand.judgments.forms import Judgments
from evenhand.models.coefficients import Coefficient
from evenhand.models.existence import refuse_nothing
from evenhand.models.large import PairCounts, code_sides, pair_up
from evenhand.models.ties import Davidson, Local, TieLaw, TwoOutcomes
from evenhand.numerics.newton import Expansion, climb
from evenhand.numerics.sampling import one_blas_thread

# The penalised log-likelihood of worths and circles, with gradient and information.
#
# x_ij = r_i − r_j + c_iᵀ Ω c_j,    η = x / 2 in the laws of ties
#
# ℓ(r, c, γ) − s/2 Σ ‖c_i‖² + prior/2 Σ ln σ(r_i) σ(−r_i)
#
# The last term is half a win and half a loss, times the prior, of each system against a ghost at 0.
# Ω has a block [[0, 1], [−1, 0]] for each plane. With B_j = (1, Ω c_j) both parts of x are one: x
# moves by B_j with (r_i, c_i) and by −B_i with those of j. Of all c with the same A = c Ω cᵀ the
# penalty takes the shortest, for which it is s/2 times the nuclear norm of A: where the residuals
# without circles have a spectral norm below s, circles are zero, not small.

Array = NDArray[np.float64]
REACH = 2.0  # Longest step of a worth or coordinate


@dataclass(frozen=True, eq=False)
class CyclicLikelihood:
    """A penalised log-likelihood."""

    counts: PairCounts  # outcomes of each pair
    law: TieLaw  # the law of ties
    planes: int  # k, the number of planes; c has 2k columns
    strength: float  # s, the penalty on c
    prior: float  # pseudo-comparisons of each system with the ghost

    @property
    def shape(self) -> tuple[int, int]:
        """Systems, and parameters of each: its worth and 2k coordinates."""
        return len(self.counts.systems), 1 + 2 * self.planes

    def split(self, beta: Array) -> tuple[Array, float]:
        """Return (K, 1 + 2k) worth and coordinates of each system, and γ.

        beta: (p,) the same row by row, then γ where it is free.
        """
        k, width = self.shape
        return beta[: k * width].reshape(k, width), float(beta[-1]) if self.law.free else 0.0

    def local(self, beta: Array) -> Local:
        """Return the log-likelihood of each pair to second order in η and γ."""
        systems, gamma = self.split(beta)
        low, high = self.counts.low, self.counts.high
        x = systems[low, 0] - systems[high, 0]
        x += (systems[low, 1:] * turn(systems[high, 1:])).sum(axis=1)
        return self.law.expand(x / 2, gamma, self.counts.counts)

    def loglik(self, beta: Array) -> float:
        """Return the log-likelihood (nats), without penalty and prior."""
        return float(self.local(beta).value.sum())

    def slope(self, beta: Array, before: Expansion | None = None) -> Expansion:  # noqa: ARG002
        """Return the penalised log-likelihood to first order; its information is left empty.

        beta: (p,) where.
        """
        return self._expand(beta, lambda *_: np.zeros((0, 0)))

    def expand(self, beta: Array) -> Expansion:
        """Return the penalised log-likelihood with Fisher's information, positive definite."""
        return self._expand(beta, self._information)

    def _expand(self, beta: Array, inform: Callable[[Array, Local, Local], Array]) -> Expansion:
        systems, _ = self.split(beta)
        local, ghost = self.local(beta), self._ghost(systems)
        value = local.value.sum() + ghost.value.sum()
        value -= self.strength / 2 * (systems[:, 1:] ** 2).sum()
        gradient = self.residuals(local) @ partners(systems)
        gradient[:, 0] += ghost.eta / 2
        gradient[:, 1:] -= self.strength * systems[:, 1:]
        tie = [local.tie.sum()] if self.law.free else []
        return Expansion(
            float(value), np.append(gradient.reshape(-1), tie), inform(systems, local, ghost)
        )

    def residuals(self, local: Local) -> Array:
        """Return (K, K) derivatives of the log-likelihood by each x, skew."""
        return self._square(local.eta / 2, -local.eta / 2)

    def weights(self, local: Local) -> Array:
        """Return (K, K) minus its second derivatives by each x, symmetric."""
        return self._square(local.eta_eta / 4, local.eta_eta / 4)

    def _square(self, above: Array, below: Array) -> Array:
        square = np.zeros((len(self.counts.systems),) * 2)
        square[self.counts.low, self.counts.high] = above
        square[self.counts.high, self.counts.low] = below
        return square

    def _ghost(self, systems: Array) -> Local:
        """Return the log-likelihood of pseudo-comparisons with the ghost, of each system."""
        counts = np.tile([self.prior / 2, 0.0, self.prior / 2], (len(systems), 1))
        return TwoOutcomes().expand(systems[:, 0] / 2, 0.0, counts)

    def _information(self, systems: Array, local: Local, ghost: Local) -> Array:
        k, width = self.shape
        weights, sides = self.weights(local), partners(systems)
        blocks: Array = -np.einsum("ij,ja,ib->iajb", weights, sides, sides)
        at = np.arange(k)
        blocks[at, :, at, :] += np.einsum("ij,ja,jb->iab", weights, sides, sides)
        blocks[at, 0, at, 0] += ghost.eta_eta / 4
        for column in range(1, width):
            blocks[at, column, at, column] += self.strength
        information: Array = blocks.reshape(k * width, k * width)
        if not self.law.free:
            return information
        cross = self._square(local.eta_tie / 2, -local.eta_tie / 2) @ sides
        edge = cross.reshape(-1, 1)
        return np.block([[information, edge], [edge.T, local.tie_tie.sum().reshape(1, 1)]])

    def reach(self, step: Array) -> float:
        """Return how far a step goes; 1 is as far as it may."""
        return float(np.abs(step).max()) / REACH


def turn(coordinates: Array) -> Array:
    """Return (K, 2k) Ω c of each row.

    >>> turn(np.array([[1.0, 2.0]])).tolist()
    [[2.0, -1.0]]
    """
    turned = np.empty_like(coordinates)
    turned[:, 0::2], turned[:, 1::2] = coordinates[:, 1::2], -coordinates[:, 0::2]
    return turned


def partners(systems: Array) -> Array:
    """Return (K, 1 + 2k) rows (1, Ω c): what x moves by with another system's parameters."""
    return np.hstack([np.ones((len(systems), 1)), turn(systems[:, 1:])])


def cyclic_part(coordinates: Array) -> Array:
    """Return (K, K) log-odds A = c Ω cᵀ, skew."""
    return np.asarray(coordinates @ turn(coordinates).T)


# What circles there are: their share of the variance, and the strongest one of three systems.


@dataclass(frozen=True)
class Circle:
    """Three systems, each preferred to the next and the last to the first."""

    systems: tuple[int, int, int]  # codes, the first by name first
    odds: tuple[float, float, float]  # log-odds of each against the next


def take_out_gradient(worth: Array, coordinates: Array) -> tuple[Array, Array]:
    """Return centred worths and coordinates with the same log-odds, rows of c Ω cᵀ of mean zero.

    What c Ω cᵀ says of a system against all others goes to its worth (Hodge decomposition of a
    complete graph: Jiang, Lim, Yao & Ye 2011, Mathematical Programming 127:203-244).

    worth: (K,) r.
    coordinates: (K, 2k) c. >>> r, c = take_out_gradient(np.zeros(2), np.array([[1.0, 0.0], [0.0,
        1.0]])) >>> r.tolist(), abs(cyclic_part(c)).max().round(12).tolist() ([0.5, -0.5], 0.0)
    """
    middle = coordinates.mean(axis=0)
    moved = worth + coordinates @ turn(middle[None, :])[0]
    return moved - moved.mean(), coordinates - middle


def cyclic_share(worth: Array, coordinates: Array) -> float:
    """Return the share of the sum of squared log-odds, over all pairs, that goes round in circles.

    worth: (K,) r without what circles could say of it.
    coordinates: (K, 2k) c of mean zero.
    """
    circles = float((cyclic_part(coordinates) ** 2).sum())
    whole = circles + float(((worth[:, None] - worth) ** 2).sum())
    return circles / whole if whole else 0.0


def strongest_circle(odds: Array) -> Circle | None:
    """Return the circle of three whose smallest log-odds are largest; None where there is none.

    odds: (K, K) log-odds of row against column, skew. >>> rock = np.array([[0.0, 1.0, -2.0], [-1.0,
        0.0, 3.0], [2.0, -3.0, 0.0]]) >>> strongest_circle(rock) Circle(systems=(0, 1, 2),
        odds=(1.0, 3.0, 2.0))
    """
    best, found = 0.0, None
    for first in range(len(odds)):
        # the first by name begins; the others come in either order
        weakest = np.minimum(np.minimum(odds[first][:, None], odds), odds[:, first][None, :])
        weakest[: first + 1] = 0.0
        weakest[:, : first + 1] = 0.0
        at = int(np.argmax(weakest))
        second, third = divmod(at, len(odds))
        if weakest[second, third] > best:
            best = float(weakest[second, third])
            ends = odds[first, second], odds[second, third], odds[third, first]
            found = Circle((first, second, third), (float(ends[0]), float(ends[1]), float(ends[2])))
    return found


# Where the penalised likelihood is largest: from no circles, from the residuals', from chance.
#
# The likelihood is not concave in c. It nearly is in c Ω cᵀ, so that under a strong penalty starts
# seldom end apart; under a weak one they may. Several are made, and the best is taken.

TOLERANCE: Final = 1e-11  # Twice the gain to come, relative to the value, at which a climb ends
# Difference in penalised log-likelihood, relative, below which two ends are one
ALIKE: Final = 1e-7
SPREAD: Final = 0.5  # Standard deviation of coordinates drawn at random


@dataclass(frozen=True, eq=False)
class Summit:
    """Where a climb, or the best of several, ended."""

    beta: Array  # (p,) the parameters
    value: float  # penalised log-likelihood (nats)
    starts: int = 0  # climbs with circles that were made
    agreed: int = 0  # how many of them ended here


def climb_flat(likelihood: CyclicLikelihood) -> Summit:
    """Return the maximum without circles."""
    k, width = likelihood.shape
    start = likelihood.law.start(likelihood.counts.counts)
    return _climb(
        likelihood, np.append(np.zeros(k * width), [start] if likelihood.law.free else [])
    )


def climb_all(
    likelihood: CyclicLikelihood, flat: Summit, starts: int, rng: np.random.Generator
) -> Summit:
    """Return the best maximum of several starts."""
    k, width = likelihood.shape
    firsts = [spectral_start(likelihood, flat)]
    firsts += [rng.normal(0, SPREAD, (k, width - 1)) for _ in range(starts - 1)]
    ends = []
    for coordinates in firsts:
        beta = flat.beta.copy()
        beta[: k * width].reshape(k, width)[:, 1:] = coordinates
        try:
            ends.append(_climb(likelihood, beta))
        except NotConverged:
            continue
    if not ends:
        raise NotConverged(
            f"none of {starts} starts ended at a maximum", ["take another seed or more starts"]
        )
    best = max([flat, *ends], key=lambda end: end.value)
    if best.value <= flat.value + ALIKE * (1 + abs(flat.value)):
        best = flat
    near = best.value - ALIKE * (1 + abs(best.value))
    return replace(best, starts=starts, agreed=sum(end.value >= near for end in ends))


def spectral_start(likelihood: CyclicLikelihood, flat: Summit) -> Array:
    """Return (K, 2k) coordinates along what the residuals without circles have most of.

    They are as long as one step of Newton's would make them in the first plane.
    """
    local = likelihood.local(flat.beta)
    residuals = likelihood.residuals(local)
    planes = principal_planes(residuals, likelihood.planes)
    lengths = np.sqrt((planes**2).sum(axis=0))
    unit = planes / np.where(lengths > 0, lengths, 1.0)
    skew = np.outer(unit[:, 0], unit[:, 1]) - np.outer(unit[:, 1], unit[:, 0])
    bend = float((likelihood.weights(local) * skew**2).sum()) / 2
    gain = float((residuals * skew).sum()) / 2
    return np.asarray(unit * np.sqrt(gain / bend)) if bend > 0 else unit


def principal_planes(skew: Array, planes: int) -> Array:
    """Return (K, 2k) coordinates c, k planes of largest size, with c Ω cᵀ near a skew matrix.

    Each plane is turned so that the system farthest out lies on the first axis.

    skew: (K, K) skew-symmetric matrix.
    """
    size, vectors = np.linalg.eigh(1j * skew)
    found = np.zeros((len(skew), 2 * planes))
    for plane in range(min(planes, len(skew) // 2)):
        at = len(skew) - 1 - plane
        points = vectors[:, at].conj() * np.sqrt(2 * max(float(size[at]), 0.0))
        far = points[np.argmax(np.abs(points).round(9))]
        if abs(far) > 0:
            points = points * (abs(far) / far)
        found[:, 2 * plane], found[:, 2 * plane + 1] = points.real, points.imag
    return found


def _climb(likelihood: CyclicLikelihood, beta: Array) -> Summit:
    first = likelihood.expand(beta)
    at, _, _ = climb(
        likelihood.slope,
        (beta, first),
        first.information,
        tolerance=TOLERANCE,
        reach=likelihood.reach,
    )
    return Summit(at, likelihood.slope(at).value)


# How often a model without circles leaves residuals as large: a parametric bootstrap.

DRAWS: Final = 99


@dataclass(frozen=True, eq=False)
class Noise:
    """What is needed to simulate campaigns in which nothing goes in circles.

    Circles would show in the spectral norm of the residuals that are left without them. Campaigns
    are drawn from the fit without circles, every comparison by itself, and fitted by one step of
    Newton's. Where comparisons of one ranking hang together there is less noise than is drawn.
    """

    likelihood: CyclicLikelihood  # of the judgments
    flat: Summit  # its maximum without circles
    seed: int  # of the draws

    @cached_property
    def p(self) -> float:
        """Share of simulated campaigns, and the one seen, with a norm at least that seen."""
        start, at = self._flatten()
        child = np.random.SeedSequence(self.seed).spawn(1)[0]
        rng = np.random.Generator(np.random.PCG64(child))
        with one_blas_thread():
            seen = residual_norm(start, at)
            inverse = np.asarray(np.linalg.inv(start.expand(at).information), np.float64)
            above = sum(self._draw(start, at, inverse, rng) >= seen for _ in range(DRAWS))
        return (1 + int(above)) / (1 + DRAWS)

    def _flatten(self) -> tuple[CyclicLikelihood, Array]:
        """Return the likelihood without planes, and its maximum."""
        systems, gamma = self.likelihood.split(self.flat.beta)
        tie = [gamma] if self.likelihood.law.free else []
        return replace(self.likelihood, planes=0), np.append(systems[:, 0], tie)

    def _draw(
        self, flat: CyclicLikelihood, at: Array, inverse: Array, rng: np.random.Generator
    ) -> float:
        """Return the norm in one simulated campaign."""
        counts = flat.counts
        worth, gamma = at[: len(counts.systems)], float(at[-1]) if flat.law.free else 0.0
        half = (worth[counts.low] - worth[counts.high]) / 2
        chances = np.exp(flat.law.log_chances(half, gamma))
        totals = counts.counts.sum(axis=1).round().astype(np.int64)
        drawn = rng.multinomial(totals, chances / chances.sum(axis=1, keepdims=True))
        own = replace(flat, counts=replace(counts, counts=drawn.astype(np.float64)))
        return residual_norm(own, at + inverse @ own.slope(at).gradient)


def residual_norm(likelihood: CyclicLikelihood, beta: Array) -> float:
    """Return the spectral norm of the residuals.

    beta: (p,) where.
    """
    residuals = likelihood.residuals(likelihood.local(beta))
    # the largest eigenvalue of a Gram matrix costs a fraction of all singular values
    return float(np.sqrt(max(np.linalg.eigvalsh(residuals.T @ residuals)[-1], 0.0)))


# How strong the penalty on circles is: as noise needs it, or as held-out comparisons want it.

# Of the limit of noise: a strength that predicts well. Noise alone exceeds it often (of 15
# systems mostly), so that circles that it leaves are no sign of circles.
SHARE: Final = 0.7
GRID: Final = (2.0, 1.0, 0.7, 0.5, 0.25)  # Shares among which held-out comparisons choose
FOLDS: Final = 5


@dataclass(frozen=True)
class Strength:
    """A penalty and how it was chosen."""

    value: float  # s
    share: float  # s as a share of what noise reaches in large campaigns, 0 where it was named
    chosen: str  # how, for people


def noise_limit(likelihood: CyclicLikelihood, flat: Summit) -> float:
    """Return the spectral norm that residuals without circles have in large campaigns.

    A penalty above the norm of the residuals leaves no circle. Of a random skew matrix with
    variances v_ij it tends to at most 2 max_i √(Σ_j v_ij), and of scores v_ij is the information.
    Source: Bandeira & van Handel (2016), Annals of Probability 44:2479-2506.
    """
    weights = likelihood.weights(likelihood.local(flat.beta))
    return float(2 * np.sqrt(weights.sum(axis=1).max()))


def choose_held_out(
    likelihood: CyclicLikelihood, rng: np.random.Generator
) -> tuple[float, tuple[float, ...]]:
    """Return the share of the noise limit that predicts held-out comparisons best.

    Returns the share, and the held-out loss (nats per comparison) of each share of `GRID`.
    """
    counts, law = likelihood.counts, likelihood.law
    losses = np.zeros(len(GRID))
    parts = split_counts(counts.counts, FOLDS, rng)
    for test in parts:
        train = counts.counts - test
        _require_fold(train, ties=law.free)
        part = replace(likelihood, counts=replace(counts, counts=train))
        losses += [_lose(part, share, test, rng) for share in GRID]
    mean = tuple((losses / counts.counts.sum()).tolist())
    return GRID[int(np.argmin(losses))], mean


def split_counts(counts: Array, folds: int, rng: np.random.Generator) -> list[Array]:
    """Deal comparisons into folds at random, each into one.

    counts: (C, 3) counts.
    """
    rest, parts = counts.astype(np.int64), []
    for left in range(folds, 0, -1):
        part = rng.binomial(rest, 1 / left)
        rest = rest - part
        parts.append(part.astype(np.float64))
    return parts


def _lose(
    likelihood: CyclicLikelihood, share: float, test: Array, rng: np.random.Generator
) -> float:
    """Return the loss (nats) of held-out comparisons under one strength."""
    flat = climb_flat(likelihood)
    own = replace(likelihood, strength=share * noise_limit(likelihood, flat))
    found = climb_all(own, flat, 1, rng)
    held = replace(own, counts=_swap(own.counts, test))
    return -held.loglik(found.beta)


def _swap(counts: PairCounts, test: Array) -> PairCounts:
    return replace(counts, counts=test)


def _require_fold(train: Array, *, ties: bool) -> None:
    won, tied, lost = train.sum(axis=0)
    if not won + lost or (ties and not tied):
        raise NotIdentified(
            "the strength cannot be chosen by held-out comparisons: without one fold there is no"
            f" {'tie' if won + lost else 'preference'} left",
            ["name a strength", "take strength='noise'"],
        )


# What a fitted mElo holds: worths, coordinates in planes, and which systems go in circles.

CAUTION: Final = "held-out judgments say whether that predicts anything"
# Largest share of simulated campaigns with as much noise at which a circle is named
SURE: Final = 0.05


@dataclass(frozen=True, eq=False)
class MEloFit:
    """A fitted mElo."""

    model: MElo  # the settings
    systems: tuple[str, ...]  # the K systems, sorted by name
    log_worth: Array  # (K,) r (log-odds), of mean zero: a system's mean log-odds against all
    coordinates: Array  # (K, 2k) c, of mean zero in each column; two columns are a plane
    gamma: float | None  # γ of ties; None where none was seen, or where they are discarded
    law: TieLaw  # the law of ties
    strength: Strength  # the penalty on c
    noise: Noise | None  # campaigns without circles; None where there can be none, with two systems
    loglik: float  # log-likelihood (nats), penalty and prior left out
    flat_loglik: float  # that of the same model without circles
    starts: int  # climbs that were made
    agreed: int  # how many of them ended at the best maximum
    n_judgments: float  # answers, a ranking being one
    n_comparisons: float  # comparisons that were used
    notes: tuple[str, ...]  # what a report should say beside the estimates

    @property
    def worth_vcov(self) -> None:
        """None: a penalised estimate has no covariance to go by; resample judges or items."""
        return None

    @cached_property
    def odds(self) -> Array:
        """(K, K) log-odds of row against column, ties aside."""
        worth = self.log_worth
        return np.asarray(worth[:, None] - worth + cyclic_part(self.coordinates))

    @cached_property
    def share(self) -> float:
        """Share of the variance of log-odds over all pairs that goes round in circles."""
        return cyclic_share(self.log_worth, self.coordinates)

    @cached_property
    def circle(self) -> Circle | None:
        """The strongest circle of three systems, if there is any that noise does not explain."""
        return strongest_circle(self.odds) if self.shows_circles else None

    @property
    def noise_p(self) -> float | None:
        """Share of simulated campaigns without circles whose residuals have as large a norm.

        It is simulated when first asked for. None with two systems.
        """
        return None if self.noise is None else self.noise.p

    @property
    def shows_circles(self) -> bool:
        """Whether the residuals without circles are larger than noise makes them (at .05)."""
        return self.noise_p is not None and self.noise_p <= SURE

    @cached_property
    def coefficients(self) -> tuple[Coefficient, ...]:
        """Every parameter, without errors: o is r / 2, g1 is γ, c are coordinates."""
        rows = [
            (f"o{i + 1}", name, float(worth) / 2)
            for i, (name, worth) in enumerate(zip(self.systems, self.log_worth, strict=True))
        ]
        rows += [] if self.gamma is None else [("g1", "tie", self.gamma)]
        if self.share:
            rows += [
                (f"c{i + 1}:{d + 1}", f"{name} on axis {d + 1}", float(value))
                for i, name in enumerate(self.systems)
                for d, value in enumerate(self.coordinates[i])
            ]
        return tuple(Coefficient(*row, None, None, None) for row in rows)

    @property
    def scale(self) -> str:
        """What the estimates of `coefficients` are."""
        return "lambda and coordinates" if self.share else "lambda"

    @property
    def extras(self) -> Mapping[str, Any]:
        """What stands beside the coefficients, for machines."""
        circle = self.circle
        return {
            "strength": self.strength.value,
            "cyclic_share": self.share,
            "noise_p": self.noise_p,
            "flat_loglik": self.flat_loglik,
            "circle": None if circle is None else [self.systems[i] for i in circle.systems],
            "coordinates": [
                {"system": name, "at": at}
                for name, at in zip(self.systems, self.coordinates.tolist(), strict=True)
            ],
        }

    @property
    def says(self) -> tuple[str, ...]:
        """Lines for people: how much goes in circles, and which systems."""
        errors = "no standard errors: the penalty leaves no likelihood to take them from"
        if self.noise is None:
            alone = "with two systems there can be no circle: this is Bradley and Terry's model"
            return (alone, f"log-likelihood {self.loglik:.4f}", errors)
        if not self.share:
            said = ["the penalty leaves no circles: this is Bradley and Terry's model"]
        else:
            share = "less than 1 %" if self.share < 0.01 else f"{100 * self.share:.0f} %"
            said = [f"{share} of the variance of log-odds goes round in circles; {CAUTION}"]
        said.append(self._say_noise())
        if self.share and self.shows_circles:
            said.append(self._say_circle())
        return (
            *said,
            f"log-likelihood {self.loglik:.4f}, without circles {self.flat_loglik:.4f}",
            f"penalty {self.strength.value:.4g} ({self.strength.chosen});"
            f" {self.agreed} of {self.starts} starts ended here",
            errors,
        )

    def _say_noise(self) -> str:
        verdict = "more than noise" if self.shows_circles else "no sign of circles"
        return (
            f"the flat model alone gives as much in {100 * (self.noise_p or 0):.0f} % of {DRAWS}"
            f" simulated campaigns: {verdict}"
        )

    def _say_circle(self) -> str:
        circle = self.circle
        if circle is None:
            return "no three systems are preferred in a circle; " + self._say_upset()
        names = [self.systems[i] for i in circle.systems]
        chances = (1 / (1 + np.exp(-np.array(circle.odds)))).tolist()
        (a, b, c), (p, q, r) = names, (f"{100 * chance:.0f} %" for chance in chances)
        return (
            f"strongest circle: {a} is preferred to {b} in {p}, {b} to {c} in {q}, {c} to {a} in"
            f" {r} (ties aside)"
        )

    def _say_upset(self) -> str:
        """Say whether some system is preferred to one of higher worth: that needs no circle."""
        lower = self.log_worth[:, None] < self.log_worth
        upset = np.where(lower, self.odds, -np.inf)
        if upset.max() <= 0:
            return "the order of worths holds for every pair"
        one, other = np.unravel_index(int(upset.argmax()), upset.shape)
        chance = 100 / (1 + np.exp(-upset[one, other]))
        return (
            f"yet {self.systems[one]} is preferred to {self.systems[other]}, of higher worth, in"
            f" {chance:.0f} % (ties aside)"
        )

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """Settings that change numbers."""
        model = self.model
        return (
            f"ties={model.ties}",
            f"k={model.k}",
            f"strength {self.strength.value:.6g}",
            f"prior {model.prior:g} per system",
            f"{model.starts} starts",
            f"seed={model.seed}",
        )

    def predict(self, pairs: Sequence[tuple[str, str]]) -> Array:
        """Return (n, 3) chances of left, tie, right."""
        left, right = code_sides(self.systems, pairs)
        gamma = 0.0 if self.gamma is None else self.gamma
        return np.exp(self.law.log_chances(self.odds[left, right] / 2, gamma))

    def __repr__(self) -> str:
        return (
            f"MEloFit({self.model.ties}: {len(self.systems)} systems, {self.share:.1%} in circles,"
            f" loglik {self.loglik:.4f})"
        )


MeloTies = Literal["davidson", "discard"]
TIES: Final[tuple[str, ...]] = get_args(MeloTies)
CHOICES: Final = ("noise", "held-out")
MOST: Final = 500  # Most systems: every pair has a number of its own


@dataclass(frozen=True)
class MElo:
    """Settings of an mElo.

    Attributes:
        ties: davidson (a common γ) or discard (drop tied comparisons).
        k: planes; 2k is the rank of the part that goes in circles.
        strength: the penalty s on points; "noise" for .7 of the largest that noise reaches in
            large campaigns, which noise may exceed; "held-out" to choose by five folds of the
            comparisons.
        prior: pseudo-comparisons of every system with a ghost, half of them won; above 0.
        starts: climbs, the first of them from what residuals show, the others from random points.
        seed: of the random starts, the folds and the simulated campaigns.

    >>> from evenhand.judgments import Tally
    >>> left, right = np.array([0, 1, 2], np.int32), np.array([1, 2, 0], np.int32)
    >>> counts = np.full(3, 80.0), np.zeros(3), np.full(3, 20.0)
    >>> rock = Tally(("paper", "rock", "scissors"), left, right, *counts, n_judgments=300)
    >>> fit = MElo(strength=5.0).fit(rock)
    >>> fit.predict([("paper", "rock"), ("scissors", "rock")]).round(2).tolist()
    [[0.77, 0.0, 0.23], [0.23, 0.0, 0.77]]
    """

    ties: MeloTies = "davidson"
    k: int = 1
    strength: float | Literal["noise", "held-out"] = "noise"
    prior: float = 1.0
    starts: int = 4
    seed: int = SEED

    def __post_init__(self) -> None:
        """Refuse settings that do not exist."""
        require_option("ties", self.ties, TIES)
        for name, least in (("k", 1), ("starts", 1), ("seed", 0)):
            _require_whole(name, getattr(self, name), least)
        if isinstance(self.strength, str):
            require_option("strength", self.strength, CHOICES)
        else:
            _require_positive("strength", self.strength)
        _require_positive("prior", self.prior)

    def fit(self, data: Judgments) -> MEloFit:
        """Fit by maximum penalised likelihood.

        Raises:
            NotIdentified: no comparisons, fewer than two systems or too many, or no preference.
            InvalidJudgments: a value in the data that cannot be.
            UnknownOption: importance weights.
            NotConverged: no start ended at a maximum.

        """
        counts = pair_up(data)
        if self.ties == "discard":
            counts = replace(counts, counts=counts.counts * np.array([1.0, 0.0, 1.0]))
        _require_preferences(counts)
        with one_blas_thread():
            return self._fit(counts)

    def _fit(self, counts: PairCounts) -> MEloFit:
        tied = bool(counts.counts[:, 1].any())
        law = Davidson() if tied else TwoOutcomes()
        planes = min(self.k, (len(counts.systems) - 1) // 2)
        rng = np.random.Generator(np.random.PCG64(self.seed))
        likelihood = CyclicLikelihood(counts, law, planes, 1.0, self.prior)
        flat = climb_flat(likelihood)
        strength = self._strengthen(likelihood, flat, rng)
        weak = bool(planes) and strength.value < noise_limit(likelihood, flat) / 2
        likelihood = replace(likelihood, strength=strength.value)
        best = climb_all(likelihood, flat, self.starts, rng) if planes else flat
        systems, gamma = likelihood.split(best.beta)
        worth, coordinates = _settle(systems, planes)
        return MEloFit(
            model=self,
            systems=counts.systems,
            log_worth=worth,
            coordinates=coordinates,
            gamma=gamma if tied else None,
            law=law,
            strength=strength,
            noise=Noise(likelihood, flat, self.seed) if planes else None,
            loglik=likelihood.loglik(best.beta),
            flat_loglik=likelihood.loglik(flat.beta),
            starts=best.starts,
            agreed=best.agreed,
            n_judgments=counts.shown.n_judgments,
            n_comparisons=float(counts.counts.sum()),
            notes=self._note(counts, planes, tied=tied, weak=weak),
        )

    def _strengthen(
        self, likelihood: CyclicLikelihood, flat: Summit, rng: np.random.Generator
    ) -> Strength:
        """Return the penalty as it was asked for."""
        if not isinstance(self.strength, str):
            return Strength(self.strength, 0.0, "as named")
        limit = noise_limit(likelihood, flat)
        if self.strength == "noise" or not likelihood.planes:
            return Strength(SHARE * limit, SHARE, f"{SHARE:g} of the limit of noise")
        share, _ = choose_held_out(likelihood, rng)
        return Strength(share * limit, share, f"{share:g} of the limit of noise, by held-out folds")

    def _note(self, counts: PairCounts, planes: int, *, tied: bool, weak: bool) -> tuple[str, ...]:
        """Return what a report should say beside the estimates."""
        notes = list(counts.note_unseen("its worth is the prior's"))
        if not tied and self.ties != "discard":
            notes.append("no ties observed: γ = −∞, not estimated; fitted without ties")
        if 0 < planes < self.k:
            most = f"{planes} plane{'s' if planes > 1 else ''}"
            notes.append(f"{len(counts.systems)} systems go in circles in at most {most}")
        if weak and not isinstance(self.strength, str):
            notes.append(
                "the penalty is below half the limit of noise: starts may end apart, and more of"
                " them may find a better maximum"
            )
        if counts.shown.n_judgments < counts.shown.n_comparisons * (1 - 1e-9):
            notes.append(
                "one ranking cannot contain a circle: less goes in circles by noise than in"
                " comparisons one by one"
            )
        return tuple(notes)


def _require_whole(name: str, value: object, least: int) -> None:
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= least:
        return
    raise UnknownOption(f"{name} cannot be {value!r}: it is a whole number, {least} or more")


def _require_positive(name: str, value: object) -> None:
    if (
        isinstance(value, int | float | np.integer | np.floating)
        and not isinstance(value, bool)
        and 0 < value < np.inf
    ):
        return
    raise UnknownOption(f"{name} cannot be {value!r}: it is a number above 0")


def _require_preferences(counts: PairCounts) -> None:
    """Refuse judgments of which nothing can be learned, or more systems than can be held."""
    if len(counts.systems) > MOST:
        raise NotIdentified(
            f"{len(counts.systems):,} systems are too many for mElo (at most {MOST})",
            ["leave some out", "fit a model without circles, such as --model bradley-terry"],
        )
    if not counts.counts.any():
        refuse_nothing(counts.shown)
    if not counts.counts[:, [0, 2]].any():
        raise NotIdentified(
            "every judgment is a tie: γ = +∞ and the worths are arbitrary; there is nothing to rank"
        )


def _settle(systems: Array, planes: int) -> tuple[Array, Array]:
    """Return worths and points in one of the many ways that give the same chances, always that."""
    worth, coordinates = take_out_gradient(systems[:, 0], systems[:, 1:])
    if planes:
        coordinates = principal_planes(cyclic_part(coordinates), planes)
    for array in (worth, coordinates):
        array.flags.writeable = False
    return worth, coordinates
