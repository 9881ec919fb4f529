"""The leverage-corrected score bootstrap of contrasts, by cluster and without refits.

With s_g and H_g the score and information of cluster g at the estimate, H = Σ H_g and
L_g = (H − H_g)⁻¹, leaving g out moves the estimate by d_g = −L_g s_g, to first order. A draw of
weights v_g with mean 0 and variance 1 makes a world in which the truth is the estimate and cluster
g has the score v_g H L_g s_g:

    θ* = −Σ_g v_g d_g,   M_g = L_g H
    d*_g = −L_g (v_g H L_g s_g − H_g θ*) = M_g (θ* + v_g d_g) − θ*
    V* = (G − 1)/G Σ_g (d*_g − d̄*)(d*_g − d̄*)ᵀ,   t*_c = cᵀθ* / √(cᵀ V* c)

The variance in that world is the same functional as in this one (CV3), each cluster with its own
leverage: where loads are unequal, or judges saw some of the systems only, one common mean for all
clusters would make t* too short (INFERENCE A5, B1).

Numbers are those of Webb (2023), Reworking wild bootstrap-based inference for clustered errors,
Canadian Journal of Economics 56:839-858: six points, so that few clusters still make many worlds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Singles = NDArray[np.float32]
Numbers = NDArray[Any]
Pairs = tuple[NDArray[np.intp], NDArray[np.intp]]

# The six weights, all as likely: ±√(3/2), ±1, ±√(1/2)
WEBB: Final = np.sqrt([1.5, 1.0, 0.5]) * np.array([[-1.0], [1.0]])
# Numbers in the changes of all clusters that are worked on at a time: they stay in the cache
BLOCK: Final = 100_000
WORLDS: Final = 32  # Worlds that are worked on at a time where each has more numbers than that
BESIDE: Final = 8  # Clusters whose weights stand beside each other in one product
# Variance of a difference beside those of its ends, below which single precision is too coarse
LOST: Final = 0.01


@dataclass(frozen=True, eq=False)
class Influence:
    """What leaving each cluster out does, and how far its leverage carries a change."""

    changes: Array  # (G, p) d_g, on the parameters
    carried: Array  # (G, K, p) rows of M_g for the K coordinates of interest
    rows: Array  # (K, p) the coordinates themselves

    @property
    def factor(self) -> float:
        """(G − 1)/G."""
        return (len(self.changes) - 1) / len(self.changes)

    def relative_to(self, members: NDArray[np.bool_]) -> Influence:
        """Return the same of distances to the mean of some coordinates, (K,).

        >>> one = Influence(np.zeros((1, 2)), np.eye(2)[None], np.eye(2))
        >>> one.relative_to(np.array([True, False])).rows.tolist()
        [[0.0, 0.0], [-1.0, 1.0]]
        """
        if members.all():
            return self
        carried = self.carried - self.carried[:, members].mean(axis=1, keepdims=True)
        return Influence(self.changes, carried, self.rows - self.rows[members].mean(axis=0))


def draw_webb(shape: tuple[int, int], rng: np.random.Generator) -> Array:
    """Draw Webb's weights.

    >>> draw_webb((2, 3), np.random.default_rng(1)).round(3).tolist()
    [[-0.707, 1.225, 1.0], [0.707, -1.225, -1.225]]
    """
    return np.asarray(WEBB.ravel()[rng.integers(0, WEBB.size, shape)])


def bootstrap_contrasts(
    influence: Influence, weights: Array, pairs: Pairs
) -> tuple[Singles, Array]:
    """Return |t*| of differences between coordinates, and of the coordinates themselves.

    Worlds are made in single precision. One in which something varies so little beside what it is
    the difference of that rounding would show is made again in double precision.

    weights: (B, G) one row for each world.
    pairs: (P,) first and (P,) second coordinate of each difference.
    Returns: (B, P) of differences, each of them in one piece of memory, and (B, K) of coordinates.
    """
    loom = set_up(influence)
    of_pairs, own, lost = _weave(loom.single(), weights, pairs)
    again = np.flatnonzero(lost)
    if len(again):
        of_pairs[:, again], own[again], _ = _weave(loom, weights[again], pairs)
    return of_pairs.T, own


@dataclass(frozen=True, eq=False)
class Loom:
    """What turns weights into worlds, as products of matrices.

    The changes d*_g of a world are linear in θ* and in v_g, those of BESIDE clusters together in θ*
    and in their weights. θ* is written in the principal axes of the d_g, so that no number is large
    beside what it adds up to.
    """

    axes: Numbers  # (G, r) from weights to θ* in principal axes
    rows: Numbers  # (r, K) from these to the coordinates
    # (N, r + 1 + BESIDE, BESIDE · (K + 1)) from θ*, one and the weights of BESIDE clusters to the
    # changes of each, with a last column of ones, which counts clusters
    carried: Numbers
    factor: float  # (G − 1)/G

    def single(self) -> Loom:
        """Return the same in single precision."""
        axes, rows, carried = (
            one.astype(np.float32) for one in (self.axes, self.rows, self.carried)
        )
        return Loom(axes, rows, carried, self.factor)

    def clear(self, worlds: int) -> Numbers:
        """Return room for the changes of some worlds, which is used again and again."""
        blocks, _, columns = self.carried.shape
        return np.empty((worlds, blocks, columns), dtype=self.carried.dtype)

    def weave(self, weights: Array, room: Numbers) -> tuple[Numbers, Numbers]:
        """Return (b, K) estimates and (b, K, K + 1) products of changes, with their sums last."""
        some = weights.astype(self.axes.dtype)
        blocks, width, columns = self.carried.shape
        moved = some @ self.axes
        known = np.ones((blocks, len(some), width), dtype=some.dtype)
        known[:, :, : moved.shape[1]] = moved
        filled = np.zeros((len(some), blocks * BESIDE), dtype=some.dtype)
        filled[:, : some.shape[1]] = some
        known[:, :, -BESIDE:] = filled.reshape(len(some), blocks, BESIDE).transpose(1, 0, 2)
        changes = room[: len(some)]
        np.matmul(known, self.carried, out=changes.transpose(1, 0, 2))
        each = changes.reshape(len(some), blocks * BESIDE, columns // BESIDE)
        # of an array with itself numpy makes half and mirrors it: slower, where both are small
        return moved @ self.rows, np.matmul(each[:, :, :-1].transpose(0, 2, 1), each)

    def walk(self, weights: Array) -> Iterator[tuple[int, Numbers, Numbers]]:
        """Weave all worlds; products take twice as many at a time as what follows likes."""
        clusters, k = weights.shape[1], self.rows.shape[1]
        step = max(WORLDS, BLOCK // (clusters * k))
        room = self.clear(2 * step)
        for first in range(0, len(weights), 2 * step):
            estimate, products = self.weave(weights[first : first + 2 * step], room)
            for at in range(0, len(estimate), step):
                yield first + at, estimate[at : at + step], products[at : at + step]


def set_up(influence: Influence) -> Loom:
    """Write the influence of clusters as what turns weights into worlds."""
    g, k, _ = influence.carried.shape
    left, size, right = np.linalg.svd(influence.changes, full_matrices=False)
    axes, r = size[:, None] * right, len(size)
    own = np.matmul(influence.carried, influence.changes[:, :, None])[:, :, 0]
    apart = influence.carried - influence.carried.mean(axis=0)
    blocks = -(-g // BESIDE)
    carried = np.zeros((blocks * BESIDE, r + 1 + BESIDE, k + 1))
    carried[:g, :r, :k] = np.matmul(apart, axes.T).transpose(0, 2, 1)
    carried[:g, r, k] = 1.0
    each = np.arange(g)
    carried[each, r + 1 + each % BESIDE, :k] = own
    shape = blocks, BESIDE, r + 1 + BESIDE, k + 1
    carried = carried.reshape(shape).transpose(0, 2, 1, 3).reshape(blocks, r + 1 + BESIDE, -1)
    return Loom(-left, axes @ influence.rows.T, np.ascontiguousarray(carried), influence.factor)


def _weave(loom: Loom, weights: Array, pairs: Pairs) -> tuple[Numbers, Numbers, NDArray[np.bool_]]:
    """Return (P, B) and (B, K) |t*|, and (B,) whether rounding to single precision would show."""
    clusters, k = weights.shape[1], loom.rows.shape[1]
    of_pairs = np.empty((len(pairs[0]), len(weights)), dtype=np.float32)
    own, lost = np.empty((len(weights), k)), np.empty(len(weights), dtype=np.bool_)
    corners = pairs[0] * k + pairs[1]
    for at, estimate, products in loom.walk(weights):
        some = slice(at, at + len(estimate))
        sums = products[:, :, k]
        variance = products[:, :, :k] - sums[:, :, None] * (sums / clusters)[:, None]
        variance *= loom.factor
        # one row for each coordinate or pair: what belongs to a pair is then copied in one piece
        matrix, moved = np.ascontiguousarray(variance.reshape(-1, k * k).T), estimate.T.copy()
        diagonal = matrix[:: k + 1]
        both = diagonal[pairs[0]] + diagonal[pairs[1]]
        spread = both - 2 * matrix[corners]
        of_pairs[:, some] = absolute_t(moved[pairs[0]] - moved[pairs[1]], spread)
        own[some] = absolute_t(estimate, diagonal.T)
        raw = loom.factor * np.diagonal(products, axis1=1, axis2=2)
        lost[some] = (spread < LOST * both).any(axis=0) | (LOST * raw > diagonal.T).any(axis=1)
    return of_pairs, own, lost


def absolute_t(estimate: Numbers, variance: Numbers) -> Numbers:
    """Return |t|; a world in which nothing varies says that anything may happen.

    >>> absolute_t(np.array([-3.0, 0.0]), np.array([4.0, 0.0])).tolist()
    [1.5, inf]
    """
    if (variance > 0).all():  # a division with a mask takes three times as long
        return np.asarray(np.abs(estimate) / np.sqrt(variance))
    endless = np.full_like(estimate, np.inf)
    spread = np.sqrt(np.maximum(variance, 0))
    return np.asarray(np.divide(np.abs(estimate), spread, out=endless, where=spread > 0))


def jackknife(changes: Array) -> Array:
    """Return the (p, p) covariance CV3 of what leaving each cluster out changes.

    >>> jackknife(np.array([[1.0], [3.0]])).tolist()
    [[1.0]]
    """
    centred = changes - changes.mean(axis=0)
    return np.asarray((len(changes) - 1) / len(changes) * centred.T @ centred)
