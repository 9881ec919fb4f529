"""A digest of ratings: the same for the same scores, in any order of rows, in whatever table."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.rating_rows import RatingRows

Numbers = NDArray[np.int64]

_START = 16  # So many rows for each code are looked at before the rest is
_BITS = 63  # A row that fits into so many bits is sorted as one number


def digest_ratings(rows: RatingRows, beside: Sequence[NDArray[Any]] = ()) -> str:
    """Return the SHA-256 of who gave which score to what.

    Kinds count; times, seconds, factors, and names that no row has do not.

    beside: (n,) numbers that change the result as well, such as expected scores; NaN is one.
    """
    digest = sha256()
    columns: list[Numbers] = []
    for role in ("task", "judge", "item", "system", "criterion"):
        names, codes = rows.labels(role)
        present, dense = _number(codes, len(names))
        digest.update("\x1f".join(names[code] for code in present.tolist()).encode() + b"\x1d")
        columns += [dense] if len(present) > 1 else []
    columns += [] if rows.kind is None else [rows.kind.astype(np.int64)]
    scores, position = _distinct(rows.score + 0.0)
    digest.update(scores.astype("<f8").tobytes())
    for values in beside:
        present_values, dense = np.unique(values, return_inverse=True)
        digest.update(b"\x1e" + present_values.astype("<f8").tobytes())
        columns.append(dense.reshape(-1).astype(np.int64))
    for column in _sort([*columns, position]):
        digest.update(column.astype("<i8", copy=False).tobytes())
    return digest.hexdigest()


def _number(codes: NDArray[Any], size: int) -> tuple[Numbers, Numbers]:
    """Return the codes that occur, ascending, and the number of each row's among them.

    codes: (n,) codes below a size.
    """
    occurs = np.zeros(size, dtype=np.bool_)
    occurs[codes[: _START * size]] = True  # few codes have mostly all been seen by then
    if not occurs.all():
        occurs[codes] = True
    if occurs.all():
        return np.arange(size), codes
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[codes]


def _distinct(scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], Numbers]:
    """Return the different scores, ascending, and the number of each row's among them."""
    whole = scores.astype(np.int64)
    low = int(whole.min(initial=0))
    if int(whole.max(initial=0)) - low < len(scores) and (whole == scores).all():
        present, position = _number(whole - low, int(whole.max(initial=0)) - low + 1)
        return (present + low).astype(np.float64), position
    present_scores, position = np.unique(scores, return_inverse=True)
    return present_scores, position.reshape(-1)


def _sort(columns: list[Numbers]) -> list[Numbers]:
    """Sort rows by all columns, as one number per row where that fits."""
    widths = [int(column.max(initial=0)).bit_length() for column in columns]
    if sum(widths) <= _BITS:
        key = columns[0].astype(np.int64)
        for column, width in zip(columns[1:], widths[1:], strict=True):
            key <<= width
            key |= column
        key.sort()
        return [np.array(widths), key]
    order = np.lexsort(columns[::-1])
    return [np.array(widths), *(column[order] for column in columns)]
