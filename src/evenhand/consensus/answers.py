"""Answers: who gave which label to which unit, as codes.

A unit is what has one right label: an output under a criterion, whose labels are scores, or a
pair of outputs of one item, whose labels are its two systems and perhaps a tie.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import UnknownOption

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
Column = tuple[tuple[str, ...], Codes]
Names = tuple[str, ...]
FIRST, SECOND = "first", "second"


@dataclass(frozen=True, eq=False)
class Answers:
    """Labels by judge and unit, sorted by unit, judge and label, so that row order is forgotten.

    A judge who answered a unit twice is two answers of that judge.

    Attributes:
        judges: names of the J judges, sorted.
        labels: names of the C labels: scores, or "first", "tie" and "second" by name of system.
        spoken: the same as the judges saw them: "left", "tie" and "right".
        columns: what tells units apart, in order: name → its names, and (U,) code of each unit.
        unit: (n,) unit of each answer.
        judge: (n,) its judge.
        label: (n,) its label, in terms of the unit.
        swapped: (n,) whether the judge saw the unit the other way round, so that "first" was right.
        notes: what must be said of the data.

    """

    judges: Names
    labels: Names
    spoken: Names
    columns: Mapping[str, Column]
    unit: Codes
    judge: Codes
    label: Codes
    swapped: NDArray[np.bool_]
    notes: Names = ()

    @property
    def size(self) -> int:
        """Number of answers."""
        return len(self.unit)

    @property
    def units(self) -> int:
        """Number of units."""
        return len(next(iter(self.columns.values()))[1])

    @property
    def of_pairs(self) -> bool:
        """Whether units are pairs of outputs."""
        return FIRST in self.columns

    @property
    def tied(self) -> bool:
        """Whether "tie" is a label."""
        return self.of_pairs and len(self.labels) > 2

    @property
    def said(self) -> Codes:
        """(n,) label of each answer as its judge saw it: "left" rather than "first"."""
        return np.where(self.swapped, len(self.labels) - 1 - self.label, self.label)

    @cached_property
    def per_unit(self) -> Codes:
        """(U,) answers of each unit."""
        return np.bincount(self.unit, minlength=self.units)

    @cached_property
    def per_judge(self) -> Codes:
        """(J,) answers of each judge."""
        return np.bincount(self.judge, minlength=len(self.judges))

    @cached_property
    def counts(self) -> Array:
        """(U, C) how often each unit was given each label."""
        c = len(self.labels)
        flat = np.bincount(self.unit * c + self.label, minlength=self.units * c)
        return flat.reshape(self.units, c).astype(np.float64)

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
        """One number for every unit and judge that met."""
        both = self.unit * len(self.judges) + self.judge  # ascending, since answers are sorted
        return both[np.diff(both, prepend=-1) > 0]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the answers by name: the same for the same answers in any order."""
        whole = sha256("\x1f".join([*self.judges, *self.labels, *self.spoken]).encode())
        for name, (names, codes) in self.columns.items():
            whole.update("\x1f".join([name, *names]).encode())
            whole.update(codes.astype("<i8").tobytes())
        for column in (self.unit, self.judge, self.label, self.swapped):
            whole.update(column.astype("<i8").tobytes())
        return whole.hexdigest()

    def describe_unit(self, unit: int) -> dict[str, str]:
        """Return what tells a unit apart, by column; an item without the name of its task."""
        found = {name: names[int(codes[unit])] for name, (names, codes) in self.columns.items()}
        if "task" in found and "item" in found:
            found["item"] = found["item"].removeprefix(f"{found['task']} / ")
        return found

    def name_label(self, unit: int, label: int) -> str:
        """Return a label of a unit in the user's words: a score, a system, or "tie"."""
        name = self.labels[label]
        if name not in self.columns:
            return name
        names, codes = self.columns[name]
        return names[int(codes[unit])]

    def split(self, column: str) -> dict[str, Answers]:
        """Take units apart by one of their columns; by name, sorted.

        Raises:
            UnknownOption: units have no such column: it does not tell them apart.

        """
        if column not in self.columns:
            raise UnknownOption(
                f"units cannot be grouped by {column}: it is not theirs; take"
                f" {' | '.join(self.columns)} or a column of your own"
            )
        names, codes = self.columns[column]
        return {names[code]: self.take(codes == code) for code in np.unique(codes).tolist()}

    def take(self, units: NDArray[np.bool_]) -> Answers:
        """Keep some units, the judges who answered them and the labels that these can have.

        Args:
            units: (U,) mask.

        """
        rows = units[self.unit]
        number = np.cumsum(units) - 1
        judges, judge = _narrow(self.judges, self.judge[rows])
        possible = np.bincount(self.label[rows], minlength=len(self.labels)) > 0
        if self.of_pairs:
            possible[[0, -1]] = True
        kept = np.flatnonzero(possible).tolist()
        return replace(
            self,
            judges=judges,
            labels=tuple(self.labels[i] for i in kept),
            spoken=tuple(self.spoken[i] for i in kept),
            columns={name: _narrow(names, codes[units]) for name, (names, codes) in _of(self)},
            unit=number[self.unit[rows]],
            judge=judge,
            label=(np.cumsum(possible) - 1)[self.label[rows]],
            swapped=self.swapped[rows],
        )


def _of(answers: Answers) -> list[tuple[str, Column]]:
    return list(answers.columns.items())


def _narrow(names: Names, codes: NDArray[np.integer[Any]]) -> Column:
    """Forget names that nothing has."""
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
        columns={name: _narrow(names, codes) for name, (names, codes) in _of(answers)},
        unit=answers.unit[order],
        judge=judge[order],
        label=answers.label[order],
        swapped=answers.swapped[order],
    )
