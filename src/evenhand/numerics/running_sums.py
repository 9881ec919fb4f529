"""Sums over many batches that lose nothing but the last digit.

Neumaier (1974), Zeitschrift für angewandte Mathematik und Mechanik 54:39-51: what each addition
rounds off is kept beside the sum and added at the end, so that the error does not grow with the
number of batches.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RunningSum:
    """A sum of arrays of one shape, or of numbers.

    Attributes:
        high: what has been summed, rounded.
        low: what rounding has lost.

    >>> total = RunningSum.of_shape(())
    >>> for term in (1.0, 1e100, 1.0, -1e100):
    ...     total = total.plus(term)
    >>> float(total.total)
    2.0
    """

    high: Array
    low: Array

    @classmethod
    def of_shape(cls, shape: tuple[int, ...]) -> RunningSum:
        """Return zero."""
        return cls(np.zeros(shape), np.zeros(shape))

    def plus(self, term: Array | float) -> RunningSum:
        """Return the sum with one term more."""
        new = self.high + term
        larger = np.abs(self.high) >= np.abs(term)
        lost = np.where(larger, (self.high - new) + term, (term - new) + self.high)
        return RunningSum(np.asarray(new), self.low + lost)

    @property
    def total(self) -> Array:
        """The sum."""
        return np.asarray(self.high + self.low)
