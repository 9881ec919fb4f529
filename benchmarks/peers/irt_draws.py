"""What contenders of the bench of item-response models take and give."""

import duckdb
import numpy as np
from numpy.typing import NDArray

from benchmarks.data import quoted

Draws = tuple[tuple[str, ...], NDArray[np.float64]]
"""Names of the K systems, sorted, and (chains, draws, K) draws of their abilities."""
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
            f'SELECT "left", "right", outcome, item FROM {quoted(path)}'
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
