"""Are the chances that a model gives right: of pairs called 70 to 30, do 70 % go that way?

Comparisons are turned so that the model favours the first, sorted by its chance (ties half) and cut
into parts of about equal size; the pairs of one chance stay together. Of each part the mean chance
stands beside the share that the first won. The variance of the difference is by clusters,

    V_g = G/(G − 1) Σ_g r_g² / n²,     V = max(V_J + V_I − V_JI, V_J, V_I)

with r_g the residuals of a judge (or item, or ranking) in the part, on G − 1 degrees of freedom of
the clustering that has fewest clusters (Cameron, Gelbach & Miller 2011, Robust inference with
multiway clustering, Journal of Business & Economic Statistics 29:238-249).

When not to use it: to choose between models. The same judgments made the chances, so that these
are a little too good; `evenhand compare` predicts judgments that were held out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.tally import Tally, join_codes
from evenhand.models.log_linear import Fit
from evenhand.numerics import Array, Integers
from evenhand.numerics.distributions import normal_quantile, t_quantile
from evenhand.ranking.clustering import Evidence, choose_factors, merge_factors

N_PARTS: Final = 10  # Parts that comparisons are cut into


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
        if self.lower is None or self.upper is None:
            return False
        return not self.lower <= self.expected <= self.upper


def find_calibration(
    fit: Fit, tally: Tally, *, level: float = 0.95, parts: int = N_PARTS
) -> tuple[CalibrationPart, ...]:
    """Set chances beside what came of them, the least chance first."""
    size = len(tally.systems)
    keys, pair = np.unique(tally.left.astype(np.int64) * size + tally.right, return_inverse=True)
    left, right = np.divmod(keys, size)
    names = [
        (tally.systems[first], tally.systems[second])
        for first, second in zip(left, right, strict=True)
    ]
    predicted = fit.predict(names)
    chance = (predicted[:, 0] + predicted[:, 1] / 2)[pair.reshape(-1)]
    counts = fit.model.treat_ties(tally.counts)
    turned = chance < 0.5  # the system that the model favours comes first
    chance = np.where(turned, 1 - chance, chance)
    counts = np.where(turned[:, None], counts[:, ::-1], counts)
    used = counts.sum(axis=1) > 0
    chance, counts = chance[used], counts[used]
    part = _cut(chance, counts.sum(axis=1), parts)
    evidence = Evidence.of(merge_factors(tally))
    codes = {
        name: evidence.tallies[name].factor(name).codes[used]
        for name in choose_factors(evidence).clusterings
    }
    n_parts = int(part.max()) + 1
    level_each = 1 - (1 - level) / n_parts
    results = []
    for number in range(n_parts):
        rows = part == number
        clusters = [code[rows] for code in codes.values()]
        results.append(_measure(chance[rows], counts[rows], clusters, level_each))
    return tuple(results)


def _cut(chance: Array, n: Array, parts: int) -> Integers:
    """Return (C,) the part of each entry; entries of one chance are in one part."""
    level = np.unique(chance.round(9), return_inverse=True)[1].reshape(-1)
    level_n = np.bincount(level, n)
    middle = (np.cumsum(level_n) - level_n / 2) / level_n.sum()
    part = np.unique(np.floor(middle * parts), return_inverse=True)[1].reshape(-1)
    return np.asarray(part[level], dtype=np.int64)


def _measure(
    chance: Array, counts: Array, clusters: Sequence[NDArray[np.int32]], level: float
) -> CalibrationPart:
    entries = counts.sum(axis=1)
    n = float(entries.sum())
    score = counts[:, 0] + counts[:, 1] / 2
    observed, expected = float(score.sum()) / n, float(entries @ chance) / n
    if clusters:
        residual = score - entries * chance
        squares, sizes = zip(*(_sum_squares(residual, codes) for codes in clusters), strict=True)
        variance, fewest = max(squares), min(sizes)
        if fewest < 2:
            return CalibrationPart(n, expected, observed, None, None)
        if len(squares) > 1:
            # Where cells vary more than judges and items explain, the sum of both less that of the
            # cells is too small, and may be below zero.
            cells = join_codes([(codes, int(codes.max()) + 1) for codes in clusters])
            variance = max(sum(squares) - _sum_squares(residual, cells)[0], variance)
        quantile = t_quantile((1 + level) / 2, fewest - 1)
    else:
        residuals = np.stack([1 - chance, 0.5 - chance, -chance], axis=1)
        variance, quantile = float((counts * residuals**2).sum()), normal_quantile((1 + level) / 2)
    margin = quantile * float(np.sqrt(variance)) / n
    return CalibrationPart(
        n, expected, observed, max(observed - margin, 0.0), min(observed + margin, 1.0)
    )


def _sum_squares(residual: Array, codes: NDArray[np.integer]) -> tuple[float, int]:
    """Return G/(G − 1) Σ r_g² and G, the clusters that are there."""
    _, cluster = np.unique(codes, return_inverse=True)
    sums = np.bincount(cluster.reshape(-1), residual)
    return float((sums**2).sum()) * len(sums) / max(len(sums) - 1, 1), len(sums)
