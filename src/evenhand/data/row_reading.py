"""Tables are read once, row by row: labels become codes, and comparisons votes.

Labels are sorted, so that codes do not depend on the order of rows or on the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.data import coding, tables
from evenhand.data.annotations import (
    AsideColumns,
    find_aside_columns,
    note_names,
    read_expected_outcomes,
)
from evenhand.data.coding import Labels, Level, bind_levels, check_labels, name_levels, read_labels
from evenhand.data.engine import Columns, Frame, one_thread
from evenhand.data.exclusions import say_unweighted
from evenhand.data.joining import list_places, note_llm_names, sort_rows
from evenhand.data.rating_rows import CONTROL
from evenhand.data.tally import Codes
from evenhand.data.votes import Votes
from evenhand.errors import InvalidJudgments, UnknownOption

MAX_VOTES: Final = 50_000_000  # Most votes that are kept one by one
VOTE_LABELS: Final = ("task", "judge", "item", "ranking", "criterion")


def code_votes(data: tables.ComparisonTable) -> Votes:
    # A row that stands for several votes is repeated.
    if data.weights == "importance":
        raise UnknownOption(
            f"importance weights of {data.source.name} count no votes: judges are compared vote by"
            " vote, read the table without them"
        )
    if data.rankings is not None:
        data.rankings.check()
    weighing = coding.read_weights(data)
    keys = [*(name for name in VOTE_LABELS if data.has(name)), "left", "right", "outcome"]
    beside = find_aside_columns(data.source, data.frame, scores=False)
    every = name_levels(data, keys, tables.restore_places(data).frame)
    frame = every.filter(nw.col("weight") > 0) if weighing.zero else every
    weights = [] if weighing.column is None else [weighing.column]
    labels, words, fetch = look_up(data, frame, keys, beside, [*beside.columns, *weights])
    with one_thread(data.source.connection):
        meaning = check_labels(data, every, {name: one.names for name, one in labels.items()})
    if not meaning:
        raise coding.explain_empty(data, weighing.zero)
    columns = fetch()
    votes = _make_votes(data, labels, columns, meaning)
    coding.check_opponents(data, every, votes.systems, votes.left, votes.right)

    read_expected = partial(read_expected_outcomes, outcome_labels=data.outcome_labels)
    read = beside.read(columns, words, read_expected)
    kind, expected = read.kinds.kind, read.expected
    if kind is not None:
        none = np.full(votes.size, -1, dtype=np.int8)
        expected = none if expected is None else np.where(kind == CONTROL, expected, none)
    votes = replace(
        votes,
        kind=kind,
        expected=expected,
        seconds=read.seconds,
        moment=read.moment,
        notes=(
            *note_names(beside.annotations),
            *read.notes,
            *note_llm_names(votes.judges, data.columns),
        ),
    )
    if weighing.column is None:
        return votes
    return _repeat(votes, columns[weighing.column], data, weighing.zero)


def look_up(
    data: tables.JudgmentTable,
    frame: Frame,
    keys: Sequence[str],
    beside: AsideColumns,
    numbers: Sequence[str],
) -> tuple[dict[str, Labels], dict[str, Labels], Callable[[], Columns]]:
    """Return labels, those of columns beside them, and what fetches the rows in their order."""
    frame = beside.add_to(frame)
    columns = [*numbers, *list_places(frame)]
    known, fetch = read_labels(frame, [*keys, *beside.words], columns, data.source.connection)
    labels, words = ({name: known[name] for name in names} for names in (keys, beside.words))
    return labels, words, lambda: sort_rows(fetch())


def name_labels(levels: dict[str, Level], names: Sequence[str], size: int) -> dict[str, Any]:
    """Return names and codes of labels; items and answers of different tasks are different."""
    if "task" in levels:
        bound = [name for name in ("item", "ranking") if name in levels]
        levels = levels | {name: bind_levels(levels["task"], levels[name]) for name in bound}
    none: Level = (("",), np.zeros(size, dtype=np.int32))
    columns: dict[str, Any] = {}
    for name in names:
        plural = "criteria" if name == "criterion" else f"{name}s"
        columns[plural], columns[name] = levels.get(name, none)
    return columns


def _make_votes(
    data: tables.ComparisonTable,
    labels: Mapping[str, Labels],
    columns: Columns,
    meaning: Mapping[str, int],
) -> Votes:
    levels: dict[str, Level] = {
        name: (one.texts, columns[name]) for name, one in labels.items() if name in VOTE_LABELS
    }
    sides = {name: labels[name].texts for name in ("left", "right")}
    systems = sorted({*sides["left"], *sides["right"]})
    left, right = (
        np.searchsorted(systems, names).astype(np.int32)[columns[side]]
        for side, names in sides.items()
    )
    outcomes = np.array([meaning[label] for label in labels["outcome"].texts], dtype=np.int8)
    named = name_labels(levels, VOTE_LABELS, len(left))
    answer, _ = named.pop("ranking"), named.pop("rankings")
    if len(named["criteria"]) < 2:
        named["criterion"] = None
    return Votes(
        **named,
        systems=tuple(systems),
        left=left,
        right=right,
        outcome=outcomes[columns["outcome"]],
        answer=answer if "ranking" in levels else None,
        positions_known=data.positions_known,
    )


def _repeat(votes: Votes, weights: NDArray[Any], data: tables.ComparisonTable, zero: int) -> Votes:
    total = float(weights.sum(dtype=np.float64))
    if total > MAX_VOTES:
        raise InvalidJudgments(
            f"the weights of {data.source.name} add up to {total:,.0f} votes, and {MAX_VOTES:,} can"
            " be looked at one by one: read fewer, or divide the weights"
        )
    times = weights.astype(np.int64)
    rows = np.repeat(np.arange(votes.size), times)
    notes = (*votes.notes, say_unweighted(zero)) if zero else votes.notes
    counted = len(rows) > votes.size
    repeated = replace(
        votes.take(rows), notes=notes, counted=counted, row=rows if counted else None
    )
    if repeated.answer is None or not counted:
        return repeated
    # A ranking of weight 3 is three answers, each with all its rows
    copy = np.arange(len(rows)) - np.repeat(np.cumsum(times) - times, times)
    key = repeated.answer.astype(np.int64) * (int(copy.max()) + 1) + copy
    answer: Codes = np.unique(key, return_inverse=True)[1].reshape(-1).astype(np.int32)
    return replace(repeated, answer=answer)
