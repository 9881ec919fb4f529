"""How often units were scored how: all that coefficients on units need, counted by an engine.

A unit is known by how many judges scored it and how often each point was given. Units of one
cluster of items that have the same levels and as many judges are summed, so that their number
grows with clusters and levels, never with ratings; and whole numbers are summed, so that every
engine gives the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.coincidences import Blocks, Coincidences, table_coincidences
from evenhand.judgments.scale import Scale
from evenhand.judgments.tally import Codes

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Counts:
    """Sums over units, by levels, cluster and number of judges.

    Attributes:
        points: (K,) different scores, ascending.
        scale: what was declared, or seen.
        levels: column → its names, sorted, and the code of each sum (R,).
        cluster: (R,) cluster of items.
        judges: (R,) judges of each unit of a sum.
        units: (R,) how many units it is of.
        again: (R,) second answers of a judge to one of them, left out.
        given: (R, K) how often each score was given.
        together: (R, K (K + 1) / 2) pairs of judges of a unit by their scores, the lower first.

    """

    points: Array
    scale: Scale
    levels: Mapping[str, tuple[tuple[str, ...], Codes]]
    cluster: Integers
    judges: Integers
    units: Integers
    again: Integers
    given: Integers
    together: Integers

    @property
    def size(self) -> int:
        """Number of units, those of one judge among them."""
        return int(self.units.sum())

    @property
    def alone(self) -> int:
        """Units of one judge."""
        return int(self.units[self.judges == 1].sum())

    @property
    def several(self) -> Mask:
        """(R,) whether units have two or more judges."""
        return np.asarray(self.judges > 1)

    @property
    def ratings(self) -> int:
        """Scores, one of each judge and unit."""
        return int((self.units * self.judges).sum())

    @property
    def pairs(self) -> int:
        """Pairs of judges who scored one and the same unit."""
        return int((self.units * (self.judges * (self.judges - 1) // 2)).sum())

    def codes(self, name: str) -> tuple[tuple[str, ...], Codes]:
        """Return the names of a column, and the code of each sum; one name where it has none."""
        if name in self.levels:
            return self.levels[name]
        return ("",), np.zeros(len(self.units), dtype=np.int32)

    def take(self, kept: Mask | NDArray[np.intp]) -> Counts:
        """Keep some sums, by a mask or by their places; points stay as they are."""
        levels = {name: (names, codes[kept]) for name, (names, codes) in self.levels.items()}
        columns = ("cluster", "judges", "units", "again", "given", "together")
        own = {name: getattr(self, name)[kept] for name in columns}
        return replace(self, levels=levels, **own)

    def narrow(self, kept: Mask) -> Counts:
        """Keep some sums, and only points that they have; a declared scale stays as it is."""
        own = self.take(kept)
        seen = own.given.sum(axis=0) > 0
        if own.scale.declared or seen.all() or not seen.any():
            return own
        points = own.points[seen]
        ends = float(points[0]), float(points[-1])
        scale = replace(own.scale, low=ends[0], high=ends[1], points=tuple(points.tolist()))
        return own.keep_points(seen, scale)

    def keep_points(self, kept: Mask, scale: Scale) -> Counts:
        """Leave out points that nobody gave, (K,) by a mask; what is left is a scale of its own."""
        low, high = np.triu_indices(len(kept))
        return replace(
            self,
            points=self.points[kept],
            scale=scale,
            given=self.given[:, kept],
            together=self.together[:, kept[low] & kept[high]],
        )

    def coincide(self) -> Coincidences:
        """Sum pairs of scores by cluster."""
        present, number = np.unique(self.cluster, return_inverse=True)
        cluster = number.reshape(-1)
        blocks = Blocks(len(present), cluster, None, "item", len(present))
        k = len(self.points)
        place = cluster[:, None] * k * k + _places(k)
        size = len(present) * k * k
        per_unit, per_score = np.zeros(size), np.zeros(size)
        for judges in np.unique(self.judges[self.several]).tolist():
            own = self.judges == judges
            counted = np.bincount(place[own].ravel(), self.together[own].ravel(), size)
            pairs = judges * (judges - 1) // 2
            per_unit += counted / pairs
            per_score += counted * (judges / pairs)
        single = self._count_single(blocks)
        return table_coincidences(self.points, blocks, (per_unit, per_score), single)

    def _count_single(self, blocks: Blocks) -> Array | None:
        """(clusters, K) scores of units of one judge."""
        alone = self.judges == 1
        if not alone.any():
            return None
        assert blocks.of is not None
        single = np.zeros((blocks.size, len(self.points)))
        np.add.at(single, blocks.of[alone], self.given[alone])
        return single

    def digest(self, *numbers: int) -> str:
        """Return the SHA-256 of what was counted, whatever clusters and levels it is by.

        Args:
            numbers: what else was counted, such as judges.

        """
        names, criterion = self.codes("criterion")
        key = np.column_stack([criterion, self.judges])
        found, place = np.unique(key, axis=0, return_inverse=True)
        columns = np.column_stack([self.units, self.again, self.given, self.together])
        sums = np.zeros((len(found), columns.shape[1]), dtype=np.int64)
        np.add.at(sums, place.reshape(-1), columns)
        digest = sha256("\x1f".join(names).encode())
        digest.update(self.points.astype("<f8").tobytes())
        for one in (found, sums, np.array(numbers, dtype=np.int64)):
            digest.update(one.astype("<i8").tobytes())
        return digest.hexdigest()


def _places(k: int) -> Integers:
    """Return where pairs of scores stand in a table of lower by higher score."""
    low, high = np.triu_indices(k)
    return np.asarray(low * k + high)
