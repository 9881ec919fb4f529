"""The leverage-corrected score bootstrap of contrasts, by cluster and without refits.

With s_g and H_g the score and information of cluster g at the estimate, H = Σ H_g and
L_g = (H − H_g)⁻¹, leaving g out moves the estimate by d_g = −L_g s_g, to first order. A draw of
weights v_g with mean 0 and variance 1 makes a replicate in which the truth is the estimate and
cluster g has the score v_g H L_g s_g:

    θ* = −Σ_g v_g d_g,   M_g = L_g H
    d*_g = −L_g (v_g H L_g s_g − H_g θ*) = M_g (θ* + v_g d_g) − θ*
    V* = (G − 1)/G Σ_g (d*_g − d̄*)(d*_g − d̄*)ᵀ,   t*_c = cᵀθ* / √(cᵀ V* c)

The variance of a replicate is the same functional as that of the data (CV3), each cluster with its
own leverage: where loads are unequal, or judges saw some of the systems only, one common mean for
all clusters would make t* too short.

Weights are those of Webb (2023), Reworking wild bootstrap-based inference for clustered errors,
Canadian Journal of Economics 56:839-858: six points, so that few clusters still make many
replicates.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics import Array, Flags

Numbers = NDArray[Any]
Pairs = tuple[NDArray[np.intp], NDArray[np.intp]]

# The six weights, all as likely: ±√(3/2), ±1, ±√(1/2)
WEBB: Final = np.sqrt([1.5, 1.0, 0.5]) * np.array([[-1.0], [1.0]])
# Numbers in the changes of all clusters that are worked on at a time: they stay in the cache
BLOCK: Final = 200_000
MIN_REPLICATES: Final = 64  # Worked on at a time where each has more numbers than that
CLUSTERS_TOGETHER: Final = 8  # Clusters whose weights stand beside each other in one product
# Variance of a difference beside those of its ends, below which single precision is too coarse
MIN_SHARE_LEFT: Final = 0.01


@dataclass(frozen=True, eq=False)
class Influence:
    """What leaving each cluster out does, and how far its leverage carries a change."""

    changes: Array  # (G, p) d_g, on the parameters
    carried: Array  # (G, K, p) rows of M_g for the K coordinates of interest
    rows: Array  # (K, p) the coordinates themselves
    estimates: int = 1  # How many have as many of the parameters each, in this order

    def relative_to(self, members: Flags) -> Influence:
        if members.all():
            return self
        carried = self.carried - self.carried[:, members].mean(axis=1, keepdims=True)
        return replace(self, carried=carried, rows=self.rows - self.rows[members].mean(axis=0))


def draw_webb(shape: tuple[int, int], rng: np.random.Generator) -> Array:
    return np.asarray(WEBB.take(rng.integers(0, WEBB.size, shape)))


def bootstrap_contrasts(
    influence: Influence, weights: Array, pairs: Pairs
) -> tuple[NDArray[np.float32], Array]:
    """Return (B, P) |t*| of differences between coordinates, and (B, K) of the coordinates.

    Replicates are made in single precision. One in which something varies so little beside what it
    is the difference of that rounding would show is made again in double precision.

    weights: (B, G) one row for each replicate.
    pairs: (P,) first and (P,) second coordinate of each difference, which has one piece of memory.
    """
    batches = ReplicateBatches.of(influence)
    of_pairs, of_coordinates, lost = batches.single().studentise(weights, pairs)
    again = np.flatnonzero(lost)
    if len(again):
        of_pairs[:, again], of_coordinates[again], _ = batches.studentise(weights[again], pairs)
    return of_pairs.T, of_coordinates


@dataclass(frozen=True, eq=False)
class Batch:
    """Clusters that carry the same estimates, CLUSTERS_TOGETHER of them in each product.

    θ* is written in axes in which weights add up to it without being large beside it.
    """

    codes: NDArray[np.intp]  # (g,) which they are
    axes: Numbers  # (G, r) from weights to θ*, as far as it is carried
    # (N, r + C, C · K), C = CLUSTERS_TOGETHER, from θ* and the weights of C clusters to the
    # changes of each
    carried: Numbers


@dataclass(frozen=True, eq=False)
class ReplicateBatches:
    """What turns weights into replicates, as products of matrices.

    The changes d*_g of a replicate are linear in θ* and in v_g, those of CLUSTERS_TOGETHER clusters
    together in θ* and in their weights. A cluster without answers for one of several estimates
    carries nothing of it, (M_g − 1) being 0 there, so that only the others go into its product.
    """

    # (G, 2K) from weights to θ* of the coordinates and to Σ_g d*_g; all d*_g are times √((G − 1)/G)
    linear: Numbers
    batches: tuple[Batch, ...]

    @classmethod
    def of(cls, influence: Influence) -> ReplicateBatches:
        c, changes, rows = CLUSTERS_TOGETHER, influence.changes, influence.rows
        g, k, p = influence.carried.shape
        scale = np.sqrt((g - 1) / g)  # so that sums of products are jackknife variances
        touched = (influence.carried != rows).any(axis=1).reshape(g, influence.estimates, -1)
        kind = touched.any(axis=2) @ (1 << np.arange(influence.estimates))
        own = scale * np.matmul(influence.carried, changes[:, :, None])[:, :, 0]
        batches, sums = [], own.copy()
        for one in np.unique(kind):
            codes = np.flatnonzero(kind == one)
            columns = np.repeat(touched[codes[0]].any(axis=1), p // influence.estimates)
            left, right = np.linalg.qr(changes[:, columns])
            n, r = -(-len(codes) // c), len(right)
            apart = influence.carried[:, :, columns][codes] - rows[:, columns]
            moved = scale * np.matmul(apart, right.T)
            sums -= left @ moved.sum(axis=0).T
            carried = np.zeros((n * c, r + c, k))
            carried[: len(codes), :r] = moved.transpose(0, 2, 1)
            each = np.arange(len(codes))
            carried[each, r + each % c] = own[codes]
            wide = carried.reshape(n, c, r + c, k).transpose(0, 2, 1, 3)
            batches.append(Batch(codes, -left, wide.reshape(n, r + c, c * k)))
        return cls(np.concatenate([-changes @ rows.T, sums], axis=1), tuple(batches))

    def single(self) -> ReplicateBatches:
        f = np.float32
        return ReplicateBatches(
            self.linear.astype(f),
            tuple(Batch(b.codes, b.axes.astype(f), b.carried.astype(f)) for b in self.batches),
        )

    def _iterate(self, weights: Array) -> Iterator[tuple[slice, Numbers, Numbers, Numbers]]:
        """Compute all replicates: θ*, Σ_g d*_g and the (b, K, K) sums of products of d*_g."""
        c, k, kind = CLUSTERS_TOGETHER, self.linear.shape[1] // 2, self.linear.dtype
        step = max(MIN_REPLICATES, BLOCK // (weights.shape[1] * k))
        blocks = sum(len(one.carried) for one in self.batches)
        room = np.empty((step, blocks, c * k), dtype=kind)
        for first in range(0, len(weights), step):
            drawn, start = weights[first : first + step].astype(kind), 0
            b = len(drawn)
            changes = room[:b]
            for one in self.batches:
                n, width, _ = one.carried.shape
                filled = np.zeros((b, n * c), dtype=kind)
                filled[:, : len(one.codes)] = drawn[:, one.codes]
                known = np.empty((n, b, width), dtype=kind)
                known[:, :, :-c] = drawn @ one.axes
                known[:, :, -c:] = filled.reshape(b, n, c).transpose(1, 0, 2)
                out = changes[:, start : start + n].transpose(1, 0, 2)
                np.matmul(known, one.carried, out=out)
                start += n
            each = changes.reshape(b, blocks * c, k)
            products = np.matmul(each.transpose(0, 2, 1), each)
            estimate, sums = np.split(drawn @ self.linear, 2, axis=1)
            yield slice(first, first + b), estimate, sums, products

    def studentise(self, weights: Array, pairs: Pairs) -> tuple[Numbers, Numbers, Flags]:
        """Return (P, B) and (B, K) |t*|, and (B,) whether single precision would be too coarse."""
        clusters, k = weights.shape[1], self.linear.shape[1] // 2
        of_pairs = np.empty((len(pairs[0]), len(weights)), dtype=np.float32)
        of_coordinates = np.empty((len(weights), k))
        lost = np.empty(len(weights), dtype=np.bool_)
        corners = pairs[0] * k + pairs[1]
        for part, estimate, sums, products in self._iterate(weights):
            variance = products - sums[:, :, None] * (sums / clusters)[:, None]
            # one row for each coordinate or pair: what belongs to a pair is copied in one piece
            matrix, moved = np.ascontiguousarray(variance.reshape(-1, k * k).T), estimate.T.copy()
            diagonal = matrix[:: k + 1]
            both = diagonal[pairs[0]] + diagonal[pairs[1]]
            spread = both - 2 * matrix[corners]
            of_pairs[:, part] = absolute_t(moved[pairs[0]] - moved[pairs[1]], spread)
            of_coordinates[part] = absolute_t(estimate, diagonal.T)
            raw = np.diagonal(products, axis1=1, axis2=2)
            coarse = (spread < MIN_SHARE_LEFT * both).any(axis=0)
            lost[part] = coarse | (MIN_SHARE_LEFT * raw > diagonal.T).any(axis=1)
        return of_pairs, of_coordinates, lost


def absolute_t(estimate: Numbers, variance: Numbers) -> Numbers:
    """Return |t|, infinite where nothing varies: such a replicate says that all may happen."""
    if (variance > 0).all():  # a division with a mask takes three times as long
        return np.asarray(np.abs(estimate) / np.sqrt(variance))
    endless = np.full_like(estimate, np.inf)
    spread = np.sqrt(np.maximum(variance, 0))
    return np.asarray(np.divide(np.abs(estimate), spread, out=endless, where=spread > 0))


def jackknife(changes: Array) -> Array:
    centred = changes - changes.mean(axis=0)
    return np.asarray((len(changes) - 1) / len(changes) * centred.T @ centred)
