"""A table of ratings is read once: labels become codes, scores numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments
from evenhand.judgments.aside_reading import Beside, Expected, Words, find_aside_columns
from evenhand.judgments.asides import read_expected_scores
from evenhand.judgments.checks import is_name, refuse_unnamed_levels
from evenhand.judgments.counting import name_levels
from evenhand.judgments.engine import (
    ANSWER,
    COUNT,
    Frame,
    fetch_columns,
    is_finite,
    is_nan,
    one_thread,
)
from evenhand.judgments.label_codes import Labels, Level, bind_levels, read_labels
from evenhand.judgments.rating_rows import CONTROL, RatingRows
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.row_order import list_places, sort_rows
from evenhand.judgments.source import find_rows, name_rows, number_rows
from evenhand.judgments.tally import Codes, Factor

LABELS: Final = ("task", "judge", "item", "system", "criterion")


def code_ratings(
    data: Ratings, *, factors: Sequence[str] = (), missing: int | None = None
) -> RatingRows:
    """Read ratings.

    Labels are sorted, so that codes do not depend on the order of rows or on the engine.
    """
    wanted = {name: data.require(name) for name in factors}
    names = [name for name in LABELS if data.has(name)]
    keys = list(dict.fromkeys([*names, *wanted.values()]))
    missing = count_scored(data)[1] if missing is None else missing
    every = name_levels(data, keys, data.frame)
    beside = find_aside_columns(data.source, data.frame, scores=True)
    held = beside.add_to(every.filter(~_is_missing(data)) if missing else every)
    connection = data.source.connection
    fetched = ["score", *beside.columns, *list_places(held)]
    known, fetch = read_labels(held, [*keys, *beside.words], fetched, connection)
    labels, words = ({name: known[name] for name in own} for own in (keys, beside.words))
    with one_thread(connection):
        _check_labels(data, labels, every)
    found = sort_rows(fetch())
    levels = {name: (own.texts, found[name]) for name, own in labels.items()}
    rows = _make_rows({name: levels[name] for name in names}, found["score"].astype(np.float64))
    return replace(
        _add_beside(rows, beside.read(found, words, _read_expected), missing),
        factors={name: _factor(*levels[column]) for name, column in wanted.items()},
    )


def is_unscored(frame: Frame) -> nw.Expr:
    """Return the condition that a row has no score: it is missing, or not a number."""
    missing = nw.col("score").is_null()
    floats = frame.collect_schema()["score"].is_float()
    return missing | is_nan(frame, "score") if floats else missing


def _is_missing(data: Ratings) -> nw.Expr:
    return is_unscored(data.frame)


def count_scored(data: Ratings) -> tuple[int, int]:
    """Count the rows with a score and those without, and check the former."""
    name, dtype = data.source.named("score"), data.frame.collect_schema()["score"]
    where = f"column '{name}' of {data.source.name}"
    if not dtype.is_numeric():
        raise InvalidJudgments(f"{where} holds {str(dtype).lower()}: scores are numbers")
    missing = _is_missing(data)
    infinite = ~missing & ~is_finite(data.frame, "score")
    odd = data.frame.select(missing=missing, infinite=infinite)
    groups = odd.group_by("missing", "infinite").agg(nw.len().alias(COUNT))
    with one_thread(data.source.connection):
        found = fetch_columns(groups)
    n, n_missing = int(found[COUNT].sum()), int(found[COUNT][found["missing"].astype(bool)].sum())
    if found["infinite"].any():
        rows = name_rows(find_rows(data.frame, infinite))
        raise InvalidJudgments(f"a score in {where}{rows} is infinite: correct it or leave it out")
    if not n:
        raise InvalidJudgments(f"no ratings in {data.source.name}: is a condition too narrow?")
    if n_missing == n:
        raise InvalidJudgments(
            f"{where} has no score in any of {n:,} rows: nothing to look at; is it the"
            " column of scores?"
        )
    return n - n_missing, n_missing


def _check_labels(data: Ratings, labels: Mapping[str, Labels], every: Frame) -> None:
    """Check the different labels of the rows that have a score."""
    names = {name: own.names for name, own in labels.items()}
    if not all(is_name(name) for own in names.values() for name in own):
        scored = number_rows(every, ANSWER).filter(~_is_missing(data))
        refuse_unnamed_levels(scored, names, data.source)


def _make_rows(levels: Mapping[str, Level], score: NDArray[np.float64]) -> RatingRows:
    none: Level = (("",), np.zeros(len(score), dtype=np.int32))
    task, judge, item, system, criterion = (levels.get(name, none) for name in LABELS)
    if "task" in levels and "item" in levels:
        item = bind_levels(task, item)
    return RatingRows(
        tasks=task[0],
        judges=judge[0],
        items=item[0],
        systems=system[0],
        criteria=criterion[0],
        task=task[1],
        judge=judge[1],
        item=item[1],
        system=system[1],
        criterion=criterion[1],
        score=score,
    )


def _factor(labels: tuple[str, ...], codes: Codes) -> Factor:
    loads = np.bincount(codes, minlength=len(labels)).astype(np.float64)
    return Factor(labels, codes, loads, len(labels))


def _read_expected(values: NDArray[Any] | Words) -> Expected:
    """Read the score that is expected of a control, or whether it is known to be good or bad."""
    if isinstance(values, np.ndarray):
        score, direction = read_expected_scores(values)
    else:
        labels, codes = values
        score, direction = read_expected_scores(np.array(labels, dtype=object))
        score, direction = score[codes], direction[codes]
    return score, ~np.isnan(score) | (direction != 0), direction


def _add_beside(rows: RatingRows, beside: Beside, missing: int) -> RatingRows:
    """Add what was recorded beside the ratings, and say what was left out."""
    kind, expected = beside.kinds.kind, beside.expected
    if kind is not None and expected is not None:
        expected = np.where(kind == CONTROL, expected, np.nan)
    notes = beside.notes
    if missing:
        every = missing + rows.size
        notes = (f"rows without a score are left out: {missing:,} of {every:,}", *notes)
    return replace(
        rows,
        kind=kind,
        direction=beside.kinds.direction,
        expected=expected,
        seconds=beside.seconds,
        moment=beside.moment,
        missing=missing,
        notes=notes,
    )
