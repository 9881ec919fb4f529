"""What several sections on ratings need of one task, computed once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import narwhals as nw
import numpy as np

from evenhand.errors import NotIdentified
from evenhand.judges.agreement import measure_agreement
from evenhand.judges.agreement_table import AgreementTable
from evenhand.judges.agreement_table import GroupedAgreement as Grouped
from evenhand.judges.diagnosis import diagnose_judges
from evenhand.judges.diagnosis_result import Diagnosis
from evenhand.judges.screening import screen_judges
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.engine import COUNT, fetch_columns
from evenhand.judgments.exclusions import Exclusion, find_excluded, note_groups
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.ratings import Ratings
from evenhand.ranking.score_board import ScoreBoard, rank_scores
from evenhand.report.reversal import find_board_reversal

if TYPE_CHECKING:
    from evenhand.judges.cards import Screening
    from evenhand.report.study import Settings

# Words in the name of a criterion that say that lower scores are better
LOWER: Final = frozenset({"penalty", "penalties", "error", "errors"})
# Names that campaigns give to human references which they enter as systems
HUMAN: Final = re.compile(
    r"(?:wmt\d+\.)?(?i:ref|reference|human|translator)(?:[-_. ]\w{1,5}|[A-Z0-9])?"
)


def reads_lower(criterion: str, least: float) -> bool:
    """Say whether lower scores are better, by the name of a criterion.

    least: lowest score; below 0 stand penalties that are taken off, where higher is better. >>>
        reads_lower("mqm_penalty", 0.0), reads_lower("mqm_penalty", -25.0), reads_lower("da", 0.0)
        (True, False, False)
    """
    return least >= 0 and not LOWER.isdisjoint(re.split(r"[^a-z]+", criterion.lower()))


def reads_human(system: str) -> bool:
    """Say whether a system is a human reference, by its name.

    >>> [reads_human(name) for name in ("wmt23.refA", "ref.B", "translator-stud", "refiner", "nmt")]
    [True, True, True, False, False]
    """
    return HUMAN.fullmatch(system) is not None


def are_level(rows: RatingRows) -> bool:
    """Say whether all scores under each criterion are the same, so that they tell nothing."""
    parts = rows.split(("criterion",)).values()
    return all(part.score.min() == part.score.max() for part in parts)


def exclude_from(data: Comparisons | Rankings | Ratings) -> tuple[Exclusion, ...]:
    """Return what is excluded from a report's ranking of systems; references have no rank."""
    if not isinstance(data, Ratings):
        return find_excluded(data, ("controls",))
    sizes = fetch_columns(data.frame.group_by("system").agg(nw.len().alias(COUNT)))
    scores = {str(one): int(n) for one, n in zip(sizes["system"], sizes[COUNT], strict=True)}
    human = sorted(filter(reads_human, scores))
    if not human or len(human) == len(scores):
        return find_excluded(data, ("controls", "repeats"))
    lost = sum(scores[one] for one in human)
    reason = "human references by name, which stand among the systems without a rank"
    references = Exclusion(
        "references",
        reason,
        lost,
        sum(scores.values()),
        unit="score",
        systems=len(human),
        of_systems=len(scores),
        system_names=tuple(human),
    )
    return (*find_excluded(data, ("controls", "repeats")), references)


@dataclass(frozen=True, eq=False)
class Rated:
    """The ratings of one task, read once."""

    data: Ratings  # as they were read, controls and all
    settings: Settings  # how the report is made

    @cached_property
    def rows(self) -> RatingRows:
        """All ratings, controls and repeats too."""
        return self.data.rows()

    @cached_property
    def targets(self) -> RatingRows:
        """Ratings of outputs as such."""
        found = self.rows.targets()
        if not found.size:
            raise NotIdentified("all scores are of controls or repeats: no output was scored")
        return found

    @cached_property
    def parts(self) -> Mapping[str, RatingRows]:
        """Criterion → its ratings of outputs, in the order of names; "" where there are none."""
        return {name: part for (name,), part in self.targets.split(("criterion",)).items()}

    @cached_property
    def lower(self) -> frozenset[str]:
        """Criteria under which lower scores are better."""
        least = {name: float(part.score.min()) for name, part in self.parts.items()}
        return frozenset(name for name, low in least.items() if reads_lower(name, low))

    @cached_property
    def references(self) -> tuple[str, ...]:
        """Human references among the systems; none where all would be."""
        found = tuple(name for name in self.systems if reads_human(name))
        return found if len(found) < len(self.systems) else ()

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Systems that have a score here."""
        return tuple(self.targets.systems[code] for code in sorted({*self.targets.system.tolist()}))

    @cached_property
    def boards(self) -> Mapping[str, ScoreBoard]:
        """Criterion → systems by mean score."""
        if len(self.systems) == 1:
            raise NotIdentified(
                f"there are scores of one system only, {self.systems[0]}: there is nothing to"
                " compare it with"
            )
        settings = self.settings
        boards = {
            name: rank_scores(
                part,
                level=settings.level,
                seed=settings.seed,
                lower_is_better=name in self.lower,
                references=self.references,
            )
            for name, part in self.parts.items()
            if len({*part.system.tolist()}) > 1
        }
        return note_groups(boards, exclude_from(self.data))

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """The tables and figures of Hamon, Mostefa & Arranz (2007)."""
        return diagnose_judges(self.rows, references=self.references)

    @cached_property
    def screening(self) -> Screening:
        """Flags with a controlled error rate."""
        return screen_judges(self.rows)

    @cached_property
    def reversal(self) -> str:
        """What is reversed on the boards without the flagged judges; "" where nothing is."""
        try:
            flagged = [card.judge for card in self.screening.flagged]
            boards = self.boards if flagged else {}
        except NotIdentified:
            return ""
        codes = [code for code, name in enumerate(self.rows.judges) if name in flagged]
        for name, board in boards.items():
            part = self.parts[name].take(~np.isin(self.parts[name].judge, codes))
            if len({*part.system.tolist()}) < 2:
                return "fewer than two systems have scores"
            lower = name in self.lower
            other = rank_scores(part, lower_is_better=lower, references=self.references)
            if said := find_board_reversal(board, other):
                return f"{said} for {name}" if name else said
        return ""

    @cached_property
    def agreement(self) -> AgreementTable:
        """How far judges agree, criterion by criterion."""
        for role, names in (("judge", self.rows.judges), ("item", self.rows.items)):
            if names == ("",):
                raise NotIdentified(f"the data have no column of {role}s", [])
        settings = self.settings
        found = measure_agreement(self.data, level=settings.level, seed=settings.seed)
        return next(iter(found.groups.values())) if isinstance(found, Grouped) else found

    def head(self, text: str, criterion: str) -> str:
        """Put the criterion behind a heading, where criteria have names."""
        return f"{text}, {criterion}" if criterion else text
