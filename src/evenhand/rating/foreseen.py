"""Predicted ratings: a mean, what is uncertain of it, and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import require_level
from evenhand.numerics.ard import Points
from evenhand.numerics.gaussian_process import Posterior
from evenhand.numerics.normal_mixture import mixture_quantile
from evenhand.rating.coregion import Asked, Coregion

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

BLOCK: Final = 1000
"""Outputs that are predicted at once."""


@dataclass(frozen=True, eq=False)
class Foreseen:
    """Predicted ratings.

    Attributes:
        mean: (n,) in points of the scale.
        variance: (n,) of what the judge says on average of such an output, in squared points;
            that parameters are uncertain is part of it.
        noise: (n,) variance of one rating around that.
        means: (S, n) means under each of S draws of the parameters.
        deviations: (S, n) standard deviations of one rating under each, its noise included.
        notes: what must stand beside the predictions.

    """

    mean: Array
    variance: Array
    noise: Array
    means: Array
    deviations: Array
    notes: tuple[str, ...] = ()

    def interval(self, level: float = 0.9) -> tuple[Array, Array]:
        """Return the ends of intervals for one rating, its noise included.

        Raises:
            UnknownOption: a level that is no proportion.

        """
        require_level(level, ".9")
        low, high = (
            mixture_quantile(0.5 + side * level / 2, self.means, self.deviations)
            for side in (-1, 1)
        )
        return low, high


def mix(parts: Sequence[tuple[Array, Array, Array]], notes: tuple[str, ...] = ()) -> Foreseen:
    """Put together what is foreseen under each draw of the parameters.

    Args:
        parts: of each draw (n,) means, variances and variances of noise.
        notes: to stand beside.

    """
    means, variances, noises = (np.array(one) for one in zip(*parts, strict=True))
    return Foreseen(
        means.mean(axis=0),
        variances.mean(axis=0) + means.var(axis=0),
        noises.mean(axis=0),
        means,
        np.sqrt(variances + noises),
        notes,
    )


def foresee_at(
    weighed: tuple[Coregion, Posterior], support: Asked, points: Points, judge: Codes | None
) -> tuple[Array, Array, Array]:
    """Return (n,) means, variances and variances of noise, a block of outputs at a time.

    Args:
        weighed: parameters, and the posterior under them.
        support: rows that the posterior rests on.
        points: n outputs.
        judge: (n,) who is asked; None for the mean of all judges.

    """
    at, posterior = weighed
    parts = []
    for low in range(0, len(points), BLOCK):
        rows = np.arange(low, min(low + BLOCK, len(points)))
        if judge is None:
            cross, own = at.average(points.take(rows), support)
            parts.append(posterior.predict(cross, np.full(len(rows), own)))
        else:
            asked = Asked(judge[rows], points.take(rows))
            parts.append(posterior.predict(at.covariance(asked, support)[0], at.own(asked)))
    mean, variance = (np.concatenate(one) for one in zip(*parts, strict=True))
    return mean, variance, find_noise(at, judge, len(points))


def find_noise(at: Coregion, judge: Codes | None, size: int) -> Array:
    """Return (n,) variances of noise; of the mean of all judges where none are named."""
    if judge is None:
        return np.full(size, float(at.noise.mean()) / len(at.noise))
    return np.asarray(at.noise[judge])
