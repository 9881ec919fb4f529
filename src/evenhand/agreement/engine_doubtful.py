"""Items on whose outputs judges are farthest apart, listed by the engine that holds their sums.

Differences are summed as whole numbers (of steps, times a common multiple of pairs of judges), so
that equal items are equal on every engine and stand by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import lcm
from typing import Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.agreement_table import Doubtful
from evenhand.agreement.count_table import Key
from evenhand.agreement.doubtful import LISTED, PRIOR
from evenhand.agreement.engine_codes import NAME
from evenhand.agreement.engine_units import JUDGES, ItemSums, name_parts, name_together
from evenhand.judgments.engine import COUNT, Columns, fetch_columns

_ALL, _GAP, _MEAN = "evenhand_all", "evenhand_gap", "evenhand_mean"
_LOW, _PLACE = "evenhand_low", "evenhand_place"
_EXACT: Final = 1_000_000
"""Largest common multiple of pairs of judges by which differences become whole numbers."""


def list_doubtful_items(
    sums: ItemSums, by: Sequence[str], sizes: Sequence[int]
) -> dict[Key, tuple[Doubtful, ...]]:
    """Return the items of every part on which judges are farthest apart, the worst first.

    Args:
        sums: sums by item.
        by: columns whose levels are parts.
        sizes: different numbers of judges of a unit, two or more.

    """
    multiple = lcm(*(m * (m - 1) // 2 for m in sizes))
    multiple = multiple if multiple <= _EXACT else 1
    parts, items = [*by] or [_ALL], dict.fromkeys([*by, *_tasks(sums), "item"])
    apart = _weigh_pairs(sums.points, multiple)
    frame = sums.frame.filter(nw.col(JUDGES) > 1).with_columns(apart.alias(_GAP))
    total = nw.col(_GAP).sum(), nw.col(COUNT).cast(nw.Float64).sum()
    frame = frame.group_by(*items).agg(*total).with_columns(nw.lit(1).alias(_ALL))
    mean = nw.col(_GAP).sum().over(*parts) / nw.col(COUNT).sum().over(*parts)
    frame = frame.with_columns(mean.alias(_MEAN))
    drawn = (nw.col(_GAP) + PRIOR * nw.col(_MEAN)) / (nw.col(COUNT) + PRIOR)
    frame = frame.with_columns((0.0 - drawn).alias(_LOW))
    place = nw.col(_ALL).cum_sum().over(*parts, order_by=[_LOW, "item"])
    frame = frame.with_columns(place.alias(_PLACE)).filter(nw.col(_PLACE) <= LISTED)
    frame = frame.join(sums.scores.items, on="item", how="inner")  # type: ignore[arg-type]
    found = fetch_columns(frame.select(*items, NAME, COUNT, _GAP, _MEAN, _LOW))
    return _read_doubtful(
        found, name_parts(found, by, sums.scores), multiple, _name_tasks(found, sums)
    )


def _tasks(sums: ItemSums) -> list[str]:
    return ["task"] if "task" in sums.levels else []


def _name_tasks(found: Columns, sums: ItemSums) -> list[str]:
    """Return the task of each row, "" where there are none."""
    if "task" not in found:
        return [""] * len(found[COUNT])
    return [sums.scores.names["task"][int(at)] for at in found["task"]]


def _weigh_pairs(points: NDArray[np.float64], multiple: int) -> nw.Expr:
    """Return the sum over pairs of judges of their difference, times a multiple of 1 / pairs."""
    k = len(points)
    judges = nw.col(JUDGES).cast(nw.Float64)
    apart = nw.lit(0.0)
    for name, (low, high) in zip(
        name_together(k), combinations_with_replacement(range(k), 2), strict=True
    ):
        if low < high:
            gap = float(points[high] - points[low])
            apart = apart + nw.col(name).cast(nw.Float64) * gap
    return apart * (2.0 * multiple / (judges * (judges - 1.0)))


def _read_doubtful(
    found: Columns, keys: Sequence[Key], multiple: int, tasks: Sequence[str]
) -> dict[Key, tuple[Doubtful, ...]]:
    listed: dict[Key, tuple[Doubtful, ...]] = {}
    order = sorted(range(len(keys)), key=lambda at: (found[_LOW][at], found[NAME][at]))
    for at in order:
        units, total = int(found[COUNT][at]), float(found[_GAP][at]) / multiple
        drawn = (total + PRIOR * float(found[_MEAN][at]) / multiple) / (units + PRIOR)
        own = Doubtful(found[NAME][at], tasks[at], units, total / units, drawn)
        listed[keys[at]] = (*listed.get(keys[at], ()), own)
    return listed
