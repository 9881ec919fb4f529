"""What simple predictions of a missing rating are away from it, beside those of completion.

    random draw      a score that the judge gave, drawn at random: its expected error, not a draw's
    judge mean       the mean of the judge's scores
    output mean      the mean of the scores of the output
    judge + output   effects of both by least squares: judges differ in severity, and that is all

Where nothing of a judge or an output is seen, all that is seen stands for it. Errors are of
held-out cells, which no method has learned from. Differences to completion are over the same cells;
their standard errors let the cells of one output depend on each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.distributions import normal_quantile
from evenhand.numerics.grouping import number_groups
from evenhand.numerics.two_way import SeenCells
from evenhand.rating.matrix import RatingMatrix

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

RANDOM: Final = "random draw"
JUDGE: Final = "judge mean"
OUTPUT: Final = "output mean"
ADDITIVE: Final = "judge + output"
COMPLETION: Final = "completion"
METHODS: Final = (RANDOM, JUDGE, OUTPUT, ADDITIVE, COMPLETION)


@dataclass(frozen=True)
class Difference:
    """By how much an error is larger than that of completion.

    Attributes:
        estimate: in points of the scale.
        lower: end of its interval.
        upper: the other.

    """

    estimate: float
    lower: float
    upper: float

    def to_dict(self) -> dict[str, float]:
        """Return the JSON contract."""
        return {"estimate": self.estimate, "lower": self.lower, "upper": self.upper}


@dataclass(frozen=True)
class MethodError:
    """How far a method is off on held-out cells.

    Attributes:
        method: of METHODS.
        n: number of cells.
        mae: mean absolute error, in points of the scale.
        rmse: root mean squared error.
        mae_more: by how much more than completion; None for completion itself.
        rmse_more: the same of the other.

    """

    method: str
    n: int
    mae: float
    rmse: float
    mae_more: Difference | None = None
    rmse_more: Difference | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract."""
        return {
            "method": self.method,
            "n": self.n,
            "mae": self.mae,
            "rmse": self.rmse,
            "mae_more": None if self.mae_more is None else self.mae_more.to_dict(),
            "rmse_more": None if self.rmse_more is None else self.rmse_more.to_dict(),
        }


@dataclass(frozen=True, eq=False)
class Errors:
    """Errors of one method, cell by cell.

    Attributes:
        absolute: (n,) |error|, or its expectation.
        squared: (n,) its square, likewise.

    """

    absolute: Array
    squared: Array


def find_errors(seen: RatingMatrix, held: RatingMatrix) -> dict[str, Errors]:
    """Return the errors of the means and of the random draw on held-out cells.

    Args:
        seen: what predictions are learned from.
        held: what they are compared with.

    """
    cells = seen.cells
    return {
        RANDOM: _draw(seen, held),
        JUDGE: errors_of(held.value - _means(cells, seen.value)[held.cells.row]),
        OUTPUT: errors_of(held.value - _means(cells.turned(), seen.value)[held.cells.column]),
    }


def errors_of(residual: Array) -> Errors:
    """Return absolute and squared errors."""
    return Errors(np.abs(residual), residual**2)


def _means(cells: SeenCells, value: Array) -> Array:
    """Return the mean of each row; of all cells where nothing of a row is seen."""
    sums = np.bincount(cells.row, cells.weight, cells.shape[0])
    total = np.bincount(cells.row, cells.weight * value, cells.shape[0])
    mean = float(cells.weight @ value / cells.weight.sum())
    found = np.full(cells.shape[0], mean)
    np.divide(total, sums, out=found, where=sums > 0)
    return found


def _draw(seen: RatingMatrix, held: RatingMatrix) -> Errors:
    """Return the expected errors of a score of the judge's, drawn at random.

    With a judge's scores sorted, Σ |y − s| is (2 k − n) y + (total − 2 sum of the k lowest).
    """
    absolute, squared = np.zeros(len(held.value)), np.zeros(len(held.value))
    for judge in np.unique(held.cells.row).tolist():
        own = seen.cells.row == judge
        chosen = own if own.any() else np.ones_like(own)
        order = np.argsort(seen.value[chosen], kind="stable")
        score = seen.value[chosen][order]
        weight = seen.cells.weight[chosen][order]
        below, heavy = np.cumsum(np.r_[0.0, weight * score]), np.cumsum(np.r_[0.0, weight])
        at = held.cells.row == judge
        y = held.value[at]
        place = np.searchsorted(score, y)
        sums = (2 * heavy[place] - heavy[-1]) * y + below[-1] - 2 * below[place]
        absolute[at] = sums / heavy[-1]
        mean = below[-1] / heavy[-1]
        squared[at] = (y - mean) ** 2 + weight @ (score - mean) ** 2 / heavy[-1]
    return Errors(absolute, squared)


def compare_errors(
    errors: Mapping[str, Errors], output: Integers, level: float
) -> tuple[MethodError, ...]:
    """Return the table of errors, in the order of METHODS.

    Args:
        errors: of each method on the same cells, completion among them.
        output: (n,) output of each cell.
        level: of the intervals of differences.

    """
    known = number_groups(output)
    z = normal_quantile(0.5 + level / 2)
    best = errors[COMPLETION]
    root = sqrt(float(best.squared.mean()))
    rows = []
    for method in METHODS:
        own = errors[method]
        mae, rmse = float(own.absolute.mean()), sqrt(float(own.squared.mean()))
        more: tuple[Difference | None, ...] = (None, None)
        if method != COMPLETION:
            slopes = _slopes(own.squared, rmse) - _slopes(best.squared, root)
            more = (
                _differ(own.absolute - best.absolute, known, z),
                _differ(slopes + (rmse - root), known, z),
            )
        rows.append(MethodError(method, len(output), mae, rmse, *more))
    return tuple(rows)


def _slopes(squared: Array, root: float) -> Array:
    """Return what each cell adds to the root of the mean square, to first order."""
    return (squared - squared.mean()) / (2 * root) if root > 0 else np.zeros_like(squared)


def _differ(difference: Array, output: Integers, z: float) -> Difference:
    """Return the mean of paired differences; cells of one output hang together."""
    mean = float(difference.mean())
    sums = np.bincount(output, difference - mean)
    more = len(sums) / (len(sums) - 1) if len(sums) > 1 else 1.0
    stderr = sqrt(more * float(sums @ sums)) / len(difference)
    return Difference(mean, mean - z * stderr, mean + z * stderr)
