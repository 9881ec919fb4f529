"""Refits of multinomial resamples, the way of FastChat's leaderboard, written out with scipy.

Outcomes are counted by pair once (here by DuckDB, which is kinder than the pandas of the original);
each resample draws its counts from the multinomial, and is fitted from zero by L-BFGS with the
gradient, to a gradient of 1e-6 of the mean log-likelihood on the scale of base 10, as there.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from benchmarks.peers import Answer, grouped

Array = NDArray[np.float64]
BASE = math.log(10)


def refits_999(path: str) -> Callable[[], Answer]:
    """999 resamples, one after the other."""
    return refits(path, 999)


def refits(path: str, times: int) -> Callable[[], Answer]:
    """Standard errors over resamples, looked at when the clock has stopped."""
    cells = grouped.counts(path)
    counts = np.concatenate([cells.wins, cells.ties, cells.losses])
    seen = counts > 0
    left, right = (np.tile(side, 3)[seen] for side in (cells.left, cells.right))
    result = np.repeat([1.0, 0.5, 0.0], len(cells.left))[seen]
    n, k = int(counts.sum()), len(cells.systems)
    drawn = np.random.default_rng(0).multinomial(n, counts[seen] / n, size=times)
    found = np.stack([fit(left, right, result, weight / n, k) for weight in drawn])
    centred = found - found.mean(axis=1, keepdims=True)
    lower, upper = np.percentile(centred, [2.5, 97.5], axis=0)
    assert (lower <= upper).all()

    def look() -> Answer:
        error = centred.std(axis=0, ddof=1)
        values = dict(zip(cells.systems, error.tolist(), strict=True))
        return Answer(values, {"median_se": float(np.median(error))})

    return look


def fit(
    left: NDArray[np.int64], right: NDArray[np.int64], result: Array, weight: Array, k: int
) -> Array:
    """(k,) log-worths of one resample."""

    def loss(rating: Array) -> tuple[float, Array]:
        gap = BASE * (rating[left] - rating[right])
        lost = float((np.logaddexp(0, gap) - result * gap) @ weight)
        slope = BASE * weight * (expit(gap) - result)
        there, back = np.bincount(left, slope, k), np.bincount(right, slope, k)
        return lost, np.asarray(there - back, dtype=float)

    options = {"maxiter": 100, "gtol": 1e-6}
    return np.asarray(
        minimize(loss, np.zeros(k), jac=True, method="L-BFGS-B", options=options).x * BASE
    )
