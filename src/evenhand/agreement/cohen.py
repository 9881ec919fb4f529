"""Cohen's κ of two judges, with weights on the declared scale.

    κ = 1 − D_o / D_e,   D_o = mean w(x, y),   D_e = Σ_xy p(x) q(y) w(x, y)

p and q are the shares of scores that either judge gave on their common units, and w says how far
two scores are apart: 1 if they differ (none), |x − y| (linear) or (x − y)² (quadratic). Distances
are those of the scale itself. Programs that number the scores they happen to see (1, 2, 4, 5
become 0, 1, 2, 3) give other weighted values wherever a score in the middle is unused.

Sources: Cohen (1960), Educational and Psychological Measurement 20:37-46; Cohen (1968),
Psychological Bulletin 70:213-220. When not to use it: where one score prevails κ is low though
judges agree (Feinstein & Cicchetti 1990); beside it stands the share that agrees. It compares two
judges; for more see `fleiss` and `alpha`.
"""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.overlap import Overlap, PairMeasure
from evenhand.agreement.units import read_points
from evenhand.errors import NotIdentified, require_option
from evenhand.judgments.scale import Scale
from evenhand.judgments.tally import Codes

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Weights = Literal["none", "linear", "quadratic"]

WEIGHTS: Final = ("none", "linear", "quadratic")
STEPS: Final = 101
"""Most points of a scale that nobody declared: with more it is taken to have no steps."""


def cohen_kappa(x: Array, y: Array, scale: Scale, *, weights: Weights = "none") -> float | None:
    """Return κ of two judges; None where neither ever could differ.

    Args:
        x: (m,) scores of one judge.
        y: (m,) scores of the other on the same units.
        scale: where scores lie.
        weights: how far two scores are apart: none, linear or quadratic.

    Raises:
        NotIdentified: no common units, or a scale without steps.
        InvalidJudgments: a score that is not on a declared scale.
        UnknownOption: weights that are none of these.

    >>> from evenhand.judgments.scale import read_scale
    >>> x, y = np.array([[1.0, 2, 4, 5, 5], [1.0, 2, 5, 5, 4]])
    >>> round(cohen_kappa(x, y, read_scale("1-5"), weights="quadratic"), 4)
    0.9242
    """
    if not len(x):
        raise NotIdentified("Cohen's κ needs outputs that both judges scored: there are none")
    found = read_points(np.concatenate([x, y]), scale)
    one = np.zeros(1, dtype=np.int32)
    first, second = np.split(found.code, 2)
    pair = np.zeros(len(x), dtype=np.int64)
    overlap = Overlap(one, one, pair, first, second, np.arange(len(x)), found.points)
    kappa = float(cohen_kappas(overlap, scale, weights).values[0])
    return None if np.isnan(kappa) else kappa


def cohen_kappas(overlap: Overlap, scale: Scale, weights: Weights = "none") -> PairMeasure:
    """Return κ of pairs of judges.

    Args:
        overlap: their scores on common units.
        scale: where scores lie.
        weights: how far two scores are apart: none, linear or quadratic.

    Returns:
        κ, NaN where both judges gave one and the same score throughout; and, for a pair of scores
        of a pair of judges, − (w − D_o) / D_e + (D_o / D_e²) (w_y + w_x − 2 D_e), where w_y is the
        mean distance of y from the first judge's scores.

    Raises:
        NotIdentified: a scale without steps.
        UnknownOption: weights that are none of these.

    """
    check_steps(scale)
    apart = measure_distances(overlap.points, weights)
    own = apart[overlap.x, overlap.y]
    observed = overlap.mean(own)
    p, q = _shares(overlap, overlap.x) @ apart, _shares(overlap, overlap.y)
    expected = (p * q).sum(axis=1)
    exists, q = expected > 0, q @ apart
    under = np.where(exists, expected, 1.0)
    values = np.where(exists, 1 - observed / under, np.nan)
    pair = overlap.pair
    by_chance = p[pair, overlap.y] + q[pair, overlap.x] - 2 * expected[pair]
    influence = (observed / under**2)[pair] * by_chance - (own - observed[pair]) / under[pair]
    return PairMeasure(values, influence)


def measure_distances(points: Array, weights: Weights) -> Array:
    """Return (q, q) how far the points of a scale are apart, 1 from end to end.

    Raises:
        UnknownOption: weights that are none of none, linear and quadratic.

    """
    require_option("weights", weights, WEIGHTS)
    steps = np.abs(points[:, None] - points)
    if weights == "none":
        return (steps > 0).astype(np.float64)
    wide = np.maximum(points[-1] - points[0], np.finfo(np.float64).tiny)
    return np.asarray((steps / wide) ** (1 if weights == "linear" else 2))


def check_steps(scale: Scale) -> None:
    """Refuse a scale without steps.

    Raises:
        NotIdentified: it has none, or nobody declared it and it seems to have none.

    """
    if scale.points is None:
        raise NotIdentified(
            f"Cohen's κ needs a scale with steps, not {scale}",
            ["use correlation, ICC or α, which take scores as numbers"],
        )
    if not scale.declared and len(scale.points) > STEPS:
        raise NotIdentified(
            f"Cohen's κ needs a scale with steps, and {len(scale.points):,} different scores occur",
            ["say what the scale is, as in --scale 0-100", "use correlation, ICC or α"],
        )


def count_confusion(overlap: Overlap) -> Counts:
    """Return how often one judge gave a score (row) where the other gave one (column).

    Args:
        overlap: scores of pairs of judges on common units.

    Returns:
        (P, K, K) counts, points of the scale ascending.

    """
    k, pairs = len(overlap.points), len(overlap.first)
    cells = (overlap.pair * k + overlap.x) * k + overlap.y
    return np.bincount(cells, minlength=pairs * k * k).reshape(pairs, k, k)


def _shares(overlap: Overlap, codes: Codes) -> Array:
    """(P, K) share of a judge's scores on common units that fall on each point."""
    k, pairs = len(overlap.points), len(overlap.first)
    counts = np.bincount(overlap.pair * k + codes, minlength=pairs * k).reshape(pairs, k)
    return np.asarray(counts / overlap.units[:, None])
