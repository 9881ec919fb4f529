"""When within a session an answer was given."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

PAUSE: Final = 3600.0
"""Seconds without an answer that end a session."""


def place_in_session(
    judge: NDArray[np.integer], moment: Array, *, enough: int, pause: float = PAUSE
) -> Array:
    """Return (n,) places of answers in their sessions, from −½ for the first to ½ for the last.

    Answers in sessions of fewer than `enough`, which show no change, have place 0.

    Args:
        judge: (n,) code of the judge.
        moment: (n,) when each answer was given, in seconds.
        enough: fewest answers of a session.
        pause: seconds without an answer that end it.

    >>> place_in_session(np.zeros(4, int), np.array([0.0, 9.0, 5.0, 9999.0]), enough=3).tolist()
    [-0.5, 0.5, 0.0, 0.0]
    """
    order = np.lexsort((moment, judge))
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.diff(judge[order]) != 0) | (np.diff(moment[order]) > pause)
    session, start = np.cumsum(new) - 1, np.flatnonzero(new)
    n = np.bincount(session, minlength=len(start))[session]
    place = (np.arange(len(order)) - start[session]) / np.maximum(n - 1, 1) - 0.5
    found = np.empty(len(order))
    found[order] = np.where(n >= enough, place, 0.0)
    return found
