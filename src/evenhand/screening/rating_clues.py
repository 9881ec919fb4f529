"""What else tells careless from honest judges: controls, second answers, and time.

Each is a number of every judge, and gives log-likelihoods under honest, careless and reversed that
join that of the slope (`mixture`). What is usual, μ and τ, is estimated from the judges themselves
(`rating_spread`), most of whom must be honest.

    controls  d = how far the score of a control lies on the expected side of the judge's own score
              of the undamaged output (else of what the others lead one to expect), on average of k:
              N(μ, τ² + v/k), N(0, v₀/k) or N(−μ, τ² + v/k); v₀ is 2, or 1 without own score
    repeats   r = Σ z z' / Σ (z² + z'²)/2 over k pairs of first and second standardised scores:
              N(μ, τ² + 1/k), N(0, 1/k) or, since who reverses the scale does so twice, as honest
    seconds   s = log of the median time: usual N(μ, τ²); the careless are no quicker than others
              by half, N(μ, τ²), and by half are, N(μ − 2τ, τ²); at most 3 nats

The last is a convention, not an estimate: nobody knows how quick careless judges are. It is bounded
so that no judge is flagged for being quick alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.rating_rows import CONTROL, TARGET, RatingRows
from evenhand.numerics.grouping import number_groups
from evenhand.screening.rating_expectation import Expectation
from evenhand.screening.rating_spread import normal_spread

Array = NDArray[np.float64]
Integers = NDArray[np.integer[Any]]
Mask = NDArray[np.bool_]

FEWEST: Final = 8
"""Judges with a clue below which it is not known what is usual."""
LEAST_SPREAD: Final = 0.15
MOST_FROM_TIME: Final = 3.0
HURRY: Final = 2.0
NINE_IN_TEN: Final = 1.645


@dataclass(frozen=True, eq=False)
class Clue:
    """One further kind of evidence about the judges.

    Attributes:
        name: "controls", "repeats" or "seconds".
        judges: (k,) codes of the judges of whom it is known.
        count: (k,) answers that it rests on.
        value: (k,) d, r, or the median seconds.
        right: (k,) for controls the share on the expected side (same score: half); empty otherwise.
        usual: what is usual of `value`.
        low: (k,) end of the span of nine in ten honest judges with as many answers.
        high: (k,) the other end.
        logs: (k, 3) log-likelihoods under honest, careless, reversed, up to a constant; zeros
            where too few judges have it.

    """

    name: str
    judges: Integers
    count: Integers
    value: Array
    right: Array
    usual: float
    low: Array
    high: Array
    logs: Array


def find_clues(rows: RatingRows, seen: Expectation) -> tuple[Clue, ...]:
    """Find what controls, second answers and time say of each judge.

    Args:
        rows: the ratings with their asides.
        seen: scores beside what is expected of them.

    """
    clues = [_controls(rows, seen), _repeats(rows, seen), _seconds(rows)]
    return tuple(clue for clue in clues if clue is not None)


def join_clues(clues: tuple[Clue, ...], n_judges: int) -> Array:
    """Return (J, 3) log-likelihoods of all clues together; zeros where nothing is known."""
    extra = np.zeros((n_judges, 3))
    for clue in clues:
        extra[clue.judges] += clue.logs
    return extra


def _controls(rows: RatingRows, seen: Expectation) -> Clue | None:
    """Compare controls with the judge's own score of the same output, else the expectation."""
    if rows.kind is None or rows.direction is None:
        return None
    direction = _directions(rows)
    at = np.flatnonzero((rows.kind == CONTROL) & (direction != 0))
    if not len(at):
        return None
    first, has = _own_score(rows, seen, at)
    beside = np.where(has, first, seen.row_others[at])
    apart = direction[at] * (seen.row_own[at] - beside)
    judges, code = np.unique(rows.judge[at], return_inverse=True)
    count, mean = _means(code, apart)
    right = _means(code, (1 + np.sign(np.round(apart, 9))) / 2)[1]
    spare = max(len(at) - len(judges), 1)
    noise = max(float(((apart - mean[code]) ** 2).sum() / spare), 1e-3) / count
    careless = (1 + _means(code, has.astype(np.float64))[1]) / count
    return _judge_clue("controls", judges, (count, mean, right), (noise, careless), reverses=True)


def _repeats(rows: RatingRows, seen: Expectation) -> Clue | None:
    """Compare several scores that a judge gave one output under one criterion, marked or not."""
    if rows.items == ("",):
        return None
    at = np.arange(rows.size) if rows.kind is None else np.flatnonzero(rows.kind != CONTROL)
    cell = number_groups(rows.judge[at], rows.unit[at])
    z, many = seen.row_own[at], np.bincount(cell)
    again = np.flatnonzero(many > 1)
    if not len(again):
        return None
    owner = np.zeros(len(many), np.int64)
    owner[cell] = rows.judge[at]
    # of m scores: m − 1 times the mean product of two
    products = (np.bincount(cell, z) ** 2 - np.bincount(cell, z * z))[again] / many[again]
    judges, code = np.unique(owner[again], return_inverse=True)
    count = np.bincount(code, many[again] - 1.0)
    squares = np.bincount(cell, z * z)[again] * (many[again] - 1) / many[again]
    total = np.bincount(code, squares)
    mean = np.bincount(code, products) / np.where(total > 0, total, 1.0)
    noise = 1 / count
    value = (count.astype(np.int64), mean, np.empty(0))
    return _judge_clue("repeats", judges, value, (noise, noise), reverses=False)


def _seconds(rows: RatingRows) -> Clue | None:
    """Compare median times."""
    if rows.seconds is None:
        return None
    timed = rows.seconds > 0
    if rows.kind is not None:
        timed &= rows.kind == TARGET
    if not timed.any():
        return None
    judge, time = rows.judge[timed], np.log(rows.seconds[timed])
    order = np.lexsort((time, judge))
    judges, start, count = np.unique(judge[order], return_index=True, return_counts=True)
    quarter, middle, upper = (
        time[order][start + np.floor(share * (count - 1)).astype(np.int64)]
        for share in (0.25, 0.5, 0.75)
    )
    noise = 1.57 * ((upper - quarter) / 1.349) ** 2 / count  # variance of a median
    found = normal_spread(middle, noise)
    spread = max(found.spread, LEAST_SPREAD)
    wide = np.sqrt(spread**2 + noise)
    distance = (middle - found.centre) / wide
    logs = np.zeros((len(judges), 3))
    if len(judges) >= FEWEST:
        hurried = np.exp(np.minimum(-HURRY * distance - HURRY**2 / 2, 50))
        logs[:, 1] = np.minimum(np.log((1 + hurried) / 2), MOST_FROM_TIME)
    low, high = (np.exp(found.centre + side * NINE_IN_TEN * wide) for side in (-1, 1))
    centre = float(np.exp(found.centre))
    return Clue("seconds", judges, count, np.exp(middle), np.empty(0), centre, low, high, logs)


def _judge_clue(
    name: str,
    judges: Integers,
    seen: tuple[Integers, Array, Array],
    noises: tuple[Array, Array],
    *,
    reverses: bool,
) -> Clue:
    """Say what a mean of each judge tells, by what is usual among all."""
    (count, mean, right), (noise, careless) = seen, noises
    found = normal_spread(mean, noise)
    spread = max(found.spread, LEAST_SPREAD)
    logs = np.zeros((len(judges), 3))
    if len(judges) >= FEWEST and found.centre > 0:
        wide = spread**2 + noise
        logs[:, 0] = _log_normal(mean, found.centre, wide)
        logs[:, 1] = _log_normal(mean, 0.0, careless)
        logs[:, 2] = _log_normal(mean, -found.centre, wide) if reverses else logs[:, 0]
    low, high = (found.centre + side * NINE_IN_TEN * np.sqrt(spread**2 + noise) for side in (-1, 1))
    if name == "repeats":  # correlations
        low, high = np.maximum(low, -1.0), np.minimum(high, 1.0)
    return Clue(name, judges, count, mean, right, found.centre, low, high, logs)


def _directions(rows: RatingRows) -> NDArray[np.int8]:
    """Return (n,) directions of controls, by the score expected of them where that is all."""
    direction = np.zeros(rows.size, np.int8) if rows.direction is None else rows.direction.copy()
    if rows.expected is None:
        return direction
    open_ = (rows.kind == CONTROL) & (direction == 0) & ~np.isnan(rows.expected)
    if open_.any():
        middle = float(np.median(rows.targets().score))
        direction[open_] = np.sign(rows.expected[open_] - middle).astype(np.int8)
    return direction


def _own_score(rows: RatingRows, seen: Expectation, at: NDArray[np.intp]) -> tuple[Array, Mask]:
    """Return the judge's own mean score of the same output and criterion, and who gave one."""
    place = number_groups(rows.judge, rows.unit)
    target = rows.kind == TARGET
    size = int(place.max()) + 1
    many = np.bincount(place[target], minlength=size)
    total = np.bincount(place[target], seen.row_own[target], size)
    return (total / np.maximum(many, 1))[place[at]], many[place[at]] > 0


def _means(code: Integers, values: Array) -> tuple[Integers, Array]:
    count = np.bincount(code)
    return count, np.asarray(np.bincount(code, values) / count)


def _log_normal(x: Array, mean: float, variance: Array) -> Array:
    return np.asarray(-((x - mean) ** 2) / (2 * variance) - np.log(variance) / 2)
