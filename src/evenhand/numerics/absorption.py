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

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged
from evenhand.numerics import Array
from evenhand.numerics.cluster_means import number_groups
from evenhand.numerics.graph import Graph, weak_components
from evenhand.numerics.newton import solve_columns

Integers = NDArray[np.integer[Any]]
MAX_DENSE_CELLS: Final = 4_000_000  # Cells of two classifications that are held as a matrix
MAX_SOLVED: Final = 3_000  # Levels up to which equations are solved directly
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
    """Remove the effects of one or two classifications; without any, a constant.

    Args:
        y: (n,) what is regressed.
        system: (n,) code of each row's system.
        size: number of systems, K.
        others: (n,) codes of the classifications, each without gaps.
        weight: (n,) weights of the rows, all 1 by default.

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
    # a constant moves freely between the two in each part of the graph of their levels
    first, second = cells.nonzero()
    graph = Graph(one.size + two.size, first.astype(np.int64), one.size + second.astype(np.int64))
    part = weak_components(graph)
    parts = np.unique(part, return_inverse=True)[1][: one.size]
    n_parts = int(parts.max()) + 1
    share = 1.0 / two.weight
    right = sides[small] - cells @ (sides[large] * share[:, None])
    if one.size <= MAX_SOLVED:
        scaled = cells * share
        inner = cells @ (scaled.toarray() if hasattr(scaled, "toarray") else scaled).T
        system = np.diag(one.weight) - inner
        scale = float(one.weight.mean())
        system += scale * (parts[:, None] == parts)  # the effects of a part then sum to zero
        solution = np.linalg.solve(system, right)
    else:
        solution = _iterate(one, cells, share, right, parts)
    back = (sides[large] - cells.T @ solution) * share[:, None]
    solved = [solution, back] if small == 0 else [back, solution]
    return solved, one.size + two.size - n_parts


def _cross(one: Classes, two: Classes, weight: Array | None) -> Any:
    if one.size * two.size <= MAX_DENSE_CELLS:
        key = one.codes.astype(np.int64) * two.size + two.codes
        counts = np.bincount(key, weight, minlength=one.size * two.size)
        return counts.reshape(one.size, two.size).astype(np.float64)
    from scipy.sparse import coo_array

    values = np.ones(len(one.codes)) if weight is None else weight
    shape = (one.size, two.size)
    return coo_array((values, (one.codes, two.codes)), shape=shape).tocsr()


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
    """Return the score and the information of every cluster of rows.

    Args:
        absorbed: the regression.
        residual: (n,) residuals at its solution.
        clusters: (n,) code of each row's cluster.
        size: number of clusters, G.

    """
    from scipy.sparse import coo_array

    k, n, w = absorbed.size, len(residual), absorbed.weight
    each = np.ones(n) if w is None else w
    weighed = residual if w is None else w * residual
    # Rows of a cluster in the same level of each classification, a cell, have the same x̃ but for
    # the indicators of their systems. With N the weights of the systems in a cell and n their sum:
    #   Σ w x̃ = N − n q,   Σ w x̃ x̃ᵀ = (N − n q)(N − n q)ᵀ / n + diag(N) − N Nᵀ / n
    blocks = [number_groups(clusters, classes.codes) for classes in absorbed.others]
    fewest = min(range(len(blocks)), key=lambda at: int(blocks[at].max()))
    others = [one.codes for at, one in enumerate(absorbed.others) if at != fewest]
    cell = number_groups(blocks[fewest], *others) if others else blocks[fewest]
    m = int(cell.max()) + 1
    owner = np.empty(m, dtype=np.int64)
    owner[cell] = clusters
    of_residual = np.bincount(cell, weighed).astype(np.float64)
    held = coo_array((each, (cell, absorbed.system)), shape=(m, k)).tocsr()
    held.sum_duplicates()
    loads = np.bincount(cell, each).astype(np.float64)
    classes = [
        _Blocks.of(*one, cell=cell, weight=each, weighed=weighed)
        for one in zip(absorbed.others, absorbed.projections, blocks, strict=True)
    ]
    key = clusters.astype(np.int64) * k + absorbed.system
    scores = np.bincount(key, weighed, minlength=size * k).reshape(size, k).astype(np.float64)
    information = _spread_cells(held, loads, owner, size)
    systems, counts, first = held.indices, held.data, held.indptr
    of_entry = np.repeat(np.arange(m), np.diff(first))
    starts = np.searchsorted(owner, np.arange(size + 1)).tolist()
    for g, (start, end) in enumerate(pairwise(starts)):
        if start == end:
            continue
        sums = classes[0].projection[classes[0].level[start:end]]
        for one in classes[1:]:
            sums += one.projection[one.level[start:end]]
        scores[g] -= of_residual[start:end] @ sums
        sums *= -loads[start:end, None]
        entries = slice(first[start], first[end])
        sums[of_entry[entries] - start, systems[entries]] += counts[entries]
        factor = 1 / loads[start:end]
        for one in classes:
            at = one.block[start:end]
            low, high = int(at.min()), int(at.max()) + 1
            share = one.share[low:high]
            if not share.any():
                continue
            parts = sums
            if high - low == end - start:  # each cell is a block
                factor += one.share[at]
                share, of_block = one.share[at], of_residual[start:end]
            else:
                place = (np.ones(end - start), (at - low, np.arange(end - start)))
                parts = coo_array(place, shape=(high - low, end - start)).tocsr() @ sums
                of_block = one.of_residual[low:high]
                root = parts * np.sqrt(share)[:, None]
                information[g] += root.T @ root
            scores[g] += (of_block * share) @ parts
        sums *= np.sqrt(factor)[:, None]
        information[g] += sums.T @ sums
    return ClusterSums(scores, information)


@dataclass(frozen=True, eq=False)
class _Blocks:
    """Rows of one cluster in one level of a classification, and which cells they are made of."""

    projection: Array  # (levels, K) of the classification
    level: Integers  # (m,) level of each cell
    block: Integers  # (m,) block of each cell
    # (B,) 1 / weight of a block's level outside of it; 0 where nothing is: sums are zero then, as
    # residuals are
    share: Array
    of_residual: Array  # (B,) Σ w e

    @classmethod
    def of(
        cls,
        classes: Classes,
        projection: Array,
        block: Integers,
        *,
        cell: Integers,
        weight: Array,
        weighed: Array,
    ) -> _Blocks:
        m, size = int(cell.max()) + 1, int(block.max()) + 1
        level, of_cell = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
        level[cell], of_cell[cell] = classes.codes, block
        whole = np.empty(size)
        whole[of_cell] = classes.weight[level]
        rest = whole - np.bincount(block, weight)
        share = np.where(rest > NESTED * whole, 1 / np.where(rest > 0, rest, 1.0), 0.0)
        of_residual = np.bincount(block, weighed).astype(np.float64)
        return cls(projection, level, of_cell, share, of_residual)


def _spread_cells(held: Any, loads: Array, owner: Integers, size: int) -> Array:
    """Return (G, K, K) sums of diag(N) − N Nᵀ / n over cells: 0 in those of one system."""
    from scipy.sparse import coo_array

    k = held.shape[1]
    several = np.flatnonzero(np.diff(held.indptr) > 1)
    mixed = held[several]
    at = np.repeat(np.arange(len(several)), np.diff(mixed.indptr))
    key = owner[several][at] * k + mixed.indices
    shares = coo_array((mixed.data / loads[several][at], (key, at)), shape=(size * k, len(several)))
    spread = -(shares.tocsr() @ mixed).toarray().reshape(size, k, k)
    spread[:, np.arange(k), np.arange(k)] += np.bincount(
        key, mixed.data, minlength=size * k
    ).reshape(size, k)
    return np.asarray(spread)


def score_cells(
    absorbed: Absorbed, residual: Array, cells: Integers, size: int, rows: Array
) -> Array:
    """Return (size, p) sums of scores over cells of rows, on (K, p) directions."""
    from scipy.sparse import coo_array

    each = residual if absorbed.weight is None else absorbed.weight * residual
    shape = (size, absorbed.size)
    scores = coo_array((each, (cells, absorbed.system)), shape=shape).tocsr() @ rows
    for classes, projection in zip(absorbed.others, absorbed.projections, strict=True):
        levels = coo_array((each, (cells, classes.codes)), shape=(size, classes.size)).tocsr()
        scores -= levels @ (projection @ rows)
    return np.asarray(scores)


def sum_squares(
    absorbed: Absorbed, residual: Array, cells: Integers, size: int, rows: Array
) -> Array:
    """Return (p, p) sums of s sᵀ over cells of rows, s on (K, p) directions."""
    scores = score_cells(absorbed, residual, cells, size, rows)
    return np.asarray(scores.T @ scores)
