"""Qualities on a scale of Λ steps: how they are seen, and what is preferred then.

    N(o | a) ∝ φ((o − a)/σ),  o ∈ 1..Λ          (a quality a is seen as o)
    T(π | a, b) = Σ_{o, o'} N(o | a) N(o' | b) [o, o' mean π]

π is left where o − o' > r, right where o' − o > r, else a tie. Source: Hopkins & May (2013),
section 7; they write "lower than" the radius, by which radius 0 would know no ties.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Weights = NDArray[np.floating[Any]]

SINGLE: Final = 1e-12
"""Least chance of a preference for which single precision is safe."""
ROOM: Final = {np.dtype(np.float32): 1e-36, np.dtype(np.float64): 1e-250}
"""How small a product of chances may become before it is put back to 1."""


def noise_matrix(categories: int, noise_sd: float) -> Array:
    """Return (Λ, Λ) chances that a quality (row) is seen as each quality (column).

    Args:
        categories: Λ.
        noise_sd: σ, in steps of the scale.

    >>> noise_matrix(3, 1.0).round(3).tolist()
    [[0.574, 0.348, 0.078], [0.274, 0.452, 0.274], [0.078, 0.348, 0.574]]
    """
    steps = np.arange(categories, dtype=np.float64)
    density = np.exp(-(((steps[None, :] - steps[:, None]) / noise_sd) ** 2) / 2)
    return np.asarray(density / density.sum(axis=1, keepdims=True))


def preference_chances(noise: Array, radius: float) -> Array:
    """Return (3, Λ, Λ) chances T of left, tie, right by the qualities of left and right.

    Args:
        noise: (Λ, Λ) chances of what is seen.
        radius: differences up to it, in steps, are ties.

    >>> preference_chances(np.eye(2), 0.0)[1].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    steps = np.arange(len(noise))
    ahead = steps[:, None] - steps[None, :]
    meant = np.stack((ahead > radius, np.abs(ahead) <= radius, -ahead > radius))
    return np.asarray(noise @ meant.astype(np.float64) @ noise.T)


@dataclass(frozen=True, eq=False)
class Law:
    """What the sampler must know of the scale.

    Attributes:
        chances: (3, Λ, Λ) T, from `preference_chances`.
        concentration: α of the Dirichlet prior, per category.

    """

    chances: Array
    concentration: float

    @property
    def categories(self) -> int:
        """Λ."""
        return len(self.chances[0])

    @cached_property
    def rows(self) -> Weights:
        """(3Λ, Λ): in row πΛ + b the chances of π against quality b, by one's own quality."""
        flat = self.chances.transpose(0, 2, 1).reshape(-1, self.categories)
        return np.ascontiguousarray(flat, np.float32 if flat.min() > SINGLE else np.float64)

    @cached_property
    def log_rows(self) -> Array:
        """(3Λ, Λ) logarithms of `rows`; a chance that vanishes has the smallest there is."""
        flat = self.chances.transpose(0, 2, 1).reshape(-1, self.categories)
        return np.log(np.maximum(flat, np.finfo(np.float64).tiny))

    @cached_property
    def safe_factors(self) -> int:
        """How many chances may be multiplied before the product must be put back to 1."""
        room = ROOM[self.rows.dtype]
        return int(log(room) / log(float(self.rows.min())))
