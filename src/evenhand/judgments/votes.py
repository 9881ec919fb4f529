"""Votes: comparisons row by row as codes, with everything that is known of each.

Agreement between judges, flags and label models need to know who said what of which output pair;
a tally no longer does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.names import take_names
from evenhand.judgments.tally import Codes, Tally
from evenhand.numerics.cluster_means import number_groups

Array = NDArray[np.float64]
Small = NDArray[np.int8]

LEFT, TIE, RIGHT = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Votes:
    """Comparisons in the order of the table, left and right as they were shown."""

    # names of the tasks, sorted; ("",) where there is no such column. So for all labels.
    tasks: tuple[str, ...]
    judges: tuple[str, ...]  # names of the judges
    items: tuple[str, ...]  # names of the items, each with its task where there are tasks
    systems: tuple[str, ...]  # names of the systems
    task: Codes  # (n,) code of each row's task
    judge: Codes  # (n,) code of its judge
    item: Codes  # (n,) code of its item
    left: Codes  # (n,) code of the system that stood left
    right: Codes  # (n,) code of the other
    outcome: Small  # (n,) LEFT, TIE or RIGHT
    # (n,) number of the answer that a row belongs to, where one answer is several rows (a
    # ranking, or a merged output), each copy of a weighted one with a number of its own; None
    # where each row is one
    answer: Codes | None = None
    # (n,) TARGET, REPEAT or CONTROL as in `rating_rows`; None where no column says so
    kind: Small | None = None
    # (n,) outcome expected of a control, -1 elsewhere; None without kinds
    expected: Small | None = None
    # (n,) how long it took, NaN where unknown; None where no column says so
    seconds: Array | None = None
    # (n,) when it was given, in seconds of any clock; None where no column says so
    moment: Array | None = None
    # names of the criteria; ("",) where no column says what was asked
    criteria: tuple[str, ...] = ("",)
    criterion: Codes | None = None  # (n,) code of the criterion; None where there is one at most
    # whether a row of the table stood for several votes, which nobody can tell apart
    counted: bool = False
    # (n,) number of the row that each vote comes from, where one stood for several; None where
    # each row is one vote
    row: NDArray[np.intp] | None = None
    positions_known: bool = True  # whether left really stood first
    notes: tuple[str, ...] = ()  # what must be said of the data

    @property
    def size(self) -> int:
        """Number of comparisons."""
        return len(self.outcome)

    @cached_property
    def pair(self) -> NDArray[np.int64]:
        """(n,) number of the output pair: item and the two systems, whoever stood left.

        Under another criterion it is another one: the better text is not the more fluent one.
        """
        low, high = np.minimum(self.left, self.right), np.maximum(self.left, self.right)
        return self._number(low, high)

    @cached_property
    def shown(self) -> NDArray[np.int64]:
        """(n,) number of the item (and criterion) and the two systems as they stood."""
        return self._number(self.left, self.right)

    def _number(self, one: Codes, other: Codes) -> NDArray[np.int64]:
        k = len(self.systems)
        asked = self.item.astype(np.int64)
        if self.criterion is not None:
            asked = asked * len(self.criteria) + self.criterion
        return (asked * k + one) * k + other

    def number(self, first: str, *others: str) -> NDArray[np.int64]:
        """Return (n,) the group of each vote by some columns, which is found once."""
        names = (first, *others)
        if names not in self._groups:
            whole = [self.number(*names[:-1])] if others else []
            self._groups[names] = number_groups(*whole, getattr(self, names[-1]))
        return self._groups[names]

    @cached_property
    def _groups(self) -> dict[tuple[str, ...], NDArray[np.int64]]:
        return {}

    @cached_property
    def preferred(self) -> Small:
        """(n,) +1 where the system first by name was preferred, -1 the other, 0 neither."""
        sign = np.where(self.left < self.right, 1, -1).astype(np.int8)
        return ((1 - self.outcome) * sign).astype(np.int8)

    def tally(self, by: Sequence[str] = ()) -> Tally:
        """Count outcomes per pair of systems, and per level of `by`; see `count_votes`."""
        from evenhand.judgments.vote_counting import count_votes

        return count_votes(self, take_names(by))

    def take(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> Votes:
        """Keep some rows; names and codes stay as they are."""
        arrays: dict[str, Any] = {}
        for name in _ARRAYS:
            values = getattr(self, name)
            arrays[name] = None if values is None else values[rows]
        return replace(self, **arrays)


_ARRAYS = (
    *("task", "judge", "item", "left", "right", "outcome"),
    *("answer", "kind", "expected", "seconds", "moment", "criterion", "row"),
)
