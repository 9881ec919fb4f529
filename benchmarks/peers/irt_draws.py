"""What contenders of the bench of item-response models take and give."""

from collections.abc import Callable

import duckdb
import numpy as np
from numpy.typing import NDArray

from benchmarks.peers import Answer, parquet
from evenhand.numerics.sampling import bulk_size, split_r_hat

Draws = tuple[tuple[str, ...], NDArray[np.float64]]
"""Names of the K systems, sorted, and (chains, draws, K) draws of their abilities."""
CHAINS, SWEEPS, BURN_IN = 4, 1_000, 200
ABILITY_SD, ITEM_SD, NOISE_SD, RADIUS = 1.0, 0.5, 1.0, 0.4
"""The scales of Hopkins & May (2013)."""


def outputs(
    path: str,
) -> tuple[tuple[str, ...], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Systems, the (N,) author of each output, (n, 2) outputs compared, (n,) outcomes.

    Outcomes are 1 for the left, 0 for none, -1 for the right.
    """
    with duckdb.connect() as connection:
        rows = connection.execute(
            f'SELECT "left", "right", outcome, item FROM {parquet(path)}'
        ).fetchall()
    systems = tuple(sorted({name for left, right, *_ in rows for name in (left, right)}))
    code = {name: i for i, name in enumerate(systems)}
    place: dict[tuple[str, str], int] = {}
    pairs = [
        [place.setdefault((item, name), len(place)) for name in (left, right)]
        for left, right, _, item in rows
    ]
    author = np.array([code[name] for _, name in place])
    outcome = np.array([{"left": 1, "tie": 0, "right": -1}[row[2]] for row in rows])
    return systems, author, np.array(pairs), outcome


def look_at(found: Draws) -> Callable[[], Answer]:
    """Abilities about their mean, in posterior standard deviations, and how sure they are."""
    systems, draws = found

    def look() -> Answer:
        own = draws - draws.mean(axis=2, keepdims=True)
        size, r_hat = float(bulk_size(own).min()), float(split_r_hat(own).max())
        middle = own.mean(axis=(0, 1)) / own.std(axis=(0, 1)).mean()
        values = dict(zip(systems, middle.tolist(), strict=True))
        return Answer(values, {"effective": size, "r_hat": r_hat})

    return look
