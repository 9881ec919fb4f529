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

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, listing, require_level
from evenhand.judges.cards import (
    CLASSES,
    HABITS,
    OF_CLASSES,
    OF_HABITS,
    Card,
    Evidence,
    Screening,
    note_camps,
    note_many,
    say_evidence,
    say_flagged,
)
from evenhand.judges.habits import ENOUGH, LONG, Habit, find_habits, use_of_points
from evenhand.judges.mixture import FEWEST, Mixture, choose_flags, fit_mixture
from evenhand.judges.rating_evidence import (
    NOTHING,
    Clue,
    Expectation,
    RatingSlopes,
    Severity,
    expect_scores,
    find_clues,
    find_severity,
    join_clues,
    rating_slopes,
)
from evenhand.judgments.rating_digest import digest_ratings
from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.scale import Scale
from evenhand.judgments.signature import write_signature
from evenhand.numerics.distributions import normal_quantile
from evenhand.numerics.multiple_tests import benjamini_hochberg

# All that was seen of judges who gave scores, and what is said of them together.

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Share of scores at one end of the scale from which nobody is flagged as careless
ONE_END: Final = 0.9


@dataclass(frozen=True, eq=False)
class RatingEvidence:
    """All that was seen of the judges."""

    slopes: RatingSlopes  # how strongly each follows the others
    mixture: Mixture  # what that and the clues say of being honest
    clues: tuple[Clue, ...]  # controls, repeats, seconds
    habits: tuple[Habit, ...]  # coarse, extreme, drifting
    # for each habit its judges' adjusted p-values; None where it is not tested
    habit_p: tuple[Array | None, ...]
    severity: Severity  # how much higher each scores
    flags: tuple[tuple[str, ...], ...]  # for each judge its classes and habits that are flagged
    abstains: str | None  # why no class is, or None
    expected: Expectation  # the scores that slopes rest on
    one_end: Array  # (J,) share of scores at one end of the scale

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
    """Say who is flagged, and how far judges lie apart."""
    says = [say_flagged(cards, level)]
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
    """Return what must stand beside the result."""
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


# What a judge's card says about ratings, in sentences with the numbers.

QUANTILE: Final = normal_quantile(0.975)
LEAST_P: Final = 0.0001
FEWEST_OUTPUTS: Final = 10  # Outputs below which nobody is flagged
REACH: Final = 100_000  # Outputs beyond which no number is named


def say_slope(slopes: RatingSlopes, mixture: Mixture, j: int) -> Evidence:
    """Say how closely a judge's scores follow what the others lead one to expect."""
    n, shared = int(slopes.outputs[j]), int(slopes.shared[j])
    name = "others' scores"
    if slopes.error[j] >= NOTHING:
        return Evidence(name, f"what the others say predicts nothing of {_outputs(n)}: no slope")
    slope, margin = float(slopes.slope[j]), QUANTILE * float(slopes.error[j])
    says = (
        f"slope {slope:z.2f} ({slope - margin:z.2f} to {slope + margin:z.2f}) on what the others"
        f" lead one to expect, over {_outputs(n)}, {shared:,} of them scored by others too; honest"
        f" judges have {mixture.mean:.2f} ± {mixture.spread:.2f}, careless ones have 0"
    )
    if slopes.constant[j]:
        says = f"always the same score, over {_outputs(n)}: no slope on what the others say"
    return Evidence(name, says, slope, slope - margin, slope + margin, float(mixture.log_odds[j]))


def say_severity(severity: Severity, j: int) -> Evidence | None:
    """Say how severe a judge is; None where there is nobody to compare with."""
    n, gap, margin = (float(a[j]) for a in (severity.outputs, severity.gap, severity.margin))
    if n < 2:
        return None
    side = "higher" if gap >= 0 else "lower"
    says = (
        f"scores {abs(gap):.2f} {severity.unit} {side} than the others ({gap - margin:+z.2f} to"
        f" {gap + margin:+z.2f}), which is no fault"
    )
    return Evidence("severity", says, gap, gap - margin, gap + margin)


def say_clue(clue: Clue, at: int, shares: Array) -> Evidence:
    """Say what controls, repeats or seconds show of one judge.

    shares: (3,) of honest, careless and reversed judges.
    """
    value, n = float(clue.value[at]), int(clue.count[at])
    span = f"{clue.low[at]:.3g} to {clue.high[at]:.3g}"
    among = "nine in ten honest judges with as many"
    if clue.name == "controls":
        says = (
            f"{100 * clue.right[at]:.0f} % of {n:,} controls on the side expected, by {value:z.2f}"
            f" standard deviations on average; {among}: {span}"
        )
    elif clue.name == "repeats":
        says = f"{n:,} second answers, correlation with the first {value:z.2f}; {among}: {span}"
    else:
        says = f"half of {n:,} scores within {value:.3g} s; {among}: {span} s"
    first, *others = clue.logs[at]
    odds = np.log(np.exp(np.array(others) - first) @ (shares[1:] / shares[1:].sum()))
    return Evidence(clue.name, says, value, log_odds=float(odds))


def say_habit(habit: Habit, at: int, adjusted: Array | None, threshold: float) -> Evidence:
    """Say how one judge uses the scale or the time."""
    value, usual = (float(a[at]) for a in (habit.value, habit.usual))
    chance = "shown, not tested"
    if adjusted is not None:
        p = float(adjusted[at])
        chance = f"adjusted p {'<' if p < LEAST_P else ''}{max(p, LEAST_P):.2g}"
        chance += f"; flagged from {threshold:.2g} down"
    if habit.name == "coarse":
        says = (
            f"as good as {value:.1f} different scores; one of the same mean and spread would use"
            f" {usual:.1f} ({chance})"
        )
    elif habit.name == "extreme":
        says = (
            f"{100 * value:.0f} % of scores at an end of the scale; one of the same mean would give"
            f" {100 * usual:.0f} % ({chance})"
        )
    else:
        says = (
            f"over a session scores move by {value:+z.2f} standard deviations, those of the median"
            f" judge by {usual:+z.2f}; the slope changes by {habit.second[at]:+z.2f} ({chance})"
        )
    return Evidence(habit.name, says, value)


def say_end(share: float) -> Evidence:
    """Say that nearly all scores stand at one end of the scale."""
    says = (
        f"{100 * share:.0f} % of scores at one end of the scale: carelessness cannot be told from"
        " severity or leniency, and is not flagged on that"
    )
    return Evidence("one end", says, share)


def say_detectable(
    slopes: RatingSlopes, mixture: Mixture, level: float, *, testable: Mask, abstains: str | None
) -> str:
    """Say how many outputs make a careless judge visible in this design.

    testable: (J,) who scored enough.
    """
    usual, needed = int(np.median(slopes.outputs)), _needed(slopes, mixture, level)
    apart = "" if slopes.shared.any() else " and no shared outputs"
    enough = (
        f"about {needed:,} outputs would do" if needed is not None else "no number within reach"
    )
    if abstains is not None or not testable.any():
        return (
            f"with {_outputs(usual)} each{apart} a careless judge cannot be told from an honest"
            f" one{'' if abstains is not None and needed is not None else '; ' + enough}"
        )
    return (
        f"{testable.sum():,} of {len(testable):,} judges scored enough for a careless one to be"
        f" seen, more likely than not; {enough}"
    )


def _needed(slopes: RatingSlopes, mixture: Mixture, level: float) -> int | None:
    """Return the outputs at which the usual judge is testable; None beyond all reach."""
    least = mixture.least_information(level)
    known = slopes.information > 0
    if least is None or not known.any():
        return None
    each = float(np.median(slopes.information[known] / slopes.outputs[known]))
    needed = max(int(np.ceil(min(least / each, 1e9))), FEWEST_OUTPUTS)
    return needed if needed <= REACH else None


def _outputs(n: int) -> str:
    return "1 output" if n == 1 else f"{n:,} outputs"


Effect = Callable[[str], str]

LEVEL: Final = 0.05


def screen_ratings(
    rows: RatingRows,
    *,
    level: float = LEVEL,
    scale: Scale | None = None,
    effect: Effect | None = None,
) -> Screening:
    """Flag judges who are careless, reverse the scale, use it oddly, or drift."""
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
    """Look at all judges, and choose whom to flag."""
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
