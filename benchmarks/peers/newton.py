"""The floor with a bare Newton on top: no validation, no existence check, no covariance.

For orientation, and the second opinion on Evenhand's numbers where a peer has no such tie rule.
With d the difference of two log-worths, the outcomes weigh exp(d/2), exp(gamma), exp(-d/2)
(Davidson 1970); without the middle one this is plain Bradley-Terry.
"""

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers import TooLarge, Worths, centred, grouped

Array = NDArray[np.float64]
Outcomes = tuple[Array, Array, Array]

LARGEST = 3_000
"""Systems above which the dense Hessian is refused."""


def davidson(path: str) -> Worths:
    """Ties have a parameter of their own."""
    cells = grouped.counts(path)
    return newton(cells, (cells.wins, cells.ties, cells.losses), tie_parameter=True)


def half_win(path: str) -> Worths:
    """A tie is half a win for each."""
    cells = grouped.counts(path)
    half = cells.ties / 2
    outcomes = (cells.wins + half, np.zeros_like(half), cells.losses + half)
    return newton(cells, outcomes, tie_parameter=False)


def discard(path: str) -> Worths:
    """Ties are left out."""
    cells = grouped.counts(path)
    outcomes = (cells.wins, np.zeros_like(cells.ties), cells.losses)
    return newton(cells, outcomes, tie_parameter=False)


def newton(cells: grouped.Counts, outcomes: Outcomes, *, tie_parameter: bool) -> Worths:
    """Maximise the likelihood by full Newton steps from zero; the last system is the reference.

    Raises `TooLarge` above `LARGEST` systems and `ArithmeticError` if 50 steps do not settle.
    """
    k = len(cells.systems)
    if k > LARGEST:
        raise TooLarge(f"a dense Hessian of {k:,} x {k:,}")
    beta = np.zeros(k + 1)  # log-worths, then gamma
    free = np.r_[: k - 1, k] if tie_parameter else np.r_[: k - 1]
    for _ in range(50):
        tie_weight = np.exp(beta[k]) if tie_parameter else 0.0
        gradient, information = derivatives(cells, outcomes, beta[:k], tie_weight)
        step = np.linalg.solve(information[np.ix_(free, free)], gradient[free])
        beta[free] += step
        if np.abs(step).max() < 1e-9:
            return centred(cells.systems, beta[:k])
    raise ArithmeticError("50 Newton steps did not settle")


def derivatives(
    cells: grouped.Counts, outcomes: Outcomes, log_worth: Array, tie_weight: float
) -> tuple[Array, Array]:
    """Gradient (K+1,) and information (K+1, K+1) of the log-likelihood, gamma last."""
    k, a, b = len(log_worth), cells.left, cells.right
    wins, ties, losses = outcomes
    n = wins + ties + losses
    half = np.exp((log_worth[a] - log_worth[b]) / 2)
    total = half + tie_weight + 1 / half
    win, tie, loss = half / total, tie_weight / total, 1 / half / total
    slope = (wins - losses - n * (win - loss)) / 2
    curve = n * (win + loss - (win - loss) ** 2) / 4
    mixed = -n * tie * (win - loss) / 2
    gradient = np.append(spread(slope, a, b, k), (ties - n * tie).sum())
    off = np.bincount(a * k + b, curve, k * k).reshape(k, k)
    information = np.zeros((k + 1, k + 1))
    information[:k, :k] = -off - off.T
    information[np.arange(k), np.arange(k)] = np.bincount(a, curve, k) + np.bincount(b, curve, k)
    information[k, :k] = information[:k, k] = spread(mixed, a, b, k)
    information[k, k] = (n * tie * (1 - tie)).sum()
    return gradient, information


def spread(values: Array, left: NDArray[np.int64], right: NDArray[np.int64], k: int) -> Array:
    """Add each cell's value to its left system and take it from its right one: (K,)."""
    there, back = np.bincount(left, values, k), np.bincount(right, values, k)
    return np.asarray(there - back, dtype=float)
