"""Ratings row by row: labels as codes, scores as numbers.

Agreement, diagnosis, flags and variance components all start from this one reading of a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments
from evenhand.judgments.tally import Codes, Factor
from evenhand.numerics.cluster_means import number_groups

Array = NDArray[np.float64]
Small = NDArray[np.int8]

# What a judgment is: of an output as such; the same output asked again; one whose worth is known.
# A control carries what is expected of it: `expected` is a score for ratings, NaN where only the
# direction is known; `direction` is +1 for a known good output, -1 for a known bad one, 0
# otherwise.
TARGET, REPEAT, CONTROL = 0, 1, 2


@dataclass(frozen=True, eq=False)
class RatingRows:
    """Scores with everything that is known of each, in the order of the table."""

    # names of the tasks, sorted; ("",) where there is no such column. So for all labels.
    tasks: tuple[str, ...]
    judges: tuple[str, ...]  # names of the judges
    # names of the items, each with its task ("fr-en / 17") where there are tasks
    items: tuple[str, ...]
    systems: tuple[str, ...]  # names of the systems
    criteria: tuple[str, ...]  # names of the criteria
    task: Codes  # (n,) code of each row's task
    judge: Codes  # (n,) code of its judge
    item: Codes  # (n,) code of its item
    system: Codes  # (n,) code of its system
    criterion: Codes  # (n,) code of its criterion
    score: Array  # (n,) its score, always a finite number
    # (n,) TARGET, REPEAT or CONTROL; None where no column says so (all are targets)
    kind: Small | None = None
    # (n,) of controls: +1 known good, -1 known bad, 0 unknown; None without kinds
    direction: Small | None = None
    # (n,) score expected of a control, NaN elsewhere; None where no column says so
    expected: Array | None = None
    # (n,) how long it took, NaN where unknown; None where no column says so
    seconds: Array | None = None
    # (n,) when it was given, in seconds of any clock; None where no column says so
    moment: Array | None = None
    # further columns that were asked for, such as the input type, by name
    factors: Mapping[str, Factor] = field(default_factory=dict)
    missing: int = 0  # rows without a score, which are left out
    # what must be said of the data, such as how many rows were left out and why
    notes: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Number of scores."""
        return len(self.score)

    @cached_property
    def output(self) -> NDArray[np.int64]:
        """(n,) number of the output that was scored: its item (of a task) and its system."""
        return self.item.astype(np.int64) * len(self.systems) + self.system

    @cached_property
    def unit(self) -> NDArray[np.int64]:
        """(n,) number of what was scored: an output under a criterion. Not dense."""
        return self.output * len(self.criteria) + self.criterion

    def take(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> RatingRows:
        """Keep some rows; names and codes stay as they are."""
        arrays: dict[str, Any] = {}
        for name in (*_CODES, *_OPTIONAL):
            values = getattr(self, name)
            arrays[name] = None if values is None else values[rows]
        factors = {
            name: replace(factor, codes=factor.codes[rows]) for name, factor in self.factors.items()
        }
        return replace(self, **arrays, factors=factors)

    def targets(self) -> RatingRows:
        """Keep the scores of outputs as such: no controls, no second answers."""
        return self if self.kind is None else self.take(self.kind == TARGET)

    def split(self, names: Sequence[str]) -> dict[tuple[str, ...], RatingRows]:
        """Take the rows apart by some of the labels; groups that are there, sorted by name."""
        if not self.size:
            raise InvalidJudgments("no scores to take apart")
        labels, codes = zip(*(self.labels(name) for name in names), strict=True)
        group = number_groups(*codes)
        sizes = np.bincount(group)
        if len(sizes) < _FEW:
            group = group.astype(np.int16)  # which is sorted by counting
        order = np.argsort(group, kind="stable")
        parts = np.split(order, np.cumsum(sizes)[:-1])
        return {
            tuple(own[code[rows[0]]] for own, code in zip(labels, codes, strict=True)): (
                self if len(parts) == 1 else self.take(rows)
            )
            for rows in parts
        }

    def labels(self, name: str) -> tuple[tuple[str, ...], Codes]:
        """Return the names of a kind of label, and its code in each row."""
        if name in self.factors:
            factor = self.factors[name]
            return tuple(factor.labels), factor.codes
        plural = "criteria" if name == "criterion" else f"{name}s"
        return getattr(self, plural), getattr(self, name)


_FEW = np.iinfo(np.int16).max  # Groups that can be numbered in two bytes
_CODES = ("task", "judge", "item", "system", "criterion", "score")
_OPTIONAL = ("kind", "direction", "expected", "seconds", "moment")
