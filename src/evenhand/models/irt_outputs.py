"""Which systems comparisons link, and what only the prior says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption, listing
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import take_pairs
from evenhand.judgments.forms import Judgments, note_tasks, refuse_form
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.row_digest import spread_bits
from evenhand.judgments.tally import Tally
from evenhand.judgments.votes import RIGHT, Votes
from evenhand.models.design import unmerged
from evenhand.models.existence import refuse_nothing
from evenhand.numerics.cluster_means import number_groups
from evenhand.numerics.graph import Graph, weak_components

# Comparisons as pairs of outputs: what one system made of one item, seen by one or many judges.
#
# Data become arrays that depend on nothing but who was preferred to whom on one and the same item:
# not on the order of rows, on sides, or on names of items and judges, and on names of systems only
# where the data do not tell them apart. So neither do seeded draws.

Numbers = NDArray[np.int64]
Words = NDArray[np.uint64]

FRESH: Final = (
    "the data do not say which item was judged: every comparison is taken to show two outputs of"
    " its own"
)
RANKED: Final = "the data name no items: every ranking is taken to show outputs of its own"
_ROUNDS: Final = 3  # How far systems look at opponents of their opponents to be told apart


@dataclass(frozen=True, eq=False)
class OutputPairs:
    """Comparisons of outputs."""

    systems: tuple[str, ...]  # the K systems, sorted by name
    code: Numbers  # (K,) number of each system in what follows
    author: Numbers  # (N,) number of the system that made each output
    one: Numbers  # (C,) an output of each comparison, its author numbered below the other's
    other: Numbers  # (C,) the other output
    outcome: Numbers  # (C,) LEFT where `one` was preferred, TIE, or RIGHT
    n_judgments: float  # answers; a ranking is one
    notes: tuple[str, ...] = ()  # what must be said of the data


@dataclass(frozen=True, eq=False)
class _Rows:
    """Comparisons as they were read: (C,) item, systems left and right, outcome."""

    item: Numbers
    left: Numbers
    right: Numbers
    outcome: Numbers
    n_judgments: float
    notes: tuple[str, ...]


def pair_outputs(data: Judgments) -> OutputPairs:
    """Return comparisons as pairs of outputs.

    An output is what a system made of an item (under a criterion, where there are several). Where
    nothing names items, outputs of one ranking are shared by its comparisons, and other comparisons
    have outputs of their own.
    """
    said = note_tasks(data)
    if isinstance(data, Comparisons | Rankings):
        data = take_pairs(data).votes()
    if not isinstance(data, Votes | Tally):
        raise refuse_form(data, "preferences")
    if len(data.systems) < 2:
        raise NotIdentified("nothing to compare: there are fewer than two systems")
    rows = _read_votes(data) if isinstance(data, Votes) else _read_tally(data)
    if not len(rows.outcome):
        refuse_nothing(data.tally() if isinstance(data, Votes) else data)
    notes = (*rows.notes, *said)
    return _number_outputs(data.systems, replace(rows, notes=notes))


def _read_votes(votes: Votes) -> _Rows:
    item, notes = votes.item.astype(np.int64), tuple[str, ...]()
    answer = np.arange(votes.size) if votes.answer is None else votes.answer.astype(np.int64)
    answers = len(np.unique(answer))
    if votes.items == ("",):
        item, notes = answer, (RANKED if answers < votes.size else FRESH,)
    if votes.criterion is not None:
        item = number_groups(item, votes.criterion)
    sides = votes.left.astype(np.int64), votes.right.astype(np.int64)
    return _Rows(item, *sides, votes.outcome.astype(np.int64), float(answers), notes)


def _read_tally(tally: Tally) -> _Rows:
    if tally.squares is not None:
        raise UnknownOption(
            "importance weights count no comparisons, and this model looks at each: use weights"
            " that count rows"
        )
    counts = tally.counts.reshape(-1)
    if not np.array_equal(counts, np.rint(counts)):
        raise InvalidJudgments("counts must be whole numbers: this model looks at each comparison")
    cell, outcome = np.divmod(np.repeat(np.arange(len(counts)), counts.astype(np.int64)), 3)
    named = [name for name in ("item", "ranking") if name in tally.factors][:1]
    keys = [unmerged(tally, name).codes[cell] for name in (*named, "task") if name in tally.factors]
    item = number_groups(*keys) if named else np.arange(len(cell))
    notes = () if named == ["item"] else (RANKED,) if named else (FRESH,)
    sides = tally.left[cell].astype(np.int64), tally.right[cell].astype(np.int64)
    return _Rows(item, *sides, outcome, tally.n_judgments, notes)


def _number_outputs(systems: tuple[str, ...], rows: _Rows) -> OutputPairs:
    """Number systems, items and outputs by what was said of them, and put rows in order."""
    code = _number_systems(len(systems), rows)
    left, right = code[rows.left], code[rows.right]
    low, high = np.minimum(left, right), np.maximum(left, right)
    outcome = np.where(left < right, rows.outcome, RIGHT - rows.outcome)
    item = _number_items(rows.item, (low * len(systems) + high) * 3 + outcome)
    order = np.lexsort((outcome, high, low, item))
    item, low, high = item[order], low[order], high[order]
    keys = np.concatenate((item, item)) * len(systems) + np.concatenate((low, high))
    found, output = np.unique(keys, return_inverse=True)
    one, other = output.reshape(2, -1)
    author = found % len(systems)
    shown = outcome[order]
    return OutputPairs(systems, code, author, one, other, shown, rows.n_judgments, rows.notes)


def _number_systems(k: int, rows: _Rows) -> Numbers:
    """Return the number of each system by whom it won, lost and tied against, (K,)."""
    marks = np.zeros(k, dtype=np.uint64)
    for _ in range(_ROUNDS):
        seen = marks.copy()
        for own, rival, result in (
            (rows.left, rows.right, rows.outcome),
            (rows.right, rows.left, RIGHT - rows.outcome),
        ):
            said = spread_bits(marks[rival] + spread_bits(result.astype(np.uint64)))
            np.add.at(seen, own, said)
        marks = spread_bits(seen)
    return _places(marks)


def _number_items(item: Numbers, said: Numbers) -> Numbers:
    """Return the number of each row's item by all that was said on it, (C,)."""
    dense = number_groups(item)
    marks = np.zeros(int(dense.max(initial=0)) + 1, dtype=np.uint64)
    np.add.at(marks, dense, spread_bits(said.astype(np.uint64)))
    return _places(marks)[dense]


def _places(marks: NDArray[Any]) -> Numbers:
    """Return the place of each mark in ascending order, equal marks as they stand."""
    place = np.empty(len(marks), dtype=np.int64)
    place[np.argsort(marks, kind="stable")] = np.arange(len(marks))
    return place


_SHOWN: Final = 4


def note_parts(pairs: OutputPairs) -> list[str]:
    """Say which systems only the prior places, and which groups only the prior links."""
    k, name = len(pairs.systems), np.argsort(pairs.code)
    one, other = (name[pairs.author[side]] for side in (pairs.one, pairs.other))
    seen = np.isin(np.arange(k), np.concatenate((one, other)))
    unseen = [pairs.systems[i] for i in np.flatnonzero(~seen).tolist()]
    notes = []
    if unseen:
        notes.append(f"never compared, so that they stand as the prior has it: {listing(unseen)}")
    part = weak_components(Graph(k, one.astype(np.intp), other.astype(np.intp)))
    groups = [
        listing([pairs.systems[i] for i in np.flatnonzero(part == group).tolist()], _SHOWN)
        for group in np.unique(part[seen]).tolist()
    ]
    if len(groups) > 1:
        notes.append(
            "no comparison links these groups, so that the prior alone says how they compare:"
            f" {' | '.join(groups)}"
        )
    return notes
