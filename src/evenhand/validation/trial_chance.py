"""How sure means over random training subsets are, beside how sure held-out votes leave them.

    V = V_votes + Σ_t s²_t / (R T²),   ν = V² / (V²_votes / ν_votes + V²_trials / (T′ (R − 1)))

s²_t is the variance between the R trials of task t, T′ the tasks whose trials differ: those whose
training votes are taken whole do not. ν is after Satterthwaite (1946), Biometrics Bulletin
2:110-114.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def find_chance(trials: Array) -> tuple[float, float]:
    """Return the variance of a mean over tasks and trials by trials, and its degrees of freedom.

    Args:
        trials: (T, R) values; with one trial nothing is known, which is told as no variance.

    >>> find_chance(np.array([[1.0, 3.0], [2.0, 2.0]]))  # s² = 2 and 0
    (0.25, 1.0)
    """
    tasks, each = trials.shape
    if each == 1:
        return 0.0, 0.0
    moved = trials - trials[:, :1]  # trials that are all alike have no variance at all
    variance = moved.var(axis=1, ddof=1)
    varying = int(np.count_nonzero(variance))
    return float(variance.sum()) / each / tasks**2, float(varying * (each - 1))


def join_df(votes: float, votes_df: float, chance: float, chance_df: float) -> float:
    """Return the degrees of freedom of a sum of two variances.

    Args:
        votes: variance by held-out votes.
        votes_df: its degrees of freedom.
        chance: variance by trials.
        chance_df: its degrees of freedom.

    >>> join_df(1.0, 10.0, 1.0, 10.0), join_df(1.0, 25.0, 0.0, 0.0)
    (20.0, 25.0)
    """
    if chance == 0:
        return votes_df
    return (votes + chance) ** 2 / (votes**2 / votes_df + chance**2 / chance_df)
