"""Each judge beside the others, who is outside, and whom to remove.

Outside are judges by mean score, mean agreement or easy items. Of a removal stands here which
scores count, and what becomes of systems and of a coarser scale.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import sqrt
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.data.rating_rows import CONTROL, TARGET, RatingRows, Scale, sign_scores
from evenhand.errors import UnknownOption, listing, require_option, suggest
from evenhand.judges.units import NO_OVERLAP, Record
from evenhand.numerics import Array, Integers
from evenhand.numerics.cluster_means import number_groups, pearson, see_others, spearman
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
    # judge → what the method looks at; judges for whom it does not exist are not in it
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


# By mean agreement judges above centre + k sd are outside, none is too near. By mean score the rule
# of the paper (section 3.3) can be read in two ways, and both are here: a mean depends on which
# outputs a judge happened to see, a gap does not.

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
    expected = _expected(rows, easy, low, high)
    known = ~np.isnan(expected)
    missed = np.zeros(rows.size, dtype=np.bool_)
    away = np.abs(rows.score[known] - expected[known])
    missed[known] = away >= miss * (high - low)[known]
    if rows.kind is not None and rows.direction is not None:
        # bad controls that their judge also scored as they were, beside that score's mean
        bad = (rows.kind == CONTROL) & (rows.direction < 0)
        if rows.expected is not None:
            bad &= np.isnan(rows.expected)
        names, place = np.unique(rows.unit * len(rows.judges) + rows.judge, return_inverse=True)
        plain = rows.kind != CONTROL
        times = np.bincount(place[plain], minlength=len(names))
        total = np.bincount(place[plain], rows.score[plain], minlength=len(names))
        damaged = np.flatnonzero(bad & (times[place] > 0))
        if len(damaged):
            apart = rows.score[damaged] - (total / np.maximum(times, 1))[place[damaged]]
            missed[damaged] = sign_scores(rows)[damaged] * apart >= 0
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
    return int((np.isnan(_expected(rows, easy, low, low)) & control).sum())


def _expected(rows: RatingRows, easy: Easy, low: Array, high: Array) -> Array:
    """Return (n,) what scores should be: of listed outputs the best end; NaN where nothing says."""
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


# The choices that Hamon et al. (2007) leave open. Their table 3 counts the judges whom each method
# puts outside under each criterion, and under both; table 4 removes them criterion by criterion:
#
# match    any    outside by one of the methods       all    by every one of them
# across   each   under each criterion its own        any    everywhere, if outside under one
# all    everywhere, if outside under every criterion
#
# A method that can say nothing under a criterion is excluded from "all", and so is a criterion
# under which none of the methods can say anything.

MATCHES: Final = ("any", "all")
ACROSS: Final = ("each", "any", "all")
VERSIONS: Final = ("first", "last", "both")


@dataclass(frozen=True)
class CommonJudges(Record):
    methods: tuple[str, str]  # the two
    criterion: str  # the criterion
    judges: tuple[str, ...]  # those common to both, sorted
    # how many of them score too high by the mean score; None where it is neither method
    high: int | None = None
    low: int | None = None  # how many score too low, or None


@dataclass(frozen=True)
class Choice:
    methods: tuple[str, ...]  # names of the methods that count
    match: str = "any"  # "any" or "all" of them
    across: str = "each"  # "each", "any" or "all" criteria

    def __post_init__(self) -> None:
        require_option("match", self.match, MATCHES)
        require_option("across", self.across, ACROSS)

    def __str__(self) -> str:
        joined = (" or " if self.match == "any" else " and ").join(self.methods)
        where = {"each": "", "any": ", under any criterion", "all": ", under every criterion"}
        return f"{joined}{where[self.across]}"


def choose_removed(outliers: Sequence[Outliers], choice: Choice) -> dict[str, tuple[str, ...]]:
    sets: dict[str, list[set[str]]] = {one.criterion: [] for one in outliers}
    for one in outliers:
        if one.method in choice.methods and one.why is None:
            sets[one.criterion].append(set(one.judges))
    removed = {criterion: _join(by_method, choice.match) for criterion, by_method in sets.items()}
    if choice.across != "each":
        everywhere = _join([removed[name] for name in removed if sets[name]], choice.across)
        removed = dict.fromkeys(removed, everywhere)
    return {criterion: tuple(sorted(judges)) for criterion, judges in removed.items()}


def _join(sets: list[set[str]], how: str) -> set[str]:
    if not sets:
        return set()
    return set.union(*sets) if how == "any" else set.intersection(*sets)


def find_common(outliers: Sequence[Outliers]) -> tuple[CommonJudges, ...]:
    common = []
    for one, other in combinations(outliers, 2):
        if other.criterion == one.criterion and not (one.why or other.why):
            both, high, low = {*one.judges} & {*other.judges}, None, None
            for sides in (x for x in (one, other) if x.method == MEAN_SCORE):
                high, low = len(both & {*sides.high}), len(both & {*sides.low})
            methods, names = (one.method, other.method), tuple(sorted(both))
            common.append(CommonJudges(methods, one.criterion, names, high, low))
    return tuple(common)


def choose_version(rows: RatingRows, version: str) -> RatingRows:
    # A second score is one of kind repeat, or one more of the same judge on the same output: a
    # judge who is asked again, or an output that is shown again. What is last goes by the time it
    # was given, where every score has one, else by the order of the table, repeats behind. Controls
    # are excluded. Without items nobody knows which scores are of one output: all are kept.
    require_option("version", version, VERSIONS)
    rows = rows.without_controls()
    if version != "both" and rows.size and knows_items(rows):
        order = _in_order(rows)
        order = order if version == "first" else order[::-1]
        _, first = np.unique(number_groups(rows.unit, rows.judge)[order], return_index=True)
        rows = rows.take(np.sort(order[first]))
    return rows if rows.kind is None else replace(rows, kind=np.zeros_like(rows.kind))


def number_versions(rows: RatingRows) -> Integers:
    """Return which of its judge's scores of that output each score is, 0 the first."""
    control = np.zeros(rows.size, np.int64) if rows.kind is None else rows.kind == CONTROL
    order = _in_order(rows)
    cell = number_groups(rows.unit, rows.judge, control.astype(np.int64))[order]
    by_cell = np.argsort(cell, kind="stable")
    sizes = np.bincount(cell)
    turn = np.arange(rows.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    versions = np.empty(rows.size, dtype=np.int64)
    versions[order[by_cell]] = turn
    return versions


def _in_order(rows: RatingRows) -> NDArray[np.intp]:
    # Targets stand before repeats, unless the time of every score is known and says otherwise.
    late = np.zeros(rows.size) if rows.kind is None else rows.kind != TARGET
    if rows.moment is None or np.isnan(rows.moment).any():
        return np.argsort(late, kind="stable")
    return np.lexsort((late, rows.moment))


@dataclass(frozen=True)
class Correlation(Record):
    pearson: float | None  # of the scores; None where they have none
    spearman: float | None  # of their ranks, or None
    systems: int  # number of systems that both columns score
    why: str | None = None  # why there is none


@dataclass(frozen=True)
class SystemScore(Record):
    system: str  # the name
    input: str | None  # its input type; None where there is no such column, or it has several
    reference: bool  # whether it is a human reference, the ceiling
    full: float  # mean of all its scores
    kept: float | None  # mean of the scores by judges who are kept; None if there are none
    removed: float | None  # mean of the scores by judges who are removed, or None
    n: int  # number of all its scores
    n_removed: int  # number of those removed


@dataclass(frozen=True, eq=False)
class Rescoring(Record):
    method: str  # what chose the judges: a method, or several joined by " or " / " and "
    criterion: str  # the criterion
    judges: tuple[str, ...]  # the judges removed, sorted
    n: int  # scores in all
    n_removed: int  # scores removed
    kept_mean: float | None  # mean of the scores that are kept; None if there are none
    removed_mean: float | None  # mean of the removed scores, or None
    systems: tuple[SystemScore, ...]  # scores of systems, the highest by all judges first
    kept: Correlation  # scores by all judges with scores by the kept ones
    removed: Correlation  # scores by all judges with scores by the removed ones alone
    # as `kept`, human references excluded; None where none are named
    without_references: Correlation | None = None
    # as `kept`, within each input type
    by_input: Mapping[str, Correlation] = field(default_factory=dict)

    @property
    def share_lost(self) -> float:
        return self.n_removed / self.n

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "share_lost": self.share_lost}


# The score of a system is the mean of its scores, as in Hamon, Mostefa & Arranz (2007): no judge is
# corrected for. Their table 4 is Pearson's correlation, over systems, of the scores by all judges
# and by those kept; they also correlate with the scores by the removed judges alone. Correlations
# over systems that differ as much as a human translation does from a machine's are high whatever is
# removed: they are given again without references, and within each input type.

_ROUNDED_MEAN = 1e-9  # Mean scores this near are level


@dataclass(frozen=True, eq=False)
class ScoreTable:
    criterion: str  # the criterion
    judges: tuple[str, ...]  # names
    systems: tuple[str, ...]  # names
    total: Array  # (J, S) sums of scores
    count: Array  # (J, S) numbers of scores

    @classmethod
    def of(cls, rows: RatingRows, criterion: str = "") -> ScoreTable:
        shape = len(rows.judges), len(rows.systems)
        cell = rows.judge.astype(np.int64) * shape[1] + rows.system
        size = shape[0] * shape[1]
        total = np.bincount(cell, rows.score, minlength=size).astype(np.float64).reshape(shape)
        count = np.bincount(cell, minlength=size).astype(np.float64).reshape(shape)
        return cls(criterion, rows.judges, rows.systems, total, count)

    def sums(self, judges: Collection[str]) -> tuple[Array, Array]:
        chosen = [code for code, name in enumerate(self.judges) if name in judges]
        return self.total[chosen].sum(axis=0), self.count[chosen].sum(axis=0)


def rescore(
    table: ScoreTable,
    judges: Collection[str],
    method: str,
    human: Collection[str] = (),
    input_of: Mapping[str, str] | None = None,
) -> Rescoring:
    """Score systems by all judges, without some, and by those alone; human references stand out."""
    input_of = input_of or {}
    every, n = table.total.sum(axis=0), table.count.sum(axis=0)
    gone, n_gone = table.sums(judges)
    full, remaining, removed = _mean(every, n), _mean(every - gone, n - n_gone), _mean(gone, n_gone)
    references = np.array([name in human for name in table.systems])
    inputs = np.array([input_of.get(name, "") for name in table.systems])
    left, lost = float(n.sum() - n_gone.sum()), float(n_gone.sum())
    scored, systems = np.flatnonzero(n), []
    for at in scored[np.argsort(-full[scored], kind="stable")].tolist():  # highest first
        name, counts = table.systems[at], (int(n[at]), int(n_gone[at]))
        kept, gone_mean = (
            None if np.isnan(one[at]) else float(one[at]) for one in (remaining, removed)
        )
        known = (input_of.get(name), name in human, float(full[at]))
        systems.append(SystemScore(name, *known, kept, gone_mean, *counts))
    return Rescoring(
        method,
        table.criterion,
        tuple(sorted(judges)),
        int(n.sum()),
        int(lost),
        float((every - gone).sum() / left) if left else None,
        float(gone.sum() / lost) if lost else None,
        tuple(systems),
        correlate(full, remaining),
        correlate(full, removed),
        correlate(full[~references], remaining[~references]) if human else None,
        {
            name: correlate(full[inputs == name], remaining[inputs == name])
            for name in sorted(set(input_of.values()))
        },
    )


def correlate(one: Array, other: Array) -> Correlation:
    both = ~np.isnan(one) & ~np.isnan(other)
    n = int(both.sum())
    if n < 2:
        return Correlation(None, None, n, "fewer than two systems have both scores")
    straight, ranks = pearson(one[both], other[both]), spearman(one[both], other[both])
    why = None if straight is not None else "all systems score alike"
    return Correlation(straight, ranks, n, why)


def _mean(total: Array, count: Array) -> Array:
    means = np.full(len(total), np.nan)
    np.divide(total, count, out=means, where=count > 0)
    return means


def describe_changes(rows: RatingRows, sets: Sequence[Collection[str]]) -> list[str]:
    """Say what leaving out each of several sets of judges changes, from one pass over the rows."""
    parts = rows.without_controls().split(("task", "criterion"))
    tables = {", ".join(filter(None, key)): ScoreTable.of(part) for key, part in parts.items()}
    told = []
    for judges in sets:
        changes, alike = list[str](), 0
        for name, table in tables.items():
            gone, lost = table.sums(judges)
            if not lost.any():
                continue
            every, n = table.total.sum(axis=0), table.count.sum(axis=0)
            before, after = _mean(every, n), _mean(every - gone, n - lost)
            names = table.systems
            unscored = [names[at] for at in np.flatnonzero((n > 0) & (n == lost)).tolist()]
            both = np.flatnonzero(~np.isnan(after))
            highest_first = both[np.argsort(-before[both], kind="stable")].tolist()
            swapped = [  # whose difference changes its sign; what is within rounding is level
                (i, j)
                for i, j in combinations(highest_first, 2)
                if before[i] - before[j] > _ROUNDED_MEAN and after[i] - after[j] < -_ROUNDED_MEAN
            ]
            sentences = [f"nobody else scored {listing(unscored, 3)}"] if unscored else []
            if swapped:
                of = f"{len(swapped):,} of {len(both) * (len(both) - 1) // 2:,} pairs of systems"
                steps = [f"{old:.4g} to {new:.4g}" for old, new in zip(before, after, strict=True)]
                passes = [
                    f"{names[j]} passes {names[i]} ({steps[j]}; {steps[i]})" for i, j in swapped[:2]
                ]
                more = ", ..." * (len(swapped) > 2)
                sentences.append(f"{of} change order: {listing(passes, 2)}{more}")
            change = ", ".join(sentences)
            alike += not change
            changes += (
                [f"{name}: {change}" if name and len(tables) > 1 else change] if change else []
            )
        same = "the order of systems by mean score stays as it is"
        if not alike:
            same = "no score of an output is lost: the order of systems stays as it is"
        told.append("; ".join(changes) or same)
    return told


# Points of a scale merged: Hamon, Mostefa & Arranz (2007) find that judges confuse neighbouring
# points and propose three points for five. Merged points are numbered 1, 2, ... from the lowest.

Merging: TypeAlias = Sequence[Sequence[float]]


def read_merging(text: str) -> tuple[tuple[float, ...], ...]:
    """Understand "1+2,4+5": points joined by a plus are one."""
    try:
        return tuple(tuple(map(float, joined.split("+"))) for joined in text.split(","))
    except ValueError:
        raise UnknownOption(f"merge '{text}' is none: write 1+2,4+5 to join points") from None


def write_merging(merging: Merging) -> str:
    return ",".join("+".join(f"{point:g}" for point in joined) for joined in merging)


def merge_points(rows: RatingRows, merging: Merging, scale: Scale) -> tuple[RatingRows, Scale]:
    if scale.points is None:
        raise UnknownOption(f"points can be merged on a scale with steps; this one is {scale}")
    if all(len(joined) < 2 for joined in merging):
        raise UnknownOption(
            f"merge '{write_merging(merging)}' joins nothing: write 1+2,4+5 to join points"
        )
    points = scale.points
    group = np.arange(len(points))
    named: set[float] = set()
    for joined in merging:
        neighbours = sorted(joined)
        unknown = [point for point in neighbours if point not in points]
        if unknown or named & {*neighbours} or len(neighbours) != len({*neighbours}):
            fault = f"{unknown[0]:g} is not on the scale" if unknown else "a point is named twice"
            shown = ", ".join(f"{point:g}" for point in points)
            raise UnknownOption(f"points cannot be merged: {fault} (its points: {shown})")
        at = [points.index(point) for point in neighbours]
        if at != list(range(at[0], at[0] + len(at))):
            shown = "+".join(f"{point:g}" for point in neighbours)
            raise UnknownOption(f"points cannot be merged: {shown} are not neighbours on the scale")
        group[at] = at[0]
        named |= {*neighbours}
    number = (np.unique(group, return_inverse=True)[1].reshape(-1) + 1).astype(np.float64)
    grid = np.array(scale.points)
    merged = number[np.searchsorted(grid, rows.score)]
    expected = rows.expected
    if expected is not None:
        known = ~np.isnan(expected)
        nearest = np.abs(expected[known][:, None] - grid[None]).argmin(axis=1)
        expected = expected.copy()
        expected[known] = number[nearest]
    top = int(number[-1])
    new = Scale(1.0, float(top), tuple(float(n) for n in range(1, top + 1)), scale.declared)
    return replace(rows, score=merged, expected=expected), new
