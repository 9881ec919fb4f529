"""Which components a design can tell apart: the others are left out, and it is said why.

The covariance of the scores is Σ σ_k² Z_k Z_kᵀ + σ_e² I. Components are told apart if these
matrices are linearly independent once the mean is taken out (Rao & Kleffe 1988, Estimation of
Variance Components and Applications, section 5.1). A term whose matrix is a combination of those
before it has its variance in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log, pi
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import listing
from evenhand.judgments.components import (
    ITEM,
    ITEM_SYSTEM,
    JUDGE,
    JUDGE_ITEM,
    JUDGE_SYSTEM,
    NAMES,
    RESIDUAL,
    SYSTEM,
)
from evenhand.judgments.rating_rows import RatingRows
from evenhand.numerics.gaussian_process import invert_all

# Terms of the model: partitions of the scores by judge, item, system, or two of them.

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

RANDOM: Final = tuple(name for name in NAMES if name != RESIDUAL)


@dataclass(frozen=True, eq=False)
class Term:
    """A partition of the scores."""

    name: str  # of the component, such as "judge x system"
    codes: Integers  # (n,) level of each score, 0 to size − 1, all of them seen
    size: int  # number of levels q

    @property
    def counts(self) -> Integers:
        """(q,) scores of each level."""
        return np.bincount(self.codes, minlength=self.size)


def make_terms(rows: RatingRows) -> tuple[Term, ...]:
    """Return all terms, in the order of RANDOM, identified or not."""
    single = {name: _compact(getattr(rows, name)) for name in ("system", "judge", "item")}
    return tuple(_make(name, single) for name in RANDOM)


def _make(name: str, single: dict[str, tuple[Integers, int]]) -> Term:
    first, *second = name.split(" x ")
    codes, size = single[first]
    for other in second:
        codes, size = cross(codes, single[other])
    return Term(name, codes, size)


def cross(codes: Integers, other: tuple[Integers, int]) -> tuple[Integers, int]:
    """Number the pairs of levels that occur; return the number of each row, and how many."""
    return _compact(codes * other[1] + other[0])


def _compact(codes: NDArray[np.integer]) -> tuple[Integers, int]:
    found, dense = np.unique(codes, return_inverse=True)
    return dense.reshape(-1).astype(np.int64), len(found)


# Which effects are eliminated block by block, and which are solved for together.
#
# Effects of one item (its own, its outputs', its judges') meet those of other items only through
# judges, systems and tastes. So the mixed-model equations are an arrow: a small dense block for
# each item, and a border of effects that all items share. The same holds with judges for items.
# Taken is what costs less; blocks of one shape are solved in batches.

# Most effects that are solved for together: beyond, a dense matrix of them takes too long
BORDER: Final = 4_000
NUMBERS: Final = 2_000_000  # Numbers held at once by a batch
# What belongs to one item, and to one judge
LOCAL: Final = {
    ITEM: frozenset({ITEM, ITEM_SYSTEM, JUDGE_ITEM}),
    JUDGE: frozenset({JUDGE, JUDGE_SYSTEM, JUDGE_ITEM}),
}


@dataclass(frozen=True, eq=False)
class Batch:
    """Blocks filled up to one width d, bordered by up to g shared effects."""

    effects: Integers  # (B, d) number of each effect among all; the number of none where filled up
    # (B, g) place of each shared effect in the border; the width of the border: none
    shared: Integers
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
    """A way to arrange: terms that are eliminated, by the levels of which factor."""

    inside: tuple[int, ...]  # numbers of those terms
    block: Integers | None  # (n,) block of each score; None where nothing is eliminated
    cost: float  # operations, roughly
    width: int  # of the border


def arrange(terms: Sequence[Term], fixed: Term) -> Arrangement | None:
    """Arrange the equations of fixed and random effects; None where both ways cost too much."""
    plan = _choose(terms, fixed)
    if plan is None:
        return None
    starts = fixed.size + np.concatenate(([0], np.cumsum([one.size for one in terms])))
    numbers = [term.codes + start for term, start in zip(terms, starts[:-1], strict=True)]
    outside = [fixed.codes, *(numbers[i] for i in range(len(terms)) if i not in plan.inside)]
    inside = [numbers[i] for i in plan.inside]
    border = np.unique(np.concatenate([np.unique(one) for one in outside]))
    place = np.full(int(starts[-1]) + 1, len(border), dtype=np.int64)
    place[border] = np.arange(len(border))
    crossing = _count_pairs([place[one] for one in outside], len(border))
    none, width = int(starts[-1]), len(border)
    batches: tuple[Batch, ...] = ()
    if plan.block is not None:
        sides = ([*inside], [place[one] for one in outside])
        batches = tuple(_make_batches(plan.block, sides, (none, width)))
    cost = plan.cost + float(width) ** 3
    return Arrangement(
        fixed.size, tuple(starts[:-1].tolist()), none, border, crossing, batches, cost
    )


def _choose(terms: Sequence[Term], fixed: Term) -> _Plan | None:
    """Return the cheapest arrangement that is possible at all."""
    plans = [_Plan((), None, 0.0, fixed.size + sum(one.size for one in terms))]
    for owner, names in LOCAL.items():
        inside = tuple(i for i, one in enumerate(terms) if one.name in names)
        if inside:
            plans.append(_weigh(terms, fixed, owner, inside))
    possible = [one for one in plans if one.width <= BORDER and one.cost < np.inf]
    return min(possible, key=lambda one: one.cost + one.width**3, default=None)


def _weigh(terms: Sequence[Term], fixed: Term, owner: str, inside: tuple[int, ...]) -> _Plan:
    """Say what it costs to eliminate some terms."""
    block = next((one.codes for one in terms if one.name == owner), None)
    if block is None:  # the factor has no variance of its own here: join what shares an effect
        block = _join([terms[i] for i in inside])
    size = int(block.max()) + 1
    depth, breadth = np.zeros(size), np.full(size, 1.0)
    for i, term in enumerate(terms):
        codes, cells = cross(block, (term.codes, term.size))
        owners = np.empty(cells, dtype=np.int64)
        owners[codes] = block
        levels = np.bincount(owners, minlength=size)
        if i in inside:
            depth += levels
        else:
            breadth += levels
    cost = float((depth * (depth + breadth) ** 2).sum())
    width = fixed.size + sum(one.size for i, one in enumerate(terms) if i not in inside)
    return _Plan(inside, block, cost if depth.max() <= BORDER else np.inf, width)


def _join(terms: Sequence[Term]) -> Integers:
    """Number the sets of scores that any of the terms joins."""
    from evenhand.numerics.graph import Graph, weak_components

    n = len(terms[0].codes)
    starts = n + np.cumsum([0, *(one.size for one in terms)])
    source = np.tile(np.arange(n), len(terms))
    pairs = zip(terms, starts[:-1], strict=True)
    target = np.concatenate([term.codes + start for term, start in pairs])
    found = weak_components(Graph(int(starts[-1]), source, target))
    return np.unique(found[:n], return_inverse=True)[1].reshape(-1).astype(np.int64)


def _count_pairs(places: Sequence[Integers], size: int) -> Array:
    """Return the scores that two shared effects share."""
    flat = np.zeros(size * size)
    for one in places:
        for other in places:
            flat += np.bincount(one * size + other, minlength=size * size)
    return flat.reshape(size, size)


def _make_batches(
    block: Integers, sides: tuple[list[Integers], list[Integers]], none: tuple[int, int]
) -> list[Batch]:
    """Fill blocks up to common widths, and count within them.

    block: (n,) block of each score.
    sides: (n,) numbers of the effects inside, by term, and places of those outside.
    """
    inner, outer = (_place(block, one) for one in sides)
    wide = np.stack((_rounded(inner.sizes), _rounded(outer.sizes)), axis=1)
    order = np.lexsort((wide[:, 1], wide[:, 0]))
    batches, low = [], 0
    while low < len(order):
        d, g = wide[order[low]].tolist()
        most = max(1, NUMBERS // (d + g) ** 2)
        same = np.flatnonzero((wide[order[low:]] != wide[order[low]]).any(axis=1))
        high = min(low + most, low + int(same[0]) if len(same) else len(order))
        batches.append(_fill(order[low:high], (inner, outer), (d, g), none))
        low = high
    return batches


@dataclass(frozen=True, eq=False)
class _Places:
    """Where effects stand in their blocks."""

    sizes: Integers  # (blocks,) different effects of each
    within: tuple[Integers, ...]  # by term (n,) place of the effect of each score in its block
    block: Integers  # (n,) block of each score
    numbers: Integers  # (all,) effects, block by block


def _place(block: Integers, effects: list[Integers]) -> _Places:
    """Number the different effects within each block."""
    most = int(max(one.max() for one in effects)) + 1
    keys = [block * most + one for one in effects]
    found = np.unique(np.concatenate([np.unique(key) for key in keys]))
    owners = found // most
    sizes = np.bincount(owners, minlength=int(block.max()) + 1)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    within = tuple(np.searchsorted(found, key) - starts[block] for key in keys)
    return _Places(sizes, within, block, found % most)


def _rounded(sizes: Integers) -> Integers:
    """Return widths that blocks are filled up to: up to an eighth more than they need."""
    step = 2 ** np.maximum(np.floor(np.log2(np.maximum(sizes, 1))).astype(np.int64) - 3, 0)
    return np.asarray(-(-sizes // step) * step, dtype=np.int64)


def _fill(
    chosen: Integers, sides: tuple[_Places, _Places], widths: tuple[int, int], none: tuple[int, int]
) -> Batch:
    """Make the batch of some blocks."""
    inner, outer = sides
    d, g = widths
    at = np.full(len(inner.sizes), -1, dtype=np.int64)
    at[chosen] = np.arange(len(chosen))
    rows = np.flatnonzero(at[inner.block] >= 0)
    own = at[inner.block[rows]]
    own_places = [one[rows] for one in inner.within]
    shared_places = [one[rows] for one in outer.within]
    numbers = (_list(inner, chosen, d, none[0]), _list(outer, chosen, g, none[1]))
    cells, borders = np.zeros(len(chosen) * d * d), np.zeros(len(chosen) * d * g)
    for one in own_places:
        for other in own_places:
            cells += np.bincount((own * d + one) * d + other, minlength=len(cells))
        for other in shared_places:
            borders += np.bincount((own * d + one) * g + other, minlength=len(borders))
    return Batch(*numbers, cells.reshape(-1, d, d), borders.reshape(-1, d, g))


def _list(places: _Places, chosen: Integers, width: int, none: int) -> Integers:
    """Return the effects of each chosen block, filled up."""
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
    border: NDArray[np.int64]  # numbers of the shared effects
    corner: Array  # (G, G) M⁻¹ among them
    # for each batch its (B, d, d) inverse A⁻¹ and (B, d, g) A⁻¹B
    blocks: tuple[tuple[Array, Array], ...]
    batches: tuple[Batch, ...]  # the batches
    means_inverse: Array  # (p, p) M⁻¹ among fixed effects

    @classmethod
    def of(cls, made: Arrangement, scale: Array, residual: float) -> Factor:
        """Eliminate the blocks, then invert what they leave of the border."""
        padded = np.append(scale, 0.0)
        width = len(made.border)
        edge = np.append(scale[made.border], 0.0)
        corner = np.zeros((width + 1) ** 2)
        log_det, blocks = 0.0, []
        for batch in made.batches:
            inverse, across, part = _eliminate(batch, padded, edge, residual)
            log_det += part
            blocks.append((inverse, across[0]))
            places = batch.shared[:, :, None] * (width + 1) + batch.shared[:, None, :]
            taken = across[1].transpose(0, 2, 1) @ across[0]
            corner -= np.bincount(places.ravel(), taken.ravel(), (width + 1) ** 2)
        square = corner.reshape(width + 1, width + 1)[:width, :width]
        square += made.crossing * np.outer(edge[:-1], edge[:-1])
        random = np.flatnonzero(made.border >= made.columns)
        square[random, random] += residual
        inverse, part = _invert(square)
        found = cls(
            log_det + part,
            np.zeros(0),
            made.border,
            inverse,
            tuple(blocks),
            made.batches,
            inverse[: made.columns, : made.columns],
        )
        return found._with_diagonal(made.effects)

    def _with_diagonal(self, effects: int) -> Factor:
        width = len(self.border)
        padded = np.zeros((width + 1, width + 1))
        padded[:width, :width] = self.corner
        diagonal = np.zeros(effects + 1)
        diagonal[self.border] = np.diag(self.corner)
        for batch, (inverse, across) in zip(self.batches, self.blocks, strict=True):
            corner = padded[batch.shared[:, :, None], batch.shared[:, None, :]]
            own = np.diagonal(inverse, axis1=1, axis2=2)
            diagonal[batch.effects] = own + ((across @ corner) * across).sum(axis=2)
        return replace(self, diagonal=diagonal[:-1])

    def solve(self, right: Array) -> Array:
        """Return M⁻¹ of (effects, m) right-hand sides."""
        m = right.shape[1]
        padded = np.concatenate((right, np.zeros((1, m))))
        edge = np.concatenate((right[self.border], np.zeros((1, m))))
        for batch, (_, across) in zip(self.batches, self.blocks, strict=True):
            taken = across.transpose(0, 2, 1) @ padded[batch.effects]
            for column in range(m):
                values = taken[:, :, column].ravel()
                edge[:, column] -= np.bincount(batch.shared.ravel(), values, len(edge))
        shared = np.concatenate((self.corner @ edge[:-1], np.zeros((1, m))))
        solution = np.zeros_like(padded)
        solution[self.border] = shared[:-1]
        for batch, (inverse, across) in zip(self.batches, self.blocks, strict=True):
            own = inverse @ padded[batch.effects] - across @ shared[batch.shared]
            solution[batch.effects] = own
        return solution[:-1]


def _eliminate(
    batch: Batch, scale: Array, edge: Array, residual: float
) -> tuple[Array, tuple[Array, Array], float]:
    """Return A⁻¹, (A⁻¹B, B) and the log-determinant of some blocks, without what is filled up."""
    own = scale[batch.effects]
    blocks = batch.inner * own[:, :, None] * own[:, None, :]
    diagonal = np.arange(own.shape[1])
    blocks[:, diagonal, diagonal] += residual
    inverse, log_det = invert_all(blocks)
    filled = int((batch.effects == len(scale) - 1).sum())
    border = batch.across * own[:, :, None] * edge[batch.shared][:, None, :]
    return inverse, (inverse @ border, border), float(log_det.sum()) - filled * log(residual)


def _invert(matrix: Array) -> tuple[Array, float]:
    """Return the inverse of a positive definite matrix, and its log-determinant.

    By numpy alone: the library that scipy brings along would not keep to one thread.
    """
    root = np.linalg.cholesky(matrix)
    inverse = np.linalg.inv(matrix)
    return (inverse + inverse.T) / 2, 2 * float(np.log(np.diag(root)).sum())


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
    """Scores, and what explains them."""

    score: Array  # (n,) scores
    terms: Sequence[Term]  # K random terms
    fixed: Term  # levels with a mean of their own
    arrangement: Arrangement  # of the equations

    @property
    def df(self) -> int:
        """Scores less means that are estimated, n − p."""
        return len(self.score) - self.fixed.size

    def spread(self, effects: Array) -> Array:
        """Return (n,) sums over each score's effects, fixed ones as well."""
        total = effects[self.fixed.codes]
        for term, start in zip(self.terms, self.arrangement.starts, strict=True):
            total = total + effects[term.codes + start]
        return np.asarray(total)

    def gather(self, values: Array) -> Array:
        """Return (effects,) sums of (n,) values over the scores of each effect."""
        parts = [np.bincount(self.fixed.codes, values, self.fixed.size)]
        parts += [np.bincount(term.codes, values, term.size) for term in self.terms]
        return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class Solved:
    """The restricted likelihood at one point, to second order."""

    value: float  # ℓ (nats)
    gradient: Array  # (K + 1,) derivatives by the variances, the residual's last
    information: Array  # (K + 1, K + 1) average information
    effects: Array  # (effects,) β, and u_k of every level
    means_vcov: Array  # (p, p) covariance of β


def solve_equations(problem: Problem, variances: Array) -> Solved:
    """Factor and solve the equations."""
    made = problem.arrangement
    residual = float(variances[-1])
    sizes = [term.size for term in problem.terms]
    scale = np.repeat([1.0, *np.sqrt(variances[:-1])], [made.columns, *sizes])
    factor = Factor.of(made, scale, residual)
    right = scale * problem.gather(problem.score)
    solution = factor.solve(right[:, None])[:, 0]
    left = problem.score - problem.spread(scale * solution)
    quadratic = float(problem.score @ left) / residual
    fitted = [solution[start : start + q] for start, q in zip(made.starts, sizes, strict=True)]
    traces = [
        factor.diagonal[start : start + q].sum()
        for start, q in zip(made.starts, sizes, strict=True)
    ]
    free = len(problem.score) - made.effects
    value = -0.5 * (free * log(residual) + factor.log_det + quadratic + problem.df * log(2 * pi))
    own = np.array([one @ one for one in fitted])
    trace = np.array(sizes) - residual * np.array(traces)
    gradient = np.append(
        -0.5 * (trace - own) / variances[:-1],
        -0.5 * (problem.df - trace.sum() - quadratic + own.sum()) / residual,
    )
    working = _working(problem, fitted, variances, left)
    information = _average_information(problem, factor, working, scale, residual)
    vcov = residual * factor.means_inverse
    return Solved(value, gradient, information, scale * solution, vcov)


def _working(problem: Problem, fitted: Sequence[Array], variances: Array, left: Array) -> Array:
    """Return (n, K + 1) vectors f_k."""
    roots = np.sqrt(variances[:-1])
    columns = [
        (own / root)[term.codes]
        for own, root, term in zip(fitted, roots, problem.terms, strict=True)
    ]
    return np.stack([*columns, left / variances[-1]], axis=1)


def _average_information(
    problem: Problem, factor: Factor, working: Array, scale: Array, residual: float
) -> Array:
    right = scale[:, None] * np.stack([problem.gather(one) for one in working.T], axis=1)
    projected = working.T @ working - right.T @ factor.solve(right)
    return np.asarray(0.5 * (projected + projected.T) / 2 / residual)


# How two partitions of the scores overlap: all that moments and identification need.
#
# For terms with indicator matrices Z_k (n × q_k), N_kl = Z_kᵀ Z_l counts the scores that a level of
# k shares with a level of l. Linear in the number of scores n.


@dataclass(frozen=True, eq=False)
class Incidence:
    """What terms share, pair by pair."""

    n: int  # number of scores
    gram: Array  # (K, K) ⟨M Z_k Z_kᵀ M, M Z_l Z_lᵀ M⟩, M taking the mean out
    # (K, K) trace of Z_lᵀ (I − P_k) Z_l, P_k the means by k: what a variance of l adds to the sum
    # of squares within levels of k
    within: Array


def count_incidence(terms: Sequence[Term]) -> Incidence:
    """Count what every two terms share."""
    n, size = len(terms[0].codes), len(terms)
    gram, within = np.zeros((size, size)), np.zeros((size, size))
    own = [term.counts.astype(np.float64) for term in terms]
    for k in range(size):
        for m in range(k, size):
            codes, cells = cross(terms[k].codes, (terms[m].codes, terms[m].size))
            shared = np.bincount(codes, minlength=cells).astype(np.float64)
            one = np.empty(cells, dtype=np.int64)
            other = np.empty(cells, dtype=np.int64)
            one[codes], other[codes] = terms[k].codes, terms[m].codes
            left, right = own[k][one], own[m][other]
            squares = shared**2
            both = (own[k] ** 2).sum() * (own[m] ** 2).sum() / n**2
            gram[k, m] = gram[m, k] = squares.sum() - 2 / n * (shared * left * right).sum() + both
            within[k, m] = n - (squares / left).sum()
            within[m, k] = n - (squares / right).sum()
    return Incidence(n, gram, within)


LEAST: Final = 1e-9  # Share of a term's matrix that must be its own
SOME: Final = 1e-3  # Weight from which a term counts among those that another cannot be told from

# Share of the scores that must be more than a term's levels, to tell it from the residual
SPARE: Final = 5e-3

# What is true of a design in which two terms are one partition
_SEEN: Final = {
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
    """What can be estimated."""

    terms: tuple[Term, ...]  # terms with a variance of their own
    # name of a term, or "residual" → terms that cannot be told from it
    carries: Mapping[str, tuple[str, ...]]
    reasons: tuple[str, ...]  # what cannot be told, and why, in sentences


def identify(terms: Sequence[Term]) -> Identified:
    """Keep the terms that the design can tell apart, those of one factor before those of two."""
    n = len(terms[0].codes)
    rest = Term(RESIDUAL, np.arange(n), n)
    gram = count_incidence([rest, *terms]).gram
    held, kept = [rest], [0] if n > 1 else []
    carries: dict[str, list[str]] = {}
    reasons = []
    single: set[str] = set()
    for at, term in enumerate(terms, start=1):
        if term.size < 2:
            reasons += [_say_single(term)] if " x " not in term.name else []
            single.add(term.name)
            continue
        weights, own = _explain(gram, kept, at)
        if own > LEAST and 0 < n - term.size < SPARE * n:
            reasons.append(_say_nearly(term, n))
            carries.setdefault(RESIDUAL, []).append(term.name)
            continue
        if own > LEAST:
            kept.append(at)
            held.append(term)
            continue
        into = [held[i] for i in np.flatnonzero(np.abs(weights) > SOME)]
        if not single.intersection(term.name.split(" x ")):  # else it was said of the factor
            reasons.append(_say_merged(term, into))
        carries.setdefault(into[-1].name, []).append(term.name)
    merged = {name: tuple(names) for name, names in carries.items()}
    return Identified(tuple(held[1:]), merged, tuple(reasons))


def _explain(gram: Array, kept: list[int], at: int) -> tuple[Array, float]:
    """Return the combination of kept matrices nearest to a further one, and the share left."""
    if not kept or gram[at, at] <= 0:
        return np.zeros(len(kept)), 1.0
    scale = np.sqrt(np.diag(gram)[kept])
    inner = gram[np.ix_(kept, kept)] / scale / scale[:, None]
    towards = gram[kept, at] / scale / np.sqrt(gram[at, at])
    weights = np.linalg.solve(inner, towards)
    return weights, float(1 - towards @ weights)


def _say_single(term: Term) -> str:
    return f"there is one {term.name}: nothing can be said of how {term.name}s differ"


def _say_nearly(term: Term, n: int) -> str:
    """Say that a few scores are all that could tell a term from the residual."""
    return (
        f"{term.name} cannot be told from the {RESIDUAL}: only {n - term.size:,} of {n:,} scores"
        " would tell them apart"
    )


def _say_merged(term: Term, into: Sequence[Term]) -> str:
    """Say which terms a term cannot be told from, and what in the design makes it so."""
    names = [f"the {one.name}" if one.name == RESIDUAL else one.name for one in into]
    fault = f"{term.name} cannot be told from {listing(names)}"
    why = _SEEN.get((term.name, into[0].name)) if len(into) == 1 else None
    return f"{fault}: {why or 'in this design they always go together'}"
