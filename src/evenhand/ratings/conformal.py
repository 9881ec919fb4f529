"""Intervals that hold by group of judges, from residuals of ratings that no fit has seen.

Of n residuals in a group, the ⌈(n + 1)(1 − α)⌉-th smallest in absolute value is the half width: an
interval around a prediction then holds a rating with chance 1 − α or more, whatever the model, if
the held-out and the missing ratings of the group come about alike. There is none where n is too
small, and the interval has no bounds. That ratings were dealt to judges by chance is not enough for
it: they come about alike if what is seen was drawn uniformly over the cells of the matrix. Cells of
a judge or an output that nothing was learned of (dealt.py) are a group of their own.

Where low ratings are missing more often than high ones, or the other way round, residuals are
weighted by the odds that a rating of that height is missing rather than held out. A logistic
regression on the predictions of held-out and missing cells estimates them: if ratings scatter alike
around all predictions, log-odds that are linear in the rating are so in the prediction, with the
same slope. Nothing else that may have decided what is missing is allowed for.

Sources: Vovk, Gammerman & Shafer (2005), Algorithmic Learning in a Random World, section 4.5 (by
group); Tibshirani, Barber, Candès & Ramdas (2019), NeurIPS 32, theorem 2 (weights).
"""

from __future__ import annotations

from math import ceil, inf
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.ratings.matrix import Dealt, JudgeGroups

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Missing = Literal["at random", "by value"]

# How missing ratings come about, beside those that were held out
MISSING: Final = ("at random", "by value")
_SLACK: Final = 1e-9  # Rounding of a share that counts as reached
_STEPS: Final = 50
_RIDGE: Final = 1e-3  # Weight that keeps a slope finite where groups are told apart without error


def least_number(level: float) -> int:
    """Return how many residuals a bounded interval needs.

    >>> least_number(0.9), least_number(0.95)
    (9, 19)
    """
    return ceil(level / (1 - level) - _SLACK)


def half_widths(residual: Array, group: Integers, groups: int, level: float) -> Array:
    """Return the half width of each group, infinite where there are too few residuals.

    residual: (n,) what the held-out ratings are away from their predictions.
    group: (n,) group of each.
    level: of the intervals. >>> half_widths(np.arange(1.0, 12.0), np.r_[np.zeros(9, int), 1, 1], 2,
        0.9).tolist() [9.0, inf]
    """
    found = np.full(groups, inf)
    for code in range(groups):
        own = np.sort(np.abs(residual[group == code]))
        place = ceil((len(own) + 1) * level - _SLACK)
        if place <= len(own):
            found[code] = own[place - 1]
    return found


def weighted_half_widths(residual: Array, weight: Array, new: Array, level: float) -> Array:
    """Return a half width for each new cell, given how much likelier it is to be missing.

    residual: (n,) of the held-out ratings of the group.
    weight: (n,) their odds of missing.
    new: (k,) odds of the cells that are missing.
    """
    order = np.argsort(np.abs(residual), kind="stable")
    sizes = np.r_[np.abs(residual)[order], inf]
    reached = np.cumsum(weight[order])
    total = reached[-1] if len(reached) else 0.0
    place = np.searchsorted(reached, level * (total + new) * (1 - _SLACK))
    return np.asarray(sizes[place])


def odds_of_missing(held: Array, missing: Array, rating: Array) -> tuple[Array, Array]:
    """Return the odds, up to a factor, that a rating of such a height is missing.

    held: (n,) predictions of held-out ratings.
    missing: (k,) predictions of missing ones.
    rating: (n,) the held-out ratings.
    """
    every = np.r_[held, missing]
    centre, spread = float(every.mean()), float(every.std())
    if spread == 0:
        return np.ones(len(held)), np.ones(len(missing))
    x = np.column_stack([np.ones(len(every)), (every - centre) / spread])
    # both kinds weigh alike, so that the odds are those of one cell of each
    weight = np.r_[np.full(len(held), 0.5 / len(held)), np.full(len(missing), 0.5 / len(missing))]
    is_missing = np.r_[np.zeros(len(held)), np.ones(len(missing))]
    slopes = np.zeros(2)
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-(x @ slopes)))
        gradient = x.T @ (weight * (is_missing - chance)) - _RIDGE * slopes
        curvature = (x * (weight * chance * (1 - chance))[:, None]).T @ x + _RIDGE * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        slopes = slopes + step
        if float(np.abs(step).max()) < _SLACK:
            break
    at = np.exp(slopes[1] * (rating - centre) / spread)
    return at, np.exp(slopes[1] * (missing - centre) / spread)


def find_half_widths(
    predicted: Array, dealt: Dealt, groups: JudgeGroups, settings: tuple[float, Missing]
) -> Array:
    """Return the half width of each judge's intervals, or of each cell's where they differ.

    predicted: (m, n) predictions.
    Returns: (m, 1), or (m, n) where they depend on the prediction, or on whether anything was
        learned of the output. Judges without ratings have none.
    """
    level, missing = settings
    cells = dealt.tested.cells
    if missing == "by value":
        widths = _widths_by_cell(predicted, dealt, groups, level)
    else:
        residual = dealt.tested.value - predicted[cells.row, cells.column]
        kind = 2 * groups.code[cells.row] + ~dealt.known
        found = half_widths(residual, kind, 2 * len(groups.names), level)
        rows, columns = dealt.learned.cells.seen_rows, dealt.learned.cells.seen_columns
        known, strange = found[2 * groups.code], found[2 * groups.code + 1]
        widths = np.where(rows, known, strange)[:, None]
        if not columns.all():
            widths = np.where(columns, widths, strange[:, None])
    widths[~dealt.every.cells.seen_rows] = inf
    return widths


def _widths_by_cell(predicted: Array, dealt: Dealt, groups: JudgeGroups, level: float) -> Array:
    """Return the half width of each missing cell; 0 where a rating was given."""
    held = dealt.tested
    row, column = held.cells.row, held.cells.column
    residual = held.value - predicted[row, column]
    absent = np.nonzero(~dealt.every.seen())
    widths = np.zeros(predicted.shape)
    if not len(residual) or not len(absent[0]):
        widths[absent] = inf
        return widths
    weight, odds = odds_of_missing(predicted[row, column], predicted[absent], held.value)
    kind = 2 * groups.code[row] + ~dealt.known
    other = 2 * groups.code[absent[0]] + dealt.strange(*absent)
    wide = np.full(len(odds), inf)
    for code in np.unique(other).tolist():
        own, new = kind == code, other == code
        wide[new] = weighted_half_widths(residual[own], weight[own], odds[new], level)
    widths[absent] = wide
    return widths
