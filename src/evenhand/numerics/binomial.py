"""Fair coins: tails of the binomial and the trinomial distribution, Clopper-Pearson intervals."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
NEGLIGIBLE: Final = 690.0
"""Minus log of the chance of a number of ties that may be passed over: 1e-300."""


def upper_tail(successes: Array, trials: Array) -> Array:
    """Return P(X ≥ successes) for X binomial of fair trials, by the incomplete beta function.

    Args:
        successes: (n,) whole numbers, perhaps below 0 or above the trials.
        trials: (n,) whole numbers.

    >>> upper_tail(np.array([7.0, 0.0, 3.0]), np.array([8.0, 0.0, 2.0])).round(6).tolist()
    [0.035156, 1.0, 0.0]
    """
    from scipy.special import betainc

    found = np.where(successes <= 0, 1.0, 0.0)
    inside = (successes > 0) & (successes <= trials)
    k, n = successes[inside], trials[inside]
    found[inside] = betainc(k, n - k + 1, 0.5)
    return found


def clopper_pearson(successes: float, trials: float, level: float) -> tuple[float, float]:
    """Return the exact interval of a proportion (Clopper & Pearson 1934); (0, 1) of no trials.

    >>> tuple(round(end, 6) for end in clopper_pearson(61, 96, 0.95))
    (0.530936, 0.731298)
    """
    from scipy.special import betaincinv

    k, n, tail = successes, trials, (1 - level) / 2
    lower = float(betaincinv(k, n - k + 1, tail)) if k > 0 else 0.0
    upper = float(betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0
    return lower, upper


def trinomial_tail(lead: int, trials: int, ties: int) -> float:
    """Return P(N+ − N− ≥ lead) where a trial is a tie with chance ties / trials, else a fair coin.

    Given how many trials are ties the rest is binomial, so that the sum has one term per number
    of ties; those rarer than 1e-300 are passed over (Bernstein's inequality), which leaves some
    √trials of them.

    Source: Bian, McAleer & Wong (2011), Mathematics and Computers in Simulation 81:1153-1160.

    >>> round(trinomial_tail(6, 12, 4), 9)
    0.024781678
    """
    tied, chances = _numbers_of_ties(trials, ties)
    decided = trials - tied
    needed = (decided + lead + 1) // 2
    return min(float(chances @ upper_tail(needed, decided)), 1.0)


def _numbers_of_ties(trials: int, ties: int) -> tuple[Array, Array]:
    """Return the numbers of ties that may occur and their chances, binomial with mean `ties`.

    Ratios of neighbours are summed up from the mode and normalised: no differences of large
    logarithms of factorials.
    """
    if ties in (0, trials):
        return np.array([float(ties)]), np.ones(1)
    variance = ties * (trials - ties) / trials
    reach = NEGLIGIBLE / 3 + np.sqrt((NEGLIGIBLE / 3) ** 2 + 2 * NEGLIGIBLE * variance)
    low, high = max(0, int(ties - reach)), min(trials, int(ties + reach) + 1)
    tied = np.arange(low, high + 1, dtype=np.float64)
    odds = ties / (trials - ties)
    steps = np.log((trials - tied[:-1]) / tied[1:] * odds)
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    weights = np.exp(logs - logs[ties - low])
    return tied, weights / weights.sum()
