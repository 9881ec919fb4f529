"""Many small linear systems at once: precision matrices of differences, block by block.

An entry compares two nodes. Nodes that comparisons join, directly or through others, form a block;
blocks have nothing to do with each other. For weights t of the entries and a ridge r the precision
matrix of a block is

    P = r I + Σ_c t_c a_c a_cᵀ,   a_c = +1 at one node of entry c and −1 at the other.

Blocks of like size are taken together and filled up to one width with nodes that nothing is
compared with, so that memory stays within the processor's cache and no matrix over all nodes is
ever formed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.graph import Graph, weak_components

Array = NDArray[np.float64]
Integers = NDArray[np.intp]

CELLS: Final = 65_536
"""Numbers in the matrices of one batch."""
_SEED: Final = 20131
ENTRIES: Final = 3_072
"""Entries of one batch: what is in between stays in the processor's cache."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Blocks of one width.

    Attributes:
        entries: the entries of these blocks, in the order of `Blocks.order`.
        nodes: nodes of these blocks: `Blocks.place` of node n lies within this slice.
        size: number of blocks B.
        width: nodes of each block d, filled up.
        left: (c,) block · d + place of one node of each entry.
        right: (c,) the same of the other.

    """

    entries: slice
    nodes: slice
    size: int
    width: int
    left: Integers
    right: Integers

    @cached_property
    def block(self) -> Integers:
        """(c,) block of each entry within the batch."""
        return self.left // self.width

    @cached_property
    def _corners(self) -> Integers:
        """(4c,) where an entry stands in the matrices: both diagonals, both sides of them."""
        left, right, d = self.left, self.right, self.width
        at = (left * d + left % d, right * d + right % d, left * d + right % d)
        return np.concatenate((*at, right * d + left % d))

    def precision(self, weights: Array, ridge: float) -> Array:
        """Return (B, d, d) matrices P."""
        signed = np.concatenate((weights, weights, -weights, -weights))
        flat = _sum(self._corners, signed, self.size * self.width**2)
        matrices = flat.reshape(self.size, self.width, self.width)
        diagonal = np.arange(self.width)
        matrices[:, diagonal, diagonal] += ridge
        return matrices

    def spread(self, matrices: Array) -> Array:
        """Return (c,) aᵀ M a of every entry, for symmetric matrices."""
        one, other, across, _ = matrices.reshape(-1)[self._corners].reshape(4, -1)
        return np.asarray(one + other - 2 * across)

    def gather(self, values: Array) -> Array:
        """Return (B, d) sums of entries onto nodes, + for one and − for the other."""
        n = self.size * self.width
        difference = _sum(self.left, values, n) - _sum(self.right, values, n)
        return difference.reshape(self.size, self.width)

    def differ(self, values: Array) -> Array:
        """Return (c, ...) differences of the nodes of each entry, from (B, d, ...)."""
        flat = values.reshape(self.size * self.width, *values.shape[2:])
        return np.asarray(flat[self.left] - flat[self.right])

    def sums(self, values: Array) -> Array:
        """Return (B,) sums of entries by block."""
        return _sum(self.block, values, self.size)


@dataclass(frozen=True, eq=False)
class Blocks:
    """All blocks, in batches.

    Attributes:
        order: (C,) entries batch by batch.
        place: (N,) where each node stands when the nodes of all batches follow each other.
        batches: the batches.

    """

    order: Integers
    place: Integers
    batches: tuple[Batch, ...]

    @property
    def count(self) -> int:
        """Number of blocks."""
        return sum(batch.size for batch in self.batches)

    def thinned(self, most: int) -> tuple[float, ...]:
        """Return weights of the batches: about `most` of them stand for all, the others have 0.

        One of several batches that follow each other stands for them; a block that fills a batch
        by itself stands for itself.
        """
        weights = np.ones(len(self.batches))
        shared = np.array([i for i, batch in enumerate(self.batches) if batch.size > 1], dtype=int)
        step = -(-len(shared) // most) if len(shared) else 1
        for first in range(0, len(shared) if step > 1 else 0, step):
            group = shared[first : first + step]
            sizes = [self.batches[i].size for i in group.tolist()]
            weights[group] = 0.0
            weights[group[len(group) // 2]] = sum(sizes) / sizes[len(group) // 2]
        return tuple(weights.tolist())

    @property
    def slots(self) -> int:
        """Number of places for nodes, filled or not."""
        return self.batches[-1].nodes.stop if self.batches else 0


def make_blocks(n_nodes: int, left: Integers, right: Integers) -> Blocks:
    """Sort nodes into blocks and blocks into batches.

    Args:
        n_nodes: number of nodes N, each of which some entry names.
        left: (C,) one node of each entry.
        right: (C,) the other.

    >>> blocks = make_blocks(4, np.array([0, 2]), np.array([1, 3]))
    >>> batch = blocks.batches[0]
    >>> batch.precision(np.array([1.0, 2.0]), 1.0).tolist()
    [[[2.0, -1.0], [-1.0, 2.0]], [[3.0, -2.0], [-2.0, 3.0]]]
    """
    block = weak_components(Graph(n_nodes, left, right))
    width = _filled(np.bincount(block))
    many = np.bincount(block[left], minlength=len(width))
    # narrow blocks first, of one width the light, and the rest by chance: batches are samples
    chance = np.random.Generator(np.random.PCG64(_SEED)).permutation(len(width))
    sequence = np.lexsort((chance, many, width))
    width, many = width[sequence], many[sequence]
    rank = np.empty_like(sequence)
    rank[sequence] = np.arange(len(sequence))
    start = np.concatenate(([0], np.cumsum(width)))
    place = _places(rank[block], start)
    order = np.argsort(rank[block[left]], kind="stable")
    ends = np.concatenate(([0], np.cumsum(many)))
    one, other = place[left][order], place[right][order]
    batches = []
    for low, high in _cuts(width, many):
        entries, nodes = slice(ends[low], ends[high]), slice(start[low], start[high])
        sides = one[entries] - nodes.start, other[entries] - nodes.start
        batches.append(Batch(entries, nodes, high - low, int(width[low]), *sides))
    return Blocks(order, place, tuple(batches))


def _filled(size: Integers) -> Integers:
    """Return the width that blocks are filled up to: their size, or up to an eighth more."""
    step = 2 ** np.maximum(np.floor(np.log2(np.maximum(size, 1))).astype(np.intp) - 3, 0)
    return np.asarray(-(-size // step) * step, dtype=np.intp)


def _places(rank: Integers, start: Integers) -> Integers:
    """Return where each node stands: after the blocks before its own, and the nodes before it."""
    by_block = np.argsort(rank, kind="stable")
    ordered = rank[by_block]
    first = np.searchsorted(ordered, ordered)
    place = np.empty_like(rank)
    place[by_block] = start[ordered] + np.arange(len(rank)) - first
    return place


def _cuts(width: Integers, many: Integers) -> list[tuple[int, int]]:
    """Return where batches begin and end: one width, not too many numbers, not too many entries."""
    cuts, low = [], 0
    total = np.concatenate(([0], np.cumsum(many)))
    while low < len(width):
        same = int(np.searchsorted(width, width[low], side="right"))
        full = low + max(1, CELLS // int(width[low]) ** 2)
        heavy = int(np.searchsorted(total, total[low] + ENTRIES, side="right")) - 1
        high = max(low + 1, min(same, full, heavy))
        cuts.append((low, high))
        low = high
    return cuts


def _sum(at: Integers, values: Array, size: int) -> Array:
    return np.asarray(np.bincount(at, values, minlength=size), dtype=np.float64)


def invert_all(matrices: Array) -> tuple[Array, Array]:
    """Invert symmetric positive definite matrices (B, d, d); return also their log-determinants.

    By halves of the Cholesky factor, which takes half the time of a general inverse in batches.

    >>> inverse, log_det = invert_all(np.array([[[4.0, 2.0], [2.0, 2.0]]]))
    >>> inverse.tolist(), np.exp(log_det).round(12).tolist()
    ([[[0.5, -0.5], [-0.5, 1.0]]], [4.0])
    """
    factor: Array = np.asarray(np.linalg.cholesky(matrices), dtype=np.float64)
    roots = np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
    root = _invert_lower(factor)
    return np.asarray(root.transpose(0, 2, 1) @ root), np.asarray(2 * roots)


def _invert_lower(factor: Array) -> Array:
    """Invert lower triangular matrices, half by half."""
    width = factor.shape[1]
    if width == 1:
        return np.asarray(1 / factor)
    half = width // 2
    inverse = np.zeros_like(factor)
    upper = inverse[:, :half, :half] = _invert_lower(factor[:, :half, :half])
    lower = inverse[:, half:, half:] = _invert_lower(factor[:, half:, half:])
    inverse[:, half:, :half] = -(lower @ (factor[:, half:, :half] @ upper))
    return inverse
