"""What a judge's card says about ratings, in sentences with the numbers."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.distributions import normal_quantile
from evenhand.screening.card import Evidence
from evenhand.screening.mixture import Mixture
from evenhand.screening.rating_clues import Clue
from evenhand.screening.rating_habits import Habit
from evenhand.screening.rating_severity import Severity
from evenhand.screening.rating_slopes import NOTHING, RatingSlopes

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

QUANTILE: Final = normal_quantile(0.975)
LEAST_P: Final = 0.0001
FEWEST_OUTPUTS: Final = 10
"""Outputs below which nobody is flagged."""
REACH: Final = 100_000
"""Outputs beyond which no number is named."""


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

    Args:
        clue: the kind of evidence.
        at: the judge's place in it.
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
    """Say how one judge uses the scale or the time.

    Args:
        habit: the kind of evidence.
        at: the judge's place in it.
        adjusted: p-values adjusted over all judges and habits, as its judges; None if not tested.
        threshold: adjusted p-value up to which a habit is flagged.

    """
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
    """Say that nearly all scores stand at one end of the scale.

    Args:
        share: of them.

    """
    says = (
        f"{100 * share:.0f} % of scores at one end of the scale: carelessness cannot be told from"
        " severity or leniency, and is not flagged on that"
    )
    return Evidence("one end", says, share)


def say_detectable(
    slopes: RatingSlopes, mixture: Mixture, level: float, *, testable: Mask, abstains: str | None
) -> str:
    """Say how many outputs make a careless judge visible in this design.

    Args:
        slopes: what was found.
        mixture: of them.
        level: share of honest judges among those flagged as careless or reversed.
        testable: (J,) who scored enough.
        abstains: why nobody is flagged, or None.

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
