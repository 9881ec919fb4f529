"""Several scores of one judge for one output are one, their mean.

They are not independent: what a judge thinks of an output is in each of them, and would be counted
as often as it was written down. Their mean is one score, whose residual holds that opinion and, as
far as it is left in the mean, the chance of a single answer.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evenhand.judgments.rating_rows import RatingRows
from evenhand.numerics.grouping import number_groups


def average_repeats(rows: RatingRows) -> tuple[RatingRows, tuple[str, ...]]:
    """Take the mean of the scores of each judge for each output.

    Args:
        rows: scores of one task under one criterion.

    Returns:
        One row for each judge and output, the first one's other values kept; and a note of how many
        scores that leaves out.

    """
    cell = number_groups(rows.judge, rows.item, rows.system)
    present, first, own, counts = np.unique(
        cell, return_index=True, return_inverse=True, return_counts=True
    )
    if len(present) == rows.size:
        return rows, ()
    mean = np.bincount(own.reshape(-1), rows.score) / counts
    note = (
        f"{rows.size - len(present):,} scores repeat one of the same judge for the same output: the"
        f" mean of such scores counts once, so that {len(present):,} are left of {rows.size:,}"
    )
    return replace(rows.take(first), score=np.asarray(mean, dtype=np.float64)), (note,)
