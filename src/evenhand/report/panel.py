"""The judges of preferences: what is known of each, and the ranking without those who are flagged.

Numbers come from the rooms below; here they are put side by side, a row for each judge.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from evenhand.errors import NotConverged, NotIdentified
from evenhand.judges.cards import CLASSES, Card, Screening, find_reason
from evenhand.judges.preferences import VoterSummary, leave_controls, summarise_voters
from evenhand.judgments.votes import TIE
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking.rank import rank
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.settings import Settings
from evenhand.ranking.without_judges import rank_without
from evenhand.report import judge_fault
from evenhand.report.figures.judge_map import FEW_JUDGES, FEW_JUDGMENTS, OPEN
from evenhand.report.judge_fault import NAMELESS
from evenhand.report.study import Study

DIGITS: Final = 4  # Digits behind the point of what a row holds: more are not known
# Why nobody is called careless or reversed → what judges are drawn as
UNDECIDED: Final = {"judges": FEW_JUDGES, "right": OPEN, "apart": FEW_JUDGMENTS}


def find_fault(study: Study) -> tuple[str, str]:
    """Return why judges cannot be looked at and what to do; two empty texts where they can."""
    votes = study.votes
    fault = judge_fault.find_fault(votes.judges)
    if not fault[0] and (votes.outcome == TIE).all():
        return "no judge preferred anything", "Ask for preferences, or let more judges judge."
    return fault


@dataclass(frozen=True, eq=False)
class Panel:
    """The judges of one task."""

    study: Study  # whose judges

    @cached_property
    def screening(self) -> Screening:
        """Who is flagged, with a card for each judge."""
        return self.study.screening

    @cached_property
    def voters(self) -> dict[str, VoterSummary]:
        """How each judge agrees with the others; none where no items are named."""
        votes = self.study.votes
        if votes.items == NAMELESS:
            return {}
        return {one.judge: one for one in summarise_voters(votes)}

    @property
    def effective(self) -> float:
        """How many judges there would be if all had judged equally much, for the same weight."""
        loads = [card.n for card in self.screening.cards]
        return sum(loads) ** 2 / sum(load**2 for load in loads)

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """A row for each judge: flagged ones first, then those who judged most."""
        others = [card for card in self.screening.cards if not card.flags]
        others.sort(key=lambda card: (-card.n, card.judge))
        cards = [*self.screening.flagged, *others]
        total = sum(card.n for card in cards)
        return [self._describe(card, total) for card in cards]

    def _describe(self, card: Card, total: int) -> dict[str, Any]:
        voter, (made, tied) = self.voters.get(card.judge), self._counts[card.judge]
        slope = _find_slope(card) if made > tied else (None, None, None)
        return {
            "judge": card.judge,
            "n": card.n,
            "share": round(card.n / total, DIGITS),
            "ties": _divide(tied, made),
            "agreement": _divide(voter.agree, voter.comparable) if voter else None,
            "compared": voter.comparable if voter else None,
            "slope": slope[0],
            "lower": slope[1],
            "upper": slope[2],
            "p_honest": round(card.p_honest, DIGITS),
            "flags": ", ".join(card.flags),
            "kind": name_kind(card, self.screening.abstains),
        }

    @cached_property
    def _counts(self) -> dict[str, tuple[int, int]]:
        """Votes of each judge and the ties among them; controls are no votes on systems."""
        votes = leave_controls(self.study.votes)
        size = len(votes.judges)
        made = np.bincount(votes.judge, minlength=size).tolist()
        tied = np.bincount(votes.judge[votes.outcome == TIE], minlength=size).tolist()
        return dict(zip(votes.judges, zip(made, tied, strict=True), strict=True))

    def rank_others(self, judges: Collection[str]) -> Ranking | str:
        """Return the ranking without some judges, or why there is none."""
        asked = self.study.settings
        model = asked.model or BradleyTerry()
        settings = Settings(model, "rank-sets", None, asked.level, asked.seed, None)
        try:
            if not model.controls:
                return rank_without(self.study.votes, judges, settings)
            table = self.study.pairs.without(judges=tuple(judges), recorded=False)
            found = rank(table, model=model, level=asked.level, seed=asked.seed)
        except (NotIdentified, NotConverged) as refusal:
            return str(refusal.without_options())
        return found if isinstance(found, Ranking) else next(iter(found.groups.values()))


def _find_slope(card: Card) -> tuple[float, ...]:
    """Return the slope on what others say, and the ends of its interval."""
    told = next(one for one in card.evidence if one.name == "slope")
    held = (told.value, told.lower, told.upper)
    return tuple(round(one, DIGITS) for one in held if one is not None)


def _divide(part: int, whole: int) -> float | None:
    return round(part / whole, DIGITS) if whole else None


def name_kind(card: Card, abstains: str | None = None) -> str:
    """Say what a judge is drawn as: a class, a habit, or neither."""
    for flag in CLASSES[1:]:
        if flag in card.flags:
            return flag
    if card.flags:
        return "odd habit"
    if abstains is not None:
        return UNDECIDED[find_reason(abstains)]
    return "not flagged" if card.testable else FEW_JUDGMENTS
