"""Preferences as units: an output pair is what is judged, and the answer is one of three.

The answer is who was preferred, whichever output stood left: the system that is first by name
(+1), neither (0), the other (−1). Which of two systems is named first must not matter, so every
unit counts in both orders (`mirror`): chance is that of ties and of preferring either one.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from evenhand.agreement.preferences import leave_controls
from evenhand.agreement.units import Units, find_units
from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.scale import Scale
from evenhand.judgments.votes import TIE, Votes

ANSWERS: Final = Scale(-1.0, 1.0, (-1.0, 0.0, 1.0), declared=True)
FORCED: Final = Scale(-1.0, 1.0, (-1.0, 1.0), declared=True)
"""Answers where nobody said that neither is better: chance then has two to choose from."""
SHOWN: Final = ("n-agreement-0", "fleiss", "alpha-nominal", "ac1")
"""Coefficients of preferences that are shown unasked; answers have no distance."""


def find_preference_units(votes: Votes) -> Units:
    """Order votes by output pair and judge, one each.

    Args:
        votes: comparisons, as they were read.

    Raises:
        InvalidJudgments: no item or no judge is named.

    """
    return find_units(preference_rows(votes), choose_answers(votes))


def choose_answers(votes: Votes) -> Scale:
    """Return the answers that can be given: ties are among them if one occurs."""
    return ANSWERS if (leave_controls(votes).outcome == TIE).any() else FORCED


def preference_rows(votes: Votes) -> RatingRows:
    """Return votes as ratings of pairs of systems ("A | B"), from −1 to 1."""
    k = len(votes.systems)
    low = np.minimum(votes.left, votes.right).astype(np.int64)
    pair, code = np.unique(low * k + np.maximum(votes.left, votes.right), return_inverse=True)
    names = tuple(f"{votes.systems[one // k]} | {votes.systems[one % k]}" for one in pair.tolist())
    return RatingRows(
        tasks=votes.tasks,
        judges=votes.judges,
        items=votes.items,
        systems=names,
        criteria=votes.criteria,
        task=votes.task,
        judge=votes.judge,
        item=votes.item,
        system=code.reshape(-1).astype(np.int32),
        criterion=np.zeros(votes.size, np.int32) if votes.criterion is None else votes.criterion,
        score=votes.preferred.astype(np.float64),
        kind=votes.kind,
        moment=votes.moment,
        notes=votes.notes,
    )
