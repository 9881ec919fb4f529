"""Means of numbers that hang together by cluster: how sure they are, and how they would redraw.

    d_g = −Σ_t w_t S_gt / (n_t − n_gt),   V = (G − 1)/G Σ_g (d_g − d̄)²          CV3 (INFERENCE B1)

S_gt sums the deviations of cluster g from the mean of stratum t, n_gt counts them, and w_t is what
the stratum counts in the whole: d_g is what leaving cluster g out changes. A wild bootstrap turns
clusters round by chance (Rademacher weights v) and studentises anew, its leverage corrected:

    θ* = −Σ_g v_g d_g,   d*_g = v_g e_g + b_g θ*,   t* = θ* / √V(d*)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Strata:
    """Numbers in strata, whose means are averaged.

    Attributes:
        code: (n,) stratum of each number, none of them empty.
        share: (T,) what each stratum counts, adding up to 1.

    """

    code: Integers
    share: Array

    @classmethod
    def one(cls, n: int) -> Strata:
        """All numbers alike."""
        return cls(np.zeros(n, dtype=np.int64), np.ones(1))

    @property
    def counts(self) -> Array:
        """(T,) numbers in each stratum."""
        return np.bincount(self.code, minlength=len(self.share)).astype(np.float64)

    @property
    def weights(self) -> Array:
        """(n,) what each number counts, adding up to 1."""
        return np.asarray((self.share / self.counts)[self.code])

    def means(self, values: Array) -> Array:
        """Return the (P,) averaged means of (P, n) values, exact where all are alike."""
        first = values[:, 0]
        return np.asarray(first + (values - first[:, None]) @ self.weights)

    def deviations(self, values: Array) -> Array:
        """Return (P, n) deviations of values from the mean of their stratum."""
        moved = values - values[:, :1]  # so that values that are all alike have none at all
        each = sum_by(moved, self.code, len(self.share)) / self.counts
        return np.asarray(moved - each[:, self.code])


@dataclass(frozen=True, eq=False)
class Changes:
    """What leaving each of G clusters out changes in P means.

    Attributes:
        change: (P, G) change of each mean, d.
        scaled: (P, G) the same, inflated once more by leverage, e.
        lever: (G,) what a cluster weighs beside the rest, b.
        weight: (G,) what it weighs in all, adding up to 1.

    """

    change: Array
    scaled: Array
    lever: Array
    weight: Array

    @property
    def effective(self) -> float:
        """The effective number of clusters, 1 / Σ w_g²."""
        return float(1 / (self.weight**2).sum())

    @property
    def variance(self) -> Array:
        """(P,) variances of the means, CV3."""
        return _spread(self.change.sum(axis=1), (self.change**2).sum(axis=1), len(self.weight))

    def between(self, one: Integers, other: Integers) -> Changes:
        """Return the same of differences of means."""
        change = self.change[one] - self.change[other]
        scaled = self.scaled[one] - self.scaled[other]
        return Changes(change, scaled, self.lever, self.weight)

    def redraw(self, signs: Array) -> tuple[Array, Array]:
        """Return (B, P) means and their variances with the clusters turned round.

        Args:
            signs: (B, G) weights of −1 and 1.

        """
        moved = -signs @ self.change.T
        turned = signs @ self.scaled.T
        sums = turned + moved * self.lever.sum()
        squares = (self.scaled**2).sum(axis=1) + moved**2 * (self.lever**2).sum()
        squares += 2 * moved * (signs @ (self.scaled * self.lever).T)
        return moved, _spread(sums, squares, len(self.lever))


def leave_clusters_out(deviations: Array, clusters: Integers, strata: Strata) -> Changes:
    """Say what leaving each cluster out changes.

    Args:
        deviations: (P, n) deviations from the means of strata.
        clusters: (n,) cluster of each number, 0 to G − 1; none holds a whole stratum.
        strata: of the numbers.

    >>> changes = leave_clusters_out(
    ...     np.array([[-1.0, 0.0, 1.0]]), np.array([0, 1, 2]), Strata.one(3)
    ... )
    >>> round(float(changes.variance[0]), 6)  # s²/n = 1/3
    0.333333
    """
    t, g = len(strata.share), int(clusters.max()) + 1
    cell = clusters * t + strata.code
    sums = sum_by(deviations, cell, g * t).reshape(len(deviations), g, t)
    held = np.bincount(cell, minlength=g * t).reshape(g, t)
    rest = strata.counts - held
    change = -(sums * (strata.share / rest)).sum(axis=2)
    scaled = -(sums * (strata.share * strata.counts / rest**2)).sum(axis=2)
    lever = (held / rest) @ strata.share
    weight = (held / strata.counts) @ strata.share
    return Changes(change, scaled, lever, weight)


def cell_variance(deviations: Array, cells: Integers, strata: Strata) -> Array:
    """Return (P,) variances of means by clusters as they are, CR0.

    Args:
        deviations: (P, n) deviations from the means of strata.
        cells: (n,) cluster of each number.
        strata: of the numbers.

    """
    sums = sum_by(deviations * strata.weights, cells, int(cells.max()) + 1)
    return np.asarray((sums**2).sum(axis=1))


def sum_by(values: Array, codes: Integers, size: int) -> Array:
    """Return (P, size) sums of (P, n) values by code.

    >>> sum_by(np.array([[1.0, 2.0, 4.0]]), np.array([0, 1, 0]), 2).tolist()
    [[5.0, 2.0]]
    """
    return np.stack([np.bincount(codes, row, minlength=size) for row in values])


def _spread(sums: Array, squares: Array, size: int) -> Array:
    """Return (G − 1)/G Σ (d − d̄)² of sums and sums of squares."""
    within = np.maximum(squares - sums**2 / size, 0.0)
    return np.asarray((size - 1) / size * within)
