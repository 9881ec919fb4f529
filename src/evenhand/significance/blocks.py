"""What each judge, item or ranking makes of the systems: the table that Friedman's test ranks.

The score of a system i in a block is the share of its comparisons there in which it was preferred,
a tie being half of one, so that exchanging better and worse turns the block's order round:

    by judge, item, ...    (wins_i + ties_i / 2) / n_i
    by ranking             mean over the k − 1 others of the share against each

Within one ranking the second is the ranking's own order: systems of one output, which were not
compared with one another, count as level. In other blocks, where systems are compared in unequal
numbers or with unequal opponents, scores say that too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, UnknownOption, listing
from evenhand.judgments.tally import Tally
from evenhand.significance.friedman import Friedman, friedman_test

Array = NDArray[np.float64]
Codes = NDArray[np.int32]
RANKING: Final = "ranking"
_DIGITS: Final = 12
"""Decimals of a mean share: what differs further back is rounding."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """Scores of systems by block.

    Attributes:
        by: what blocks are: judge, item, ranking or another factor.
        systems: the k systems, sorted by name.
        names: the n blocks that saw all systems.
        scores: (n, k) share of a system's comparisons in which it was preferred, ties being half
            (proportion).
        incomplete: blocks that did not see all systems, and are left out.

    """

    by: str
    systems: tuple[str, ...]
    names: tuple[str, ...]
    scores: Array
    incomplete: tuple[str, ...]

    def test(self) -> Friedman:
        """Run Friedman's test on the complete blocks.

        Raises:
            NotIdentified: fewer than two of them, or none tells any systems apart.

        """
        if len(self.names) < 2:
            complete, every = len(self.names), len(self.names) + len(self.incomplete)
            left = f": left out {listing(self.incomplete)}" if self.incomplete else ""
            raise NotIdentified(
                f"Friedman's test needs two complete blocks: {complete} of {every:,}"
                f" {self.by}{'s' * (every != 1)} compared all {len(self.systems)} systems{left}"
            )
        return friedman_test(self.scores, self.systems, self.names)


def score_blocks(tally: Tally, by: str) -> Blocks:
    """Score systems within the levels of a factor.

    Args:
        tally: judgments, told apart by the factor.
        by: the factor: judge, item, ranking, ...

    Raises:
        UnknownColumn: the tally was not made by it.
        UnknownOption: its levels were merged, or weights are importance weights.

    """
    factor = tally.factor(by)
    if factor.merged:
        raise UnknownOption(f"the levels of {by} were merged: tally without a limit for it")
    if tally.squares is not None:
        raise UnknownOption("importance weights are no counts: Friedman's test needs comparisons")
    k, n = len(tally.systems), factor.size
    judged = tally.counts.sum(axis=1) > 0
    seen = _seen(factor.codes[judged], tally.left[judged], tally.right[judged], k)
    complete = np.bincount(seen // k, minlength=n) == k
    present = np.bincount(seen // k, minlength=n) > 0
    kept = np.flatnonzero(complete)
    score = _shares_by_opponent if by == RANKING else _shares
    return Blocks(
        by=by,
        systems=tally.systems,
        names=tuple(factor.labels[i] for i in kept.tolist()),
        scores=score(tally, by, kept),
        incomplete=tuple(factor.labels[i] for i in np.flatnonzero(present & ~complete).tolist()),
    )


def _seen(block: Codes, left: Codes, right: Codes, k: int) -> NDArray[np.int64]:
    """Return block · k + system of every system that a block saw, once each."""
    wide = block.astype(np.int64) * k
    return np.unique(np.concatenate([wide + left, wide + right]))


def _shares(tally: Tally, by: str, kept: NDArray[np.int64]) -> Array:
    """Return (n, k) shares of comparisons preferred, for blocks that saw every system."""
    k = len(tally.systems)
    cells, sides, counts = _both_sides(tally, by, kept)
    shape = len(kept) * k
    seen = np.bincount(cells * k + sides[0], counts.sum(axis=0), minlength=shape)
    won = np.bincount(cells * k + sides[0], counts[0] + counts[1] / 2, minlength=shape)
    return np.reshape(won / seen, (len(kept), k))


def _shares_by_opponent(tally: Tally, by: str, kept: NDArray[np.int64]) -> Array:
    """Return (n, k) mean shares against the others; a pair that was not compared is level."""
    k = len(tally.systems)
    cells, sides, counts = _both_sides(
        replace(tally, factors={by: tally.factor(by)}).fold(), by, kept
    )
    judged = counts.sum(axis=0) > 0
    cells, sides, counts = cells[judged], sides[:, judged], counts[:, judged]
    ahead = (counts[0] - counts[2]) / counts.sum(axis=0) / 2
    sums = np.bincount(cells * k + sides[0], ahead, minlength=len(kept) * k)
    shares = 0.5 + sums.reshape(len(kept), k) / (k - 1)
    return np.round(shares, _DIGITS)  # sums of fractions: equal orders are to give equal scores


def _both_sides(
    tally: Tally, by: str, kept: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Codes, Array]:
    """Return every entry of the blocks kept from either side.

    Returns:
        (E,) row of the block; (2, E) the system and its opponent; (3, E) comparisons won, tied and
        lost by the system.

    """
    block = tally.factor(by).codes
    own = np.isin(block, kept)
    row = np.searchsorted(kept, block[own])
    sides, counts = np.stack([tally.left, tally.right])[:, own], tally.counts[own].T
    return (
        np.concatenate([row, row]),
        np.concatenate([sides, sides[::-1]], axis=1),
        np.concatenate([counts, counts[::-1]], axis=1),
    )
