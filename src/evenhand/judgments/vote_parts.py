"""Votes of one task by themselves, and votes that know the names of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.votes import Votes

Rows = NDArray[np.intp]


def split_tasks(votes: Votes) -> dict[str, Rows]:
    """Return the rows of each task that has votes, in the order of their names.

    >>> none = np.zeros(2, np.int32)
    >>> votes = Votes(
    ...     ("cs", "de"),
    ...     ("",),
    ...     ("",),
    ...     ("a", "b"),
    ...     np.array([1, 1], np.int32),
    ...     none,
    ...     none,
    ...     none,
    ...     none + 1,
    ...     np.zeros(2, np.int8),
    ... )
    >>> {task: rows.tolist() for task, rows in split_tasks(votes).items()}
    {'de': [0, 1]}
    """
    found = {}
    for code in np.unique(votes.task).tolist():
        found[votes.tasks[code]] = np.flatnonzero(votes.task == code)
    return found


def take_task(votes: Votes, rows: Rows) -> Votes:
    """Keep rows of one task, and of the systems' names those that it has.

    A model that is trained on part of these votes must say something of every system that is left.
    """
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
    """Return the rows in an order that does not depend on that of the table.

    Votes that agree in all that is sorted by are the same vote twice.
    """
    answer = np.zeros_like(votes.task) if votes.answer is None else votes.answer
    columns = (answer, votes.outcome, votes.right, votes.left, votes.judge, votes.item, votes.task)
    return np.asarray(np.lexsort(columns), dtype=np.intp)
