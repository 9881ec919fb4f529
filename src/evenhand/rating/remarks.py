"""What must stand beside a completed matrix, in words."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evenhand.rating.conformal import least_number
from evenhand.rating.matrix import RatingMatrix

Array = NDArray[np.float64]


class Settings(Protocol):
    """What the notes depend on."""

    @property
    def level(self) -> float:
        """Level of the intervals."""

    @property
    def clip(self) -> tuple[float, float] | None:
        """Lowest and highest prediction, or None."""


def write_notes(
    matrix: RatingMatrix, predicted: Array, half_width: Array, settings: Settings
) -> tuple[str, ...]:
    """Return what must be said of predictions and intervals.

    Args:
        matrix: the ratings that were given.
        predicted: (m, n) predictions.
        half_width: (m, 1) or (m, n) of the intervals.
        settings: level, and whether predictions were kept on the scale.

    """
    beyond = _beyond(matrix, predicted) if settings.clip is None else []
    return (*_parts(matrix), *beyond, *_wide(matrix, half_width, settings.level))


def _parts(matrix: RatingMatrix) -> list[str]:
    """Say where judges have no output in common, directly or through others."""
    m = len(matrix.judges)
    found = np.unique(matrix.cells.parts[:m][matrix.cells.seen_rows])
    if len(found) == 1:
        return []
    return [
        f"judges fall into {len(found):,} groups with no output in common, not even through others:"
        " that one group is more severe rests on its outputs being no better than the others', as"
        " if they were dealt out by chance"
    ]


def _beyond(matrix: RatingMatrix, predicted: Array) -> list[str]:
    low, high = float(matrix.value.min()), float(matrix.value.max())
    outside = (predicted < low) | (predicted > high)
    outside[matrix.cells.row, matrix.cells.column] = False
    n = int(outside.sum())
    if not n:
        return []
    are = "1 prediction is" if n == 1 else f"{n:,} predictions are"
    return [f"{are} beyond the scores that were given, {low:g} to {high:g}: left so, not clipped"]


def _wide(matrix: RatingMatrix, half_width: Array, level: float) -> list[str]:
    rated = np.isinf(half_width).any(axis=1) & matrix.cells.seen_rows
    n = int(rated.sum())
    if not n:
        return []
    who = "1 judge has" if n == 1 else f"{n:,} judges have"
    return [
        f"{who} intervals without bounds: their group has too few held-out ratings, and"
        f" {100 * level:g} % needs {least_number(level)} or more"
    ]
