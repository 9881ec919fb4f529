"""All that was seen of judges who gave scores, and what is said of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import listing
from evenhand.judgments.rating_rows import RatingRows
from evenhand.screening.abstention import say_evidence
from evenhand.screening.camps import note_camps, note_many
from evenhand.screening.card import CLASSES, OF_CLASSES, Card
from evenhand.screening.mixture import FEWEST, Mixture
from evenhand.screening.rating_clues import Clue
from evenhand.screening.rating_expectation import Expectation
from evenhand.screening.rating_habits import ENOUGH, LONG, Habit
from evenhand.screening.rating_severity import Severity
from evenhand.screening.rating_slopes import RatingSlopes

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

ONE_END: Final = 0.9
"""Share of scores at one end of the scale from which nobody is flagged as careless."""


@dataclass(frozen=True, eq=False)
class RatingEvidence:
    """All that was seen of the judges.

    Attributes:
        slopes: how strongly each follows the others.
        mixture: what that and the clues say of being honest.
        clues: controls, repeats, seconds.
        habits: coarse, extreme, drifting.
        habit_p: for each habit its judges' adjusted p-values; None where it is not tested.
        severity: how much higher each scores.
        flags: for each judge its classes and habits that are flagged.
        abstains: why no class is, or None.
        expected: the scores that slopes rest on.
        one_end: (J,) share of scores at one end of the scale.

    """

    slopes: RatingSlopes
    mixture: Mixture
    clues: tuple[Clue, ...]
    habits: tuple[Habit, ...]
    habit_p: tuple[Array | None, ...]
    severity: Severity
    flags: tuple[tuple[str, ...], ...]
    abstains: str | None
    expected: Expectation
    one_end: Array

    @property
    def classed(self) -> Mask:
        """(J,) who is flagged as careless or reversed."""
        return np.array([bool(set(flags) & set(CLASSES)) for flags in self.flags])

    def find_testable(self, level: float) -> Mask:
        """Return (J,) who would be seen if careless; a flagged judge was."""
        enough = self.mixture.testable(self.slopes.information, level * OF_CLASSES)
        enough &= (self.slopes.outputs >= ENOUGH) & (self.one_end < ONE_END)
        return np.asarray(enough & (self.abstains is None) | self.classed)


def say_ratings(cards: Sequence[Card], seen: RatingEvidence, level: float) -> tuple[str, ...]:
    """Say who is flagged, and how far judges lie apart.

    Args:
        cards: of all judges.
        seen: what was seen.
        level: share of honest judges among the flagged that is allowed.

    """
    flagged = [f"{card.judge} ({', '.join(card.flags)})" for card in cards if card.flags]
    says = [f"none of {len(cards):,} judges is flagged"]
    if flagged:
        share = (
            f"of all flags at most about {100 * level:g} % fall on honest judges, if the model"
            " holds: most judges honest, and independent of each other"
        )
        says = [f"{len(flagged):,} of {len(cards):,} judges flagged: {listing(flagged)}; {share}"]
    if seen.abstains is not None:
        says.append(f"nobody is called careless or reversed: {seen.abstains}")
        says += say_evidence(cards, seen.abstains)
    compared = seen.severity.outputs >= FEWEST
    if compared.sum() > 1:
        gaps = seen.severity.gap[compared]
        says.append(
            f"judges lie {gaps.min():+.2f} to {gaps.max():+.2f} {seen.severity.unit} from the"
            " others: severity is reported, and no reason for a flag"
        )
    return tuple(says)


def note_ratings(rows: RatingRows, seen: RatingEvidence, cards: Sequence[Card]) -> tuple[str, ...]:
    """Return what must stand beside the result.

    Args:
        rows: the ratings.
        seen: what was seen.
        cards: of all judges.

    """
    return (*rows.notes, *_note(rows, seen), *note_many(cards), *_note_minds(seen))


def _note(rows: RatingRows, seen: RatingEvidence) -> list[str]:
    """Note what the data lack, and who is left out of what."""
    notes = []
    if len(rows.tasks) > 1:
        notes.append(f"{len(rows.tasks)} tasks: a judge has one card over all")
    if rows.items == ("",):
        notes.append("no column of items: nobody's scores of the same output can be compared")
    unused = [clue.name for clue in seen.clues if len(clue.judges) < FEWEST]
    if unused:
        notes.append(f"{listing(unused)}: fewer than {FEWEST} judges have them, shown but not used")
    few = int((seen.slopes.outputs < ENOUGH).sum())
    if few:
        who = "1 judge" if few == 1 else f"{few:,} judges"
        notes.append(f"{who} scored fewer than {ENOUGH} outputs: never flagged")
    if not any(len(habit.judges) >= FEWEST for habit in seen.habits):
        notes.append(f"fewer than {FEWEST} judges with ten scores: habits are not tested")
    return [*notes, *_note_scale(rows, seen)]


def _note_scale(rows: RatingRows, seen: RatingEvidence) -> list[str]:
    """Note how the scale is used, and what is counted."""
    notes = []
    at_end = (seen.one_end >= ONE_END) & (seen.slopes.outputs >= ENOUGH)
    ends = [rows.judges[j] for j in np.flatnonzero(at_end).tolist()]
    if ends:
        notes.append(
            f"nearly all scores at one end of the scale, not called careless: {listing(ends)}"
        )
    if any(not habit.tested for habit in seen.habits):
        notes.append(
            f"more than {LONG} different scores: coarse use of the scale is shown, never flagged"
        )
    if rows.size != seen.slopes.outputs.sum():
        notes.append(
            f"cards count scores ({rows.size:,}); slopes and power count outputs of a judge"
            f" ({seen.slopes.outputs.sum():,})"
        )
    return notes


def _note_minds(seen: RatingEvidence) -> tuple[str, ...]:
    """Note where flagged judges are of one mind on outputs that several of them scored."""
    held = seen.expected
    shown = np.flatnonzero(seen.classed[held.judge])
    return note_camps(held.output[shown], held.judge[shown], held.own[shown])
