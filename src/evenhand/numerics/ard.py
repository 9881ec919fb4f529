"""Squared-exponential covariance with a length scale for each feature, and its derivatives.

    k(x, z) = exp(-½ Σ_p (x_p - z_p)² / ℓ_p² - ½ Σ_l [c_l ≠ d_l] / ℓ_l²)

Numbers x lie as far apart as they differ. Labels c lie a distance of 1 apart or none, which is the
same covariance over columns that hold √½ where a label is and 0 elsewhere. k(x, x) is 1.

Source: Rasmussen & Williams (2006), Gaussian Processes for Machine Learning, eq. 5.1 (automatic
relevance determination); the part of labels is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Points:
    """Where a function is looked at.

    Attributes:
        numbers: (n, P) features that are numbers, of like spread.
        labels: (n, L) codes of features that are names.

    """

    numbers: Array
    labels: Codes

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: NDArray[Any]) -> Points:
        """Keep some points; a mask or their numbers."""
        return Points(self.numbers[rows], self.labels[rows])


def correlate(a: Points, b: Points, log_scales: Array) -> Array:
    """Return the (n, m) covariances k of points with points.

    Args:
        a: n points.
        b: m points with the same features.
        log_scales: (P + L,) logarithms of length scales, those of numbers first.

    >>> one = Points(np.array([[0.0], [1.0]]), np.array([[0], [1]]))
    >>> correlate(one, one, np.log([1.0, 2.0])).round(4).tolist()
    [[1.0, 0.5353], [0.5353, 1.0]]
    """
    weight = np.exp(-2.0 * log_scales)
    p = a.numbers.shape[1]
    root = np.sqrt(weight[:p])
    x, z = a.numbers * root, b.numbers * root
    apart = -2.0 * (x @ z.T)
    apart += (x**2).sum(axis=1)[:, None]
    apart += (z**2).sum(axis=1)
    np.maximum(apart, 0.0, out=apart)  # rounding may leave -1e-16 between equal points
    for label, own in enumerate(weight[p:]):
        apart += own * (a.labels[:, label, None] != b.labels[:, label])
    apart *= -0.5
    return np.asarray(np.exp(apart, out=apart))


def pull_back(slope: Array, a: Points, b: Points, log_scales: Array) -> Array:
    """Return Σ slope ∂ log k / ∂ log ℓ, for each length scale.

    Args:
        slope: (n, m) derivative of whatever follows by log k.
        a: n points.
        b: m points.
        log_scales: (P + L,) logarithms of length scales.

    """
    rows, columns = slope.sum(axis=1), slope.sum(axis=0)
    apart = rows @ a.numbers**2 + columns @ b.numbers**2
    apart -= 2.0 * (a.numbers * (slope @ b.numbers)).sum(axis=0)
    total = float(rows.sum())
    differ = [
        total - float(slope[a.labels[:, label, None] == b.labels[:, label]].sum())
        for label in range(a.labels.shape[1])
    ]
    return np.asarray(np.concatenate([apart, differ]) * np.exp(-2.0 * log_scales))
