"""One diagnosis per task, or per level of another column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evenhand.errors import InvalidJudgments, NotConverged, NotIdentified, suggest
from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.ratings import Ratings
from evenhand.screening.diagnosis import diagnose_judges
from evenhand.screening.diagnosis_result import Diagnosis


@dataclass(frozen=True, eq=False)
class GroupedDiagnoses:
    """One diagnosis per task, or per level of another column.

    Attributes:
        groups: name → diagnosis.
        by: the column that tells the groups apart.
        refused: name → why, for groups of which nothing can be said.

    """

    groups: Mapping[str, Diagnosis]
    by: str
    refused: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Diagnosis:
        if name not in self.groups:
            raise InvalidJudgments(f"no {self.by} '{name}'.{suggest(name, self.groups)}")
        return self.groups[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of all diagnoses, with the group first."""
        return [
            {self.by: name, **row} for name, one in self.groups.items() for row in one.records()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of grouped diagnoses."""
        return {
            "groups": {name: one.to_dict() for name, one in self.groups.items()},
            "refused": dict(self.refused),
        }


def diagnose_groups(
    data: Ratings | RatingRows,
    work: Callable[[RatingRows], Diagnosis] = diagnose_judges,
    *,
    by: str = "task",
    factors: Sequence[str] = (),
) -> GroupedDiagnoses:
    """Diagnose the judges of each task, or of each level of another column.

    Args:
        data: ratings.
        work: how each group is diagnosed, such as `lambda rows: diagnose_judges(rows, k=2)`.
        by: a role or a column.
        factors: further columns that `work` needs.

    Raises:
        NotIdentified: nothing can be said of any group.
        UnknownColumn: no such column.

    """
    if isinstance(data, Ratings):
        roles = {"task", "judge", "item", "system", "criterion"}
        data = data.rows(factors=tuple(dict.fromkeys({*factors, by} - roles)))
    found: dict[str, Diagnosis] = {}
    refused: dict[str, str] = {}
    for (name,), part in data.split((by,)).items():
        try:
            found[name] = work(part)
        except (NotIdentified, NotConverged) as refusal:
            refused[name] = str(refusal)
    if not found:
        raise NotIdentified("; ".join(f"{name}: {why}" for name, why in refused.items()))
    return GroupedDiagnoses(found, by, refused)
