"""The digest of a tally: the same for the same judgments on any engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from evenhand.judgments.tally import Tally

BLOCK: Final = 20_000  # Entries that are read at a time: they stay in the cache
_KINDS: Final = {"<u1": 2**8, "<u2": 2**16, "<u4": 2**32}


def digest_entries(pooled: Tally, names: Sequence[str]) -> str:
    """Return the SHA-256 of counts that are pooled by some factors.

    Entries by factors may be millions, so that their numbers go in as few bytes as hold them all;
    without factors codes take four bytes and counts eight.
    """
    factors = [pooled.factors[name] for name in names]
    digest = sha256("\x1f".join(pooled.systems).encode())
    for factor in factors:
        digest.update("\x1f".join(["", *factor.labels]).encode())
    sizes = [*(factor.size for factor in factors), len(pooled.systems), len(pooled.systems)]
    codes = [*(factor.codes for factor in factors), pooled.left, pooled.right]
    for one, size in zip(codes, sizes, strict=True):
        kind = _narrowest(size) if names else "<i4"
        digest.update(np.ascontiguousarray(one, dtype=kind).data)
    for counts in _read_counts(pooled, narrow=bool(names)):
        digest.update(counts.data)
    return digest.hexdigest()


def _read_counts(pooled: Tally, *, narrow: bool) -> Iterator[NDArray[Any]]:
    """Go through the (entries, 3) counts, some at a time.

    Where some are no whole numbers, all are rounded to 30 bits: sums differ by their order in the
    rest.
    """
    columns = pooled.wins, pooled.ties, pooled.losses
    blocks = [slice(at, at + BLOCK) for at in range(0, len(pooled.wins), BLOCK)]
    whole = all((one[block] == np.floor(one[block])).all() for one in columns for block in blocks)
    most = max(float(one.max(initial=0)) for one in columns)
    kind = _narrowest(most + 1) if narrow and whole else "<f8"
    for block in blocks:
        some = np.stack([one[block] for one in columns], axis=1)
        if not whole:
            part, power = np.frexp(some)
            some = np.ldexp(np.round(part * 2**30) / 2**30, power)
        yield some.astype(kind)


def _narrowest(size: float) -> str:
    """Return the narrowest type for whole numbers below a size; a double beyond four bytes.

    >>> _narrowest(256), _narrowest(257), _narrowest(65_537), _narrowest(2**32 + 1)
    ('<u1', '<u2', '<u4', '<f8')
    """
    return next((kind for kind, limit in _KINDS.items() if size <= limit), "<f8")
