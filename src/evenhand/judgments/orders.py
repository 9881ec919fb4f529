"""Orders: whole rankings as arrays, each different one once, with its count.

What a model of rankings needs is not which pairs were compared but who stood above whom in one
answer. A ranking of 5 outputs said a thousand times is one row here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, UnknownColumn
from evenhand.judgments.tally import Codes, Counts, Factor, Tally

NONE = -1  # Stands behind the last output of a ranking that is shorter than the longest


@dataclass(frozen=True, eq=False)
class Orders:
    """Different rankings with their counts, best output first."""

    systems: tuple[str, ...]  # the K systems, sorted by name
    # (R, n) codes of the ranked outputs, best first and ties by code; −1 behind them
    outputs: Codes
    places: Codes  # (R, n) place of each, 0 the best, ties share one and none is skipped; −1 behind
    weights: Counts  # (R,) how often each ranking was given
    # what each row belongs to, such as its judge; None where nothing is told apart
    level: Factor | None = None
    n_short: float = 0.0  # rankings of one output, which compare nothing and are no rows here
    zero_weight: int = 0  # rows of the table left out since their weight is zero
    notes: tuple[str, ...] = ()  # what must be said of the data, such as that tasks are pooled

    @property
    def lengths(self) -> NDArray[np.intp]:
        """(R,) number of ranked outputs."""
        return np.asarray((self.outputs != NONE).sum(axis=1), dtype=np.intp)

    @property
    def n_judgments(self) -> float:
        """Number of rankings that compare something."""
        return float(self.weights.sum())

    @property
    def n_comparisons(self) -> float:
        """Number of pairs that they hold, n(n − 1)/2 each."""
        n = self.lengths
        return float(self.weights @ (n * (n - 1) / 2))

    def sizes(self) -> NDArray[np.intp]:
        """(R, n) number of outputs that share a place; 0 where there is no such place."""
        rows, columns = self.outputs.shape
        flat = np.arange(rows)[:, None] * columns + self.places
        counted = np.bincount(flat[self.places != NONE], minlength=rows * columns)
        return np.asarray(counted.reshape(rows, columns), dtype=np.intp)

    def pool(self) -> Orders:
        """Forget whom rankings belong to; equal ones become one row."""
        return replace(pack_orders(self.systems, self, None), notes=self.notes)

    def split(self) -> dict[str, Orders]:
        """Take the level apart: orders of each, with the systems seen there."""
        if self.level is None:
            raise UnknownColumn("these rankings are not told apart: count them with by='NAME'")
        rows = [np.flatnonzero(self.level.codes == i) for i in range(self.level.size)]
        return {name: self._part(own) for name, own in zip(self.level.labels, rows, strict=True)}

    def _part(self, rows: NDArray[np.intp]) -> Orders:
        own = self.outputs[rows]
        used = np.unique(own[own != NONE])
        outputs = np.where(own == NONE, NONE, np.searchsorted(used, own)).astype(np.int32)
        names = tuple(self.systems[i] for i in used.tolist())
        part = Orders(names, outputs, self.places[rows], self.weights[rows])
        return pack_orders(names, part, None)  # narrower where the level's rankings are

    def tally(self) -> Tally:
        """Return the pairs that the rankings hold, folded; what connects systems is seen there."""
        n = self.outputs.shape[1]
        one, two = np.triu_indices(n, 1)
        both = self.outputs[:, two] != NONE
        row, pair = np.nonzero(both)
        first, second = self.outputs[row, one[pair]], self.outputs[row, two[pair]]
        tied = self.places[row, one[pair]] == self.places[row, two[pair]]
        weight = self.weights[row]
        none = np.zeros_like(weight)
        wins, ties = np.where(tied, none, weight), np.where(tied, weight, none)
        sides = first.astype(np.int32), second.astype(np.int32)
        pairs = Tally(self.systems, *sides, wins, ties, none, n_judgments=self.n_judgments)
        return pairs.fold() if len(row) else pairs


def pack_orders(systems: Sequence[str], orders: Orders, level: Factor | None) -> Orders:
    """Write equal rankings (of one level) as one row, in an order that the input does not change.

    systems: names behind the codes.
    """
    widest = int(orders.lengths.max(initial=0))
    outputs, places = orders.outputs[:, :widest], orders.places[:, :widest]
    own = np.zeros(len(outputs), np.int32) if level is None else level.codes
    table = np.column_stack([own, outputs, places]).astype(np.int32)
    rows, inverse = np.unique(table, axis=0, return_inverse=True)
    weights = np.bincount(inverse.reshape(-1), weights=orders.weights, minlength=len(rows))
    return replace(
        orders,
        systems=tuple(systems),
        outputs=np.ascontiguousarray(rows[:, 1 : 1 + widest]),
        places=np.ascontiguousarray(rows[:, 1 + widest :]),
        weights=np.asarray(weights, dtype=np.float64),
        level=None if level is None else replace(level, codes=np.ascontiguousarray(rows[:, 0])),
    )


def orders_of_pairs(tally: Tally, by: str | None = None) -> Orders:
    """Return comparisons as rankings of two outputs."""
    if tally.squares is not None:
        raise importance_refused()
    if tally.n_judgments < tally.n_comparisons * (1 - 1e-9):
        raise InvalidJudgments(
            "these are pairs that were expanded from rankings or merged outputs, and no longer say"
            " which belong to one answer: fit the model to the rankings themselves"
        )
    left, right = tally.left, tally.right
    low, high = np.minimum(left, right), np.maximum(left, right)
    outputs = np.concatenate([np.stack(p, 1) for p in ((left, right), (low, high), (right, left))])
    places = np.zeros_like(outputs)
    places[:, 1] = np.repeat([1, 0, 1], len(left))
    weights = np.concatenate([tally.wins, tally.ties, tally.losses])
    held = weights > 0
    rows = Orders(
        tally.systems, outputs[held], places[held], weights[held], zero_weight=tally.zero_weight
    )
    level = None if by is None else tally.factor(by)
    if level is not None:
        level = replace(level, codes=np.tile(level.codes, 3)[held])
    return pack_orders(tally.systems, rows, level)


def importance_refused() -> InvalidJudgments:
    """Return the refusal of importance weights."""
    return InvalidJudgments(
        "importance weights do not count rankings: a model of whole rankings takes frequencies"
        " (a row stands for that many); expand them into comparisons to weigh them"
    )
