"""Chances of left, tie and right for two outputs that nobody has seen, averaged over a posterior.

Given the differences that judges perceived, abilities are Gaussian with mean m and covariance S,
and so is the difference of two new outputs of s and t that is perceived next:

    Δ = m_s − m_t,   V = 2σ_a² + 2σ_obs² + S_ss + S_tt − 2S_st
    P(left) = Φ((Δ − r)/√V),   P(right) = Φ((−r − Δ)/√V),   P(tie) = the rest

S is the same for every sweep; only m changes. So chances are averages of exact ones given the
differences (Rao-Blackwell), which wander less than chances given drawn abilities.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

CELLS: Final = 500_000
"""Numbers that are looked at together."""
MOST: Final = 200_000_000
"""Draws times pairs beyond which evenly spaced draws stand for all."""


def pair_variances(vcov: Array, codes: Codes) -> Array:
    """Return (P,) variances of differences between the two systems of (P, 2) pairs."""
    first, second = codes.T
    own = np.diag(vcov)
    return np.asarray(own[first] + own[second] - 2 * vcov[first, second])


def chance_beyond(draws: Array, codes: Codes, variance: Array, radius: float) -> Array:
    """Return (P, 2) chances of a difference above r, and of one below −r, averaged over draws.

    Args:
        draws: (S, K) means of abilities, one row a draw.
        codes: (P, 2) systems of each pair.
        variance: (P,) of the difference around that of the means.
        radius: r.

    >>> draws, pair = np.array([[0.3, -0.1]]), np.array([[0, 1]])
    >>> chance_beyond(draws, pair, np.array([1.0]), 0.4).round(4).tolist()
    [[0.5, 0.2119]]
    """
    from scipy.special import ndtr

    if len(draws) * len(codes) > MOST:
        draws = draws[:: -(-len(draws) * len(codes) // MOST)]
    found = np.empty((len(codes), 2))
    step = max(1, CELLS // max(1, len(draws)))
    for start in range(0, len(codes), step):
        part = slice(start, start + step)
        gap = draws[:, codes[part, 0]] - draws[:, codes[part, 1]]
        sd = np.sqrt(variance[part])
        found[part, 0] = ndtr((gap - radius) / sd).mean(axis=0)
        found[part, 1] = ndtr((-radius - gap) / sd).mean(axis=0)
    return found


def all_pairs(k: int) -> Codes:
    """Return the pairs of k systems, the lower code first.

    >>> all_pairs(3).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    return np.stack(np.triu_indices(k, 1), axis=1)
