"""Intervals that hold by group of judges, from residuals of ratings that no fit has seen.

Of n residuals in a group, the ⌈(n + 1)(1 − α)⌉-th smallest in absolute value is the half width: an
interval around a prediction then holds a rating with chance 1 − α or more, whatever the model, if
the held-out and the missing ratings of the group come about alike. There is none where n is too
small, and the interval has no bounds. That ratings were dealt to judges by chance is not enough for
it: they come about alike if what is seen was drawn uniformly over the cells of the matrix. Cells of
a judge or an output that nothing was learned of are a group of their own.

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

from evenhand.ratings.matrix import JudgeGroups, Split

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Missing = Literal["at random", "by value"]

# How missing ratings come about, beside those that were held out
MISSING: Final = ("at random", "by value")
SLACK: Final = 1e-9  # Rounding of a share that counts as reached
MAX_STEPS: Final = 50
RIDGE: Final = 1e-3  # Weight that keeps a slope finite where groups are told apart without error


def least_number(level: float) -> int:
    """Return how many residuals a bounded interval needs.

    >>> least_number(0.9), least_number(0.95)
    (9, 19)
    """
    return ceil(level / (1 - level) - SLACK)


def half_widths(residual: Array, group: Integers, groups: int, level: float) -> Array:
    """Return the half width of each group, infinite where (n,) residuals are too few."""
    widths = np.full(groups, inf)
    for code in range(groups):
        sizes = np.sort(np.abs(residual[group == code]))
        place = ceil((len(sizes) + 1) * level - SLACK)
        if place <= len(sizes):
            widths[code] = sizes[place - 1]
    return widths


def weighted_half_widths(residual: Array, weight: Array, new: Array, level: float) -> Array:
    """Return a half width for each of (k,) new cells, by (n,) and (k,) odds of being missing."""
    order = np.argsort(np.abs(residual), kind="stable")
    sizes = np.r_[np.abs(residual)[order], inf]
    reached = np.cumsum(weight[order])
    total = reached[-1] if len(reached) else 0.0
    place = np.searchsorted(reached, level * (total + new) * (1 - SLACK))
    return np.asarray(sizes[place])


def odds_of_missing(held: Array, missing: Array, rating: Array) -> tuple[Array, Array]:
    """Return the odds, up to a factor, that a rating of such a height is missing.

    held and missing: (n,) and (k,) predictions of such ratings; rating: (n,) the held-out ones.
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
    for _ in range(MAX_STEPS):
        chance = 1 / (1 + np.exp(-(x @ slopes)))
        gradient = x.T @ (weight * (is_missing - chance)) - RIDGE * slopes
        curvature = (x * (weight * chance * (1 - chance))[:, None]).T @ x + RIDGE * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        slopes = slopes + step
        if float(np.abs(step).max()) < SLACK:
            break
    at = np.exp(slopes[1] * (rating - centre) / spread)
    return at, np.exp(slopes[1] * (missing - centre) / spread)


def find_half_widths(
    predicted: Array, split: Split, groups: JudgeGroups, settings: tuple[float, Missing]
) -> Array:
    """Return the half width of each judge's intervals, (m, 1), or of each cell's, (m, n).

    They differ by cell where they depend on the prediction, or on whether anything was learned of
    the output. Judges without ratings have none.
    """
    level, missing = settings
    cells = split.tested.cells
    if missing == "by value":
        widths = _widths_by_cell(predicted, split, groups, level)
    else:
        residual = split.tested.value - predicted[cells.row, cells.column]
        kind = 2 * groups.code[cells.row] + ~split.known
        by_kind = half_widths(residual, kind, 2 * len(groups.names), level)
        rows, columns = split.learned.cells.seen_rows, split.learned.cells.seen_columns
        known, strange = by_kind[2 * groups.code], by_kind[2 * groups.code + 1]
        widths = np.where(rows, known, strange)[:, None]
        if not columns.all():
            widths = np.where(columns, widths, strange[:, None])
    widths[~split.every.cells.seen_rows] = inf
    return widths


def _widths_by_cell(predicted: Array, split: Split, groups: JudgeGroups, level: float) -> Array:
    """Return the half width of each missing cell; 0 where a rating was given."""
    held = split.tested
    row, column = held.cells.row, held.cells.column
    residual = held.value - predicted[row, column]
    absent = np.nonzero(~split.every.seen())
    widths = np.zeros(predicted.shape)
    if not len(residual) or not len(absent[0]):
        widths[absent] = inf
        return widths
    weight, odds = odds_of_missing(predicted[row, column], predicted[absent], held.value)
    kind = 2 * groups.code[row] + ~split.known
    other = 2 * groups.code[absent[0]] + split.strange(*absent)
    wide = np.full(len(odds), inf)
    for code in np.unique(other).tolist():
        tested, new = kind == code, other == code
        wide[new] = weighted_half_widths(residual[tested], weight[tested], odds[new], level)
    widths[absent] = wide
    return widths
