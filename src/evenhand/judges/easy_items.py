"""Easy items: outputs whose worth is known, and judges who miss it (Hamon et al. 2007, 3.3).

The paper has a list of outputs that are known to be good, which no serious judge scores low, looks
at them by hand, and prints no threshold. The rule here is ours:

    a score misses      what is expected by half of the range of the scale or more (`miss`)
    a judge is outside  who misses more than a third (`share`) of two or more (`least`)

A careless judge misses about half, whatever the outputs are. What is expected: of a listed output
the top of the scale; of a control its expected score, else the top or the bottom by its direction.
A known bad control that the same judge also scored undamaged, which is how damaged outputs are
used, is set beside that score instead: it misses unless it is lower. When not to use it: on outputs
that are only likely to be good.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.data.rating_rows import CONTROL, RatingRows, Scale
from evenhand.errors import UnknownOption, listing, suggest
from evenhand.judges.profiles import Outliers
from evenhand.judges.units import Record

NAME: Final = "easy-items"
Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
# Items known to be easy for all systems, or (item, system) for single outputs
Easy: TypeAlias = Collection[str | tuple[str, str]]


@dataclass(frozen=True)
class EasyRule:
    # distance from what is expected at which a score misses (share of the scale's range)
    miss: float = 0.5
    share: float = 1 / 3  # share of missed scores above which a judge is outside (proportion)
    least: int = 2  # fewest scores of easy outputs on which a judge is judged

    def __post_init__(self) -> None:
        if not 0 < self.miss <= 1:
            raise UnknownOption(
                f"miss {self.miss:g} is no share of a scale: give one above 0, at most 1"
            )
        if not 0 <= self.share < 1:
            raise UnknownOption(
                f"share {self.share:g} of missed scores can put nobody outside: give one of 0 or"
                " more, below 1"
            )
        if self.least < 1:
            raise UnknownOption(f"least {self.least} scores are too few: give 1 or more")


@dataclass(frozen=True)
class EasyCount(Record):
    judge: str  # the name
    criterion: str  # the criterion
    n: int  # scores of outputs whose worth is known
    missed: int  # how many of them missed it


def count_missed(
    rows: RatingRows, easy: Easy, scales: Mapping[str, Scale], miss: float
) -> dict[str, tuple[EasyCount, ...]]:
    low, high = (
        np.array([getattr(scales[name], end) for name in rows.criteria])[rows.criterion]
        for end in ("low", "high")
    )
    expected = _expected(rows, _listed(rows, easy), low, high)
    known = ~np.isnan(expected)
    missed = np.zeros(rows.size, dtype=np.bool_)
    away = np.abs(rows.score[known] - expected[known])
    missed[known] = away >= miss * (high - low)[known]
    damaged, undamaged = _undamaged(rows)
    missed[damaged] = rows.score[damaged] >= undamaged
    judges = len(rows.judges)
    cell = rows.criterion.astype(np.int64) * judges + rows.judge
    n = np.bincount(cell[known])
    failed = np.bincount(cell[known & missed], minlength=len(n))
    counts: dict[str, list[EasyCount]] = {}
    for at in np.flatnonzero(n).tolist():
        name = rows.criteria[at // judges]
        count = EasyCount(rows.judges[at % judges], name, int(n[at]), int(failed[at]))
        counts.setdefault(name, []).append(count)
    return {name: tuple(judge_counts) for name, judge_counts in counts.items()}


def find_by_easy_items(
    criterion: str, counts: Collection[EasyCount], rule: EasyRule | None = None
) -> Outliers:
    rule = rule or EasyRule()
    values = {count.judge: count.missed / count.n for count in counts if count.n >= rule.least}
    worst = sorted(values, key=lambda judge: (-values[judge], judge))
    few = f"no judge scored {rule.least} outputs whose worth is known"
    none = (
        "no output is known to be good or bad: none is listed as easy, and no control says what it"
        " should get"
    )
    return Outliers(
        NAME,
        criterion,
        values,
        upper=rule.share,
        high=tuple(judge for judge in worst if values[judge] > rule.share),
        why=None if values else few if counts else none,
    )


def count_unknown(rows: RatingRows, easy: Easy) -> int:
    """Count scores of controls of which nobody knows what they should get."""
    if rows.kind is None:
        return 0
    low = np.zeros(rows.size)
    nobody = np.isnan(_expected(rows, _listed(rows, easy), low, low))
    return int((nobody & (rows.kind == CONTROL)).sum())


def _listed(rows: RatingRows, easy: Easy) -> Mask:
    listed = np.zeros(rows.size, dtype=np.bool_)
    tasks = [task for task in rows.tasks if task]
    for output in easy:
        item, system = (output, None) if isinstance(output, str) else output
        names = {item, *(f"{task} / {item}" for task in tasks)}  # an item without its task
        codes = [code for code, name in enumerate(rows.items) if name in names]
        if not codes:
            hint = suggest(item, rows.items) or f" There are {listing(rows.items)}"
            raise UnknownOption(f"easy item '{item}' is not in the data.{hint}")
        of_item = np.isin(rows.item, codes)
        if system is None:
            listed |= of_item
            continue
        if system not in rows.systems:
            raise UnknownOption(
                f"easy output of '{system}': there is no such system."
                f" There are {listing(rows.systems)}"
            )
        listed |= of_item & (rows.system == rows.systems.index(system))
    return listed


def _expected(rows: RatingRows, listed: Mask, low: Array, high: Array) -> Array:
    """Return what each score should be, NaN where nobody knows."""
    expected = np.where(listed, high, np.nan)
    if rows.kind is None:
        return expected
    control = rows.kind == CONTROL
    if rows.direction is not None:
        expected = np.where(control & (rows.direction > 0), high, expected)
        expected = np.where(control & (rows.direction < 0), low, expected)
    if rows.expected is not None:
        known = control & ~np.isnan(rows.expected)
        expected = np.where(known, rows.expected, expected)
    return expected


def _undamaged(rows: RatingRows) -> tuple[NDArray[np.intp], Array]:
    """Return bad controls that their judge also scored as they were, with that score's mean."""
    if rows.kind is None or rows.direction is None:
        return np.empty(0, dtype=np.intp), np.empty(0)
    bad = (rows.kind == CONTROL) & (rows.direction < 0)
    if rows.expected is not None:
        bad &= np.isnan(rows.expected)
    wide = rows.unit * len(rows.judges) + rows.judge
    names, cell = np.unique(wide, return_inverse=True)
    plain = rows.kind != CONTROL
    n = np.bincount(cell[plain], minlength=len(names))
    total = np.bincount(cell[plain], rows.score[plain], minlength=len(names))
    damaged = np.flatnonzero(bad & (n[cell] > 0))
    return damaged, total[cell[damaged]] / n[cell[damaged]]
