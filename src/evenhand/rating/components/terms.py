"""Terms of the model: partitions of the scores by judge, item, system, or two of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.components import NAMES, RESIDUAL
from evenhand.judgments.rating_rows import RatingRows

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

RANDOM: Final = tuple(name for name in NAMES if name != RESIDUAL)


@dataclass(frozen=True, eq=False)
class Term:
    """A partition of the scores.

    Attributes:
        name: of the component, such as "judge x system".
        codes: (n,) level of each score, 0 to size − 1, all of them seen.
        size: number of levels q.

    """

    name: str
    codes: Integers
    size: int

    @property
    def counts(self) -> Integers:
        """(q,) scores of each level."""
        return np.bincount(self.codes, minlength=self.size)


def make_terms(rows: RatingRows) -> tuple[Term, ...]:
    """Return all terms, in the order of RANDOM, identified or not."""
    single = {name: _compact(getattr(rows, name)) for name in ("system", "judge", "item")}
    return tuple(_make(name, single) for name in RANDOM)


def _make(name: str, single: dict[str, tuple[Integers, int]]) -> Term:
    first, *second = name.split(" x ")
    codes, size = single[first]
    for other in second:
        codes, size = cross(codes, single[other])
    return Term(name, codes, size)


def cross(codes: Integers, other: tuple[Integers, int]) -> tuple[Integers, int]:
    """Number the pairs of levels that occur; return the number of each row, and how many."""
    return _compact(codes * other[1] + other[0])


def _compact(codes: NDArray[np.integer]) -> tuple[Integers, int]:
    found, dense = np.unique(codes, return_inverse=True)
    return dense.reshape(-1).astype(np.int64), len(found)
