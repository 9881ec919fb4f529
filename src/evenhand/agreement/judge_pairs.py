"""Every pair of judges: how far they agree on what both scored, and what that says of each judge.

A mean over pairs counts each pair of judges by its common units, so that a pair with three units
weighs no more than it knows; pairs for which a coefficient does not exist are left out and counted.
The mean of unweighted κ on complete data, all pairs alike, is Light's κ (Light 1971, Psychological
Bulletin 76:365-377); that of Cohen's κ is sometimes printed as "average pairwise κ".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.bootstrap import FEWEST
from evenhand.agreement.coefficient import Coefficient
from evenhand.agreement.cohen import check_steps, cohen_kappas
from evenhand.agreement.correlation import correlate_pairs
from evenhand.agreement.judge_summary import JudgeSummary, plain_numbers, summarise_judges
from evenhand.agreement.overlap import Overlap, PairMeasure, walk_overlaps
from evenhand.agreement.units import Units
from evenhand.errors import NotIdentified, require_option
from evenhand.judgments.scale import Scale
from evenhand.judgments.tally import Codes
from evenhand.numerics.distributions import t_quantile

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

MEASURES: Final[Mapping[str, str]] = {
    "cohen": "Cohen's κ",
    "cohen-linear": "Cohen's κ, linear weights",
    "cohen-quadratic": "Cohen's κ, quadratic weights",
    "pearson": "Pearson's r",
    "spearman": "Spearman's ρ",
}
"""What is measured of two judges, and its title."""


@dataclass(frozen=True, eq=False)
class JudgePairs:
    """Agreement of every pair of judges that share units.

    Attributes:
        judges: the J names.
        first: (P,) code of one judge of each pair.
        second: (P,) code of the other.
        units: (P,) common units.
        equal: (P,) share of them with the same score (proportion).
        distance: (P,) mean |difference|, in points of the scale.
        measures: name → (P,), NaN where it does not exist.
        by_item: name → (I, 3) for each item the sums over its pairs of scores of influence, of the
            measure of their pair of judges, and of ones.
        why: why a measure was not taken at all.
        summaries: each judge, by name.

    """

    judges: tuple[str, ...]
    first: Codes
    second: Codes
    units: Counts
    equal: Array
    distance: Array
    measures: Mapping[str, Array]
    by_item: Mapping[str, Array]
    why: Mapping[str, str]
    summaries: tuple[JudgeSummary, ...]

    def mean(self, name: str, *, level: float = 0.95) -> Coefficient:
        """Return the mean of a measure over pairs, weighted by common units.

        Its interval allows for items: t with the sandwich of influences, summed by item.

        Args:
            name: one of `MEASURES`.
            level: nominal level of the interval (proportion).

        Raises:
            UnknownOption: no such measure.

        """
        require_option("measure", name, tuple(MEASURES))
        title = f"{MEASURES[name]}, mean over pairs by common units"
        units, both = int(self.units.sum()), 2 * int(self.units.sum())
        missing = self.why.get(name) or _say_missing(self, name)
        if missing:
            return Coefficient(name, title, None, units=units, ratings=both, why=missing)
        values = self.measures[name]
        exists = ~np.isnan(values)
        value = float(np.average(values[exists], weights=self.units[exists]))
        kept = int(self.units[exists].sum())
        left = int((~exists).sum())
        notes = (f"{left:,} of {len(exists):,} pairs of judges have none",) if left else ()
        lower, upper = _bound(self.by_item[name], value, level)
        return Coefficient(name, title, value, lower, upper, kept, 2 * kept, notes=notes)

    def records(self) -> list[dict[str, Any]]:
        """Return one row per pair, with plain values."""
        columns = {"units": self.units, "equal": self.equal, "distance": self.distance}
        plain = {
            name: plain_numbers(values) for name, values in {**columns, **self.measures}.items()
        }
        names = [
            [self.judges[code] for code in side.tolist()] for side in (self.first, self.second)
        ]
        return [
            {"first": one, "second": other, **dict(zip(plain, row, strict=True))}
            for one, other, row in zip(*names, zip(*plain.values(), strict=True), strict=True)
        ]


def compare_judges(units: Units, scale: Scale | None = None) -> JudgePairs:
    """Compare every two judges on what both scored.

    Args:
        units: scores by unit, one of each judge.
        scale: the declared scale, for κ; by default the scores that occur.

    """
    ways, why = _choose_ways(scale or units.scale)
    names, items = units.labels("item")
    by_item = {name: np.zeros((len(names), 3)) for name in ways}
    found = [_measure(overlap, ways, items, by_item) for overlap in walk_overlaps(units)]
    columns = [np.concatenate(parts) for parts in zip(*found, strict=True)] if found else []
    if not columns:
        none = np.zeros(0, dtype=np.int64)
        columns = [none.astype(np.int32)] * 2 + [none] + [none.astype(np.float64)] * (2 + len(ways))
    first, second, shared, equal, distance, *values = columns
    measures = dict(zip(ways, values, strict=True))
    every = {"equal": equal, "distance": distance, **measures}
    return JudgePairs(
        judges=units.rows.judges,
        first=first,
        second=second,
        units=shared,
        equal=equal,
        distance=distance,
        measures=measures,
        by_item=by_item,
        why=why,
        summaries=summarise_judges(units, (first, second), shared, every),
    )


def _choose_ways(
    scale: Scale,
) -> tuple[dict[str, Callable[[Overlap], PairMeasure]], dict[str, str]]:
    """Return how each measure is taken of pairs of judges, and why some are not."""
    ways: dict[str, Callable[[Overlap], PairMeasure]] = {
        "cohen": lambda overlap: cohen_kappas(overlap, scale),
        "cohen-linear": lambda overlap: cohen_kappas(overlap, scale, "linear"),
        "cohen-quadratic": lambda overlap: cohen_kappas(overlap, scale, "quadratic"),
        "pearson": correlate_pairs,
        "spearman": lambda overlap: correlate_pairs(overlap, ranks=True),
    }
    try:
        check_steps(scale)
    except NotIdentified as refusal:
        kappas = [name for name in ways if name.startswith("cohen")]
        return (
            {name: way for name, way in ways.items() if name not in kappas},
            dict.fromkeys(kappas, str(refusal)),
        )
    return ways, {}


def _measure(
    overlap: Overlap,
    ways: Mapping[str, Callable[[Overlap], PairMeasure]],
    items: Codes,
    by_item: Mapping[str, Array],
) -> list[Any]:
    """Return the columns of `JudgePairs` for some pairs, and add to the sums by item.

    Args:
        overlap: scores of pairs of judges.
        ways: how each measure is taken.
        items: (U,) item of each unit.
        by_item: name → (I, 3) sums to add to.

    """
    apart = np.abs(overlap.points[overlap.x] - overlap.points[overlap.y])
    columns = [
        overlap.first,
        overlap.second,
        overlap.units,
        overlap.mean(overlap.x == overlap.y),
        overlap.mean(apart),
    ]
    item = items[overlap.unit]
    for name, way in ways.items():
        found = way(overlap)
        columns.append(found.values)
        own = found.values[overlap.pair]
        held = ~np.isnan(own)
        sums = by_item[name]
        for i, values in enumerate((found.influence, own, np.ones(len(own)))):
            sums[:, i] += np.bincount(item[held], values[held], len(sums))
    return columns


def _bound(sums: Array, mean: float, level: float) -> tuple[float | None, float | None]:
    """Return the interval of a mean over pairs, from sums by item."""
    sums = sums[sums[:, 2] > 0]
    items = len(sums)
    if items < FEWEST:
        return None, None
    influence = (sums[:, 0] + sums[:, 1] - mean * sums[:, 2]) / sums[:, 2].sum()
    error = np.sqrt(items / (items - 1) * (influence**2).sum())
    half = float(t_quantile((1 + level) / 2, items - 1) * error)
    return max(mean - half, -1.0), min(mean + half, 1.0)


def _say_missing(pairs: JudgePairs, name: str) -> str:
    """Say why no pair of judges has a measure; nothing where one has."""
    if not len(pairs.units):
        return "no output was scored by two judges"
    if (~np.isnan(pairs.measures[name])).any():
        return ""
    if name.startswith("cohen"):
        return "all judges gave one and the same score throughout: chance explains all agreement"
    return (
        "every pair of judges has fewer than three outputs in common, or a judge who scored all of"
        " them alike: nothing rises or falls"
    )
