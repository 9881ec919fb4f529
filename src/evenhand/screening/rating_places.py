"""Where a rating stands: codes of its group, system, item and output, and of its judge there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.rating_rows import RatingRows
from evenhand.numerics.grouping import number_groups

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]
Scalars = TypeVar("Scalars", Array, Integers)


@dataclass(frozen=True, eq=False)
class Places:
    """Dense codes of every row; a group is a criterion of a task.

    Attributes:
        target: (n,) whether the row is the score of an output as such.
        group: (n,) its group.
        system: (n,) its system in the group.
        item: (n,) its item in the group.
        unit: (n,) its output in the group.
        judged_group: (n,) its judge in the group.
        judged_system: (n,) its judge at the system; so for item and unit.
        judged_item: (n,) its judge at the item.
        judged_unit: (n,) its judge at the unit.
        judged_output: (n,) its judge at the output, whatever the criterion.

    """

    target: Mask
    group: Integers
    system: Integers
    item: Integers
    unit: Integers
    judged_group: Integers
    judged_system: Integers
    judged_item: Integers
    judged_unit: Integers
    judged_output: Integers

    def pick(self, values: Scalars) -> Scalars:
        """Keep the targets of an array over rows."""
        return values[self.target]

    def of_others(self, values: Array, place: Integers, judged: Integers) -> tuple[Array, Array]:
        """Return (n,) sums and counts of the targets of other judges at each row's place.

        Args:
            values: (n,) what to add up.
            place: (n,) codes of places.
            judged: (n,) codes of judges at the places.

        """
        held = self.pick(values)
        found = []
        for weights in (held, None):
            everybody = np.bincount(self.pick(place), weights, int(place.max()) + 1)
            own = np.bincount(self.pick(judged), weights, int(judged.max()) + 1)
            found.append(everybody[place] - own[judged])
        return np.asarray(found[0]), np.asarray(found[1], dtype=np.float64)

    def centre(self, values: Array) -> Array:
        """Return (n,) values minus the mean of the targets of the same judge and group."""
        size = int(self.judged_group.max()) + 1
        own = self.pick(self.judged_group)
        many = np.bincount(own, minlength=size)
        mean = np.bincount(own, self.pick(values), size) / np.maximum(many, 1)
        mean[many == 0] = float(self.pick(values).mean())  # only controls: nothing of their own
        return values - mean[self.judged_group]


def make_places(rows: RatingRows, target: Mask) -> Places:
    """Code the places of all rows.

    Args:
        rows: the ratings.
        target: (n,) whether a row is the score of an output as such.

    """
    known = rows.items != ("",)
    each = np.arange(rows.size)  # without items every row may be another output
    group = number_groups(rows.task, rows.criterion)
    system = number_groups(group, rows.system)
    item = number_groups(group, rows.item if known else each)
    unit = number_groups(item, rows.system)
    all_places = (group, system, item, unit, rows.output if known else each)
    judged = [number_groups(rows.judge, place) for place in all_places]
    return Places(target, group, system, item, unit, *judged)
