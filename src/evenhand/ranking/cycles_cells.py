"""The noise that judges and items share: residuals of each judge on each item.

Where judges and items both cluster, the variance of a residual is V_J + V_I − V_JI with V_JI over
cells of a judge and an item: what both ways count is taken out once (INFERENCE A6, B3). Cells can
be many, so that no table of cells by pairs is made.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.joined_codes import join_codes
from evenhand.judgments.tally import Tally
from evenhand.ranking.cycles_residuals import PairResiduals, place_votes

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Spread:
    """How far residuals of clusters spread, summed over clusters.

    Attributes:
        across: (P,) Σ_g (P r_g)², what worths cannot follow, for each pair.
        along: Σ_g Σ w (x H⁻¹ Xᵀ r_g)², what they follow, on the scale of T.

    """

    across: Array
    along: float


def measure_clusters(whole: PairResiduals, rows: Array) -> Spread:
    """Return the spread over judges, or over items.

    Args:
        whole: residuals of all judgments.
        rows: (G, P) residuals of each cluster; rows of zeros do not count.

    """
    rows = rows[np.abs(rows).sum(axis=1) > 0]
    left, moved = whole.project(rows), whole.follow(rows)
    worths = np.pad(moved[:, : len(whole.systems) - 1], ((0, 0), (0, 1)))
    followed = _square_gaps(whole, worths.T @ worths) @ whole.weight
    scale = correct(len(rows))
    return Spread(scale * (left**2).sum(axis=0), scale * float(followed))


def _square_gaps(whole: PairResiduals, both: Array) -> Array:
    """Return (P,) Σ (a − b)² of the systems of each pair, from (K, K) sums of products."""
    ends = both[whole.first, whole.first] + both[whole.second, whole.second]
    return np.asarray(ends - 2 * both[whole.first, whole.second])


def measure_cells(whole: PairResiduals, tally: Tally, names: tuple[str, str]) -> Spread:
    """Return the spread over cells, such as those of a judge and an item.

    Args:
        whole: residuals of all judgments.
        tally: the same, told apart by both.
        names: the two factors.

    """
    cell, pair, residual, sides = _split(whole, tally, names)
    cells, size = len(sides), len(whole.systems)
    flat = np.zeros(cells * size)
    for sign, side in ((1.0, whole.first), (-1.0, whole.second)):
        flat += sign * np.bincount(cell * size + side[pair], residual, minlength=len(flat))
    scores = flat.reshape(cells, size)[:, :-1]
    scores = np.column_stack([scores, sides]) if whole.sided else scores
    moved = np.linalg.solve(whole.information, scores.T).T
    worths = np.zeros((cells, size))
    worths[:, :-1] = moved[:, : size - 1]
    order = moved[:, size - 1] if whole.sided else np.zeros(cells)
    apart = worths[cell, whole.first[pair]] - worths[cell, whole.second[pair]]
    followed = whole.weight[pair] * apart + whole.lean[pair] * order[cell]
    gaps, turn = _square_gaps(whole, worths.T @ worths), order @ worths
    squares = whole.weight**2 * gaps + whole.lean**2 * (order @ order)
    squares += 2 * whole.weight * whole.lean * (turn[whole.first] - turn[whole.second])
    scale = correct(cells)
    across = np.bincount(pair, residual * (residual - 2 * followed), minlength=len(squares))
    return Spread(scale * (across + squares), scale * float(gaps @ whole.weight))


def _split(
    whole: PairResiduals, tally: Tally, names: tuple[str, str]
) -> tuple[Integers, Integers, Array, Array]:
    """Return cell, pair and residual wherever a cell has decisive votes on a pair.

    Behind them, (cells,) scores of the order effect.
    """
    rows, at, residual, side = place_votes(whole, tally)
    factors = [tally.factor(name) for name in names]
    joined = join_codes([(factor.codes[rows], factor.size) for factor in factors])
    _, cell = np.unique(joined, return_inverse=True)
    sides = np.asarray(np.bincount(cell, side * residual), dtype=np.float64)
    keys, inverse = np.unique(cell * len(whole.first) + at, return_inverse=True)
    cell, pair = np.divmod(keys, len(whole.first))
    return cell, pair, np.asarray(np.bincount(inverse, residual), dtype=np.float64), sides


def correct(clusters: int) -> float:
    """Return G / (G − 1), by which a spread over G clusters is too small.

    >>> correct(5)
    1.25
    """
    return clusters / max(clusters - 1, 1)
