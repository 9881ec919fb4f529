"""Judgments unit by unit, shared blocks and pairs of judges, and one coefficient on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.rating_rows import CONTROL, REPEAT, RatingRows, Scale
from evenhand.data.tally import Codes
from evenhand.errors import InvalidJudgments, NotIdentified, listing
from evenhand.judges.texts import say
from evenhand.numerics import Array, Flags, Integers
from evenhand.render.document import Finding, describe_findings


def require_column(role: str, names: Sequence[str]) -> None:
    if tuple(names) == ("",):
        raise NotIdentified(
            f"no column of {role}s was found", [f"name it, as in --column {role}=NAME"]
        )


# A unit is an output (an item's, by a system) under a criterion. What a judge says of it a second
# time is no second opinion: the first answer stays (by `moment` where it is known, else the first
# in the table), the rest is counted and belongs to the agreement of judges with themselves.
#
# One sort of one integer per rating (unit, judge, row) is all the order that agreement needs: a
# million ratings take .1 s.

NO_OVERLAP: Final = "no output was judged by two judges"
SHARE_OUTPUTS: Final = (
    "let judges share some outputs; of a campaign, set judges_per_item = 2 in campaign.toml"
)

MAX_KEY_BITS = 63  # Unit, judge and row are sorted as one number where it has no more bits
# Whole scores over at most so many points are coded by counting; others are sorted
MAX_COUNTED_RANGE = 4096


def label_groups(groups: Integers, labels: NDArray[np.integer[Any]]) -> Integers:
    """Return (G,) what all rows of a group are labelled with; where they differ, the last."""
    of_group = np.zeros(int(groups.max(initial=-1)) + 1, dtype=np.int64)
    of_group[groups] = labels
    return of_group


def sum_groups(groups: Integers, values: Array, size: int) -> Array:
    sums = np.zeros((size, values.shape[1]))
    np.add.at(sums, groups, values)
    return sums


@dataclass(frozen=True, eq=False)
class Units:
    """Scores unit by unit; within a unit judges by name, each once."""

    rows: RatingRows  # the ratings that they come from
    points: Array  # (K,) different scores, ascending: those of a declared scale, else those seen
    scale: Scale  # what was declared, or seen
    sizes: Integers  # (U,) judges of each unit
    starts: Integers  # (U,) where its scores begin in the next two
    code: Codes  # (n,) position of each score among the points
    judge: Codes  # (n,) code of its judge
    first: Integers  # (U,) a row of the table that belongs to the unit, for its labels
    again: int = 0  # second answers of a judge to the same unit, excluded
    repeats: int = 0  # rows that the table calls repeats, excluded
    controls: int = 0  # rows of controls, excluded

    @property
    def size(self) -> int:
        """Number of units, those of one judge among them."""
        return len(self.sizes)

    @property
    def alone(self) -> int:
        """Units of one judge."""
        return int((self.sizes == 1).sum())

    @property
    def ratings(self) -> int:
        """Scores, one of each judge and unit."""
        return len(self.code)

    @cached_property
    def several(self) -> Flags:
        """(U,) whether two or more judges scored the unit."""
        return self.sizes > 1

    @cached_property
    def held(self) -> Flags:
        """(n,) whether a score is of a unit of two or more judges."""
        if self.several.all():
            return np.ones(len(self.code), dtype=np.bool_)
        return np.repeat(self.several, self.sizes)

    @cached_property
    def pairs(self) -> int:
        """Pairs of judges who scored one and the same unit."""
        return int((self.sizes * (self.sizes - 1) // 2).sum())

    @property
    def mass(self) -> Integers:
        """(K,) scores of units of two or more judges, by point."""
        return np.bincount(self.code[self.held], minlength=len(self.points))

    @property
    def tops(self) -> Array:
        """(U,) highest score of each unit."""
        return self.points[np.maximum.reduceat(self.code, self.starts)]

    @cached_property
    def item(self) -> Codes:
        """(U,) code of the item of each unit."""
        return self.rows.item[self.first]

    def labels(self, name: str) -> tuple[tuple[str, ...], Codes]:
        """Return the names of a label of units ("item", "criterion", a factor ...) and codes."""
        names, codes = self.rows.labels(name)
        if len(names) == 1:
            return names, np.zeros(self.size, dtype=np.int32)
        return names, self.item if name == "item" else codes[self.first]

    def take(self, units: Flags) -> Units:
        """Keep some units; points stay as they are."""
        if units.all():
            return self
        return self.choose(units, np.repeat(units, self.sizes), self.sizes[units])

    def choose(self, units: Flags, scores: Flags, sizes: Integers) -> Units:
        """Keep some (n,) scores of some (U,) units, which have these sizes then."""
        return replace(
            self,
            sizes=sizes,
            starts=np.cumsum(sizes) - sizes,
            code=self.code[scores],
            judge=self.judge[scores],
            first=self.first[units],
        )

    def narrow(self, units: Flags) -> Units:
        """Keep some units, and only points that they have; a declared scale stays as it is."""
        part = self.take(units)  # what others scored changes nothing of theirs
        if part.scale.declared or not part.size:
            return part
        seen = np.bincount(part.code, minlength=len(part.points)) > 0
        if seen.all():
            return part
        points = part.points[seen]
        scale = Scale(float(points[0]), float(points[-1]), tuple(points.tolist()))
        code = (np.cumsum(seen) - 1)[part.code].astype(np.int32)
        return replace(part, points=points, scale=scale, code=code)

    def by_size(self) -> Iterator[tuple[int, Integers, Integers]]:
        """Yield the number of judges, the units (N,) and the place (N, judges) of their scores."""
        sizes = np.flatnonzero(np.bincount(self.sizes)).tolist()
        for judges in sizes:
            if judges > 1 and len(sizes) == 1:  # all units, as they stand
                yield judges, np.arange(self.size), np.arange(len(self.code)).reshape(-1, judges)
            elif judges > 1:
                units = np.flatnonzero(self.sizes == judges)
                yield judges, units, self.starts[units, None] + np.arange(judges)


def find_units(rows: RatingRows, scale: Scale | None = None) -> Units:
    """Order ratings by unit and judge, one score each."""
    for role, names in (("item", rows.items), ("judge", rows.judges)):
        if names == ("",):
            raise InvalidJudgments(
                f"agreement needs a column of {role}s, to know which judgments are of the same"
                f" output and by different judges: name it, as in --column {role}=NAME"
            )
    targets = rows.targets()
    if not targets.size:
        raise NotIdentified("no scores of outputs: all rows are controls or repeats")
    points, code, scale = read_points(targets.score, scale)
    # rows are tried in the order of the table; moments are sorted only if somebody answered twice
    order, judge, opens, twice = _sort(targets, None)
    if twice.any() and targets.moment is not None:
        order, judge, opens, twice = _sort(targets, np.argsort(targets.moment, kind="stable"))
    again = int(twice.sum())
    if again:
        order, judge, opens = order[~twice], judge[~twice], opens[~twice]
    starts = np.flatnonzero(opens)
    kinds = np.zeros(3, dtype=np.int64) if rows.kind is None else np.bincount(rows.kind, None, 3)
    return Units(
        rows=targets,
        points=points,
        scale=scale,
        sizes=np.diff(np.append(starts, len(order))),
        starts=starts,
        code=code[order],
        judge=judge.astype(np.int32, copy=False),
        first=order[starts],
        again=again,
        repeats=int(kinds[REPEAT]),
        controls=int(kinds[CONTROL]),
    )


def _sort(
    rows: RatingRows, by_moment: NDArray[np.intp] | None
) -> tuple[Integers, Any, Flags, Flags]:
    """Return rows, judges, whether a row opens a unit, and whether its judge answered before."""
    n = rows.size
    place = np.arange(n)
    if by_moment is not None:
        place = np.empty(n, dtype=np.int64)
        place[by_moment] = np.arange(n)
    low = n.bit_length()
    middle = len(rows.judges).bit_length()
    most = len(rows.items) * len(rows.systems) * len(rows.criteria)
    if most.bit_length() + middle + low > MAX_KEY_BITS:
        order = np.lexsort((place, rows.judge, rows.unit))
        unit, judge = rows.unit[order], rows.judge[order]
    else:
        key = rows.item.astype(np.int64)
        for codes, names in ((rows.system, rows.systems), (rows.criterion, rows.criteria)):
            if len(names) > 1:
                key *= len(names)
                key += codes
        key <<= middle
        key |= rows.judge
        key <<= low
        key |= place
        key.sort()
        place = key & ((1 << low) - 1)
        order = place if by_moment is None else by_moment[place]
        unit, judge = key >> (middle + low), (key >> low) & ((1 << middle) - 1)
    opens = np.ones(n, dtype=np.bool_)
    np.not_equal(unit[1:], unit[:-1], out=opens[1:])
    twice = ~opens
    twice[1:] &= judge[1:] == judge[:-1]
    return order, judge, opens, twice


def read_points(score: Array, scale: Scale | None = None) -> tuple[Array, Codes, Scale]:
    """Return (K,) points, ascending, (n,) the position of each score, and the scale of them."""
    points, code = _distinct(score)
    if scale is None:
        return points, code, Scale(float(points[0]), float(points[-1]), tuple(points))
    # cheaper than to ask it of every score
    held = bool(points[0] >= scale.low) and bool(points[-1] <= scale.high)
    if not held or not (scale.points is None or bool(np.isin(points, scale.points).all())):
        scale.check(score)  # which counts the scores that are off
    if scale.points is None:
        return points, code, scale
    declared = np.array(scale.points)
    return declared, np.searchsorted(declared, points)[code].astype(np.int32), scale


def _distinct(score: Array) -> tuple[Array, Codes]:
    """Return the different scores, ascending, and the position of each among them."""
    low, high = float(score.min()), float(score.max())
    if high - low < MAX_COUNTED_RANGE and float(low).is_integer():
        shifted = (score - low).astype(np.int32)
        if (shifted == score - low).all():
            present = np.bincount(shifted) > 0
            code = shifted if present.all() else (np.cumsum(present) - 1)[shifted]
            points = np.asarray(np.flatnonzero(present) + low, np.float64)
            return points, code.astype(np.int32, copy=False)
    points, code = np.unique(score, return_inverse=True)
    return points, code.reshape(-1).astype(np.int32)


# Units that all of some judges scored: what the ICC and Kendall's W are defined on.

# Share of the scores on shared units that a complete block must hold to speak for them
MIN_BLOCK_SHARE: Final = 2 / 3
_WHO: Final = "the ICC and Kendall's W"
# Most cells, judges times units, among which a block is looked for
MAX_BLOCK_CELLS: Final = 50_000_000


def find_block(units: Units) -> tuple[Array, tuple[Finding, ...]]:
    """Return (U, k) scores of each unit by each judge, and what must stand beside them."""
    # Judges join one by one, those with most units first, and where scores in the block are most
    # the block is cut. This need not be the largest block there is, which is hard to find.
    shared = units.take(units.several)
    judges = np.unique(shared.judge)
    if not shared.size or len(judges) < 2:
        raise NotIdentified(f"{_WHO} need outputs that two judges scored: there are none")
    if shared.size * len(judges) > MAX_BLOCK_CELLS:
        raise _refuse(f"{len(judges):,} judges scored some of {shared.size:,} outputs each")
    row = np.repeat(np.arange(shared.size), shared.sizes)
    column = np.searchsorted(judges, shared.judge)
    held = np.zeros((shared.size, len(judges)), dtype=np.bool_)
    held[row, column] = True
    order = np.argsort(-held.sum(axis=0), kind="stable")
    together = np.logical_and.accumulate(held[:, order], axis=1)
    cells = together.sum(axis=0) * np.arange(1, len(judges) + 1)
    cells[0] = 0
    k = int(cells.argmax()) + 1
    complete, chosen = together[:, k - 1], np.sort(order[:k])
    share = float(complete.sum() * len(chosen) / held.sum())
    if share < MIN_BLOCK_SHARE or complete.sum() < 2:
        raise _refuse(
            f"the most that was found is judges: {len(chosen)}, outputs: {int(complete.sum()):,},"
            f" which hold {100 * share:.0f} % of the scores"
        )
    table = np.zeros(held.shape)
    table[row, column] = shared.points[shared.code]
    scores = table[np.ix_(complete, chosen)]
    if share == 1:
        return scores, ()
    left_out = [units.rows.judges[code] for code in np.delete(judges, chosen).tolist()]
    without = f", without {listing(left_out, 5)}" if left_out else ""
    n, k = scores.shape
    return scores, (say("complete-block", n=n, judges=k, share=share, without=without),)


def note_items(units: Units) -> tuple[Finding, ...]:
    items, several = np.unique(units.item[units.several]), int(units.several.sum())
    note = say("outputs-of-items", n=several, items=len(items))
    return (note,) if len(items) != several else ()


def _refuse(most: str) -> NotIdentified:
    return NotIdentified(
        f"{_WHO} need outputs that all judges scored: {most}",
        ["estimate variance components, which need no complete blocks: evenhand variance"],
    )


# Pairs of judges on what both scored: the scores side by side, some pairs of judges at a time.

# Pairs of scores that are held at a time; those of one judge are never split
OVERLAP_ROWS: Final = 250_000


@dataclass(frozen=True, eq=False)
class Overlap:
    first: Codes  # (P,) code of one judge of each pair
    second: Codes  # (P,) code of the other, always higher
    pair: Integers  # (m,) number of the pair of judges, ascending
    x: Codes  # (m,) score of the first judge, as its position among the points
    y: Codes  # (m,) score of the second on the same unit, likewise
    unit: Integers  # (m,) number of the unit
    points: Array  # (K,) scores that can be given, ascending

    @cached_property
    def units(self) -> Integers:
        """(P,) common units of each pair of judges, at least one."""
        return np.bincount(self.pair, minlength=len(self.first))

    def mean(self, values: NDArray[Any]) -> Array:
        """(P,) mean over the common units of each pair."""
        return np.bincount(self.pair, values, minlength=len(self.first)) / self.units


@dataclass(frozen=True, eq=False)
class PairMeasure:
    values: Array  # (P,) the measure, NaN where it does not exist
    # (m,) how much each pair of scores moves it: a measure of n pairs of scores moves by
    # influence / n if one of them is given a little more weight (infinitesimal jackknife, Jaeckel
    # 1972). The sum for a pair of judges is zero.
    influence: Array


def walk_overlaps(units: Units, *, block: int = OVERLAP_ROWS) -> Iterator[Overlap]:
    """Lay the scores of all pairs of judges side by side, in blocks of whole pairs."""
    judge, code = units.judge, units.code
    unit = np.repeat(np.arange(units.size), units.sizes)
    later = np.repeat(units.starts + units.sizes, units.sizes) - np.arange(len(judge)) - 1
    order = np.argsort(judge, kind="stable")
    load = np.cumsum(np.bincount(judge, later)).astype(np.int64)
    blocks = (load // block)[judge[order]]
    for mine in np.split(order, np.flatnonzero(np.diff(blocks)) + 1):
        # each score of some judges beside those of later judges on the same unit
        many = later[mine]
        if not many.any():
            continue
        first = np.repeat(mine, many)
        second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(many) - many, many)
        wide = judge[first].astype(np.int64) * (int(judge.max()) + 1) + judge[second]
        by_pair = np.argsort(wide, kind="stable")
        first, second = first[by_pair], second[by_pair]
        opens = np.r_[True, np.diff(wide[by_pair]) > 0]
        sides = judge[first[opens]], judge[second[opens]]
        pair = np.cumsum(opens) - 1
        yield Overlap(*sides, pair, code[first], code[second], unit[first], units.points)


class Record:
    """A dataclass that JSON can hold: tuples as lists, parts as their own records, notes last."""

    def to_dict(self) -> dict[str, Any]:
        described = describe(self, *vars(self))
        if "notes" in described:
            del described["notes"]
            described["findings"] = describe_findings(vars(self)["notes"])
        return described


def describe(item: object, *names: str) -> dict[str, Any]:
    """Return attributes by name as JSON can hold them."""
    return {name: _plain(getattr(item, name)) for name in names}


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, Finding):
        return str(value)
    return [_plain(part) for part in value] if isinstance(value, tuple) else value


@dataclass(frozen=True)
class Coefficient(Record):
    name: str  # as it is asked for and stands in JSON, such as "alpha-interval" or "n-agreement-1"
    title: str  # in tables, such as "Krippendorff's α, interval"
    value: float | None  # the coefficient; None where it does not exist
    lower: float | None = None  # lower end of its interval; None where there is none
    upper: float | None = None  # upper end
    units: int = 0  # outputs (or output pairs) that two or more judges judged
    ratings: int = 0  # judgments on them
    why: str | None = None  # why there is no value, in the user's words; None where there is one
    notes: tuple[Finding, ...] = ()  # what must stand beside it, such as on what it rests

    @property
    def word(self) -> str | None:
        """Landis and Koch's word for it; None where it is no κ."""
        return next((one.values["word"] for one in self.notes if one.code == "landis-koch"), None)

    def without_interval(self) -> Coefficient:
        """Leave out an interval that draws items where judges were to be drawn."""
        if self.value is None:
            return self
        return replace(self, lower=None, upper=None, notes=(*self.notes, say("interval-by-item")))
