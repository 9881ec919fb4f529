"""Sums over answers: from judges to units and back, as products with one sparse matrix.

Row u of the matrix counts how often each judge gave each label to unit u; its column is judge · C
+ label. What a label says of a unit is a table by judge and label, so that a million answers cost
two passes over memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.consensus.answers import Answers

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Incidence:
    """Which judge gave which label to which unit, as the judge saw it.

    Attributes:
        upright: (U, J·C) sparse counts of the answers that were shown in the unit's order.
        swapped: the same of those shown the other way round; None where there are none.
        judges: J.
        labels: C.

    """

    upright: Any
    swapped: Any
    judges: int
    labels: int

    @classmethod
    def of(cls, answers: Answers) -> Incidence:
        """Build the matrices."""
        one, other = ~answers.swapped, answers.swapped
        matrix = _count(answers, other) if other.any() else None
        return cls(_count(answers, one), matrix, len(answers.judges), len(answers.labels))

    def to_units(self, table: Array) -> Array:
        """Sum what answers say of the labels of their units.

        Args:
            table: (J, C, C) what judge l's answer d says of label c, at [l, d, c], as shown.

        Returns:
            (U, C) sums, in terms of the units.

        """
        flat = table.reshape(-1, self.labels)
        sums = self.upright @ flat
        if self.swapped is not None:
            sums += (self.swapped @ flat)[:, ::-1]
        return np.asarray(sums)

    def to_judges(self, values: Array) -> Array:
        """Sum a value of each unit's labels over the answers of each judge.

        Args:
            values: (U, C) such as probabilities of labels, in terms of the units.

        Returns:
            (J, C, C) sums at [l, d, c]: over the units to which judge l said d, the value of c,
            both as shown.

        """
        sums = self.upright.T @ values
        if self.swapped is not None:
            sums += self.swapped.T @ np.ascontiguousarray(values[:, ::-1])
        return np.asarray(sums).reshape(self.judges, self.labels, self.labels)


def _count(answers: Answers, rows: NDArray[np.bool_]) -> Any:
    """Return a sparse matrix of some answers, which are sorted by unit."""
    from scipy.sparse import csr_array

    c = len(answers.labels)
    columns = answers.judge[rows] * c + answers.said[rows]
    ends = np.zeros(answers.units + 1, dtype=np.int64)
    np.cumsum(np.bincount(answers.unit[rows], minlength=answers.units), out=ends[1:])
    shape = (answers.units, len(answers.judges) * c)
    return csr_array((np.ones(len(columns)), columns, ends), shape=shape)


def softmax(scores: Array) -> tuple[Array, Array]:
    """Return probabilities that are proportional to exponentials, and the logs of the sums.

    Args:
        scores: (U, C) logs.

    Returns:
        (U, C) probabilities of each row, and (U,) log Σ exp.

    >>> probabilities, log_sums = softmax(np.log([[1.0, 3.0]]))
    >>> probabilities.round(12).tolist(), np.exp(log_sums).round(12).tolist()
    ([[0.25, 0.75]], [4.0])
    """
    most = reduce(np.maximum, scores.T)  # numpy is slow along a short axis
    weights = np.exp(scores - most[:, None])
    sums = reduce(np.add, weights.T)
    return weights / sums[:, None], most + np.log(sums)
