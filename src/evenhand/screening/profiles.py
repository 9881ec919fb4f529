"""Judges beside the others who scored the same outputs, criterion by criterion.

    mean            of all scores of a judge
    gap             mean of (own score − mean of the others' scores of that output)
    mean agreement  mean of mean |own score − another's score of that output|

the last two over the outputs that somebody else scored too; each of the judge's scores counts once,
by however many others the output was scored. Hamon, Mostefa & Arranz (2007), section 3.3, have two
judges an output, where there is no other way to read it. Their mean agreement is a distance: 0
where a judge always gives what the others give.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.rating_rows import RatingRows
from evenhand.numerics.others import see_others

Array = NDArray[np.float64]


@dataclass(frozen=True)
class JudgeProfile:
    """One judge under one criterion.

    Attributes:
        judge: the name.
        criterion: the criterion; "" where the data have none.
        n: scores that the judge gave.
        shared: those on outputs that another judge scored too.
        mean: mean of all n scores.
        others_mean: mean over the shared of the others' mean; None without shared outputs.
        gap: mean over the shared of own score minus the others' mean, or None.
        mean_agreement: mean over the shared of the mean distance |own − other|, or None.

    """

    judge: str
    criterion: str
    n: int
    shared: int
    mean: float
    others_mean: float | None
    gap: float | None
    mean_agreement: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return dict(vars(self))


def profile_judges(rows: RatingRows) -> dict[str, tuple[JudgeProfile, ...]]:
    """Set every judge beside the others.

    Args:
        rows: scores; where no item is known, none is taken for one of the same output.

    Returns:
        The judges of each criterion, sorted by name.

    """
    judges = len(rows.judges)
    cell = rows.criterion.astype(np.int64) * judges + rows.judge
    size = judges * len(rows.criteria)
    others = see_others(_comparable(rows), rows.judge.astype(np.int64), rows.score)
    shared = others.count > 0
    here = cell[shared]
    n, n_shared = np.bincount(cell, minlength=size), np.bincount(here, minlength=size)
    sums = [
        np.bincount(cell, rows.score, minlength=size),
        np.bincount(here, others.mean[shared], minlength=size),
        np.bincount(here, (rows.score - others.mean)[shared], minlength=size),
        np.bincount(here, others.distance[shared], minlength=size),
    ]
    found: dict[str, list[JudgeProfile]] = {}
    for at in np.flatnonzero(n).tolist():
        many, common = int(n[at]), int(n_shared[at])
        own, *theirs = (float(total[at]) for total in sums)
        beside = [one / common if common else None for one in theirs]
        criterion, judge = rows.criteria[at // judges], rows.judges[at % judges]
        profile = JudgeProfile(judge, criterion, many, common, own / many, *beside)
        found.setdefault(criterion, []).append(profile)
    return {criterion: tuple(profiles) for criterion, profiles in found.items()}


def _comparable(rows: RatingRows) -> NDArray[np.int64]:
    """Return the number of what each score is of; without items each is of something else."""
    return rows.unit if knows_items(rows) else np.arange(rows.size)


def knows_items(rows: RatingRows) -> bool:
    """Say whether the data tell which scores are of the same output."""
    return rows.items != ("",)
