"""Outputs with features whose true quality is known, and worlds in which queries win or lose."""

import narwhals as nw
import numpy as np
import polars as pl

from evenhand.data.ratings import Ratings
from evenhand.design.query_replay import QueryCurves


def as_ratings(numbers, score, names=None, **columns) -> Ratings:
    """One rating of each output of one system, with columns x0, x1, ... beside it."""
    n = len(score)
    table = {
        "judge": ["ann"] * n,
        "item": names or [f"i{i:05d}" for i in range(n)],
        "system": ["s"] * n,
        "score": score,
        **{f"x{j}": column for j, column in enumerate(np.asarray(numbers).T)},
        **columns,
    }
    return Ratings(nw.from_native(pl.DataFrame(table)))


def smooth_world(n, seed, *, noise=5.0):
    """Ten features of which three matter; quality is a smooth function of them."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 10))
    quality = 60 + 12 * np.sin(1.5 * x[:, 0]) + 8 * x[:, 1] * np.tanh(x[:, 2])
    return x, quality + rng.normal(0, noise, n)


def clustered_world(n, seed):
    """Most outputs in four tight clusters, a tenth of them outliers far off.

    Ratings of one cluster are very noisy, and so are those of the outliers: the features are where
    nobody else is, and the label there tells little.
    """
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(0).normal(0, 1.5, (4, 10))
    cluster = rng.integers(4, size=n)
    x = centres[cluster] + rng.normal(0, 0.5, (n, 10))
    far = rng.random(n) < 0.1
    x[far] = rng.normal(0, 4.0, (int(far.sum()), 10))
    quality = 60 + 12 * np.sin(1.5 * x[:, 0]) + 8 * np.tanh(x[:, 1] * x[:, 2])
    spread = np.where(far | (cluster == 3), 25.0, 4.0)
    return x, quality + rng.normal(0, spread)


def draw_curves(seed, *, gain=0.0, items=40, repeats=10):
    """Two queries, looks 10, 20, 40, 80: errors whose size does not depend on the part."""
    rng = np.random.default_rng(seed)
    hard = rng.gamma(4, 2, items)
    lucky = rng.normal(0, 0.3, (2, 4, repeats, 1))
    errors = hard + lucky + rng.normal(0, 1.0, (2, 4, repeats, items))
    errors[:, -1] = errors[0, -1]
    errors[1, 1] -= gain
    return QueryCurves(
        ("random", "uncertainty"),
        np.array([10, 20, 40, 80]),
        errors,
        np.arange(items),
        n_outputs=100,
        spread=4.0,
        seed=1,
        notes=(),
        signature="",
    )
