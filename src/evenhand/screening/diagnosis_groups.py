"""One diagnosis per task, or per level of another column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evenhand.errors import NotConverged, NotIdentified
from evenhand.judgments.grouped import Grouped
from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.ratings import Ratings
from evenhand.screening.diagnosis import diagnose_judges
from evenhand.screening.diagnosis_result import Diagnosis


@dataclass(frozen=True, eq=False, repr=False)
class GroupedDiagnoses(Grouped[Diagnosis]):
    """One diagnosis per task, or per level of another column."""


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
