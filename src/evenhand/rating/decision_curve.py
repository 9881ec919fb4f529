"""How reliable decisions are with fewer ratings: points of a curve, each with its intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from evenhand.judgments.notebook import InNotebooks
from evenhand.rating.baselines import ADDITIVE, COMPLETION
from evenhand.rating.masks import COMMON, SPREAD, Design

RAW: Final = "raw mean"
DECIDERS: Final = (RAW, ADDITIVE, COMPLETION)
"""What a decision rests on: the ratings as they are, and two ways to fill in the missing ones."""
ONE: Final = "one rating"
"""Raw means of one rating per output, drawn at random."""


@dataclass(frozen=True)
class Estimate:
    """A number with its interval.

    Attributes:
        value: the number.
        lower: end of its interval.
        upper: the other.

    """

    value: float
    lower: float
    upper: float

    def to_dict(self) -> dict[str, float]:
        """Return the JSON contract."""
        return {"value": self.value, "lower": self.lower, "upper": self.upper}


@dataclass(frozen=True)
class DecisionPoint:
    """What a design gives.

    Attributes:
        design: which ratings are seen.
        reliability: of DECIDERS: share of pairs of systems that are ordered as by all ratings.
        gains: what completion has more than RAW and ADDITIVE on the same ratings, and than ONE.
        mae: method → mean absolute error on the cells that are not seen, in points of the scale.
        more: method → what its error has more than completion's.
        abstained: share of the draws in which completion abstained.

    """

    design: Design
    reliability: Mapping[str, Estimate]
    gains: Mapping[str, Estimate]
    mae: Mapping[str, Estimate]
    more: Mapping[str, Estimate]
    abstained: float

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract."""
        parts = {
            "reliability": self.reliability,
            "gains": self.gains,
            "mae": self.mae,
            "mae_more": self.more,
        }
        return {
            "design": self.design.kind,
            "share": self.design.share,
            **{
                name: {key: one.to_dict() for key, one in part.items()}
                for name, part in parts.items()
            },
            "abstained": self.abstained,
        }


@dataclass(frozen=True, eq=False, repr=False)
class DecisionCurve(InNotebooks):
    """Decisions against the share of ratings that are seen.

    Attributes:
        points: one for each design; the first is one rating per output.
        judges: rows of the full matrix.
        outputs: its columns.
        systems: that decisions are about.
        pairs: of systems that all ratings tell apart.
        draws: of each design.
        level: of the intervals.
        notes: what must stand beside the numbers.
        signature: what made them.

    """

    points: tuple[DecisionPoint, ...]
    judges: int
    outputs: int
    systems: int
    pairs: int
    draws: int
    level: float
    notes: tuple[str, ...]
    signature: str

    @property
    def says(self) -> tuple[str, ...]:
        """What was found, in words."""
        common = [one for one in self.points if one.design.kind == COMMON]
        spread = [one for one in self.points if one.design.kind == SPREAD]
        first = self.points[0].reliability[RAW]
        share = f"{100 * first.value:.0f} %"
        ends = f"({100 * first.lower:.0f} to {100 * first.upper:.0f} %)"
        lines = [
            f"one rating per output orders {share} of {self.pairs:,} pairs of systems as all"
            f" {self.judges} do {ends}"
            if self.pairs > 1
            else f"one rating per output orders the two systems as all {self.judges} do in {share}"
            f" of the draws {ends}"
        ]
        for name, points in ((COMMON, common), (SPREAD, spread[1:])):
            if points:
                lines.append(_count(name, points))
        return tuple(lines)

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each design and method."""
        rows = []
        for point in self.points:
            for method in dict.fromkeys((*DECIDERS, *point.mae)):
                row: dict[str, Any] = {
                    "design": point.design.kind,
                    "share": point.design.share,
                    "method": method,
                }
                for name, part in (("reliability", point.reliability), ("mae", point.mae)):
                    one = part.get(method)
                    row[name] = None if one is None else one.value
                    row[f"{name}_lower"] = None if one is None else one.lower
                    row[f"{name}_upper"] = None if one is None else one.upper
                rows.append(row)
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract."""
        return {
            "judges": self.judges,
            "outputs": self.outputs,
            "systems": self.systems,
            "pairs": self.pairs,
            "draws": self.draws,
            "level": self.level,
            "points": [point.to_dict() for point in self.points],
            "says": list(self.says),
            "notes": list(self.notes),
            "signature": self.signature,
        }

    def __repr__(self) -> str:
        lines = ["design  share  raw mean  judge + output  completion"]
        for point in self.points:
            cells = "  ".join(f"{point.reliability[one].value:.3f}" for one in DECIDERS)
            lines.append(f"{point.design.kind:6}  {point.design.share:.2f}  {cells}")
        return "\n".join([*lines, *self.says, *self.notes, self.signature])


def _count(name: str, points: list[DecisionPoint]) -> str:
    """Say at how many points completion decides better than what else there is."""
    designs = {
        COMMON: "one rating per output and some outputs rated by all",
        SPREAD: "several judges per output",
    }
    shares = f"{len(points)} shares" if len(points) > 1 else "1 share"
    parts: list[str] = []
    for other, words in (
        (RAW, "raw means of the same ratings"),
        (ADDITIVE, "judge + output"),
        (ONE, "one rating per output"),
    ):
        better = sum(point.gains[other].lower > 0 for point in points)
        worse = sum(point.gains[other].upper < 0 for point in points)
        of = "" if parts else f" of {shares}"
        parts.append(f"than {words} at {better}{of}{f' (worse at {worse})' if worse else ''}")
    return f"{designs[name]}: decisions from completion are better {', '.join(parts)}"
