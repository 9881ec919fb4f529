"""What must stand beside labels, when there can be none, and the line that reproduces them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.consensus.answers import Answers
from evenhand.consensus.label_fit import NONE, SURE, choose_labels
from evenhand.errors import NotIdentified
from evenhand.judgments.signature import write_signature

Array = NDArray[np.float64]
KNOWN: Final = 200
"""Answers of a judge from which labels that are called sure are right, 19 of 20 of them at least,
but for judges who are hardly better than chance."""


def require_others(answers: Answers) -> None:
    """Refuse answers that say nothing of judges.

    Raises:
        NotIdentified: one judge, one label, or no unit that two judges answered.

    """
    if len(answers.judges) < 2:
        raise NotIdentified(
            f"only {answers.judges[0]} answered: there is nobody to compare a judge with",
            ["collect answers of others", "take this judge's answers as they are"],
        )
    if not answers.shared:
        raise NotIdentified(
            "no unit was answered by two judges, so that nothing tells a good judge from a bad one",
            ["collect second answers", "say which column is the item (--column item=NAME)"],
        )
    if len(answers.labels) < 2:
        raise NotIdentified(
            f"every answer is {answers.labels[0]}: nothing tells a good judge from one who does not"
            " look",
            ["take that label for all", "collect answers that can differ"],
        )


def note_answers(answers: Answers) -> list[str]:
    """Note what is to be known of the data."""
    notes = [*answers.notes]
    if answers.repeated:
        notes.append(
            f"{answers.repeated:,} answers repeat one of the same judge to the same unit: each"
            " counts as an answer, so that labels seem surer than they are"
        )
    alone = int((answers.per_unit == 1).sum())
    if alone:
        notes.append(f"{alone:,} {'unit has' if alone == 1 else 'units have'} one answer only")
    if answers.units and answers.per_unit.max() == 2:
        notes.append(
            "no unit has more than two answers: who is right where they differ rests on what else"
            " the judges answered and on the prior, and is weakly known"
        )
    return notes


def note_labels(answers: Answers, posterior: Array) -> list[str]:
    """Note units without a label, and labels that seem surer than they are."""
    return [*note_lacking(posterior), *_note_sure(answers, posterior)]


def note_lacking(posterior: Array) -> list[str]:
    """Note units without a label."""
    none = int((choose_labels(posterior) == NONE).sum())
    if not none:
        return []
    units = "1 unit has" if none == 1 else f"{none:,} units have"
    return [f"{units} no label: two are equally probable, and none is drawn by lot"]


def _note_sure(answers: Answers, posterior: Array) -> list[str]:
    """Say so where judges' reliability is too weakly known for probabilities near 1."""
    loads = np.bincount(answers.judge)
    usual = int(np.median(loads[answers.judge]))
    if usual >= KNOWN or not (posterior.max(axis=1) >= SURE).any():
        return []
    return [
        f"half of all answers are of judges who gave {usual:,} or fewer: below {KNOWN} each, how"
        " good a judge is is weakly known, and probabilities near 1 are too high. In simulated"
        f" crowds of two labels, of those at least {100 * SURE:g} % probable up to 15 % were wrong"
        " at 50 answers a judge, up to 8 % at 100"
    ]


def sign_labels(answers: Answers, settings: Iterable[str]) -> str:
    """Return the line that reproduces labels."""
    parts = [*settings, f"{answers.units} units"]
    return write_signature(parts, answers.size, answers.digest, judges=len(answers.judges))
