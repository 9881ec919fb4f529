"""Whom to remove, which scores count, and what becomes of systems and of a coarser scale."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.data.rating_rows import CONTROL, TARGET, RatingRows, Scale
from evenhand.errors import UnknownOption, listing, require_option
from evenhand.judges.outliers import MEAN_SCORE, Outliers, knows_items
from evenhand.judges.units import Record
from evenhand.numerics import Array, Integers
from evenhand.numerics.cluster_means import number_groups, pearson, spearman

# The choices that Hamon et al. (2007) leave open. Their table 3 counts the judges whom each method
# puts outside under each criterion, and under both; table 4 removes them criterion by criterion:
#
# match    any    outside by one of the methods       all    by every one of them
# across   each   under each criterion its own        any    everywhere, if outside under one
# all    everywhere, if outside under every criterion
#
# A method that can say nothing under a criterion is left out of "all", and so is a criterion under
# which none of the methods can say anything.

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
    for at, one in enumerate(outliers):
        for other in outliers[at + 1 :]:
            if other.criterion != one.criterion or one.why or other.why:
                continue
            both, high, low = {*one.judges} & {*other.judges}, None, None
            for sides in (x for x in (one, other) if x.method == MEAN_SCORE):
                high, low = len(both & {*sides.high}), len(both & {*sides.low})
            methods = one.method, other.method
            common.append(CommonJudges(methods, one.criterion, tuple(sorted(both)), high, low))
    return tuple(common)


def choose_version(rows: RatingRows, version: str) -> RatingRows:
    # A second score is one of kind repeat, or one more of the same judge on the same output: a
    # judge who is asked again, or an output that is shown again. What is last goes by the time it
    # was given, where every score has one, else by the order of the table, repeats behind. Controls
    # are left out. Without items nobody knows which scores are of one output: all are kept.
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
    """Return row numbers in the order in which scores were given."""
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

_ROUNDING = 1e-9  # Mean scores this near are level


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
        """Return (S,) sums and numbers of the scores of some judges."""
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
    return [_describe(tables, judges) for judges in sets]


def _describe(tables: Mapping[str, ScoreTable], judges: Collection[str]) -> str:
    changes, alike = [], 0
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
            if before[i] - before[j] > _ROUNDING and after[i] - after[j] < -_ROUNDING
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
        changes += [f"{name}: {change}" if name and len(tables) > 1 else change] if change else []
    same = "the order of systems by mean score stays as it is"
    if not alike:
        same = "no score of an output is lost: the order of systems stays as it is"
    return "; ".join(changes) or same


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
    number = _number_points(scale.points, merging)
    points = np.array(scale.points)
    merged = number[np.searchsorted(points, rows.score)]
    expected = rows.expected
    if expected is not None:
        known = ~np.isnan(expected)
        nearest = np.abs(expected[known][:, None] - points[None]).argmin(axis=1)
        expected = expected.copy()
        expected[known] = number[nearest]
    top = int(number[-1])
    new = Scale(1.0, float(top), tuple(float(n) for n in range(1, top + 1)), scale.declared)
    return replace(rows, score=merged, expected=expected), new


def _number_points(points: tuple[float, ...], merging: Merging) -> Array:
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
    return (np.unique(group, return_inverse=True)[1].reshape(-1) + 1).astype(np.float64)
