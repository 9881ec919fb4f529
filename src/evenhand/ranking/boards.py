"""What each cluster holds where most pairs occur in most clusters: sums over boards of all pairs.

Derivatives are linear in counts, so each pair is evaluated once for each outcome. Clusters are laid
out on boards a few at a time, which stay in the cache, and only their sums are kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.tally import Tally
from evenhand.ranking.pieces import ETA, ETA_ETA, ETA_TIE

Array = NDArray[np.float64]
Codes = NDArray[np.int64] | NDArray[np.int32]

CELLS: Final = 40_000
"""Cells of the boards that are worked on at a time, each with three counts and a derivative."""


@dataclass(frozen=True, eq=False)
class Boards:
    """Sums of derivatives over the pairs of each cluster, by η and t as those of pieces.

    Attributes:
        totals: (5, G) of all pairs.
        nets: row → (G, K) onto systems, + for left and − for right; rows that are nowhere zero.
        links: (G, K, K) information by η, by who stood left and who right.

    """

    totals: Array
    nets: dict[int, Array]
    links: Array

    @property
    def size(self) -> int:
        """Number of clusters."""
        return len(self.links)

    def between(self, start: int, stop: int) -> Boards:
        """Return consecutive clusters."""
        nets = {row: own[start:stop] for row, own in self.nets.items()}
        return Boards(self.totals[:, start:stop], nets, self.links[start:stop])

    def pooled(self) -> Boards:
        """Return all outcomes as one cluster."""
        nets = {row: own.sum(axis=0, keepdims=True) for row, own in self.nets.items()}
        totals = self.totals.sum(axis=1, keepdims=True)
        return Boards(totals, nets, self.links.sum(axis=0, keepdims=True))

    def held(self) -> NDArray[np.bool_]:
        """Say of each cluster whether it holds information: one of discarded ties does not."""
        return np.asarray(self.totals[ETA_ETA] > 0)

    def total(self, row: int) -> Array:
        """Return sums of one derivative: (G,)."""
        return np.asarray(self.totals[row])

    def by_system(self, row: int, k: int) -> Array:
        """Return sums of one derivative onto systems, + for left and − for right: (G, K)."""
        return self.nets[row] if row in self.nets else np.zeros((self.size, k))

    def boards(self, k: int) -> Array:  # noqa: ARG002 - as of pieces, which do not know K
        """Return (G, K, K) information by η of clusters, by who stood left and who right."""
        return self.links


def sum_boards(units: Array, tally: Tally, codes: Codes, size: int) -> Boards:
    """Sum the derivatives of clusters.

    Args:
        units: (3, 5, K, K) derivatives of one answer of each kind on each pair.
        tally: entries in the order of their clusters, each pair of a cluster once.
        codes: (C,) cluster of each entry.
        size: number of clusters.

    """
    k = units.shape[-1]
    flat = units.reshape(3, 5, k * k)
    rows = [row for row in (ETA, ETA_ETA, ETA_TIE) if flat[:, row].any()]
    totals, links = np.zeros((5, size)), np.zeros((size, k, k))
    nets = {row: np.zeros((size, k)) for row in rows}
    for some, counts in _lay_out(tally, codes, size, k):
        for row in range(5):
            totals[row, some] = sum(
                own @ unit for own, unit in zip(counts, flat[:, row], strict=True)
            )
        for row in rows:
            board = np.einsum("ogp,op->gp", counts, flat[:, row]).reshape(-1, k, k)
            nets[row][some] = board.sum(axis=2) - board.sum(axis=1)
            if row == ETA_ETA:
                links[some] = board
    return Boards(totals, nets, links)


def _lay_out(tally: Tally, codes: Codes, size: int, k: int) -> Iterator[tuple[slice, Array]]:
    """Go through (3, g, K²) outcomes of some clusters at a time; each time the same memory."""
    step = max(1, CELLS // k**2)
    starts = np.arange(0, size, step)
    ends = np.searchsorted(codes, np.append(starts, size).astype(codes.dtype)).tolist()
    room = np.empty((3, step * k**2))
    columns = tally.wins, tally.ties, tally.losses
    for start, first, last in zip(starts.tolist(), ends, ends[1:], strict=False):
        place = codes[first:last].astype(np.intp)
        place -= start
        place *= k
        place += tally.left[first:last]
        place *= k
        place += tally.right[first:last]
        room[:] = 0
        for own, column in zip(room, columns, strict=True):
            own[place] = column[first:last]
        stop = min(start + step, size)
        yield slice(start, stop), room.reshape(3, step, k**2)[:, : stop - start]
