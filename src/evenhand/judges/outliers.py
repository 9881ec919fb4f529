"""Each judge beside the others, and who is outside by mean score, mean agreement or easy items."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.data.directions import sign_scores
from evenhand.data.rating_rows import CONTROL, RatingRows, Scale
from evenhand.errors import UnknownOption, listing, suggest
from evenhand.judges.units import NO_OVERLAP, Record
from evenhand.numerics import Array, Flags
from evenhand.numerics.cluster_means import see_others
from evenhand.numerics.distributions import t_tail

# Judges beside the others, criterion by criterion: the mean of all scores of a judge; gap, the mean
# of (own score − mean of the others' scores of that output); mean agreement, the mean of mean |own
# score − another's score of that output|. The last two are over the outputs that somebody else
# scored too; each of the judge's scores counts once, by however many others the output was scored.
# Hamon, Mostefa & Arranz (2007), section 3.3, have two judges an output. Mean agreement is a
# distance.


@dataclass(frozen=True)
class JudgeProfile(Record):
    judge: str  # the name
    criterion: str  # the criterion; "" where the data have none
    n: int  # scores that the judge gave
    shared: int  # those on outputs that another judge scored too
    mean: float  # mean of all n scores
    # mean over the shared of the others' mean; None without shared outputs
    others_mean: float | None
    gap: float | None  # mean over the shared of own score minus the others' mean, or None
    mean_agreement: float | None  # mean over the shared of the mean distance |own − other|, or None


def profile_judges(rows: RatingRows) -> dict[str, tuple[JudgeProfile, ...]]:
    judges = len(rows.judges)
    cell = rows.criterion.astype(np.int64) * judges + rows.judge
    size = judges * len(rows.criteria)
    unit = rows.unit if knows_items(rows) else np.arange(rows.size)  # else each is another
    others = see_others(unit, rows.judge.astype(np.int64), rows.score)
    shared = others.count > 0
    here = cell[shared]
    n, n_shared = np.bincount(cell, minlength=size), np.bincount(here, minlength=size)
    sums = [
        np.bincount(cell, rows.score, minlength=size),
        np.bincount(here, others.mean[shared], minlength=size),
        np.bincount(here, (rows.score - others.mean)[shared], minlength=size),
        np.bincount(here, others.distance[shared], minlength=size),
    ]
    by_criterion: dict[str, list[JudgeProfile]] = {}
    for at in np.flatnonzero(n).tolist():
        many, common = int(n[at]), int(n_shared[at])
        total_score, *theirs = (float(total[at]) for total in sums)
        beside = [one / common if common else None for one in theirs]
        criterion, judge = rows.criteria[at // judges], rows.judges[at % judges]
        profile = JudgeProfile(judge, criterion, many, common, total_score / many, *beside)
        by_criterion.setdefault(criterion, []).append(profile)
    return {criterion: tuple(profiles) for criterion, profiles in by_criterion.items()}


def knows_items(rows: RatingRows) -> bool:
    """Say whether the data tell which scores are of the same output."""
    return rows.items != ("",)


# The limits of Hamon, Mostefa & Arranz (2007, section 3.4) are centre ± k sd over judges: the
# centre is the mean of the judges' values, each judge counting once; k is 1. Two things are not in
# print and ours: the sd has J − 1 below the line (`ddof=0` gives J), and a judge exactly on a limit
# is within. With judges who only differ by chance about a third are outside on two sides.

# A value this near to a limit, beside the distance of limit and centre, is on it
_NEAR: Final = 1e-9
_ROUNDING: Final = 1e-12  # So far may means of equal scores differ, beside the size of the scores


@dataclass(frozen=True)
class Outliers(Record):
    method: str  # "mean-score", "mean-agreement" or "easy-items"
    criterion: str  # the criterion; "" where the data have none
    # judge → what the method looks at; judges for whom it does not exist are left out
    values: Mapping[str, float]
    # mean of the values, each judge once; None where the method has no such limits
    centre: float | None = None
    sd: float | None = None  # their standard deviation, or None
    lower: float | None = None  # values below are outside; None if none is too low
    upper: float | None = None  # values above are outside; None if none is too high
    high: tuple[str, ...] = ()  # judges above, the farthest first
    low: tuple[str, ...] = ()  # judges below, the farthest first
    why: str | None = None  # why the method says nothing, where it does

    @property
    def judges(self) -> tuple[str, ...]:
        return tuple(sorted({*self.high, *self.low}))

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "judges": list(self.judges)}


@dataclass(frozen=True)
class Limits:
    k: float = 1.0  # standard deviations
    ddof: int = 1  # what is taken from the number of judges below the line of the sd, 1 or 0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.k) and self.k > 0):
            raise UnknownOption(f"{self.k:g} sd is no limit: give a number above 0")
        if self.ddof not in (0, 1):
            raise UnknownOption(f"ddof cannot be {self.ddof}: 1 divides by judges − 1, 0 by judges")


def outside_limits(
    method: str,
    criterion: str,
    values: Mapping[str, float],
    limits: Limits,
    *,
    two_sided: bool,
    size: float = 0.0,
) -> Outliers:
    """Find the judges beyond centre ± k sd, or above centre + k sd only."""
    if len(values) < 2:
        one = f"one judge ({next(iter(values))})" if values else "no judge"
        return Outliers(
            method, criterion, values, why=f"{one} has a value: a spread needs two judges"
        )
    numbers = np.array(list(values.values()))
    centre, sd = float(numbers.mean()), float(numbers.std(ddof=limits.ddof))
    reach = limits.k * sd
    slack = _NEAR * reach + _ROUNDING * max(size, float(np.abs(numbers).max()))
    ordered = sorted(values, key=lambda judge: (values[judge], judge))
    return Outliers(
        method,
        criterion,
        values,
        centre,
        sd,
        lower=centre - reach if two_sided else None,
        upper=centre + reach,
        high=tuple(j for j in reversed(ordered) if values[j] > centre + reach + slack),
        low=tuple(j for j in ordered if two_sided and values[j] < centre - reach - slack),
    )


# Mean agreement by judge (section 3.3): judges above centre + k sd are outside, none is too near. A
# strict judge is as far from the others as a careless one.
#
# Mean score by judge. The paper (section 3.3) sets a judge's mean beside the mean of the same
# outputs by the others and removes those "above and behind the standard deviation". Its rule can be
# read in two ways, and both are here: the judge's mean against the mean of all judges' means
# (figures 2 and 3 as they are drawn), or the gap to the others on the same outputs against the mean
# of all gaps. A mean depends on which outputs a judge happened to see, a gap does not.

MEAN_AGREEMENT: Final = "mean-agreement"
MEAN_SCORE: Final = "mean-score"
READINGS: Final = ("mean", "gap")


def find_by_mean(
    method: str, profiles: Sequence[JudgeProfile], limits: Limits, *, reading: str = "mean"
) -> Outliers:
    """Find judges outside by their mean agreement, or by a reading of their mean score."""
    scored = method == MEAN_SCORE
    known = {one.judge: getattr(one, reading if scored else "mean_agreement") for one in profiles}
    values = {judge: value for judge, value in known.items() if value is not None}
    size = max(abs(one.mean) for one in profiles)
    found = outside_limits(
        method, profiles[0].criterion, values, limits, two_sided=scored, size=size
    )
    if values or scored:
        return found
    return replace(found, why=f"{NO_OVERLAP}: nobody can be set beside others")


# How many judges the limits leave outside by chance alone. The deviation of one of J independent
# normal values from their mean, in units of their own standard deviation s (divisor J − 1), follows
# Thompson's law (W. R. Thompson, Annals of Mathematical Statistics 6, 1935, 214-219):
#
#     P(|x − mean| > k s) = P(|T| > t),   t = k √J √(J − 2) / √((J − 1)² − J k²)
#
# with T on J − 2 degrees of freedom, and 0 where k is (J − 1) / √J or more.


def share_outside(limits: Limits, judges: int) -> float:
    """Return the share of judges with normal values outside centre ± k sd (proportion)."""
    k = limits.k if limits.ddof else limits.k * sqrt((judges - 1) / judges)
    below = (judges - 1) ** 2 - judges * k * k
    if below <= 0:
        return 0.0
    if judges == 2:
        return 1.0  # both are (x − y) / 2 from their mean, whatever they are
    return t_tail(k * sqrt(judges * (judges - 2) / below), judges - 2)


# Easy items: outputs whose worth is known, and judges who miss it (Hamon et al. 2007, 3.3). The
# paper looks at them by hand and prints no threshold; the rule is ours. A score misses what is
# expected by half of the range of the scale or more (`miss`), and a judge is outside who misses
# more than a third (`share`) of two or more (`least`): a careless judge misses about half. Expected
# is of a listed output the best end of the scale; of a control its expected score, else the best or
# the worst end by its direction. A known bad control that the same judge also scored undamaged is
# set beside that score instead: it misses unless it is worse.

EASY_ITEMS: Final = "easy-items"
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
    if len(damaged):
        missed[damaged] = sign_scores(rows)[damaged] * (rows.score[damaged] - undamaged) >= 0
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


def find_by_easy_items(criterion: str, counts: Collection[EasyCount], rule: EasyRule) -> Outliers:
    values = {count.judge: count.missed / count.n for count in counts if count.n >= rule.least}
    worst = sorted(values, key=lambda judge: (-values[judge], judge))
    few = f"no judge scored {rule.least} outputs whose worth is known"
    none = (
        "no output is known to be good or bad: none is listed as easy, and no control says what it"
        " should get"
    )
    return Outliers(
        EASY_ITEMS,
        criterion,
        values,
        upper=rule.share,
        high=tuple(judge for judge in worst if values[judge] > rule.share),
        why=None if values else few if counts else none,
    )


def count_unknown(rows: RatingRows, easy: Easy) -> int:
    """Count scores of controls of which nobody knows what they should get."""
    low, control = np.zeros(rows.size), False if rows.kind is None else rows.kind == CONTROL
    return int((np.isnan(_expected(rows, _listed(rows, easy), low, low)) & control).sum())


def _listed(rows: RatingRows, easy: Easy) -> Flags:
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


def _expected(rows: RatingRows, listed: Flags, low: Array, high: Array) -> Array:
    control = np.zeros(rows.size, dtype=np.bool_) if rows.kind is None else rows.kind == CONTROL
    if not (listed | control).any():
        return np.full(rows.size, np.nan)
    sign = sign_scores(rows)
    best, worst = np.where(sign > 0, (high, low), (low, high))
    expected = np.where(listed, best, np.nan)
    if rows.direction is not None:
        known = control & (rows.direction != 0)
        expected = np.where(known, np.where(rows.direction > 0, best, worst), expected)
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
