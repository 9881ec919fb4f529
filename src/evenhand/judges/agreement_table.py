"""What was found of agreement: coefficients with intervals, in parts, and in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from evenhand.data.exclusions import Exclusion, write_document, write_excluded
from evenhand.data.results import Grouped, Shown
from evenhand.errors import InvalidJudgments, suggest
from evenhand.judges.llm_agreement import KindAgreement, tabulate_kinds
from evenhand.judges.texts import say
from evenhand.judges.units import Coefficient, Record, describe
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    begin_sentence,
    describe_findings,
    plural,
    share,
    take_findings,
)

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
class AgreementPart(Record):
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


@dataclass(frozen=True, eq=False, repr=False)
class AgreementTable(Shown):
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
        excluded: what was excluded from the judgments.
        llm: pairs of people, of people and each LLM judge, and of LLM judges; () without any.
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
    excluded: tuple[Exclusion, ...] = ()
    llm: tuple[KindAgreement, ...] = ()

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
        numbers = ("value", "lower", "upper", "units", "ratings")
        return [
            {
                **{name: part.by.get(name, ALL) for name in self.by},
                "coefficient": one.name,
                **{key: getattr(one, key) for key in numbers},
                "why": None if one.why is None else str(one.why),
            }
            for part in self.parts
            for one in part.coefficients
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand agreement --json`."""
        return {
            **describe(self, "kind", "scale", "cluster", "level", "signature"),
            "excluded": write_excluded(self.excluded),
            **describe(self, "by", "says", "parts", "llm"),
            "findings": describe_findings(self.notes),
        }

    def document(self) -> Document:
        """Return what people read: how far all judges agree, the coefficients, the parts."""
        sentences = take_findings(self.says)
        by_part = {one.name: one for one in self.parts[:-1]}
        groups: list[list[Coefficient]] = [[] for _ in _GROUPS]
        for one in self.whole.coefficients:
            parts = one.name.split("-")
            own = "intra" if "intra" in parts else parts[0]
            at = next((at for at, names in enumerate(_GROUPS) if own in names), 0)
            groups[at] += [one] if one.value is not None else []
        held = [one for group in groups for one in group]
        columns = [
            Column("title", "coefficient", "name"),
            Column("value", "value", "three"),
            Column(("lower", "upper"), f"{100 * self.level:g} % interval", "interval three"),
        ]
        if any(one.word for one in held):
            columns.append(Column("word", "Landis & Koch", priority=1))
        rows = tuple(
            {**{key: getattr(one, key) for key in _SHOWN}, "word": one.word or ""} for one in held
        )
        ends = np.cumsum([len(group) for group in groups if group])[:-1].tolist()
        of_pairs = ("Cohen's κ and correlations of two judges are means over pairs of judges.",)
        caption, legend = "Agreement on all judgments", of_pairs if groups[1] else ()
        tables = (
            Table("coefficients", caption, tuple(columns), rows, tuple(ends), legend=legend),
            tabulate_kinds(self.llm, self.level),
            _tabulate_parts("parts", self.by, by_part),
        )
        whole, rated = self.whole, self.kind == "ratings"
        scale = f" Scale {self.scale}." if self.scale else ""
        basis = f"{say('nothing-shared')}{scale}"
        if whole.units:
            answers, outputs = ("score", "output") if rated else ("comparison", "output pair")
            counts = f"{plural(whole.ratings, answers)} of {plural(whole.units, outputs)}"
            alike = whole.ratings == whole.units * whole.most_judges
            most = f"by {'' if alike else 'at most '}{plural(whole.most_judges, 'judge')} each"
            judges = f"{plural(whole.judges, 'judge')} in all"
            intervals = f"Intervals account for {self.cluster}s."
            basis = f"{counts} {most}, {judges}.{scale} {intervals}"
        of_whole = tuple(one for one in sentences if not one.values["part"])
        if any(one.code == "scales-differ" for one in take_findings(self.notes)):
            # a value over several scales says little
            of_whole = tuple(one for one in sentences if one.values["part"])
            tables = tables[::-1]
        return write_document(
            self,
            *(one for one in tables if one.rows),
            basis=basis,
            answer=of_whole or self.says,
            csv_rows=tuple(self.records()),
            findings=[*_list_notes(self)],
        )


@dataclass(frozen=True, eq=False, repr=False)
class GroupedAgreement(Grouped[AgreementTable]):
    """One table of agreement per task, or per level of another column."""

    def document(self) -> Document:
        """Return the groups side by side: how far the judges of each agree."""
        groups = {name: one.whole for name, one in self.groups.items()}
        return Document(parts=(_tabulate_parts("groups", (self.by,), groups),))


MAX_PARTS_SHOWN: Final = 30  # Most parts in a terminal
MAX_NAMED: Final = 2  # Most coefficients that are named beside a note
MAX_ITEMS_NAMED: Final = 3  # Most items on which judges are farthest apart
# Coefficients in the table of parts, and their titles, those that go last first
_COLUMNS: Final = {
    "n-agreement-0": "same",
    "n-agreement-1": "±1",
    "n-agreement-2": "±2",
    "fleiss": "Fleiss κ",
    "alpha-ordinal": "α ordinal",
    "alpha-interval": "α interval",
    "kappa-strict": "κ strict",
    "kappa-wmt": "κ WMT",
}

# What a row of the table holds of a coefficient
_SHOWN: Final = ("name", "title", "value", "lower", "upper", "units", "ratings")
# Parts of names of coefficients in the order of the table: units, two judges, all judges,
# comparisons, one judge
_GROUPS: Final = ((), ("cohen", "pearson", "spearman"), ("icc", "kendall"), ("kappa",), ("intra",))


def _tabulate_parts(name: str, by: Sequence[str], parts: Mapping[str, AgreementPart]) -> Table:
    rows = tuple(
        {"part": title, "units": one.units, **{c.name: c.value for c in one.coefficients}}
        for title, one in parts.items()
    )
    held = [one for one in _COLUMNS if any(one in row for row in rows)]
    columns = (
        Column("part", ", ".join(by), "name"),
        Column("units", "outputs", "count"),
        *(
            Column(one, _COLUMNS[one], "three", priority=len(held) - at)
            for at, one in enumerate(held)
        ),
    )
    return Table(name, f"By {', '.join(by)}", columns, rows, limit=MAX_PARTS_SHOWN)


def _list_notes(table: AgreementTable) -> Iterator[str]:
    yield from (*table.whole.notes, *table.notes)
    named: dict[Finding, list[str]] = {}
    lacking: dict[str, list[str]] = {}
    for one in table.whole.coefficients:
        for note in one.notes:
            named.setdefault(note, []).append(one.title)
        if one.why is not None:
            lacking.setdefault(one.why, []).append(one.title)
    for why, names in lacking.items():
        yield say("missing", names=_join(names), why=why)
    for note, names in named.items():
        text = say("beside", names=_join(names), note=note)
        yield Finding(note.code, text, note.severity, {**note.values, "coefficients": names})
    listed = [one for one in table.whole.doubtful[:MAX_ITEMS_NAMED] if one.difference > 0]
    if listed:
        several = len({one.task for one in listed}) > 1
        items = []
        for item in listed:
            far, unit = f"{item.difference:.2f} apart on average", "output"
            if table.kind != "ratings":
                far, unit = f"{share(item.difference, 1)} of pairs of answers differ", "output pair"
            name = item.item if several else item.item.removeprefix(f"{item.task} / ")
            name = f"item {name}" if name.isdigit() else name  # no count
            items.append(f"{name} ({far}, {plural(item.units, unit)})")
        yield say("far-items", items=", ".join(items))


def _join(titles: Sequence[str]) -> str:
    rest = f"; and {len(titles) - MAX_NAMED} more" if len(titles) > MAX_NAMED else ""
    return "; ".join(titles[:MAX_NAMED]) + rest


# Largest κ of each word but the first, which stands for κ below zero
WORDS: Final = (
    (0.0, "poor"),
    (0.2, "slight"),
    (0.4, "fair"),
    (0.6, "moderate"),
    (0.8, "substantial"),
    (1.0, "almost perfect"),
)


def name_kappa(kappa: float) -> str:
    # The borders are convention, not inference (Landis & Koch 1977, Biometrics 33:159-174, p. 165).
    if round(kappa, 3) < 0:  # as it is printed: of two zeros none is called poor
        return WORDS[0][1]
    return next(word for most, word in WORDS[1:] if kappa <= most or most == 1.0)


MAX_PARTS_SAID = 8  # Most parts of which a sentence each is said; of more only the whole is


def say_parts(
    parts: Sequence[AgreementPart], *, answers: str = "score", again: bool = False
) -> tuple[Finding, ...]:
    says = []
    for part in parts if len(parts) <= MAX_PARTS_SAID else parts[-1:]:
        known = {one.name: one for one in part.coefficients if one.value is not None}
        clauses = list[str]()
        if not part.units:
            own, alone = known.get("intra-n-agreement-0"), "nothing was judged by two judges"
            again_in = f"judges give the same {answers} again in"
            clauses.append(alone if own is None else f"{again_in} {_percent(own)}")
        # of all pairs of judges, at most 0, 1 ... points apart; a number such as 1e-10 has a sign
        near = {
            name.removeprefix("n-agreement-"): one
            for name, one in known.items()
            if name.startswith("n-agreement-") and "pair" not in name.split("-")
        }
        if part.units and near:
            (_, same), *others = near.items()
            clause = f"two judges give the same {answers} in {_percent(same)}"
            if len(others) >= 2 and answers == "score":
                distance, within = others[0]
                points = f"{float(distance):g} point{'s' * (float(distance) != 1)}"
                clause += f" and differ by at most {points} in {_percent(within)}"
            clauses.append(clause)
        # pairwise κ counts second answers, which the others and the counts above the table do not
        strict = not again and "kappa-strict" in {one.name for one in part.coefficients}
        names = ("kappa-strict",) if strict else ("fleiss", "alpha-ordinal")
        for one in part.coefficients if part.units else ():
            if one.name in names:
                title = TITLES.get(one.name, one.title)
                ends = "" if one.lower is None else f" ({one.lower:z.3f} to {one.upper:z.3f})"
                value = "does not exist" if one.value is None else f"{one.value:z.3f}{ends}"
                clauses.append(
                    f"{title} {value}" + (f", {one.word}" if one.word is not None else "")
                )
        if not clauses:
            clauses.append(f"{part.units:,} units were judged by two judges or more")
        start, text = f"{part.name}: " if part.by else "", "; ".join(clauses)
        text = f"{start}{text}." if part.by else f"{begin_sentence(text)}."
        says.append(Finding("agreement", text, "info", {"part": part.name if part.by else ""}))
    return tuple(says)


# How coefficients are called in sentences
TITLES: Final = {
    "fleiss": "Fleiss' κ",
    "alpha-ordinal": "Krippendorff's α, ordinal,",
    "kappa-strict": "pairwise κ",
}


def _percent(one: Coefficient) -> str:
    assert one.value is not None
    return f"{100 * one.value:.1f} %"
