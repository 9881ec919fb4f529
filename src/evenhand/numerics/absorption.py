"""Least squares on systems, with the effects of one or two other classifications removed.

    y_r = μ_s(r) + a_j(r) + b_i(r) + e_r

Scores of systems s by judges j on items i, say. The effects a and b are free constants. Let x_r be
the indicator of the system of row r and M remove the means by j and i together. Then, by Frisch,
Waugh and Lovell, μ is what regression of M y on M x finds:

    H = Σ_r w_r x̃_r x̃_rᵀ,   x̃ = M x,   H μ = Σ_r w_r x̃_r y_r

M is applied to the K indicators at once: of its two classifications the larger is eliminated, since
its block is diagonal, and a system as large as the smaller one is solved.

What leaving out cluster g changes (d_g) needs H and the scores without it. Effects of a
classification that the cluster shares with others are estimated anew then. With B the rows of g in
one level of such a classification, W_B their weight and W that of the whole level,

    s_g = Σ_{r∈g} w x̃ e + Σ_B (Σ_B w x̃)(Σ_B w e) / (W − W_B)
    H_g = Σ_{r∈g} w x̃ x̃ᵀ + Σ_B (Σ_B w x̃)(Σ_B w x̃)ᵀ / (W − W_B),   d_g = −(H − H_g)⁻¹ s_g

which is exact with one classification; with two only how their effects depend on each other is
taken as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged
from evenhand.numerics import Array
from evenhand.numerics.cluster_means import number_groups, sort_codes
from evenhand.numerics.graph import Graph, weak_components
from evenhand.numerics.newton import solve_columns

Integers = NDArray[np.integer[Any]]
MAX_DENSE_CELLS: Final = 4_000_000  # Cells of two classifications that are held as a matrix
MAX_SPARSE: Final = 16  # Cells for each row of a cluster up to which they are held so
MAX_SOLVED: Final = 3_000  # Levels up to which equations are solved directly
NO_INFORMATION: Final = 1e-12  # Information of a cluster, beside its weight, that is rounding
ROWS_AT_ONCE: Final = 8192  # Rows whose cells are summed together
NESTED: Final = 1e-9  # Share of a level's weight outside a cluster that is rounding and none


@dataclass(frozen=True, eq=False)
class Classes:
    """One classification of rows, levels numbered without gaps."""

    codes: Integers  # (n,) level of each row
    size: int  # number of levels
    weight: Array  # (size,) weight of each level


@dataclass(frozen=True, eq=False)
class Absorbed:
    system: Integers  # (n,) code of each row's system
    size: int  # number of systems, K
    weight: Array | None  # (n,) weight of each row; None where all are 1
    others: tuple[Classes, ...]  # the classifications whose effects are removed; one or two
    projections: tuple[Array, ...]  # of each, (levels, K) what is subtracted from indicators
    shifts: tuple[Array, ...]  # of each, (levels,) what is subtracted from y
    information: Array  # (K, K) H, singular in the direction of all ones
    right: Array  # (K,) Σ w x̃ y
    rank: int  # number of free constants of the classifications

    def residuals(self, y: Array, means: Array) -> Array:
        """Return (n,) residuals at (K,) means of systems, in any gauge."""
        rest = y - means[self.system]
        for classes, effects in zip(self.others, self.effects(means), strict=True):
            rest -= effects[classes.codes]
        return np.asarray(rest)

    def effects(self, means: Array) -> tuple[Array, ...]:
        pairs = zip(self.shifts, self.projections, strict=True)
        return tuple(np.asarray(shift - projection @ means) for shift, projection in pairs)


def absorb(
    y: Array, system: Integers, size: int, others: Sequence[Integers], weight: Array | None = None
) -> Absorbed:
    """Remove the effects of one or two classifications from (n,) y; without any, a constant.

    others: (n,) codes of the classifications, each without gaps; size: number of systems, K.
    """
    if not others:
        others = [np.zeros(len(y), dtype=np.int64)]
    classes, sides = [], []
    for codes in others:
        levels = int(codes.max()) + 1
        total = np.bincount(codes, weight, minlength=levels).astype(np.float64)
        classes.append(Classes(codes, levels, total))
        key = codes.astype(np.int64) * size + system
        counts = np.bincount(key, weight, minlength=levels * size).reshape(levels, size)
        sums = np.bincount(codes, y if weight is None else weight * y, minlength=levels)
        sides.append(np.column_stack([counts, sums]).astype(np.float64))
    if len(classes) == 1:
        solved, rank = [sides[0] / classes[0].weight[:, None]], classes[0].size
    else:
        solved, rank = _solve_two(classes, sides, weight)
    own = np.zeros((size, size + 1))
    own[np.arange(size), np.arange(size)] = np.bincount(system, weight, minlength=size)
    own[:, -1] = np.bincount(system, y if weight is None else weight * y, minlength=size)
    for side, solution in zip(sides, solved, strict=True):
        own -= side[:, :size].T @ solution
    return Absorbed(
        system=system,
        size=size,
        weight=weight,
        others=tuple(classes),
        projections=tuple(np.ascontiguousarray(one[:, :size]) for one in solved),
        shifts=tuple(one[:, size].copy() for one in solved),
        information=(own[:, :size] + own[:, :size].T) / 2,
        right=own[:, -1].copy(),
        rank=rank,
    )


def _solve_two(
    classes: Sequence[Classes], sides: Sequence[Array], weight: Array | None
) -> tuple[list[Array], int]:
    """Regress (levels, m) sums on two classifications; return their effects, and their rank."""
    small, large = (0, 1) if classes[0].size <= classes[1].size else (1, 0)
    one, two = classes[small], classes[large]
    cells = _cross(one, two, weight)
    share = 1.0 / two.weight
    right = sides[small] - cells @ (sides[large] * share[:, None])
    links, inner = cells, None
    if one.size <= MAX_SOLVED:
        scaled = cells * share
        inner = cells @ (scaled.toarray() if hasattr(scaled, "toarray") else scaled).T
        links = inner if inner.size < len(one.codes) else cells
    # a constant moves freely between the two in each part of the graph of their levels
    first, second = links.nonzero()
    nodes = one.size if links is inner else one.size + two.size
    graph = Graph(nodes, first.astype(np.int64), nodes - links.shape[1] + second.astype(np.int64))
    parts = np.unique(weak_components(graph)[: one.size], return_inverse=True)[1]
    if inner is None:
        solution = _iterate(one, cells, share, right, parts)
    else:
        scale = float(one.weight.mean())
        inner = scale * (parts[:, None] == parts) - inner  # the effects of a part then sum to zero
        inner[np.arange(one.size), np.arange(one.size)] += one.weight
        solution = np.linalg.solve(inner, right)
    back = (sides[large] - cells.T @ solution) * share[:, None]
    solved = [solution, back] if small == 0 else [back, solution]
    return solved, one.size + two.size - int(parts.max()) - 1


def _cross(one: Classes, two: Classes, weight: Array | None, most: int = MAX_DENSE_CELLS) -> Any:
    if one.size * two.size <= most:
        key = one.codes.astype(np.int64) * two.size + two.codes
        counts = np.bincount(key, weight, minlength=one.size * two.size)
        return counts.reshape(one.size, two.size).astype(np.float64)
    from scipy.sparse import coo_array

    values = np.ones(len(one.codes)) if weight is None else weight
    return coo_array((values, (one.codes, two.codes)), shape=(one.size, two.size)).tocsr()


def _limit_dense(rows: int) -> int:
    """Return the most cells of rows that are held as a matrix: beyond, nearly all are empty.

    Few are so in any case, for which scipy.sparse would be imported (.2 s of CPU).
    """
    return MAX_SPARSE * max(rows, ROWS_AT_ONCE)


def _iterate(one: Classes, cells: Any, share: Array, right: Array, parts: Integers) -> Array:
    sizes = np.bincount(parts).astype(np.float64)

    def centre(values: Array) -> Array:
        sums = np.stack([np.bincount(parts, column) for column in values.T], axis=1)
        return np.asarray(values - (sums / sizes[:, None])[parts])

    def multiply(values: Array) -> Array:
        carried = cells @ (share[:, None] * (cells.T @ values))
        return np.asarray(one.weight[:, None] * values - carried)

    solution = solve_columns(multiply, right, one.weight, project=centre)
    if solution is None:
        raise NotConverged(
            "effects of judges and items did not settle: some are linked by very few"
        )
    return solution


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """What each cluster holds, as leaving it out takes it away."""

    scores: Array  # (G, K)
    information: Array  # (G, K, K)


def sum_clusters(absorbed: Absorbed, residual: Array, clusters: Integers, size: int) -> ClusterSums:
    """Return the score and the information of all G clusters of rows, by (n,) residuals."""
    k, w = absorbed.size, absorbed.weight
    order = sort_codes(clusters)
    clusters, system = clusters[order], absorbed.system[order]
    each = np.ones(len(order)) if w is None else w[order]
    weighed = residual[order] if w is None else each * residual[order]
    key = clusters.astype(np.int64) * k + system
    loads = np.bincount(key, each, minlength=size * k).reshape(size, k)
    information = np.zeros((size, k, k))
    information[:, np.arange(k), np.arange(k)] = loads
    scores = np.bincount(key, weighed, minlength=size * k).reshape(size, k).astype(np.float64)
    classes = [
        _Blocks.of(one, projection, (clusters, one.codes[order]), weight=each, weighed=weighed)
        for one, projection in zip(absorbed.others, absorbed.projections, strict=True)
    ]
    starts = np.searchsorted(clusters, np.arange(size + 1)).tolist()
    for g, (start, end) in enumerate(pairwise(starts)):
        if start == end:
            continue
        rows = slice(start, end)
        parts = [one.cut(rows) for one in classes]
        few, many = sorted((parts[0], parts[-1]), key=lambda part: part.classes.size)
        inside = (system[rows], each[rows])
        if len(parts) > 1 and few.classes.size == 1:
            information[g], change = _sum_cells(few, many, *inside, k)
        else:
            blocks, change = _sum_blocks(parts, *inside, k)
            information[g] += blocks
        scores[g] += change
    # of clusters without any only rounding is left
    information[np.einsum("gii->g", information) <= NO_INFORMATION * loads.sum(axis=1)] = 0
    return ClusterSums(scores, information)


@dataclass(frozen=True, eq=False)
class _Blocks:
    """Rows of one cluster in one level of a classification."""

    classes: Classes  # block of each row, number of blocks, and their weights
    level: Integers  # (B,) level of each block
    projection: Array  # (levels, K) of the classification
    # (B,) 1 / weight of a block's level outside of it; 0 where nothing is: sums are zero then, as
    # residuals are
    share: Array
    of_residual: Array  # (B,) Σ w e

    @classmethod
    def of(
        cls,
        classes: Classes,
        projection: Array,
        codes: tuple[Integers, Integers],
        *,
        weight: Array,
        weighed: Array,
    ) -> _Blocks:
        """codes: cluster and level of each row."""
        block = number_groups(codes[0].astype(np.int64) * classes.size + codes[1])
        size = int(block.max()) + 1
        level = np.empty(size, dtype=np.int64)
        level[block] = codes[1]
        own, whole = np.bincount(block, weight).astype(np.float64), classes.weight[level]
        rest = whole - own
        share = np.where(rest > NESTED * whole, 1 / np.where(rest > 0, rest, 1.0), 0.0)
        of_residual = np.bincount(block, weighed).astype(np.float64)
        return cls(Classes(block, size, own), level, projection, share, of_residual)

    def count(self, system: Integers, weight: Array, size: int) -> Array:
        """Return (B, K) weights of systems in the blocks of one cluster."""
        key = self.classes.codes * size + system
        sums = np.bincount(key, weight, minlength=self.classes.size * size)
        return np.asarray(sums.reshape(-1, size))

    def cut(self, rows: slice) -> _Blocks:
        """Return the blocks of one cluster, given its rows, with (B, K) projections."""
        block = self.classes.codes[rows]
        low, high = int(block.min()), int(block.max()) + 1
        classes = Classes(block - low, high - low, self.classes.weight[low:high])
        level, share = self.level[low:high], self.share[low:high]
        of_residual, projection = self.of_residual[low:high], self.projection.take(level, axis=0)
        return _Blocks(classes, level, projection, share, of_residual)


def _sum_cells(
    few: _Blocks, many: _Blocks, system: Integers, weight: Array, k: int
) -> tuple[Array, Array]:
    """Return the information of a cluster in one level of a classification, and of its score.

    Of the score, without Σ w e by system. Every block of the other is a cell, where x̃ differs by
    the indicators alone. With N the weights of systems, n their sum and D = Σ w x̃ = n d,

        Σ w x̃ x̃ᵀ = D Dᵀ / n + diag(N) − N Nᵀ / n
    """
    inner, n = many.classes, many.classes.weight
    # x̃ less the indicators, then d; in the place of the projection, which `cut` copied
    apart = np.subtract(-few.projection, many.projection, out=many.projection)
    information = np.zeros((k, k))
    if len(system) == inner.size:
        apart[inner.codes, system] += 1
    else:
        sums = many.count(system, weight, k)
        apart += sums / n[:, None]
        mixed = sums[np.count_nonzero(sums, axis=1) > 1]
        information += np.diag(mixed.sum(axis=0))
        mixed /= np.sqrt(mixed.sum(axis=1))[:, None]
        information -= mixed.T @ mixed
    e = many.of_residual
    plain, shared, whole = np.stack([e, many.share * e * n, n]) @ apart
    score = plain - np.bincount(system, weight * (e / n)[inner.codes], minlength=k)
    score += shared + few.share * few.of_residual * whole
    information += few.share * np.outer(whole, whole)
    apart *= (n * np.sqrt(1 / n + many.share))[:, None]
    information += apart.T @ apart
    return information, score


def _sum_blocks(
    parts: Sequence[_Blocks], system: Integers, weight: Array, k: int
) -> tuple[Array, Array]:
    """Return the same of any cluster; of the information, without the diagonal of Σ w by system.

    Let N be the weights of systems in the blocks of a classification, n the sums of these, p what
    is subtracted for their levels, and R what is subtracted for those of the other, in all. Then
    D = Σ w x̃ = N − n p − R, and over classifications

        Σ w x̃ x̃ᵀ = diag(Σ N) + Σ (pᵀ n p − Nᵀ p − pᵀ N) + (pᵀ R + Rᵀ p of one of the two)
    """
    information, score = np.zeros((k, k)), np.zeros(k)
    others: Sequence[Any] = [0.0]
    if len(parts) > 1:
        one, two = parts
        cells = _cross(one.classes, two.classes, weight, _limit_dense(len(system)))
        others = [cells @ two.projection, cells.T @ one.projection]
        crossed = one.projection.T @ others[0]
        information += crossed + crossed.T
    for part, other in zip(parts, others, strict=True):
        sums = part.count(system, weight, k)
        own = part.classes.weight[:, None] * part.projection
        change = (own - 2 * sums).T @ part.projection
        information += (change + change.T) / 2
        score -= part.of_residual @ part.projection
        if part.share.any():
            sums -= own
            sums -= other
            score += (part.share * part.of_residual) @ sums
            sums *= np.sqrt(part.share)[:, None]
            information += sums.T @ sums
    return information, score


def score_cells(
    absorbed: Absorbed, residual: Array, cells: Integers, size: int, rows: Array
) -> Array:
    """Return (size, p) sums of scores over cells of rows, on (K, p) directions."""
    scores = np.zeros((size, rows.shape[1]))
    for place, sums in _score_in_turn(absorbed, residual, cells, size, rows):
        scores[place] = sums
    return scores


def sum_squares(
    absorbed: Absorbed, residual: Array, cells: Integers, size: int, rows: Array
) -> Array:
    """Return (p, p) sums of s sᵀ over cells of rows, s on (K, p) directions."""
    squares = np.zeros((rows.shape[1],) * 2)
    for _, sums in _score_in_turn(absorbed, residual, cells, size, rows):
        squares += sums.T @ sums
    return squares


def _score_in_turn(
    absorbed: Absorbed, residual: Array, cells: Integers, size: int, rows: Array
) -> Iterator[tuple[slice, Array]]:
    """Yield some cells after others, and their sums of scores."""
    order = sort_codes(cells)
    each = residual[order] if absorbed.weight is None else (absorbed.weight * residual)[order]
    cells, system = cells[order], absorbed.system[order]
    every = zip(absorbed.others, absorbed.projections, strict=True)
    classes = [(one.codes[order], projection @ rows) for one, projection in every]
    k, starts = absorbed.size, np.searchsorted(cells, np.arange(size + 1))
    ends = np.arange(ROWS_AT_ONCE, len(cells) + ROWS_AT_ONCE, ROWS_AT_ONCE)
    bounds = [0, *np.unique(np.searchsorted(starts, np.minimum(ends, len(cells)))).tolist()]
    for low, high in pairwise(bounds):
        part = slice(starts[low], starts[high])
        cell = cells[part] - low
        key = cell.astype(np.int64) * k + system[part]
        sums = np.bincount(key, each[part], minlength=(high - low) * k).reshape(-1, k) @ rows
        for codes, projected in classes:
            place = number_groups(codes[part])
            level = np.empty(int(place.max()) + 1, dtype=np.int64)
            level[place] = codes[part]
            one, two = Classes(cell, high - low, each), Classes(place, len(level), each)
            sums -= _cross(one, two, each[part], _limit_dense(len(cell))) @ projected[level]
        yield slice(low, high), sums
