"""Sums over all subsets of one size, without listing them: elementary symmetric functions.

    e_d(v) = Σ_{|T| = d} ∏_{i∈T} v_i,   the coefficient of x^d in ∏_i (1 + v_i x)

The subsets that hold i are v_i e_{d−1}(v without i), those that hold i and j v_i v_j e_{d−2}(v
without both). Items are left out by multiplying the polynomials before and behind them, never by
division, so that all terms are positive and nothing cancels. Cost: m² d for m items.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SubsetSums:
    """Sums over the subsets of one size.

    Attributes:
        every: (R,) over all of them.
        one: (R, m) over those that hold item i.
        two: (R, m, m) over those that hold items i and j; the diagonal is `one`.

    """

    every: Array
    one: Array
    two: Array


def sum_subsets(v: Array, size: int) -> SubsetSums:
    """Sum the products of all subsets of a size.

    Args:
        v: (R, m) values that are not negative, one row a set.
        size: number of items of the subsets, 1 to m.

    >>> sums = sum_subsets(np.array([[1.0, 2.0, 3.0]]), 2)
    >>> sums.every.tolist(), sums.one.tolist()
    ([11.0], [[5.0, 8.0, 9.0]])
    >>> sums.two[0].tolist()
    [[5.0, 2.0, 3.0], [2.0, 8.0, 6.0], [3.0, 6.0, 9.0]]
    """
    m = v.shape[1]
    behind = _products(v[:, ::-1], size)[::-1]
    before = _products(v, size)
    one = np.stack(
        [v[:, i] * _coefficient(before[i], behind[i + 1], size - 1) for i in range(m)], axis=1
    )
    two = np.zeros((len(v), m, m))
    for i in range(m if size > 1 else 0):
        between = before[i]
        for j in range(i + 1, m):
            both = _coefficient(between, behind[j + 1], size - 2)
            two[:, i, j] = two[:, j, i] = v[:, i] * v[:, j] * both
            between = _times(between, v[:, j])
    two[:, range(m), range(m)] = one
    return SubsetSums(before[m][:, size], one, two)


def _products(v: Array, degree: int) -> list[Array]:
    """Return ∏ (1 + v_i x) of the first 0, 1, ..., m items up to a degree, (R, degree + 1) each."""
    none = np.zeros((len(v), degree + 1))
    none[:, 0] = 1.0
    found = [none]
    for i in range(v.shape[1]):
        found.append(_times(found[-1], v[:, i]))
    return found


def _times(polynomial: Array, value: Array) -> Array:
    """Multiply by 1 + value x."""
    longer = polynomial.copy()
    longer[:, 1:] += polynomial[:, :-1] * value[:, None]
    return longer


def _coefficient(left: Array, right: Array, degree: int) -> Array:
    """Return the coefficient of x^degree of a product of two polynomials."""
    return np.asarray((left[:, : degree + 1] * right[:, degree::-1]).sum(axis=1))
