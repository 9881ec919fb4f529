"""Judgments row by row, for models whose cells are as many as rows.

A row becomes one whole number (its levels, sides and outcome, by codes) and one number for each
column of values. Whoever sums over rows takes them in batches, so that what is in between stays
small: ten million rows with three columns of counts take 160 MB. Where there are more, the columns
lie in files (`row_files.py`), and a batch is all that is in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.coding import DENSE, decode
from evenhand.judgments.joined_codes import join_codes
from evenhand.judgments.row_files import Column
from evenhand.judgments.tally import Codes, Counts, Factor, Tally

Keys = NDArray[np.int64] | NDArray[np.int32]
Edges = tuple[float, float]
BATCH: Final = 2**18  # Rows taken at once
DISCRETE: Final = 2_000  # Most different values of a column that is taken for a count of something
SAMPLE: Final = 20_000  # Rows looked at to see whether a column is
# Share of the rows that are left when like rows become one, above which that is not worth it
SMALLER: Final = 0.5


@dataclass(frozen=True, eq=False)
class Batch:
    """Some rows."""

    left: Codes  # (n,) code of the system that stands left
    right: Codes  # (n,) code of the other
    outcome: Codes  # (n,) 0 left, 1 tie, 2 right
    values: NDArray[np.float64]  # (n, q) columns of values, left minus right
    weights: Counts  # (n,) how often each row counts
    squares: Counts | None  # (n,) sums of squared importance weights, or None for frequencies
    codes: Mapping[str, Codes]  # factor → (n,) level

    @property
    def counts(self) -> Counts:
        """(n, 3) how often left was preferred, neither was, right was; column by column."""
        return _spread(self.outcome, self.weights)

    @property
    def square_counts(self) -> Counts:
        """(n, 3) the same with squared importance weights."""
        return _spread(self.outcome, self.weights if self.squares is None else self.squares)

    def folded(self) -> Batch:
        """Turn rows so that the first system by name stands left."""
        turn = self.left > self.right
        return replace(
            self,
            left=np.where(turn, self.right, self.left),
            right=np.where(turn, self.left, self.right),
            outcome=np.where(turn, 2 - self.outcome, self.outcome),
            values=np.where(turn[:, None], -self.values, self.values),
        )


def _spread(outcome: Codes, weights: Counts) -> Counts:
    counts = np.zeros((len(outcome), 3), order="F")
    counts[np.arange(len(outcome)), outcome] = weights
    return counts


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows as codes and values."""

    systems: tuple[str, ...]  # names of the K systems, sorted
    keys: Column  # (N,) levels, left, right and outcome as digits of one number, outcome last
    # (N,) values each, left minus right; single precision where that is exact
    columns: tuple[Column, ...]
    weights: Column | None = None  # (N,) how often each row counts; None where each counts once
    squares: Column | None = None  # (N,) squared importance weights, or None for frequencies
    # factor → its labels, loads and size; codes stand in the keys
    levels: Mapping[str, Factor] = field(default_factory=dict)
    positions_known: bool = True  # whether left really stood first
    zero_weight: int = 0  # rows left out since their weight is zero
    # number of answers, where one can be several rows; None where each row is one
    answers: float | None = None

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.keys)

    @cached_property
    def edges(self) -> tuple[Edges, ...]:
        """Smallest and largest value of each column; NaN where one is missing."""
        return tuple(_find_edges(column) for column in self.columns)

    def batches(self, *, fold: bool) -> Iterator[Batch]:
        """Go through the rows, some at a time; folded, with the first system by name at left."""
        sizes = [factor.size for factor in self.levels.values()]
        k = len(self.systems)
        for start in range(0, self.size, BATCH):
            rows = slice(start, start + BATCH)
            *codes, left, right, outcome = decode(self.keys[rows], [*sizes, k, k, 3])
            n = len(left)
            values = np.empty((n, len(self.columns)), order="F")
            for at, column in enumerate(self.columns):
                values[:, at] = column[rows]
            batch = Batch(
                left=left,
                right=right,
                outcome=outcome,
                values=values,
                weights=np.ones(n) if self.weights is None else self.weights[rows],
                squares=None if self.squares is None else self.squares[rows],
                codes=dict(zip(self.levels, codes, strict=True)),
            )
            yield batch.folded() if fold else batch

    def tally(self, by: Sequence[str] = ()) -> Tally:
        """Count the rows by pair, and by some of the levels."""
        k, sizes = len(self.systems), [self.levels[name].size for name in by]
        span = prod([*sizes, k, k, 3])
        dense = span <= DENSE
        found = np.zeros(0, dtype=np.int64) if dense else self._find_places(by, sizes)
        sums = np.zeros((1 if self.squares is None else 2, span if dense else len(found)))
        for batch in self.batches(fold=False):
            place = _place(batch, by, sizes, k)
            _add(sums, place if dense else np.searchsorted(found, place), batch)
        held = np.flatnonzero(sums[0])
        sums = sums[:, held]  # most cells of many judges are empty
        return self._widen(by, sizes, held if dense else found[held], sums)

    def _find_places(self, by: Sequence[str], sizes: Sequence[int]) -> NDArray[np.int64]:
        """Return the different (level, pair, outcome) that there are, sorted."""
        k, found, new = len(self.systems), np.zeros(0, dtype=np.int64), 0
        waiting: list[NDArray[np.int64]] = []
        for batch in self.batches(fold=False):
            waiting.append(np.unique(_place(batch, by, sizes, k)))
            new += len(waiting[-1])
            if new > max(len(found), BATCH):  # so that all unions together cost a few sorts
                found, waiting, new = np.unique(np.concatenate([found, *waiting])), [], 0
        return np.unique(np.concatenate([found, *waiting]))

    def _widen(
        self, by: Sequence[str], sizes: Sequence[int], found: Keys, sums: NDArray[np.float64]
    ) -> Tally:
        """Turn one sum per (level, pair, outcome) into one entry per (level, pair)."""
        cells, place = np.unique(found // 3, return_inverse=True)
        outcome, k = found % 3, len(self.systems)
        wide = np.zeros((len(sums), 3, len(cells)))
        wide[:, outcome, place] = sums
        *codes, left, right = decode(cells.astype(np.int64), [*sizes, k, k])
        factors = {
            name: replace(self.levels[name], codes=own) for name, own in zip(by, codes, strict=True)
        }
        wins, ties, losses = wide[0]
        return Tally(
            self.systems,
            left,
            right,
            wins,
            ties,
            losses,
            factors,
            n_judgments=float(sums[0].sum()) if self.answers is None else self.answers,
            squares=None if self.squares is None else wide[1].T,
            zero_weight=self.zero_weight,
            positions_known=self.positions_known,
        )

    def pooled(self, *, fold: bool) -> CodedRows:
        """Make rows with the same pair, outcome and values one, where that makes them far fewer.

        Levels are forgotten. Style counts take few values, so that ten million rows become some
        hundred thousand; a length has too many.
        """
        k, kinds = len(self.systems), [_distinct(column) for column in self.columns]
        known = [kind for kind in kinds if kind is not None]
        span = prod(2 * len(kind) for kind in known) * 3 * k * k
        if len(known) < len(kinds) or span > DENSE:
            return self
        kept = [np.unique(np.concatenate([kind, -kind])) for kind in known] if fold else known
        spans = [len(kind) for kind in kept]
        size = prod([*spans, 3 * k * k])
        sums = np.zeros((1 if self.squares is None else 2, size))
        for batch in self.batches(fold=fold):
            digits = [
                (np.searchsorted(kind, values).astype(np.int32), len(kind))
                for kind, values in zip(kept, batch.values.T, strict=True)
            ]
            pair = [(batch.left, k), (batch.right, k), (batch.outcome, 3)]
            place = join_codes([*digits, *pair])
            _add(sums, place, batch)
        held = np.flatnonzero(sums[0])
        if len(held) > SMALLER * self.size:
            return self
        *codes, _ = decode(held, [*spans, 3 * k * k])
        return replace(
            self,
            keys=held % (3 * k * k),
            columns=tuple(kind[code] for kind, code in zip(kept, codes, strict=True)),
            weights=sums[0][held],
            squares=None if self.squares is None else sums[1][held],
            levels={},
        )


def _add(sums: Counts, place: NDArray[np.int64], batch: Batch) -> None:
    """Add weights, and squared weights if any, of rows to (1 or 2, cells) sums."""
    sums[0] += np.bincount(place, batch.weights, sums.shape[1])
    if batch.squares is not None:
        sums[1] += np.bincount(place, batch.squares, sums.shape[1])


def slices(column: Column) -> Iterator[NDArray[Any]]:
    """Go through a column, some rows at a time."""
    return (column[start : start + BATCH] for start in range(0, len(column), BATCH))


def _find_edges(column: Column) -> Edges:
    least, most = np.inf, -np.inf
    for part in slices(column):
        least = float(np.minimum(least, part.min()))
        most = float(np.maximum(most, part.max()))
    return least, most


def _distinct(column: Column) -> NDArray[np.float64] | None:
    """Return the different values of a column that has few, else None."""
    if len(np.unique(column[:SAMPLE])) > DISCRETE:
        return None
    found = np.zeros(0)
    for part in slices(column):
        found = np.union1d(found, np.unique(part))
        if len(found) > DISCRETE:
            return None
    return found


def _place(batch: Batch, by: Sequence[str], sizes: Sequence[int], k: int) -> NDArray[np.int64]:
    digits = [(batch.codes[name], size) for name, size in zip(by, sizes, strict=True)]
    return join_codes([*digits, (batch.left, k), (batch.right, k), (batch.outcome, 3)])
