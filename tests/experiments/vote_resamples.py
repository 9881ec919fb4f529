"""The percentile bootstrap of ranks by single votes, all resamples fitted at once.

A rival of the rank sets: 300 multinomial resamples of the table of pairs, Bradley-Terry fitted to
each, the .025 and .975 quantiles of each system's rank (floor and ceiling).
"""

import numpy as np

from evenhand.data.tally import Tally

RESAMPLES = 300
STEPS = 6


def resample_ranks(
    tally: Tally, pooled: Tally, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Rank quantiles of every system.

    Args:
        tally: the campaign, for the number of its votes.
        pooled: wins and losses of every pair.
        rng: source of randomness.

    """
    k = len(pooled.systems)
    n = round(float(tally.wins.sum() + tally.losses.sum()))
    cells = np.concatenate([pooled.wins, pooled.losses])
    drawn = rng.multinomial(n, cells / cells.sum(), RESAMPLES).astype(float)
    wins, losses = drawn[:, : len(pooled.wins)], drawn[:, len(pooled.wins) :]
    worth = fit_all(pooled.left, pooled.right, wins, losses, k)
    order = np.argsort(np.argsort(-worth, axis=1, kind="stable"), axis=1) + 1
    low, high = np.quantile(order, [0.025, 0.975], axis=0)
    return np.floor(low), np.ceil(high)


def fit_all(
    left: np.ndarray, right: np.ndarray, wins: np.ndarray, losses: np.ndarray, k: int
) -> np.ndarray:
    """(B, K) log-worths of many tables of the same pairs, by Newton's method."""
    design = np.zeros((len(left), k))
    design[np.arange(len(left)), left] = 1
    design[np.arange(len(left)), right] -= 1
    outer = (design[:, :, None] * design[:, None]).reshape(len(left), -1)
    worth, total = np.zeros((len(wins), k)), wins + losses
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-(worth @ design.T)))
        score = (wins - total * chance) @ design
        information = (total * chance * (1 - chance)) @ outer
        whole = information.reshape(-1, k, k) + 1 / k
        worth += np.linalg.solve(whole, score[:, :, None])[:, :, 0]
    return worth
