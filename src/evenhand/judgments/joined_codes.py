"""Several codes of an entry become one number, by which entries are put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

_LARGEST: Final = 2**62


def join_codes(digits: Sequence[tuple[NDArray[np.int32], int]]) -> NDArray[np.int64]:
    """Return one number per entry for several codes, ordered as they are, the first foremost.

    digits: codes of each entry, 0 to size − 1, and their size. >>> join_codes([(np.array([0, 1],
        np.int32), 2), (np.array([2, 0], np.int32), 3)]).tolist() [2, 3]
    """
    key, span = digits[0][0].astype(np.int64), digits[0][1]
    for codes, size in digits[1:]:
        if span * size > _LARGEST:  # would not fit: number the combinations seen so far
            _, key = np.unique(key, return_inverse=True)
            span = len(key)
        key *= size
        key += codes
        span *= size
    return key


def first_of_each(key: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first position of each different key, in key order, and each entry's group.

    The two are one array where every key is alone and in its place.
    """
    if (key[1:] > key[:-1]).all():
        alone = np.arange(len(key))
        return alone, alone
    span = int(key.max()) + 1
    if span > 4 * len(key):
        _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
        return first, inverse
    seen = np.zeros(span, dtype=np.bool_)  # keys that fill their range need no sorting
    seen[key] = True
    inverse = (np.cumsum(seen) - 1).take(key)
    first = np.empty(int(np.count_nonzero(seen)), dtype=np.int64)
    first[inverse[::-1]] = np.arange(len(key) - 1, -1, -1)
    return first, inverse
