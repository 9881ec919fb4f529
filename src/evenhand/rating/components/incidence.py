"""How two partitions of the scores overlap: all that moments and identification need.

For terms with indicator matrices Z_k (n × q_k), N_kl = Z_kᵀ Z_l counts the scores that a level of k
shares with a level of l. Linear in the number of scores n.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.rating.components.terms import Term, cross

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Incidence:
    """What terms share, pair by pair.

    Attributes:
        n: number of scores.
        gram: (K, K) ⟨M Z_k Z_kᵀ M, M Z_l Z_lᵀ M⟩, M taking the mean out.
        within: (K, K) trace of Z_lᵀ (I − P_k) Z_l, P_k the means by k: what a variance of l adds to
            the sum of squares within levels of k.

    """

    n: int
    gram: Array
    within: Array


def count_incidence(terms: Sequence[Term]) -> Incidence:
    """Count what every two terms share."""
    n, size = len(terms[0].codes), len(terms)
    gram, within = np.zeros((size, size)), np.zeros((size, size))
    own = [term.counts.astype(np.float64) for term in terms]
    for k in range(size):
        for m in range(k, size):
            codes, cells = cross(terms[k].codes, (terms[m].codes, terms[m].size))
            shared = np.bincount(codes, minlength=cells).astype(np.float64)
            one = np.empty(cells, dtype=np.int64)
            other = np.empty(cells, dtype=np.int64)
            one[codes], other[codes] = terms[k].codes, terms[m].codes
            left, right = own[k][one], own[m][other]
            squares = shared**2
            both = (own[k] ** 2).sum() * (own[m] ** 2).sum() / n**2
            gram[k, m] = gram[m, k] = squares.sum() - 2 / n * (shared * left * right).sum() + both
            within[k, m] = n - (squares / left).sum()
            within[m, k] = n - (squares / right).sum()
    return Incidence(n, gram, within)
