"""What simple predictions of a missing rating are away from it, beside those of completion.

Errors are of held-out cells, which no method has learned from; of a random draw it is the expected
error. Where nothing of a judge or an output is seen, all that is seen stands for it. Differences to
completion are paired, the cells of one judge and of one item correlated, or of one item alone where
judges are fewer than five (numerics/cluster_means.py). The methods: docs/models/completion.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import Any, Final

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.rating_rows import RatingRows
from evenhand.data.tally import Factor
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownColumn, listing, suggest
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.cluster_means import (
    Clusters,
    Estimate,
    number_groups,
    paired,
    pairs_within,
    root_slopes,
)
from evenhand.numerics.completion import SeenCells
from evenhand.ratings.texts import say
from evenhand.render.document import Column, Finding, Table

# Ratings as a matrix, judges by outputs, of which some cells are seen.
#
# An output is what one system made of one item. A judge who rated an output several times has its
# mean in the cell, with the number of ratings as its weight.


MAX_CELLS = 100_000_000  # Of a matrix; a completed one is held in memory as a whole


@dataclass(frozen=True, eq=False)
class RatingMatrix:
    judges: tuple[str, ...]  # names of the rows, those without a rating included
    items: tuple[str, ...]  # (n,) item of each column
    systems: tuple[str, ...]  # (n,) system of each column
    cells: SeenCells  # judge, output and number of ratings of each cell that is seen
    value: Array  # (c,) mean rating of each
    answer: Array  # (c,) one rating of each, drawn where there are several
    notes: tuple[str, ...] = ()  # what must be said of the data

    @property
    def shape(self) -> tuple[int, int]:
        return self.cells.shape

    @property
    def fill(self) -> float:
        return len(self.value) / (self.shape[0] * self.shape[1])

    def take(self, chosen: Flags) -> RatingMatrix:
        value, answer = self.value[chosen], self.answer[chosen]
        return replace(self, cells=self.cells.take(chosen), value=value, answer=answer)

    def single(self) -> RatingMatrix:
        """Keep one answer of each cell, as a missing cell would have: a mean scatters less."""
        cells = replace(self.cells, weight=np.ones(len(self.value)))
        return replace(self, cells=cells, value=self.answer)

    def outputs(self) -> list[tuple[str, str]]:
        return list(zip(self.items, self.systems, strict=True))

    def table(self) -> Array:
        table = np.empty(self.shape)
        table[self.cells.row, self.cells.column] = self.value
        return table

    def seen(self) -> Flags:
        table = np.zeros(self.shape, dtype=np.bool_)
        table[self.cells.row, self.cells.column] = True
        return table


def make_matrix(rows: RatingRows, judges: Sequence[str] = (), *, seed: int = SEED) -> RatingMatrix:
    targets = rows.targets()
    _refuse_unfit(targets)
    present, judge = np.unique(targets.judge, return_inverse=True)
    judge = judge.reshape(-1).astype(np.int64)
    names = [targets.judges[code] for code in present.tolist()]
    idle = [name for name in dict.fromkeys(judges) if name not in names]
    output = number_groups(targets.item, targets.system)
    shape = (len(names) + len(idle), int(output.max()) + 1)
    if shape[0] * shape[1] > MAX_CELLS:
        raise InvalidJudgments(
            f"{shape[0]:,} judges by {shape[1]:,} outputs are more than {MAX_CELLS:,} cells: take a"
            " part of the items"
        )
    first = np.zeros(shape[1], dtype=np.int64)
    first[output] = np.arange(targets.size)
    place = judge * shape[1] + output
    cell = number_groups(place)
    weight = np.bincount(cell).astype(np.float64)
    at = np.zeros(len(weight), dtype=np.int64)
    at[cell] = place
    row, column = np.divmod(at, shape[1])
    # the mean of each cell and one answer of it, the same in any order of rows
    order = np.lexsort((targets.score, cell))
    score = targets.score[order]
    random = np.random.default_rng((seed, 1)).random(len(weight))
    answer = np.cumsum(weight) - weight + np.floor(weight * random)
    notes, again = [], int((weight > 1).sum())
    if targets.size < rows.size:
        notes.append(say("controls-excluded", left=rows.size - targets.size, of=rows.size))
    if again:
        notes.append(say("cells-again", cells=again))
    if idle:
        notes.append(say("judges-idle", "warning", judges=len(idle)))
    return RatingMatrix(
        (*names, *idle),
        tuple(targets.items[code] for code in targets.item[first].tolist()),
        tuple(targets.systems[code] for code in targets.system[first].tolist()),
        SeenCells(row, column, weight, shape),
        np.asarray(np.bincount(cell[order], score) / weight),
        score[answer.astype(np.int64)],
        (*rows.notes, *notes),
    )


def refuse_beyond(rows: RatingRows, clip: tuple[float, float] | None) -> None:
    """Refuse a scale that given scores are not on: intervals would be cut where ratings are."""
    targets, (low, high) = rows.targets(), clip or (-np.inf, np.inf)
    off = np.flatnonzero((targets.score < low) | (targets.score > high))
    if not len(off):
        return
    at = off[0]
    who, item = targets.judges[targets.judge[at]], targets.items[targets.item[at]]
    system, score = targets.systems[targets.system[at]], targets.score[at]
    are = "1 score is" if len(off) == 1 else f"{len(off):,} scores are"
    raise InvalidJudgments(
        f"{are} not within clip {low:g} to {high:g}: '{who}' gave {score:g} to the output of"
        f" '{system}' for item '{item}'; clip to the whole scale, or not at all"
    )


def _refuse_unfit(rows: RatingRows) -> None:
    one = "each has a matrix of its own; take one, or complete all of them with fit_groups"
    rows.refuse_several(dict.fromkeys(("task", "criterion"), one))
    if not rows.size:
        raise NotIdentified("no ratings of outputs as such", ["collect some"])
    judges = np.unique(rows.judge)
    if len(judges) == 1:
        only = rows.judges[judges[0]]
        who = f"{only} is the only judge" if only else "no judges are named"
        first = [] if only else ["name the judges, if there are several"]
        raise NotIdentified(
            f"{who}: what others would have said cannot be learned from one",
            [*first, "collect ratings of others"],
        )
    if len(np.unique(rows.output)) == 1:
        raise NotIdentified(
            "all ratings are of one output: there is nothing to complete",
            ["collect ratings of others"],
        )


# Ratings split: what is learned from, and what intervals and errors are found on.
#
# A held-out cell can tell of a missing one only if it is predicted in the same way. Where all that
# is seen of an output, or of a judge, is held out, the fit knows nothing of it, and its cells are
# of a kind of their own: strange ones. A tested cell has one answer, as a missing cell would have.


@dataclass(frozen=True, eq=False)
class Split:
    every: RatingMatrix  # all that were given
    learned: RatingMatrix  # those that the last fit learns from
    tested: RatingMatrix  # the others, one answer of each cell

    @cached_property
    def known(self) -> Flags:
        """(c,) tested cells of a judge and an output that something was learned of."""
        cells = self.tested.cells
        return np.asarray(~self.strange(cells.row, cells.column))

    @property
    def comparable(self) -> RatingMatrix:
        return self.tested.take(self.known)

    def strange(self, row: Integers, column: Integers) -> Flags:
        """Return whether nothing was learned of the judge or of the output of cells."""
        cells = self.learned.cells
        return np.asarray(~(cells.seen_rows[row] & cells.seen_columns[column]))


def split_ratings(matrix: RatingMatrix, held: Flags) -> Split:
    return Split(matrix, matrix.take(~held), matrix.take(held).single())


BY_JUDGE: Final = "judge"
ALL: Final = "all judges"
# What a rating is about, which does not group judges
TARGET_COLUMNS: Final = ("task", "item", "system", "criterion")
NOBODY: Final = "judges without ratings"


def group_judges(rows: RatingRows, judges: Sequence[str], by: str | None) -> Factor:
    """Return the group of each judge."""
    if by is None:
        return Factor.of((ALL,), np.zeros(len(judges), dtype=np.int64))
    if by == BY_JUDGE:
        return Factor.of(judges, np.arange(len(judges)))
    if by in TARGET_COLUMNS:
        raise UnknownColumn(
            f"judges cannot be grouped by {by}: a judge is in one group, whatever is rated; name a"
            " column about the judges, or 'judge' for each alone"
        )
    if by not in rows.factors:
        hint = suggest(by, rows.factors) or " Read the ratings with rows(factors=[...])"
        raise UnknownColumn(f"column '{by}' of groups of judges is not among the ratings.{hint}")
    factor = rows.factors[by]
    pairs = np.unique(rows.judge.astype(np.int64) * len(factor.labels) + factor.codes)
    group_of: dict[str, str] = {}
    for judge, code in zip(*np.divmod(pairs, len(factor.labels)), strict=True):
        who, group = rows.judges[judge], factor.labels[code]
        if who in group_of:
            raise InvalidJudgments(
                f"judge '{who}' is in two groups by '{by}' ({group_of[who]}, {group}): intervals"
                " are by group of judges, so each must be in one"
            )
        group_of[who] = group
    groups = [group_of.get(judge, NOBODY) for judge in judges]
    names = tuple(sorted(set(groups) - {NOBODY})) + ((NOBODY,) if NOBODY in groups else ())
    return Factor.of(names, np.array([names.index(group) for group in groups], dtype=np.int64))


# How far systems are apart on each item: the mean of |difference| of two systems' scores by one
# judge, so that a judge's severity is not in it. Noise of single scores is, and of many items the
# extremes are extremes of noise as well: the mean of an item is drawn towards that of all items.

SHRINKAGE: Final = 5  # Differences that the mean of all items counts for
MAX_DIFFERENCES: Final = 2_000_000  # That are looked at


@dataclass(frozen=True)
class ItemSpread:
    item: str  # its name
    differences: int  # differences of two systems by one judge that it rests on
    difference: float  # their mean size (points)
    drawn: float  # the same, drawn towards the mean of all items
    high: str  # the system with the highest mean score on it
    low: str  # that with the lowest


def count_differences(rows: RatingRows) -> int:
    sizes = np.bincount(number_groups(rows.judge, rows.item))
    return int((sizes * (sizes - 1) // 2).sum())


def spread_items(rows: RatingRows) -> list[ItemSpread]:
    """Return the items on which a judge scored two systems, those farthest apart first."""
    order = np.lexsort((rows.score, rows.system, rows.judge, rows.item))
    rows = rows.take(order)
    first, second = pairs_within(number_groups(rows.judge, rows.item))
    other = rows.system[first] != rows.system[second]
    first, second = first[other], second[other]
    if not len(first):
        return []
    size = len(rows.items)
    apart = np.abs(rows.score[first] - rows.score[second])
    count = np.bincount(rows.item[first], minlength=size)
    total = np.bincount(rows.item[first], apart, minlength=size)
    drawn = (total + SHRINKAGE * apart.mean()) / (count + SHRINKAGE)
    held = np.flatnonzero(count)
    best_first = np.lexsort((held, -drawn[held]))
    output, code = np.unique(rows.output, return_inverse=True)
    average = np.bincount(code, rows.score) / np.bincount(code)
    item, system = np.divmod(output, len(rows.systems))
    ends = np.zeros((2, len(rows.items)), dtype=np.int64)
    for end, sign in ((0, 1), (1, -1)):
        order = np.lexsort((-system, sign * average, item))
        ends[end, item[order]] = system[order]  # the last one stays
    spreads = []
    for code in held[best_first].tolist():
        numbers = int(count[code]), float(total[code] / count[code]), float(drawn[code])
        high, low = (rows.systems[end] for end in ends[:, code])
        spreads.append(ItemSpread(rows.items[code], *numbers, high, low))
    return spreads


RANDOM: Final = "random draw"
JUDGE_MEAN: Final = "judge mean"
OUTPUT: Final = "output mean"
ADDITIVE: Final = "judge + output"
COMPLETION: Final = "completion"
METHODS: Final = (RANDOM, JUDGE_MEAN, OUTPUT, ADDITIVE, COMPLETION)


@dataclass(frozen=True)
class MethodError:
    method: str  # its name
    n: int  # number of cells, or of ratings
    mae: float  # mean absolute error, in points of the scale
    rmse: float  # root mean squared error
    # by how much more than the best; None for the best itself, and where all cells are of one item
    # and of few judges, so that there is no interval
    mae_more: Estimate | None = None
    rmse_more: Estimate | None = None  # the same of the other

    def to_dict(self) -> dict[str, Any]:
        more = {
            name: gap and {"estimate": gap.value, "lower": gap.lower, "upper": gap.upper}
            for name, gap in (("mae_more", self.mae_more), ("rmse_more", self.rmse_more))
        }
        return {"method": self.method, "n": self.n, "mae": self.mae, "rmse": self.rmse, **more}


@dataclass(frozen=True, eq=False)
class Errors:
    absolute: Array  # (n,) |error|, or its expectation
    squared: Array  # (n,) its square, likewise


def find_errors(seen: RatingMatrix, held: RatingMatrix) -> dict[str, Errors]:
    cells = seen.cells
    absolute, squared = np.zeros(len(held.value)), np.zeros(len(held.value))
    for judge in np.unique(held.cells.row).tolist():
        chosen = seen.cells.row == judge
        if not chosen.any():
            chosen = np.ones_like(chosen)
        order = np.argsort(seen.value[chosen], kind="stable")
        score = seen.value[chosen][order]
        weight = seen.cells.weight[chosen][order]
        below, heavy = np.cumsum(np.r_[0.0, weight * score]), np.cumsum(np.r_[0.0, weight])
        at = held.cells.row == judge
        y = held.value[at]
        place = np.searchsorted(score, y)
        sums = (2 * heavy[place] - heavy[-1]) * y + below[-1] - 2 * below[place]
        absolute[at] = sums / heavy[-1]
        mean = below[-1] / heavy[-1]
        squared[at] = (y - mean) ** 2 + weight @ (score - mean) ** 2 / heavy[-1]
    return {
        RANDOM: Errors(absolute, squared),
        JUDGE_MEAN: errors_of(held.value - _means(cells, seen.value)[held.cells.row]),
        OUTPUT: errors_of(held.value - _means(cells.turned(), seen.value)[held.cells.column]),
    }


def errors_of(residual: Array) -> Errors:
    return Errors(np.abs(residual), residual**2)


def _means(cells: SeenCells, value: Array) -> Array:
    sums = np.bincount(cells.row, cells.weight, cells.shape[0])
    total = np.bincount(cells.row, cells.weight * value, cells.shape[0])
    mean = float(cells.weight @ value / cells.weight.sum())
    return np.asarray(np.divide(total, sums, out=np.full(cells.shape[0], mean), where=sums > 0))


def compare_errors(
    errors: Mapping[str, Errors], best: str, clusters: Clusters, level: float
) -> tuple[MethodError, ...]:
    """Return the table of errors, and by how much each method's are above those of the best."""
    rows, least = [], errors[best]
    for method, each in errors.items():
        mae, rmse = float(each.absolute.mean()), sqrt(float(each.squared.mean()))
        row = MethodError(method, len(each.absolute), mae, rmse)
        if method != best:
            slopes = root_slopes(each.squared) - root_slopes(least.squared)
            apart = paired(each.absolute - least.absolute, clusters, level)
            row = replace(row, mae_more=apart, rmse_more=paired(slopes, clusters, level))
        rows.append(row)
    return tuple(rows)


def say_better(table: Sequence[MethodError]) -> tuple[Finding, ...]:
    notes = []
    for row in table:
        gaps = {"mae": row.mae_more, "rmse": row.rmse_more}
        less = [
            f"{name} {-gap.value:.3g} ({-gap.upper:.3g} to {-gap.lower:.3g})"
            for name, gap in gaps.items()
            if gap is not None and gap.upper < 0
        ]
        if less:
            notes.append(say("method-better", "warning", method=row.method, less=listing(less)))
    return tuple(notes)


def tabulate_errors(rows: Iterable[Any], caption: str, best: str, legend: str) -> Table:
    """Return a table of `MethodError` or of what has its fields."""
    shown = []
    for one in rows:
        row: dict[str, Any] = {"method": one.method, "mae": one.mae, "rmse": one.rmse}
        for name, gap in (("mae", one.mae_more), ("rmse", one.rmse_more)):
            row |= {f"{name}_lower": gap and gap.lower, f"{name}_upper": gap and gap.upper}
        shown.append(row)
    title, kind = f"more than {best}", "interval figures"
    columns = (
        Column("method", "method"),
        Column("mae", "MAE", "figures"),
        Column(("mae_lower", "mae_upper"), title, kind, priority=2),
        Column("rmse", "RMSE", "figures"),
        Column(("rmse_lower", "rmse_upper"), title, kind, priority=1),
    )
    return Table("errors", caption, columns, tuple(shown), legend=(legend,))
