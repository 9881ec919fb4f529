"""What circles there are: their share of the variance, and the strongest one of three systems."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.preference.cyclic.likelihood import cyclic_part, turn

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Circle:
    """Three systems, each preferred to the next and the last to the first.

    Attributes:
        systems: codes, the first by name first.
        odds: log-odds of each against the next.

    """

    systems: tuple[int, int, int]
    odds: tuple[float, float, float]


def take_out_gradient(worth: Array, coordinates: Array) -> tuple[Array, Array]:
    """Return centred worths and coordinates with the same log-odds, rows of c Ω cᵀ of mean zero.

    What c Ω cᵀ says of a system against all others goes to its worth (Hodge decomposition of a
    complete graph: Jiang, Lim, Yao & Ye 2011, Mathematical Programming 127:203-244).

    Args:
        worth: (K,) r.
        coordinates: (K, 2k) c.

    >>> r, c = take_out_gradient(np.zeros(2), np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> r.tolist(), abs(cyclic_part(c)).max().round(12).tolist()
    ([0.5, -0.5], 0.0)
    """
    middle = coordinates.mean(axis=0)
    moved = worth + coordinates @ turn(middle[None, :])[0]
    return moved - moved.mean(), coordinates - middle


def cyclic_share(worth: Array, coordinates: Array) -> float:
    """Return the share of the sum of squared log-odds, over all pairs, that goes round in circles.

    Args:
        worth: (K,) r without what circles could say of it.
        coordinates: (K, 2k) c of mean zero.

    """
    circles = float((cyclic_part(coordinates) ** 2).sum())
    whole = circles + float(((worth[:, None] - worth) ** 2).sum())
    return circles / whole if whole else 0.0


def strongest_circle(odds: Array) -> Circle | None:
    """Return the circle of three whose smallest log-odds are largest; None where there is none.

    Args:
        odds: (K, K) log-odds of row against column, skew.

    >>> rock = np.array([[0.0, 1.0, -2.0], [-1.0, 0.0, 3.0], [2.0, -3.0, 0.0]])
    >>> strongest_circle(rock)
    Circle(systems=(0, 1, 2), odds=(1.0, 3.0, 2.0))
    """
    best, found = 0.0, None
    for first in range(len(odds)):
        # the first by name begins; the others come in either order
        weakest = np.minimum(np.minimum(odds[first][:, None], odds), odds[:, first][None, :])
        weakest[: first + 1] = 0.0
        weakest[:, : first + 1] = 0.0
        at = int(np.argmax(weakest))
        second, third = divmod(at, len(odds))
        if weakest[second, third] > best:
            best = float(weakest[second, third])
            ends = odds[first, second], odds[second, third], odds[third, first]
            found = Circle((first, second, third), (float(ends[0]), float(ends[1]), float(ends[2])))
    return found
