"""Votes on outputs of systems with known abilities, by the Gaussian item-response model."""

from dataclasses import replace
from math import sqrt

import numpy as np

from evenhand.data.votes import LEFT, RIGHT, TIE
from few_votes import votes_of


def draw_campaign(seed, n=400, k=5, items=10):
    """Votes on systems whose abilities fall from .8 to −.8, by the model itself."""
    rng = np.random.default_rng(seed)
    quality = np.linspace(0.8, -0.8, k) + 0.5 * rng.normal(size=(items, k))
    rows = []
    for _ in range(n):
        item = int(rng.integers(items))
        left, right = map(int, rng.permutation(k)[:2])
        seen = quality[item, left] - quality[item, right] + rng.normal() * sqrt(2)
        said = LEFT if seen >= 0.4 else RIGHT if seen <= -0.4 else TIE
        rows.append((int(rng.integers(8)), item, left, right, said))
    return rows


def name_votes(rows, k=5):
    """Rows of codes as votes on systems a, b, ..., all of them named."""
    return replace(votes_of(rows), systems=tuple("abcdefghij"[:k]))
