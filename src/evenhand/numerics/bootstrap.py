"""The leverage-corrected score bootstrap of contrasts, by cluster and without refits.

Its equations are in docs/methods/intervals.md; M_g = L_g H and d*_g = M_g (θ* + v_g d_g) − θ*. The
variance of a replicate is the same functional as that of the data (CV3), each cluster with its own
leverage: where loads are unequal, or judges saw some of the systems only, one common mean for all
clusters would make t* too short. Weights are the six points of Webb (2023), so that few clusters
still make many replicates.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics import Array, Flags
from evenhand.numerics.multiple_tests import absolute_t

Numbers = NDArray[Any]
Pairs = tuple[NDArray[np.intp], NDArray[np.intp]]

# The six weights, all as likely: ±√(3/2), ±1, ±√(1/2)
WEBB: Final = np.sqrt([1.5, 1.0, 0.5]) * np.array([[-1.0], [1.0]])
# Numbers in the changes of all clusters that are worked on at a time: they stay in the cache
BLOCK: Final = 100_000
DRAWN_TOGETHER: Final = 100  # Replicates whose random numbers stay in the cache
MIN_REPLICATES: Final = 32  # Worked on at a time where each has more numbers than that
CLUSTERS_TOGETHER: Final = 8  # Clusters whose weights stand beside each other in one product
# Variance of a difference beside those of its ends, below which single precision is too coarse
MIN_SHARE_LEFT: Final = 0.01


@dataclass(frozen=True, eq=False)
class Influence:
    """What leaving each cluster out does, and how far its leverage carries a change."""

    changes: Array  # (G, p) d_g, on the parameters
    carried: Array  # (G, K, p) rows of M_g for the K coordinates of interest
    rows: Array  # (K, p) the coordinates themselves

    def relative_to(self, members: Flags) -> Influence:
        if members.all():
            return self
        carried = self.carried - self.carried[:, members].mean(axis=1, keepdims=True)
        return Influence(self.changes, carried, self.rows - self.rows[members].mean(axis=0))


def draw_webb(shape: tuple[int, int], rng: np.random.Generator) -> Array:
    weights = np.empty(shape)
    for start in range(0, len(weights), DRAWN_TOGETHER):
        part = weights[start : start + DRAWN_TOGETHER]
        np.take(WEBB, rng.integers(0, WEBB.size, part.shape), out=part, mode="clip")
    return weights


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
class ReplicateBatches:
    """What turns weights into replicates, as products of matrices.

    The changes d*_g of a replicate are linear in θ* and in v_g, those of CLUSTERS_TOGETHER clusters
    together in θ* and in their weights. θ* is written in the principal axes of the d_g, so that no
    number is large beside what it adds up to.
    """

    axes: Numbers  # (G, r) from weights to θ* in principal axes
    rows: Numbers  # (r, K) from these to the coordinates
    # (N, r + 1 + C, C · (K + 1)), C = CLUSTERS_TOGETHER, from θ*, one and the weights of C clusters
    # to the changes of each, with a last column of ones, which counts clusters
    carried: Numbers

    @classmethod
    def of(cls, influence: Influence) -> ReplicateBatches:
        c = CLUSTERS_TOGETHER
        g, k, _ = influence.carried.shape
        left, size, right = np.linalg.svd(influence.changes, full_matrices=False)
        axes, r = size[:, None] * right, len(size)
        blocks = -(-g // c)
        carried = np.zeros((blocks * c, r + 1 + c, k + 1))
        apart = influence.carried - influence.carried.mean(axis=0)
        carried[:g, :r, :k] = np.matmul(apart, axes.T).transpose(0, 2, 1)
        carried[:g, r, k] = 1.0
        each = np.arange(g)
        own_change = np.matmul(influence.carried, influence.changes[:, :, None])[:, :, 0]
        carried[each, r + 1 + each % c, :k] = own_change
        carried = carried.reshape(blocks, c, r + 1 + c, k + 1).transpose(0, 2, 1, 3)
        carried = np.ascontiguousarray(carried.reshape(blocks, r + 1 + c, -1))
        return cls(-left, axes @ influence.rows.T, carried)

    def single(self) -> ReplicateBatches:
        parts = {name: getattr(self, name).astype(np.float32) for name in vars(self)}
        return replace(self, **parts)

    def _iterate(self, weights: Array) -> Iterator[tuple[slice, Numbers, Numbers]]:
        """Compute all replicates, some at a time, and of these fewer where their clusters stand."""
        c, k = CLUSTERS_TOGETHER, self.rows.shape[1]
        blocks, width, columns = self.carried.shape
        step = 2 * max(MIN_REPLICATES, BLOCK // (weights.shape[1] * k))
        together = step * max(1, BLOCK // (step * k**2))
        known = np.ones((blocks, step, width), dtype=self.axes.dtype)
        filled = np.zeros((step, blocks * c), dtype=self.axes.dtype)
        room = np.empty((step, blocks, columns), dtype=self.carried.dtype)
        for start in range(0, len(weights), together):
            part = weights[start : start + together].astype(self.axes.dtype)
            estimate = np.empty((len(part), k), dtype=self.rows.dtype)
            products = np.empty((len(part), k, k + 1), dtype=self.carried.dtype)
            for first in range(0, len(part), step):
                some = slice(first, first + step)
                b = len(part[some])
                filled[:b, : part.shape[1]] = part[some]
                known[:, :b, -c:] = filled[:b].reshape(b, blocks, c).transpose(1, 0, 2)
                each = room[:b].reshape(b, blocks * c, columns // c)
                # OpenBLAS may raise the flag for parts of a register that no result uses
                # (numpy#24067)
                with np.errstate(invalid="ignore"):
                    moved = part[some] @ self.axes
                    known[:, :b, : moved.shape[1]] = moved
                    np.matmul(known[:, :b], self.carried, out=room[:b].transpose(1, 0, 2))
                    # of an array with itself numpy makes half and mirrors it: slower, where small
                    np.matmul(each[:, :, :-1].transpose(0, 2, 1), each, out=products[some])
                    np.matmul(moved, self.rows, out=estimate[some])
            yield slice(start, start + len(part)), estimate, products

    def studentise(self, weights: Array, pairs: Pairs) -> tuple[Numbers, Numbers, Flags]:
        """Return (P, B) and (B, K) |t*|, and (B,) whether single precision would be too coarse."""
        clusters, k = weights.shape[1], self.rows.shape[1]
        factor = (clusters - 1) / clusters
        of_pairs = np.empty((len(pairs[0]), len(weights)), dtype=np.float32)
        of_coordinates = np.empty((len(weights), k))
        lost = np.empty(len(weights), dtype=np.bool_)
        corners = pairs[0] * k + pairs[1]
        for part, estimate, products in self._iterate(weights):
            sums = products[:, :, k]
            variance = products[:, :, :k] - sums[:, :, None] * (sums / clusters)[:, None]
            variance *= factor
            # one row for each coordinate or pair: what belongs to a pair is copied in one piece
            matrix, moved = np.ascontiguousarray(variance.reshape(-1, k * k).T), estimate.T.copy()
            diagonal = matrix[:: k + 1]
            both = diagonal[pairs[0]] + diagonal[pairs[1]]
            spread = both - 2 * matrix[corners]
            of_pairs[:, part] = absolute_t(moved[pairs[0]] - moved[pairs[1]], spread)
            of_coordinates[part] = absolute_t(estimate, diagonal.T)
            raw = factor * np.diagonal(products, axis1=1, axis2=2)
            coarse = (spread < MIN_SHARE_LEFT * both).any(axis=0)
            lost[part] = coarse | (MIN_SHARE_LEFT * raw > diagonal.T).any(axis=1)
        return of_pairs, of_coordinates, lost


def jackknife(changes: Array) -> Array:
    centred = changes - changes.mean(axis=0)
    return np.asarray((len(changes) - 1) / len(changes) * centred.T @ centred)
