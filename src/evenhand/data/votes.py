"""Votes: comparisons row by row as codes, with everything that is known of each.

Agreement between judges, flags and label models need to know who said what of which output pair;
a tally no longer does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from evenhand.data.rating_rows import JudgmentRows, Small
from evenhand.data.tally import Codes, Factor, Tally, take_names, tally_rows
from evenhand.errors import UnknownColumn, listing
from evenhand.numerics import Array, Integers
from evenhand.numerics.cluster_means import number_groups

LEFT, TIE, RIGHT = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Votes(JudgmentRows):
    """Comparisons, left and right as they were shown."""

    task: Codes  # (n,) code of each row's task
    judge: Codes  # (n,) code of its judge
    item: Codes  # (n,) code of its item
    left: Codes  # (n,) code of the system that stood left
    right: Codes  # (n,) code of the other
    outcome: Small  # (n,) LEFT, TIE or RIGHT
    # (n,) number of the answer that a row belongs to, where one answer is several rows (a
    # ranking, or a merged output), each copy of a weighted one with a number of its own; None
    # where each row is one
    answer: Codes | None = None
    # (n,) outcome expected of a control, -1 elsewhere; None without kinds
    expected: Small | None = None
    # names of the criteria; ("",) where no column says what was asked
    criteria: tuple[str, ...] = ("",)
    criterion: Codes | None = None  # (n,) code of the criterion; None where there is one at most
    # whether a row of the table stood for several votes, which nobody can tell apart
    counted: bool = False
    # (n,) number of the row that each vote comes from, where one stood for several; None where
    # each row is one vote
    row: NDArray[np.intp] | None = None
    positions_known: bool = True  # whether left really stood first

    @property
    def size(self) -> int:
        return len(self.outcome)

    @cached_property
    def pair(self) -> NDArray[np.int64]:
        """(n,) number of the output pair: item and the two systems, whoever stood left."""
        # Under another criterion it is another one: the better text is not the more fluent one.
        low, high = np.minimum(self.left, self.right), np.maximum(self.left, self.right)
        return self._number(low, high)

    @cached_property
    def shown(self) -> NDArray[np.int64]:
        """(n,) number of the item (and criterion) and the two systems as they stood."""
        return self._number(self.left, self.right)

    def _number(self, one: Codes, other: Codes) -> NDArray[np.int64]:
        k = len(self.systems)
        question = self.item.astype(np.int64)
        if self.criterion is not None:
            question = question * len(self.criteria) + self.criterion
        return (question * k + one) * k + other

    def number(self, first: str, *others: str) -> NDArray[np.int64]:
        """Return (n,) the group of each vote by some columns, which is found once."""
        names = (first, *others)
        if names not in self._groups:
            whole = [self.number(*names[:-1])] if others else []
            self._groups[names] = number_groups(*whole, getattr(self, names[-1]))
        return self._groups[names]

    @cached_property
    def _groups(self) -> dict[tuple[str, ...], NDArray[np.int64]]:
        return {}

    @cached_property
    def preferred(self) -> Small:
        """(n,) +1 where the system first by name was preferred, -1 the other, 0 neither."""
        sign = np.where(self.left < self.right, 1, -1).astype(np.int8)
        return ((1 - self.outcome) * sign).astype(np.int8)

    def tally(self, by: Sequence[str] = ()) -> Tally:
        # All systems keep their codes, also those that no vote is on: a model then says what it
        # makes of systems that it has not seen.
        factors = {name: Factor.of(*_level(self, name)) for name in take_names(by)}
        codes = self.left, self.right, self.outcome
        answers = self.size if self.answer is None else len(np.unique(self.answer))
        return replace(
            tally_rows(self.systems, codes, factors=factors),
            n_judgments=float(answers),
            positions_known=self.positions_known,
        )


# Factors of which votes keep the names; beside them `by` may hold "ranking" and "criterion"
NAMED: Final = ("judge", "item", "task")
NAMELESS: Final = ("",)  # The only name where no column says more


def _level(votes: Votes, name: str) -> tuple[tuple[str, ...], Codes]:
    if name == "ranking" and votes.answer is not None:
        used, codes = np.unique(votes.answer, return_inverse=True)
        return tuple(map(str, used.tolist())), codes.astype(np.int32)
    if name == "criterion" and votes.criterion is not None:
        return votes.criteria, votes.criterion
    if name in NAMED and getattr(votes, f"{name}s") != NAMELESS:
        return getattr(votes, f"{name}s"), getattr(votes, name)
    known = [name for name in NAMED if getattr(votes, f"{name}s") != NAMELESS]
    known += [] if votes.answer is None else ["ranking"]
    known += [] if votes.criterion is None else ["criterion"]
    others = f"they know {listing(known)}" if known else "they know left, right and outcome alone"
    raise UnknownColumn(f"these votes do not distinguish {name}: {others}")


def digest_votes(votes: Votes) -> str:
    """Return the SHA-256 of who said what of which output pair.

    Kinds count; times and seconds do not, nor do numbers of answers, nor names that no row has.
    """
    digest = sha256("\x1f".join(votes.systems).encode())
    columns: list[NDArray[Any]] = [votes.outcome, *([] if votes.kind is None else [votes.kind])]
    for role in ("left", "right", "item", "judge", "task"):
        codes = getattr(votes, role)
        if role in NAMED:
            labels = getattr(votes, f"{role}s")
            present, codes = np.unique(codes, return_inverse=True)
            used = (labels[code] for code in present.tolist())
            digest.update("\x1f".join(used).encode() + b"\x1d")
        columns.append(codes.reshape(-1))
    if votes.criterion is not None:
        digest.update("\x1f".join(votes.criteria).encode())
        columns.append(votes.criterion)
    order = np.lexsort(columns)
    for column in columns:
        digest.update(np.ascontiguousarray(column[order]).astype("<i8").tobytes())
    return digest.hexdigest()


Rows = NDArray[np.intp]


def split_tasks(votes: Votes) -> dict[str, Rows]:
    codes = np.unique(votes.task).tolist()
    return {votes.tasks[code]: np.flatnonzero(votes.task == code) for code in codes}


def take_task(votes: Votes, rows: Rows) -> Votes:
    """Keep rows of one task, and of the systems' names those that it has."""
    # A model that is trained on part of these votes must say something of every system that is
    # left.
    part = votes.take(rows)
    code = int(part.task[0])
    named = replace(part, tasks=(part.tasks[code],), task=np.zeros_like(part.task))
    seen = np.union1d(part.left, part.right)
    return recode_systems(named, tuple(votes.systems[i] for i in seen.tolist()))


def recode_systems(votes: Votes, systems: Sequence[str]) -> Votes:
    """Give systems the codes that they have in a list of names, sorted, which holds all of them."""
    place = {name: i for i, name in enumerate(systems)}
    codes = np.array([place.get(name, -1) for name in votes.systems], dtype=np.int32)
    sides: dict[str, Any] = {"left": codes[votes.left], "right": codes[votes.right]}
    return replace(votes, systems=tuple(systems), **sides)


def sort_votes(votes: Votes) -> Rows:
    """Return the rows in an order that does not depend on that of the table."""
    # Votes that agree in all that is sorted by are the same vote twice.
    answer = np.zeros_like(votes.task) if votes.answer is None else votes.answer
    columns = (answer, votes.outcome, votes.right, votes.left, votes.judge, votes.item, votes.task)
    return np.asarray(np.lexsort(columns), dtype=np.intp)


# A model of preference says how likely left, tie and right are for any two systems. A rule (win
# rate, feedback arc set, TrueSkill, ...) is no model: it says an order, and at most a number behind
# it.


class Predictor(Protocol):
    """A fit, as far as held-out judgments are concerned."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The K systems, sorted by name."""

    def predict(self, pairs: Sequence[tuple[str, str]]) -> Array:
        """Return (n, 3) chances of left, tie, right."""


@dataclass(frozen=True, eq=False)
class Scores:
    rule: str  # the rule's name, as it is asked for
    systems: tuple[str, ...]  # the K systems, sorted by name
    values: Array  # (K,) scores, higher is better; for rules that only order, minus the place
    unit: str  # what a score is, such as "proportion" or "place"
    stderr: Array | None = None  # (K,) standard errors where the rule has them, else None
    # (K,) best place of each system where the rule gives ranges, else None
    rank_lower: Integers | None = None
    rank_upper: Integers | None = None  # (K,) worst place
    # (K,) cluster of each system, 1 is best, where the rule makes clusters
    cluster: Integers | None = None
    # what changes the numbers, for the signature, such as "seed=20131"
    settings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # what must be known, such as ties between optima

    @property
    def order(self) -> tuple[str, ...]:
        return tuple(self.systems[i] for i in np.argsort(-self.values, kind="stable"))

    @property
    def places(self) -> Integers:
        """(K,) place of each system; equal scores share the best of theirs."""
        better = self.values[None, :] > self.values[:, None]
        return np.asarray(1 + better.sum(axis=1), dtype=np.int64)
