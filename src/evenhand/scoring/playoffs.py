"""Monte Carlo playoffs: how often a system wins a knockout tournament played with judgments.

    the systems are put into a bracket at random, byes where they are no power of two,
    P(i beats j) = wins_ij / (wins_ij + wins_ji), ½ for a pair never decided,
    score = share of tournaments won.

Our reading of the playoffs in Chris Callison-Burch et al. (2012), "Findings of the 2012 Workshop
on Statistical Machine Translation": one drawn judgment decides a match, a drawn tie is drawn
again, and systems are ordered by tournaments won.

When not to use it: to order the lower half. Winning several matches in a row magnifies differences
at the top and hides them at the bottom, where scores are near zero. Only the winner of a match goes
on, so that a pair counts the more the better both are.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import UnknownOption, listing
from evenhand.judgments.coding import SEED
from evenhand.judgments.model import Scores
from evenhand.judgments.tally import Tally
from evenhand.scoring.linked import count_wins, require_linked

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
TOURNAMENTS: Final = 100_000
_AT_ONCE: Final = 10_000


def score_playoffs(tally: Tally, *, seed: int = SEED, tournaments: int = TOURNAMENTS) -> Scores:
    """Score by the share of simulated knockout tournaments that a system wins.

    Args:
        tally: the comparisons; ties decide nothing.
        seed: of brackets and matches.
        tournaments: how many are played.

    Returns:
        Shares of tournaments won, and their standard errors from the number of tournaments: they
        say how far the simulation wanders, not how sure the judgments are.

    Raises:
        NotIdentified: there are no comparisons, or some systems were never compared with others.
        UnknownOption: fewer than one tournament.

    """
    if tournaments < 1:
        raise UnknownOption(f"tournaments cannot be {tournaments}: it is a whole number from 1")
    require_linked(tally)
    chance, undecided = beat_chances(tally)
    share = play_tournaments(chance, tournaments, np.random.Generator(np.random.PCG64(seed)))
    k = len(tally.systems)
    note = f"{undecided:,} of {k * (k - 1) // 2:,} pairs were never decided: a coin decides them"
    never = (
        f"{int((share == 0).sum())} systems won none of {tournaments:,} tournaments: they share the"
        " last place"
    )
    return Scores(
        rule="playoffs",
        systems=tally.systems,
        values=share,
        unit="proportion",
        stderr=np.sqrt(share * (1 - share) / tournaments),
        settings=(f"seed={seed}", f"tournaments={tournaments}"),
        notes=(
            *[note] * (undecided > 0),
            *[never] * bool((share == 0).sum() > 1),
            *_say_luck(tally.systems, share, tournaments),
        ),
    )


def _say_luck(systems: tuple[str, ...], share: Array, tournaments: int) -> tuple[str, ...]:
    """Say which neighbours the simulation cannot tell apart.

    Shares of the same tournaments: var(p - q) = (p + q - (p - q)^2) / tournaments.
    """
    order = np.argsort(-share, kind="stable")
    upper, lower = share[order[:-1]], share[order[1:]]
    gap = upper - lower
    close = (upper > 0) & (gap <= 2 * np.sqrt((upper + lower - gap**2) / tournaments))
    pairs = [f"{systems[order[i]]} and {systems[order[i + 1]]}" for i in np.flatnonzero(close)]
    if not pairs:
        return ()
    return (
        f"within two standard errors of the simulation, so that another seed may turn them round:"
        f" {listing(pairs)}",
    )


def beat_chances(tally: Tally) -> tuple[Array, int]:
    """Return (K, K) chances that the row's system beats the column's, and pairs never decided."""
    won = count_wins(tally)
    decided = won + won.T
    chance = np.where(decided > 0, won, 0.5) / np.where(decided > 0, decided, 1.0)
    return chance, int((decided[np.triu_indices(len(won), 1)] == 0).sum())


def play_tournaments(chance: Array, tournaments: int, rng: np.random.Generator) -> Array:
    """Return (K,) shares of tournaments won.

    Args:
        chance: (K, K) chance that the row's system beats the column's.
        tournaments: how many are played.
        rng: source of randomness.

    >>> sure = np.array([[0.5, 1.0, 1.0], [0.0, 0.5, 1.0], [0.0, 0.0, 0.5]])
    >>> play_tournaments(sure, 10, np.random.Generator(np.random.PCG64(1))).tolist()
    [1.0, 0.0, 0.0]
    """
    won = np.zeros(len(chance), dtype=np.int64)
    for done in range(0, tournaments, _AT_ONCE):
        field = _draw_brackets(len(chance), min(_AT_ONCE, tournaments - done), rng)
        while field.shape[1] > 1:
            field = _play_round(chance, field, rng)
        won += np.bincount(field[:, 0], minlength=len(chance))
    return won / tournaments


def _draw_brackets(k: int, tournaments: int, rng: np.random.Generator) -> Integers:
    """Systems in random order; −1 is a bye, at most one in a match of the first round."""
    places = 1 << (k - 1).bit_length()
    order = rng.permuted(np.tile(np.arange(k), (tournaments, 1)), axis=1)
    field = np.full((tournaments, places), -1, dtype=np.int64)
    field[:, 0::2] = order[:, : places // 2]
    field[:, 1 : 2 * (k - places // 2) : 2] = order[:, places // 2 :]
    return field


def _play_round(chance: Array, field: Integers, rng: np.random.Generator) -> Integers:
    first, second = field[:, 0::2], field[:, 1::2]
    wins = rng.random(first.shape) < chance[first, second]
    return np.where(wins | (second < 0), first, second)
