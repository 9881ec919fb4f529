"""What completion says of every judge and output, how sure it is, and how it compares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, name_near
from evenhand.judgments.notebook import InNotebooks
from evenhand.rating.baselines import MethodError, say_better
from evenhand.rating.choice import Choice
from evenhand.rating.matrix import RatingMatrix

if TYPE_CHECKING:
    from evenhand.rating.nuclear_norm import NuclearNorm

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Prediction:
    """What one judge would say of one output.

    Attributes:
        score: the prediction, in points of the scale.
        lower: end of its interval; minus infinity where there is no bound, None for a given rating.
        upper: the other.
        seen: the rating that the judge gave (the mean of several), or None.

    """

    score: float
    lower: float | None
    upper: float | None
    seen: float | None


@dataclass(frozen=True)
class GroupWidth:
    """How wide the intervals of a group of judges are.

    Attributes:
        group: its name.
        judges: how many.
        n: held-out ratings that intervals rest on.
        narrowest: smallest half width among its missing ratings, in points; infinite if endless,
            None where nothing is missing.
        widest: largest.

    """

    group: str
    judges: int
    n: int
    narrowest: float | None
    widest: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract."""
        half = {"narrowest": self.narrowest, "widest": self.widest}
        return {"group": self.group, "judges": self.judges, "held_out": self.n, **half}


@dataclass(frozen=True, eq=False, repr=False)
class Completion(InNotebooks):
    """A fit of `NuclearNorm`.

    Attributes:
        model: the settings.
        matrix: judges, outputs and the ratings that were seen.
        predicted: (m, n) what the fit says of every cell, seen ones included.
        half_width: (m, 1) of the intervals of each judge, or (m, n) where they differ by cell: 0
            where a rating was given, if missing is "by value"; infinite where nothing bounds them.
        choice: how τ was chosen, and whether the low-rank part is used.
        tau: weight of the nuclear norm in the last fit; None where it abstains.
        rank: of the low-rank part; 0 where it abstains.
        gap: the objective is at most so far above its minimum, in squared points.
        table: errors of all methods on cells that nothing was learned from; empty without any.
        groups: groups of judges that have intervals of their own → ratings they rest on.
        group_of: (m,) group of each judge.
        notes: what must stand beside the numbers.
        signature: what made them.

    """

    model: NuclearNorm
    matrix: RatingMatrix
    predicted: Array
    half_width: Array
    choice: Choice
    tau: float | None
    rank: int
    gap: float
    table: tuple[MethodError, ...]
    groups: dict[str, int]
    group_of: tuple[str, ...]
    notes: tuple[str, ...]
    signature: str

    @property
    def judges(self) -> tuple[str, ...]:
        """Names of the rows."""
        return self.matrix.judges

    @property
    def abstained(self) -> bool:
        """Whether it answers with the intercepts."""
        return not self.choice.used

    @property
    def completed(self) -> Array:
        """(m, n) ratings where they were given, predictions where not."""
        filled = self.predicted.copy()
        filled[self.matrix.cells.row, self.matrix.cells.column] = self.matrix.value
        return filled

    @property
    def n_missing(self) -> int:
        """How many cells were predicted."""
        return self.predicted.size - len(self.matrix.value)

    @property
    def says(self) -> tuple[str, ...]:
        """What was found, in words."""
        full = "every judge rated every output: nothing is missing"
        if self.abstained:
            first = "abstains: missing ratings are predicted from judge and output alone"
        else:
            first = f"judges share tastes: a part of rank {self.rank} is used with judge + output"
        told = f"{first}, since {self.choice.why}"
        return (*(() if self.n_missing else (full,)), told, *say_better(self.table))

    @property
    def intervals(self) -> tuple[GroupWidth, ...]:
        """How wide intervals are, by group of judges."""
        absent = ~self.matrix.seen()
        found = []
        for name, n in self.groups.items():
            own = np.array([one == name for one in self.group_of])
            half = np.broadcast_to(self.half_width[own], absent[own].shape)[absent[own]]
            ends = (float(half.min()), float(half.max())) if len(half) else (None, None)
            found.append(GroupWidth(name, int(own.sum()), n, *ends))
        return tuple(found)

    @property
    def bounded(self) -> tuple[int, int]:
        """How many judges with missing ratings have bounds for any of them, and for none."""
        absent = ~self.matrix.seen()
        finite = (absent & np.isfinite(self.half_width)).any(axis=1)
        return int(finite.sum()), int((absent.any(axis=1) & ~finite).sum())

    def predict(self, judge: str, item: str, system: str) -> Prediction:
        """Return what a judge would say of an output, or said, with the interval.

        Raises:
            InvalidJudgments: nobody rated the output, or there is no such judge.

        """
        if judge not in self.judges:
            raise InvalidJudgments(f"no judge '{judge}'.{name_near(judge, self.judges)}")
        outputs = self.matrix.outputs()
        if (item, system) not in outputs:
            raise InvalidJudgments(
                f"nobody rated the output of '{system}' for item '{item}': nothing is known of it"
            )
        row, column = self.judges.index(judge), outputs.index((item, system))
        at = np.flatnonzero((self.matrix.cells.row == row) & (self.matrix.cells.column == column))
        score = float(self.predicted[row, column])
        if len(at):
            return Prediction(score, None, None, float(self.matrix.value[at[0]]))
        return Prediction(score, *self._ends(row, column), None)

    def _ends(self, row: int, column: int) -> tuple[float, float]:
        half = float(self.half_width[row, min(column, self.half_width.shape[1] - 1)])
        middle = float(self.predicted[row, column])
        low, high = self.model.clip or (-inf, inf)
        return max(middle - half, low), min(middle + half, high)

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each cell: given ratings as they are, missing ones with intervals.

        With groups of judges, theirs is the last column.
        """
        seen, filled = self.matrix.seen(), self.completed
        rows = []
        for j, (judge, group) in enumerate(zip(self.judges, self.group_of, strict=True)):
            for o, (item, system) in enumerate(self.matrix.outputs()):
                given = bool(seen[j, o])
                lower, upper = (None, None) if given else self._ends(j, o)
                row: dict[str, Any] = {
                    "judge": judge,
                    "item": item,
                    "system": system,
                    "score": float(filled[j, o]),
                }
                row |= {"given": given, "lower": lower, "upper": upper}
                rows.append(row if self.model.group is None else row | {"judge_group": group})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract; the cells are in `records`."""
        half = [float(own.max()) for own in self.half_width]
        return {
            "judges": len(self.judges),
            "outputs": self.matrix.shape[1],
            "ratings": float(self.matrix.cells.weight.sum()),
            "missing": self.n_missing,
            "fill": self.matrix.fill,
            "abstains": self.abstained,
            "why": self.choice.why,
            "tau": self.tau,
            "rank": self.rank,
            "level": self.model.level,
            "groups": dict(self.groups),
            "intervals": [row.to_dict() for row in self.intervals],
            "half_width": dict(zip(self.judges, half, strict=True)),
            "path": [point.to_dict() for point in self.choice.path],
            "intercepts_mae": self.choice.intercepts,
            "errors": [row.to_dict() for row in self.table],
            "says": list(self.says),
            "notes": list(self.notes),
            "signature": self.signature,
        }

    def __repr__(self) -> str:
        lines: Sequence[str] = [
            f"{len(self.judges):,} judges, {self.matrix.shape[1]:,} outputs,"
            f" {100 * self.matrix.fill:.0f} % of the cells seen",
            *(f"{row.method:15} off by {row.mae:.3g} ({row.n:,} cells)" for row in self.table),
            *self.says,
            *self.notes,
            self.signature,
        ]
        return "\n".join(lines)
