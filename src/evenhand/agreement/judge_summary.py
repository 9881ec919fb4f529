"""How each judge of ratings agrees with the others: the means of its pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.correlation import correlate_with_others
from evenhand.agreement.units import Units
from evenhand.judgments.tally import Codes

Array = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class JudgeSummary:
    """How one judge agrees with the others.

    Attributes:
        judge: name.
        ratings: units that the judge scored.
        shared: those of them that others scored too.
        others: judges with common units.
        equal: share of the same scores, a pair of judges counting by its common units
            (proportion); None without common units.
        distance: mean |own − other's| likewise, in points of the scale.
        means: mean over its pairs by common units, for each measure; None where it does not exist.
        pearson_others: correlation with the mean of the others' scores; None where there is none.
        spearman_others: the same of ranks.

    """

    judge: str
    ratings: int
    shared: int
    others: int
    equal: float | None
    distance: float | None
    means: Mapping[str, float | None]
    pearson_others: float | None
    spearman_others: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {**vars(self), "means": dict(self.means)}


def summarise_judges(
    units: Units, pairs: tuple[Codes, Codes], shared: Counts, every: Mapping[str, Array]
) -> tuple[JudgeSummary, ...]:
    """Take the means of pairs judge by judge, a pair counting by its common units.

    Args:
        units: who scored what.
        pairs: (P,) codes of the first and of the second judge of each pair.
        shared: (P,) common units.
        every: "equal", "distance" and further measures → (P,), NaN where one does not exist.

    Returns:
        One for each judge with a score, by name.

    """
    names = units.rows.judges
    size = len(names)
    sides = np.concatenate(pairs)
    weight = np.concatenate([shared, shared]).astype(np.float64)
    means = {
        name: plain_numbers(_mean_by(sides, weight, np.tile(values, 2), size))
        for name, values in every.items()
    }
    ratings = np.bincount(units.judge, minlength=size).tolist()
    several = np.repeat(units.several, units.sizes)
    together = np.bincount(units.judge[several], minlength=size).tolist()
    others = np.bincount(sides, minlength=size).tolist()
    with_others = [
        plain_numbers(correlate_with_others(units, ranks=ranks)) for ranks in (False, True)
    ]
    return tuple(
        JudgeSummary(
            judge=names[j],
            ratings=ratings[j],
            shared=together[j],
            others=others[j],
            equal=means["equal"][j],
            distance=means["distance"][j],
            means={name: means[name][j] for name in means if name not in ("equal", "distance")},
            pearson_others=with_others[0][j],
            spearman_others=with_others[1][j],
        )
        for j in range(size)
        if ratings[j]
    )


def _mean_by(codes: Codes, weight: Array, values: Array, size: int) -> Array:
    """(size,) weighted mean of values that exist by code, NaN where there are none."""
    exists = ~np.isnan(values)
    over = np.bincount(codes[exists], (weight * values)[exists], minlength=size)
    under = np.bincount(codes[exists], weight[exists], minlength=size)
    return np.where(under > 0, over / np.where(under > 0, under, 1.0), np.nan)


def plain_numbers(values: NDArray[Any]) -> list[Any]:
    """Return plain numbers, None for NaN."""
    missing = np.isnan(values).tolist()
    return [None if no else value for no, value in zip(missing, values.tolist(), strict=True)]
