"""Many campaigns of TrueSkill matches at once: one step is the next match of every run.

Within a run each match depends on the last, so that runs are what is done in parallel. Arrays are
(K, R): systems by runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.tally import Tally
from evenhand.scoring.trueskill_update import Skill, draw_margin, play

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
SIGMA: Final = 0.5
DRAWS: Final = 0.25
PACE: Final = 40
"""β is σ times the number of matches over this, in keisks/wmt-trueskill."""
_BLOCK: Final = 256
_BELOW_ONE: Final = 1 - 2.0**-50


@dataclass(frozen=True, eq=False)
class Matches:
    """What can happen in R runs.

    Attributes:
        cell: (K, K) row of `win` and `undefeated` for a first and a second system, −1 if unseen.
        win: (2C, R) chance that the first wins, in that direction.
        undefeated: (2C, R) chance that it does not lose.
        met: (K, K, R) whether a pair was seen in a run, or None where all pairs were in all runs.

    """

    cell: Integers
    win: Array
    undefeated: Array
    met: NDArray[np.bool_] | None

    @classmethod
    def of(cls, pairs: Tally, counts: Array) -> Matches:
        """Turn counts into chances.

        Args:
            pairs: the pairs of systems, each once.
            counts: (R, C, 3) wins, ties and losses of each pair's left system in every run.

        """
        k, c = len(pairs.systems), len(pairs.left)
        seen = counts.sum(axis=2).T
        chances = counts.T / np.where(seen > 0, seen, 1.0)
        both = np.concatenate([chances, chances[::-1]], axis=1)
        cell = np.full((k, k), -1, dtype=np.int64)
        cell[pairs.left, pairs.right] = np.arange(c)
        cell[pairs.right, pairs.left] = np.arange(c, 2 * c)
        met = None
        if c < k * (k - 1) // 2 or (seen == 0).any():
            met = np.zeros((k, k, len(counts)), dtype=np.bool_)
            met[pairs.left, pairs.right] = met[pairs.right, pairs.left] = seen > 0
        return cls(cell, both[0], both[0] + both[1], met)


@dataclass(frozen=True, eq=False)
class _State:
    """Beliefs of all runs, changed match by match.

    Attributes:
        mean: (K, R) μ.
        variance: (R, K) σ², −1 for a system that nobody met: it never plays.
        up: (K, R) exp(μ).
        down: (K, R) exp(−μ).
        room: two (K, R) arrays to work in: new ones would cost more than what is done in them.

    """

    mean: Array
    variance: Array
    up: Array
    down: Array
    room: tuple[Array, Array]

    @classmethod
    def start(cls, matches: Matches) -> _State:
        k, runs = len(matches.cell), matches.win.shape[1]
        variance = np.full((runs, k), SIGMA**2)
        if matches.met is not None:
            variance[~matches.met.any(axis=1).T] = -1.0
        shape = (k, runs)
        return cls(
            np.zeros(shape), variance, np.ones(shape), np.ones(shape),
            (np.empty(shape), np.empty(shape)),
        )  # fmt: skip


def replay(matches: Matches, n: int, rng: np.random.Generator) -> Array:
    """Play n matches in every run, and return (R, K) mean skills.

    Args:
        matches: the outcomes to draw from.
        n: matches per run.
        rng: source of randomness.

    """
    k, size = len(matches.cell), matches.win.shape[1]
    beta = SIGMA * n / PACE
    margin = draw_margin(DRAWS, beta)
    state = _State.start(matches)
    runs, row = np.arange(size), np.arange(size) * k
    mean, variance = state.mean.reshape(-1), state.variance.reshape(-1)
    win, undefeated = matches.win.reshape(-1), matches.undefeated.reshape(-1)
    cells = matches.cell.reshape(-1)
    for done in range(0, n, _BLOCK):
        for partner, luck in rng.random((min(_BLOCK, n - done), 2, size)):
            first = state.variance.argmax(axis=1)
            second = _choose(state, matches, first, partner)
            cell = cells[first * k + second] * size + runs
            outcome = (luck < win[cell]).astype(np.int64) - (luck >= undefeated[cell])
            # one long index into flat arrays is five times as fast as two short ones
            places = [(who * size + runs, row + who) for who in (first, second)]
            one, two = (Skill(mean[at], variance[there]) for at, there in places)
            new = play(one, two, outcome, beta=beta, margin=margin)
            for (at, there), skill in zip(places, new, strict=True):
                mean[at], variance[there] = skill
                state.up.reshape(-1)[at] = grown = np.exp(skill.mean)
                state.down.reshape(-1)[at] = 1 / grown
    return np.ascontiguousarray(state.mean.T)


def _choose(state: _State, matches: Matches, first: Integers, luck: Array) -> Integers:
    """Draw the second system, with P ∝ exp(−|μ_a − μ_b|) among those met."""
    runs = np.arange(len(first))
    at = first * len(first) + runs
    weight, other = state.room
    np.multiply(state.up, state.down.reshape(-1)[at], out=weight)
    np.multiply(state.down, state.up.reshape(-1)[at], out=other)
    np.minimum(weight, other, out=weight)
    weight.reshape(-1)[at] = 0.0
    if matches.met is not None:
        weight *= matches.met[first, :, runs].T
    for row in range(1, len(weight)):
        weight[row] += weight[row - 1]
    passed = weight <= luck * (weight[-1] * _BELOW_ONE)
    return np.asarray(passed.sum(axis=0, dtype=np.int64))
