"""The exact distribution of wins minus losses over independent comparisons that differ in chances.

    φ(θ) = Π_c (p_c e^{iθ} + r_c + q_c e^{−iθ})^{n_c},   P(T = t) = 1/M Σ_k φ(θ_k) e^{−iθ_k t}

with p, r, q the chances of win, tie and loss and θ_k = 2πk/M, M = 2n + 1 (the discrete Fourier
transform of the Poisson-binomial distribution: Hong 2013, Computational Statistics & Data Analysis
59:41-51). Rounding leaves 1e-13 or so, below which no tail is given.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
LEAST: Final = 1e-12
"""Smallest p-value that is told from rounding."""


def net_wins_chances(chances: Array, counts: Array) -> Array:
    """Return (2n + 1,) chances of −n, …, n wins more than losses.

    Args:
        chances: (C, 3) chances of win, tie and loss.
        counts: (C,) how often each comparison was made, whole numbers that sum to n.

    >>> net_wins_chances(np.array([[0.5, 0.0, 0.5]]), np.array([2.0])).round(6).tolist()
    [0.25, 0.0, 0.5, 0.0, 0.25]
    """
    n = int(counts.sum())
    m = 2 * n + 1
    turn = np.exp(2j * np.pi * np.arange(m) / m)
    won, tied, lost = chances.T
    phi = np.ones(m, dtype=np.complex128)
    for c, times in enumerate(counts):
        phi *= (won[c] * turn + tied[c] + lost[c] / turn) ** int(times)
    found = np.fft.fft(phi).real / m
    return np.asarray(np.roll(found, n))


def net_wins_p(chances: Array, counts: Array, net: int) -> float:
    """Return the two-sided p-value of a number of wins minus losses: twice the smaller tail.

    Args:
        chances: (C, 3) chances of win, tie and loss.
        counts: (C,) how often each comparison was made, whole numbers.
        net: wins minus losses that were seen.

    >>> round(net_wins_p(np.array([[0.5, 0.0, 0.5]]), np.array([5.0]), 5), 6)
    0.0625
    """
    each = net_wins_chances(chances, counts)
    at = net + int(counts.sum())
    tail = min(each[: at + 1].sum(), each[at:].sum())
    return float(min(1.0, max(2 * tail, LEAST)))
