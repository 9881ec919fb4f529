"""Which systems each entry of a pooled tally compares, as the structure of a (K, K) matrix.

Entries stand in the order of their left system, then right, each pair once, so that their weights
are the numbers of a matrix that need not be sorted again: a table of numpy where K is moderate,
else a triangle of scipy whose product, with its transpose's, is all that is asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.preference.design import Design, Places

Array = NDArray[np.float64]
SMALL: Final = 1_000
"""Systems up to which the matrix of pairs is a table, however few pairs were compared."""
SPARSE: Final = 4
"""Cells of the table for each pair that was compared, beyond which it is too empty."""


@dataclass(frozen=True, eq=False)
class Triangle:
    """A symmetric (K, K) matrix as the sum of a sparse one and its transpose."""

    half: Any

    def __matmul__(self, columns: Array) -> Array:
        return np.asarray(self.half @ columns + self.half.T @ columns)

    def tabulate(self) -> Array:
        """Return it as a table."""
        half = self.half.toarray()
        return np.asarray(half + half.T)


Weights: TypeAlias = "Array | Triangle"
"""A symmetric (K, K) matrix: the weight of every pair."""


def is_full(design: Design) -> bool:
    """Say whether so many pairs were compared that a table of all is the faster matrix.

    Sparse matrices are scipy's, whose import costs time of its own: small tables stay tables.
    """
    return design.size <= SMALL or SPARSE * len(design.left) >= design.size**2


@dataclass(frozen=True, eq=False)
class Pairs:
    """Who is compared in each entry.

    Attributes:
        design: a plain design, on a pooled tally.
        dense: whether a K × K matrix may be made, where pairs fill it or nothing else solves.

    """

    design: Design
    dense: bool

    @cached_property
    def tabled(self) -> bool:
        """Whether matrices are tables of numpy."""
        return self.dense and is_full(self.design)

    @property
    def size(self) -> int:
        """Number of systems K."""
        return self.design.size

    @cached_property
    def starts(self) -> Places:
        """(K + 1,) first entry of each left system."""
        return np.searchsorted(self.design.left, np.arange(self.size + 1))

    @cached_property
    def _held(self) -> Places:
        """Left systems that have entries: a sum over none would be the next one's first."""
        return np.flatnonzero(np.diff(self.starts))

    @cached_property
    def _tables(self) -> tuple[Array, Array]:
        """Room for a triangle, zero where there are no entries, and for the whole."""
        shape = (self.size, self.size)
        return np.zeros(shape), np.empty(shape)

    def matrix(self, weights: Array) -> Weights:
        """Return the symmetric (K, K) matrix with these weights for left and right.

        A table is written over by the next one: to find new memory for it takes as long.
        """
        if self.tabled:
            half, whole = self._tables
            half.reshape(-1)[self.design.table_place] = weights
            return np.add(half, half.T, out=whole)
        from scipy import sparse

        starts, shape = self.starts.astype(np.int32), (self.size, self.size)
        return Triangle(sparse.csr_array((weights, self.design.right, starts), shape=shape))

    def differ(self, worths: Array, entries: slice) -> Array:
        """Return worth of left less that of right for some entries."""
        left, right = self.design.ends
        return worths.take(left[entries]) - worths.take(right[entries])

    def sum_out(self, weights: Array) -> Array:
        """Sum entries onto systems, + for left and − for right: (K,)."""
        sums = np.zeros(self.size)
        sums[self._held] = np.add.reduceat(weights, self.starts[self._held])
        sums -= np.bincount(self.design.ends[1], weights, minlength=self.size)
        return sums
