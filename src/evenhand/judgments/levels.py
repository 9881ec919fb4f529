"""How many judges (or items) there are, and how evenly they worked, without a tally by them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.comparisons import TASK_BOUND, Comparisons
from evenhand.judgments.engine import fetch_columns

Loads = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Levels:
    """Comparisons by judge, by item.

    Attributes:
        loads: role → (levels,) comparisons of each level.

    """

    loads: Mapping[str, Loads]

    def count(self, role: str) -> int | None:
        """Return the number of judges or items, or None where they are not known."""
        return len(self.loads[role]) if role in self.loads else None

    def effective(self, role: str) -> float | None:
        """Return (Σ n)² / Σ n², or None where they are not known."""
        loads = self.loads.get(role)
        return None if loads is None else float(loads.sum() ** 2 / (loads**2).sum())


def count_levels(table: Comparisons, role: str) -> Loads:
    """Count comparisons by judge or item, as they are weighted; rows of weight zero count nowhere.

    Raises:
        UnknownColumn: the table has no such column.

    """
    table.require(role)
    keys = ["task", role] if role in TASK_BOUND and table.has("task") else [role]
    if not table.has("weight"):
        counted = table.frame.group_by(*keys).agg(nw.len().alias("n"))
    else:
        weighed = table.frame.filter(nw.col("weight") > 0)
        counted = weighed.group_by(*keys).agg(nw.col("weight").sum().alias("n"))
    return fetch_columns(counted)["n"].astype(np.float64)
