"""Which rows of a table on an engine count, with numbers for labels, and first answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.data.annotations import Unread, classify_kinds, find_aside_columns
from evenhand.data.coding import name_levels
from evenhand.data.conditions import ORDER, add_order, mark, mark_whole
from evenhand.data.engine import COUNT, Frame, fetch_columns, is_nan
from evenhand.data.held_tables import hold_table
from evenhand.data.joining import PLACE, keep_places
from evenhand.data.rating_rows import CONTROL, REPEAT, TARGET
from evenhand.data.ratings import Ratings
from evenhand.data.row_reading import RATING_LABELS as LABELS
from evenhand.data.tables import is_unscored
from evenhand.data.texts import say

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
    rows: int  # their number
    timed: bool  # whether moments are known
    notes: tuple[str, ...]  # what must be said of the rows
    placed: bool  # whether the numbers of rows are known, in the order of the table
    # controls and repeats, whose labels must be sound too; None where there are none
    aside: Frame | None


def find_targets(data: Ratings, factors: Sequence[str], counted: tuple[int, int]) -> Targets:
    labels = [name for name in LABELS if data.has(name)]
    keys = list(dict.fromkeys([*labels, *factors]))
    table, placed = add_places(data.frame)
    frame = name_levels(data, keys, table)
    beside = find_aside_columns(data.source, frame, scores=True)
    timed = check_beside(data, frame, beside.annotations)
    frame = beside.add_to(frame.filter(~is_unscored(frame)) if counted[1] else frame)
    frame = add_kind(frame, beside.annotations)
    scores = frame.group_by("score").agg(nw.len().alias(COUNT)).head(4 * MAX_POINTS_COUNTED)
    if len(fetch_columns(scores)["score"]) >= 4 * MAX_POINTS_COUNTED:
        raise NeedsRows(f"there are more than {MAX_POINTS_COUNTED} different scores")
    by = ["score", KIND, *(["task"] if "task" in keys else [])]
    groups = fetch_columns(frame.group_by(*by).agg(nw.len().alias(COUNT)))
    kinds = classify_rows(groups[KIND])
    notes = note_rows(counted, groups, data, frame)
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
    frame = clear_moments(frame) if timed else frame
    order = [*([MOMENT] if timed else []), *([PLACE] if placed else [])]
    return Targets(
        frame=frame.select(*keys, "score", *order),
        connection=data.source.connection,
        labels=tuple(keys),
        points=points,
        checked=np.unique(groups["score"][means != CONTROL].astype(np.float64)),
        left=count_left(groups, means),
        rows=int(groups[COUNT][means == TARGET].sum()),
        timed=timed,
        notes=notes,
        placed=placed,
        aside=left,
    )


def check_beside(data: Ratings, frame: Frame, annotations: Mapping[str, Any]) -> bool:
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


def add_places(frame: Frame) -> tuple[Frame, bool]:
    """Add the numbers of rows where an engine keeps their order, and say whether it does."""
    if not frame.implementation.is_duckdb():
        return frame, False
    return keep_places(frame), True


def add_kind(frame: Frame, annotations: Mapping[str, Any]) -> Frame:
    """Say of every row what kind it is, in the words of the table; "" where it says nothing."""
    kind = nw.col(KIND).fill_null("") if "kind" in annotations else nw.lit("target")
    return frame.with_columns(kind.alias(KIND))


def classify_rows(labels: NDArray[Any]) -> dict[str, int]:
    texts = sorted(set(labels.tolist()))
    try:
        meant = classify_kinds([text.strip() for text in texts])
    except Unread:
        raise NeedsRows("a column of kinds holds something else") from None
    return {text: kind for text, (kind, _) in zip(texts, meant, strict=True)}


def note_rows(
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


def clear_moments(frame: Frame) -> Frame:
    """Make moments that are no numbers missing, and others as exact as they are read of rows."""
    kind, moment = frame.collect_schema()[MOMENT], nw.col(MOMENT)
    if kind.is_integer():
        return frame.with_columns(moment.cast(nw.Float64))
    if isinstance(kind, nw.Datetime) and kind.time_unit == "ns":
        return frame.with_columns(moment.cast(nw.Datetime("us", kind.time_zone)))
    if not kind.is_float():
        return frame
    return frame.with_columns(nw.when(~is_nan(frame, MOMENT)).then(moment).alias(MOMENT))


def count_left(
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
        if targets.aside is not None:
            for name in targets.labels:
                check_names(targets.aside, name)
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
