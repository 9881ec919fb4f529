"""Flags with their cards and the diagnosis of judges, as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evenhand.cli.card_text import draw_cards
from evenhand.cli.diagnosis_text import draw_diagnosis, tabulate_diagnosis
from evenhand.cli.grouped import GroupedResult
from evenhand.cli.terminal import label, plural
from evenhand.cli.words import block, sign
from evenhand.judges.cards import CLASSES, Card, Screening
from evenhand.ranking.without_judges import JudgePanel
from evenhand.report.tables.latex import escape, number, tabular

# Columns of a card in CSV
KEYS: Final = ("judge", "n", "flags", "p_honest", "p_careless", "p_reversed", "testable")
# Columns of a profile in CSV
PROFILE: Final = ("criterion", "mean", "others_mean", "gap", "mean_agreement", "outside")

RULES: Final = "by the rules of Hamon et al. (2007), which are no reason to remove anybody:"


@dataclass(frozen=True, eq=False)
class JudgesResult(GroupedResult[JudgePanel]):
    """What `evenhand judges` found."""

    every: bool = False  # whether all cards are shown, and not only those of the flagged
    lacking = "has no diagnosis"

    def draw(self, part: JudgePanel, columns: int) -> list[str]:
        """Return counts, what was found, cards and tables."""
        lines = [label("", _say_counts(part), columns)]
        said = part.says if part.screening is None else part.screening.says
        if said:
            lines += ["", *block("says", said, columns)]
        if part.screening is not None:
            lines += ["", *draw_cards(part.screening, columns, every=self.every)]
        if part.diagnosis is not None:
            lines += draw_diagnosis(part.diagnosis, columns)
            if part.screening is not None:
                lines += ["", *block("paper", [RULES, *part.diagnosis.says], columns)]
        lines += [label("note", note, columns, colour="yellow") for note in part.notes]
        return [*lines, *(sign(one, columns) for one in _signatures(part))]

    def describe(self, part: JudgePanel) -> dict[str, Any]:
        """Return the JSON of one part."""
        return part.to_dict()

    def rows(self, part: JudgePanel) -> list[dict[str, Any]]:
        """Return a row for each judge, under each criterion where there are several."""
        cards = {} if part.screening is None else {one.judge: one for one in part.screening.cards}
        if part.diagnosis is None:
            return [{**_card(one), **dict.fromkeys(PROFILE)} for one in cards.values()]
        return [
            {**_card(cards.get(row["judge"])), "judge": row["judge"], "n": row["n"], **own}
            for row in part.diagnosis.records()
            for own in [_profile(row, part.diagnosis.methods)]
        ]

    def tabulate(self, name: str, part: JudgePanel) -> str:
        """Return the tables for a paper: the flagged judges, and tables 1 to 4."""
        tables = [] if part.screening is None else [_tabulate_flags(name, part.screening)]
        if part.diagnosis is not None:
            tables.append(tabulate_diagnosis(name, part.diagnosis))
        return "\n".join(tables)

    def say(self, part: JudgePanel) -> Sequence[str]:
        """Return what was found, and what must stand beside it."""
        return [*part.says, *part.notes]


def _say_counts(part: JudgePanel) -> str:
    """Say how many judgments by how many judges there are."""
    if part.diagnosis is not None:
        one = part.diagnosis
        return f"{plural(one.n_judgments, 'score')} by {plural(one.n_judges, 'judge')}"
    if part.screening is None:
        return "no judges are screened"
    found = part.screening
    what = {"comparisons": "comparison", "rankings": "ranking"}.get(found.kind, "score")
    return f"{plural(found.n_judgments, what)} by {plural(len(found.cards), 'judge')}"


def _signatures(part: JudgePanel) -> list[str]:
    return [one.signature for one in (part.screening, part.diagnosis) if one is not None]


def _card(card: Card | None) -> dict[str, Any]:
    """Return what CSV holds of a card; empty where there is none."""
    if card is None:
        return dict.fromkeys(KEYS)
    return {
        "judge": card.judge,
        "n": card.n,
        "flags": " ".join(card.flags),
        **{f"p_{one}": card.posterior[one] for one in CLASSES},
        "testable": card.testable,
    }


def _profile(row: Mapping[str, Any], methods: Sequence[str]) -> dict[str, Any]:
    """Return what CSV holds of a judge beside the others."""
    outside = " ".join(method for method in methods if row[method])
    return {**{name: row[name] for name in PROFILE[:-1]}, "outside": outside}


def _tabulate_flags(name: str, found: Screening) -> str:
    """Return the flagged judges, or all where nobody is flagged."""
    chosen = found.flagged or found.cards
    rows = [
        (
            escape(card.judge),
            number(card.n, 0),
            escape(", ".join(card.flags) or "none"),
            number(card.p_honest, 3),
        )
        for card in chosen
    ]
    header = ("judge", "$n$", "flags", "$P$(honest)")
    comments = [*([name] if name else []), found.signature, *found.says, *found.notes]
    return tabular("lrlr", header, [rows], comments)
