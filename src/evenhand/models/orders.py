"""Models of whole rankings: likelihood, existence of an estimate, errors by cluster, the fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import comb
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import Judgments, Openable, takes_judgments
from evenhand.data.exclusions import say_unweighted
from evenhand.data.orders import NONE, Orders, count_orders
from evenhand.data.rankings import Rankings
from evenhand.data.tally import Tally
from evenhand.errors import InvalidJudgments, NotIdentified, listing, require_option
from evenhand.models.base import WorthsFit, add_reference
from evenhand.models.design import name_worths, reference_code
from evenhand.models.existence import check_existence, refuse_nothing
from evenhand.models.registry import require_prior
from evenhand.models.texts import say
from evenhand.numerics import Array
from evenhand.numerics.bootstrap import jackknife
from evenhand.numerics.distributions import normal_quantile
from evenhand.numerics.graph import CONE_TOLERANCE, Graph, find_direction, is_strongly_connected
from evenhand.numerics.newton import (
    Expansion,
    invert_positive,
    is_definite,
    maximise,
    one_blas_thread,
)
from evenhand.numerics.sampling import sum_subsets
from evenhand.render.document import Finding

# The likelihood that models of whole rankings share: observed against all rivals, set by set.
#
# ℓ = Σ_choices n (x·b − log Z(A)),   Z(A) = Σ over the rivals x' of the set A of exp(x'·b)
#
# A ranking is one choice or several (Plackett-Luce: one a stage), each among the rivals of a set A
# of outputs. Z depends on the set alone, so that it is evaluated once for each different set,
# however many rankings there are. b holds the K log-worths θ and the law's own parameters; the
# reference has θ = 0 and no column.

Codes = NDArray[np.integer]
BLOCK: Final = 4_000_000  # Most numbers that the moments of the sets worked on at a time may need
MAX_STEP: Final = 10.0  # How far one step may move a difference of log-worths


@dataclass(frozen=True, eq=False)
class Moments:
    """What the rivals of sets of m outputs look like under the model; q = m + law's parameters."""

    log_z: Array  # (N,) log of the sum of all weights
    mean: Array  # (N, q) mean of x
    second: Array  # (N, q, q) mean of x xᵀ


@dataclass(frozen=True, eq=False)
class Choices:
    sets: Codes  # (N, m) codes of the outputs of each different set, ascending
    row: Codes  # (C,) ranking that each choice belongs to
    which: Codes  # (C,) its set
    observed: Array  # (C, q) x of what was chosen


# How a ranking falls into choices, and what rivals there are: with names of its own parameters
# (`extras`), the choices of rankings by size m (`take_apart`), moments of sets whose outputs have
# log-worths (N, m), the rival with the largest x·b (`best`), how many rivals a set of m outputs has
# and how many numbers its moments need (`load`), and which rankings have probability zero, as ties
# that have no δ (`impossible`)
Law: TypeAlias = "StageChoice | PatternLaw"


@dataclass(frozen=True, eq=False)
class OrderLikelihood:
    law: Law  # the law
    orders: Orders  # the rankings
    reference: int  # code of the system with θ = 0

    @cached_property
    def choices(self) -> tuple[Choices, ...]:
        return self.law.take_apart(self.orders)

    @property
    def n_systems(self) -> int:
        return len(self.orders.systems)

    @property
    def full(self) -> int:
        """Number of parameters, the reference's too."""
        return self.n_systems + len(self.law.extras)

    @property
    def size(self) -> int:
        return self.full - 1

    @cached_property
    def scale(self) -> Array:
        """(p,) what turns parameters into estimates: log-worths into λ."""
        return np.repeat([0.5, 1.0], [self.n_systems - 1, len(self.law.extras)])

    def widen(self, beta: Array) -> tuple[Array, Array]:
        """Return (K,) log-worths, the reference at 0, and the law's own parameters."""
        whole = np.insert(beta, self.reference, 0.0)
        return whole[: self.n_systems], whole[self.n_systems :]

    def columns(self, sets: Codes) -> Codes:
        """Return (N, q) places of a set's parameters among all `full` of them."""
        extras = np.arange(self.n_systems, self.full)
        return np.concatenate([sets, np.broadcast_to(extras, (len(sets), len(extras)))], axis=1)

    def moments(self, beta: Array) -> Iterator[tuple[int, Moments, slice]]:
        """Evaluate the sets some thousand at a time: place among choices, moments, which sets."""
        worths, extras = self.widen(beta)
        for at, choices in enumerate(self.choices):
            n, m = choices.sets.shape
            step = max(1, BLOCK // self.law.load(m))
            for start in range(0, n, step):
                part = slice(start, start + step)
                yield at, self.law.moments(worths[choices.sets[part]], extras), part

    def log_probs(self, beta: Array) -> Array:
        log_probs = np.zeros(len(self.orders.weights))
        b = np.concatenate(self.widen(beta))
        log_z = [np.zeros(len(choices.sets)) for choices in self.choices]
        for at, moments, part in self.moments(beta):
            log_z[at][part] = moments.log_z
        for choices, normalised in zip(self.choices, log_z, strict=True):
            parameters = b[self.columns(choices.sets)][choices.which]
            chosen = (choices.observed * parameters).sum(axis=1) - normalised[choices.which]
            log_probs += np.bincount(choices.row, weights=chosen, minlength=len(log_probs))
        return log_probs

    def expand(self, beta: Array) -> Expansion:
        gradient, information = self._observed.copy(), np.zeros(self.full**2)
        value = float(gradient @ np.concatenate(self.widen(beta)))
        for at, moments, part in self.moments(beta):
            counts, columns = self._counts[at][part], self.columns(self.choices[at].sets[part])
            value -= float(counts @ moments.log_z)
            expected = (counts[:, None] * moments.mean).ravel()
            gradient -= np.bincount(columns.ravel(), expected, minlength=self.full)
            cells = (counts[:, None, None] * spread(moments)).ravel()
            flat = (columns[:, :, None] * self.full + columns[:, None, :]).ravel()
            information += np.bincount(flat, cells, minlength=self.full**2)
        rest = np.delete(np.arange(self.full), self.reference)
        square = information.reshape(self.full, self.full)
        return Expansion(value, gradient[rest], square[np.ix_(rest, rest)])

    @cached_property
    def _observed(self) -> Array:
        total = np.zeros(self.full)
        for choices in self.choices:
            weights = self.orders.weights[choices.row][:, None]
            columns = self.columns(choices.sets)[choices.which]
            np.add.at(total, columns, weights * choices.observed)
        return total

    @cached_property
    def _counts(self) -> list[Array]:
        """(N,) how often each set was chosen from, by size of sets."""
        weights = self.orders.weights
        return [
            np.asarray(np.bincount(one.which, weights[one.row], minlength=len(one.sets)), float)
            for one in self.choices
        ]

    def reach(self, step: Array) -> float:
        """Return how far a step moves worths and the law's parameters, in units of MAX_STEP."""
        worths, extras = self.widen(step)
        return max(float(np.ptp(worths)), float(np.abs(extras).max(initial=0.0))) / MAX_STEP

    def cluster_scores(self, beta: Array, codes: Codes, size: int) -> Array:
        """Return (G, p) scores of clusters of rankings, (R,) codes."""
        total = np.zeros(size * self.full)
        means = [np.zeros((len(one.sets), one.observed.shape[1])) for one in self.choices]
        for at, moments, part in self.moments(beta):
            means[at][part] = moments.mean
        for choices, mean in zip(self.choices, means, strict=True):
            left = choices.observed - mean[choices.which]
            flat = codes[choices.row][:, None] * self.full
            flat = flat + self.columns(choices.sets)[choices.which]
            weighed = left * self.orders.weights[choices.row][:, None]
            total += np.bincount(flat.ravel(), weights=weighed.ravel(), minlength=len(total))
        return np.delete(total.reshape(size, self.full), self.reference, axis=1)

    def cluster_information(self, beta: Array, codes: Codes, size: int) -> Array:
        """Return (G, p, p) information of clusters of rankings; arguments as `cluster_scores`."""
        total = np.zeros(size * self.full**2)
        for place, moments, part in self.moments(beta):
            choices, variance = self.choices[place], spread(moments)
            here = np.flatnonzero((choices.which >= part.start) & (choices.which < part.stop))
            columns = self.columns(choices.sets[part])
            flat = columns[:, :, None] * self.full + columns[:, None, :]
            for some in np.array_split(here, 1 + here.size * variance[0].size // BLOCK):
                which, row = choices.which[some] - part.start, choices.row[some]
                at = codes[row][:, None, None] * self.full**2 + flat[which]
                weighed = variance[which] * self.orders.weights[row][:, None, None]
                total += np.bincount(at.ravel(), weights=weighed.ravel(), minlength=len(total))
        whole = total.reshape(size, self.full, self.full)
        return np.delete(np.delete(whole, self.reference, 1), self.reference, 2)


def spread(moments: Moments) -> Array:
    """Return (N, q, q) covariances of x."""
    return np.asarray(moments.second - (moments.mean[:, :, None] * moments.mean[:, None, :]))


def unique_sets(codes: Codes) -> tuple[Codes, Codes]:
    """Return the different rows of (C, m) ascending codes, and which of them each row is."""
    sets, which = np.unique(codes, axis=0, return_inverse=True)
    return sets, which.reshape(-1)


# Does a maximum-likelihood estimate exist for rankings?
#
# Every choice is among finitely many rivals, so that the estimate exists, finite and unique, if and
# only if no direction b ≠ 0 gives every observed choice the largest x·b of its rivals. Hence:
#
# (i)  b that leaves ties alone: "stood above" as steps, ties as steps both ways, must connect all
# systems both ways. Without ties this is all: Hunter (2004), Annals of Statistics 32:384-406.
# (ii) b that moves a tie parameter. If strict preferences alone connect all systems, worths are
# fixed, and only the sizes of ties remain: steps from the size that was chosen to every other
# that could have been must connect all sizes both ways.
# (iii) otherwise a linear programme decides, its constraints found one by one.
#
# In the pattern model (ii) holds by itself: with a strict preference seen γ is bounded above, with
# a tie seen below.

# Most broken constraints of one size of sets that are added to the programme at a time
CONSTRAINTS_AT_ONCE = 200


def check_order_existence(
    likelihood: OrderLikelihood, ties: Sequence[str], *, prior: float = 0.0
) -> None:
    n_extras, full = len(likelihood.law.extras), likelihood.full
    rest = np.delete(np.arange(full), likelihood.reference)

    def broken(direction: Array) -> Array:
        worths, extras = likelihood.widen(direction)
        b = np.concatenate([worths, extras])
        constraints = []
        for choices in likelihood.choices:
            best = likelihood.law.best(worths[choices.sets], extras)[choices.which]
            behind = choices.observed - best
            columns = likelihood.columns(choices.sets)[choices.which]
            gain = (behind * b[columns]).sum(axis=1)
            worst = np.argsort(gain, kind="stable")[:CONSTRAINTS_AT_ONCE]
            worst = worst[gain[worst] < -CONE_TOLERANCE]
            rows = np.zeros((len(worst), full))
            np.put_along_axis(rows, columns[worst], behind[worst], axis=1)
            constraints.append(rows[:, rest])
        return np.concatenate(constraints)

    def find_sizes() -> Array | None:
        """Rule (ii): a direction of the law's own parameters alone, if there is any."""
        if not n_extras:
            return None
        none = np.zeros(likelihood.size - n_extras)
        return find_direction(lambda g: broken(np.concatenate([none, g]))[:, -n_extras:], n_extras)

    pairs = likelihood.orders.tally()
    won, lost = pairs.wins > 0, pairs.losses > 0
    source = np.concatenate([pairs.left[won], pairs.right[lost]]).astype(np.intp)
    target = np.concatenate([pairs.right[won], pairs.left[lost]]).astype(np.intp)
    if not is_strongly_connected(Graph(len(pairs.systems), source, target)):
        check_existence(pairs, ties="none")
    elif find_sizes() is None:
        return
    if not ties or (direction := find_direction(broken, likelihood.size)) is None:
        return
    # name what runs away; worths only where ties do not run away by themselves
    worths, extras = likelihood.widen(direction)
    high = worths > worths.min() + CONE_TOLERANCE
    if (alone := find_sizes()) is not None:
        extras, high = alone, np.zeros_like(high)
    moved = [name for name, g in zip(ties, extras, strict=True) if abs(g) > CONE_TOLERANCE]
    names = np.array(likelihood.orders.systems, dtype=object)
    fault = f"{listing(moved)}: no finite estimate"
    if high.any():
        up, down = listing(names[high].tolist(), 4), listing(names[~high].tolist(), 4)
        fault += f", nor have the worths of {up} against {down}"
    grow = "they grow" if len(moved) > 1 or high.any() else "it grows"
    raise NotIdentified(
        f"{fault}, since no ranking gainsays that {grow} for ever",
        [
            "collect more rankings",
            *([] if prior > 0 else ["pass --prior 1 (in Python prior=1)"]),
            "expand the rankings into comparisons (--ties half-win)",
        ],
    )


# Covariances of a model of rankings by cluster: what the rankings say of their own spread.
#
# d_g = (H − H_g)⁻¹ s_g,   V = (G − 1)/G Σ_g (d_g − d̄)(d_g − d̄)ᵀ         CV3
# V = H⁻¹ (Σ_g s_g s_gᵀ) H⁻¹ · G/(G − 1) · (n − 1)/(n − p)                 CR1
#
# s_g and H_g are the score and the information of the rankings of cluster g. Source: Hansen (2025),
# jackknife by linearised leave-one-out; Liang & Zeger (1986), Biometrika 73:13-22.

# Most numbers in the information of all clusters; beyond it CR1 takes the place of CV3
MAX_CLUSTER_NUMBERS: Final = 20_000_000


@dataclass(frozen=True, eq=False)
class ClusteredErrors:
    by: str  # what the clusters are, such as "judge"
    kind: str  # CV3 (jackknife) or CR1
    clusters: int  # how many there are
    vcov: Array  # (p, p) covariance of the fit's `estimate` (λ scale)
    worth_vcov: Array  # (K, K) covariance of `log_worth`, the reference at 0


LEVEL = 0.95
MAX_SYSTEMS: Final = 2000
GHOST: Final = "the ghost of the prior"


@dataclass(frozen=True)
class OrderSettings:
    ties: Literal["davidson"] = "davidson"
    reference: str | None = None
    prior: float = 0.0

    def __post_init__(self) -> None:
        require_option("ties", self.ties, ("davidson",))
        require_prior(self.prior)

    @takes_judgments("data")
    def fit(self, data: Judgments | Orders | Openable) -> OrderFit:
        """Fit by maximum likelihood (or its posterior mode under a prior).

        Args:
            data: rankings, ties and partial ones too; or comparisons, each a ranking of two;
                votes whose answers are whole rankings are such, others rankings of two.

        Raises:
            NotIdentified: no finite, unique maximum exists; names the systems and the remedy.
            InvalidJudgments: what cannot be a ranking, has no place in the model, or is too long
                to be summed over.
        """
        orders = count_orders(data)
        k, sizes = len(orders.systems), np.unique(orders.sizes())
        law, labels, notes = self._choose_law(orders, tuple(sizes[sizes > 1].tolist()))
        if k > MAX_SYSTEMS:
            raise NotIdentified(
                f"{k:,} systems are too many for a model of whole rankings (at most"
                f" {MAX_SYSTEMS:,}): expand the rankings into comparisons"
            )
        if not len(orders.weights):
            refuse_nothing(orders.tally())
        reference = reference_code(orders.systems, self.reference)
        whole = data = OrderLikelihood(law, orders, reference)
        if self.prior:  # pseudo-comparisons of every system with a ghost, half of them won
            systems, ghosts = np.arange(k, dtype=np.int32), np.full(k, k, dtype=np.int32)
            outputs = np.full((2 * k, orders.outputs.shape[1]), NONE, dtype=np.int32)
            places = outputs.copy()
            outputs[:k, 0], outputs[:k, 1] = systems, ghosts
            outputs[k:, 0], outputs[k:, 1] = ghosts, systems
            places[:, :2] = (0, 1)
            haunted = Orders(
                (*orders.systems, GHOST),
                np.concatenate([orders.outputs, outputs]),
                np.concatenate([orders.places, places]),
                np.concatenate([orders.weights, np.full(2 * k, self.prior / 2)]),
            )
            whole = replace(data, orders=haunted)
        check_order_existence(whole, labels, prior=self.prior)
        with one_blas_thread():
            peak = maximise(whole.expand, np.zeros(whole.size), reach=whole.reach)
            vcov = invert_positive(peak.expansion.information)
        without_ghost = np.delete(np.arange(whole.size), [k - 1] if self.prior else [])
        beta, vcov = peak.at[without_ghost], vcov[np.ix_(without_ghost, without_ghost)]
        df = 0.0  # the rivals of all choices, less one for each, less parameters
        for choices in data.choices:
            rivals = law.count_rivals(choices.sets.shape[1])
            df += float(orders.weights[choices.row].sum()) * (rivals - 1)
        excluded: list[str] = []
        if orders.n_short:
            excluded.append(say("single-output", rankings=orders.n_short))
        if orders.zero_weight:
            excluded.append(say_unweighted(orders.zero_weight))
        names, others = name_worths(orders.systems, reference)
        return OrderFit(
            model=self,
            systems=orders.systems,
            names=(*names, *law.extras),
            labels=(*others, *labels),
            reference=orders.systems[reference],
            estimate=beta * data.scale,
            vcov=vcov * data.scale * data.scale[:, None],
            loglik=float(orders.weights @ data.log_probs(beta)),
            df=df - data.size,
            n_judgments=orders.n_judgments,
            n_comparisons=orders.n_comparisons,
            steps=peak.steps,
            decrement=peak.decrement,
            notes=(*notes, *orders.notes, *excluded),
            likelihood=data,
        )

    def _choose_law(
        self, orders: Orders, tied: tuple[int, ...]
    ) -> tuple[Law, Sequence[str], Sequence[str]]:
        """Return the law, labels of its parameters and notes, by the sizes of ties observed."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OrderFit(WorthsFit):
    """The law's own parameters are g2, g3, ... or g1."""

    model: OrderSettings  # the settings
    df: float  # choices' rivals, less one each, less parameters; see `deviance`
    steps: int  # Newton steps
    decrement: float  # Newton decrement squared at the end
    likelihood: OrderLikelihood  # the law on the rankings

    assumes = "independent rankings"

    @cached_property
    def beta(self) -> Array:
        """(p,) log-worths without the reference, then the law's own parameters."""
        return self.estimate / self.likelihood.scale

    @cached_property
    def beta_vcov(self) -> Array:
        """(p, p) model-based covariance of `beta`, which takes rankings for independent."""
        scale = self.likelihood.scale
        return self.vcov / scale / scale[:, None]

    @property
    def deviance(self) -> float:
        """−2ℓ, on `df`: against certainty of every choice, so that it tests no fit."""
        return -2 * self.loglik

    @property
    def says(self) -> tuple[Finding, ...]:
        z = normal_quantile((1 + LEVEL) / 2)
        lines = []
        extras = len(self.likelihood.law.extras)
        for one in self.coefficients[len(self.coefficients) - extras :]:
            half = z * (one.stderr or 0.0)
            ends = (one.estimate, one.estimate - half, one.estimate + half)
            symbol = "ν" if one.name == "g1" else f"δ{one.name[1:]}"
            values: dict[str, Any] = {"label": one.label, "symbol": symbol, "level": LEVEL}
            values |= zip(("value", "lower", "upper"), np.exp(ends).tolist(), strict=True)
            lines.append(say("tie-parameter", "info", **values))
        return (
            *lines,
            say("orders-deviance", "info", deviance=self.deviance, df=self.df),
            say("orders-independent", "info"),
            self.say_largest(),
        )

    @property
    def signature_parts(self) -> tuple[str, ...]:
        model = self.model
        return (model.ties, *([f"prior {model.prior:g} per system"] if model.prior else []))

    def predict(self, pairs: Sequence[tuple[str, str]]) -> Array:
        outcomes: tuple[list[Sequence[Sequence[str]]], ...] = (
            [([a], [b]) for a, b in pairs],
            [([a, b],) for a, b in pairs],
            [([b], [a]) for a, b in pairs],
        )
        columns = [self.log_probs(self._orders(rankings)) for rankings in outcomes]
        return np.exp(np.stack(columns, axis=1))

    def log_prob(self, ranking: Sequence[str | Sequence[str]]) -> float:
        return float(self.log_probs(self._orders([ranking]))[0])

    def log_probs(self, orders: Orders) -> Array:
        """Return (R,) log-probabilities (nats) of rankings, −∞ for ties of a size never seen."""
        codes = np.array([self.code(name) for name in orders.systems], np.int32)
        outputs = np.where(orders.outputs == NONE, NONE, codes[orders.outputs]).astype(np.int32)
        recoded = Orders(self.systems, outputs, orders.places, orders.weights)
        law, log_probs = self.likelihood.law, np.full(len(outputs), -np.inf)
        possible = np.flatnonzero(~law.impossible(recoded))
        places, weights = orders.places[possible], orders.weights[possible]
        some = Orders(self.systems, outputs[possible], places, weights)
        likelihood = OrderLikelihood(law, some, self.likelihood.reference)
        log_probs[possible] = likelihood.log_probs(self.beta)
        return log_probs

    def _orders(self, rankings: Sequence[Sequence[str | Sequence[str]]]) -> Orders:
        rows = []
        for ranking in rankings:
            row = []
            for place, tied in enumerate(ranking):
                names = (tied,) if isinstance(tied, str) else tied
                row += [(self.code(name), place) for name in names]
            rows.append(row)
        widest = max((len(row) for row in rows), default=2)
        table = np.full((2, len(rows), widest), NONE, dtype=np.int32)
        for i, row in enumerate(rows):
            if len({code for code, _ in row}) < len(row):
                raise InvalidJudgments(f"{rankings[i]} ranks a system twice")
            table[:, i, : len(row)] = np.array(row, dtype=np.int32).reshape(-1, 2).T
        return Orders(self.systems, table[0], table[1], np.ones(len(rows)))

    def cluster_vcov(self, data: Rankings | Comparisons | Tally, by: str) -> ClusteredErrors:
        likelihood, beta, bread = self.likelihood, self.beta, self.beta_vcov
        p, level = len(bread), None
        if by == "ranking":  # each ranking is a cluster of its own
            weights = likelihood.orders.weights
            scores = likelihood.cluster_scores(beta, np.arange(len(weights)), len(weights))
            scores = scores / np.sqrt(weights)[:, None]
            n = clusters = float(weights.sum())
        else:
            orders = count_orders(data, by)
            if orders.systems != self.systems or orders.n_judgments != self.n_judgments:
                raise InvalidJudgments("these are not the rankings that the model was fitted to")
            likelihood = OrderLikelihood(likelihood.law, orders, likelihood.reference)
            n, level = float(orders.weights.sum()), orders.level
            if level is None or level.size < 2:
                raise NotIdentified(
                    "all rankings are of one cluster: there is no spread between clusters"
                )
            clusters = level.size
            scores = likelihood.cluster_scores(beta, level.codes, level.size)
        if level is not None and level.size * p**2 <= MAX_CLUSTER_NUMBERS:
            total, kind = np.linalg.inv(bread), "CV3"
            rest = total - likelihood.cluster_information(beta, level.codes, level.size)
            alone = [g for g, one in enumerate(rest) if not is_definite(one, np.diag(total))]
            if alone:
                some = [level.labels[g] for g in alone]
                names = "a few clusters" if level.merged else listing(some, 3)
                raise NotIdentified(
                    f"without {names} some systems are linked to the rest by nothing"
                )
            changes: Array = np.asarray(np.linalg.solve(rest, scores[:, :, None])[:, :, 0])
            vcov = jackknife(changes)
        elif n <= p:
            raise NotIdentified(
                f"{n:,.0f} rankings for {p} parameters are too few to show their own spread"
            )
        else:
            inflation, kind = clusters / (clusters - 1) * (n - 1) / (n - p), "CR1"
            vcov = np.asarray(bread @ (scores.T @ scores) @ bread * inflation)
        scaled = vcov * likelihood.scale * likelihood.scale[:, None]
        worths = add_reference(vcov, len(self.systems), likelihood.reference)
        size = self.n_judgments if by == "ranking" else clusters
        return ClusteredErrors(by, kind, int(size), scaled, worths)


# Plackett-Luce and, with ties, Davidson-Luce: a ranking as a row of choices of the best.
#
# P(ranking) = ∏_stages  f(T) / Σ_{S ⊆ A, |S| observed} f(S),   f(T) = δ_|T| (∏_{i∈T} π_i)^{1/|T|}
#
# A are the outputs not yet placed, T those placed next: one, or several that tie; δ_1 = 1. Without
# ties this is Plackett (1975), Applied Statistics 24:193-202; with ties Turner, van Etten, Firth &
# Kosmidis (2020), Computational Statistics 35:1027-1057. On pairs it is Davidson's model with
# ν = δ_2. log-worth = log π.
#
# When not to use it: when judges do not pick the best first (it is not the same read from the worst
# end), when outputs of one ranking draw worth from each other, or when one judge's rankings hang
# together (its own standard errors are then too small: `fit.cluster_vcov(data, "judge")`).
#
# All subsets of the sizes that were observed compete, as far as outputs remain; their sums are
# elementary symmetric functions.


@dataclass(frozen=True)
class StageChoice:
    # sizes of tied sets that have a δ, ascending, from 2; none for plain Plackett-Luce
    sizes: tuple[int, ...] = ()

    @property
    def extras(self) -> tuple[str, ...]:
        return tuple(f"g{size}" for size in self.sizes)

    def _allowed(self, m: int) -> list[tuple[int, int | None]]:
        """Return the sizes that m remaining outputs allow, and the place of each one's log δ."""
        tied = [(size, m + at) for at, size in enumerate(self.sizes) if size <= m]
        return [(1, None), *tied]

    def count_rivals(self, m: int) -> float:
        return float(sum(comb(m, size) for size, _ in self._allowed(m)))

    def load(self, m: int) -> int:
        return 4 * (m + len(self.sizes)) ** 2

    def impossible(self, orders: Orders) -> NDArray[np.bool_]:
        return np.asarray(~np.isin(orders.sizes(), (0, 1, *self.sizes)).all(axis=1))

    def take_apart(self, orders: Orders) -> tuple[Choices, ...]:
        """Return the stages with more than one output left, by how many are left."""
        stages: dict[int, list[tuple[NDArray[Any], ...]]] = {}
        lengths, n = orders.lengths, orders.outputs.shape[1]
        for at in range(n - 1):
            place = orders.places[:, at]
            fresh = place != orders.places[:, at - 1] if at else np.ones(len(place), dtype=np.bool_)
            for m in range(2, n - at + 1):
                row = np.flatnonzero(fresh & (lengths - at == m))
                if len(row):
                    left = orders.outputs[row, at : at + m]
                    chosen = orders.places[row, at : at + m] == place[row, None]
                    stages.setdefault(m, []).append((row, left, chosen))
        choices = []
        for _, parts in sorted(stages.items()):
            row, left, chosen = (np.concatenate(part) for part in zip(*parts, strict=True))
            order = np.argsort(left, axis=1)
            chosen = np.take_along_axis(chosen, order, axis=1)
            size = chosen.sum(axis=1)
            tied = size[:, None] == np.array(self.sizes, dtype=size.dtype)
            sets, which = unique_sets(np.take_along_axis(left, order, axis=1))
            observed = np.column_stack([chosen / size[:, None], tied])
            choices.append(Choices(sets, row, which, observed))
        return tuple(choices)

    def moments(self, worths: Array, extras: Array) -> Moments:
        n, m = worths.shape
        shift = worths.max(axis=1, keepdims=True)
        q = m + len(extras)
        total, mean, second = np.zeros(n), np.zeros((n, q)), np.zeros((n, q, q))
        for size, place in self._allowed(m):
            sums = sum_subsets(np.exp((worths - shift) / size), size)
            delta = 1.0 if place is None else float(np.exp(extras[place - m]))
            total += delta * sums.every
            mean[:, :m] += delta * sums.one / size
            second[:, :m, :m] += delta * sums.two / size**2
            if place is not None:
                mean[:, place] = second[:, place, place] = delta * sums.every
                cross = delta * sums.one / size
                second[:, :m, place], second[:, place, :m] = cross, cross
        log_z = np.log(total) + shift[:, 0]
        return Moments(log_z, mean / total[:, None], second / total[:, None, None])

    def best(self, worths: Array, extras: Array) -> Array:
        """Return (N, q) the subset with the largest weight: the best outputs, as many as pay."""
        m = worths.shape[1]
        order = np.argsort(-worths, axis=1, kind="stable")
        sums = np.cumsum(np.take_along_axis(worths, order, axis=1), axis=1)
        sizes = self._allowed(m)
        gains = [0.0 if place is None else extras[place - m] for _, place in sizes]
        values = [sums[:, d - 1] / d + gain for (d, _), gain in zip(sizes, gains, strict=True)]
        chosen = np.argmax(np.column_stack(values), axis=1)
        size = np.array([d for d, _ in sizes])[chosen]
        rank = np.argsort(order, axis=1, kind="stable")
        inside = (rank < size[:, None]) / size[:, None]
        tied = size[:, None] == np.array(self.sizes, dtype=size.dtype)
        return np.column_stack([inside, tied])


@dataclass(frozen=True)
class PlackettLuce(OrderSettings):
    """Settings of a Plackett-Luce model.

    Attributes:
        ties: davidson: a parameter δ for every size of tied sets that was observed; where no ties
            were, plain Plackett-Luce.
        reference: the system with log-worth 0; the last by default.
        prior: pseudo-comparisons of every system with a ghost, half of them won; 0 for none.

    >>> from evenhand.data.orders import Orders
    >>> import numpy as np
    >>> best_first = np.array([[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 1, 0]], np.int32)
    >>> places = np.tile(np.arange(3, dtype=np.int32), (4, 1))
    >>> counts = np.array([6.0, 4.0, 5.0, 3.0])
    >>> fit = PlackettLuce().fit(Orders(("new", "old", "plain"), best_first, places, counts))
    >>> {name: round(worth, 2) for name, worth in fit.worths.items()}
    {'new': 0.55, 'old': 0.28, 'plain': 0.17}
    """

    def _choose_law(
        self,
        orders: Orders,  # noqa: ARG002 - as others
        tied: tuple[int, ...],
    ) -> tuple[Law, Sequence[str], Sequence[str]]:
        notes = [] if tied else [say("plain-plackett-luce")]
        missing = [str(size) for size in range(2, max(tied, default=2)) if size not in tied]
        if missing:
            notes.append(say("missing-tie-sizes", largest=tied[-1], missing=", ".join(missing)))
        return StageChoice(tied), [f"tie of {size}" for size in tied], notes


# The pattern model of rankings (Mallows-Bradley-Terry): a ranking as comparisons that must agree.
#
#     P(ranking of A) ∝ exp Σ_{j∈A} λ_j (#below j − #above j),   over all rankings of the set A
#
# It is the Bradley-Terry model of all pairs, given that they form a ranking. Ties, where observed,
# add exp γ for each tied pair, over all rankings with ties (the undecided category of prefmod's
# patterns). log-worth = 2λ; on pairs it is Davidson's model. Source: Mallows (1957), Biometrika
# 44:114-130; Dittrich, Hatzinger & Katzenbeisser (2002), Computational Statistics & Data Analysis
# 40:39-57; prefmod (Hatzinger & Dittrich 2012, Journal of Statistical Software 48(10)),
# `pattR.fit`.
#
# When not to use it: for long rankings (all their orders are summed over), and where judges rank
# sets of different sizes: the model of a set's subset is another one, so that worths from sets of 3
# and of 5 outputs are not quite the same thing. A partial ranking counts as a ranking of the
# outputs in it.
#
# The sum over all rankings of a set goes output by output, or tied group by tied group, through its
# subsets: 2^m m steps instead of m! terms (Held & Karp 1962), 3^m with ties. See also Critchlow &
# Fligner (1991), Psychometrika 56:517-533.

LONGEST_PLAIN: Final = 12  # Most outputs of a ranking without ties: 24,576 steps
LONGEST_TIED: Final = 9  # Most outputs of a ranking where ties are modelled: 19,171 steps


@dataclass(frozen=True)
class PatternLaw:
    ties: bool  # whether tied groups are patterns too, with a parameter for each tied pair

    @property
    def extras(self) -> tuple[str, ...]:
        return ("g1",) if self.ties else ()

    def count_rivals(self, m: int) -> float:
        counts = [1.0]
        for size in range(1, m + 1):
            first = range(1, size + 1) if self.ties else (1,)
            counts.append(sum(comb(size, group) * counts[size - group] for group in first))
        return counts[m]

    def load(self, m: int) -> int:
        return (1 << m) * (m + len(self.extras)) ** 2

    def impossible(self, orders: Orders) -> NDArray[np.bool_]:
        return np.asarray((orders.sizes() > 1).any(axis=1) & (not self.ties))

    def take_apart(self, orders: Orders) -> tuple[Choices, ...]:
        """Return each ranking as one choice, by number of outputs."""
        choices = []
        for m in np.unique(orders.lengths).tolist():
            row = np.flatnonzero(orders.lengths == m)
            outputs, places = orders.outputs[row, :m], orders.places[row, :m]
            order = np.argsort(outputs, axis=1)
            places = np.take_along_axis(places, order, axis=1)
            worse = places[:, None, :] - places[:, :, None]
            net = np.sign(worse).sum(axis=2) / 2  # of log-worths, which are 2λ
            tied = ((worse == 0).sum(axis=(1, 2)) - m) / 2
            observed = np.column_stack([net, tied]) if self.ties else net
            sets, which = unique_sets(np.take_along_axis(outputs, order, axis=1))
            choices.append(Choices(sets, row, which, np.asarray(observed, dtype=np.float64)))
        return tuple(choices)

    def moments(self, worths: Array, extras: Array) -> Moments:
        n, m = worths.shape
        q = m + len(extras)
        centred = worths - worths.mean(axis=1, keepdims=True)
        whole = np.concatenate([centred, np.broadcast_to(extras, (n, len(extras)))], axis=1)
        every, mean = np.zeros((1 << m, n)), np.zeros((1 << m, n, q))
        second = np.zeros((1 << m, n, q, q))
        every[0] = 1.0
        for above, joined, x in _steps(m, ties=self.ties):
            u = np.array(x)[:q]
            weight = np.exp(whole @ u)
            first, grown = mean[above], weight * every[above]
            cross = weight[:, None, None] * (first[:, :, None] * u)
            second[joined] += weight[:, None, None] * second[above] + cross
            second[joined] += cross.transpose(0, 2, 1) + grown[:, None, None] * np.outer(u, u)
            mean[joined] += weight[:, None] * first + grown[:, None] * u
            every[joined] += grown
        total = every[-1]
        return Moments(np.log(total), mean[-1] / total[:, None], second[-1] / total[:, None, None])

    def best(self, worths: Array, extras: Array) -> Array:
        """Return (N, q) the ranking with the largest x·b: by worth, neighbours tied if it pays."""
        n, m = worths.shape
        order = np.argsort(-worths, axis=1, kind="stable")
        sums = np.cumsum(np.take_along_axis(worths, order, axis=1), axis=1)
        sums = np.concatenate([np.zeros((n, 1)), sums], axis=1)
        gamma = float(extras[0]) if self.ties else 0.0
        value, start = np.zeros((n, m + 1)), np.zeros((n, m + 1), dtype=np.intp)
        value[:, 1:] = -np.inf
        for last in range(1, m + 1):
            for first in range(0 if self.ties else last - 1, last):
                gain = (m - last - first) / 2 * (sums[:, last] - sums[:, first])
                gain += value[:, first] + gamma * comb(last - first, 2)
                start[:, last] = np.where(gain > value[:, last], first, start[:, last])
                value[:, last] = np.maximum(gain, value[:, last])
        # walk back through the tied groups from the last output
        rank, end = np.arange(m), np.full(n, m)
        sorted_x, tied = np.zeros((n, m)), np.zeros(n)
        while (end > 0).any():
            begin = start[np.arange(n), end]
            inside = (rank >= begin[:, None]) & (rank < end[:, None])
            sorted_x += inside * ((m - end - begin) / 2)[:, None]
            tied += (end - begin) * (end - begin - 1) / 2
            end = begin
        x = np.empty((n, m))
        np.put_along_axis(x, order, sorted_x, axis=1)
        return np.column_stack([x, tied]) if self.ties else x


@cache
def _steps(m: int, *, ties: bool) -> tuple[tuple[int, int, tuple[float, ...]], ...]:
    """Return the steps from a set placed to the set then placed, and what each adds to x."""
    steps = []
    for joined in range(1, 1 << m):
        group = joined
        while group:  # a tied group, placed below the outputs placed so far
            if ties or group & (group - 1) == 0:
                above, size = (joined ^ group).bit_count(), group.bit_count()
                net = (m - joined.bit_count() - above) / 2
                inside = tuple(net if group >> i & 1 else 0.0 for i in range(m))
                steps.append((joined ^ group, joined, (*inside, float(comb(size, 2)))))
            group = (group - 1) & joined
    return tuple(steps)


@dataclass(frozen=True)
class PatternModel(OrderSettings):
    """Settings of a pattern model.

    Attributes:
        ties: davidson: a parameter γ for each tied pair; where no ties were observed, rankings
            without ties only.
        reference: the system with log-worth 0; the last by default.
        prior: pseudo-comparisons of every system with a ghost, half of them won; 0 for none.

    >>> from evenhand.data.orders import Orders
    >>> import numpy as np
    >>> best_first = np.array([[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 1, 0]], np.int32)
    >>> places = np.tile(np.arange(3, dtype=np.int32), (4, 1))
    >>> counts = np.array([6.0, 4.0, 5.0, 3.0])
    >>> fit = PatternModel().fit(Orders(("new", "old", "plain"), best_first, places, counts))
    >>> {name: round(worth, 2) for name, worth in fit.worths.items()}
    {'new': 0.51, 'old': 0.29, 'plain': 0.2}
    """

    def _choose_law(
        self, orders: Orders, tied: tuple[int, ...]
    ) -> tuple[Law, Sequence[str], Sequence[str]]:
        longest = int(orders.lengths.max(initial=0))
        if longest > (most := LONGEST_TIED if tied else LONGEST_PLAIN):
            raise InvalidJudgments(
                f"a ranking of {longest} outputs is too long for the pattern model, which sums over"
                f" all rankings of its outputs (at most {most} here): use PlackettLuce, or expand"
                " the rankings into comparisons"
            )
        labels, notes = (["tie"], []) if tied else ([], [say("plain-pattern")])
        return PatternLaw(bool(tied)), labels, notes
