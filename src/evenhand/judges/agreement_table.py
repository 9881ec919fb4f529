"""What was found of agreement: coefficients with intervals, in parts, and in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evenhand.data.exclusions import write_excluded
from evenhand.data.results import Grouped, InNotebooks
from evenhand.errors import InvalidJudgments, suggest
from evenhand.judges.units import Coefficient, Record

ALL: Final = "all"  # What a part is called that is not limited by anything


@dataclass(frozen=True)
class Doubtful(Record):
    item: str  # its name
    task: str  # its task, "" where there are none
    units: int  # outputs of it, each under each criterion, that two or more judges scored
    # mean |difference| of two judges (points of the scale); for preferences the share of pairs of
    # votes that disagree
    difference: float
    # the same drawn towards the mean of all items as by five more units, by which items
    drawn: float


@dataclass(frozen=True)
class AgreementPart:
    by: Mapping[str, str]  # column → its level here; empty for all judgments
    units: int  # outputs under a criterion (or output pairs) that two or more judges judged
    single: int  # units that one judge alone judged, of which no agreement is known
    ratings: int  # judgments on the units of two or more judges
    judges: int  # judges who gave them
    most_judges: int  # largest number of judges on one unit
    coefficients: tuple[Coefficient, ...]  # in the order in which they are shown
    # items on which judges are farthest apart, the farthest first
    doubtful: tuple[Doubtful, ...] = ()
    notes: tuple[str, ...] = ()  # what must stand beside the coefficients

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
            "excluded": write_excluded(self.excluded),
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
    lines = [f"{part.name}: {part.units:,} units, {part.ratings:,} judgments"]
    for one in part.coefficients:
        if one.value is None:
            lines.append(f"  {one.name:<22} {one.why}")
            continue
        ends = "" if one.lower is None else f"  {one.lower:6.3f} to {one.upper:6.3f}"
        lines.append(f"  {one.name:<22} {one.value:6.3f}{ends}")
    return [*lines, *(f"  note: {note}" for note in part.notes), ""]


# Largest κ of each word but the first, which stands for κ below zero
WORDS: Final = (
    (0.0, "poor"),
    (0.2, "slight"),
    (0.4, "fair"),
    (0.6, "moderate"),
    (0.8, "substantial"),
    (1.0, "almost perfect"),
)

# Observed agreement from which a low κ is a paradox rather than disagreement
HIGH_AGREEMENT: Final = 0.7
LOW_KAPPA: Final = 0.4  # κ up to which it is called low: at most "fair"


def name_kappa(kappa: float) -> str:
    """Return Landis and Koch's word for a κ."""
    # The borders are convention, not inference (Landis & Koch 1977, Biometrics 33:159-174, p. 165).
    if round(kappa, 3) < 0:  # as it is printed: of two zeros none is called poor
        return WORDS[0][1]
    return next(word for most, word in WORDS[1:] if kappa <= most or most == 1.0)


def warn_prevalence(observed: float, kappa: float | None, prevails: float) -> str | None:
    """Return a warning where κ is low though judges agree; None where nothing is odd."""
    # Where one answer is given nearly always, chance agreement is high and κ has hardly any room:
    # the first paradox of Feinstein & Cicchetti (1990), Journal of Clinical Epidemiology
    # 43:543-549.
    if kappa is None or observed < HIGH_AGREEMENT or kappa > LOW_KAPPA:
        return None
    agree, same = 100 * observed, 100 * prevails
    return (
        f"κ is low though judges agree in {agree:.0f} % of pairs: {same:.0f} % of answers are the"
        " same one, so that chance alone explains most agreement (Feinstein & Cicchetti 1990);"
        " read κ beside the agreement itself"
    )


MAX_PARTS_SAID = 8  # Most parts of which a sentence each is said; of more only the whole is


def say_parts(
    parts: Sequence[AgreementPart], *, answers: str = "score", again: bool = False
) -> tuple[str, ...]:
    shown = parts if len(parts) <= MAX_PARTS_SAID else parts[-1:]
    return tuple(_say(part, answers, again=again) for part in shown)


def _say(part: AgreementPart, answers: str, *, again: bool) -> str:
    known = {coefficient.name: coefficient for coefficient in part.coefficients}
    start = f"{part.name}: " if part.by else ""
    same_judge = known.get("intra-n-agreement-0")
    if not part.units and same_judge is not None and same_judge.value is not None:
        return f"{start}judges give the same {answers} again in {_percent(same_judge)}"
    if not part.units:
        return f"{start}nothing was judged by two judges"
    says = []
    near = [
        coefficient
        for name, coefficient in known.items()
        if name.startswith("n-agreement-") and "pair" not in name and coefficient.value is not None
    ]
    if near:
        sentence = f"two judges give the same {answers} in {_percent(near[0])}"
        if len(near) >= 3 and answers == "score":
            points = float(near[1].name.removeprefix("n-agreement-"))  # 1e-10 has a sign too
            apart = f"{points:g} point{'s' * (points != 1)}"
            sentence += f" and differ by at most {apart} in {_percent(near[1])}"
        says.append(sentence)
    strict = "kappa-strict" in known
    for name in ("kappa-strict",) if strict else ("fleiss", "alpha-ordinal"):
        coefficient = known.get(name)
        if coefficient is None:
            continue
        ordinal = name == "alpha-ordinal"
        title = coefficient.title if ordinal else coefficient.title.partition(", ")[0]
        if coefficient.value is None:
            says.append(f"{title} does not exist")
            continue
        title += ", second answers too," if strict and again else ""
        lower, upper = _plain(coefficient.lower), _plain(coefficient.upper)
        ends = "" if coefficient.lower is None else f" ({lower} to {upper})"
        word = "" if ordinal else f", {name_kappa(coefficient.value)}"
        says.append(f"{title} {_plain(coefficient.value)}{ends}{word}")
    return start + ("; ".join(says) or f"{part.units:,} units were judged by two judges or more")


def _plain(value: float | None) -> str:
    """Write a coefficient with three digits; a zero has no sign."""
    return "" if value is None else f"{round(value, 3) + 0.0:.3f}"


def _percent(one: Coefficient) -> str:
    assert one.value is not None
    return f"{100 * one.value:.1f} %"
