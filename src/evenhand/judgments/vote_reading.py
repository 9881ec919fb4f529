"""A table of comparisons is read once, with who said what of which output pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.judgments.aside_reading import Beside, Expected, Words, find_aside_columns
from evenhand.judgments.asides import read_expected_outcomes
from evenhand.judgments.checks import check_labels, check_opponents, explain_empty, read_weights
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.counting import name_levels
from evenhand.judgments.engine import Columns, one_thread
from evenhand.judgments.exclusions import say_unweighted
from evenhand.judgments.label_codes import Labels, Level, bind_levels, read_labels
from evenhand.judgments.labels import OUTCOMES, read_outcome
from evenhand.judgments.rating_rows import CONTROL
from evenhand.judgments.row_order import list_places, restore_places, sort_rows
from evenhand.judgments.source import Aside
from evenhand.judgments.tally import Codes
from evenhand.judgments.votes import Votes

MOST: Final = 50_000_000  # Most votes that are kept one by one
LABELS: Final = ("task", "judge", "item", "ranking", "criterion")


def code_votes(data: Comparisons) -> Votes:
    """Read comparisons, or rankings that were expanded into them.

    A row that stands for several votes is repeated. Labels are sorted, so that codes do not
    depend on the order of rows or on the engine.
    """
    if data.weights == "importance":
        raise UnknownOption(
            f"importance weights of {data.source.name} count no votes: judges are compared vote by"
            " vote, read the table without them"
        )
    if data.rankings is not None:
        data.rankings.check()
    weighing = read_weights(data)
    by = [name for name in LABELS if data.has(name)]
    keys = [*by, "left", "right", "outcome"]
    beside = find_aside_columns(data.source, data.frame, scores=False)
    every = name_levels(data, keys, restore_places(data).frame)
    frame = beside.add_to(every.filter(nw.col("weight") > 0) if weighing.zero else every)
    weights = [] if weighing.column is None else [weighing.column]
    fetched, connection = [*beside.columns, *weights, *list_places(frame)], data.source.connection
    known, fetch = read_labels(frame, [*keys, *beside.words], fetched, connection)
    labels, words = ({name: known[name] for name in names} for names in (keys, beside.words))
    with one_thread(connection):
        meaning = check_labels(data, every, {name: own.names for name, own in labels.items()})
    if not meaning:
        raise explain_empty(data, weighing.zero)
    found = sort_rows(fetch())
    votes = _make_votes(labels, found, meaning)
    check_opponents(data, every, votes.systems, votes.left, votes.right)
    read = beside.read(found, words, _expect_of(data))
    votes = _add_beside(replace(votes, positions_known=data.positions_known), read)
    votes = replace(votes, notes=(*note_names(beside.asides), *votes.notes))
    if weighing.column is None:
        return votes
    return _repeat(votes, found[weighing.column], data, weighing.zero)


def _make_votes(labels: Mapping[str, Labels], found: Columns, meaning: Mapping[str, int]) -> Votes:
    levels: dict[str, Level] = {
        name: (own.texts, found[name]) for name, own in labels.items() if name in LABELS
    }
    sides = {name: labels[name].texts for name in ("left", "right")}
    systems = sorted({*sides["left"], *sides["right"]})
    left, right = (
        np.searchsorted(systems, names).astype(np.int32)[found[side]]
        for side, names in sides.items()
    )
    outcomes = np.array([meaning[label] for label in labels["outcome"].texts], dtype=np.int8)
    none: Level = (("",), np.zeros(len(left), dtype=np.int32))
    task, judge, item, answer, criterion = (levels.get(name, none) for name in LABELS)
    if "task" in levels:
        item = bind_levels(task, item) if "item" in levels else item
        answer = bind_levels(task, answer) if "ranking" in levels else answer
    return Votes(
        tasks=task[0],
        judges=judge[0],
        items=item[0],
        systems=tuple(systems),
        task=task[1],
        judge=judge[1],
        item=item[1],
        left=left,
        right=right,
        outcome=outcomes[found["outcome"]],
        answer=answer[1] if "ranking" in levels else None,
        criteria=criterion[0],
        criterion=criterion[1] if len(criterion[0]) > 1 else None,
    )


def _expect_of(data: Comparisons) -> Callable[[NDArray[Any] | Words], Expected]:
    """Return how the outcome that is expected of a control is read: as outcomes are."""

    def meaning(label: str) -> int:
        outcome = read_outcome(label, data.outcome_labels)
        return -1 if outcome is None else OUTCOMES.index(outcome)

    def read(labels: NDArray[Any] | Words) -> Expected:
        names, codes = labels
        expected = read_expected_outcomes(names, codes, meaning)
        return expected, expected >= 0, None

    return read


def _add_beside(votes: Votes, beside: Beside) -> Votes:
    kind, expected = beside.kinds.kind, beside.expected
    if kind is not None:
        none = np.full(votes.size, -1, dtype=np.int8)
        expected = none if expected is None else np.where(kind == CONTROL, expected, none)
    return replace(
        votes,
        kind=kind,
        expected=expected,
        seconds=beside.seconds,
        moment=beside.moment,
        notes=beside.notes,
    )


def note_names(asides: Mapping[str, Aside]) -> tuple[str, ...]:
    """Say which columns were taken for something that they are not called."""
    taken = {role: aside.column for role, aside in asides.items() if aside.column != role}
    said = ", ".join(f"{role}={column}" for role, column in taken.items())
    return (f"beside the judgments: {said}",) if said else ()


def _repeat(votes: Votes, weights: NDArray[Any], data: Comparisons, zero: int) -> Votes:
    """Repeat rows that stand for several votes."""
    total = float(weights.sum(dtype=np.float64))
    if total > MOST:
        raise InvalidJudgments(
            f"the weights of {data.source.name} add up to {total:,.0f} votes, and {MOST:,} can be"
            " looked at one by one: read fewer, or divide the weights"
        )
    times = weights.astype(np.int64)
    rows = np.repeat(np.arange(votes.size), times)
    said = (say_unweighted(zero),) if zero else ()
    counted = len(rows) > votes.size
    row = rows if counted else None
    repeated = replace(votes.take(rows), notes=(*votes.notes, *said), counted=counted, row=row)
    if repeated.answer is None or not counted:
        return repeated
    copy = np.arange(len(rows)) - np.repeat(np.cumsum(times) - times, times)
    return replace(repeated, answer=_number_copies(repeated.answer, copy))


def _number_copies(answer: Codes, copy: NDArray[np.int64]) -> Codes:
    """Number answers again: a ranking of weight 3 is three answers, each with all its rows."""
    key = answer.astype(np.int64) * (int(copy.max()) + 1) + copy
    return np.asarray(np.unique(key, return_inverse=True)[1].reshape(-1), dtype=np.int32)
