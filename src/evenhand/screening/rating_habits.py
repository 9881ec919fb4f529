"""How a judge uses the scale and the time: coarsely, at its ends only, drifting.

None of these makes a judge careless, and none is a fault by a fixed rule: honest judges differ, by
as much as the campaign shows (`rating_spread`). What is compared:

    coarse    log of the chance that two of the judge's scores are the same, beside that of a
              judge of the same mean and spread who uses the scale like the rest
    extreme   log-odds of scores at an end of the scale, beside a judge of the same mean
    drifting  change of severity (on either side), or loss of the slope on what the others say,
              from the first to the last answer of a session; a pause of an hour ends a session

On scales of more than 20 points honest judges round to ones, fives, tens or more, which is no
normal spread: there coarse is shown, and nobody is flagged for it.

One-sided p-values for the first two; for drifting the smaller of its two p-values, doubled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.scale import Scale
from evenhand.screening.rating_expectation import Expectation
from evenhand.screening.rating_points import PointUse, use_of_points
from evenhand.screening.rating_slopes import FURTHER, RatingSlopes
from evenhand.screening.rating_spread import normal_spread
from evenhand.screening.sessions import place_in_session

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

ENOUGH: Final = 10
"""Scores (outputs, for drifting) below which a judge's habits are not looked at."""
LONG: Final = 20
"""Different scores of a task and criterion beyond which nobody is flagged as coarse."""


@dataclass(frozen=True, eq=False)
class Habit:
    """One habit of all judges.

    Attributes:
        name: "coarse", "extreme" or "drifting".
        judges: (k,) codes of the judges with enough scores.
        value: (k,) what was seen: effective number of points, share at the ends, or change of
            severity over a session in the judge's own standard deviations.
        usual: (k,) what would be usual for the same scores; for drifting the median judge's.
        second: (k,) for drifting the change of the slope; empty otherwise.
        p: (k,) chance of as much in an honest judge.
        tested: whether anybody may be flagged for it.

    """

    name: str
    judges: Integers
    value: Array
    usual: Array
    second: Array
    p: Array
    tested: bool = True


def find_habits(
    rows: RatingRows, seen: Expectation, slopes: RatingSlopes, scale: Scale | None = None
) -> tuple[Habit, ...]:
    """Compare how judges use the scale and the time.

    Args:
        rows: the ratings.
        seen: scores beside what is expected of them.
        slopes: how strongly each judge follows the others.
        scale: the scale that was declared; None for the lowest and highest score of each task and
            criterion.

    """
    use = use_of_points(rows.targets(), scale)
    found = [] if (use.scores < ENOUGH).all() else [_coarse(use), _extreme(use)]
    drifting = _drifting(seen, slopes)
    return (*found, *([] if drifting is None else [drifting]))


def _coarse(use: PointUse) -> Habit:
    """Compare how often two scores of a judge are the same."""
    judges = np.flatnonzero(use.scores >= ENOUGH)
    same, error, usual = (a[judges] for a in (use.same, use.same_error, use.same_usual))
    values, variances = np.log(same / usual), (error / same) ** 2
    p = normal_spread(values, variances).above(values, variances)
    most = use.scores[judges]
    tested = use.points <= LONG
    return Habit("coarse", judges, np.minimum(1 / same, most), 1 / usual, np.empty(0), p, tested)


def _extreme(use: PointUse) -> Habit:
    """Compare shares of scores at the ends of the scale."""
    judges = np.flatnonzero(use.scores >= ENOUGH)
    n, own, usual = (a[judges] for a in (use.scores, use.ends, use.ends_usual))
    ends, expected = n * own + 0.5, n * usual + 0.5
    values = np.log(ends / (n + 1 - ends)) - np.log(expected / (n + 1 - expected))
    variances = 1 / expected + 1 / (n + 1 - expected)  # as in a judge who is like the rest
    p = normal_spread(values, variances).above(values, variances)
    return Habit("extreme", judges, own, usual, np.empty(0), p)


def _drifting(seen: Expectation, slopes: RatingSlopes) -> Habit | None:
    """Compare changes from the first to the last answer of a session."""
    if seen.moment is None:
        return None
    held = np.flatnonzero(np.isfinite(seen.moment))
    judge = seen.judge[held]
    position = place_in_session(judge, seen.moment[held], enough=ENOUGH)
    size = len(seen.lost)
    many = np.bincount(judge[position != 0], minlength=size)
    judges = np.flatnonzero((many >= ENOUGH) & ~slopes.constant)
    if not len(judges):
        return None
    z, x = seen.own[held], seen.others[held]
    left = z - slopes.slope[judge] * x
    # of few scores the rest may be small by chance: drawn to 1, as for slopes
    rest = (np.bincount(judge, left**2, size) + FURTHER) / (
        np.bincount(judge, minlength=size) + FURTHER
    )
    tests = []
    for along in (position, position * x):
        square = np.maximum(np.bincount(judge, along**2, size)[judges], 1e-9)
        change = np.bincount(judge, along * left, size)[judges] / square
        grouped = np.bincount(judge, (along * left) ** 2, size)[judges] / square**2
        tests.append((change, np.maximum(grouped, rest[judges] / square)))
    (severity, error), (slope, slope_error) = tests
    spread = normal_spread(severity, error)
    p = np.minimum(spread.beside(severity, error), _loses(slope, slope_error))
    usual = np.full(len(judges), spread.centre)
    return Habit("drifting", judges, severity, usual, slope, np.minimum(2 * p, 1.0))


def _loses(change: Array, variances: Array) -> Array:
    """Return p-values of the slope falling so much more than the median judge's."""
    return normal_spread(-change, variances).above(-change, variances)
