"""A completion and the decisions that fewer ratings would have led to: what one group has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evenhand.judgments.rating_rows import RatingRows
from evenhand.rating.completion import Completion
from evenhand.rating.decision_curve import DecisionCurve
from evenhand.rating.nuclear_norm import NuclearNorm
from evenhand.rating.reliability import study_decisions


@dataclass(frozen=True, eq=False)
class CompletedPart:
    """What is found of the ratings of one task under one criterion.

    Attributes:
        completion: predictions of what is missing.
        decisions: the curve of decisions; None where nobody asked.

    """

    completion: Completion
    decisions: DecisionCurve | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract."""
        curve = None if self.decisions is None else self.decisions.to_dict()
        return {**self.completion.to_dict(), "decisions": curve}


def complete_part(rows: RatingRows, model: NuclearNorm, draws: int | None = None) -> CompletedPart:
    """Complete ratings, and study decisions where draws are given.

    Args:
        rows: ratings of one task under one criterion.
        model: settings.
        draws: of the ratings that are hidden, for each share; None leaves decisions out.

    """
    found = model.fit(rows)
    if draws is None:
        return CompletedPart(found)
    return CompletedPart(found, study_decisions(rows, model, draws=draws, seed=model.seed))
