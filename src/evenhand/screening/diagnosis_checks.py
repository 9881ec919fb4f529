"""Numbers that no diagnosis can work with: too large to be added up, expected off the scale."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments
from evenhand.judgments.rating_rows import CONTROL, RatingRows
from evenhand.judgments.scale import Scale

_LARGEST: Final = 1e140
"""Squares of larger scores cannot be summed in double precision."""


def refuse_endless(scores: NDArray[np.float64]) -> None:
    """Refuse scores whose sums of squares have no end.

    Args:
        scores: (n,) one or more.

    Raises:
        InvalidJudgments: names the largest.

    """
    largest = float(scores[np.abs(scores).argmax()])
    if abs(largest) > _LARGEST:
        raise InvalidJudgments(
            f"scores as large as {largest:g} cannot be added up: correct or divide them"
        )


def refuse_odd_expectations(rows: RatingRows, declared: Scale | None) -> None:
    """Refuse expected scores that no control can get.

    Args:
        rows: ratings.
        declared: the declared scale, or None; an expected score may lie between its points.

    Raises:
        InvalidJudgments: an expected score is infinite, or beyond the ends of the scale.

    """
    if rows.kind is None or rows.expected is None:
        return
    expected = rows.expected[(rows.kind == CONTROL) & ~np.isnan(rows.expected)]
    endless = np.isinf(expected)
    if endless.any():
        raise InvalidJudgments(
            f"{_count(endless)} of controls is infinite: correct it or leave it empty"
        )
    if declared is None:
        return
    off = (expected < declared.low) | (expected > declared.high)
    if off.any():
        raise InvalidJudgments(
            f"{_count(off)} of controls is off the scale {declared}: {float(expected[off][0]):g};"
            " correct it, or say what the scale is"
        )


def _count(which: NDArray[np.bool_]) -> str:
    n = int(which.sum())
    return "an expected score" if n == 1 else f"each of {n:,} expected scores"
