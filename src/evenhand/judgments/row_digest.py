"""A digest of coded rows: the same for the same rows in any order, from one pass.

Each row becomes two 64-bit numbers, and these are summed; to sort ten million rows would take
longer than to fit them. It tells results apart by what was read and keeps nobody from making two
files with one digest on purpose.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.streaming import Batch, CodedRows, slices

Words = NDArray[np.uint64]
# Where the two numbers start: the first digits of π
LANES: Final = (0x243F6A8885A308D3, 0x13198A2E03707344)
_ADDED: Final = np.uint64(0x9E3779B97F4A7C15)
_FACTORS: Final = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFTS: Final = (np.uint64(30), np.uint64(27), np.uint64(31))


def digest_rows(rows: CodedRows) -> str:
    """Return the SHA-256 of systems, sides, outcomes, values and weights of all rows.

    Levels of judges and items are left out, as in the digest of counts.
    """
    weights = rows.weights
    whole = weights is None or not any((part % 1).any() for part in slices(weights))
    sums = [np.uint64(0) for _ in LANES]
    with np.errstate(over="ignore"):
        for batch in rows.batches(fold=False):
            sums = [
                total + _sum_lane(batch, lane, whole=whole)
                for total, lane in zip(sums, LANES, strict=True)
            ]
    digest = sha256("\x1f".join(rows.systems).encode())
    digest.update(np.array(sums, dtype="<u8").tobytes())
    return digest.hexdigest()


def _sum_lane(batch: Batch, lane: int, *, whole: bool) -> np.uint64:
    """Sum one number for each row; whole weights count a row as often as it stands there."""
    state = np.full(len(batch.left), lane, dtype=np.uint64)
    for codes in (batch.left, batch.right, batch.outcome):
        state = spread_bits(state ^ codes.astype(np.uint64))
    for values in batch.values.T:
        state = spread_bits(state ^ _bits(values))
    if whole:
        return np.uint64((state * batch.weights.astype(np.uint64)).sum(dtype=np.uint64))
    return np.uint64(spread_bits(state ^ _bits(batch.weights)).sum(dtype=np.uint64))


def _bits(values: NDArray[np.float64]) -> Words:
    """Return the bits of numbers; of −0 those of 0."""
    return np.ascontiguousarray(values + 0.0).view(np.uint64)


def spread_bits(state: Words) -> Words:
    """Spread every bit over all others (splitmix64; Steele, Lea & Flood 2014, OOPSLA).

    >>> spread_bits(np.zeros(1, np.uint64)).tolist()
    [16294208416658607535]
    """
    state = state + _ADDED
    for shift, factor in zip(_SHIFTS, _FACTORS, strict=False):
        state = (state ^ (state >> shift)) * factor
    return state ^ (state >> _SHIFTS[-1])
