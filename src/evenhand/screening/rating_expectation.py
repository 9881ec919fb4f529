"""What the other judges lead one to expect of every score, and the score itself on a common scale.

A score y becomes its place (0 to 1) among all scores of its task and criterion, so that a free
scale or a few huge penalties do no harm. Within a judge, task and criterion it is centred, and
divided by the judge's standard deviation: a lenient judge and one who uses half of the scale are
honest. Expected of it, with nothing that this judge said, is

    x = w₁ (mean of the system) + w₂ (rest of the item) + w₃ (rest of the output)

from the scores of others minus their severity. Severities are those of two-way means. The rest of
the item is what others gave to its other outputs beside their mean, that of the output what they
gave to it beside the mean of its system: a sum over n scores divided by n + σ²/v, v being the
variance that judges share there and σ² that which they do not. w is a least-squares fit over all
judges, none below 0. So an output that nobody else scored still has what is known of its system.

Scores of one output under several criteria are no independent evidence: they are averaged, and an
output counts once for each judge. x is scaled, task by task, so that the mean slope of a judge's
scores on it is 1 (where judges follow each other at all).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.rating_rows import TARGET, RatingRows
from evenhand.numerics.grouping import number_groups
from evenhand.screening.rating_places import Places, make_places

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]

SWEEPS: Final = 12
PRIOR: Final = 4.0
"""Precision with which a task's scale is drawn to that of all tasks: a deviation of .5."""


@dataclass(frozen=True, eq=False)
class Expectation:
    """Every judge's scores beside what the others lead one to expect, all on one scale.

    The first arrays hold a row for every output that a judge scored (targets only), the last two
    one for every row of the table, controls and second answers included.

    Attributes:
        judge: (m,) code of the judge.
        item: (m,) code of the item.
        output: (m,) number of the output.
        own: (m,) the judge's mean score of the output over criteria, standardised within the judge.
        others: (m,) what is expected of it, in the same unit.
        moment: (m,) when it was given, in seconds; None where unknown.
        shared: (m,) whether another judge scored the same output.
        lost: (J,) means that were taken from each judge's scores, one for every task.
        weights: (3,) of system, item and output in the expectation, per standard deviation of each.
        row_own: (n,) the score of every row, standardised likewise.
        row_others: (n,) what is expected of it.

    """

    judge: Integers
    item: Integers
    output: Integers
    own: Array
    others: Array
    moment: Array | None
    shared: Mask
    lost: Integers
    weights: Array
    row_own: Array
    row_others: Array


def expect_scores(rows: RatingRows) -> Expectation:
    """Work out what the others lead one to expect of every score.

    Args:
        rows: ratings, controls and second answers included; only targets tell what is usual.

    """
    target = np.ones(rows.size, np.bool_) if rows.kind is None else rows.kind == TARGET
    places = make_places(rows, target)
    y = _place_scores(rows.score, places.group, target)
    parts, seen = _predict(y, places)
    y, apart = places.centre(y), np.stack([places.centre(part) for part in parts], axis=1)
    cell = number_groups(places.judged_output[target])
    size = np.bincount(cell)
    at = np.empty(len(size), np.int64)
    at[cell] = np.flatnonzero(target)  # any row of the cell: what is asked of it is the same in all
    mean_y = np.bincount(cell, y[target]) / size
    mean_parts = np.stack([np.bincount(cell, part) / size for part in apart[target].T], axis=1)
    judge, task = rows.judge[at].astype(np.int64), rows.task[at].astype(np.int64)
    lost = _count_tasks(judge, task, len(rows.judges))
    deviation = _deviations(mean_y, judge, lost)
    own, row_own = mean_y / deviation[judge], y / deviation[rows.judge]
    weights = _weigh(mean_parts, own)
    scale = _scale_tasks(mean_parts @ weights, own, task, len(rows.tasks))
    return Expectation(
        judge=judge,
        item=rows.item[at].astype(np.int64),
        output=number_groups(rows.task[at], rows.item[at], rows.system[at]),
        own=own,
        others=mean_parts @ weights * scale[task],
        moment=None if rows.moment is None else rows.moment[at],
        shared=seen[at],
        lost=lost,
        weights=weights * mean_parts.std(axis=0),
        row_own=row_own,
        row_others=apart @ weights * scale[rows.task],
    )


def _place_scores(score: Array, group: Integers, target: Mask) -> Array:
    """Return (n,) places of scores among the targets of their task and criterion, 0 to 1."""
    found = np.full(len(score), 0.5)
    order = np.argsort(group, kind="stable")
    for own in np.split(order, np.cumsum(np.bincount(group))[:-1]):
        usual = np.sort(score[own[target[own]]])
        if len(usual):
            low, high = (np.searchsorted(usual, score[own], side) for side in ("left", "right"))
            found[own] = (low + high) / (2 * len(usual))
    return found


def _predict(y: Array, places: Places) -> tuple[tuple[Array, Array, Array], Mask]:
    """Return what others tell of the system, item and output of each row, and who has others."""
    severity, worth = _two_way_means(y, places)
    corrected = y - severity[places.judged_group]
    rest = corrected - worth[places.system]
    total, many = places.of_others(corrected, places.system, places.judged_system)
    anything, of_group = places.of_others(corrected, places.group, places.judged_group)
    usual = anything / np.maximum(of_group, 1)  # where nobody else scored the system
    system = np.where(many > 0, total / np.maximum(many, 1), usual)
    total, many = places.of_others(corrected, places.unit, places.judged_unit)
    wider, more = places.of_others(corrected, places.item, places.judged_item)
    item_ratio, unit_ratio = _noise_ratios(rest, places)
    # beside the mean of all others: means of systems that hold the judge's own scores would tell
    # of them here, the more the fewer items there are
    item = (wider - total - (more - many) * usual) / (more - many + item_ratio)
    output = (total - many * system) / (many + unit_ratio)
    return (system, item, output), many > 0


def _two_way_means(y: Array, places: Places) -> tuple[Array, Array]:
    """Return severities of judges (in each group) and worths of systems, whose sum fits y."""
    own, judged, system = (
        places.pick(y),
        places.pick(places.judged_group),
        places.pick(places.system),
    )
    n_judged, n_system = (np.maximum(np.bincount(codes), 1) for codes in (judged, system))
    worth = np.zeros(len(n_system))
    for _ in range(SWEEPS):
        severity = np.bincount(judged, own - worth[system]) / n_judged
        worth = np.bincount(system, own - severity[judged]) / n_system
    padded = np.zeros(int(places.judged_group.max()) + 1), np.zeros(int(places.system.max()) + 1)
    padded[0][: len(severity)], padded[1][: len(worth)] = severity, worth
    return padded


def _noise_ratios(rest: Array, places: Places) -> tuple[float, float]:
    """Return σ²/v for items and for outputs, by the mean product of two scores of the same."""
    left, unit, item = places.pick(rest), places.pick(places.unit), places.pick(places.item)
    square = float(left @ left)
    in_unit, in_item = (float((np.bincount(codes, left) ** 2).sum()) for codes in (unit, item))
    n_unit, n_item = (float((np.bincount(codes) ** 2).sum()) for codes in (unit, item))
    whole = max(square / len(left), 1e-12)
    of_output = (in_unit - square) / max(n_unit - len(left), 1.0)
    of_item = (in_item - in_unit) / max(n_item - n_unit, 1.0)
    of_item, of_output = (min(max(v, whole / 1e3), whole) for v in (of_item, of_output))
    return whole / of_item, whole / of_output


def _count_tasks(judge: Integers, task: Integers, n_judges: int) -> Integers:
    pair = number_groups(judge, task)
    owner = np.zeros(int(pair.max()) + 1, np.int64)
    owner[pair] = judge
    return np.bincount(owner, minlength=n_judges)


def _deviations(centred: Array, judge: Integers, lost: Integers) -> Array:
    """Return (J,) standard deviations; endless where always the same was said: scores become 0."""
    spare = np.maximum(np.bincount(judge, minlength=len(lost)) - lost, 1)
    variance = np.bincount(judge, centred**2, len(lost)) / spare
    return np.sqrt(np.where(variance > 1e-12, variance, np.inf))


def _weigh(parts: Array, own: Array) -> Array:
    """Return (3,) least-squares weights, none below 0: others' scores cannot speak against."""
    weights = np.zeros(3)
    square, cross = parts.T @ parts, parts.T @ own
    use = np.flatnonzero(np.diag(square) > 1e-12 * max(len(own), 1))
    while len(use):
        found = np.linalg.lstsq(square[np.ix_(use, use)], cross[use], rcond=None)[0]
        if (found > 0).all():
            weights[use] = found
            break
        use = np.delete(use, int(np.argmin(found)))
    return weights


def _scale_tasks(fitted: Array, own: Array, task: Integers, n_tasks: int) -> Array:
    """Return (tasks,) slopes on the common expectation, drawn to 1 and not below 0."""
    cross, square = (
        np.bincount(task, values, n_tasks) for values in (fitted * own, fitted * fitted)
    )
    return np.maximum((cross + PRIOR) / (square + PRIOR), 0.0)
