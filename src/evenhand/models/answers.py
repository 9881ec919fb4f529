"""Answers: who gave which label to which unit, as codes, and sums over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from hashlib import sha256
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from evenhand.data.comparisons import Comparisons
from evenhand.data.exclusions import Exclusion, count_exclusions
from evenhand.data.groups import split_table
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import CONTROL, RatingRows
from evenhand.data.ratings import Ratings
from evenhand.data.votes import TIE, Votes
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownOption, listing, require_option
from evenhand.models.texts import say_labels
from evenhand.numerics import Array

# A unit is what has one right label: an output under a criterion, whose labels are scores, or a
# pair of outputs of one item, whose labels are its two systems and perhaps a tie.

Codes = NDArray[np.int64]
Column = tuple[tuple[str, ...], Codes]
Names = tuple[str, ...]
FIRST, SECOND = "first", "second"


@dataclass(frozen=True, eq=False)
class Answers:
    """Labels by judge and unit, sorted; a judge who answered a unit twice has two answers."""

    judges: Names  # names of the J judges, sorted
    labels: Names  # names of the C labels: scores, or "first", "tie" and "second" by name of system
    spoken: Names  # the same as the judges saw them: "left", "tie" and "right"
    # what tells units apart, in order: name → its names, and (U,) code of each unit
    columns: Mapping[str, Column]
    unit: Codes  # (n,) unit of each answer
    judge: Codes  # (n,) its judge
    label: Codes  # (n,) its label, in terms of the unit
    # (n,) whether the judge saw the unit the other way round, so that "first" was right
    swapped: NDArray[np.bool_]
    notes: tuple[str, ...] = ()  # what must be said of the data
    excluded: tuple[Exclusion, ...] = ()  # what was excluded when labels were read

    @property
    def size(self) -> int:
        return len(self.unit)

    @property
    def units(self) -> int:
        return len(next(iter(self.columns.values()))[1])

    @property
    def of_pairs(self) -> bool:
        return FIRST in self.columns

    @property
    def shown(self) -> Codes:
        """(n,) label of each answer as its judge saw it: "left" rather than "first"."""
        return np.where(self.swapped, len(self.labels) - 1 - self.label, self.label)

    @cached_property
    def per_unit(self) -> Codes:
        return np.bincount(self.unit, minlength=self.units)

    @cached_property
    def per_judge(self) -> Codes:
        return np.bincount(self.judge, minlength=len(self.judges))

    @cached_property
    def counts(self) -> Array:
        """(U, C) how often each unit was given each label."""
        c = len(self.labels)
        flat = np.bincount(self.unit * c + self.label, minlength=self.units * c)
        return flat.reshape(self.units, c).astype(np.float64)

    @property
    def shares(self) -> Array:
        """(U, C) the same as shares of the unit's answers."""
        return self.counts / self.per_unit[:, None]

    @cached_property
    def repeated(self) -> int:
        """Answers of a judge to a unit beyond the first."""
        return self.size - len(self._judges_of_units)

    @cached_property
    def shared(self) -> int:
        """Units that two or more judges answered."""
        return int((np.bincount(self._judges_of_units // len(self.judges)) > 1).sum())

    @cached_property
    def _judges_of_units(self) -> Codes:
        both = self.unit * len(self.judges) + self.judge  # ascending, since answers are sorted
        return both[np.diff(both, prepend=-1) > 0]

    @cached_property
    def digest(self) -> str:
        whole = sha256("\x1f".join([*self.judges, *self.labels, *self.spoken]).encode())
        for name, (names, codes) in self.columns.items():
            whole.update("\x1f".join([name, *names]).encode())
            whole.update(codes.astype("<i8").tobytes())
        for column in (self.unit, self.judge, self.label, self.swapped):
            whole.update(column.astype("<i8").tobytes())
        return whole.hexdigest()

    def describe_unit(self, unit: int) -> dict[str, str]:
        described = {name: names[int(codes[unit])] for name, (names, codes) in self.columns.items()}
        if "task" in described and "item" in described:
            described["item"] = described["item"].removeprefix(f"{described['task']} / ")
        return described

    def name_label(self, unit: int, label: int) -> str:
        """Return a label of a unit in the user's words: a score, a system, or "tie"."""
        name = self.labels[label]
        if name not in self.columns:
            return name
        names, codes = self.columns[name]
        return names[int(codes[unit])]

    def split(self, column: str) -> dict[str, Answers]:
        if column not in self.columns:
            raise UnknownOption(
                f"units cannot be grouped by {column}: it is not theirs; take"
                f" {' | '.join(self.columns)} or a column of your own"
            )
        names, codes = self.columns[column]
        return {names[code]: self.take(codes == code) for code in np.unique(codes).tolist()}

    def take(self, units: NDArray[np.bool_]) -> Answers:
        """Keep some units (U,), the judges who answered them and the labels that these can have."""
        rows = units[self.unit]
        number = np.cumsum(units) - 1
        judges, judge = _narrow(self.judges, self.judge[rows])
        possible = np.bincount(self.label[rows], minlength=len(self.labels)) > 0
        if self.of_pairs:
            possible[[0, -1]] = True
        held = np.flatnonzero(possible).tolist()
        return replace(
            self,
            judges=judges,
            labels=tuple(self.labels[i] for i in held),
            spoken=tuple(self.spoken[i] for i in held),
            columns={
                name: _narrow(names, codes[units]) for name, (names, codes) in self.columns.items()
            },
            unit=number[self.unit[rows]],
            judge=judge,
            label=(np.cumsum(possible) - 1)[self.label[rows]],
            swapped=self.swapped[rows],
        )


def _narrow(names: Names, codes: NDArray[np.integer[Any]]) -> Column:
    used, dense = np.unique(codes, return_inverse=True)
    return tuple(names[i] for i in used.tolist()), dense.reshape(-1).astype(np.int64)


def sort_answers(answers: Answers) -> Answers:
    """Put answers in the order of unit, judge and label, and forget names that nothing has."""
    judges, judge = _narrow(answers.judges, answers.judge)
    c = 2 * len(answers.labels)
    key = (answers.unit * len(judges) + judge) * c + 2 * answers.label + answers.swapped
    order = np.argsort(key, kind="stable")
    return replace(
        answers,
        judges=judges,
        columns={name: _narrow(names, codes) for name, (names, codes) in answers.columns.items()},
        unit=answers.unit[order],
        judge=judge[order],
        label=answers.label[order],
        swapped=answers.swapped[order],
    )


MAX_SCORES: Final = 20  # Most scores of a scale that are taken for labels
TIES: Final = ("keep", "discard")

Judgments = Comparisons | Rankings | Ratings
Rows = TypeVar("Rows", RatingRows, Votes)


def code_answers(data: Judgments | Answers, *, ties: str = "keep") -> Answers:
    require_option("ties", ties, TIES)
    if isinstance(data, Answers):
        return data
    if isinstance(data, Ratings):
        _require(data, "judge")
        return answers_of_ratings(data.rows(), of_items=data.has("item"))
    table = data.comparisons() if isinstance(data, Rankings) else data
    _require(table, "judge")
    _require(table, "item")
    votes = table.votes()
    votes, notes = _leave_out_controls(votes)
    excluded: list[Exclusion] = []
    if ties == "discard":
        tied = votes.outcome == TIE
        lost, every = int(tied.sum()), votes.size
        sentence = say_labels("ties", n=lost)
        excluded = [Exclusion("ties", "ties", lost, every, unit="vote", sentence=str(sentence))]
        notes += [sentence] if lost else []
        votes = votes.take(~tied)
    if not votes.size:
        raise InvalidJudgments("no votes are left: nothing to label")
    if votes.answer is not None and len(np.unique(votes.answer)) < votes.size:
        notes.append(say_labels("pairs-of-rankings", "warning"))
    if not votes.positions_known:
        notes.append(say_labels("positions-unknown"))
    # what tells pairs of outputs apart, and the number of each vote's pair
    k = len(votes.systems)
    pairs, first, unit = np.unique(votes.pair, return_index=True, return_inverse=True)
    columns = {
        "task": (votes.tasks, votes.task[first].astype(np.int64)),
        "item": (votes.items, pairs // (k * k)),
        FIRST: (votes.systems, pairs // k % k),
        SECOND: (votes.systems, pairs % k),
    }
    if votes.tasks == ("",):
        del columns["task"]
    swapped = votes.left > votes.right
    label = np.where(swapped, 2 - votes.outcome, votes.outcome).astype(np.int64)
    tied = bool((votes.outcome == TIE).any())
    ends = ("left", "right") if votes.positions_known else (FIRST, SECOND)
    if not votes.positions_known:
        # Turn half of the pairs, by their numbers: else "first by name" would be what judges who
        # know press, wherever systems are named in the order of their quality, and would pass for
        # spamming.
        with np.errstate(over="ignore"):  # multiplication modulo 2**64 mixes the bits
            mixed = (votes.pair.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
            mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        swapped = (mixed >> np.uint64(63)).astype(np.bool_)
    return sort_answers(
        Answers(
            judges=votes.judges,
            labels=(FIRST, "tie", SECOND) if tied else (FIRST, SECOND),
            spoken=(ends[0], "tie", ends[1]) if tied else ends,
            columns=columns,
            unit=unit.reshape(-1).astype(np.int64),
            judge=votes.judge.astype(np.int64),
            label=label if tied else label // 2,
            swapped=swapped,
            notes=tuple(notes),
            excluded=count_exclusions(excluded),
        )
    )


def code_groups(
    data: Judgments, group_by: str | None, *, ties: str = "keep", together: bool = False
) -> dict[str, Answers]:
    """Read labels of each task apart, or of each value of a column; all under "" else."""
    table = data.comparisons() if isinstance(data, Rankings) else data
    by = table.require(group_by) if group_by is not None else "task"
    if group_by is None and (together or not table.has("task")):
        return {"": code_answers(table, ties=ties)}
    if isinstance(table, Comparisons) and by != "task":
        parts = split_table(table, by)
        return {name: code_answers(part, ties=ties) for name, part in parts.items()}
    if isinstance(table, Ratings) and by not in ("task", "item", "system", "criterion", "judge"):
        _require(table, "judge")
        groups = table.rows(factors=[by]).split([by])
        of_items = table.has("item")
        return {key: answers_of_ratings(rows, of_items=of_items) for (key,), rows in groups.items()}
    return code_answers(table, ties=ties).split(by)


def _require(data: Comparisons | Ratings, role: str) -> None:
    if not data.has(role):
        why = {"judge": "labels are weighed by who gave them", "item": "labels are of items"}
        raise UnknownColumn(
            f"{data.source.name} names no {role}s, and {why[role]}: say which column is the {role}"
            f" (--column {role}=NAME, in Python columns={{'{role}': 'NAME'}})"
        )


def _leave_out_controls(rows: Rows) -> tuple[Rows, list[str]]:
    kind = rows.kind
    if kind is None or not (kind == CONTROL).any():
        return rows, list(rows.notes)
    controls = int((kind == CONTROL).sum())
    return rows.take(kind != CONTROL), [*rows.notes, say_labels("controls", "info", n=controls)]


def answers_of_ratings(rows: RatingRows, *, of_items: bool = True) -> Answers:
    """Read ratings on a small scale: its scores are labels without an order."""
    rows, notes = _leave_out_controls(rows)
    if not rows.size:
        raise InvalidJudgments("no scores are left: nothing to label")
    points, label = np.unique(rows.score, return_inverse=True)
    if len(points) > MAX_SCORES:
        raise InvalidJudgments(
            f"{len(points):,} different scores ({listing([f'{one:g}' for one in points], 4)}) are"
            f" no labels: there can be {MAX_SCORES}; merge scores to a few grades first"
        )
    if not of_items:
        notes.append(say_labels("no-items"))
    # what tells outputs under criteria apart, and the number of each score's
    _, first, unit = np.unique(rows.unit, return_index=True, return_inverse=True)
    factors = {name: rows.labels(name) for name in ("task", "item", "system", "criterion")}
    columns = {
        name: (levels, codes[first].astype(np.int64))
        for name, (levels, codes) in factors.items()
        if levels != ("",)
    }
    names = tuple(f"{one:g}" for one in points.tolist())
    return sort_answers(
        Answers(
            judges=rows.judges,
            labels=names,
            spoken=names,
            columns=columns,
            unit=unit.reshape(-1).astype(np.int64),
            judge=rows.judge.astype(np.int64),
            label=label.reshape(-1).astype(np.int64),
            swapped=np.zeros(rows.size, dtype=np.bool_),
            notes=tuple(notes),
        )
    )


# Sums over answers: from judges to units and back, as products with one sparse matrix.
#
# Row u of the matrix counts how often each judge gave each label to unit u; its column is judge · C
# + label. What a label says of a unit is a table by judge and label, so that a million answers cost
# two passes over memory.


@dataclass(frozen=True, eq=False)
class Incidence:
    upright: Any  # (U, J·C) sparse counts of the answers that were shown in the unit's order
    swapped: Any  # the same of those shown the other way round; None where there are none
    judges: int  # J
    labels: int  # C

    @classmethod
    def of(cls, answers: Answers) -> Incidence:
        one, other = ~answers.swapped, answers.swapped
        matrix = _count(answers, other) if other.any() else None
        return cls(_count(answers, one), matrix, len(answers.judges), len(answers.labels))

    def to_units(self, table: Array) -> Array:
        """Sum (J, C, C) values, at [judge, answer, label], over each unit's answers: (U, C)."""
        flat = table.reshape(-1, self.labels)
        sums = self.upright @ flat
        if self.swapped is not None:
            sums += (self.swapped @ flat)[:, ::-1]
        return np.asarray(sums)

    def to_judges(self, values: Array) -> Array:
        """Sum (U, C) values over each judge's answers: (J, C, C), at [judge, answer, label]."""
        sums = self.upright.T @ values
        if self.swapped is not None:
            sums += self.swapped.T @ np.ascontiguousarray(values[:, ::-1])
        return np.asarray(sums).reshape(self.judges, self.labels, self.labels)


def _count(answers: Answers, rows: NDArray[np.bool_]) -> Any:
    from scipy.sparse import csr_array

    c = len(answers.labels)
    columns = answers.judge[rows] * c + answers.shown[rows]
    ends = np.zeros(answers.units + 1, dtype=np.int64)
    np.cumsum(np.bincount(answers.unit[rows], minlength=answers.units), out=ends[1:])
    shape = (answers.units, len(answers.judges) * c)
    return csr_array((np.ones(len(columns)), columns, ends), shape=shape)


def softmax(scores: Array) -> tuple[Array, Array]:
    """Return (U, C) probabilities in proportion to exponentials of scores, and (U,) log Σ exp."""
    most = reduce(np.maximum, scores.T)  # numpy is slow along a short axis
    weights = np.exp(scores - most[:, None])
    sums = reduce(np.add, weights.T)
    return weights / sums[:, None], most + np.log(sums)
