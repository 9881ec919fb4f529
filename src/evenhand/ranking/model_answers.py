"""What tests between models answer, allowing for how many are asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.judgments.tally import Tally
from evenhand.ranking.model_rows import LEVEL, ModelTable, Question
from evenhand.ranking.position_bias import share_of_both_orders
from evenhand.significance.adjust import holm


@dataclass(frozen=True)
class ModelAnswer:
    """What one test answers beside others.

    Attributes:
        says: the answer, at the level of .05.
        p: adjusted for all tests by Holm's method (proportion).

    """

    says: str
    p: float


def list_questions(table: ModelTable, tally: Tally) -> tuple[Question, ...]:
    """Return the questions of a table that these judgments can answer.

    Where every pair was shown in one order only, the first output and its system win together.

    Args:
        table: models of the judgments.
        tally: the judgments.

    """
    turned = share_of_both_orders(tally) > 0
    return tuple(one for one in table.questions if turned or "order" not in one.yes)


def answer_questions(asked: Sequence[Question]) -> tuple[ModelAnswer, ...]:
    """Answer questions by p that are adjusted for their number.

    Args:
        asked: questions of one table.

    """
    if not asked:
        return ()
    adjusted = holm(np.array([one.p for one in asked])).tolist()
    return tuple(
        ModelAnswer(one.yes if p < LEVEL else one.no, p)
        for one, p in zip(asked, adjusted, strict=True)
    )
