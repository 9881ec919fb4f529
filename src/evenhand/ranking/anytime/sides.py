"""Did lot decide who stood on which side? A preference for one side else counts as worth.

Of n votes in which a system, or one of a pair, took part it stood first in L. Where each side is
drawn by lot, whatever was answered before,

    E = ∫_0^1 p^L (1 − p)^(n − L) dπ(p) / 2^{−n} = B(5 + L, 5 + n − L) 2^n / B(5, 5),

π being Beta(5, 5), is a martingale that begins at 1 (Robbins 1970, as in `direct`). All systems and
all pairs share one chance in twenty that any of them is ever named without cause, however often one
looks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log, pi
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import listing
from evenhand.ranking.anytime.direct import PRIOR

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Pair = tuple[int, int]
Seen = tuple[Integers, Integers, Array]
"""Codes of what stood first and of the other, and in how many votes."""

STEPS: Final = 5
HALF_LOG_2PI: Final = log(2 * pi) / 2
ALPHA: Final = 0.05
"""The chance that sides drawn by lot are ever said not to be."""


def log_one_sided(first: Array, second: Array) -> Array:
    """Return log E (nats) of standing first so often and second so often.

    >>> log_one_sided(np.array([0.0, 30.0]), np.array([0.0, 0.0])).round(2).tolist()
    [0.0, 12.37]
    """
    mixed = _log_beta(PRIOR + first, PRIOR + second) - _log_beta(PRIOR, PRIOR)
    return np.asarray(mixed + (first + second) * np.log(2))


def note_sides(
    systems: Sequence[str], shown: Mapping[Pair, Sequence[int]] | Seen
) -> tuple[str, ...]:
    """Say who stood on one side more often than lot explains, and what comes of it.

    Args:
        systems: names by code.
        shown: codes of the system that stood first and of the other → votes of each outcome; or
            arrays of these codes and of votes.

    """
    seen, enough = _take(shown), _find_limit(len(systems))
    said = _name_systems(systems, seen, enough) or _name_pairs(systems, seen, enough)
    if not said:
        return ()
    return (
        f"sides were not drawn by lot: {said}; a preference for what stands first then counts as"
        " worth, and more votes do not mend it",
    )


def find_largest_share(k: int, shown: Mapping[Pair, Sequence[int]] | Seen) -> float:
    """Return the largest share on one side that lot does not explain, of systems and pairs.

    Args:
        k: number of systems.
        shown: as for `note_sides`.

    Returns:
        A proportion of at least one half, which is that of nobody where lot explains all.

    >>> find_largest_share(2, {(0, 1): (30, 0, 30), (1, 0): (10, 0, 10)})
    0.75
    """
    seen, enough = _take(shown), _find_limit(k)
    largest = 0.5
    for stood, other in (count_systems(k, seen), count_pairs(k, seen)[1:]):
        for i in _find_sure(stood, other, enough):
            largest = max(largest, float(max(stood[i], other[i]) / (stood[i] + other[i])))
    return largest


def _take(shown: Mapping[Pair, Sequence[int]] | Seen) -> Seen:
    """Return who stood first, who second, and in how many votes."""
    if isinstance(shown, tuple):
        return shown
    left, right = np.array([*shown], dtype=np.int64).reshape(-1, 2).T
    return left, right, np.array([sum(counts) for counts in shown.values()], dtype=np.float64)


def _find_limit(k: int) -> float:
    """Return the evidence (nats) beyond which one of all systems and pairs is named."""
    return log(k + k * (k - 1) // 2) - log(ALPHA) if k > 1 else np.inf


def count_systems(k: int, seen: Seen) -> tuple[Array, Array]:
    """Return in how many votes each of k systems stood first, and in how many second.

    Args:
        k: number of systems.
        seen: who stood first, who second, and in how many votes.

    Returns:
        Two arrays (K,).

    """
    left, right, votes = seen
    stood = np.bincount(left, votes, minlength=k).astype(np.float64)
    return stood, np.bincount(right, votes, minlength=k).astype(np.float64)


def count_pairs(k: int, seen: Seen) -> tuple[Integers, Array, Array]:
    """Return each pair's key, and in how many votes the lower code stood first and second.

    Args:
        k: number of systems.
        seen: who stood first, who second, and in how many votes.

    Returns:
        Three arrays (P,) of the pairs that met; a key is k · lower code + higher code.

    """
    left, right, votes = seen
    keys, pair = np.unique(
        np.minimum(left, right) * k + np.maximum(left, right), return_inverse=True
    )
    stood = np.bincount(pair, votes * (left < right), minlength=len(keys)).astype(np.float64)
    other = np.bincount(pair, votes * (left > right), minlength=len(keys)).astype(np.float64)
    return keys, stood, other


def _name_systems(systems: Sequence[str], seen: Seen, enough: float) -> str:
    """Say which systems stood on one side too often, the surest first."""
    stood, not_ = count_systems(len(systems), seen)
    parts = [
        f"{systems[i]} stood first in {_share(stood[i], not_[i])}"
        for i in _find_sure(stood, not_, enough)
    ]
    return listing(parts, 2)


def _name_pairs(systems: Sequence[str], seen: Seen, enough: float) -> str:
    """Say of which pairs one stood first too often, the surest first."""
    keys, stood, not_ = count_pairs(len(systems), seen)
    low, high = np.divmod(keys, len(systems))
    parts = [
        f"{systems[low[i]]} stood before {systems[high[i]]} in {_share(stood[i], not_[i])}"
        for i in _find_sure(stood, not_, enough)
    ]
    return listing(parts, 2)


def _find_sure(first: Array, second: Array, enough: float) -> list[int]:
    """Return the places of what stood on one side too often, the surest first."""
    able = np.flatnonzero((first + second) * log(2) >= enough)  # E is 2^n at most
    sure = log_one_sided(first[able], second[able])
    order = np.argsort(-sure, kind="stable")
    return able[order[: int((sure >= enough).sum())]].tolist()  # type: ignore[no-any-return]


def _log_beta(a: Array | float, b: Array | float) -> Array:
    """Return log B(a, b)."""
    return np.asarray(_log_gamma(a) + _log_gamma(b) - _log_gamma(np.add(a, b)))


def _log_gamma(values: Array | float) -> Array:
    """Return ln Γ of numbers of at least 5: Stirling's series, five steps further up."""
    x = np.asarray(values, dtype=np.float64)
    steps = np.log(x * (x + 1) * (x + 2)) + np.log((x + 3) * (x + 4))
    z = x + STEPS
    inverse = 1 / (z * z)
    far = 1 / 1260 - inverse * (1 / 1680 - inverse / 1188)
    series = (1 / 12 - inverse * (1 / 360 - inverse * far)) / z
    return np.asarray((z - 0.5) * np.log(z) - z + HALF_LOG_2PI + series - steps)


def _share(stood: float, other: float) -> str:
    return f"{stood:,.0f} of {stood + other:,.0f} votes"
