"""The diagnosis of judges: what the tables and figures of Hamon et al. (2007) hold, of any data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from evenhand.errors import InvalidJudgments
from evenhand.judgments.notebook import InNotebooks
from evenhand.screening.easy_items import EasyCount
from evenhand.screening.outliers import Outliers
from evenhand.screening.profiles import JudgeProfile
from evenhand.screening.removal import CommonJudges
from evenhand.screening.system_scores import Correlation, Rescoring, SystemScore

BOTH: Final = "all criteria"
"""Row of table 3 for judges outside under every criterion; "Fluency + Adequacy" in the paper."""


@dataclass(frozen=True)
class AgreementRow:
    """A row of tables 1 and 2: agreement under one criterion, on one input type or on all.

    Attributes:
        criterion: the criterion; "" where the data have none.
        input: the input type; "" for all together ("Cumul." in the paper).
        outputs: outputs that two or more judges scored.
        steps: the n of n-agreement: 0, 1, ... on a short scale, a few of them on a long one.
        n_agreement: share of pairs of judges at most n points apart (proportion); empty where no
            output has two judges.
        observed: Fleiss' observed agreement P_o, or None.
        expected: his chance agreement P_e, or None.
        kappa: his κ, or None.
        why: why a number is missing.

    """

    criterion: str
    input: str
    outputs: int
    steps: tuple[float, ...]
    n_agreement: tuple[float, ...]
    observed: float | None
    expected: float | None
    kappa: float | None
    why: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {**vars(self), "steps": list(self.steps), "n_agreement": list(self.n_agreement)}


@dataclass(frozen=True)
class Revision:
    """What changes where judges who scored an output again are taken at their last word.

    Attributes:
        criterion: the criterion.
        again: scores that replace an earlier one of the same judge on the same output.
        judges: judges who gave them, sorted.
        first: system → mean of first scores.
        last: system → mean of last scores.
        correlation: of the two.

    """

    criterion: str
    again: int
    judges: tuple[str, ...]
    first: Mapping[str, float]
    last: Mapping[str, float]
    correlation: Correlation

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            **vars(self),
            "judges": list(self.judges),
            "first": dict(self.first),
            "last": dict(self.last),
            "correlation": self.correlation.to_dict(),
        }


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(InNotebooks):
    """Are the judges any good, by the methods of Hamon, Mostefa & Arranz (2007).

    Attributes:
        criteria: names, sorted; ("",) where the data have none.
        methods: methods that were asked, in order.
        n_judgments: scores that are looked at.
        n_judges: judges who gave them.
        scales: criterion → its scale in words.
        agreement: tables 1 and 2, by criterion, all inputs last.
        profiles: criterion → its judges, sorted by name (figures 2 to 5).
        easy: criterion → how often each judge missed an output whose worth is known.
        outliers: who is outside, by method and criterion.
        common: judges common to two methods, by criterion.
        removals: systems scored again, by method and criterion (table 4, figures 1 and 7); none
            where nobody is outside.
        chosen: systems scored again without the judges of the chosen rule, for every criterion,
            also where that removes nobody.
        choice: that rule in words.
        revisions: by criterion, what changes at last words; empty where nobody scored twice.
        references: systems that are human references, the ceiling.
        merged: the same diagnosis on the merged scale, if one was asked for.
        reading: of the mean score, "mean" or "gap" (to the others on the same outputs).
        says: what was found, in sentences.
        notes: what must stand beside it.
        signature: one line that reproduces the numbers.

    """

    criteria: tuple[str, ...]
    methods: tuple[str, ...]
    n_judgments: int
    n_judges: int
    scales: Mapping[str, str]
    agreement: tuple[AgreementRow, ...]
    profiles: Mapping[str, tuple[JudgeProfile, ...]]
    easy: Mapping[str, tuple[EasyCount, ...]]
    outliers: tuple[Outliers, ...]
    common: tuple[CommonJudges, ...]
    removals: tuple[Rescoring, ...]
    chosen: tuple[Rescoring, ...]
    choice: str
    revisions: tuple[Revision, ...]
    references: tuple[str, ...]
    says: tuple[str, ...]
    notes: tuple[str, ...]
    signature: str
    merged: Diagnosis | None = None
    reading: str = "mean"

    def outliers_of(self, method: str, criterion: str) -> Outliers:
        """Return who is outside by a method under a criterion.

        Raises:
            InvalidJudgments: no such method or criterion was looked at.

        """
        for one in self.outliers:
            if (one.method, one.criterion) == (method, criterion):
                return one
        raise InvalidJudgments(f"nothing is known by {method} under '{criterion}'")

    def removal_of(self, method: str, criterion: str) -> Rescoring | None:
        """Return the systems scored again without them; None where nobody is outside."""
        for one in self.removals:
            if (one.method, one.criterion) == (method, criterion):
                return one
        return None

    def scores_of(self, criterion: str) -> tuple[SystemScore, ...]:
        """Return the systems with their scores under a criterion, best by all judges first.

        Raises:
            InvalidJudgments: no such criterion was looked at.

        """
        for one in self.chosen:
            if one.criterion == criterion:
                return one.systems
        raise InvalidJudgments(f"no scores of systems under '{criterion}'")

    @property
    def deleted(self) -> dict[str, dict[str, int]]:
        """Table 3: criterion → method → number of judges outside; `BOTH` for every criterion."""
        found: dict[str, dict[str, int]] = {}
        for criterion in self.criteria:
            own = [one for one in self.outliers if one.criterion == criterion and one.why is None]
            found[criterion] = {one.method: len(one.judges) for one in own}
        if len(self.criteria) > 1:
            found[BOTH] = self._deleted_everywhere()
        return found

    def _deleted_everywhere(self) -> dict[str, int]:
        every: dict[str, int] = {}
        for method in self.methods:
            sets = [
                {*one.judges} for one in self.outliers if one.method == method and one.why is None
            ]
            if len(sets) == len(self.criteria):
                every[method] = len(set.intersection(*sets))
        return every

    def records(self) -> list[dict[str, Any]]:
        """Return one row per criterion and judge, with plain values."""
        counts = {
            (criterion, one.judge): one for criterion, own in self.easy.items() for one in own
        }
        outside = {(one.criterion, one.method): {*one.judges} for one in self.outliers}
        rows = []
        for criterion, profiles in self.profiles.items():
            for one in profiles:
                seen = counts.get((criterion, one.judge))
                flags = {
                    method: one.judge in outside.get((criterion, method), ())
                    for method in self.methods
                }
                easy = (0, None) if seen is None else (seen.n, seen.missed)
                rows.append({**one.to_dict(), "easy": easy[0], "missed": easy[1], **flags})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand judges --json`."""
        return {
            "signature": self.signature,
            "n_judgments": self.n_judgments,
            "n_judges": self.n_judges,
            "criteria": list(self.criteria),
            "scales": dict(self.scales),
            "agreement": [one.to_dict() for one in self.agreement],
            "judges": self.records(),
            "reading": self.reading,
            "deleted": self.deleted,
            "outliers": [one.to_dict() for one in self.outliers],
            "common": [one.to_dict() for one in self.common],
            "removals": [one.to_dict() for one in self.removals],
            "choice": self.choice,
            "chosen": [one.to_dict() for one in self.chosen],
            "revisions": [one.to_dict() for one in self.revisions],
            "references": list(self.references),
            "merged": None if self.merged is None else self.merged.to_dict(),
            "says": list(self.says),
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return "\n".join([*self.says, *(f"note: {note}" for note in self.notes), self.signature])
