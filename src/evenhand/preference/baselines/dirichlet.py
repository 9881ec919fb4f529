"""From counts to chances: a symmetric Dirichlet prior, and which strengths it may have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import UnknownOption

Array = NDArray[np.float64]


def require_strength(strength: float, *, least: str) -> None:
    """Refuse a Dirichlet strength that is none.

    Args:
        strength: pseudo-counts of each outcome.
        least: "zero" where zero will do, or why it will not.

    Raises:
        UnknownOption: it is negative, not finite, or zero where it may not be.

    """
    if not (np.isfinite(strength) and strength >= 0):
        raise UnknownOption(
            f"strength cannot be {strength}: it is a number of pseudo-counts, such as 1"
        )
    if not strength and least != "zero":
        raise UnknownOption(f"strength cannot be 0: {least}; take a number such as 1")


def shares(counts: Array, strength: float) -> Array:
    """Return (n, 3) chances by counts and a symmetric Dirichlet prior.

    Args:
        counts: (n, 3) counts of outcomes.
        strength: pseudo-counts of each outcome.

    >>> shares(np.array([[3.0, 1.0, 0.0]]), 1.0).round(4).tolist()
    [[0.5714, 0.2857, 0.1429]]
    """
    padded = counts + strength
    return np.asarray(padded / padded.sum(axis=1, keepdims=True))
