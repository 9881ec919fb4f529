"""Score residuals of comparisons, and their sums over judges, items and cells of both.

With x = θ_left − θ_right (log-worths) and chances P(left) : P(tie) : P(right) = e^{x/2} : ν :
e^{−x/2}, the residual of a vote is its score by x, r = ½(1[left] − 1[right] − E), and its variance
w = ¼ Var(1[left] − 1[right]).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.tally import Tally
from evenhand.preference.fit import Fit

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Residuals:
    """What the entries of a tally leave over.

    Attributes:
        left: (C,) code of one system.
        right: (C,) code of the other.
        size: number of systems.
        sums: (C,) sum of the residuals of an entry's votes.
        weights: (C,) sum of their variances.
        squares: (C,) sum of their squares.
        weight_squares: (C,) sum of the squares of their variances.

    """

    left: Integers
    right: Integers
    size: int
    sums: Array
    weights: Array
    squares: Array
    weight_squares: Array


def find_residuals(tally: Tally, fit: Fit, tie: float) -> Residuals:
    """Return the residuals of votes under a fit.

    Args:
        tally: counts, told apart as the sums will be.
        fit: log-worths.
        tie: ν.

    """
    x = fit.log_worth[tally.left] - fit.log_worth[tally.right]
    ends = np.stack([np.exp(x / 2), np.full_like(x, tie), np.exp(-x / 2)], axis=1)
    chances = ends / ends.sum(axis=1, keepdims=True)
    mean = chances[:, 0] - chances[:, 2]
    weight = (chances[:, 0] + chances[:, 2] - mean**2) / 4
    outcomes = (np.array([1.0, 0.0, -1.0]) - mean[:, None]) / 2
    counts = tally.counts
    n = counts.sum(axis=1)
    return Residuals(
        tally.left.astype(np.int64),
        tally.right.astype(np.int64),
        len(tally.systems),
        (counts * outcomes).sum(axis=1),
        n * weight,
        (counts * outcomes**2).sum(axis=1),
        n * weight**2,
    )


def square_sums(found: Residuals, level: Integers) -> tuple[Array, Array]:
    """Return ‖S_g‖² and ‖H_g‖²_F of every level g.

    S_g = Σ r x over a level's votes, H_g = Σ w x xᵀ, x = +1 at left and −1 at right.

    Args:
        found: residuals.
        level: (C,) level of each entry, 0 to G − 1.

    Returns:
        Two arrays (G,).

    """
    size = int(level.max()) + 1
    left, right = level * found.size + found.left, level * found.size + found.right
    both = np.concatenate([left, right])
    scores = _square(both, np.concatenate([found.sums, -found.sums]), (found.size, size))
    diagonal = _square(both, np.concatenate([found.weights, found.weights]), (found.size, size))
    low, high = np.minimum(found.left, found.right), np.maximum(found.left, found.right)
    pairs = (level * found.size + low) * found.size + high
    across = _square(pairs, found.weights, (found.size**2, size))
    return scores, diagonal + 2 * across


def square_votes(found: Residuals, level: Integers) -> tuple[Array, Array]:
    """Return the sums of ‖r x‖² and ‖w x xᵀ‖²_F over the single votes of every level."""
    size = int(level.max()) + 1
    return _sum(level, 2 * found.squares, size), _sum(level, 4 * found.weight_squares, size)


def _square(keys: Integers, values: Array, sizes: tuple[int, int]) -> Array:
    """Return sums of squares by level of what is summed by key; a level holds sizes[0] keys."""
    cells, inverse = np.unique(keys, return_inverse=True)
    sums = _sum(inverse.reshape(-1), values, len(cells))
    return _sum(cells // sizes[0], sums**2, sizes[1])


def _sum(keys: NDArray[np.integer], values: Array, size: int) -> Array:
    return np.asarray(np.bincount(keys, values, size), dtype=np.float64)
