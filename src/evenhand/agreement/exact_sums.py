"""Sums of whole numbers leave engines as doubles, which hold those up to 2^53."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments
from evenhand.judgments.checks import LARGEST


def check_exact(columns: Iterable[NDArray[Any]], what: str) -> None:
    """Refuse sums that weights made larger than can be counted exactly.

    Args:
        columns: of sums, none negative.
        what: is counted, in words.

    Raises:
        InvalidJudgments: says how many there are.

    >>> check_exact([np.array([1.0, 2.0**53])], "votes")
    Traceback (most recent call last):
    evenhand.errors.InvalidJudgments: the weights make about 9.01e+15 votes, and no more than 2^53
    (9,007,199,254,740,992) can be counted exactly: divide the weights
    """
    most = max((float(one.astype(np.float64).sum()) for one in columns), default=0.0)
    if most >= LARGEST:
        raise InvalidJudgments(
            f"the weights make about {most:.3g} {what}, and no more than 2^53 ({LARGEST:,.0f}) can"
            " be counted exactly: divide the weights"
        )
