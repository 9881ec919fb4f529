"""Pairs of judges on what both scored: the scores side by side, some pairs of judges at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.units import Units
from evenhand.judgments.tally import Codes

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
BLOCK: Final = 250_000
"""Pairs of scores that are held at a time; those of one judge are never split."""


@dataclass(frozen=True, eq=False)
class Overlap:
    """Scores of some pairs of judges on all their common units.

    Attributes:
        first: (P,) code of one judge of each pair.
        second: (P,) code of the other, always higher.
        pair: (m,) number of the pair of judges, ascending.
        x: (m,) score of the first judge, as its position among the points.
        y: (m,) score of the second on the same unit, likewise.
        unit: (m,) number of the unit.
        points: (K,) scores that can be given, ascending.

    """

    first: Codes
    second: Codes
    pair: Counts
    x: Codes
    y: Codes
    unit: Counts
    points: Array

    @cached_property
    def units(self) -> Counts:
        """(P,) common units of each pair of judges, at least one."""
        return np.bincount(self.pair, minlength=len(self.first))

    def mean(self, values: NDArray[Any]) -> Array:
        """(P,) mean over the common units of each pair.

        Args:
            values: (m,) one for each pair of scores.

        """
        return np.bincount(self.pair, values, minlength=len(self.first)) / self.units


@dataclass(frozen=True, eq=False)
class PairMeasure:
    """What was measured of pairs of judges.

    Attributes:
        values: (P,) the measure, NaN where it does not exist.
        influence: (m,) how much each pair of scores moves it: a measure of n pairs of scores moves
            by influence / n if one of them is given a little more weight (infinitesimal jackknife,
            Jaeckel 1972). The sum for a pair of judges is zero.

    """

    values: Array
    influence: Array


def walk_overlaps(units: Units, *, block: int = BLOCK) -> Iterator[Overlap]:
    """Lay the scores of all pairs of judges side by side, in blocks of whole pairs.

    Args:
        units: scores by unit, one of each judge.
        block: pairs of scores to hold at a time.

    """
    place = np.arange(len(units.judge))
    later = np.repeat(units.starts + units.sizes, units.sizes) - place - 1
    own = np.argsort(units.judge, kind="stable")
    load = np.cumsum(np.bincount(units.judge, later)).astype(np.int64)
    blocks = (load // block)[units.judge[own]]
    for mine in np.split(own, np.flatnonzero(np.diff(blocks)) + 1):
        if later[mine].any():
            yield _lay(units, mine, later[mine])


def _lay(units: Units, mine: NDArray[np.intp], later: Counts) -> Overlap:
    """Put each score of some judges beside those of later judges on the same unit.

    Args:
        units: scores by unit; within a unit judges ascend.
        mine: (r,) places of these judges' scores.
        later: (r,) scores on the same unit that follow each.

    """
    judge, code = units.judge, units.code
    first = np.repeat(mine, later)
    skipped = np.cumsum(later) - later
    second = first + 1 + np.arange(len(first)) - np.repeat(skipped, later)
    wide = judge[first].astype(np.int64) * (int(judge.max()) + 1) + judge[second]
    order = np.argsort(wide, kind="stable")
    unit = np.repeat(np.arange(units.size), units.sizes)
    first, second = first[order], second[order]
    opens = np.r_[True, np.diff(wide[order]) > 0]
    return Overlap(
        first=judge[first[opens]],
        second=judge[second[opens]],
        pair=np.cumsum(opens) - 1,
        x=code[first],
        y=code[second],
        unit=unit[first],
        points=units.points,
    )
