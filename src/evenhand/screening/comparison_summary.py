"""What is said of all judges of comparisons together: who is flagged, and who could have been."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import listing
from evenhand.screening.abstention import say_evidence
from evenhand.screening.card import CLASSES, OF_CLASSES, Card
from evenhand.screening.comparison_words import Findings

Array = NDArray[np.float64]
ENOUGH: Final = 10
"""Judgments, a ranking being one, below which nobody is flagged: errors are those of many."""
REACH: Final = 100_000
"""Judgments per judge beyond which no number is named."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """What was decided.

    Attributes:
        cards: of all judges, the most doubtful first.
        level: the false discovery rate.
        abstains: why nobody is called careless or reversed, or None.
        answers: (J,) judgments of each judge, a ranking being one.
        informed: (J,) who has judgments enough for a careless one to be seen.

    """

    cards: tuple[Card, ...]
    level: float
    abstains: str | None
    answers: Array
    informed: NDArray[np.bool_]


def say_flags(cards: Sequence[Card], abstains: str | None, level: float) -> tuple[str, ...]:
    """Say who is flagged for what, and what that means.

    Args:
        cards: of all judges.
        abstains: why nobody is called careless or reversed, or None.
        level: the false discovery rate.

    """
    by_flag: dict[str, list[str]] = {}
    for card in cards:
        for flag in card.flags:
            by_flag.setdefault(flag, []).append(card.judge)
    says = []
    if abstains is not None:
        says.append(f"nobody is called careless or reversed: {abstains}")
        says += say_evidence(cards, abstains)
    elif not any(flag in CLASSES for flag in by_flag):
        says.append(f"none of {len(cards):,} judges is flagged as careless or reversed")
    for flag, judges in by_flag.items():
        verb = "is" if len(judges) == 1 else "are"
        says.append(f"{listing(judges)} {verb} flagged as {flag}")
    if by_flag:
        says.append(
            f"of all flags at most about {100 * level:g} % fall on honest judges, if the model"
            " holds: most judges honest, and independent of each other"
        )
    return tuple(says)


def say_detectable(found: Findings, verdict: Verdict) -> str:
    """Say how many judgments of this design a careless judge needs to be found.

    Args:
        found: what was found.
        verdict: what was decided.

    """
    mixture, slopes, answers = found.mixture, found.slopes, verdict.answers
    least, median = mixture.least_information(OF_CLASSES * verdict.level), int(np.median(answers))
    held = float(slopes.information.sum() / answers.sum())
    if least is None or least > REACH * held:
        return (
            "from slopes alone a careless judge cannot be told from an honest one here, with no"
            f" number of judgments within reach: honest judges' slopes differ by"
            f" {mixture.spread:.2f} around {mixture.mean:.2f}; controls or repeats would tell"
        )
    needed = max(ceil(least / held), ENOUGH)
    shared = float(slopes.others.judges.mean())
    design = f"{shared:.1f} other judges on each output pair" if shared else "no shared outputs"
    have = f"{verdict.informed.sum():,} of {len(answers):,} judges have as much"
    if median < needed:
        return (
            f"with {median:,} judgments each (the median) and {design} a careless judge cannot be"
            f" told from an honest one by slopes alone: about {needed:,} would be needed; {have}"
        )
    if verdict.abstains is not None:
        return (
            "a careless judge would not be seen here, however many judgments there are: nobody is"
            f" called careless (about {needed:,} judgments would be needed otherwise)"
        )
    return (
        f"a careless judge can be told from an honest one from about {needed:,} judgments on, with"
        f" {design}; {have}"
    )


def note_limits(found: Findings) -> tuple[str, ...]:
    """Return what must stand beside the result."""
    slopes, notes = found.slopes, []
    silent = np.bincount(slopes.judge, minlength=len(slopes.slope)) == 0
    if silent.any():
        who = listing([found.votes.judges[j] for j in np.flatnonzero(silent)])
        notes.append(f"without a decisive vote, so that nothing is known of their slope: {who}")
    if slopes.inflation > 1:
        notes.append(
            f"comparisons of one answer hang together: each counts for 1/{slopes.inflation:.2f}"
        )
    if found.votes.items == ("",):
        notes.append(
            "no column names the items, so that nobody is known to have seen the same outputs:"
            " slopes rest on what others say of the systems"
        )
    if slopes.passed_over:
        notes.append(
            f"{slopes.passed_over:,} systems stand in tasks too large to leave out one judge after"
            " the other: there slopes rest on others' votes for the same outputs alone"
        )
    if not found.votes.positions_known:
        notes.append("which output stood first is not known: nothing is said of positions")
    return tuple(notes)
