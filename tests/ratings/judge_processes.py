"""Ratings drawn from a multi-task Gaussian process whose B is known."""

from dataclasses import dataclass

import numpy as np

from evenhand.data.rating_rows import RatingRows
from evenhand.data.tally import Factor
from evenhand.ratings.features import OutputFeatures

FEATURES = OutputFeatures(("a", "b"), ())
ONE = OutputFeatures(("a",), ())


@dataclass(frozen=True, eq=False)
class Drawn:
    """Ratings to learn from and others of the same judges, and what they were drawn with."""

    seen: RatingRows
    unseen: RatingRows
    similarity: np.ndarray

    @property
    def correlation(self) -> np.ndarray:
        root = np.sqrt(np.diag(self.similarity))
        return self.similarity / np.outer(root, root)


ALIKE = np.array(
    [
        [1.0, 0.9, 0.8, 0.0, 0.0],
        [0.9, 1.0, 0.8, 0.0, 0.0],
        [0.8, 0.8, 1.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 1.0, 0.7],
        [0.0, 0.0, 0.0, 0.7, 1.0],
    ]
)
"""Two camps of judges that have nothing to do with each other."""


def number_factor(values) -> Factor:
    """A column of numbers as it is read from a table."""
    labels, codes = np.unique([repr(float(one)) for one in values], return_inverse=True)
    codes = codes.reshape(-1).astype(np.int32)
    return Factor(tuple(labels.tolist()), codes, np.bincount(codes).astype(float), len(labels))


def rate(judge, item, score, **columns) -> RatingRows:
    """Ratings of one system's outputs, with columns of numbers beside them."""
    judge, item = (np.asarray(one, dtype=np.int32) for one in (judge, item))
    none = np.zeros(len(judge), dtype=np.int32)
    names = [
        tuple(f"{a}{i:04d}" for i in range(int(own.max()) + 1))
        for a, own in (("j", judge), ("i", item))
    ]
    return RatingRows(
        ("",),
        *names,
        ("s",),
        ("",),
        none,
        judge,
        item,
        none,
        none,
        np.asarray(score, dtype=float),
        factors={name: number_factor(values) for name, values in columns.items()},
    )


def draw(seed, similarity=ALIKE, *, each=60, outputs=200, noise=0.5, scales=(0.4, 0.8)) -> Drawn:
    """Each judge rates some outputs; others of the same outputs are kept aside.

    Scores are 50 + 10 (β + f + ε) with β ~ N(0, .5²) and ε ~ N(0, noise²).
    """
    rng = np.random.default_rng(seed)
    judges = len(similarity)
    x = rng.uniform(-2, 2, (outputs, len(scales)))
    apart = (((x[:, None] - x) / np.array(scales)) ** 2).sum(axis=2)
    root = np.linalg.cholesky(np.exp(-0.5 * apart) + 1e-8 * np.eye(outputs))
    value, vector = np.linalg.eigh(similarity)
    mixed = (vector * np.sqrt(np.maximum(value, 0))) @ rng.normal(size=(judges, outputs))
    f = mixed @ root.T + rng.normal(0, 0.5, judges)[:, None]
    score = 50 + 10 * (f + rng.normal(0, noise, f.shape))
    seen = np.zeros(f.shape, dtype=bool)
    for own in seen:
        own[rng.choice(outputs, each, replace=False)] = True
    judge, item = np.indices(f.shape).reshape(2, -1)
    every = rate(judge, item, score.ravel(), a=x[item, 0], b=x[item, 1])
    return Drawn(every.take(seen.ravel()), every.take(~seen.ravel()), np.asarray(similarity))


def small(n=12, judges=2, seed=1):
    """Each judge rates the same outputs, of one feature."""
    rng = np.random.default_rng(seed)
    judge, item = np.arange(n) % judges, np.arange(n) // judges
    a = rng.normal(size=n // judges + 1)[item]
    return rate(judge, item, 50 + 5 * np.sin(a) + rng.normal(size=n), a=a)
