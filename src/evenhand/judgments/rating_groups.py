"""Ratings that are looked at apart: each task, each criterion, and whatever else is asked."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from evenhand.errors import InvalidJudgments, listing
from evenhand.judgments.rating_rows import RatingRows


def group_ratings(
    rows: RatingRows, by: str | None = None, criterion: str | None = None
) -> Mapping[str, RatingRows]:
    """Take ratings apart by task and criterion, and by a further label.

    Args:
        rows: scores.
        by: a further label, such as a factor that was read.
        criterion: only this one.

    Returns:
        Group → scores; the only one under the name "".

    Raises:
        InvalidJudgments: there is no such criterion.

    """
    if criterion is not None:
        if criterion not in rows.criteria:
            names = listing([one for one in rows.criteria if one])
            raise InvalidJudgments(
                f"no criterion '{criterion}'. There are {names}" if names else "no criteria here"
            )
        rows = rows.take(rows.criterion == rows.criteria.index(criterion))
    labels = dict.fromkeys([*([] if by is None else [by]), "task", "criterion"])
    several = [one for one in labels if len(np.unique(rows.labels(one)[1])) > 1]
    if not several:
        return {"": rows}
    return {" / ".join(names): part for names, part in rows.split(several).items()}
