"""The judgments of a model with judge slopes: cells in the order of judges, taken in parts.

Arrays over nodes and cells have shape (Q, C): node of the quadrature, cell. Cells of one judge are
neighbours, so that sums over judges are sums over stretches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.tally import Tally

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
PART: Final = 60_000
"""Values by cell and node taken at once, so that what is in between stays in the cache."""


@dataclass(frozen=True, eq=False)
class SlopeCells:
    """Counts per judge and pair.

    Attributes:
        systems: number K of systems.
        left: (C,) code of one system.
        right: (C,) code of the other.
        counts: (C, 3) left, tie, right.
        judge: (C,) place of the judge, ascending.
        starts: (J,) first cell of each judge.

    """

    systems: int
    left: Codes
    right: Codes
    counts: Array
    judge: Codes
    starts: Codes

    @property
    def judges(self) -> int:
        """Number J of judges."""
        return len(self.starts)

    def sums(self, values: Array) -> Array:
        """Sum (..., C) values over the cells of each judge: (..., J)."""
        return np.asarray(np.add.reduceat(values, self.starts, axis=-1))

    def parts(self, nodes: int) -> Iterator[SlopeCells]:
        """Yield stretches of judges with about as many cells as fit in the cache."""
        most = max(PART // nodes, 1)
        border = np.append(self.starts, len(self.judge))
        first = 0
        while first < self.judges:
            last = int(np.searchsorted(border, border[first] + most, side="right")) - 1
            last = min(max(last, first + 1), self.judges)
            yield self._part(first, last, slice(int(border[first]), int(border[last])))
            first = last

    def _part(self, first: int, last: int, rows: slice) -> SlopeCells:
        return replace(
            self,
            left=self.left[rows],
            right=self.right[rows],
            counts=np.asfortranarray(self.counts[rows]),
            judge=self.judge[rows] - first,
            starts=self.starts[first:last] - rows.start,
        )


def make_slope_cells(tally: Tally, counts: Array) -> tuple[SlopeCells, Codes]:
    """Sort the cells of a tally by judge; judges without a judgment are left out.

    Args:
        tally: folded, told apart by judge.
        counts: (C, 3) counts as the model takes them.

    Returns:
        The cells, and the code of each of their judges.

    """
    used = np.flatnonzero(counts.sum(axis=1) > 0)
    code = tally.factor("judge").codes
    rows = used[np.lexsort((tally.right[used], tally.left[used], code[used]))]
    present, starts, judge = np.unique(code[rows], return_index=True, return_inverse=True)
    cells = SlopeCells(
        systems=len(tally.systems),
        left=tally.left[rows].astype(np.intp),
        right=tally.right[rows].astype(np.intp),
        counts=counts[rows],
        judge=judge.astype(np.intp),
        starts=starts.astype(np.intp),
    )
    return cells, present.astype(np.intp)
