"""The sampler in the form of the paper: one variable at a time, in plain Python.

Abilities, qualities of outputs and what a judge perceives of each of the two outputs are drawn in
turn, each given all others. Nothing is vectorised and nothing is drawn jointly.
"""

import random
from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from benchmarks.peers import Answer
from benchmarks.peers.irt_draws import (
    ABILITY_SD,
    BURN_IN,
    CHAINS,
    ITEM_SD,
    NOISE_SD,
    RADIUS,
    SWEEPS,
    Draws,
    look_at,
    outputs,
)

NORMAL = NormalDist()
Lists = list[list[int]]


def default(path: str) -> Callable[[], Answer]:
    """The chains of the bench."""
    return look_at(run(path, CHAINS, SWEEPS, BURN_IN))


def run(path: str, chains: int, sweeps: int, burn_in: int) -> Draws:
    """Fit a file."""
    systems, author, pairs, outcome = outputs(path)
    state = len(systems), author.tolist(), pairs.tolist(), outcome.tolist()
    drawn = [walk(state, random.Random(seed), sweeps) for seed in range(chains)]
    return systems, np.array(drawn)[:, burn_in:]


def walk(
    state: tuple[int, list[int], Lists, list[int]], rng: random.Random, sweeps: int
) -> list[list[float]]:
    """One chain: the abilities after every sweep."""
    k, author, pairs, outcome = state
    qualities = [0.0] * len(author)
    seen = [[0.3 * sign, -0.3 * sign] for sign in outcome]
    of_output: Lists = [[] for _ in author]
    for row, pair in enumerate(pairs):
        for side, output in enumerate(pair):
            of_output[output].append(2 * row + side)
    of_system: Lists = [[i for i, own in enumerate(author) if own == s] for s in range(k)]
    kept = []
    for _ in range(sweeps):
        abilities = [
            gauss(rng, sum(qualities[i] for i in own), len(own), (ITEM_SD, ABILITY_SD, 0.0))
            for own in of_system
        ]
        for output, own in enumerate(of_output):
            total = sum(seen[at // 2][at % 2] for at in own)
            prior = NOISE_SD, ITEM_SD, abilities[author[output]]
            qualities[output] = gauss(rng, total, len(own), prior)
        for both, (left, right), sign in zip(seen, pairs, outcome, strict=True):
            low, high = span(sign, both[1])
            both[0] = truncated(rng, qualities[left], low, high)
            low, high = span(-sign, both[0])
            both[1] = truncated(rng, qualities[right], low, high)
        kept.append(abilities)
    return kept


def gauss(rng: random.Random, total: float, n: int, of: tuple[float, float, float]) -> float:
    """A mean, given the sum of n values about it; `of` is their sd, the prior's sd and mean."""
    noise, sd, mean = of
    precision = n / noise**2 + 1 / sd**2
    return rng.gauss((total / noise**2 + mean / sd**2) / precision, precision**-0.5)


def span(sign: int, other: float) -> tuple[float, float]:
    """Where what is perceived of an output lies, given that of the other and the answer."""
    if sign == 0:
        return other - RADIUS, other + RADIUS
    return (other + RADIUS, float("inf")) if sign > 0 else (-float("inf"), other - RADIUS)


def truncated(rng: random.Random, mean: float, low: float, high: float) -> float:
    """A normal value between two ends, by its distribution function."""
    below, above = NORMAL.cdf((low - mean) / NOISE_SD), NORMAL.cdf((high - mean) / NOISE_SD)
    share = below + rng.random() * (above - below)
    return mean + NOISE_SD * NORMAL.inv_cdf(min(max(share, 1e-12), 1 - 1e-12))
