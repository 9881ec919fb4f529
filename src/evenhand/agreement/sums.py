"""Sums of pairs of scores in the data and in resamples, which coefficients are made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.coincidences import Coincidences
from evenhand.errors import NotIdentified

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

FINEST: Final = 1_000
"""Most different scores that are treated as categories."""


def check_categories(points: Array) -> None:
    """Refuse scores that are too many to be categories, which would take all memory as well.

    Args:
        points: (K,) different scores.

    Raises:
        NotIdentified: they are more than `FINEST`.

    """
    if len(points) > FINEST:
        raise NotIdentified(
            f"{len(points):,} different scores are no categories",
            ["use α or n-agreement, or merge points"],
        )


@dataclass(frozen=True, eq=False)
class Ratio:
    """A quantity that may not exist, once for the data or once for every resample.

    Attributes:
        over: (B,) what is divided.
        under: (B,) by what; zero where the quantity does not exist.

    """

    over: Array
    under: Array

    @property
    def exists(self) -> Flags:
        """(B,) whether it exists."""
        return np.asarray(self.under != 0)

    @property
    def values(self) -> Array:
        """Its values where it exists, fewer than B where it does not everywhere."""
        return np.asarray(self.over[self.exists] / self.under[self.exists])

    @property
    def value(self) -> float | None:
        """Its value in the data (B = 1)."""
        return float(self.values[0]) if self.exists[0] else None


@dataclass(frozen=True, eq=False)
class Sums:
    """Coincidences, each cell as often as it was drawn.

    Attributes:
        coincidences: sums by cell.
        times: (B, cells) how often each cell counts; None for the data as they are (B = 1).

    """

    coincidences: Coincidences
    times: Array | None = None

    @property
    def points(self) -> Array:
        """(K,) the scores."""
        return self.coincidences.points

    @cached_property
    def units(self) -> Array:
        """(B,) units of two or more judges."""
        return self.per_unit(np.ones(len(self.coincidences.cell)))

    @cached_property
    def scores(self) -> Array:
        """(B,) scores of these units."""
        return self.per_score(np.ones(len(self.coincidences.cell)))

    def per_unit(self, weights: Array) -> Array:
        """(B,) sum over units of the mean weight of its pairs; (C,) weights by entry."""
        if self.coincidences.tabled:  # the pairs are the same in every cell
            return np.asarray(self._unit_tables @ weights[: self._unit_tables.shape[1]])
        return self._total(self.coincidences.per_unit * weights)

    def per_score(self, weights: Array) -> Array:
        """(B,) the same, a unit counting as often as it has scores."""
        if self.coincidences.tabled:
            return np.asarray(self.score_tables @ weights[: self.score_tables.shape[1]])
        return self._total(self.coincidences.per_score * weights)

    def score_sum(self, values: Array) -> Array:
        """(B,) sum over scores of units of two or more judges of a value by point (K,)."""
        found = self.coincidences
        return self.per_score((values[found.low] + values[found.high]) / 2)

    @cached_property
    def mass(self) -> Array:
        """(B, K) scores of units of two or more judges, by point."""
        return self._marginals(per_unit=False)

    @cached_property
    def varied(self) -> Flags:
        """(B,) whether two different scores occur in units of two or more judges."""
        if len(self.points) > FINEST:  # too many to count each
            return self._spreads
        return np.asarray((self.mass > 0).sum(axis=1) > 1)

    @cached_property
    def _spreads(self) -> Flags:
        """(B,) whether the lowest score of all cells that count is not the highest."""
        found = self.coincidences
        low = np.full(found.blocks.cells, len(self.points))
        high = np.full(found.blocks.cells, -1)
        np.minimum.at(low, found.cell, found.low)
        np.maximum.at(high, found.cell, found.high)
        if self.times is None:
            return np.array([low.min() < high.max()])
        held = self.times != 0
        lowest = np.where(held, low, len(self.points)).min(axis=1)
        return np.asarray(lowest < np.where(held, high, -1).max(axis=1))

    @cached_property
    def shares(self) -> Array:
        """(B, K) mean over units of the share of its scores, by point."""
        return np.asarray(self._marginals(per_unit=True) / self.units[:, None])

    @cached_property
    def all_shares(self) -> Array:
        """(B, K) the same over all units, those of one judge among them (Gwet)."""
        single = self.coincidences.single
        if single is None:
            return self.shares
        found = single.sum(axis=0)[None, :] if self.times is None else self.times @ single
        both = self._marginals(per_unit=True) + found
        return np.asarray(both / both.sum(axis=1, keepdims=True))

    @cached_property
    def score_tables(self) -> Array:
        """(B, pairs) sums by pair of scores, a unit counting as often as it has scores."""
        return self._table(self.coincidences.per_score)

    @cached_property
    def _unit_tables(self) -> Array:
        """(B, pairs) sums by pair of scores, units weighing alike."""
        found = self.coincidences
        judges = found.scores / found.units if found.units else 1.0
        if np.array_equal(found.per_score, found.per_unit * judges):
            return np.asarray(self.score_tables / judges)  # as many judges on every unit
        return self._table(found.per_unit)

    def _table(self, sums: Array) -> Array:
        """(B, pairs) sums over cells by pair of scores, of the table of coincidences."""
        found = self.coincidences
        pairs = len(found.points) * (len(found.points) + 1) // 2
        by_cell = sums.reshape(-1, pairs)
        if self.times is None:
            return np.asarray(by_cell.sum(axis=0)[None, :])
        return np.asarray(self.times[:, found.cell[::pairs]] @ by_cell)

    def _marginals(self, *, per_unit: bool) -> Array:
        """(B, K) sums of pairs by point, half for either score of the pair."""
        found, k = self.coincidences, len(self.points)
        if found.tabled:
            tables = self._unit_tables if per_unit else self.score_tables
            low, high = np.triu_indices(k)
            ends = np.zeros((len(low), k))
            np.add.at(ends, (np.arange(len(low)), low), 0.5)
            np.add.at(ends, (np.arange(len(low)), high), 0.5)
            return np.asarray(tables @ ends)
        weights = found.per_unit if per_unit else found.per_score
        size = found.blocks.cells * k
        both = np.bincount(found.cell * k + found.low, weights, size)
        both += np.bincount(found.cell * k + found.high, weights, size)
        by_cell = both.reshape(-1, k) / 2
        if self.times is None:
            return np.asarray(by_cell.sum(axis=0)[None, :])
        return np.asarray(self.times @ by_cell)

    def _total(self, weights: Array) -> Array:
        if self.times is None:
            return np.array([weights.sum()])
        by_cell = np.bincount(self.coincidences.cell, weights, self.coincidences.blocks.cells)
        return np.asarray(self.times @ by_cell)
