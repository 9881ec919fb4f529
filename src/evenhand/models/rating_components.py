"""Variance components of ratings: how much of a score is the system, the judge, the item, chance.

    y = μ + system + judge + item + (item x system) + (judge x system) + (judge x item) + residual

Each effect is normal with a variance of its own, estimated by restricted maximum likelihood
(Patterson & Thompson 1971, Biometrika 58:545-554); what a design cannot tell apart is one. When not
to use it: docs/models/variance-components.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import exp, inf, log, pi, sqrt
from typing import Final, Literal

import numpy as np

from evenhand.data.rating_rows import RatingRows
from evenhand.data.results import (
    ITEM,
    ITEM_SYSTEM,
    JUDGE,
    JUDGE_ITEM,
    JUDGE_SYSTEM,
    NAMES,
    RESIDUAL,
    SYSTEM,
    Component,
)
from evenhand.errors import NotConverged, NotIdentified, listing
from evenhand.models.texts import say
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.cluster_means import number_groups
from evenhand.numerics.distributions import chi2_tail, normal_quantile
from evenhand.numerics.gaussian_process import fill_up, invert_all
from evenhand.numerics.graph import Graph, weak_components
from evenhand.numerics.newton import one_blas_thread
from evenhand.render.document import Finding

RANDOM: Final = tuple(name for name in NAMES if name != RESIDUAL)


@dataclass(frozen=True, eq=False)
class Term:
    name: str  # of the component, such as "judge x system"
    codes: Integers  # (n,) level of each score, 0 to size − 1, all of them seen
    size: int  # number of levels q

    @property
    def counts(self) -> Integers:
        return np.bincount(self.codes, minlength=self.size)


def make_terms(rows: RatingRows) -> tuple[Term, ...]:
    terms = []
    for name in RANDOM:
        codes = number_groups(*(getattr(rows, factor) for factor in name.split(" x ")))
        terms.append(Term(name, codes, int(codes.max()) + 1))
    return tuple(terms)


def cross(codes: Integers, others: Integers) -> tuple[Integers, int]:
    """Number the pairs of levels that occur; return the number of each row, and how many."""
    pairs = number_groups(codes, others)
    return pairs, int(pairs.max()) + 1


# Which effects are eliminated block by block, and which are solved for together.
#
# Effects of one item (its own, its outputs', its judges') meet those of other items only through
# judges, systems and tastes. So the mixed-model equations are an arrow: a small dense block for
# each item, and a border of effects that all items share. The same holds with judges for items.
# Taken is what costs less; blocks of one shape are solved in batches.

# Most effects that are solved for together: beyond, a dense matrix of them takes too long
MAX_BORDER: Final = 4_000
MAX_NUMBERS: Final = 2_000_000  # Held at once by a batch
# What belongs to one item, and to one judge
LOCAL: Final = {
    ITEM: frozenset({ITEM, ITEM_SYSTEM, JUDGE_ITEM}),
    JUDGE: frozenset({JUDGE, JUDGE_SYSTEM, JUDGE_ITEM}),
}


@dataclass(frozen=True, eq=False)
class Batch:
    """Blocks filled up to one width d, bordered by up to g shared effects."""

    effects: Integers  # (B, d) number of each effect among all; the number of none where filled up
    shared: Integers  # (B, g) place of each in the border; the border's width: none
    inner: Array  # (B, d, d) scores that two effects share
    across: Array  # (B, d, g) scores that an effect shares with a shared one


@dataclass(frozen=True, eq=False)
class Arrangement:
    """The mixed-model equations without their variances."""

    columns: int  # columns of the fixed effects p, numbered first; random effects follow
    starts: tuple[int, ...]  # (K,) number of the first effect of each term
    effects: int  # number of all effects, p + Σ q_k
    border: Integers  # (G,) numbers of the shared effects
    crossing: Array  # (G, G) scores that two shared effects share
    batches: tuple[Batch, ...]  # the blocks
    cost: float  # operations of solving them once, roughly


@dataclass(frozen=True)
class _Plan:
    inside: tuple[int, ...]  # numbers of those terms
    block: Integers | None  # (n,) block of each score; None where nothing is eliminated
    cost: float  # operations, roughly
    width: int  # of the border


def arrange(terms: Sequence[Term], fixed: Term) -> Arrangement | None:
    plans = [_Plan((), None, 0.0, fixed.size + sum(term.size for term in terms))]
    for owner, names in LOCAL.items():
        inside = tuple(i for i, term in enumerate(terms) if term.name in names)
        if inside:
            plans.append(_weigh(terms, fixed, owner, inside))
    possible = [plan for plan in plans if plan.width <= MAX_BORDER and plan.cost < np.inf]
    plan = min(possible, key=lambda plan: plan.cost + plan.width**3, default=None)
    if plan is None:
        return None
    starts = fixed.size + np.concatenate(([0], np.cumsum([term.size for term in terms])))
    numbers = [term.codes + start for term, start in zip(terms, starts[:-1], strict=True)]
    outside = [fixed.codes, *(numbers[i] for i in range(len(terms)) if i not in plan.inside)]
    border = np.unique(np.concatenate([np.unique(codes) for codes in outside]))
    none, width = int(starts[-1]), len(border)
    place = np.full(none + 1, width, dtype=np.int64)
    place[border] = np.arange(width)
    places = [place[codes] for codes in outside]
    crossing = np.zeros(width * width)
    for row in places:
        for column in places:
            crossing += np.bincount(row * width + column, minlength=width * width)
    batches: tuple[Batch, ...] = ()
    if plan.block is not None:
        inside_codes = [numbers[i] for i in plan.inside]
        batches = tuple(_make_batches(plan.block, (inside_codes, places), (none, width)))
    return Arrangement(
        columns=fixed.size,
        starts=tuple(starts[:-1].tolist()),
        effects=none,
        border=border,
        crossing=crossing.reshape(width, width),
        batches=batches,
        cost=plan.cost + float(width) ** 3,
    )


def _weigh(terms: Sequence[Term], fixed: Term, owner: str, inside: tuple[int, ...]) -> _Plan:
    block = next((term.codes for term in terms if term.name == owner), None)
    if block is None:  # the factor has no variance of its own here: join what shares an effect
        joined = [terms[i] for i in inside]
        n = len(joined[0].codes)
        starts = n + np.cumsum([0, *(term.size for term in joined)])
        source = np.tile(np.arange(n), len(joined))
        pairs = zip(joined, starts[:-1], strict=True)
        target = np.concatenate([term.codes + start for term, start in pairs])
        block = number_groups(weak_components(Graph(int(starts[-1]), source, target))[:n])
    size = int(block.max()) + 1
    depth, breadth = np.zeros(size), np.full(size, 1.0)
    for i, term in enumerate(terms):
        codes, cells = cross(block, term.codes)
        owners = np.empty(cells, dtype=np.int64)
        owners[codes] = block
        levels = np.bincount(owners, minlength=size)
        if i in inside:
            depth += levels
        else:
            breadth += levels
    cost = float((depth * (depth + breadth) ** 2).sum())
    width = fixed.size + sum(term.size for i, term in enumerate(terms) if i not in inside)
    return _Plan(inside, block, cost if depth.max() <= MAX_BORDER else np.inf, width)


def _make_batches(
    block: Integers, sides: tuple[list[Integers], list[Integers]], none: tuple[int, int]
) -> list[Batch]:
    """Fill blocks up to common widths, and count within them, and with what is outside."""
    inner, outer = (_place(block, effects) for effects in sides)
    wide = np.stack((fill_up(inner.sizes), fill_up(outer.sizes)), axis=1)
    order = np.lexsort((wide[:, 1], wide[:, 0]))
    batches, low = [], 0
    while low < len(order):
        d, g = wide[order[low]].tolist()
        most = max(1, MAX_NUMBERS // (d + g) ** 2)
        same = np.flatnonzero((wide[order[low:]] != wide[order[low]]).any(axis=1))
        high = min(low + most, low + int(same[0]) if len(same) else len(order))
        chosen = order[low:high]
        at = np.full(len(inner.sizes), -1, dtype=np.int64)
        at[chosen] = np.arange(len(chosen))
        rows = np.flatnonzero(at[block] >= 0)
        owner = at[block[rows]]
        inner_places = [place[rows] for place in inner.within]
        outer_places = [place[rows] for place in outer.within]
        numbers = (_list(inner, chosen, d, none[0]), _list(outer, chosen, g, none[1]))
        cells, borders = np.zeros(len(chosen) * d * d), np.zeros(len(chosen) * d * g)
        for place in inner_places:
            row = owner * d + place
            for other in inner_places:
                cells += np.bincount(row * d + other, minlength=len(cells))
            for other in outer_places:
                borders += np.bincount(row * g + other, minlength=len(borders))
        batches.append(Batch(*numbers, cells.reshape(-1, d, d), borders.reshape(-1, d, g)))
        low = high
    return batches


@dataclass(frozen=True, eq=False)
class _Places:
    sizes: Integers  # (blocks,) different effects of each
    within: tuple[Integers, ...]  # by term (n,) place of the effect of each score in its block
    numbers: Integers  # (all,) effects, block by block


def _place(block: Integers, effects: list[Integers]) -> _Places:
    size = int(max(codes.max() for codes in effects)) + 1
    keys = [block * size + codes for codes in effects]
    different = np.unique(np.concatenate([np.unique(key) for key in keys]))
    sizes = np.bincount(different // size, minlength=int(block.max()) + 1)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    within = tuple(np.searchsorted(different, key) - starts[block] for key in keys)
    return _Places(sizes, within, different % size)


def _list(places: _Places, chosen: Integers, width: int, none: int) -> Integers:
    starts = np.concatenate(([0], np.cumsum(places.sizes)))[chosen]
    at = starts[:, None] + np.arange(width)
    held = np.arange(width) < places.sizes[chosen][:, None]
    return np.where(held, places.numbers[np.minimum(at, len(places.numbers) - 1)], none)


# The mixed-model equations factored: blocks first, then what they leave of the border.
#
# For each block A (effects of one item) with border B (effects that items share) and corner C
#
# S = C − Σ Bᵀ A⁻¹ B,    log|M| = log|S| + Σ log|A|
# diag M⁻¹ on a block = diag A⁻¹ + diag (A⁻¹B) S⁻¹ (A⁻¹B)ᵀ


@dataclass(frozen=True, eq=False)
class Factor:
    """The inverse of M as far as it is needed."""

    log_det: float  # log|M|
    diagonal: Array  # (effects,) diagonal of M⁻¹
    made: Arrangement
    corner: Array  # (G, G) M⁻¹ among the shared effects, fixed ones first
    blocks: tuple[tuple[Array, Array], ...]  # of each batch (B, d, d) A⁻¹, (B, d, g) A⁻¹B

    @classmethod
    def of(cls, made: Arrangement, scale: Array, residual: float) -> Factor:
        """Eliminate the blocks, then invert what they leave of the border."""
        padded = np.append(scale, 0.0)
        width = len(made.border)
        edge = np.append(scale[made.border], 0.0)
        corner = np.zeros((width + 1) ** 2)
        log_det, blocks = 0.0, []
        for batch in made.batches:
            # A⁻¹, A⁻¹B and the log-determinant of these blocks, without what is filled up
            own_scale = padded[batch.effects]
            inner = batch.inner * own_scale[:, :, None] * own_scale[:, None, :]
            diagonal = np.arange(own_scale.shape[1])
            inner[:, diagonal, diagonal] += residual
            inverse, log_dets = invert_all(inner)
            filled = int((batch.effects == len(padded) - 1).sum())
            log_det += float(log_dets.sum()) - filled * log(residual)
            border = batch.across * own_scale[:, :, None] * edge[batch.shared][:, None, :]
            across = inverse @ border
            blocks.append((inverse, across))
            places = batch.shared[:, :, None] * (width + 1) + batch.shared[:, None, :]
            taken = border.transpose(0, 2, 1) @ across
            corner -= np.bincount(places.ravel(), taken.ravel(), (width + 1) ** 2)
        square = corner.reshape(width + 1, width + 1)[:width, :width]
        square += made.crossing * np.outer(edge[:-1], edge[:-1])
        random = np.flatnonzero(made.border >= made.columns)
        square[random, random] += residual
        (inverse,), (log_det_left,) = invert_all(square[None])
        log_det += float(log_det_left)
        edged = np.zeros((width + 1, width + 1))
        edged[:width, :width] = inverse
        values = np.zeros(made.effects + 1)
        values[made.border] = np.diag(inverse)
        for batch, (inner, across) in zip(made.batches, blocks, strict=True):
            beside = edged[batch.shared[:, :, None], batch.shared[:, None, :]]
            added = ((across @ beside) * across).sum(axis=2)
            values[batch.effects] = np.diagonal(inner, axis1=1, axis2=2) + added
        return cls(log_det, values[:-1], made, inverse, tuple(blocks))

    def solve(self, right: Array) -> Array:
        border, batches, m = self.made.border, self.made.batches, right.shape[1]
        padded = np.concatenate((right, np.zeros((1, m))))
        edge = np.concatenate((right[border], np.zeros((1, m))))
        for batch, (_, across) in zip(batches, self.blocks, strict=True):
            taken = across.transpose(0, 2, 1) @ padded[batch.effects]
            for column in range(m):
                values = taken[:, :, column].ravel()
                edge[:, column] -= np.bincount(batch.shared.ravel(), values, len(edge))
        shared = np.concatenate((self.corner @ edge[:-1], np.zeros((1, m))))
        solution = np.zeros_like(padded)
        solution[border] = shared[:-1]
        for batch, (inverse, across) in zip(batches, self.blocks, strict=True):
            alone = inverse @ padded[batch.effects]
            solution[batch.effects] = alone - across @ shared[batch.shared]
        return solution[:-1]


# Henderson's mixed-model equations and the restricted likelihood that they give.
#
# With y = Xβ + Σ Z_k u_k + e, u_k = σ_k b_k, b_k ~ N(0, I), e ~ N(0, σ_e² I), W = [X, σ_k Z_k],
#
# M = WᵀW + σ_e² · diag(0, I),   M s = Wᵀy,   s = (β, b)
# −2ℓ = (n − p − q) log σ_e² + log|M| + yᵀPy + (n − p) log 2π,   yᵀPy = (yᵀy − sᵀWᵀy)/σ_e²
# ∂ℓ/∂σ_k² = −½ {q_k − σ_e² tr(M⁻¹)_kk − b_kᵀb_k} / σ_k²
# AI_kl = ½ f_kᵀ P f_l,   f_k = Z_k b_k/σ_k,   f_e = (y − Ws)/σ_e²
#
# Written in b, not u, the equations stand also where a variance is as good as 0.
#
# Source: Henderson (1973), Journal of Animal Science, Symposium 10-41; Patterson & Thompson (1971),
# Biometrika 58:545-554; average information: Gilmour, Thompson & Cullis (1995), Biometrics
# 51:1440-1450.


@dataclass(frozen=True, eq=False)
class Problem:
    score: Array  # (n,) scores
    terms: Sequence[Term]  # K random terms
    fixed: Term  # levels with a mean of their own
    arrangement: Arrangement  # of the equations

    @property
    def df(self) -> int:
        return len(self.score) - self.fixed.size

    def scale(self, variances: Array) -> Array:
        """Return (effects,) standard deviations, 1 of fixed ones."""
        sizes = [self.arrangement.columns, *(term.size for term in self.terms)]
        return np.repeat([1.0, *np.sqrt(variances[:-1])], sizes)

    def spread(self, effects: Array) -> Array:
        """Return (n,) sums over each score's effects, fixed ones as well."""
        total = effects[self.fixed.codes]
        for term, start in zip(self.terms, self.arrangement.starts, strict=True):
            total = total + effects[term.codes + start]
        return np.asarray(total)

    def gather(self, values: Array) -> Array:
        parts = [np.bincount(self.fixed.codes, values, self.fixed.size)]
        parts += [np.bincount(term.codes, values, term.size) for term in self.terms]
        return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class Solved:
    value: float  # ℓ (nats)
    gradient: Array  # (K + 1,) derivatives by the variances, the residual's last
    information: Array  # (K + 1, K + 1) average information
    effects: Array  # (effects,) β, and u_k of every level
    means_vcov: Array  # (p, p) covariance of β


def solve_equations(problem: Problem, variances: Array) -> Solved:
    made = problem.arrangement
    residual = float(variances[-1])
    sizes = [term.size for term in problem.terms]
    scale = problem.scale(variances)
    factor = Factor.of(made, scale, residual)
    right = scale * problem.gather(problem.score)
    solution = factor.solve(right[:, None])[:, 0]
    left = problem.score - problem.spread(scale * solution)
    quadratic = float(problem.score @ left) / residual
    spans = [slice(start, start + q) for start, q in zip(made.starts, sizes, strict=True)]
    fitted = [solution[span] for span in spans]
    traces = [factor.diagonal[span].sum() for span in spans]
    free = len(problem.score) - made.effects
    value = -0.5 * (free * log(residual) + factor.log_det + quadratic + problem.df * log(2 * pi))
    squares = np.array([effects @ effects for effects in fitted])
    trace = np.array(sizes) - residual * np.array(traces)
    by_residual = -0.5 * (problem.df - trace.sum() - quadratic + squares.sum()) / residual
    gradient = np.append(-0.5 * (trace - squares) / variances[:-1], by_residual)
    rows = zip(fitted, np.sqrt(variances[:-1]), problem.terms, strict=True)
    columns = [(effects / root)[term.codes] for effects, root, term in rows]
    working = np.stack([*columns, left / variances[-1]], axis=1)  # (n, K + 1) vectors f_k
    right = scale[:, None] * np.stack([problem.gather(column) for column in working.T], axis=1)
    projected = working.T @ working - right.T @ factor.solve(right)
    information = np.asarray(0.5 * (projected + projected.T) / 2 / residual)
    vcov = residual * factor.corner[: made.columns, : made.columns]
    return Solved(value, gradient, information, scale * solution, vcov)


def slope_means(problem: Problem, variances: Array) -> Array:
    """Return (K + 1, p, p) slopes of the covariance C of β by the log of each variance."""
    # ∂C/∂log σ_k² = σ_k² C XᵀV⁻¹Z_k Z_kᵀV⁻¹X C, of which M⁻¹ has the root; C is as many times as
    # large where all variances are, so that the slopes sum to C
    made, residual = problem.arrangement, float(variances[-1])
    factor = Factor.of(made, problem.scale(variances), residual)
    root = residual * factor.solve(np.eye(made.effects, made.columns))
    parts = np.split(root, made.starts)
    slopes = [part.T @ part for part in parts[1:]]
    return np.array([*slopes, parts[0] - sum(slopes)])


# How two partitions of the scores overlap: all that moments and identification need.
#
# For terms with indicator matrices Z_k (n × q_k), N_kl = Z_kᵀ Z_l counts the scores that a level of
# k shares with a level of l. Linear in the number of scores n.


def count_incidence(terms: Sequence[Term]) -> tuple[Array, Array]:
    """Return two (K, K) tables of each term k with each l.

    The first is ⟨M Z_k Z_kᵀ M, M Z_l Z_lᵀ M⟩, M taking the mean out. The second is the trace of
    Z_lᵀ (I − P_k) Z_l, P_k the means by k: what a variance of l adds to the sum of squares within
    levels of k.
    """
    n, size = len(terms[0].codes), len(terms)
    gram, within = np.zeros((size, size)), np.zeros((size, size))
    counts = [term.counts.astype(np.float64) for term in terms]
    for k in range(size):
        for m in range(k, size):
            codes, cells = cross(terms[k].codes, terms[m].codes)
            shared = np.bincount(codes, minlength=cells).astype(np.float64)
            row = np.empty(cells, dtype=np.int64)
            row[codes] = np.arange(n)  # one of each cell
            left, right = counts[k][terms[k].codes[row]], counts[m][terms[m].codes[row]]
            squares = shared**2
            both = (counts[k] ** 2).sum() * (counts[m] ** 2).sum() / n**2
            gram[k, m] = gram[m, k] = squares.sum() - 2 / n * (shared * left * right).sum() + both
            within[k, m] = n - (squares / left).sum()
            within[m, k] = n - (squares / right).sum()
    return gram, within


# Which components a design can tell apart: the others are left out, and it is said why.
#
# The covariance of the scores is Σ σ_k² Z_k Z_kᵀ + σ_e² I. Components are distinguished if these
# matrices are linearly independent once the mean is taken out (Rao & Kleffe 1988, Estimation of
# Variance Components and Applications, section 5.1). A term whose matrix is a combination of those
# before it has its variance in them.

MIN_OWN_SHARE: Final = 1e-9  # Of a term's matrix that must be its own
MIN_WEIGHT: Final = 1e-3  # From which a term counts among those that another cannot be told from
# Share of the scores that must be more than a term's levels, to tell it from the residual
MIN_SPARE: Final = 5e-3

# What is true of a design in which two terms are one partition
WHY_MERGED: Final = {
    (JUDGE_SYSTEM, RESIDUAL): "each judge saw each system once",
    (ITEM_SYSTEM, RESIDUAL): "each output was scored once",
    (JUDGE_ITEM, RESIDUAL): "each judge scored each item once",
    (ITEM, RESIDUAL): "each item was scored once",
    (JUDGE, RESIDUAL): "each judge gave one score",
    (SYSTEM, RESIDUAL): "each system has one score",
    (JUDGE_SYSTEM, JUDGE): "each judge scored one system",
    (JUDGE_SYSTEM, SYSTEM): "each system was scored by one judge",
    (ITEM_SYSTEM, ITEM): "each item has the output of one system",
    (ITEM_SYSTEM, SYSTEM): "each system has one item",
    (JUDGE_ITEM, JUDGE): "each judge scored one item",
    (JUDGE_ITEM, ITEM): "each item was scored by one judge",
    (JUDGE, SYSTEM): "each system was scored by a judge of its own",
    (ITEM, SYSTEM): "each system has an item of its own",
    (ITEM, JUDGE): "each judge has an item of his or her own",
    (JUDGE_SYSTEM, ITEM_SYSTEM): "each output was scored by one judge, who scored no other item",
    (JUDGE_ITEM, ITEM_SYSTEM): "each judge scored one output of an item, and each output once",
    (JUDGE_ITEM, JUDGE_SYSTEM): "each judge scored one item of each system",
}


@dataclass(frozen=True)
class Identified:
    terms: tuple[Term, ...]  # terms with a variance of their own
    carries: Mapping[str, tuple[str, ...]]  # term or residual → what cannot be told from it
    reasons: tuple[Finding, ...]  # what cannot be told, and why, in sentences


def identify(terms: Sequence[Term]) -> Identified:
    """Keep the terms that the design can distinguish, those of one factor before those of two."""
    n = len(terms[0].codes)
    rest = Term(RESIDUAL, np.arange(n), n)
    gram, _ = count_incidence([rest, *terms])
    held, numbers = [rest], [0] if n > 1 else []
    carries: dict[str, list[str]] = {}
    reasons = []
    single: set[str] = set()
    for at, term in enumerate(terms, start=1):
        name = term.name
        if term.size < 2:
            if " x " not in name:
                reasons.append(say("one-level", name=name))
            single.add(name)
            continue
        weights, own_share = explain(gram, numbers, at)
        if own_share > MIN_OWN_SHARE and 0 < n - term.size < MIN_SPARE * n:
            few = {"scores": n - term.size, "of": n}
            reasons.append(say("too-few-to-tell", name=name, other=RESIDUAL, **few))
            carries.setdefault(RESIDUAL, []).append(name)
            continue
        if own_share > MIN_OWN_SHARE:
            numbers.append(at)
            held.append(term)
            continue
        into = [held[i].name for i in np.flatnonzero(np.abs(weights) > MIN_WEIGHT)]
        if not single.intersection(name.split(" x ")):  # else it was said of the factor
            why = WHY_MERGED.get((name, into[0])) if len(into) == 1 else None
            others = [f"the {other}" if other == RESIDUAL else other for other in into]
            why = why or "in this design they always go together"
            reasons.append(say("confounded", name=name, others=listing(others), why=why))
        carries.setdefault(into[-1], []).append(name)
    merged = {name: tuple(names) for name, names in carries.items()}
    return Identified(tuple(held[1:]), merged, tuple(reasons))


def explain(gram: Array, basis: list[int], at: int) -> tuple[Array, float]:
    """Return the combination of kept matrices nearest to a further one, and the share left."""
    if not basis or gram[at, at] <= 0:
        return np.zeros(len(basis)), 1.0
    scale = np.sqrt(np.diag(gram)[basis])
    inner = gram[np.ix_(basis, basis)] / scale / scale[:, None]
    towards = gram[basis, at] / scale / np.sqrt(gram[at, at])
    weights = np.linalg.solve(inner, towards)
    return weights, float(1 - towards @ weights)


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
    _, within = count_incidence([whole, *terms, Term(RESIDUAL, np.arange(n), n)])
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
        if moved is None:
            if promise <= MAX_GAIN_ROUNDED:
                return Peak(variances, here)
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
        with suppress(np.linalg.LinAlgError):  # variances are so far apart that rounding decides
            there = solve_equations(problem, moved)
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
    variance: float  # its estimate; 0 where there is none
    lower: float | None = None  # lower end of its interval; None without intervals
    upper: float | None = None  # upper end; infinite where the profile never falls far enough
    p: float | None = None  # one-sided p-value of 0; None where it is not tested


def profile(problem: Problem, peak: Peak, at: int, level: float) -> Range:
    z, variance = normal_quantile((1 + level) / 2), float(peak.variances[at])
    curve = _Curve(problem, peak, at, z)
    above = curve.cross(1)
    if peak.zero[at]:
        return Range(0.0, 0.0, above, 1.0)
    if at == len(problem.terms):
        return Range(variance, curve.cross(-1), above)
    root = curve.look(MIN_VARIANCE, peak)[0]
    p = chi2_tail(root**2, 1) / 2
    return Range(variance, curve.cross(-1) if root > z else 0.0, above, p)


def approximate(peak: Peak, at: int, level: float) -> Range:
    """Return an untested interval by the information, for data whose profiles take too long."""
    keep = ~peak.zero | (np.arange(len(peak.variances)) == at)
    place = int(keep[:at].sum())
    error = sqrt(np.linalg.inv(peak.solved.information[np.ix_(keep, keep)])[place, place])
    z, value = normal_quantile((1 + level) / 2), float(peak.variances[at])
    if peak.zero[at]:
        return Range(0.0, 0.0, z * error)
    factor = exp(z * error / value)
    return Range(value, value / factor, value * factor)


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
        return root, -variance * float(peak.solved.gradient[self.at]) / root, peak

    def cross(self, side: int) -> float:
        """Return where the root of the statistic is z, below (−1) or above (+1) the maximum."""
        inner = log(float(self.peak.variances[self.at]))
        outer: float | None = None if side > 0 else log(MIN_VARIANCE)
        # begin, in log variance, as if the variance were a mean of squares with as many degrees of
        # freedom as its error says
        spread = self.z / sqrt(max(_others(self.peak, self.at)[1], 1e-12))
        if self.peak.zero[self.at]:
            distance = log(max(spread, 2 * MIN_VARIANCE)) - inner
        else:
            error = spread / exp(inner)
            distance = min(error + side * error**2 / 6, 3.0)
        here, near = inner + side * distance, self.peak
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


@dataclass(frozen=True)
class ComponentEstimates:
    """Of ratings, or of comparisons (`variance_components.py`)."""

    components: tuple[Component, ...]  # those that are distinguished
    method: str  # "REML", "moments" or "likelihood"
    # component → how far its variance goes into a difference of two systems, the mean over pairs
    sharing: Mapping[str, float]
    reasons: tuple[str, ...]  # what cannot be told from what, and why
    notes: tuple[str, ...]  # what must stand beside the estimates
    growth: float = 1.0  # by what variances look smaller through pooled worths than they are
    # of comparisons: variance of the difference of two log-worths, times comparisons, that chance
    # alone gives; the mean over pairs of systems
    per_vote: float | None = None


# Method, by component in units where scores have variance 1, and what must be said
_Found = tuple[str, dict[str, Range], tuple[str, ...]]


def estimate_rating_components(
    rows: RatingRows, *, systems: Systems = "random", level: float = 0.95, quick: bool = False
) -> ComponentEstimates:
    system, *others = make_terms(rows)
    known = identify([system, *others])
    terms, rest = known.terms, Term(RESIDUAL, np.arange(rows.size), rows.size)
    if not terms:
        raise NotIdentified(_NOTHING, ["collect scores of several systems, items and judges"])
    mean, spread = float(rows.score.mean()), float(rows.score.std())
    if spread <= 1e-12 * abs(mean):
        constant = "all scores are equal: there is no variance to take apart"
        spread, (method, found, notes) = 0.0, _name(terms, np.zeros(len(terms) + 1), constant)
    else:
        fixed = system if systems == "fixed" and system in terms else None
        score = (rows.score - mean) / spread
        with one_blas_thread():
            if quick:
                method, found, notes = _fall_back(score, terms, say("moments-quick"))
            else:
                method, found, notes = _estimate(score, terms, fixed, level)
    sizes, components = {term.name: term.size for term in (*terms, rest)}, []
    for name, one in found.items():  # in the unit of the scores
        lower, upper = (None if x is None else spread * sqrt(x) for x in (one.lower, one.upper))
        sd, carried = spread * sqrt(one.variance), known.carries.get(name, ())
        components.append(Component(name, sd, sizes[name], lower, upper, one.p, carried, method))
    sharing = share_levels([*terms, rest], system) if system.size > 1 else {}
    return ComponentEstimates(tuple(components), method, sharing, known.reasons, notes)


def _name(terms: Sequence[Term], variances: Array, why: str, method: str = "REML") -> _Found:
    names = [*(term.name for term in terms), RESIDUAL]
    return method, dict(zip(names, map(Range, variances.tolist()), strict=True)), (why,)


def _estimate(score: Array, terms: Sequence[Term], fixed: Term | None, level: float) -> _Found:
    random = [term for term in terms if term is not fixed]
    means = fixed or Term("mean", np.zeros(len(score), dtype=np.int64), 1)
    arrangement = arrange(random, means)
    if arrangement is None:
        return _name(terms, estimate_moments(score, terms), say("moments-large"), "moments")
    problem = Problem(score, random, means, arrangement)
    try:
        peak = find_peak(problem)
    except (NotIdentified, NotConverged) as refusal:
        how = "variances are moment estimates (Henderson's first method), without intervals and"
        return _fall_back(score, terms, f"{refusal.cause}; {how} tests")
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
    found = dict(zip([*(term.name for term in random), RESIDUAL], ranges, strict=True))
    if fixed is None:
        return "REML", found, notes
    # the variance of fixed systems' means, less what their errors add
    size = fixed.size
    fitted, vcov = peak.solved.effects[:size], peak.solved.means_vcov
    error = (np.trace(vcov) - vcov.sum() / size) / (size - 1)
    between = Range(max(float(fitted.var(ddof=1) - error), 0.0))
    return "REML", {SYSTEM: between, **found}, (*notes, say("systems-fixed"))


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


def _fall_back(score: Array, terms: Sequence[Term], why: str) -> _Found:
    moments = estimate_moments(score, terms)
    if float(moments.max()) > max_variance(score):
        raise NotConverged(
            "the variance components were not found: what fits these scores best has variances"
            " beyond the range of the scores",
            ["collect scores of more outputs by each judge", "take tasks or criteria apart"],
        )
    return _name(terms, np.where(moments <= MOMENT_ROUNDING, 0.0, moments), why, "moments")


def max_variance(score: Array) -> float:
    return float(np.ptp(score)) ** 2 / 2
