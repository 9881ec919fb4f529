"""Flags for judges who gave scores, each with the evidence for it.

Careless and reversed judges come from the mixture of slopes, controls, repeats and times
(`rating_slopes`, `rating_clues`, `mixture`): the largest set whose mean P(honest) is at most four
fifths of the level, of judges with ten outputs or more. Habits (`rating_habits`) are tests of all
judges, of which those are flagged that Benjamini & Hochberg's rule (1995) rejects at the other
fifth. The share of honest judges among all flagged is then at most about the level, for the share
in a union is at most the sum of both.

A judge is one person: scores under several criteria, and of several tasks, make one card.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, require_level
from evenhand.judgments.rating_digest import digest_ratings
from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.scale import Scale
from evenhand.judgments.signature import write_signature
from evenhand.screening.card import (
    CLASSES,
    HABITS,
    OF_CLASSES,
    OF_HABITS,
    Card,
    Evidence,
    Screening,
)
from evenhand.screening.mixture import FEWEST, choose_flags, fit_mixture
from evenhand.screening.rating_clues import find_clues, join_clues
from evenhand.screening.rating_expectation import expect_scores
from evenhand.screening.rating_habits import ENOUGH, Habit, find_habits
from evenhand.screening.rating_points import use_of_points
from evenhand.screening.rating_severity import find_severity
from evenhand.screening.rating_slopes import rating_slopes
from evenhand.screening.rating_summary import ONE_END, RatingEvidence, note_ratings, say_ratings
from evenhand.screening.rating_words import (
    say_clue,
    say_detectable,
    say_end,
    say_habit,
    say_severity,
    say_slope,
)
from evenhand.significance.adjust import benjamini_hochberg

Array = NDArray[np.float64]
Effect = Callable[[str], str]

LEVEL: Final = 0.05


def screen_ratings(
    rows: RatingRows,
    *,
    level: float = LEVEL,
    scale: Scale | None = None,
    effect: Effect | None = None,
) -> Screening:
    """Flag judges who are careless, reverse the scale, use it oddly, or drift.

    Args:
        rows: the ratings, controls and repeats included.
        level: share of honest judges among the flagged that is allowed.
        scale: the scale that was declared; None for the lowest and highest scores seen.
        effect: tells what leaving out a judge of that name changes; None to say nothing of it.

    Raises:
        NotIdentified: nobody knows who the judges are, or there are only controls.
        UnknownOption: a level that is no share.
        InvalidJudgments: scores off the declared scale.

    """
    _refuse(rows, level, scale)
    rows = _name_present(rows)
    seen = see_judges(rows, level=level, scale=scale)
    cards = _make_cards(rows, seen, level, effect)
    cards.sort(key=lambda card: (not card.flags, card.p_honest, card.judge))
    mixture = seen.mixture
    scale_words = [] if scale is None else [f"scale {scale}"]
    return Screening(
        cards=tuple(cards),
        level=level,
        kind="ratings",
        n_judgments=rows.size,
        abstains=seen.abstains,
        detectable=_say_power(seen, level),
        says=say_ratings(cards, seen, level),
        notes=note_ratings(rows, seen, cards),
        signature=write_signature(
            ["screening ratings", f"level {level:g}", *scale_words],
            rows.size,
            digest_ratings(rows),
            judges=len(rows.judges),
        ),
        parameters={
            "share of honest judges": float(mixture.shares[0]),
            "mean slope of honest judges": mixture.mean,
            "spread of honest judges": mixture.spread,
        },
    )


def see_judges(
    rows: RatingRows, *, level: float = LEVEL, scale: Scale | None = None
) -> RatingEvidence:
    """Look at all judges, and choose whom to flag.

    Args:
        rows: the ratings, with judges and targets.
        level: share of honest judges among the flagged that is allowed.
        scale: the scale that was declared, or None.

    """
    expected = expect_scores(rows)
    slopes = rating_slopes(expected)
    clues = find_clues(rows, expected)
    extra = join_clues(clues, len(rows.judges))
    mixture = fit_mixture(slopes.slope, slopes.error, extra=extra)
    habits = find_habits(rows, expected, slopes, scale)
    adjusted = _adjust(habits)
    one_end = use_of_points(rows.targets(), scale).one_end
    abstains = mixture.abstention()
    flags: list[list[str]] = [[] for _ in rows.judges]
    if abstains is None:
        unseen = (slopes.outputs < ENOUGH) | (one_end >= ONE_END)
        doubtful = np.where(unseen, 1.0, mixture.p_honest)
        for j in np.flatnonzero(choose_flags(doubtful, level * OF_CLASSES)).tolist():
            flags[j].append(CLASSES[1 + int(mixture.posterior[j, 1:].argmax())])
    for name, j in _choose_habits(habits, adjusted, level * OF_HABITS):
        flags[j].append(name)
    severity = find_severity(rows.targets())
    return RatingEvidence(
        slopes=slopes,
        mixture=mixture,
        clues=clues,
        habits=habits,
        habit_p=adjusted,
        severity=severity,
        flags=tuple(map(tuple, flags)),
        abstains=abstains,
        expected=expected,
        one_end=one_end,
    )


def _say_power(seen: RatingEvidence, level: float) -> str:
    testable, abstains = seen.find_testable(level), seen.abstains
    share = level * OF_CLASSES
    return say_detectable(seen.slopes, seen.mixture, share, testable=testable, abstains=abstains)


def _name_present(rows: RatingRows) -> RatingRows:
    """Leave out the names of judges without a row, as in one part of split data."""
    present, judge = np.unique(rows.judge, return_inverse=True)
    if len(present) == len(rows.judges):
        return rows
    names = tuple(rows.judges[j] for j in present.tolist())
    return replace(rows, judges=names, judge=judge.reshape(-1).astype(rows.judge.dtype))


def _refuse(rows: RatingRows, level: float, scale: Scale | None) -> None:
    require_level(level, ".05")
    if rows.judges == ("",):
        raise NotIdentified(
            "nobody knows who the judges are: the data have no column of judges",
            ["name it, as in --column judge=NAME"],
        )
    if not rows.targets().size:
        raise NotIdentified("all scores are of controls: there are no outputs to set judges beside")
    if scale is not None:
        scale.check(rows.score)


def _adjust(habits: tuple[Habit, ...]) -> tuple[Array | None, ...]:
    """Adjust p-values over all judges and tested habits, by Benjamini & Hochberg's rule."""
    tested = [habit.tested and len(habit.judges) >= FEWEST for habit in habits]
    held = [habit.p for habit, use in zip(habits, tested, strict=True) if use]
    if not held:
        return (None,) * len(habits)
    ends = np.cumsum([len(p) for p in held])[:-1]
    parts = iter(np.split(benjamini_hochberg(np.concatenate(held)), ends))
    return tuple(next(parts) if use else None for use in tested)


def _choose_habits(
    habits: tuple[Habit, ...], adjusted: tuple[Array | None, ...], level: float
) -> list[tuple[str, int]]:
    """Return the habits and judges that are flagged, in HABITS' order."""
    found = [
        (habit.name, int(j))
        for habit, p in zip(habits, adjusted, strict=True)
        if p is not None
        for j in habit.judges[p <= level]
    ]
    return sorted(found, key=lambda one: HABITS.index(one[0]))


def _make_cards(
    rows: RatingRows, seen: RatingEvidence, level: float, effect: Effect | None
) -> list[Card]:
    mixture = seen.mixture
    n = np.bincount(rows.judge, minlength=len(rows.judges))
    testable = seen.find_testable(level)
    return [
        Card(
            judge=judge,
            n=int(n[j]),
            posterior=dict(zip(CLASSES, mixture.posterior[j].tolist(), strict=True)),
            flags=seen.flags[j],
            evidence=_say_evidence(seen, j, level * OF_HABITS),
            testable=bool(testable[j]),
            effect=effect(judge) if effect is not None and seen.flags[j] else None,
        )
        for j, judge in enumerate(rows.judges)
    ]


def _say_evidence(seen: RatingEvidence, j: int, threshold: float) -> tuple[Evidence, ...]:
    evidence = [say_slope(seen.slopes, seen.mixture, j)]
    if seen.one_end[j] >= ONE_END:
        evidence.append(say_end(float(seen.one_end[j])))
    for clue in seen.clues:
        at = int(np.searchsorted(clue.judges, j))
        if at < len(clue.judges) and clue.judges[at] == j:
            evidence.append(say_clue(clue, at, seen.mixture.shares))
    severity = say_severity(seen.severity, j)
    if severity is not None:
        evidence.append(severity)
    for habit, adjusted in zip(seen.habits, seen.habit_p, strict=True):
        at = int(np.searchsorted(habit.judges, j))
        if at < len(habit.judges) and habit.judges[at] == j:
            evidence.append(say_habit(habit, at, adjusted, threshold))
    return tuple(evidence)
