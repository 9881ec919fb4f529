"""Flags for judges who gave scores, each with the evidence for it.

Careless and reversed judges come from the mixture of slopes, controls, repeats and times
(`rating_evidence`, `mixture`): the largest set whose mean P(honest) is at most four fifths of the
level, of judges with ten outputs or more. Habits (`habits`) are tests of all judges, of which those
are flagged that Benjamini & Hochberg's rule (1995) rejects at the other fifth. The share of honest
judges among all flagged is then at most about the level, for the share in a union is at most the
sum of both.

A judge is one person: scores under several criteria, and of several tasks, make one card.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.rating_rows import RatingRows, Scale, digest_ratings
from evenhand.data.results import write_signature
from evenhand.errors import NotIdentified, require_level
from evenhand.judges.cards import (
    CLASS_SHARE,
    CLASSES,
    HABIT_SHARE,
    Effect,
    Evidence,
    Screening,
    add_effects,
    adjust_habits,
    flag_judges,
    make_cards,
    note_camps,
    note_many,
    say_flags,
)
from evenhand.judges.habits import MAX_POINTS_COARSE, MIN_SCORES, Habit, find_habits, use_of_points
from evenhand.judges.mixture import MIN_JUDGES, Mixture, fit_mixture
from evenhand.judges.rating_evidence import (
    UNKNOWN_ERROR,
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
from evenhand.judges.texts import say
from evenhand.numerics.distributions import normal_quantile
from evenhand.render.findings import Finding
from evenhand.render.values import write_p

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

LEVEL: Final = 0.05
# Share of scores at one end of the scale from which nobody is flagged as careless
ONE_END: Final = 0.9
QUANTILE: Final = normal_quantile(0.975)
MAX_OUTPUTS_ADVISED: Final = 100_000  # Outputs beyond which no number is named


@dataclass(frozen=True, eq=False)
class RatingEvidence:
    slopes: RatingSlopes  # how strongly each follows the others
    mixture: Mixture  # what that and the clues say of being honest
    clues: tuple[Clue, ...]  # controls, repeats, seconds
    habits: tuple[Habit, ...]  # coarse, extreme, drifting
    # for each habit its judges' adjusted p-values; None where it is not tested
    habit_p: tuple[Array | None, ...]
    severity: Severity  # how much higher each scores
    flags: tuple[tuple[str, ...], ...]  # for each judge its classes and habits that are flagged
    abstains: Finding | None  # why no class is, or None
    expected: Expectation  # the scores that slopes rest on
    one_end: Array  # (J,) share of scores at one end of the scale

    @property
    def classed(self) -> Mask:
        """(J,) who is flagged as careless or reversed."""
        return np.array([bool(set(flags) & set(CLASSES)) for flags in self.flags])

    def find_testable(self, level: float) -> Mask:
        """Return (J,) who would be seen if careless; a flagged judge was."""
        enough = self.mixture.testable(self.slopes.information, CLASS_SHARE * level)
        enough &= (self.slopes.outputs >= MIN_SCORES) & (self.one_end < ONE_END)
        return np.asarray(enough & (self.abstains is None) | self.classed)


def screen_ratings(
    rows: RatingRows,
    *,
    level: float = LEVEL,
    scale: Scale | None = None,
    effect: Effect | None = None,
) -> Screening:
    _refuse(rows, level, scale)
    present, judge = np.unique(rows.judge, return_inverse=True)
    if len(present) < len(rows.judges):  # judges without a row, as in one part of split data
        names = tuple(rows.judges[j] for j in present.tolist())
        rows = replace(rows, judges=names, judge=judge.reshape(-1).astype(rows.judge.dtype))
    seen = see_judges(rows, level=level, scale=scale)
    mixture, testable = seen.mixture, seen.find_testable(level)
    cards = make_cards(
        rows.judges,
        np.bincount(rows.judge, minlength=len(rows.judges)),
        mixture,
        flags=seen.flags,
        evidence=_write_lines(seen, HABIT_SHARE * level),
        testable=testable,
    )
    if effect is not None:
        cards = add_effects(cards, effect, len(cards))
    scale_words = [] if scale is None else [f"scale {scale}"]
    return Screening(
        cards=tuple(cards),
        level=level,
        kind="ratings",
        n_judgments=rows.size,
        abstains=seen.abstains,
        detectable=_say_detectable(seen, CLASS_SHARE * level, testable),
        says=(*say_flags(cards, seen.abstains, level), *_say_severities(seen.severity)),
        notes=(*rows.notes, *_note_data(rows, seen), *note_many(cards), *_note_group(seen)),
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


def see_judges(
    rows: RatingRows, *, level: float = LEVEL, scale: Scale | None = None
) -> RatingEvidence:
    expected = expect_scores(rows)
    slopes = rating_slopes(expected)
    clues = find_clues(rows, expected)
    extra = join_clues(clues, len(rows.judges))
    mixture = fit_mixture(slopes.slope, slopes.error, extra=extra)
    habits = find_habits(rows, expected, slopes, scale)
    tested = [habit.tested and len(habit.judges) >= MIN_JUDGES for habit in habits]
    adjusted = adjust_habits(habits, tested)
    one_end = use_of_points(rows.targets(), scale).one_end
    abstains = mixture.abstention()
    classable = (slopes.outputs >= MIN_SCORES) & (one_end < ONE_END) & (abstains is None)
    everybody = np.ones(len(rows.judges), dtype=np.bool_)
    flags = flag_judges(mixture, habits, adjusted, level, classable=classable, enough=everybody)
    return RatingEvidence(
        slopes=slopes,
        mixture=mixture,
        clues=clues,
        habits=habits,
        habit_p=adjusted,
        severity=find_severity(rows.targets()),
        flags=tuple(flags),
        abstains=abstains,
        expected=expected,
        one_end=one_end,
    )


def _write_lines(seen: RatingEvidence, threshold: float) -> Iterable[list[tuple[int, Evidence]]]:
    slopes, mixture, severity = seen.slopes, seen.mixture, seen.severity
    judges = range(len(seen.flags))
    yield [(j, _write_slope(slopes, mixture, j)) for j in judges]
    at_end = np.flatnonzero(seen.one_end >= ONE_END).tolist()
    yield [(j, _write_end(float(seen.one_end[j]))) for j in at_end]
    for clue in seen.clues:
        coded = enumerate(clue.judges.tolist())
        yield [(j, _write_clue(clue, at, mixture.shares)) for at, j in coded]
    yield [(j, _write_severity(severity, j)) for j in judges if severity.outputs[j] >= 2]
    for habit, adjusted in zip(seen.habits, seen.habit_p, strict=True):
        coded = enumerate(habit.judges.tolist())
        yield [(j, _write_habit(habit, at, adjusted, threshold)) for at, j in coded]


def _write_slope(slopes: RatingSlopes, mixture: Mixture, j: int) -> Evidence:
    n, shared = int(slopes.outputs[j]), int(slopes.shared[j])
    name = "others' scores"
    if slopes.error[j] >= UNKNOWN_ERROR:
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


def _write_end(share: float) -> Evidence:
    says = (
        f"{100 * share:.0f} % of scores at one end of the scale: carelessness cannot be told from"
        " severity or leniency, and is not flagged on that"
    )
    return Evidence("one end", says, share)


def _write_severity(severity: Severity, j: int) -> Evidence:
    gap, margin = float(severity.gap[j]), float(severity.margin[j])
    side = "higher" if gap >= 0 else "lower"
    says = (
        f"scores {abs(gap):.2f} {severity.unit} {side} than the others ({gap - margin:+z.2f} to"
        f" {gap + margin:+z.2f}), which is no fault"
    )
    return Evidence("severity", says, gap, gap - margin, gap + margin)


def _write_clue(clue: Clue, at: int, shares: Array) -> Evidence:
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


def _write_habit(habit: Habit, at: int, adjusted: Array | None, threshold: float) -> Evidence:
    value, usual = (float(a[at]) for a in (habit.value, habit.usual))
    chance = "shown, not tested"
    if adjusted is not None:
        p = float(adjusted[at])
        chance = f"adjusted p {write_p(p)}; flagged up to {threshold:.2g}"
    if habit.name == "coarse":
        says = (
            f"uses the equivalent of {value:.1f} different scores; a judge with the same mean and"
            f" spread would use {usual:.1f} ({chance})"
        )
    elif habit.name == "extreme":
        says = (
            f"{100 * value:.0f} % of scores at an end of the scale; a judge with the same mean"
            f" would give {100 * usual:.0f} % ({chance})"
        )
    else:
        says = (
            f"over a session scores move by {value:+z.2f} standard deviations, those of the median"
            f" judge by {usual:+z.2f}; the slope changes by {habit.beside[at]:+z.2f} ({chance})"
        )
    return Evidence(habit.name, says, value)


def _outputs(n: int) -> str:
    return "1 output" if n == 1 else f"{n:,} outputs"


def _say_severities(severity: Severity) -> list[Finding]:
    gaps = severity.gap[severity.outputs >= MIN_JUDGES]
    if len(gaps) < 2:
        return []
    low, high = float(gaps.min()), float(gaps.max())
    return [say("severities", low=low, high=high, unit=severity.unit)]


def _say_detectable(seen: RatingEvidence, level: float, testable: Mask) -> str:
    slopes, abstains = seen.slopes, seen.abstains
    least, known = seen.mixture.least_information(level), slopes.information > 0
    needed = None  # the outputs at which the usual judge is testable
    if least is not None and known.any():
        each = float(np.median(slopes.information[known] / slopes.outputs[known]))
        needed = max(int(np.ceil(min(least / each, 1e9))), MIN_SCORES)
    if needed is None or needed > MAX_OUTPUTS_ADVISED:
        needed, enough = None, "no number within reach"
    else:
        enough = f"about {needed:,} outputs are enough"
    if abstains is not None or not testable.any():
        apart = "" if slopes.shared.any() else " and no shared outputs"
        return (
            f"with {_outputs(int(np.median(slopes.outputs)))} each{apart}, slopes alone cannot flag"
            " a careless judge"
            f"{'' if abstains is not None and needed is not None else '; ' + enough}"
        )
    return (
        f"{testable.sum():,} of {len(testable):,} judges scored enough to detect a careless one,"
        f" more likely than not; {enough}"
    )


def _note_data(rows: RatingRows, seen: RatingEvidence) -> list[Finding]:
    notes, outputs = list[Finding](), seen.slopes.outputs
    if len(rows.tasks) > 1:
        notes.append(say("tasks-in-cards", n=len(rows.tasks)))
    if rows.items == ("",):
        notes.append(say("no-items-in-ratings"))
    unused = [clue.name for clue in seen.clues if len(clue.judges) < MIN_JUDGES]
    if unused:
        notes.append(say("evidence-unused", names=unused, needed=MIN_JUDGES))
    few = int((outputs < MIN_SCORES).sum())
    if few:
        notes.append(say("few-outputs", n=few, needed=MIN_SCORES))
    if not any(len(habit.judges) >= MIN_JUDGES for habit in seen.habits):
        notes.append(say("habits-untested", needed=MIN_JUDGES))
    at_end = np.flatnonzero((seen.one_end >= ONE_END) & (outputs >= MIN_SCORES)).tolist()
    if at_end:
        notes.append(say("one-end", names=[rows.judges[j] for j in at_end]))
    if any(not habit.tested for habit in seen.habits):
        notes.append(say("many-points", most=MAX_POINTS_COARSE))
    if rows.size != outputs.sum():
        notes.append(say("scores-and-outputs", scores=rows.size, outputs=int(outputs.sum())))
    return notes


def _note_group(seen: RatingEvidence) -> tuple[Finding, ...]:
    scores = seen.expected
    rows = seen.classed[scores.judge]
    return note_camps(scores.output[rows], scores.judge[rows], scores.scores[rows])
