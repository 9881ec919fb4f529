"""Krippendorff's α: one minus observed over expected disagreement, for any scale and gaps.

    α = 1 − D_o / D_e
    D_o = 1/n Σ_u Σ_{i ≠ j} δ(c_ui, c_uj) / (m_u − 1)     over units u of m_u ≥ 2 scores, n in all
    D_e = 1/(n (n − 1)) Σ_c Σ_k n_c n_k δ(c, k)           (c = k adds nothing)

    nominal    δ = [c ≠ k]
    ordinal    δ = (Σ_{g=c}^{k} n_g − (n_c + n_k)/2)², which is (r_c − r_k)², r being mid-ranks
    interval   δ = (c − k)²
    ratio      δ = ((c − k) / (c + k))²

Written with mid-ranks, ordinal is interval on ranks, and both come from sums and sums of squares:
the cost is linear in the scores. Source: Krippendorff (2013), Content Analysis, 3rd edition,
chapter 12. Units of one judge tell nothing and are left out.

What it ignores: who gave the scores; a harsh and a mild judge disagree, even if they order outputs
alike. When not to use it: where nearly all scores are alike (D_e is near 0 and α jumps with single
scores), and interval or ratio on scores whose differences mean nothing.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.sums import Ratio, Sums, check_categories
from evenhand.agreement.weights import check_weighting, disagreements, expect_disagreement
from evenhand.errors import require_option

Array = NDArray[np.float64]

METRICS: Final = ("nominal", "ordinal", "interval", "ratio")
_WEIGHTINGS: Final = {"nominal": "identity", "interval": "quadratic", "ratio": "ratio"}


def krippendorff_alpha(sums: Sums, metric: str = "interval") -> Ratio:
    """Return α, one per resample; it does not exist where all scores are alike.

    Ranks of the ordinal α are those of each resample where pairs of scores are tabled; on scales
    of very many points they stay those of the data.

    Args:
        sums: pairs of scores.
        metric: nominal | ordinal | interval | ratio.

    Raises:
        UnknownOption: there is no such metric.
        InvalidJudgments: ratios of scores below zero.
        NotIdentified: too many different scores for shares of each, or for ratios.

    """
    require_option("metric", metric, METRICS)
    if metric == "ordinal":
        observed, expected = _ordinal(sums)
    elif metric == "interval":
        observed, expected = _spread(sums, sums.points)
    else:
        weighting = _WEIGHTINGS[metric]
        check_categories(sums.points)
        check_weighting(sums.points, weighting)
        observed = sums.per_score(disagreements(sums, weighting))
        expected = expect_disagreement(sums.mass, sums.points, weighting)
    under = np.where(sums.varied, expected, 0.0)
    return Ratio(under - (sums.scores - 1) * observed, under)


def _ordinal(sums: Sums) -> tuple[Array, Array]:
    """(B,) observed and expected disagreement of mid-ranks, both unnormalised."""
    found = sums.coincidences
    if not found.tabled or sums.times is None:
        return _spread(sums, find_midranks(found.mass[None, :])[0])
    low, high = np.triu_indices(len(sums.points))
    ranks = find_midranks(sums.mass)
    observed = (sums.score_tables * (ranks[:, high] - ranks[:, low]) ** 2).sum(axis=1)
    n, first = sums.scores, (sums.mass * ranks).sum(axis=1)
    expected = 2 * (n * (sums.mass * ranks**2).sum(axis=1) - first**2)
    return np.asarray(observed), np.asarray(expected)


def _spread(sums: Sums, values: Array) -> tuple[Array, Array]:
    """(B,) observed and expected squared differences of a value by point (K,)."""
    found = sums.coincidences
    middle = values - values.mean()  # small numbers, so that nothing cancels
    observed = sums.per_score((middle[found.low] - middle[found.high]) ** 2)
    expected = 2 * (sums.scores * sums.score_sum(middle**2) - sums.score_sum(middle) ** 2)
    return observed, expected


def find_midranks(mass: Array) -> Array:
    """Return the mean rank of the scores at each point.

    Args:
        mass: (B, K) scores by point.

    >>> find_midranks(np.array([[2.0, 1.0, 3.0]])).tolist()
    [[1.0, 2.5, 4.5]]
    """
    return np.asarray(np.cumsum(mass, axis=1) - mass / 2)
