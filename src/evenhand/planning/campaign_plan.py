"""What a plan holds: a design, its power pair by pair, what it costs and what would be cheaper."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, ClassVar, Final

from evenhand.judgments.notebook import InNotebooks
from evenhand.judgments.signature import exactly, write_signature
from evenhand.planning.closed_form import Foreseen
from evenhand.planning.design import Design, name_pair
from evenhand.planning.foresight import Expected
from evenhand.planning.pilot import Pilot
from evenhand.planning.power import Simulated, bound_share
from evenhand.planning.spec import CampaignSpec

SHORT: Final = 0.05
"""How far power in closed form and by simulation may differ before it is said."""


@dataclass(frozen=True)
class Point:
    """A point of a curve, in closed form.

    Attributes:
        judgments: n.
        judges: J.
        weakest: power of the pair that is hardest to decide (proportion).
        mean: mean power of the pairs that are to be decided.

    """

    judgments: int
    judges: int
    weakest: float
    mean: float


@dataclass(frozen=True)
class Round:
    """A size that was simulated on the way to the design.

    Attributes:
        judgments: n.
        expected: power of the pair that is hardest to decide, in closed form (proportion).
        power: the same by simulation.
        campaigns: that were simulated.
        unranked: campaigns whose worths had no estimate.

    """

    judgments: int
    expected: float
    power: float
    campaigns: int
    unranked: int

    @property
    def is_contradicted(self) -> bool:
        """Whether the closed form expects more than simulation can be reconciled with."""
        upper = bound_share(round(self.power * self.campaigns), self.campaigns)[1]
        return self.expected > upper + SHORT


@dataclass(frozen=True)
class PairPower:
    """How likely a pair is to be decided.

    Attributes:
        pair: the better, then the other, for people: names may hold " > " themselves.
        better: the better system.
        worse: the other.
        gap: difference in log-worth, of one judge on one item.
        chance: how often one judgment prefers the better, of those that prefer one (proportion).
        expected: power in closed form.
        power: power by simulation, or None.
        lower: lower end of its interval.
        upper: upper end.
        false: campaigns in which it was decided the wrong way, or None.
        asked: whether it is to be decided.

    """

    pair: str
    better: str
    worse: str
    gap: float
    chance: float
    expected: float
    power: float | None
    lower: float | None
    upper: float | None
    false: int | None
    asked: bool

    @property
    def best(self) -> float:
        """Power by simulation, else in closed form."""
        return self.expected if self.power is None else self.power


@dataclass(frozen=True, eq=False, repr=False)
class CampaignPlan(InNotebooks):
    """A plan.

    Attributes:
        spec: what was asked.
        design: who judges what.
        foreseen: what holds whatever the size.
        expected: of the design, in closed form.
        simulated: the same by simulation, of this very design, or None.
        rounds: the sizes that were simulated, the design the last.
        by_judgments: power by judgments.
        by_judges: power by judges, each with the planned load.
        frontier: fewest judgments for each number of judges.
        overlaps: other overlaps and repeats of as many judgments, with the power of the weakest
            pair.
        enough: what would do, where the stated design does not.
        pilot: what a pilot says, or None.
        worst: power of the weakest pair if tastes are as strong as the pilot cannot exclude.

    """

    TABLE: ClassVar = "pairs"

    spec: CampaignSpec
    design: Design
    foreseen: Foreseen
    expected: Expected
    simulated: Simulated | None
    rounds: tuple[Round, ...]
    by_judgments: tuple[Point, ...]
    by_judges: tuple[Point, ...]
    frontier: tuple[Design, ...]
    overlaps: tuple[tuple[Design, float], ...]
    enough: Design | None
    pilot: Pilot | None
    worst: float | None

    @property
    def cost(self) -> float:
        """What the design costs."""
        return self.spec.prices.cost(self.design)

    @cached_property
    def pairs(self) -> tuple[PairPower, ...]:
        """All pairs that differ, those to be decided first, the hardest first."""
        targets = set(self.spec.targets)
        worth = self.spec.truth.log_worth
        places = range(len(worth))
        found = [
            self._pair(one, asked=one in targets)
            for one in ((a, b) for a in places for b in places if worth[a] > worth[b])
        ]
        return tuple(sorted(found, key=lambda one: (not one.asked, one.expected, one.best)))

    def _pair(self, pair: tuple[int, int], *, asked: bool) -> PairPower:
        from math import exp

        truth, counted = self.spec.truth, self.simulated
        pooled = float(self.foreseen.apart[pair])
        power, lower, upper, false = None, None, None, None
        if counted is not None:
            power, (lower, upper) = float(counted.power[pair]), counted.interval(*pair)
            false = int(counted.false[pair])
        return PairPower(
            name_pair(truth, pair),
            truth.systems[pair[0]],
            truth.systems[pair[1]],
            truth.log_worth[pair[0]] - truth.log_worth[pair[1]],
            1 / (1 + exp(-pooled)),
            float(self.expected.power[pair]),
            power,
            lower,
            upper,
            false,
            asked,
        )

    @property
    def asked(self) -> tuple[PairPower, ...]:
        """The pairs that are to be decided, the hardest first."""
        return tuple(one for one in self.pairs if one.asked)

    @property
    def weakest(self) -> PairPower:
        """The pair that is hardest to decide, of those that are to be."""
        return min(self.asked, key=lambda one: one.best)

    @property
    def falls_short(self) -> bool:
        """Whether simulated power is below what was asked by more than chance explains."""
        upper = self.weakest.upper
        return upper is not None and upper < self.spec.power

    @property
    def is_contradicted(self) -> bool:
        """Whether the closed form expects more than simulation can be reconciled with.

        Of the design, or of a smaller one that was simulated before it.
        """
        if any(one.is_contradicted for one in self.rounds[:-1]):
            return True
        low = self.weakest
        return low.upper is not None and low.expected > low.upper + SHORT

    @property
    def signature(self) -> str:
        """One line that reproduces it."""
        spec, counted = self.spec, self.simulated
        simulated = "closed form" if counted is None else f"{counted.campaigns} campaigns"
        wish = (f"power {exactly(spec.power)}", f"level {exactly(spec.level)}")
        parts = ["plan", spec.source, *wish, simulated]
        pilot = None if self.pilot is None else self.pilot.components.signature
        kinds = (spec.truth, spec.pairs, self.design, spec.resolve, spec.prices, pilot)
        digest = sha256(repr(kinds).encode()).hexdigest()
        seed = f"seed={spec.seed}"
        return write_signature(
            [*parts, seed], self.design.judgments, digest, judges=self.design.judges
        )

    @cached_property
    def says(self) -> tuple[str, ...]:
        """What was found, in sentences."""
        from evenhand.planning.words import say_plan

        return say_plan(self)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What must stand beside it."""
        from evenhand.planning.words import note_plan

        return note_plan(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand plan --json`."""
        counted, spec = self.simulated, self.spec
        return {
            "signature": self.signature,
            "systems": dict(zip(spec.truth.systems, spec.truth.log_worth, strict=True)),
            **{name: getattr(spec.truth, name) for name in ("ties", "judge_sd", "item_sd")},
            "wish": {"resolve": spec.resolve, "power": spec.power, "level": spec.level},
            "design": self.design.to_dict(),
            "prices": vars(spec.prices),
            "cost": self.cost,
            "pairs": [vars(one) for one in self.pairs],
            "variance": self._parts(),
            "simulated": None
            if counted is None
            else {name: getattr(counted, name) for name in COUNTED},
            "rounds": [vars(one) for one in self.rounds],
            "by_judgments": [vars(one) for one in self.by_judgments],
            "by_judges": [vars(one) for one in self.by_judges],
            "frontier": [self._priced(one) for one in self.frontier],
            "overlaps": [{**self._priced(one), "power": power} for one, power in self.overlaps],
            "enough": None if self.enough is None else self._priced(self.enough),
            "pilot": None if self.pilot is None else self.pilot.to_dict(),
            "power_if_tastes_are_stronger": self.worst,
            "says": list(self.says),
            "notes": list(self.notes),
        }

    def _parts(self) -> dict[str, float]:
        """Return what judges, items and chance add to the variance of the weakest pair."""
        truth = self.spec.truth
        first, second = truth.find(self.weakest.better), truth.find(self.weakest.worse)
        parts = self.foreseen.vary(self.design)
        return {name: float(one[first, second]) for name, one in parts.items()}

    def _priced(self, design: Design) -> dict[str, Any]:
        return {**design.to_dict(), "cost": self.spec.prices.cost(design)}

    def __repr__(self) -> str:
        return "\n".join([*self.says, *(f"note: {one}" for one in self.notes), self.signature])


COUNTED = ("campaigns", "any_false", "unranked", "places")
