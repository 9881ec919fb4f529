"""Rows that leave the engine as codes are counted some at a time, by one factor or by several.

Where all possible cells fit into an array they are counted there, so that memory does not grow with
rows. Two factors are counted in one pass, each by itself; what both together say of a row is kept
as two small numbers, for those who need the cells of both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments import coding
from evenhand.judgments.coding import Cells, Coding, Keys, count_keys
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.engine import Frame
from evenhand.judgments.row_codes import Integers, Reader, read_codes
from evenhand.judgments.tally import Tally

Sums: TypeAlias = NDArray[np.int32] | NDArray[np.int64]
LARGEST: Final = 2**31 - 1
SCORES: Final = 20_000_000
"""Most cells of two factors × systems: whoever needs the cells sums scores of as many."""


@dataclass(frozen=True, eq=False)
class CrossedRows:
    """What each row says, and which cell of two factors it belongs to.

    Attributes:
        answers: (n,) outcome · K² + left · K + right; outcomes are 0 left, 1 tie, 2 right.
        cells: (n,) code of the first factor · size of the second + its code.
        size: number of cells.
        systems: K.

    """

    answers: NDArray[np.integer[Any]]
    cells: NDArray[np.integer[Any]]
    size: int
    systems: int


@dataclass(frozen=True, eq=False)
class Apart:
    """The same judgments, counted by each of two factors by itself.

    Attributes:
        tallies: factor → the tally that tells its levels apart.
        crossed: what both together say of each row; None where rows are too many.

    """

    tallies: Mapping[str, Tally]
    crossed: CrossedRows | None = None


def can_count(tables: Sequence[Coding], rows: float) -> bool:
    """Say whether cells fit into an array, or rows into memory."""
    cells = prod(table.size for table in tables)
    return cells <= coding.DENSE or (rows <= coding.STREAMED and cells <= np.iinfo(np.int64).max)


def count_read(
    data: Comparisons,
    frame: Frame,
    tables: Sequence[Coding],
    readers: Sequence[Reader],
    rows: float,
) -> Cells | None:
    """Count the rows of each cell; None where some row has a label that is not known.

    Args:
        data: the table.
        frame: its rows.
        tables: labels and codes of the factors, of both sides and of outcomes, in this order.
        readers: of these columns.
        rows: how many they are.

    Returns:
        The different keys without their outcome digit, and (C, 3) counts.

    """
    sizes = [table.size for table in tables]
    if prod(sizes) > coding.DENSE:
        return _sort_keys(data, frame, sizes, readers, rows)
    *levels, left, right, _ = sizes
    sums, counted = _make_sums(prod(levels), left * right, rows), 0
    for *codes, own, other, outcome in read_codes(data, frame, readers, rows):
        answers = _join([outcome, own, other], [3, left, right])
        _add(sums, _join(codes, levels, len(answers)), answers)
        counted += len(answers)
    return find_cells(sums) if counted == rows else None


def count_crossed(
    data: Comparisons,
    frame: Frame,
    tables: Sequence[Coding],
    readers: Sequence[Reader],
    rows: float,
    *,
    kept: bool,
) -> tuple[list[Cells], CrossedRows | None] | None:
    """Count the rows of each cell by two factors, each by itself, in one pass.

    Args:
        data: the table.
        frame: its rows.
        tables: labels and codes of both factors, of both sides and of outcomes, in this order.
        readers: of these columns.
        rows: how many they are.
        kept: whether what both factors together say of each row is kept.

    Returns:
        Cells by each factor, and what is kept; None where possible cells are too many for arrays,
        or some row has a label that is not known.

    """
    one, two, k, _, _ = (table.size for table in tables)
    if max(one, two) * 3 * k * k > coding.DENSE or one * two * k > SCORES:
        return None
    sums = [_make_sums(size, k * k, rows) for size in (one, two)]
    answers_kept = np.empty(int(rows) if kept else 0, dtype=_narrowest(3 * k * k))
    cells_kept = np.empty(len(answers_kept), dtype=_narrowest(one * two))
    counted = 0
    for first, second, left, right, outcome in read_codes(data, frame, readers, rows):
        answers = _join([outcome, left, right], [3, k, k])
        for own, codes, size in zip(sums, (first, second), (one, two), strict=True):
            _add(own, _join([codes], [size]), answers)
        if kept:
            place = slice(counted, counted + len(answers))
            answers_kept[place], cells_kept[place] = answers, _join([first, second], [one, two])
        counted += len(answers)
    if counted != rows:
        return None
    crossed = CrossedRows(answers_kept, cells_kept, one * two, k) if kept else None
    return [find_cells(own) for own in sums], crossed


def find_cells(sums: Sums) -> Cells:
    """Return the keys of the (levels, 3, pairs) cells that hold something, and their counts.

    >>> keys, counts = find_cells(np.array([[[0, 1], [0, 0], [0, 2]]]))
    >>> keys.tolist(), counts.tolist()
    ([1], [[1.0, 0.0, 2.0]])
    """
    held = np.flatnonzero((sums[:, 0] | sums[:, 1] | sums[:, 2]).ravel())
    counts = np.stack([sums[:, outcome].ravel()[held].astype(np.float64) for outcome in range(3)])
    keys: Keys = held.astype(np.int32) if sums.size <= LARGEST else held
    return keys, counts.T


def _sort_keys(
    data: Comparisons,
    frame: Frame,
    sizes: Sequence[int],
    readers: Sequence[Reader],
    rows: float,
) -> Cells | None:
    """Count as `count_read` does, where possible cells are too many for an array."""
    narrow = prod(sizes) <= LARGEST
    keys: Keys = np.empty(int(rows), np.int32) if narrow else np.empty(int(rows), np.int64)
    counted = 0
    for codes in read_codes(data, frame, readers, rows):
        own = _join(codes, sizes)
        keys[counted : counted + len(own)] = own
        counted += len(own)
    return count_keys(keys, prod(sizes)) if counted == rows else None


def _make_sums(levels: int, pairs: int, rows: float) -> Sums:
    """Return (levels, 3, pairs) zeros, in 32 bits where no sum can be larger."""
    shape = (levels, 3, pairs)
    return np.zeros(shape, np.int32) if rows <= LARGEST else np.zeros(shape, np.int64)


def _join(codes: Sequence[Integers], sizes: Sequence[int], rows: int = 0) -> Keys:
    """Return one number per row for several codes, the first foremost; 0 where there are none."""
    if not codes:
        return np.zeros(rows, dtype=np.int32)
    narrow = prod(sizes) <= LARGEST
    key: Keys = codes[0].astype(np.int32) if narrow else codes[0].astype(np.int64)
    for own, size in zip(codes[1:], sizes[1:], strict=True):
        key *= size
        key += own
    return key


def _add(sums: Sums, levels: Keys, answers: Keys) -> None:
    """Count rows by level and answer; levels are changed."""
    levels *= sums.shape[1] * sums.shape[2]
    levels += answers
    np.add.at(sums.reshape(-1), levels, sums.dtype.type(1))


def _narrowest(size: int) -> np.dtype[Any]:
    """Return the narrowest type for codes below a size."""
    return np.min_scalar_type(size - 1)
