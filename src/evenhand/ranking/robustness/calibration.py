"""Are the chances that a model gives right: of pairs called 70 to 30, do 70 % go that way?

Comparisons are turned so that the model favours the first, sorted by its chance (ties half) and cut
into parts of about equal size; the pairs of one chance stay together. Of each part the mean chance
stands beside the share that the first won. The error of the difference is by clusters,

    V_w = G/(G − 1) Σ_g r_g² / n²,     V = max(V_J + V_I − V_JI, V_J, V_I)      (INFERENCE B3)

with r_g the residuals of a judge (or item, or ranking) in the part, on G − 1 degrees of freedom of
the way that has fewest clusters.

When not to use it: to choose between models. The same judgments made the chances, so that these
are a little too good; `evenhand compare` predicts judgments that were held out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.joined_codes import join_codes
from evenhand.judgments.tally import Tally
from evenhand.models.base import Fit
from evenhand.numerics.distributions import normal_quantile, t_quantile
from evenhand.ranking.clustering import choose_ways
from evenhand.ranking.robustness.removal import merge_evidence

Array = NDArray[np.float64]
PARTS: Final = 10  # Parts that comparisons are cut into


@dataclass(frozen=True)
class CalibrationPart:
    """Comparisons to which a model gave about the same chance."""

    n: float  # comparisons
    expected: float  # mean chance of the system that the model favours, ties half (proportion)
    observed: float  # share that it won, ties half (proportion)
    # lower end of the interval of `observed`, at least 0; None with a single cluster
    lower: float | None
    upper: float | None  # upper end, at most 1; likewise

    @property
    def off(self) -> bool:
        """Whether the interval does not hold what was expected."""
        if self.lower is None or self.upper is None:
            return False
        return not self.lower <= self.expected <= self.upper


def find_calibration(
    fit: Fit, tally: Tally, *, level: float = 0.95, parts: int = PARTS
) -> tuple[CalibrationPart, ...]:
    """Set chances beside what came of them, the least chance first.

    level: of all intervals together (proportion): each has 1 − (1 − level) / number of parts.
    """
    chance, counts = _turn(_predict(fit, tally), fit.model.treat_ties(tally.counts))
    used = counts.sum(axis=1) > 0
    chance, counts = chance[used], counts[used]
    part = _cut(chance, counts.sum(axis=1), parts)
    evidence = merge_evidence(tally)
    ways = choose_ways(evidence).ways
    codes = {name: evidence.tallies[name].factor(name).codes[used] for name in ways}
    sure = 1 - (1 - level) / (part.max() + 1)
    return tuple(
        _measure(chance[own], counts[own], {way: code[own] for way, code in codes.items()}, sure)
        for own in (part == at for at in range(part.max() + 1))
    )


def _predict(fit: Fit, tally: Tally) -> Array:
    """Return (C,) the chance of left, ties half."""
    size = len(tally.systems)
    keys, at = np.unique(tally.left.astype(np.int64) * size + tally.right, return_inverse=True)
    pairs = [
        (tally.systems[one], tally.systems[two])
        for one, two in zip(*divmod(keys, size), strict=True)
    ]
    found = fit.predict(pairs)
    return np.asarray((found[:, 0] + found[:, 1] / 2)[at.reshape(-1)])


def _turn(chance: Array, counts: Array) -> tuple[Array, Array]:
    """Return chances and counts of the system that the model favours."""
    turned = chance < 0.5
    return (
        np.where(turned, 1 - chance, chance),
        np.where(turned[:, None], counts[:, ::-1], counts),
    )


def _cut(chance: Array, n: Array, parts: int) -> NDArray[np.int64]:
    """Return (C,) the part of each entry; entries of one chance are in one part."""
    at = np.unique(chance.round(9), return_inverse=True)[1]
    own = np.bincount(at.reshape(-1), n)
    middle = (np.cumsum(own) - own / 2) / own.sum()
    number = np.unique(np.floor(middle * parts), return_inverse=True)[1]
    return np.asarray(number.reshape(-1)[at.reshape(-1)], dtype=np.int64)


def _measure(
    chance: Array, counts: Array, codes: Mapping[str, NDArray[np.int32]], sure: float
) -> CalibrationPart:
    """Return one part with its interval."""
    entries = counts.sum(axis=1)
    n = float(entries.sum())
    score = counts[:, 0] + counts[:, 1] / 2
    observed, expected = float(score.sum()) / n, float(entries @ chance) / n
    residual = score - entries * chance
    if codes:
        variance, clusters = _spread(residual, codes)
        reach = t_quantile((1 + sure) / 2, clusters - 1) if clusters > 1 else np.inf
    else:
        own = np.stack([1 - chance, 0.5 - chance, -chance], axis=1)
        variance, reach = float((counts * own**2).sum()), normal_quantile((1 + sure) / 2)
    margin = reach * float(np.sqrt(variance)) / n if np.isfinite(reach) else None
    if margin is None:
        return CalibrationPart(n, expected, observed, None, None)
    return CalibrationPart(
        n, expected, observed, max(observed - margin, 0.0), min(observed + margin, 1.0)
    )


def _spread(residual: Array, codes: Mapping[str, NDArray[np.int32]]) -> tuple[float, int]:
    """Return the variance of the sum of residuals by clusters, and the fewest clusters."""
    found = [_sum_squares(residual, code) for code in codes.values()]
    fewest = min(clusters for _, clusters in found)
    alone = [squares for squares, _ in found]
    if len(alone) == 1 or fewest < 2:
        return max(alone), fewest
    both = join_codes([(code, int(code.max()) + 1) for code in codes.values()])
    together, _ = _sum_squares(residual, both)
    return max(sum(alone) - together, *alone), fewest


def _sum_squares(residual: Array, codes: NDArray[np.integer]) -> tuple[float, int]:
    """Return G/(G − 1) Σ r_g² and G, the clusters that are there."""
    _, at = np.unique(codes, return_inverse=True)
    sums = np.bincount(at.reshape(-1), residual)
    clusters = len(sums)
    return float((sums**2).sum()) * clusters / max(clusters - 1, 1), clusters
