"""Classical tests of one pair of systems by their mean scores of items, for many pairs at once.

Of each item that both systems have, d is the difference of their mean scores, n items in all:

t             √n d̄ / sd(d)                                       ~ t on n − 1 df
signed ranks  Σ sign(d) r, r the rank of |d|; d = 0 is dropped   exact up to 50, else normal
sign flips    Σ d against Σ ±d, every sign as likely             exact up to 16, else drawn
rank sum      U = #(x > y) + ½ #(x = y) of all items, unpaired   exact up to 20, else normal

What each assumes, and when not to use them: docs/significance.md. Exact distributions are those of
the ranks as they are, ties and all. Sources: Phipson & Smyth (2010), Statistical Applications in
Genetics and Molecular Biology 9:39; Robinson (1982), Journal of the Royal Statistical Society B
44:91-101, on saddlepoints of permutation tests (Lugannani and Rice's formula).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import NDArray

from evenhand.numerics import Array
from evenhand.numerics.cluster_means import average_ranks

MAX_RANKS_EXACT: Final = 50  # Differences other than 0 up to which signed ranks are exact
MAX_SUM_EXACT: Final = 20  # Means of two systems together up to which their rank sum is exact
MAX_FLIPS_EXACT: Final = 16  # Differences other than 0 of which every flip is looked at
NO_SPREAD: Final = 1e-12  # Spread, beside the squares, that is rounding
ROUNDING: Final = 1e-9  # Of a sum of flipped differences, beside the sum of their sizes
CENTRE: Final = 0.05  # Standard deviations from 0 up to which a saddlepoint loses digits
MAX_STEPS: Final = 60  # Of Newton's method, which nears a saddlepoint from one side
MAX_CELLS: Final = 2**21  # Numbers that are held at once


def t_tests(d: Array, n: Array, *, one_sided: bool) -> Array:
    """Return (P,) p-values of (P, I) differences, 0 beyond the (P,) numbers of items.

    NaN where there are fewer than two items, or all differ alike.
    """
    from scipy.special import stdtr

    with np.errstate(divide="ignore", invalid="ignore"):
        total, square = d.sum(axis=1), (d**2).sum(axis=1)
        spread = square - total**2 / n
        t = total / np.sqrt(spread * n / (n - 1))
        p = stdtr(n - 1, -t) if one_sided else 2 * stdtr(n - 1, -np.abs(t))
    return np.where((n > 1) & (spread > NO_SPREAD * square), p, np.nan)


def signed_rank_tests(d: Array, *, one_sided: bool) -> Array:
    """Return (P,) p-values of (P, I) differences, of which those of 0 are dropped; 1 of none."""
    from scipy.special import ndtr

    ranks = average_ranks(np.where(d == 0, np.inf, np.abs(d)))
    ranks[d == 0] = 0
    total, square = (np.sign(d) * ranks).sum(axis=1), (ranks**2).sum(axis=1)
    z = total / np.sqrt(np.where(square > 0, square, 1.0))
    p = ndtr(-z) if one_sided else 2 * ndtr(-np.abs(z))
    size = (d != 0).sum(axis=1)
    for at in np.flatnonzero(size <= MAX_RANKS_EXACT).tolist():
        # chance of each sum of the doubled ranks, whole numbers, of the positive differences
        doubled = np.rint(2 * ranks[at][ranks[at] > 0]).astype(np.int64)
        chance = np.zeros(int(doubled.sum()) + 1)
        chance[0] = 1.0
        for step in doubled.tolist():
            chance[step:] = (chance[step:] + chance[: len(chance) - step]) / 2
            chance[:step] /= 2
        above = round(total[at] + doubled.sum() / 2)  # the sum of the positive, doubled
        p[at] = _tail(chance[above:].sum(), chance[: above + 1].sum(), one_sided=one_sided)
    return np.asarray(np.where(size > 0, p, 1.0))


def _tail(upper: float, lower: float, *, one_sided: bool) -> float:
    return float(min(upper if one_sided else 2 * min(upper, lower), 1.0))


def flip_tests(d: Array, *, draws: int | None, seed: int, one_sided: bool) -> Array:
    """Return (P,) p-values of (P, I) differences, whose signs flip for all pairs at once.

    draws: how many flips are drawn where there are too many; None for the saddlepoint.
    """
    total, scale = d.sum(axis=1), ROUNDING * np.abs(d).sum(axis=1)
    size = (d != 0).sum(axis=1)
    p = np.ones(len(d))
    for at in np.flatnonzero(size <= MAX_FLIPS_EXACT).tolist():
        sums = np.zeros(1)
        for one in d[at][d[at] != 0].tolist():
            sums = np.concatenate([sums + one, sums - one])
        p[at] = _count_beyond(sums, total[at], scale[at], one_sided=one_sided) / len(sums)
    many = np.flatnonzero(size > MAX_FLIPS_EXACT)
    if draws is None or not len(many):
        p[many] = _approximate_flips(d[many], one_sided=one_sided)
        return p
    d, rng, items = np.ascontiguousarray(d[many].T), Generator(PCG64(seed)), d.shape[1]
    beyond, step = np.zeros(len(many)), max(1, MAX_CELLS // max(items, len(many)))
    for start in range(0, draws, step):
        rows = min(step, draws - start)
        bits = np.frombuffer(rng.bytes(rows * -(-items // 8)), dtype=np.uint8)
        signs = np.unpackbits(bits.reshape(rows, -1), axis=1, count=items)
        sums = 2 * (signs.astype(np.float64) @ d) - total[many]
        beyond += _count_beyond(sums, total[many], scale[many], one_sided=one_sided)
    p[many] = (1 + beyond) / (draws + 1)
    return p


def _count_beyond(sums: Array, total: Array, scale: Array, *, one_sided: bool) -> Array:
    """Return how many sums, along the first axis, are at least as far out as the total."""
    if one_sided:
        return np.asarray((sums >= total - scale).sum(axis=0))
    return np.asarray((np.abs(sums) >= np.abs(total) - scale).sum(axis=0))


def _approximate_flips(d: Array, *, one_sided: bool) -> Array:
    """Return (P,) tails of Σ ±d: w = √(2(ts − K)), u = t√K″ where K = Σ log cosh(td), K′(t) = s."""
    from scipy.special import ndtr

    size, total = np.abs(d), d.sum(axis=1)
    s, scale = np.abs(total), np.sqrt((d**2).sum(axis=1))
    alike = s >= size.sum(axis=1) * (1 - ROUNDING)  # all of one sign: no saddlepoint
    t = np.where(alike, 0.0, s / scale**2)
    for _ in range(MAX_STEPS):
        slope = np.tanh(t[:, None] * size)
        bend = (size**2 * (1 - slope**2)).sum(axis=1)
        step = np.where(alike, 0.0, (s - (size * slope).sum(axis=1)) / bend)
        t += step
        if (np.abs(step) <= ROUNDING * t).all():
            break
    bent = t[:, None] * size
    k = (bent + np.log1p(np.exp(-2 * bent)) - np.log(2)).sum(axis=1)
    w, u = np.sqrt(2 * np.maximum(t * s - k, 0.0)), t * np.sqrt(bend)
    with np.errstate(divide="ignore", invalid="ignore"):
        tail = ndtr(-w) + np.exp(-(w**2) / 2) / np.sqrt(2 * np.pi) * (1 / u - 1 / w)
    tail = np.where(s < CENTRE * scale, ndtr(-s / scale), tail)
    tail = np.where(alike, 0.5 ** (d != 0).sum(axis=1), tail)
    if one_sided:
        return np.asarray(np.where(total < 0, 1 - tail, tail))
    return np.asarray(np.minimum(2 * tail, 1.0))


def rank_sum_tests(system: NDArray[np.integer], value: Array, k: int, *, one_sided: bool) -> Array:
    """Return (k, k) p-values of values of k systems, one-sided: is the row's system higher?

    NaN where a system has no value.
    """
    from scipy.special import ndtr

    n = np.bincount(system, minlength=k).astype(np.float64)
    higher, tied = _compare_all(system, value, k)
    both = n[:, None] + n
    with np.errstate(divide="ignore", invalid="ignore"):
        # Σ (t³ − t) over the values t times held by the two systems
        shrunk = 1 + both - tied / (both * (both - 1))
        spread = np.sqrt(np.maximum(n[:, None] * n / 12 * shrunk, 0.0))
        lead = higher - n[:, None] * n / 2
        lead = lead - 0.5 if one_sided else np.abs(lead) - 0.5
        z = np.where(spread > 0, lead / spread, -np.inf)
    p = np.minimum(ndtr(-z) if one_sided else 2 * ndtr(-z), 1.0)
    small = (both <= MAX_SUM_EXACT) & (n > 0) & (n[:, None] > 0)
    for one, other in np.argwhere(small).tolist():
        # over all ways to divide the values that there are
        own, others = value[system == one], value[system == other]
        ranks = average_ranks(np.concatenate([own, others])[None])[0]
        doubled = np.rint(2 * ranks).astype(np.int64)
        ways = np.zeros((len(own) + 1, int(doubled.sum()) + 1))
        ways[0, 0] = 1.0
        for step in doubled.tolist():
            ways[1:, step:] += ways[:-1, : ways.shape[1] - step].copy()
        rank_sum, chance = int(doubled[: len(own)].sum()), ways[-1] / ways[-1].sum()
        ends = chance[rank_sum:].sum(), chance[: rank_sum + 1].sum()
        p[one, other] = _tail(*ends, one_sided=one_sided)
    return np.where((n > 0) & (n[:, None] > 0), p, np.nan)


def _compare_all(system: NDArray[np.integer], value: Array, k: int) -> tuple[Array, Array]:
    """Return (k, k) #(row's > column's) + ½ #(equal), and Σ (t³ − t) of the ties of the two."""
    codes = np.unique(value, return_inverse=True)[1].reshape(-1)
    order = np.argsort(codes, kind="stable")
    system, codes = system[order].astype(np.int64), codes[order]
    higher, tied = np.zeros((2, k, k))
    below, width = np.zeros(k), max(1, MAX_CELLS // (8 * k))
    for start in range(0, int(codes[-1]) + 1, width):  # values from the lowest, so many at once
        first, last = np.searchsorted(codes, [start, start + width])
        cell = system[first:last] * width + codes[first:last] - start
        count = np.bincount(cell, minlength=k * width).reshape(k, width).astype(np.float64)
        higher += count @ (below[:, None] + np.cumsum(count, axis=1) - count / 2).T
        mixed = 3 * (count**2 @ count.T)
        alone = (count**3 - count).sum(axis=1)
        tied += mixed + mixed.T + alone[:, None] + alone
        below += count.sum(axis=1)
    return higher, tied
