"""What one set of judgments says of the sources of variance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any, ClassVar

from evenhand.judgments.components import SYSTEM, Component
from evenhand.judgments.notebook import InNotebooks

if TYPE_CHECKING:
    from evenhand.screening.variance.plan import Plan


@dataclass(frozen=True)
class Observed:
    """The design that was judged.

    Attributes:
        judges: number of judges.
        items: number of items.
        systems: number of systems.
        judgments: scores, or answers.
        comparisons: pairs; the judgments themselves but for rankings.
        each: judgments per output (ratings), or comparisons per judge, on average.

    """

    judges: int
    items: int
    systems: int
    judgments: float
    comparisons: float
    each: float


@dataclass(frozen=True, eq=False, repr=False)
class VarianceComponents(InNotebooks):
    """How much of what judges said is due to systems, judges, items, their tastes, and chance.

    Attributes:
        kind: "ratings", "comparisons" or "rankings".
        unit: of every sd: "points" of the scale, or "log-worth".
        components: those that the design can tell apart, in the order of
            `evenhand.judgments.components.NAMES`.
        sharing: component → how far its variance goes into the average difference of two systems
            in this design: 0 where it cancels.
        observed: the design.
        method: "REML" or "moments"; each component says its own.
        level: of the intervals.
        growth: by what variances of tastes look smaller through pooled log-worths; 1 for ratings.
        per_vote: variance that chance gives the difference of two log-worths, times comparisons;
            None for ratings, whose chance is the residual.
        reasons: what cannot be told from what in this design, and why.
        notes: what else must stand beside it.
        signature: one line that reproduces it.

    """

    TABLE: ClassVar = "components"

    kind: str
    unit: str
    components: tuple[Component, ...]
    sharing: Mapping[str, float]
    observed: Observed
    method: str
    level: float
    growth: float
    per_vote: float | None
    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    signature: str

    def find(self, name: str) -> Component | None:
        """Return a component by name, None where the design has none of its own."""
        return next((one for one in self.components if one.name == name), None)

    @cached_property
    def shares(self) -> dict[str, float]:
        """Share of each component in the variance of one score; empty for comparisons."""
        total = sum(one.variance for one in self.components)
        if self.per_vote is not None or total == 0:
            return {}
        return {one.name: one.variance / total for one in self.components}

    @cached_property
    def parts(self) -> dict[str, float]:
        """What each source adds to the variance of a difference of two systems, as judged.

        Of system means for ratings, of log-worths as `rank` estimates them for comparisons; without
        systems themselves. Empty where there is one system, or where systems cannot be told from
        who judged them or on what, or where all scores are equal.
        """
        system = self.find(SYSTEM)
        if not self.sharing or system is None or system.carries:
            return {}
        if self.per_vote is None and all(one.sd == 0 for one in self.components):
            return {}
        parts = {
            one.name: self.sharing.get(one.name, 0.0) * one.variance / self.growth
            for one in self.components
            if one.name != SYSTEM
        }
        if self.per_vote is not None:
            parts["chance"] = self.per_vote / self.observed.comparisons
        return parts

    @property
    def stderr(self) -> float | None:
        """Standard error of a difference of two systems in this design, or None."""
        return sqrt(sum(self.parts.values())) if self.parts else None

    @property
    def reliability(self) -> float | None:
        """Generalizability coefficient of this design: how far differences are those of systems."""
        if not self.parts:
            return None
        system = self.find(SYSTEM)
        between = system.variance / self.growth if system is not None else 0.0
        total = between + sum(self.parts.values()) / 2
        return between / total if total > 0 else None

    def plan(self, judges: int, items: int, each: int | None = None) -> Plan:
        """Say how sure a design would be; see `evenhand.screening.variance.plan.plan_design`."""
        from evenhand.screening.variance.plan import plan_design

        return plan_design(self, judges, items, each)

    @cached_property
    def says(self) -> tuple[str, ...]:
        """What was found, in sentences."""
        from evenhand.screening.variance.words import say_components

        return say_components(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand variance --json`."""
        names = ("kind", "unit", "method", "level", "stderr", "reliability", "growth", "per_vote")
        rows = [
            {**_finite(one), "share": self.shares.get(one.name), "adds": self.parts.get(one.name)}
            for one in self.components
        ]
        return {
            "signature": self.signature,
            **{name: getattr(self, name) for name in names},
            "observed": dict(vars(self.observed)),
            "components": rows,
            "says": list(self.says),
            "notes": [*self.reasons, *self.notes],
        }

    def __repr__(self) -> str:
        notes = [f"note: {note}" for note in (*self.reasons, *self.notes)]
        return "\n".join([*self.says, *notes, self.signature])


def _finite(one: Component) -> dict[str, Any]:
    """Return a component for JSON, which has no infinity."""
    row = one.to_dict()
    if one.upper is not None and not isfinite(one.upper):
        row["upper"] = None
    return row
