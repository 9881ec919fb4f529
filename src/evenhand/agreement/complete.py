"""Units that all of some judges scored: what the ICC and Kendall's W are defined on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.units import Units
from evenhand.errors import NotIdentified, listing

Array = NDArray[np.float64]

ENOUGH: Final = 2 / 3
"""Share of the scores on shared units that a complete block must hold to speak for them."""
_WHO: Final = "the ICC and Kendall's W"
WIDEST: Final = 50_000_000
"""Most cells, judges times units, among which a block is looked for."""


@dataclass(frozen=True, eq=False)
class Block:
    """Scores of judges who all scored the same units.

    Attributes:
        scores: (U, k) score of each unit by each judge.
        judges: names of the k judges.
        left_out: judges on shared units who are not in it.
        share: share of the scores on units of two or more judges that it holds.

    """

    scores: Array
    judges: tuple[str, ...]
    left_out: tuple[str, ...]
    share: float

    @property
    def note(self) -> str:
        """What must be said of it where it is not everything; else nothing."""
        if self.share == 1:
            return ""
        units, k = self.scores.shape
        without = f", without {listing(self.left_out, 5)}" if self.left_out else ""
        return (
            f"on the {units:,} outputs that {k} judges all scored, which hold"
            f" {100 * self.share:.0f} % of the scores{without}"
        )


def find_block(units: Units) -> Block:
    """Find units and judges without a hole.

    Judges join one by one, those with most units first, and where scores in the block are most
    the block is cut. This need not be the largest block there is, which is hard to find.

    Args:
        units: scores by unit, one of each judge.

    Raises:
        NotIdentified: no block holds two thirds of the scores on shared units; says what the
            best one holds.

    """
    shared = units.take(units.several)
    found = np.unique(shared.judge)
    if not shared.size or len(found) < 2:
        raise NotIdentified(f"{_WHO} need outputs that two judges scored: there are none")
    if shared.size * len(found) > WIDEST:
        raise _refuse(f"{len(found):,} judges scored some of {shared.size:,} outputs each")
    row = np.repeat(np.arange(shared.size), shared.sizes)
    column = np.searchsorted(found, shared.judge)
    held = np.zeros((shared.size, len(found)), dtype=np.bool_)
    held[row, column] = True
    kept, chosen = _cut(held)
    share = float(kept.sum() * len(chosen) / held.sum())
    if share < ENOUGH or kept.sum() < 2:
        raise _refuse(
            f"the most that was found is judges: {len(chosen)}, outputs: {int(kept.sum()):,},"
            f" which hold {100 * share:.0f} % of the scores"
        )
    table = np.zeros(held.shape)
    table[row, column] = shared.points[shared.code]
    names = [units.rows.judges[code] for code in found.tolist()]
    return Block(
        scores=table[np.ix_(kept, chosen)],
        judges=tuple(names[j] for j in chosen.tolist()),
        left_out=tuple(name for j, name in enumerate(names) if j not in set(chosen.tolist())),
        share=share,
    )


def note_items(units: Units) -> tuple[str, ...]:
    """Say where outputs hang together, which F does not know of."""
    items = np.unique(units.item[units.several]) if units.several.any() else ()
    several = int(units.several.sum())
    if len(items) == several:
        return ()
    return (
        f"intervals by F take outputs for independent, and {several:,} outputs are of"
        f" {len(items):,} items: they may be too short",
    )


def _cut(held: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Return which units stay, and the columns of the judges who do.

    Args:
        held: (U, J) whether a judge scored a unit.

    """
    order = np.argsort(-held.sum(axis=0), kind="stable")
    together = np.logical_and.accumulate(held[:, order], axis=1)
    cells = together.sum(axis=0) * np.arange(1, held.shape[1] + 1)
    cells[0] = 0
    k = int(cells.argmax()) + 1
    return together[:, k - 1], np.sort(order[:k])


def _refuse(most: str) -> NotIdentified:
    return NotIdentified(
        f"{_WHO} need outputs that all judges scored: {most}",
        ["estimate variance components, which need no complete blocks: evenhand variance"],
    )
