"""Boards of judgments with known worths, for tests of what is asked next."""

from dataclasses import replace

import numpy as np

from evenhand.data.tally import Tally
from evenhand.design.policy import read_state


def simulate(worths, n, seed, tie=0.0):
    """A tally of n judgments of random pairs, one entry per judgment."""
    rng = np.random.default_rng(seed)
    worths = np.asarray(worths, dtype=float)
    low, high = np.triu_indices(len(worths), 1)
    pair = rng.integers(len(low), size=n)
    one, other = low[pair], high[pair]
    gap = worths[one] - worths[other]
    chances = np.stack([np.exp(gap / 2), np.full(n, tie), np.exp(-gap / 2)])
    chances /= chances.sum(axis=0)
    outcome = (rng.random(n) > chances.cumsum(axis=0)).sum(axis=0)
    names = tuple(f"s{i:02d}" for i in range(len(worths)))
    counts = np.eye(3)[:, outcome]
    return Tally(names, one.astype(np.int32), other.astype(np.int32), *counts, n_judgments=float(n))


def state(worths=(1, 0.5, 0, -0.5, -1), n=200, seed=1, tie=0.0):
    """A state after such judgments."""
    return read_state(simulate(worths, n, seed, tie))


def wait_for(board, pairs):
    """The state with some pairs more handed out, by their numbers."""
    return replace(board, waiting=board.waiting + np.bincount(pairs, minlength=len(board.waiting)))
