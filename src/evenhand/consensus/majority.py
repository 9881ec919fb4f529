"""Majority vote: a unit's label is what most answers say, all judges counting alike.

    share of c among the answers to unit i = n_ic / n_i

Where two labels have the largest share, there is no majority and no label: none is drawn by lot.
A judge's agreement is how often the other answers to the same units are the judge's own. It is
what the models of unequal judges start from and are compared with. Do not use it where some judges
answer carelessly, or all together: it counts them like anybody else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.consensus.answer_reading import Judgments, code_answers
from evenhand.consensus.answers import Answers
from evenhand.consensus.label_fit import LabelFit
from evenhand.consensus.remarks import note_answers, note_lacking, sign_labels
from evenhand.consensus.skill import count_skills, list_skills

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MajorityVote:
    """Majority vote; it has no settings."""

    def fit(self, data: Judgments | Answers) -> LabelFit:
        """Count.

        Raises:
            UnknownColumn: no judge, or comparisons without items.
            InvalidJudgments: what cannot be labels.

        """
        answers = code_answers(data)
        posterior = share_answers(answers)
        agreed, others = count_agreements(answers)
        return LabelFit(
            model=self,
            answers=answers,
            posterior=posterior,
            skills=list_skills(answers, count_skills(agreed, others - agreed)),
            measure="agreement",
            parameters={"shares": posterior.mean(axis=0)},
            loglik=None,
            objective=None,
            steps=0,
            converged=True,
            notes=(*note_answers(answers), *note_lacking(posterior)),
            signature=sign_labels(answers, ["majority vote"]),
        )


def share_answers(answers: Answers) -> Array:
    """Return the (U, C) share of each label among the answers to each unit."""
    return answers.counts / answers.per_unit[:, None]


def count_agreements(answers: Answers) -> tuple[Array, Array]:
    """Count, for each judge, the answers that others agreed with.

    An answer to a unit with m other answers, k of them the same, is k/m of an agreement.

    Returns:
        (J,) agreements, and (J,) answers that had others beside them.

    """
    rest = answers.per_unit[answers.unit] - 1
    same = answers.counts[answers.unit, answers.label] - 1
    met = rest > 0
    share = same[met] / rest[met]
    judge, j = answers.judge[met], len(answers.judges)
    agreed = np.bincount(judge, share, j).astype(np.float64)
    return agreed, np.bincount(judge, minlength=j).astype(np.float64)
