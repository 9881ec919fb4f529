"""Rows that leave the engine as codes are counted some at a time, by one factor or by several.

Where all possible cells fit into an array they are counted there, so that memory does not grow with
rows. Two factors are counted in one pass, each by itself; what both together say of a row is kept
as two small numbers, for those who need the cells of both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments import coding
from evenhand.judgments.coding import Cells, Coding, Keys, count_keys
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.engine import Frame
from evenhand.judgments.row_codes import Integers, Reader, join_readers, read_codes
from evenhand.judgments.tally import Tally

Sums: TypeAlias = NDArray[np.uint16] | NDArray[np.int32] | NDArray[np.int64]
Rows: TypeAlias = Iterator[tuple[list[Integers], Keys]]
SMALL: Final = 2**16 - 1
LARGEST: Final = 2**31 - 1
# Most cells of two factors × systems: whoever needs the cells sums scores of as many
SCORES: Final = 20_000_000


@dataclass(frozen=True, eq=False)
class CrossedRows:
    """What each row says, and which cell of two factors it belongs to."""

    # (n,) outcome · K² + left · K + right; outcomes are 0 left, 1 tie, 2 right
    answers: NDArray[np.integer[Any]]
    cells: NDArray[np.integer[Any]]  # (n,) code of the first factor · size of the second + its code
    size: int  # number of cells
    systems: int  # K


@dataclass(frozen=True, eq=False)
class Apart:
    """The same judgments, counted by each of two factors by itself."""

    tallies: Mapping[str, Tally]  # factor → the tally that tells its levels apart
    # what both together say of each row; None where rows are too many
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

    tables: labels and codes of the factors, of both sides and of outcomes, in this order.
    Returns the different keys without their outcome digit, and (C, 3) counts.
    """
    sizes = [table.size for table in tables]
    if prod(sizes) > coding.DENSE:
        return _sort_keys(data, frame, sizes, readers, rows)
    *levels, left, right, _ = sizes
    most = min([rows, *(_most(table) for table in tables[:-3])])
    sums, counted = _make_sums(prod(levels), left * right, most), 0
    for codes, answers in _read_answers(data, frame, (tables, readers), rows):
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

    tables: labels and codes of both factors, of both sides and of outcomes, in this order.
    """
    one, two, k, _, _ = (table.size for table in tables)
    if max(one, two) * 3 * k * k > coding.DENSE or one * two * k > SCORES:
        return None
    sums = [_make_sums(table.size, k * k, _most(table)) for table in tables[:2]]
    answers_kept = np.empty(int(rows) if kept else 0, dtype=_narrowest(3 * k * k))
    cells_kept = np.empty(len(answers_kept), dtype=_narrowest(one * two))
    counted = 0
    for codes, answers in _read_answers(data, frame, (tables, readers), rows):
        for own, code, size in zip(sums, codes, (one, two), strict=True):
            _add(own, _join([code], [size]), answers)
        if kept:
            place = slice(counted, counted + len(answers))
            answers_kept[place], cells_kept[place] = answers, _join(codes, [one, two])
        counted += len(answers)
    if counted != rows:
        return None
    crossed = CrossedRows(answers_kept, cells_kept, one * two, k) if kept else None
    return [find_cells(own) for own in sums], crossed


def _read_answers(
    data: Comparisons,
    frame: Frame,
    tables: tuple[Sequence[Coding], Sequence[Reader]],
    rows: float,
) -> Rows:
    """Yield batches of a table: codes of each factor, and outcome · K² + left · K + right."""
    sizes = [table.size for table in tables[0][-3:]]
    *levels, left, right, outcome = tables[1]
    sizes = [sizes[2], *sizes[:2]]
    joined = join_readers([outcome, left, right], sizes)
    if joined is None:
        for *codes, own, other, answer in read_codes(data, frame, tables[1], rows):
            yield codes, _join([answer, own, other], sizes)
        return
    for *codes, answer in read_codes(data, frame, [*levels, joined], rows):
        yield codes, cast("Keys", answer)


def find_cells(sums: Sums) -> Cells:
    """Return the keys of the (levels, 3, pairs) cells that hold something, and their counts.

    >>> keys, counts = find_cells(np.array([[[0, 1], [0, 0], [0, 2]]]))
    >>> keys.tolist(), counts.tolist()
    ([1], [[1.0, 0.0, 2.0]])
    """
    held = np.flatnonzero((sums[:, 0] | sums[:, 1] | sums[:, 2]).ravel())
    counts = np.empty((3, len(held)))
    for outcome, column in enumerate(counts):
        column[:] = sums[:, outcome].ravel().take(held)
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


def _make_sums(levels: int, pairs: int, most: float) -> Sums:
    """Return (levels, 3, pairs) zeros, as narrow as the rows of one level allow."""
    shape = (levels, 3, pairs)
    if most <= SMALL:
        return np.zeros(shape, np.uint16)
    return np.zeros(shape, np.int32) if most <= LARGEST else np.zeros(shape, np.int64)


def _most(level: Coding) -> float:
    """Return the rows of the largest level, or cluster of levels."""
    return float(np.bincount(level.codes, level.loads).max(initial=0))


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
    """Count rows by level and answer; numpy is fastest where places have its own type."""
    places = levels.astype(np.intp)
    places *= sums.shape[1] * sums.shape[2]
    places += answers
    np.add.at(sums.reshape(-1), places, sums.dtype.type(1))


def _narrowest(size: int) -> np.dtype[Any]:
    """Return the narrowest type for codes below a size."""
    return np.min_scalar_type(size - 1)
