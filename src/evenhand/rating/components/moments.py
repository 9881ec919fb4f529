"""Moment estimates of variance components, linear in the number of scores.

The sum of squares within the levels of term k is a quadratic form of the scores that the mean
leaves alone; its expectation is Σ_l σ_l² tr Z_lᵀ(I − P_k)Z_l, also in the most unbalanced design.
As many forms as components are solved for them. Unbiased; negative estimates become 0. In balanced
designs they are those of the analysis of variance.

Source: Henderson (1953), Biometrics 9:226-252, method 1; Gao & Owen (2017), Electronic Journal of
Statistics 11:1235-1296, for crossed designs of any size.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.components import RESIDUAL
from evenhand.rating.components.incidence import count_incidence
from evenhand.rating.components.terms import Term

Array = NDArray[np.float64]


def estimate_moments(score: Array, terms: Sequence[Term]) -> Array:
    """Return the variances of the terms and, last, of the residual.

    Args:
        score: (n,) scores.
        terms: K terms that the design can tell apart.

    Returns:
        (K + 1,) variances, none below 0.

    >>> judge = Term("judge", np.array([0, 0, 1, 1]), 2)
    >>> estimate_moments(np.array([1.0, 3.0, 5.0, 7.0]), [judge]).round(9).tolist()
    [7.0, 2.0]
    """
    n = len(score)
    whole = Term("", np.zeros(n, dtype=np.int64), 1)
    rest = Term(RESIDUAL, np.arange(n), n)
    within = count_incidence([whole, *terms, rest]).within[:-1, 1:]
    squares = np.array([_squares_within(score, one) for one in (whole, *terms)])
    return np.maximum(np.linalg.solve(within, squares), 0.0)


def _squares_within(score: Array, term: Term) -> float:
    """Return the sum of squares around the means of the levels."""
    means = np.bincount(term.codes, score, term.size) / term.counts
    return float(((score - means[term.codes]) ** 2).sum())
