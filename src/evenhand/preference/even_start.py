"""Where to start with many systems: worths as they were if each had met all others evenly.

A system's share of points is then the mean, over the worths of the others, of its expected points
against each. That is a curve of one worth, which is tabled and read backwards, a few times over
since the others' worths are what is sought. Where pairs are drawn evenly two Newton steps are
saved; elsewhere it is a start like any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.preference.ties.laws import TieLaw

if TYPE_CHECKING:
    from evenhand.preference.likelihood import Likelihood

Array = NDArray[np.float64]
ROUNDS: Final = 4
GRID: Final = 49
"""Worths at which the curve is tabled."""
OTHERS: Final = (np.arange(32) + 0.5) / 32
"""Quantiles that stand for the worths of the others."""
BEYOND: Final = 0.5
"""How far the table goes on beyond the outermost worths (λ)."""
FURTHEST: Final = 3.0
"""Where the iteration may start (λ): shares of uneven designs may lie further out than worths."""


def start_evenly(likelihood: Likelihood) -> Array:
    """Return parameters to start from for a plain design.

    Args:
        likelihood: of the counts.

    """
    design, law = likelihood.design, likelihood.law
    won, tied, lost = likelihood.counts.T
    n, net, k = won + tied + lost, won - lost, design.size
    left, right = design.ends
    every = np.bincount(left, n, k) + np.bincount(right, n, k)
    ahead = np.bincount(left, net, k) - np.bincount(right, net, k)
    points = (every + ahead) / 2, (every - ahead) / 2
    beta = np.zeros(likelihood.size)
    share, tie = float(tied.sum() / n.sum()), law.start(likelihood.counts)
    worths, tie = find_even_worths(law, points, share, tie)
    beta[: likelihood.n_worths] = design.pull(worths - worths[design.reference])
    if law.free:
        beta[likelihood.n_worths] = tie
    return beta


def find_even_worths(
    law: TieLaw, points: tuple[Array, Array], tied: float, tie: float
) -> tuple[Array, float]:
    """Return (K,) λ and t for systems that have all met each other evenly.

    Args:
        law: how differences become chances.
        points: (K,) what each system gained, and what it gave away; a tie is half a point.
        tied: share of ties.
        tie: t to begin with.

    >>> from evenhand.preference.ties.laws import TwoOutcomes
    >>> points = np.array([65.0, 40.0, 15.0]), np.array([15.0, 40.0, 65.0])
    >>> worths, _ = find_even_worths(TwoOutcomes(), points, 0.0, 0.0)
    >>> (worths - worths[1]).round(1).tolist()
    [0.9, 0.0, -0.9]
    """
    gained, given = points[0] + 0.5, points[1] + 0.5
    total = gained + given
    share, worths = gained / total, np.log(gained / given) / 2
    for _ in range(ROUNDS):
        grid = np.linspace(worths.min() - BEYOND, worths.max() + BEYOND, GRID)
        apart = grid[:, None] - np.quantile(worths, OTHERS)
        chances = np.exp(law.log_chances(apart.ravel(), tie)).reshape(GRID, -1, 3).mean(axis=1)
        worths = np.interp(share, chances[:, 0] + chances[:, 1] / 2, grid)
        if law.free:
            expected = np.interp(worths, grid, chances[:, 1]) @ total / total.sum()
            tie += float(np.log(tied / expected))
    return np.clip(worths, -FURTHEST, FURTHEST), tie
