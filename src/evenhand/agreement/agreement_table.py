"""What is known of agreement: coefficients with intervals, whole and in parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from evenhand.agreement.coefficient import Coefficient
from evenhand.errors import InvalidJudgments, suggest
from evenhand.judgments.grouped import Grouped
from evenhand.judgments.notebook import InNotebooks

ALL: Final = "all"
"""What a part is called that is not limited by anything."""


@dataclass(frozen=True)
class Doubtful:
    """An item on whose outputs judges are far apart.

    Attributes:
        item: its name.
        task: its task, "" where there are none.
        units: outputs of it, each under each criterion, that two or more judges scored.
        difference: mean |difference| of two judges (points of the scale); for preferences the
            share of pairs of votes that disagree.
        drawn: the same drawn towards the mean of all items as by five more units, by which items
            are ordered: few units are no proof.

    """

    item: str
    task: str
    units: int
    difference: float
    drawn: float

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return dict(vars(self))


@dataclass(frozen=True)
class AgreementPart:
    """Agreement on some of the judgments, such as those under one criterion.

    Attributes:
        by: column → its level here; empty for all judgments.
        units: outputs under a criterion (or output pairs) that two or more judges judged.
        single: units that one judge alone judged, of which no agreement is known.
        ratings: judgments on the units of two or more judges.
        judges: judges who gave them.
        most_judges: largest number of judges on one unit.
        coefficients: in the order in which they are shown.
        doubtful: items on which judges are farthest apart, the farthest first.
        notes: what must stand beside the coefficients.

    """

    by: Mapping[str, str]
    units: int
    single: int
    ratings: int
    judges: int
    most_judges: int
    coefficients: tuple[Coefficient, ...]
    doubtful: tuple[Doubtful, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Its levels in words, "all" where there are none."""
        return ", ".join(self.by.values()) or ALL

    def __getitem__(self, name: str) -> Coefficient:
        known = {one.name: one for one in self.coefficients}
        if name not in known:
            raise InvalidJudgments(f"no coefficient '{name}' was computed.{suggest(name, known)}")
        return known[name]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        counts = ("units", "single", "ratings", "judges", "most_judges")
        return {
            "by": dict(self.by),
            **{name: getattr(self, name) for name in counts},
            "coefficients": [one.to_dict() for one in self.coefficients],
            "doubtful": [one.to_dict() for one in self.doubtful],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, eq=False, repr=False)
class AgreementTable(InNotebooks):
    """Do judges agree: coefficients on all judgments and on parts of them.

    Attributes:
        parts: all judgments last; before them one part for each level of `by`.
        kind: "ratings", "comparisons" or "rankings".
        by: columns whose levels are parts.
        scale: the scale, such as "1 to 5", and whether it was declared; None for preferences.
        cluster: what was drawn again for the intervals: "item" or "judge".
        level: nominal level of the intervals (proportion).
        says: what was found, in sentences.
        notes: what must stand beside it.
        signature: one line that reproduces the numbers.

    """

    parts: tuple[AgreementPart, ...]
    kind: str
    by: tuple[str, ...]
    scale: str | None
    cluster: str
    level: float
    says: tuple[str, ...]
    notes: tuple[str, ...]
    signature: str

    @property
    def whole(self) -> AgreementPart:
        """All judgments together."""
        return self.parts[-1]

    def part(self, *levels: str) -> AgreementPart:
        """Return the part of some levels, in the order of `by`.

        Raises:
            InvalidJudgments: there is none.

        """
        for part in self.parts:
            if tuple(part.by.values()) == levels:
                return part
        wanted, known = ", ".join(levels), [part.name for part in self.parts]
        raise InvalidJudgments(f"no part '{wanted}'.{suggest(wanted, known)}")

    def records(self) -> list[dict[str, Any]]:
        """Return one row per part and coefficient, with plain values."""
        return [
            {
                **{name: part.by.get(name, ALL) for name in self.by},
                "coefficient": one.name,
                **{key: getattr(one, key) for key in ("value", "lower", "upper")},
                "units": one.units,
                "ratings": one.ratings,
                "why": one.why,
            }
            for part in self.parts
            for one in part.coefficients
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand agreement --json`."""
        names = ("kind", "scale", "cluster", "level", "signature")
        return {
            **{name: getattr(self, name) for name in names},
            "by": list(self.by),
            "says": list(self.says),
            "parts": [part.to_dict() for part in self.parts],
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        lines = [line for part in self.parts for line in _draw(part)]
        notes = [f"note: {note}" for note in self.notes]
        return "\n".join([*lines, *self.says, *notes, self.signature])


@dataclass(frozen=True, eq=False, repr=False)
class GroupedAgreement(Grouped[AgreementTable]):
    """One table of agreement per task."""


def _draw(part: AgreementPart) -> list[str]:
    """Return a part as lines: a title, then one coefficient a line."""
    lines = [f"{part.name}: {part.units:,} units, {part.ratings:,} judgments"]
    for one in part.coefficients:
        if one.value is None:
            lines.append(f"  {one.name:<22} {one.why}")
            continue
        ends = "" if one.lower is None else f"  {one.lower:6.3f} to {one.upper:6.3f}"
        lines.append(f"  {one.name:<22} {one.value:6.3f}{ends}")
    return [*lines, *(f"  note: {note}" for note in part.notes), ""]
