"""Ratings with a matrix behind them, as E10 has it: severity, worth, shared tastes, noise."""

from dataclasses import dataclass

import numpy as np

from evenhand.data.rating_rows import RatingRows
from evenhand.data.tally import Factor

QUARTERS = (0.35, 0.45, 0.55, 0.65)
"""Noise of the judges, a quarter of them each."""


@dataclass(frozen=True, eq=False)
class Rated:
    """A matrix, what was seen of it, and what the other cells would have been."""

    truth: np.ndarray
    noisy: np.ndarray
    quarter: np.ndarray
    seen: np.ndarray

    def rows(self) -> RatingRows:
        """The ratings that were seen, the judge's quarter beside them."""
        judge, item = np.nonzero(self.seen)
        return make_rows(judge, item, self.noisy[judge, item], self.truth.shape, self.quarter)


def make_rows(judge, item, score, shape, quarter=None) -> RatingRows:
    """Ratings of one system's outputs."""
    codes = [np.asarray(one, dtype=np.int32) for one in (judge, item)]
    none = np.zeros(len(score), dtype=np.int32)
    names = [tuple(f"{a}{i:05d}" for i in range(n)) for a, n in zip("ji", shape, strict=True)]
    factors = {}
    if quarter is not None:
        own = quarter[codes[0]].astype(np.int32)
        labels = tuple(f"q{i}" for i in range(int(quarter.max()) + 1))
        factors = {"quarter": Factor(labels, own, np.bincount(own), len(labels))}
    return RatingRows(
        ("",),
        *names,
        ("s",),
        ("",),
        none,
        *codes,
        none,
        none,
        np.asarray(score, float),
        factors=factors,
    )


def simulate(seed: int, *, taste: float = 0.5, many: int = 1600, chosen: bool = False) -> Rated:
    """40 judges by 200 outputs; with `chosen` high ratings are likelier to be seen."""
    rng = np.random.Generator(np.random.PCG64(seed))
    m, n = 40, 200
    severity, worth = rng.normal(0, 0.5, m), rng.normal(0, 0.7, n)
    tastes = rng.normal(0, 1, (m, 2)) @ (rng.normal(0, 1, (n, 2)) * taste).T
    truth = 3 + severity[:, None] + worth + tastes
    quarter = np.arange(m) * 4 // m
    noisy = truth + rng.normal(0, 1, (m, n)) * np.array(QUARTERS)[quarter][:, None]
    chance = np.ones(m * n)
    if chosen:
        chance = 1 / (1 + np.exp(-(noisy.ravel() - 3)))
    place = rng.choice(m * n, many, replace=False, p=chance / chance.sum())
    seen = np.zeros(m * n, dtype=bool)
    seen[place] = True
    return Rated(truth, noisy, quarter, seen.reshape(m, n))
