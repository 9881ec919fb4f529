"""Ratings counted by the engine that holds them, or why each row must be fetched.

Coefficients that know of a unit no more than how often each score was given are made of counts:
n-agreement, Fleiss' κ, Krippendorff's α, Gwet's coefficients and their like. Who answered whom only
rows say, and which answer came first where neither times nor the order of a table tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from math import lcm
from typing import Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.data.annotations import Unread, classify_kinds, find_aside_columns
from evenhand.data.coding import Level, name_levels
from evenhand.data.conditions import ORDER, add_order, count_values, mark, mark_whole
from evenhand.data.engine import COUNT, PLACE, Columns, Frame, fetch_columns, is_nan, one_thread
from evenhand.data.held_tables import hold_table
from evenhand.data.joining import keep_places
from evenhand.data.rating_rows import CONTROL, REPEAT, TARGET, Scale
from evenhand.data.ratings import Ratings
from evenhand.data.row_reading import RATING_LABELS as LABELS
from evenhand.data.tables import count_scored, is_unscored
from evenhand.data.texts import say
from evenhand.errors import InvalidJudgments
from evenhand.judges.agreement_intervals import MAX_CLUSTERS, MIN_CLUSTERS
from evenhand.judges.agreement_table import Doubtful
from evenhand.judges.counts import MAX_POINTS_TABLED, Counts
from evenhand.judges.item_agreement import MAX_ITEMS_LISTED, PRIOR_UNITS
from evenhand.judges.judge_pairs import MAX_PAIRS_UNASKED, list_between
from evenhand.judges.tabulation import Counted, Key, Request
from evenhand.judges.units import Points, read_points

# Which rows of a table on an engine are scores that count, found out without fetching them.
#
# The rules are those of who reads row by row: rows without a score, controls and repeats are left
# out and counted; what is odd (a label with a blank, a kind that is none, times in words) is left
# to that reading, which says what it is.

# Most different scores that an engine counts pairs of: they are columns
MAX_POINTS_COUNTED: Final = 16
MOMENT: Final = "evenhand_shown_at"
KIND: Final = "evenhand_kind"
ODD_LABELS: Final = "labels that cannot be are named with their rows"


class NeedsRows(Exception):
    """Something cannot be counted by an engine: says what."""


@dataclass(frozen=True, eq=False)
class Targets:
    """The scores that count, where they lie."""

    frame: Frame  # one row each: labels, score, and when, where that is known
    connection: Any  # the DuckDB connection that reads the table, if one is known
    labels: tuple[str, ...]  # columns of labels
    points: NDArray[np.float64]  # (K,) different scores, ascending
    # (M,) different scores that must be on a declared scale: repeats' too
    checked: NDArray[np.float64]
    # task → rows of repeats and of controls; of all tasks under ""
    left: Mapping[str, tuple[int, int]]
    timed: bool  # whether moments are known
    notes: tuple[str, ...]  # what must be said of the rows
    placed: bool  # whether the numbers of rows are known, in the order of the table
    # controls and repeats, whose labels must be sound too; None where there are none
    excluded: Frame | None


def find_targets(data: Ratings, factors: Sequence[str], counted: tuple[int, int]) -> Targets:
    labels = [name for name in LABELS if data.has(name)]
    keys = list(dict.fromkeys([*labels, *factors]))
    placed = data.frame.implementation.is_duckdb()  # which keeps the order of rows
    frame = name_levels(data, keys, keep_places(data.frame) if placed else data.frame)
    beside = find_aside_columns(data.source, frame, scores=True)
    timed = _check_beside(data, frame, beside.annotations)
    frame = beside.add_to(frame.filter(~is_unscored(frame)) if counted[1] else frame)
    kind = nw.col(KIND).fill_null("") if "kind" in beside.annotations else nw.lit("target")
    frame = frame.with_columns(kind.alias(KIND))
    scores = frame.group_by("score").agg(nw.len().alias(COUNT)).head(4 * MAX_POINTS_COUNTED)
    if len(fetch_columns(scores)["score"]) >= 4 * MAX_POINTS_COUNTED:
        raise NeedsRows(f"there are more than {MAX_POINTS_COUNTED} different scores")
    by = ["score", KIND, *(["task"] if "task" in keys else [])]
    groups = fetch_columns(frame.group_by(*by).agg(nw.len().alias(COUNT)))
    texts = sorted(set(groups[KIND].tolist()))
    try:
        meant = classify_kinds([text.strip() for text in texts])
    except Unread:
        raise NeedsRows("a column of kinds holds something else") from None
    kinds = {text: kind for text, (kind, _) in zip(texts, meant, strict=True)}
    notes = _note_rows(counted, groups, data, frame)
    names = sorted({text for text, kind in kinds.items() if kind == TARGET})
    is_target = nw.col(KIND).is_in(names)
    left = frame.filter(~is_target) if len(names) < len(kinds) else None
    frame = frame if left is None else frame.filter(is_target)
    means = np.array([kinds[text] for text in groups[KIND].tolist()])
    points = np.unique(groups["score"][means == TARGET].astype(np.float64))
    if not len(points) or len(points) > MAX_POINTS_COUNTED:
        raise NeedsRows(
            f"there are no more than {MAX_POINTS_COUNTED} different scores to count, or none"
        )
    frame = _clear_moments(frame) if timed else frame
    order = [*([MOMENT] if timed else []), *([PLACE] if placed else [])]
    return Targets(
        frame=frame.select(*keys, "score", *order),
        connection=data.source.connection,
        labels=tuple(keys),
        points=points,
        checked=np.unique(groups["score"][means != CONTROL].astype(np.float64)),
        left=_count_left(groups, means),
        timed=timed,
        notes=notes,
        placed=placed,
        excluded=left,
    )


def _check_beside(data: Ratings, frame: Frame, annotations: Mapping[str, Any]) -> bool:
    """Say whether moments are known; refuse what is only read row by row."""
    schema = frame.collect_schema()
    types = {role: schema[annotation.column] for role, annotation in annotations.items()}
    if "expected" in types:
        raise NeedsRows("what is expected of controls is read row by row")
    if "seconds" in types and not types["seconds"].is_numeric():
        raise NeedsRows("seconds are read row by row where they are not numbers")
    moment = types.get("shown_at")
    if moment is not None and not (moment.is_numeric() or moment in (nw.Datetime, nw.Date)):
        raise NeedsRows(f"times in '{data.source.named('shown_at')}' are read row by row as text")
    return moment is not None


def _note_rows(
    counted: tuple[int, int],
    groups: Mapping[str, NDArray[Any]],
    data: Ratings,
    frame: Frame,
) -> tuple[str, ...]:
    scored, missing = counted
    notes: list[str] = []
    if missing:
        every = scored + missing
        notes.append(say("no-score", rows=missing, of=every))
    blank = np.array([not text.strip() for text in groups[KIND].tolist()])
    if n := int(groups[COUNT][blank].sum()):
        notes.append(f"judgments without a kind are targets: {n:,} of {scored:,}")
    if "seconds" in data.source.find_annotations(data.columns):
        seconds = nw.col("evenhand_seconds").cast(nw.Float64)
        bad = (seconds < 0) | (seconds == float("inf"))
        known = frame.filter(~seconds.is_null()).select("evenhand_seconds")
        known = known.filter(~is_nan(known, "evenhand_seconds"))
        n_bad = int(fetch_columns(known.filter(bad).select(nw.len().alias(COUNT)))[COUNT][0])
        if n_bad:
            notes.append(f"times that are negative or endless are unknown: {n_bad:,} of {scored:,}")
    return tuple(notes)


def _clear_moments(frame: Frame) -> Frame:
    """Make moments that are no numbers missing, and others as exact as they are read of rows."""
    kind, moment = frame.collect_schema()[MOMENT], nw.col(MOMENT)
    if kind.is_integer():
        return frame.with_columns(moment.cast(nw.Float64))
    if isinstance(kind, nw.Datetime) and kind.time_unit == "ns":
        return frame.with_columns(moment.cast(nw.Datetime("us", kind.time_zone)))
    if not kind.is_float():
        return frame
    return frame.with_columns(nw.when(~is_nan(frame, MOMENT)).then(moment).alias(MOMENT))


def _count_left(
    groups: Mapping[str, NDArray[Any]], kind: NDArray[np.int64]
) -> dict[str, tuple[int, int]]:
    count = groups[COUNT].astype(np.int64)
    tasks = groups["task"] if "task" in groups else np.full(len(count), "", dtype=object)

    def left(of_task: NDArray[np.bool_]) -> tuple[int, int]:
        repeats, controls = (int(count[of_task & (kind == one)].sum()) for one in (REPEAT, CONTROL))
        return repeats, controls

    counts = {str(name): left(tasks == name) for name in set(tasks.tolist())}
    return {**counts, "": left(np.ones(len(count), dtype=np.bool_))}


# Labels of scores become whole numbers in the engine: to group by these costs half of it.
#
# Labels are numbered in their order by the engine itself, so that none leaves it but the names of
# levels, and of the items that are listed.

NAME: Final = "evenhand_name"
_CODE: Final = "evenhand_code"
_SPACES: Final = [chr(code) for code in range(0x3001) if chr(code).isspace()]


@dataclass(frozen=True, eq=False)
class Coded:
    targets: Targets  # the scores, with labels
    # label → a table of the engine with the number of each, and items' full names
    tables: Mapping[str, Frame]
    # further label, but judges → the names of its levels, by number
    names: Mapping[str, Sequence[str]]

    @property
    def items(self) -> Frame:
        return self.tables["item"].select(nw.col(_CODE).alias("item"), NAME)

    def frame(self, labels: Sequence[str]) -> Frame:
        """Return one row for each score: numbers of labels, score, moment and place."""
        frame = self.targets.frame
        for name in labels:
            on = _match(self.targets, name)
            codes = self.tables[name].select(*on, nw.col(_CODE).alias(f"{_CODE}_{name}"))
            frame = frame.join(codes, on=on, how="inner")  # type: ignore[arg-type]
        codes_of = [nw.col(f"{_CODE}_{name}").alias(name) for name in labels]
        moment = [MOMENT] if self.targets.timed else []
        place = [PLACE] if self.targets.placed else []
        return frame.select(*codes_of, "score", *moment, *place)

    @property
    def keys(self) -> tuple[str, ...]:
        """Labels that tell units apart: an item is one of a task."""
        return tuple(one for one in self.targets.labels if one not in ("judge", "task"))


@contextmanager
def code_targets(targets: Targets) -> Iterator[Coded]:
    """Number the labels; the tables of them are held while the context lasts."""
    with ExitStack() as stack:
        if targets.excluded is not None:
            for name in targets.labels:
                check_names(targets.excluded, name)
        tables = {name: stack.enter_context(_number(targets, name)) for name in targets.labels}
        for name, table in tables.items():
            check_names(table, name)
        names: dict[str, Sequence[str]] = {}
        for name, table in tables.items():
            if name not in ("judge", "item"):
                columns = fetch_columns(table.select(_CODE, name))
                names[name] = tuple(columns[name][np.argsort(columns[_CODE])].tolist())
        yield Coded(targets, tables, names)


@contextmanager
def _number(targets: Targets, name: str) -> Iterator[Frame]:
    """Number the labels of a column in their order; items with their tasks."""
    on = _match(targets, name)
    shown = nw.concat_str([nw.col(one) for one in on], separator=" / ")
    table = targets.frame.group_by(*on).agg(nw.len().alias(COUNT)).with_columns(shown.alias(NAME))
    numbered: Frame = add_order(table, NAME).with_row_index(_CODE, order_by=[ORDER, *on])
    numbered = numbered.drop(ORDER).with_columns(nw.col(_CODE).cast(nw.Int32))
    with hold_table(numbered, targets.connection) as held:
        yield held


def _match(targets: Targets, name: str) -> list[str]:
    return ["task", "item"] if name == "item" and "task" in targets.labels else [name]


def check_names(table: Frame, name: str) -> None:
    """Leave labels that are missing or have outer blanks to who names their rows."""
    label = nw.col(name)
    first, last = label.str.head(1), label.str.tail(1)
    odd = label.is_null() | (label == "") | first.is_in(_SPACES) | last.is_in(_SPACES)
    if len(fetch_columns(table.filter(odd).select(name).head(1))[name]):
        raise NeedsRows(ODD_LABELS)


# Which answer of a judge to a unit is the first, told by the engine that holds them.
#
# Mostly it does not matter, since there is one, or all are the same. Else the earliest counts,
# where moments are known, and then the first in the table, where its engine keeps an order: numbers
# of rows times the number of scores, plus the place of the score, have their smallest at the first.

ODD_COLUMN: Final = "evenhand_odd"
ROWS_COLUMN: Final = "evenhand_rows"
_LOW, _HIGH = "evenhand_low", "evenhand_high"


def keep_first(scores: Coded, frame: Frame) -> Frame:
    """Keep the answers of a judge to a unit that no known moment is before."""
    keys = (*scores.keys, "judge")
    first, rows = nw.col(MOMENT).min().over(*keys), nw.len().over(*keys)
    frame = frame.with_columns(first.alias(_LOW), rows.alias(ROWS_COLUMN))
    return frame.filter(nw.col(_LOW).is_null() | (nw.col(MOMENT) == nw.col(_LOW)))


def read_answers(
    scores: Coded, frame: Frame, keys: tuple[str, ...], given: list[str], *, placed: bool
) -> Frame:
    """Return what each judge said of each unit: 1 for the score given, and whether others were."""
    k, score = len(given), nw.col("score")
    counted = ROWS_COLUMN in frame.collect_schema().names()
    rows = (nw.col(ROWS_COLUMN).max() if counted else nw.len()).alias(ROWS_COLUMN)
    if placed:
        place = nw.col(PLACE) * k
        for at, point in enumerate(scores.targets.points.tolist()[1:], start=1):
            place = place + mark_whole(score == point) * at
        frame = frame.with_columns(place.alias(PLACE))
        answers = frame.group_by(*keys).agg(nw.col(PLACE).min().alias(_LOW), rows)
        gave = [nw.col(_LOW) % k == at for at in range(k)]
        odd = nw.lit(0.0)
    else:
        ends = score.min().alias(_LOW), score.max().alias(_HIGH)
        answers = frame.group_by(*keys).agg(*ends, rows)
        gave = [nw.col(_LOW) == point for point in scores.targets.points.tolist()]
        odd = mark(nw.col(_LOW) != nw.col(_HIGH))
    return answers.with_columns(
        *(mark(one).alias(name) for one, name in zip(gave, given, strict=True)),
        odd.alias(ODD_COLUMN),
        nw.col(ROWS_COLUMN).cast(nw.Float64),
    )


# Units grouped by the engine that holds their scores: what comes back does not grow with them.
#
# Rows become answers (a unit's, by a judge), answers units (how often each score was given), units
# sums by item, and items clusters. The sums by item are held by the engine where it can hold them.

JUDGES, AGAIN = "evenhand_judges", "evenhand_again"
CLUSTER: Final = "evenhand_cluster"
_PRIME: Final = 2_147_483_647  # Places of items times a number below it fit into 64 bits


@dataclass(frozen=True, eq=False)
class ItemSums:
    frame: Frame  # by levels, item and number of judges
    levels: tuple[str, ...]  # columns by which units are told apart
    scores: Coded  # what is summed

    @property
    def points(self) -> NDArray[np.float64]:
        """(K,) the scores."""
        return self.scores.targets.points

    @cached_property
    def items(self) -> int:
        number = self.scores.items.select(nw.len().alias(COUNT))
        return int(fetch_columns(number)[COUNT][0])


def name_given(k: int) -> list[str]:
    return [f"evenhand_given_{at}" for at in range(k)]


def name_together(k: int) -> list[str]:
    pairs = combinations_with_replacement(range(k), 2)
    return [f"evenhand_pair_{low}_{high}" for low, high in pairs]


@contextmanager
def sum_items(scores: Coded, levels: Sequence[str]) -> Iterator[ItemSums]:
    """Sum units by item; the table is held while the context lasts."""
    targets = scores.targets
    frame = scores.frame(list(dict.fromkeys([*scores.keys, *levels, "judge"])))
    why = "which of two answers of a judge is the first, the order of the rows says"
    for timed, placed in ((False, False), (True, False), (True, True)):
        if timed and not (targets.placed if placed else targets.timed):
            continue
        if timed and not placed:
            frame = keep_first(scores, frame)
            why = "answers of a judge at one moment are distinguished by the order of rows"
        sums = _sum_by_item(scores, frame, levels, placed=placed)
        with hold_table(sums, targets.connection) as held:
            # answers of a judge to a unit that differ
            if not int(fetch_columns(held.select(nw.col(ODD_COLUMN).sum()))[ODD_COLUMN][0]):
                yield ItemSums(held, tuple(levels), scores)
                return
    raise NeedsRows(why)


def _sum_by_item(scores: Coded, frame: Frame, levels: Sequence[str], *, placed: bool) -> Frame:
    k = len(scores.targets.points)
    given, together = name_given(k), name_together(k)
    keys = tuple(dict.fromkeys([*scores.keys, *levels]))
    answers = read_answers(scores, frame, (*keys, "judge"), given, placed=placed)
    sums = [nw.col(name).sum() for name in (*given, ROWS_COLUMN, ODD_COLUMN)]
    units = answers.group_by(*keys).agg(nw.len().alias(JUDGES), *sums)
    again = nw.col(ROWS_COLUMN) - nw.col(JUDGES)
    units = units.with_columns(again.alias(AGAIN), *_count_pairs(k))
    columns = [nw.col(name).sum() for name in (*given, *together, AGAIN, ODD_COLUMN)]
    by = dict.fromkeys([*levels, "item", JUDGES])
    return units.group_by(*by).agg(nw.len().alias(COUNT), *columns)


def _count_pairs(k: int) -> list[nw.Expr]:
    given = name_given(k)
    products = []
    for name, (low, high) in zip(
        name_together(k), combinations_with_replacement(range(k), 2), strict=True
    ):
        one, other = nw.col(given[low]), nw.col(given[high])
        products.append((one * (other - 1 if low == high else other)).alias(name))
    return products


def _find_cluster(items: int, seed: int) -> nw.Expr:
    # Up to 1,000 items are clusters, in the order of their names; more are put together by their
    # place in it, times a number that the seed draws.
    most, cluster = MAX_CLUSTERS["item"], nw.col("item").cast(nw.Int64)
    if items <= most:
        return cluster
    times = int(np.random.Generator(np.random.PCG64(seed)).integers(_PRIME // 3, _PRIME))
    return ((cluster + 1) * times % _PRIME) % most


def fetch_counts(sums: ItemSums, seen: Points, seed: int) -> Counts:
    """Fetch sums by cluster as counts, in an order of their own."""
    k = len(sums.points)
    cluster = _find_cluster(sums.items, seed).alias(CLUSTER)
    groups = sums.frame.with_columns(cluster).group_by(*sums.levels, CLUSTER, JUDGES)
    summed = [COUNT, AGAIN, *name_given(k), *name_together(k)]
    columns = fetch_columns(groups.agg(*(nw.col(name).sum() for name in summed)))
    at = np.searchsorted(seen.points, sums.points)
    k, size = len(seen.points), len(columns[COUNT])
    given, together = (np.zeros((size, wide), np.int64) for wide in (k, k * (k + 1) // 2))
    given[:, at] = _stack(columns, name_given(len(at)))
    pairs = _stack(columns, name_together(len(at)))
    low, high = np.triu_indices(len(at))
    pairs[:, low == high] //= 2
    place = np.zeros((k, k), dtype=np.int64)
    place[np.triu_indices(k)] = np.arange(k * (k + 1) // 2)
    together[:, place[at[low], at[high]]] = pairs
    known = {name: _read_level(columns[name], sums.scores.names[name]) for name in sums.levels}
    clusters, judges, units, again = _stack(columns, [CLUSTER, JUDGES, COUNT, AGAIN]).T
    counts = Counts(
        points=seen.points,
        scale=seen.scale,
        levels=known,
        cluster=clusters,
        sizes=judges,
        units=units,
        again=again,
        given=given,
        together=together,
    )
    keys = [judges, clusters, *(codes for _, codes in known.values())]
    return counts.take(np.lexsort(keys))


def _read_level(numbers: NDArray[np.int64], names: Sequence[str]) -> Level:
    """Return the names that occur, sorted, and the code of each number."""
    occurs, place = np.unique(numbers.astype(np.int64), return_inverse=True)
    labels = [names[at] for at in occurs.tolist()]
    order = sorted(range(len(labels)), key=labels.__getitem__)
    rank = np.argsort(order).astype(np.int32)
    return tuple(labels[at] for at in order), rank[place.reshape(-1)]


def _stack(columns: Columns, names: Sequence[str]) -> NDArray[np.int64]:
    return np.column_stack([columns[name].astype(np.int64) for name in names])


def count_different(frame: Frame, name: str, by: Sequence[str], scores: Coded) -> dict[Key, int]:
    columns = fetch_columns(count_values(frame, name, by))
    parts = name_parts(columns, by, scores)
    return {key: int(n) for key, n in zip(parts, columns[COUNT], strict=True)}


def name_parts(columns: Columns, by: Sequence[str], scores: Coded) -> list[Key]:
    size = len(next(iter(columns.values())))
    labels = [[scores.names[name][int(at)] for at in columns[name]] for name in by]
    rows = zip(*labels, strict=True) if labels else [()] * size
    return [tuple(zip(by, row, strict=True)) for row in rows]


def count_units(scores: Coded, keys: Sequence[str]) -> int:
    groups = scores.frame(keys).group_by(*keys).agg(nw.len().alias(COUNT))
    return int(fetch_columns(groups.select(nw.len().alias(COUNT)))[COUNT][0])


# Items on whose outputs judges are farthest apart, listed by the engine that holds their sums.
#
# Differences are summed as whole numbers (of steps, times a common multiple of pairs of judges),
# and each item has one quotient of such: items that are equal are so on every engine, and stand by
# name. Where scores are no whole steps apart, quotients are equal that are so to the twelfth digit.

_ALL, _GAP, _WHOLE = "evenhand_all", "evenhand_gap", "evenhand_whole"
_UNITS: Final = "evenhand_units"
_ORDER, _PLACE = "evenhand_low", "evenhand_place"
# Largest common multiple of pairs of judges by which differences become whole numbers
MAX_MULTIPLE: Final = 1_000_000
_NEAR: Final = 1e-9
_DIGITS: Final = 12


def list_doubtful_items(
    sums: ItemSums, by: Sequence[str], sizes: Sequence[int]
) -> dict[Key, tuple[Doubtful, ...]]:
    """Return the items of every part on which judges are farthest apart, the worst first."""
    multiple = lcm(*(m * (m - 1) // 2 for m in sizes))
    task = ["task"] if "task" in sums.levels else []
    parts, items = [*by] or [_ALL], dict.fromkeys([*by, *task, "item"])
    steps, step, whole = _find_steps(sums.points)
    exact = whole and multiple <= MAX_MULTIPLE
    multiple = multiple if exact else 1
    apart = _weigh_pairs(steps, multiple)
    frame = sums.frame.filter(nw.col(JUDGES) > 1).with_columns(apart.alias(_GAP))
    total = nw.col(_GAP).sum(), nw.col(COUNT).cast(nw.Float64).sum()
    frame = frame.group_by(*items).agg(*total).with_columns(nw.lit(1).alias(_ALL))
    totals = nw.col(_GAP).sum().over(*parts), nw.col(COUNT).sum().over(*parts)
    frame = frame.with_columns(totals[0].alias(_WHOLE), totals[1].alias(_UNITS))
    # ordered by −(own gap × units + 5 × whole gap) / (own units + 5)
    drawn: nw.Expr = nw.col(_GAP) * nw.col(_UNITS) + PRIOR_UNITS * nw.col(_WHOLE)
    units: nw.Expr = nw.col(COUNT) + PRIOR_UNITS
    if exact:
        order = 0.0 - drawn / units
    else:
        order = (0.0 - drawn / (units * nw.col(_UNITS))).round(_DIGITS)
    frame = frame.with_columns(order.alias(_ORDER))
    place = nw.col(_ALL).cum_sum().over(*parts, order_by=[_ORDER, "item"])
    frame = frame.with_columns(place.alias(_PLACE)).filter(nw.col(_PLACE) <= MAX_ITEMS_LISTED)
    frame = frame.join(sums.scores.items, on="item", how="inner")  # type: ignore[arg-type]
    columns = fetch_columns(frame.select(*items, NAME, COUNT, _GAP, _WHOLE, _UNITS, _ORDER))
    keys, names = name_parts(columns, by, sums.scores), sums.scores.names
    listed = dict[Key, tuple[Doubtful, ...]]()
    for at in sorted(range(len(keys)), key=lambda at: (columns[_ORDER][at], columns[NAME][at])):
        n, apart_by = int(columns[COUNT][at]), float(columns[_GAP][at]) * step / multiple
        mean = float(columns[_WHOLE][at]) * step / float(columns[_UNITS][at]) / multiple
        doubtful = Doubtful(
            item=columns[NAME][at],
            task=names["task"][int(columns["task"][at])] if task else "",
            units=n,
            difference=apart_by / n,
            drawn=(apart_by + PRIOR_UNITS * mean) / (n + PRIOR_UNITS),
        )
        listed[keys[at]] = (*listed.get(keys[at], ()), doubtful)
    return listed


def _find_steps(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], float, bool]:
    """Return the scores in steps above the lowest, the step, and whether that leaves no rest."""
    # Where none does, the step is the whole range.
    if len(points) == 1:
        return np.zeros(1), 1.0, True
    step = float(np.diff(points).min())
    steps = (points - points[0]) / step
    if (np.abs(steps - np.round(steps)) <= _NEAR * np.maximum(steps, 1.0)).all():
        return np.round(steps), step, True
    span = float(points[-1] - points[0])
    return (points - points[0]) / span, span, False


def _weigh_pairs(steps: NDArray[np.float64], multiple: int) -> nw.Expr:
    """Return the sum over pairs of judges of their difference, times a multiple of 1 / pairs."""
    judges = nw.col(JUDGES).cast(nw.Float64)
    apart, k = nw.lit(0.0), len(steps)
    for name, (low, high) in zip(
        name_together(k), combinations_with_replacement(range(k), 2), strict=True
    ):
        if low < high:
            apart = apart + nw.col(name).cast(nw.Float64) * float(steps[high] - steps[low])
    return apart * (2.0 * multiple / (judges * (judges - 1.0)))


MAX_ROWS_READ: Final = 200_000  # Rows up to which an engine is asked for each
MAX_ROWS_OF_FILES_READ: Final = 3_000_000  # Rows of files up to which each is read: they are here
_SELF: Final = "intra"


@dataclass(frozen=True)
class Rows:
    """Each row must be read."""

    why: str = ""  # what asks for it; "" where rows are few, or in memory
    missing: int | None = None  # rows without a score, where they have been counted


def count_ratings(data: Ratings, request: Request, scale: Scale | None) -> Counted | Rows:
    if not data.has("item") or not data.has("judge") or not hasattr(data.frame, "collect"):
        return Rows()
    scored, missing = count_scored(data)
    # rows of files are here already, those of other engines are asked for
    here = data.frame.implementation.is_duckdb()
    if scored <= (MAX_ROWS_OF_FILES_READ if here else MAX_ROWS_READ):
        return Rows(missing=missing)
    try:
        _check_request(request)
        with one_thread(data.source.connection):
            return _count(data, request, scale, (scored, missing))
    except NeedsRows as why:
        return Rows(str(why), missing)


def _check_request(request: Request) -> None:
    between = {"all", _SELF, *list_between()}
    requested = [
        name
        for name in request.coefficients
        if name in between or name.startswith("n-agreement-pair")
    ]
    if requested:
        raise NeedsRows(f"who scored with whom is known row by row: {', '.join(requested)}")
    if request.cluster != "item":
        raise NeedsRows(f"to draw {request.cluster}s again, who scored what must be known")
    levels = [name for name in request.by if name in ("item", "judge")]
    if levels:
        raise NeedsRows(f"levels of '{levels[0]}' are too many to be counted apart")


def _count(
    data: Ratings, request: Request, scale: Scale | None, counted: tuple[int, int]
) -> Counted:
    factors = [name for name in request.by if name not in LABELS]
    targets = find_targets(data, factors, counted)
    seen = _read_scale(targets, scale)
    levels = [name for name in ("task", "criterion") if name in targets.labels]
    with code_targets(targets) as scores:
        with sum_items(scores, tuple(dict.fromkeys([*levels, *request.by]))) as sums:
            counts = fetch_counts(sums, seen, request.seed)
            _check_counts(counts, request, targets)
            keys = [name for name in scores.keys if name not in factors]
            if factors and counts.size != count_units(scores, keys):
                raise NeedsRows(
                    "outputs cannot be distinguished by what differs among their judges"
                )
            parts = list_parts(counts, request.by)
            sizes = np.unique(counts.sizes[counts.several]).tolist()
            doubtful = [list_doubtful_items(sums, by, sizes) for by in parts if sizes]
            items = _count_few(sums, counts, parts)
        judges, scorers = _find_judges(scores, counts, parts)
    return Counted(
        counts=counts,
        judges=judges,
        scorers=scorers,
        doubtful={key: items for part in doubtful for key, items in part.items()},
        left=targets.left,
        items=items,
        notes=targets.notes,
    )


def _read_scale(targets: Targets, scale: Scale | None) -> Points:
    try:
        if scale is not None:
            scale.check(targets.checked)
        seen = read_points(targets.points, scale)
    except InvalidJudgments:
        raise NeedsRows("scores that are not on the scale are counted and named") from None
    if len(seen.points) > MAX_POINTS_TABLED:
        raise NeedsRows(f"the scale has more than {MAX_POINTS_TABLED} points")
    return seen


def _check_counts(counts: Counts, request: Request, targets: Targets) -> None:
    """Refuse what is shown unasked and needs each row."""
    if "default" not in request.coefficients:
        return
    repeats, _ = targets.left[""]
    if repeats or counts.again.any():
        raise NeedsRows("judges answered again: how they agree with themselves is shown unasked")
    tasks, codes = counts.labels("task")
    apart = np.zeros_like(codes) if "task" in request.by else codes
    present = [task for task in range(len(tasks)) if task in apart]
    if any(counts.take(apart == task).pairs <= MAX_PAIRS_UNASKED for task in present):
        raise NeedsRows(
            f"up to {MAX_PAIRS_UNASKED:,} pairs of judges of one output, coefficients between"
            " judges are shown unasked"
        )


def list_parts(counts: Counts, by: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the columns by which parts are made, for each depth."""
    several = len(counts.labels("task")[0]) > 1 and "task" not in by
    bound = ("task",) if several else ()
    alone = len(by) > 0 and len(counts.labels(by[0])[0]) == 1
    depths = [at for at in range(len(by) + 1) if not (at == 1 and alone)]
    return [(*bound, *by[:at]) for at in depths]


def _count_few(sums: ItemSums, counts: Counts, parts: Sequence[tuple[str, ...]]) -> dict[Key, int]:
    """Count the items of all parts where items were put together and some part has few clusters."""
    if sums.items <= MAX_CLUSTERS["item"]:
        return {}
    few: dict[Key, int] = {}
    for by in parts:
        key = np.column_stack([counts.cluster, *(counts.labels(name)[1] for name in by)])
        clusters = np.unique(key, axis=0)[:, 1:]
        _, sizes = np.unique(clusters, axis=0, return_counts=True) if by else (None, [len(key)])
        if min(sizes) < MIN_CLUSTERS:
            few |= count_different(sums.frame, "item", by, sums.scores)
    return few


def _find_judges(
    scores: Coded, counts: Counts, parts: Sequence[tuple[str, ...]]
) -> tuple[dict[Key, int], dict[Key, int]]:
    """Count who scored units of two judges or more, by part, and who scored any, by task."""
    bound = tuple(name for name in parts[0] if name == "task")
    levels = tuple(dict.fromkeys(name for by in parts for name in by))
    rows = scores.frame([*levels, "judge"]).group_by(*levels, "judge")
    judges_of_rows = rows.agg(nw.len().alias(ROWS_COLUMN))
    if counts.alone:
        judge = nw.col("judge")
        keys = list(dict.fromkeys([*scores.keys, *levels]))
        units = scores.frame([*keys, "judge"]).group_by(*keys)
        ends = units.agg(judge.min().alias(_LOW), judge.max().alias(_HIGH), nw.len().alias(COUNT))
        single = ends.filter(nw.col(_LOW) == nw.col(_HIGH)).group_by(*levels, _LOW)
        once = single.agg(nw.col(COUNT).sum()).rename({_LOW: "judge"})
        joined = judges_of_rows.join(once, on=[*levels, "judge"], how="left")  # type: ignore[arg-type]
        judges_of_rows = joined.filter(
            nw.col(COUNT).is_null() | (nw.col(ROWS_COLUMN) > nw.col(COUNT))
        )
    judges: dict[Key, int] = {}
    with hold_table(judges_of_rows.select(*levels, "judge"), scores.targets.connection) as held:
        for by in parts:
            judges |= count_different(held, "judge", by, scores)
    if not counts.alone:
        return judges, judges
    return judges, count_different(scores.frame([*bound, "judge"]), "judge", bound, scores)
