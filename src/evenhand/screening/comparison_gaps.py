"""What everybody but one judge says of two systems: leave-judge-out worths, without J refits.

Worths are those of Bradley and Terry on decisive votes, task by task, with a ridge:

    λ̂ = argmax Σ log σ(±(λ_left − λ_right)) − ρ/2 Σ λ²

so that they stay finite for systems that never win or were compared by one judge alone: without
that judge such a gap is 0, and the judge's votes on it say nothing of the judge. Leaving judge l
out is one Newton step from λ̂ with the judge's votes taken from score and information,

    λ̂(−l) = λ̂ − (H − X_lᵀ W_l X_l)⁻¹ X_lᵀ r_l,   X_l λ̂(−l) = X_l λ̂ − (I − G W_l)⁻¹ G r_l,

G = X_l H⁻¹ X_lᵀ: the second form where the judge has few different pairs; otherwise the first, by
conjugate gradients preconditioned with H⁻¹, which is near the inverse that is sought.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.newton import Expansion, invert_positive, maximise

Array = NDArray[np.float64]
Integers = NDArray[np.integer]

RIDGE: Final = 0.25
"""ρ, the information of one comparison between equals."""
LARGE: Final = 3000
"""Systems of one task beyond which nothing is left out and no gap is used."""
FEW: Final = 32
"""Different pairs of a judge up to which equations are solved pair by pair."""
STACKED: Final = 200_000
"""Numbers in the equations of judges that are solved at a time."""
ROUNDS: Final = 200
CLOSE: Final = 1e-9
"""Residual beside the first, in the norm of H⁻¹, at which conjugate gradients stop."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Decisive votes of one task, counted by judge and pair of systems.

    Attributes:
        size: number of systems in the task.
        judge: (C,) code of the judge, in ascending order.
        low: (C,) the system that comes first by code, within the task.
        high: (C,) the other.
        n: (C,) votes.
        wins: (C,) votes for `low`.

    """

    size: int
    judge: Integers
    low: Integers
    high: Integers
    n: Array
    wins: Array


@dataclass(frozen=True, eq=False)
class Ballot:
    """One comparison a row, as codes.

    Attributes:
        task: (n,) code of the task.
        judge: (n,) code of the judge.
        left: (n,) code of the system that stood left.
        right: (n,) code of the other.
        won: (n,) whether left was preferred.

    """

    task: Integers
    judge: Integers
    left: Integers
    right: Integers
    won: Array


def leave_out_gaps(ballot: Ballot) -> tuple[Array, int]:
    """Return (n,) how much better left is than right by everybody else's votes (logits).

    The second value counts the systems of tasks that are too large for it; their gaps are 0.

    >>> judge = np.arange(20)
    >>> sides = np.zeros(20, int), np.ones(20, int)
    >>> gaps, _ = leave_out_gaps(Ballot(np.zeros(20, int), judge, *sides, (judge < 14) * 1.0))
    >>> gaps[[0, 19]].round(2).tolist()  # by 13 votes of 19, and by 14 of 19
    [0.75, 0.99]
    """
    gaps, passed_over = np.zeros(len(ballot.won)), 0
    order = np.argsort(ballot.task, kind="stable")
    borders = np.flatnonzero(np.diff(ballot.task[order])) + 1
    for rows in np.split(order, borders):
        cells, cell, sign = _count(ballot, rows)
        if cells.size > LARGE:
            passed_over += cells.size
        else:
            gaps[rows] = sign * _gaps_of_cells(cells)[cell]
    return gaps, passed_over


def _count(ballot: Ballot, rows: NDArray[np.intp]) -> tuple[Cells, NDArray[np.intp], Array]:
    """Return the cells of one task, the cell of each row, and its sign: −1 where left is high."""
    systems, codes = np.unique([ballot.left[rows], ballot.right[rows]], return_inverse=True)
    left, right = codes.reshape(2, -1).astype(np.int64)
    low, high, k = np.minimum(left, right), np.maximum(left, right), len(systems)
    key = (ballot.judge[rows].astype(np.int64) * k + low) * k + high
    keys, cell = np.unique(key, return_inverse=True)
    cell = cell.reshape(-1)
    for_low = np.where(left == low, ballot.won[rows], 1 - ballot.won[rows])
    n = np.bincount(cell, minlength=len(keys)).astype(float)
    wins = np.bincount(cell, for_low, len(keys)).astype(float)
    cells = Cells(k, keys // (k * k), keys // k % k, keys % k, n, wins)
    return cells, cell, np.where(left == low, 1.0, -1.0)


def fit_worths(cells: Cells) -> tuple[Array, Array]:
    """Return (K,) ridge worths and their (K, K) information, the ridge included.

    Raises:
        NotConverged: never, but for numbers that no votes have: the likelihood is concave.

    """
    k = cells.size
    pairs, inverse = np.unique(cells.low * k + cells.high, return_inverse=True)
    low, high = pairs // k, pairs % k
    n, wins = (np.bincount(inverse.reshape(-1), v, len(pairs)) for v in (cells.n, cells.wins))

    def expand(worths: Array) -> Expansion:
        eta = worths[low] - worths[high]
        chance = 1 / (1 + np.exp(-eta))
        value = wins @ eta - n @ np.logaddexp(0, eta) - RIDGE / 2 * worths @ worths
        left, weight = wins - n * chance, n * chance * (1 - chance)
        score = np.bincount(low, left, k) - np.bincount(high, left, k) - RIDGE * worths
        return Expansion(float(value), score, _laplacian(k, low, high, weight) + RIDGE * np.eye(k))

    found = maximise(expand, np.zeros(k))
    return found.at, found.expansion.information


def _laplacian(k: int, low: Integers, high: Integers, weight: Array) -> Array:
    """Return XᵀWX for rows e_low − e_high."""
    across = np.bincount(low * k + high, weight, k * k).reshape(k, k)
    across = across + across.T
    return np.asarray(np.diag(across.sum(axis=1)) - across)


def _gaps_of_cells(cells: Cells) -> Array:
    """Return (C,) λ_low − λ_high without the judge of each cell."""
    worths, information = fit_worths(cells)
    inverse = invert_positive(information)
    eta = worths[cells.low] - worths[cells.high]
    chance = 1 / (1 + np.exp(-eta))
    left, weight = cells.wins - cells.n * chance, cells.n * chance * (1 - chance)
    step = np.empty(len(eta))
    for own in _stack_judges(cells.judge):
        pairs = cells.low[own], cells.high[own]
        if own.shape[1] <= FEW:
            step[own] = _step_by_pairs(inverse, pairs, weight[own], left[own])
            continue
        for one in own:
            pairs = cells.low[one], cells.high[one]
            step[one] = _step_by_systems((information, inverse), pairs, weight[one], left[one])
    return eta - step


def _stack_judges(judge: Integers) -> list[NDArray[np.intp]]:
    """Return (J, c) the rows of some judges with c cells each, whose steps are one computation.

    >>> [own.tolist() for own in _stack_judges(np.array([3, 4, 4, 7]))]
    [[[0], [3]], [[1, 2]]]
    """
    first = np.flatnonzero(np.diff(judge, prepend=-1))
    sizes = np.diff(first, append=len(judge))
    stacks = []
    for size in np.unique(sizes).tolist():
        alike, most = first[sizes == size], max(1, STACKED // size**2)
        starts = range(0, len(alike), most)
        stacks += [alike[at : at + most, None] + np.arange(size) for at in starts]
    return stacks


def _step_by_pairs(
    inverse: Array, pairs: tuple[Integers, Integers], weight: Array, left: Array
) -> Array:
    """Return (J, c) (I − G W)⁻¹ G r of each judge; what is given has these shapes too."""
    low, high = (codes[:, None, :] for codes in pairs)
    with_low, with_high = (codes[:, :, None] for codes in pairs)
    of_low = inverse[low, with_low] - inverse[high, with_low]
    columns = of_low - (inverse[low, with_high] - inverse[high, with_high])
    spread = columns.transpose(0, 2, 1)
    without = np.eye(low.shape[2]) - spread * weight[:, None, :]
    return np.asarray(np.linalg.solve(without, spread @ left[:, :, None])[:, :, 0])


def _step_by_systems(
    both: tuple[Array, Array], pairs: tuple[Integers, Integers], weight: Array, left: Array
) -> Array:
    """Return (c,) X (H − XᵀWX)⁻¹ Xᵀ r.

    Args:
        both: (K, K) H and its inverse.
        pairs: (c,) systems of the judge's pairs.
        weight: (c,) W.
        left: (c,) r.

    """
    (information, inverse), (low, high) = both, pairs
    k = len(information)

    def pull(values: Array) -> Array:
        return np.asarray(np.bincount(low, values, k) - np.bincount(high, values, k))

    residual = pull(left)
    found = np.zeros(k)
    z = inverse @ residual
    direction, norm = z, float(residual @ z)
    done = CLOSE**2 * norm
    for _ in range(ROUNDS):
        if norm <= done:
            return np.asarray(found[low] - found[high])
        image = information @ direction - pull(weight * (direction[low] - direction[high]))
        length = norm / float(direction @ image)
        found += length * direction
        residual = residual - length * image
        z = inverse @ residual
        fresh = float(residual @ z)
        direction, norm = z + (fresh / norm) * direction, fresh
    solved = np.linalg.solve(information - _laplacian(k, low, high, weight), pull(left))
    return np.asarray(solved[low] - solved[high])
