"""Which votes are held out, and which of the others a model is trained on (Hopkins & May 2013).

A task's test set are the comparisons of items that are in at most k comparisons, k the smallest
number with 2,000 such comparisons; the rest trains. Items that few comparisons are on were not
picked for any purpose, so that they come near to an even sample. Training subsets are drawn from
the rest, comparison by comparison: 100, 200, ..., 3200, or all where there are fewer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, UnknownColumn
from evenhand.judgments.votes import Votes

Rows = NDArray[np.intp]
LEAST: Final = 2000
"""Held-out comparisons of a task, at least."""
SIZES: Final = (100, 200, 400, 800, 1600, 3200)
TRIALS: Final = 5


@dataclass(frozen=True, eq=False)
class Split:
    """One task, divided.

    Attributes:
        most: comparisons of a held-out item, at most: k.
        test: row numbers of the held-out comparisons.
        train: of the others.

    """

    most: int
    test: Rows
    train: Rows


def hold_out_rare_items(votes: Votes, least: int = LEAST) -> Split:
    """Divide the votes of a task by how many of them are on an item.

    Args:
        votes: of one task.
        least: comparisons to hold out, at least.

    Raises:
        UnknownColumn: the votes do not say which item they are on.
        NotIdentified: there are too few votes, or nothing would be left to train on.

    >>> none, item = np.zeros(6, np.int32), np.array([0, 0, 0, 1, 2, 2], np.int32)
    >>> votes = Votes(
    ...     ("",),
    ...     ("",),
    ...     ("x", "y", "z"),
    ...     ("a", "b"),
    ...     none,
    ...     none,
    ...     item,
    ...     none,
    ...     none + 1,
    ...     np.zeros(6, np.int8),
    ... )
    >>> split = hold_out_rare_items(votes, least=2)
    >>> split.most, split.test.tolist(), split.train.tolist()
    (2, [3, 4, 5], [0, 1, 2])
    """
    if votes.items == ("",):
        raise UnknownColumn(
            "there is no item column, and the test set is made of items with few comparisons: map"
            " one (--column item=NAME), or cross-validate"
        )
    if votes.size < least:
        raise NotIdentified(
            f"{votes.size:,} comparisons are fewer than the {least:,} to hold out",
            ["hold out fewer", "cross-validate"],
        )
    load = np.bincount(votes.item)[votes.item]
    most = int(np.sort(load)[least - 1])
    held = load <= most
    if held.all():
        raise NotIdentified(
            f"no item has more than {most} comparisons: with {least:,} held out nothing is left to"
            " train on",
            ["hold out fewer", "cross-validate"],
        )
    return Split(most, np.flatnonzero(held), np.flatnonzero(~held))


def draw_subset(rows: Rows, size: int, seed: int, at: tuple[int, ...]) -> Rows:
    """Draw some of the rows, all of them where there are no more.

    Args:
        rows: row numbers in an order that does not depend on that of the table.
        size: how many.
        seed: of the whole protocol.
        at: which draw this is; every draw has a stream of its own.

    Returns:
        row numbers, in the order in which they were given.

    >>> draw_subset(np.arange(3), 5, 1, (0,)).tolist()
    [0, 1, 2]
    """
    if len(rows) <= size:
        return rows
    rng = np.random.Generator(np.random.PCG64([seed, *at]))
    return rows[np.sort(rng.choice(len(rows), size, replace=False))]
