"""Items on whose outputs judges are farthest apart, listed by the engine that holds their sums.

Differences are summed as whole numbers (of steps, times a common multiple of pairs of judges), and
each item has one quotient of such: items that are equal are so on every engine, and stand by name.
Where scores are no whole steps apart, quotients are equal that are so to the twelfth digit.
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

_ALL, _GAP, _WHOLE = "evenhand_all", "evenhand_gap", "evenhand_whole"
_UNITS: Final = "evenhand_units"
_LOW, _PLACE = "evenhand_low", "evenhand_place"
_EXACT: Final = 1_000_000
"""Largest common multiple of pairs of judges by which differences become whole numbers."""
_NEAR: Final = 1e-9
_DIGITS: Final = 12


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
    parts, items = [*by] or [_ALL], dict.fromkeys([*by, *_tasks(sums), "item"])
    targets = sums.scores.targets
    scores = targets.points if targets.distances else None
    steps, step, whole = _find_steps(len(sums.points), scores)
    exact = whole and multiple <= _EXACT
    multiple = multiple if exact else 1
    apart = _weigh_pairs(steps, multiple)
    frame = sums.frame.filter(nw.col(JUDGES) > 1).with_columns(apart.alias(_GAP))
    total = nw.col(_GAP).sum(), nw.col(COUNT).cast(nw.Float64).sum()
    frame = frame.group_by(*items).agg(*total).with_columns(nw.lit(1).alias(_ALL))
    sums_of = nw.col(_GAP).sum().over(*parts), nw.col(COUNT).sum().over(*parts)
    frame = frame.with_columns(sums_of[0].alias(_WHOLE), sums_of[1].alias(_UNITS))
    frame = frame.with_columns(_draw(exact=exact).alias(_LOW))
    place = nw.col(_ALL).cum_sum().over(*parts, order_by=[_LOW, "item"])
    frame = frame.with_columns(place.alias(_PLACE)).filter(nw.col(_PLACE) <= LISTED)
    frame = frame.join(sums.scores.items, on="item", how="inner")  # type: ignore[arg-type]
    found = fetch_columns(frame.select(*items, NAME, COUNT, _GAP, _WHOLE, _UNITS, _LOW))
    keys, tasks = name_parts(found, by, sums.scores), _name_tasks(found, sums)
    return _read_doubtful(found, keys, tasks, (step, multiple))


def _find_steps(
    k: int, points: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], float, bool]:
    """Return the scores in steps above the lowest, the step, and whether that leaves no rest.

    Where none does, the step is the whole range.

    Args:
        k: number of different scores.
        points: (K,) the scores; None where two of them are the same or not.

    """
    if points is None or k == 1:
        return np.zeros(k), 1.0, True
    step = float(np.diff(points).min())
    steps = (points - points[0]) / step
    if (np.abs(steps - np.round(steps)) <= _NEAR * np.maximum(steps, 1.0)).all():
        return np.round(steps), step, True
    span = float(points[-1] - points[0])
    return (points - points[0]) / span, span, False


def _draw(*, exact: bool) -> nw.Expr:
    """Return what items are ordered by: −(own gap × units + 5 × whole gap) / (own units + 5).

    Args:
        exact: whether all of these are whole numbers; else quotients are rounded.

    """
    drawn = nw.col(_GAP) * nw.col(_UNITS) + PRIOR * nw.col(_WHOLE)
    own = nw.col(COUNT) + PRIOR
    if exact:
        return 0.0 - drawn / own
    return (0.0 - drawn / (own * nw.col(_UNITS))).round(_DIGITS)


def _tasks(sums: ItemSums) -> list[str]:
    return ["task"] if "task" in sums.levels else []


def _name_tasks(found: Columns, sums: ItemSums) -> list[str]:
    """Return the task of each row, "" where there are none."""
    if "task" not in found:
        return [""] * len(found[COUNT])
    return [sums.scores.names["task"][int(at)] for at in found["task"]]


def _weigh_pairs(steps: NDArray[np.float64], multiple: int) -> nw.Expr:
    """Return the sum over pairs of judges of their difference, times a multiple of 1 / pairs.

    Args:
        steps: (K,) the scores in steps above the lowest; all 0 where two are the same or not.
        multiple: of 1 / pairs.

    """
    judges = nw.col(JUDGES).cast(nw.Float64)
    apart, k = nw.lit(0.0), len(steps)
    for name, (low, high) in zip(
        name_together(k), combinations_with_replacement(range(k), 2), strict=True
    ):
        if low < high:
            gap = float(steps[high] - steps[low]) if steps.any() else 1.0
            apart = apart + nw.col(name).cast(nw.Float64) * gap
    return apart * (2.0 * multiple / (judges * (judges - 1.0)))


def _read_doubtful(
    found: Columns, keys: Sequence[Key], tasks: Sequence[str], scale: tuple[float, int]
) -> dict[Key, tuple[Doubtful, ...]]:
    """Return items by part.

    Args:
        found: what was fetched.
        keys: part of each row.
        tasks: task of each row.
        scale: the step, and the multiple of 1 / pairs.

    """
    (step, multiple), listed = scale, dict[Key, tuple[Doubtful, ...]]()
    order = sorted(range(len(keys)), key=lambda at: (found[_LOW][at], found[NAME][at]))
    for at in order:
        units, total = int(found[COUNT][at]), float(found[_GAP][at]) * step / multiple
        mean = float(found[_WHOLE][at]) * step / float(found[_UNITS][at]) / multiple
        own = (units, total / units, (total + PRIOR * mean) / (units + PRIOR))
        doubtful = Doubtful(found[NAME][at], tasks[at], *own)
        listed[keys[at]] = (*listed.get(keys[at], ()), doubtful)
    return listed
