"""Which rows of a table on an engine are scores that count, found out without fetching them.

The rules are those of who reads row by row: rows without a score, controls and repeats are left
out and counted; what is odd (a label with a blank, a kind that is none, times in words) is left to
that reading, which says what it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.aside_reading import find_aside_columns
from evenhand.judgments.asides import Unread, tell_kinds
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.counting import name_levels
from evenhand.judgments.engine import COUNT, Frame, fetch_columns, is_nan
from evenhand.judgments.rating_reading import LABELS, is_unscored
from evenhand.judgments.rating_rows import CONTROL, REPEAT, TARGET
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.row_order import PLACE, keep_places

FINEST: Final = 16
"""Most different scores that an engine counts pairs of: they are columns."""
MOMENT: Final = "evenhand_shown_at"
KIND: Final = "evenhand_kind"


class NeedsRows(Exception):
    """Something cannot be counted by an engine: says what."""


@dataclass(frozen=True, eq=False)
class Targets:
    """The scores that count, where they lie.

    Attributes:
        frame: one row each: labels, score, and when, where that is known.
        connection: the DuckDB connection that reads the table, if one is known.
        labels: columns of labels.
        points: (K,) different scores, ascending.
        checked: (M,) different scores that must be on a declared scale: repeats' too.
        left: task → rows of repeats and of controls; of all tasks under "".
        rows: their number.
        timed: whether moments are known.
        notes: what must be said of the rows.
        numbered: labels whose column holds numbers already → their names, by number.
        placed: whether the numbers of rows are known, in the order of the table.
        weight: column of how many judgments a row stands for; None where each is one.
        distances: whether scores are far apart or near; else two are the same or not.
        apart: whether tasks are looked at apart though one alone has targets.
        aside: controls and repeats, whose labels must be sound too; None where there are none.

    """

    frame: Frame
    connection: Any
    labels: tuple[str, ...]
    points: NDArray[np.float64]
    checked: NDArray[np.float64]
    left: Mapping[str, tuple[int, int]]
    rows: int
    timed: bool
    notes: tuple[str, ...]
    numbered: Mapping[str, Sequence[str]] = field(default_factory=dict)
    placed: bool = False
    weight: str | None = None
    distances: bool = True
    apart: bool = False
    aside: Frame | None = None


def find_targets(data: Ratings, factors: Sequence[str], counted: tuple[int, int]) -> Targets:
    """Find the scores that count.

    Args:
        data: ratings.
        factors: further columns that tell units apart.
        counted: rows with a score, and without.

    Raises:
        NeedsRows: something that is only known row by row.
        InvalidJudgments: labels that are fractions, times or nested values.

    """
    labels = [name for name in LABELS if data.has(name)]
    keys = list(dict.fromkeys([*labels, *factors]))
    table, placed = add_places(data.frame)
    frame = name_levels(data, keys, table)
    beside = find_aside_columns(data.source, frame, scores=True)
    timed = check_beside(data, frame, beside.asides)
    frame = beside.add_to(frame.filter(~is_unscored(frame)) if counted[1] else frame)
    frame = add_kind(frame, beside.asides)
    groups = _count_scores(frame, "task" if "task" in keys else None)
    kinds = tell_rows(groups[KIND])
    notes = note_rows(counted, groups, data, frame)
    names = sorted({text for text, kind in kinds.items() if kind == TARGET})
    own = nw.col(KIND).is_in(names)
    left = frame.filter(~own) if len(names) < len(kinds) else None
    frame = frame if left is None else frame.filter(own)
    means = np.array([kinds[text] for text in groups[KIND].tolist()])
    points = _find_points(groups["score"][means == TARGET])
    return Targets(
        frame=_select(frame, keys, timed=timed, placed=placed),
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


def _find_points(scores: NDArray[Any]) -> NDArray[np.float64]:
    """Return the different scores, ascending."""
    points = np.unique(scores.astype(np.float64))
    if not len(points) or len(points) > FINEST:
        raise NeedsRows(f"there are no more than {FINEST} different scores to count, or none")
    return points


def check_beside(data: Ratings | Comparisons, frame: Frame, asides: Mapping[str, Any]) -> bool:
    """Say whether moments are known; refuse what is only read row by row."""
    schema = frame.collect_schema()
    types = {role: schema[aside.column] for role, aside in asides.items()}
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


def add_kind(frame: Frame, asides: Mapping[str, Any]) -> Frame:
    """Say of every row what kind it is, in the words of the table; "" where it says nothing."""
    kind = nw.col(KIND).fill_null("") if "kind" in asides else nw.lit("target")
    return frame.with_columns(kind.alias(KIND))


def _count_scores(frame: Frame, task: str | None) -> dict[str, NDArray[Any]]:
    """Count rows by score and kind, and by task."""
    names = ["score", KIND, *([task] if task else [])]
    scores = frame.group_by("score").agg(nw.len().alias(COUNT)).head(4 * FINEST)
    if len(fetch_columns(scores)["score"]) >= 4 * FINEST:
        raise NeedsRows(f"there are more than {FINEST} different scores")
    return fetch_columns(frame.group_by(*names).agg(nw.len().alias(COUNT)))


def tell_rows(labels: NDArray[Any]) -> dict[str, int]:
    """Return what each kind means.

    Raises:
        NeedsRows: one that is none.

    """
    texts = sorted(set(labels.tolist()))
    try:
        meant = tell_kinds([text.strip() for text in texts])
    except Unread:
        raise NeedsRows("a column of kinds holds something else") from None
    return {text: kind for text, (kind, _) in zip(texts, meant, strict=True)}


def note_rows(
    counted: tuple[int, int],
    groups: Mapping[str, NDArray[Any]],
    data: Ratings | Comparisons,
    frame: Frame,
) -> tuple[str, ...]:
    """Say of rows what the reading row by row says."""
    scored, missing = counted
    notes = []
    if missing:
        every = scored + missing
        notes.append(f"rows without a score are left out: {missing:,} of {every:,}")
    blank = np.array([not text.strip() for text in groups[KIND].tolist()])
    if n := int(groups[COUNT][blank].sum()):
        notes.append(f"judgments without a kind are targets: {n:,} of {scored:,}")
    if "seconds" in data.source.find_asides(data.columns):
        seconds = nw.col("evenhand_seconds").cast(nw.Float64)
        bad = (seconds < 0) | (seconds == float("inf"))
        known = frame.filter(~seconds.is_null()).select("evenhand_seconds")
        known = known.filter(~is_nan(known, "evenhand_seconds"))
        found = int(fetch_columns(known.filter(bad).select(nw.len().alias(COUNT)))[COUNT][0])
        if found:
            notes.append(f"times that are negative or endless are unknown: {found:,} of {scored:,}")
    return tuple(notes)


def _select(frame: Frame, keys: Sequence[str], *, timed: bool, placed: bool) -> Frame:
    """Keep what is needed."""
    frame = clear_moments(frame) if timed else frame
    beside = [*([MOMENT] if timed else []), *([PLACE] if placed else [])]
    return frame.select(*keys, "score", *beside)


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
    """Count repeats and controls by task, and in all."""
    count = groups[COUNT].astype(np.int64)
    tasks = groups["task"] if "task" in groups else np.full(len(count), "", dtype=object)

    def left(own: NDArray[np.bool_]) -> tuple[int, int]:
        repeats, controls = (int(count[own & (kind == one)].sum()) for one in (REPEAT, CONTROL))
        return repeats, controls

    found = {str(name): left(tasks == name) for name in set(tasks.tolist())}
    return {**found, "": left(np.ones(len(count), dtype=np.bool_))}
