"""Items on whose outputs judges are farthest apart."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.agreement_table import Doubtful
from evenhand.agreement.units import Units

Array = NDArray[np.float64]

LISTED: Final = 10
"""Most items that are listed."""
PRIOR: Final = 5.0
"""Units of the mean item that every item is drawn towards."""
_DIGITS: Final = 12


def list_doubtful(units: Units, difference: Array) -> tuple[Doubtful, ...]:
    """Return the items on whose outputs judges differ most, the worst first.

    They are ordered by their mean drawn towards that of all items as by five more units, since
    an item with one unit is not the worst for one wide gap. Equal ones stand by name.

    Args:
        units: who scored what.
        difference: (U,) mean |difference| of two judges of each unit.

    """
    if not units.several.any():
        return ()
    names, items = units.labels("item")
    kept = slice(None) if units.several.all() else units.several
    count = np.bincount(items[kept], minlength=len(names))
    total = np.bincount(items[kept], difference[kept], len(names))
    mean = float(total.sum() / count.sum())
    drawn = (total + PRIOR * mean) / (count + PRIOR)
    seen = np.flatnonzero(count)
    most = float(difference.max(initial=0.0)) or 1.0
    equal = np.round(drawn[seen] / most, _DIGITS)  # sums of equal fractions differ in the last one
    ascending = np.argsort(-equal, kind="stable")[:LISTED]
    tasks, task = units.labels("task")
    found = []
    for item in seen[ascending].tolist():
        own = tasks[0] if len(tasks) == 1 else tasks[task[int(np.argmax(items == item))]]
        found.append(
            Doubtful(
                item=names[item],
                task=own,
                units=int(count[item]),
                difference=float(total[item] / count[item]),
                drawn=float(drawn[item]),
            )
        )
    return tuple(found)
