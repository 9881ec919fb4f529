"""Everything that is said of the judges of a campaign: who is to be doubted, and the diagnosis.

Flags are over all tasks, since a judge is one person; tables of agreement, outliers and removal are
task by task, since scores of different tasks are not of one kind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from evenhand.errors import NotConverged, NotIdentified
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.scale import Scale
from evenhand.ranking.without_judges import compare_without
from evenhand.screening.card import Screening
from evenhand.screening.diagnosis_result import Diagnosis
from evenhand.screening.screen import screen_judges

ALL: Final = "all tasks"
"""Name of the part that holds the flags, where tasks are kept apart."""

NO_FLAGS: Final = "no flags: "

Diagnose = Callable[[RatingRows], Diagnosis]


@dataclass(frozen=True, eq=False)
class JudgePanel:
    """What is said of some judges.

    Attributes:
        screening: flags with their evidence; None where they are given elsewhere.
        diagnosis: the tables of Hamon et al. (2007); None for comparisons and rankings.
        lacking: why one of the two is missing, in sentences.

    """

    screening: Screening | None = None
    diagnosis: Diagnosis | None = None
    lacking: tuple[str, ...] = ()

    @property
    def says(self) -> tuple[str, ...]:
        """What was found, in sentences."""
        held = (one.says for one in (self.screening, self.diagnosis) if one is not None)
        return tuple(sentence for says in held for sentence in says)

    @property
    def notes(self) -> tuple[str, ...]:
        """What must stand beside it."""
        held = (one.notes for one in (self.screening, self.diagnosis) if one is not None)
        return tuple(dict.fromkeys([*self.lacking, *(note for notes in held for note in notes)]))

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            "screening": None if self.screening is None else self.screening.to_dict(),
            "diagnosis": None if self.diagnosis is None else self.diagnosis.to_dict(),
            "says": list(self.says),
            "notes": list(self.notes),
        }


def examine_comparisons(data: Comparisons | Rankings, *, level: float) -> JudgePanel:
    """Screen the judges of comparisons or rankings; flagged ones are left out to see what changes.

    Args:
        data: comparisons or rankings.
        level: share of honest judges among the flagged that is allowed.

    Raises:
        NotIdentified: nobody knows who the judges are.
        UnknownOption: a level that is no share.

    """
    effect = compare_without(data) if "judge" in data.columns else None
    return JudgePanel(screen_judges(data, level=level, effect=effect))


def examine_ratings(
    rows: RatingRows,
    diagnose: Diagnose,
    *,
    by: str | None,
    level: float,
    scale: Scale | None = None,
) -> tuple[dict[str, JudgePanel], dict[str, str]]:
    """Screen the judges of all ratings, and diagnose those of each group.

    Args:
        rows: ratings, with the factors that the diagnosis needs.
        diagnose: how a group is diagnosed.
        by: what tells groups apart, or None.
        level: share of honest judges among the flagged that is allowed.
        scale: the declared scale, or None.

    Returns:
        Panels by group: the flags under `ALL` and the diagnoses under the groups' names, or both
        under "" where there is one group only; and why there is none for other groups.

    Raises:
        NotIdentified: nothing can be said at all.
        UnknownOption: a setting that does not exist or fit.
        InvalidJudgments: a score off the declared scale.

    """
    screening, lacking = _screen(rows, level, scale)
    parts = {"": rows} if by is None else {name: own for (name,), own in rows.split((by,)).items()}
    found: dict[str, Diagnosis] = {}
    refused: dict[str, str] = {}
    for name, part in parts.items():
        try:
            found[name] = diagnose(part)
        except (NotIdentified, NotConverged) as refusal:
            refused[name] = str(refusal)
    if screening is None and not found:
        reasons = [*(one.removeprefix(NO_FLAGS) for one in lacking), *refused.values()]
        raise NotIdentified("; ".join(dict.fromkeys(reasons)))
    if len(parts) == 1:
        (only,) = parts
        lacking += tuple(f"no diagnosis: {why}" for why in refused.values())
        return {"": JudgePanel(screening, found.get(only), lacking)}, {}
    flags = {ALL: JudgePanel(screening, lacking=lacking)}
    return {**flags, **{name: JudgePanel(None, one) for name, one in found.items()}}, refused


def _screen(
    rows: RatingRows, level: float, scale: Scale | None
) -> tuple[Screening | None, tuple[str, ...]]:
    try:
        return screen_judges(rows, level=level, scale=scale), ()
    except (NotIdentified, NotConverged) as refusal:
        return None, (f"{NO_FLAGS}{refusal}",)
