"""Asking again instead of removing: systems scored by first and by last words.

Hamon, Mostefa & Arranz (2007, section 3.3) would have divergent judges "redo their evaluation".
Both versions are kept in the data; here each is used in turn.
"""

from __future__ import annotations

import numpy as np

from evenhand.judgments.rating_rows import RatingRows
from evenhand.numerics.grouping import number_groups
from evenhand.screening.diagnosis_result import Revision
from evenhand.screening.removal import choose_version
from evenhand.screening.rescoring import ScoreTable, correlate


def find_revisions(rows: RatingRows) -> tuple[Revision, ...]:
    """Return what last words change, for each criterion where a judge scored an output twice.

    Args:
        rows: scores; controls are left out.

    """
    every = choose_version(rows, "both")
    cell = number_groups(every.unit, every.judge)
    twice = np.bincount(cell)[cell] > 1 if every.size else np.zeros(0, dtype=np.bool_)
    if not twice.any():
        return ()
    names = ("criterion",)
    again = every.take(twice).split(names)
    first, last = (choose_version(rows, version).split(names) for version in ("first", "last"))
    return tuple(_compare(part, first[key], last[key]) for key, part in again.items())


def _compare(again: RatingRows, first: RatingRows, last: RatingRows) -> Revision:
    """Compare the two versions of one criterion."""
    name = again.criteria[int(again.criterion[0])]
    tables = [ScoreTable.of(rows, name) for rows in (first, last)]
    count = tables[0].count.sum(axis=0)  # the same outputs and judges are in both
    scored = count > 0
    one, other = (table.total.sum(axis=0)[scored] / count[scored] for table in tables)
    systems = [system for system, here in zip(first.systems, scored.tolist(), strict=True) if here]
    cells = number_groups(again.unit, again.judge)
    judges = np.unique(again.judge).tolist()
    return Revision(
        name,
        again.size - int(cells.max()) - 1,
        tuple(again.judges[code] for code in judges),
        dict(zip(systems, one.tolist(), strict=True)),
        dict(zip(systems, other.tolist(), strict=True)),
        correlate(one, other),
    )
