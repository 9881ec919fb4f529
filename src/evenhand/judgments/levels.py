"""How many judges (or items) there are, and how evenly they worked, without a tally by them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.comparisons import TASK_BOUND, Comparisons
from evenhand.judgments.engine import ANSWER, COUNT, fetch_columns, one_thread

Loads = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Levels:
    """Comparisons by judge, by item."""

    loads: Mapping[str, Loads]  # role → (levels,) comparisons of each level

    def count(self, role: str) -> int | None:
        """Return the number of judges or items, or None where they are not known."""
        return len(self.loads[role]) if role in self.loads else None

    def effective(self, role: str) -> float | None:
        """Return (Σ n)² / Σ n², or None where they are not known."""
        loads = self.loads.get(role)
        return None if loads is None else float(loads.sum() ** 2 / (loads**2).sum())


def count_levels(table: Comparisons, role: str) -> Loads:
    """Count comparisons by judge or item, as they are weighted.

    Rows of weight zero count nowhere, nor do those that do not name one.
    """
    table.require(role)
    keys = ["task", role] if role in TASK_BOUND and table.has("task") else [role]
    named = table.frame.filter(~nw.col(role).is_null())
    if not table.has("weight"):
        counted = named.group_by(*keys).agg(nw.len().alias(COUNT))
    else:
        weighed = named.filter(nw.col("weight") > 0)
        counted = weighed.group_by(*keys).agg(nw.col("weight").sum().alias(COUNT))
    with one_thread(table.source.connection):
        return fetch_columns(counted)[COUNT].astype(np.float64)


def split_table(table: Comparisons, by: str) -> dict[str, Comparisons]:
    """Return the rows of each level of a column, by its name as text."""
    level = nw.col(by).cast(nw.String)
    counted = table.frame.select(level).group_by(by).agg(nw.len().alias(COUNT))
    names = sorted(name for name in fetch_columns(counted)[by].tolist() if name is not None)
    return {name: table.where(level == name, recorded=False) for name in names}


def count_answers(table: Comparisons, by: str | None = None) -> dict[str, float]:
    """Count answers, a ranking being one, as they are weighted; by group, or under "" for all."""
    groups = [by] if by is not None else []
    answers = table.frame
    weight = nw.col("weight") if table.has("weight") else None
    if table.expanded:
        whole = ("task", "ranking") if table.rankings is not None else (ANSWER,)
        keys = dict.fromkeys([*groups, *(k for k in whole if table.has(k))])
        each = nw.len() if weight is None else weight.max()
        answers = answers.group_by(*keys).agg(each.alias(COUNT))
        found = fetch_columns(answers.select(*groups, COUNT))
        n = np.ones(len(found[COUNT])) if weight is None else found[COUNT].astype(np.float64)
        labels = found[by].tolist() if by is not None else [""] * len(n)
    else:
        sums = nw.len() if weight is None else weight.sum()
        counted = answers.group_by(by).agg(sums.alias(COUNT)) if by is not None else None
        found = fetch_columns(answers.select(sums.alias(COUNT)) if counted is None else counted)
        n = found[COUNT].astype(np.float64)
        labels = found[by].tolist() if by is not None else [""]
    totals: dict[str, float] = {}
    for label, own in zip(labels, n.tolist(), strict=True):
        totals[str(label)] = totals.get(str(label), 0.0) + own
    return totals
