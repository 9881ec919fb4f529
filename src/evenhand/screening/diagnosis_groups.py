"""One diagnosis per task, or per level of another column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evenhand.errors import NotConverged, NotIdentified
from evenhand.judgments.grouped import Grouped
from evenhand.judgments.names import take_names
from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.wrong_kind import require_scores
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
        InvalidJudgments: no ratings.
        NotIdentified: nothing can be said of any group.
        UnknownColumn: no such column.

    """
    table = require_scores(data, "a diagnosis sets scores beside each other: it takes ratings, not")
    if isinstance(table, Ratings):
        roles = {"task", "judge", "item", "system", "criterion"}
        table = table.rows(factors=tuple(dict.fromkeys({*take_names(factors), by} - roles)))
    found: dict[str, Diagnosis] = {}
    refused: dict[str, str] = {}
    for (name,), part in table.split((by,)).items():
        try:
            found[name] = work(part)
        except (NotIdentified, NotConverged) as refusal:
            refused[name] = str(refusal)
    if not found:
        raise NotIdentified("; ".join(f"{name}: {why}" for name, why in refused.items()))
    return GroupedDiagnoses(found, by, refused)
