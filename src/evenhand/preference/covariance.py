"""The covariance of the parameters, found when it is first asked for: worths alone need none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.newton import invert_positive
from evenhand.numerics.threads import one_blas_thread
from evenhand.preference.likelihood import Likelihood

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Covariance:
    """The inverse of the information at the maximum.

    Attributes:
        likelihood: of the fit.
        beta: parameters at the maximum, as the likelihood takes them.
        known: the whole inverse, where it has been found already.

    """

    likelihood: Likelihood
    beta: Array
    known: Array | None = None

    @cached_property
    def matrix(self) -> Array:
        """(p, p) covariance of the reported parameters, thresholds as log τ.

        Raises:
            NotConverged: the information is singular.

        """
        found, reported = self.known, self.likelihood.reported
        if found is None:
            with one_blas_thread():
                found = invert_positive(self.likelihood.expand(self.beta).information)
        matrix = found[:reported, :reported]
        matrix.flags.writeable = False
        return matrix

    def unlogged(self, at: int, tau: float) -> Array:
        """Return the same with τ for log τ, the parameter in place `at`, by the delta method."""
        scale = np.ones(len(self.matrix))
        scale[at] = tau
        matrix = self.matrix * scale * scale[:, None]
        matrix.flags.writeable = False
        return matrix


def spread_vcov(vcov: Array, k: int, reference: int) -> Array:
    """Return the (K, K) covariance of log-worths, the reference at 0, from that of λ without it.

    Args:
        vcov: (p, p) with λ of all but the reference first.
        k: number of systems K.
        reference: code of the reference system.

    >>> spread_vcov(np.array([[0.5, 9.0], [9.0, 9.0]]), 2, 0).tolist()
    [[0.0, 0.0], [0.0, 2.0]]
    """
    worths = np.zeros((k, k))
    sides = [(slice(reference),) * 2, (slice(reference + 1, k), slice(reference, k - 1))]
    for rows, own_rows in sides:
        for columns, own_columns in sides:
            np.multiply(vcov[own_rows, own_columns], 4.0, out=worths[rows, columns])
    return worths
