"""Log evidence of a Gaussian process with noise, what it changes by, and what it predicts.

    y ~ N(0, K + diag(s))           log p(y) = -½ yᵀ(K + S)⁻¹y - ½ log |K + S| - n/2 log 2π

Exactly, from one Cholesky factor: O(n³). Or from m inducing points, where

    K ≈ Q + diag(K - Q),   Q = K_nm K_mm⁻¹ K_mn

keeps every variance and lets points depend on each other only through the inducing ones: O(n m²).
Derivatives are returned as those by the entries of K and s; who made K knows the rest.

Sources: Rasmussen & Williams (2006), Gaussian Processes for Machine Learning, eq. 2.30, 5.9;
Snelson & Ghahramani (2006), NIPS 18 (the approximation: FITC).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log, pi
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged
from evenhand.numerics import Array, Integers
from evenhand.numerics.graph import Graph, weak_components
from evenhand.numerics.graph import Integers as Places
from evenhand.numerics.newton import join_halves

JITTER: Final = 1e-6  # Added to the variance of inducing points, which may coincide


@dataclass(frozen=True, eq=False)
class Posterior:
    """What predicts, from s supporting points: the data or the inducing points."""

    weights: Array  # (s,) a mean is the covariance with the supporting points times these
    reduction: Array  # (s, s) a variance is less by cᵀ R c, c being these covariances

    def predict(self, cross: Array, prior: Array) -> tuple[Array, Array]:
        """Return (n,) means and variances without noise, by (n, s) and (n,) covariances before."""
        less = np.einsum("ns,ns->n", cross @ self.reduction, cross)
        return cross @ self.weights, np.maximum(prior - less, 0.0)


@dataclass(frozen=True, eq=False)
class Evidence:
    value: float  # in nats
    cross: Array  # (n, n) derivative by K; with inducing points (n, m), by the entries of K_nm
    inner: Array | None  # (m, m) derivative by K_mm; None where there are no inducing points
    diagonal: Array | None  # (n,) derivative by the diagonal of K beyond these; None likewise
    noise: Array  # (n,) derivative by s
    posterior: Posterior  # what predicts


def weigh_exactly(covariance: Array, noise: Array, y: Array) -> Evidence:
    """Return the log evidence from (n, n) covariances, which are overwritten, and (n,) noise s."""
    n = len(y)
    covariance[np.diag_indices(n)] += noise
    inverse, half_log = _invert(covariance)
    weights = inverse @ y
    value = -0.5 * float(y @ weights) - half_log - 0.5 * n * log(2 * pi)
    cross = np.multiply.outer(weights, 0.5 * weights)
    cross -= 0.5 * inverse
    return Evidence(value, cross, None, None, np.diag(cross).copy(), Posterior(weights, inverse))


def weigh_inducing(cross: Array, inner: Array, diagonal: Array, noise: Array, y: Array) -> Evidence:
    """Return the log evidence from (n, m) K_nm, (m, m) K_mm, the diagonal of K, and noise s."""
    n, m = cross.shape
    inner = inner + JITTER * np.eye(m)
    inverse, half_inner = _invert(inner.copy())
    through = cross @ inverse
    left = diagonal - np.einsum("nm,nm->n", through, cross) + noise
    scaled = cross / left[:, None]
    whole, half_whole = _invert(inner + cross.T @ scaled)
    fitted = scaled @ whole
    weights = fitted.T @ y
    residual = (y - cross @ weights) / left
    half_log = half_whole - half_inner + 0.5 * float(np.log(left).sum())
    value = -0.5 * float(y @ residual) - half_log - 0.5 * n * log(2 * pi)
    each = 0.5 * (residual**2 - 1.0 / left + np.einsum("nm,nm->n", fitted, scaled))
    mixed = 0.5 * (np.multiply.outer(residual, through.T @ residual) - fitted)
    mixed -= through * each[:, None]
    posterior = Posterior(weights, inverse - whole)
    return Evidence(value, 2.0 * mixed, -(mixed.T @ through), each, each, posterior)


def _invert(matrix: Array) -> tuple[Array, float]:
    from scipy.linalg.lapack import dpotrf, dpotri

    factor, fault = dpotrf(matrix.T, lower=True, clean=True, overwrite_a=True)
    if fault:
        raise NotConverged(
            "the covariance of the ratings is not positive definite: features may be far too large,"
            " or the noise far too small"
        )
    half = float(np.log(np.diag(factor)).sum())
    inverse, _ = dpotri(factor, lower=True, overwrite_c=True)
    inverse += np.tril(inverse, -1).T
    return np.asarray(inverse), half


# Squared-exponential covariance with a length scale for each feature, and its derivatives.
#
# k(x, z) = exp(-½ Σ_p (x_p - z_p)² / ℓ_p² - ½ Σ_l [c_l ≠ d_l] / ℓ_l²)
#
# Numbers x lie as far apart as they differ; labels c lie a distance of 1 apart or none. Source:
# Rasmussen & Williams, eq. 5.1 (automatic relevance determination); the part of labels is ours.


@dataclass(frozen=True, eq=False)
class Points:
    numbers: Array  # (n, P) features that are numbers, of like spread
    labels: Integers  # (n, L) codes of features that are names

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: NDArray[Any]) -> Points:
        return Points(self.numbers[rows], self.labels[rows])


def correlate(a: Points, b: Points, log_scales: Array) -> Array:
    """Return the (n, m) covariances k of points, log_scales (P + L,) those of numbers first."""
    weight = np.exp(-2.0 * log_scales)
    p = a.numbers.shape[1]
    root = np.sqrt(weight[:p])
    x, z = a.numbers * root, b.numbers * root
    apart = -2.0 * (x @ z.T)
    apart += (x**2).sum(axis=1)[:, None]
    apart += (z**2).sum(axis=1)
    np.maximum(apart, 0.0, out=apart)  # rounding may leave -1e-16 between equal points
    for label, distance in enumerate(weight[p:]):
        apart += distance * (a.labels[:, label, None] != b.labels[:, label])
    apart *= -0.5
    return np.asarray(np.exp(apart, out=apart))


def pull_back(slope: Array, a: Points, b: Points, log_scales: Array) -> Array:
    """Return Σ slope ∂ log k / ∂ log ℓ for each length scale, slope (n, m) being by log k."""
    rows, columns = slope.sum(axis=1), slope.sum(axis=0)
    apart = rows @ a.numbers**2 + columns @ b.numbers**2
    apart -= 2.0 * (a.numbers * (slope @ b.numbers)).sum(axis=0)
    total = float(rows.sum())
    differ = [
        total - float(slope[a.labels[:, label, None] == b.labels[:, label]].sum())
        for label in range(a.labels.shape[1])
    ]
    return np.asarray(np.concatenate([apart, differ]) * np.exp(-2.0 * log_scales))


# Points to observe next, taken one after another, each as if those before had been observed
# (Krause, Singh & Guestrin 2008, Journal of Machine Learning Research 9:235-284, section 4). With
# covariance C before a batch and noise s, observing point i leaves
#
# C' = C - c cᵀ / (C_ii + s),    c the column of i        m' = m + c (y_i - m_i) / (C_ii + s)
#
# The first needs no value of what is observed, so that a batch by variance is exactly what single
# choices would have been while parameters stay.

# Scores so near to the greatest one, relative to it, are equal to it: rounding must not choose
TIED: Final = 1e-9


def pick_by_variance(
    covariance: Array, noise: float, weight: Array, size: int
) -> tuple[Integers, Array]:
    """Take candidates of the greatest variance times weight; return each one's when taken too."""
    variance = np.diag(covariance).copy()
    roots = np.empty((size, len(variance)))
    taken, left = np.empty(size, np.int64), np.ones(len(variance), np.bool_)
    variances = np.empty(size)
    for step in range(size):
        at = find_greatest(np.where(left, variance * weight, -np.inf))
        taken[step], variances[step], left[at] = at, variance[at], False
        column = covariance[at] - roots[:step, at] @ roots[:step]
        roots[step] = column / np.sqrt(variance[at] + noise)
        variance = np.maximum(variance - roots[step] ** 2, 0.0)
    return taken, variances


def pick_by_error(
    covariance: Array, candidates: Integers, noise: float, wrong: Array, size: int
) -> Integers:
    """Take candidates whose values, being known, lower the squared error of all points the most.

    covariance: (n, u) of all points with the candidates, which are numbers of these points.
    wrong: (n,) values less means, before the batch.
    Returns their numbers among the candidates, in order.
    """
    wrong, left = wrong.copy(), np.ones(len(candidates), np.bool_)
    taken = np.empty(size, np.int64)
    columns, rows = np.empty((size, len(wrong))), np.empty((size, len(candidates)))
    spread = covariance[candidates, np.arange(len(candidates))] + noise
    along = wrong @ covariance
    squares = np.einsum("nu,nu->u", covariance, covariance)
    for step in range(size):
        pull = wrong[candidates] / spread
        lost = 2.0 * pull * along - pull**2 * squares
        at = find_greatest(np.where(left, lost, -np.inf))
        taken[step], left[at] = at, False
        column = covariance[:, at] - rows[:step, at] @ columns[:step]
        row = column[candidates] / spread[at]
        shared = column @ covariance - (columns[:step] @ column) @ rows[:step]
        length = float(column @ column)
        squares += row * (row * length - 2.0 * shared)
        along -= pull[at] * (shared - row * length) + row * float(wrong @ column)
        wrong -= column * pull[at]
        spread -= row * column[candidates]
        columns[step], rows[step] = column, row
    return taken


def find_greatest(scores: Array) -> int:
    """Return the first of the greatest scores, those that differ by rounding counted as equal."""
    top = float(scores.max())
    return int(np.argmax(scores >= top - TIED * abs(top)))


# Many small linear systems at once. An entry compares two nodes; nodes that comparisons join,
# directly or through others, form a block. For weights t of the entries and a ridge r the precision
# matrix of a block is
#
# P = r I + Σ_c t_c a_c a_cᵀ,   a_c = +1 at one node of entry c and −1 at the other.
#
# Blocks of like size are taken together and filled up to one width with nodes that nothing is
# compared with, so that memory stays within the processor's cache.

MAX_NUMBERS: Final = 65_536  # In the matrices of one batch
MAX_ENTRIES: Final = 3_072  # Of one batch: what is in between stays in the processor's cache
SEED: Final = 20131


@dataclass(frozen=True, eq=False)
class Batch:
    entries: slice  # in the order of `Blocks.order`
    nodes: slice  # within which `Blocks.place` of their nodes lies
    size: int  # number of blocks B
    width: int  # nodes of each block d, filled up
    left: Places  # (c,) block · d + place of one node of each entry
    right: Places  # (c,) the same of the other

    @cached_property
    def block(self) -> Places:
        return self.left // self.width

    @cached_property
    def _corners(self) -> Places:
        """(4c,) where an entry stands in the matrices: both diagonals, both sides of them."""
        left, right, d = self.left, self.right, self.width
        at = (left * d + left % d, right * d + right % d, left * d + right % d)
        return np.concatenate((*at, right * d + left % d))

    def precision(self, weights: Array, ridge: float) -> Array:
        signed = np.concatenate((weights, weights, -weights, -weights))
        flat = _sum(self._corners, signed, self.size * self.width**2)
        matrices = flat.reshape(self.size, self.width, self.width)
        diagonal = np.arange(self.width)
        matrices[:, diagonal, diagonal] += ridge
        return matrices

    def antisymmetric(self, weights: Array) -> Array:
        """Return (B, d, d) sums of entries, + from one node to the other and − the way back."""
        sides = self._corners[2 * len(weights) :]
        flat = _sum(sides, np.concatenate((weights, -weights)), self.size * self.width**2)
        return flat.reshape(self.size, self.width, self.width)

    def spread(self, matrices: Array) -> Array:
        """Return (c,) aᵀ M a of every entry, for symmetric matrices."""
        first, second, across, _ = matrices.reshape(-1)[self._corners].reshape(4, -1)
        return np.asarray(first + second - 2 * across)

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
        return _sum(self.block, values, self.size)


@dataclass(frozen=True, eq=False)
class Blocks:
    order: Places  # (C,) entries batch by batch
    place: Places  # (N,) where each node stands when the nodes of all batches follow each other
    batches: tuple[Batch, ...]

    def weigh_sample(self, most: int) -> tuple[float, ...]:
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
        return self.batches[-1].nodes.stop if self.batches else 0


def make_blocks(n_nodes: int, left: Places, right: Places) -> Blocks:
    block = weak_components(Graph(n_nodes, left, right))
    width = fill_up(np.bincount(block))
    entries_of = np.bincount(block[left], minlength=len(width))
    # narrow blocks first, of one width the light, and the rest by chance: batches are samples
    chance = np.random.Generator(np.random.PCG64(SEED)).permutation(len(width))
    sequence = np.lexsort((chance, entries_of, width))
    width, entries_of = width[sequence], entries_of[sequence]
    rank = np.empty_like(sequence)
    rank[sequence] = np.arange(len(sequence))
    start = np.concatenate(([0], np.cumsum(width)))
    of_node = rank[block]
    by_block = np.argsort(of_node, kind="stable")
    ordered = of_node[by_block]
    first = np.searchsorted(ordered, ordered)
    place = np.empty_like(of_node)
    place[by_block] = start[ordered] + np.arange(len(of_node)) - first
    order = np.argsort(rank[block[left]], kind="stable")
    ends = np.concatenate(([0], np.cumsum(entries_of)))
    first, second = place[left][order], place[right][order]
    batches, low = [], 0
    while low < len(width):  # one width, not too many numbers, not too many entries
        same = int(np.searchsorted(width, width[low], side="right"))
        full = low + max(1, MAX_NUMBERS // int(width[low]) ** 2)
        heavy = int(np.searchsorted(ends, ends[low] + MAX_ENTRIES, side="right")) - 1
        high = max(low + 1, min(same, full, heavy))
        entries, nodes = slice(ends[low], ends[high]), slice(start[low], start[high])
        sides = first[entries] - nodes.start, second[entries] - nodes.start
        batches.append(Batch(entries, nodes, high - low, int(width[low]), *sides))
        low = high
    return Blocks(order, place, tuple(batches))


def fill_up(size: NDArray[Any]) -> Places:
    """Return the widths that blocks are filled up to: their sizes, or up to an eighth more."""
    step = 2 ** np.maximum(np.floor(np.log2(np.maximum(size, 1))).astype(np.intp) - 3, 0)
    return np.asarray(-(-size // step) * step, dtype=np.intp)


def _sum(at: Places, values: Array, size: int) -> Array:
    return np.asarray(np.bincount(at, values, minlength=size), dtype=np.float64)


MAX_WHOLE: Final = 48  # Width from which a matrix is inverted by halves
MIN_MANY: Final = 10  # Matrices from which steps for all of them at once cost less than each alone


def invert_all(matrices: Array) -> tuple[Array, Array]:
    """Return (B, d, d) inverses of positive definite matrices, and their log-determinants.

    Wide ones by halves, where |A| |D − BᵀA⁻¹B| is the determinant (`newton.join_halves`).
    """
    width = matrices.shape[1]
    if width <= MAX_WHOLE:
        few = len(matrices) < MIN_MANY
        factor: Array = np.asarray(np.linalg.cholesky(matrices), dtype=np.float64)
        roots = np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
        root = np.asarray(np.linalg.inv(factor)) if few else _invert_lower(factor)
        return np.asarray(root.transpose(0, 2, 1) @ root), np.asarray(2 * roots)
    half = width // 2
    corner, log_det = invert_all(matrices[:, :half, :half])
    solved = corner @ matrices[:, :half, half:]
    left = matrices[:, half:, half:] - matrices[:, half:, :half] @ solved
    rest, log_det_left = invert_all(left)
    return join_halves(corner, solved, rest), log_det + log_det_left


def _invert_lower(factor: Array) -> Array:
    width = factor.shape[1]
    if width == 1:
        return np.asarray(1 / factor)
    half = width // 2
    inverse = np.zeros_like(factor)
    upper = inverse[:, :half, :half] = _invert_lower(factor[:, :half, :half])
    lower = inverse[:, half:, half:] = _invert_lower(factor[:, half:, half:])
    inverse[:, half:, :half] = -(lower @ (factor[:, half:, :half] @ upper))
    return inverse
