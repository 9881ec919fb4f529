"""The tally that a user builds by hand: one GROUP BY in DuckDB, then integer codes.

Not a contender; choix, statsmodels, scikit-learn and the bare Newton start from it.
"""

from dataclasses import dataclass

import duckdb
import numpy as np
from numpy.typing import NDArray

from benchmarks.peers import floor, parquet

FILTERED = """
    SELECT model_a, model_b,
           count(*) FILTER (winner = 'model_a') AS wins,
           count(*) FILTER (winner = 'tie') AS ties,
           count(*) FILTER (winner = 'model_b') AS losses
    FROM {} GROUP BY ALL
"""
"""Counts in one pass: cheaper where pairs are nearly as many as rows."""

TWICE = f"""
    SELECT model_a, model_b,
           coalesce(sum(n) FILTER (winner = 'model_a'), 0)::DOUBLE AS wins,
           coalesce(sum(n) FILTER (winner = 'tie'), 0)::DOUBLE AS ties,
           coalesce(sum(n) FILTER (winner = 'model_b'), 0)::DOUBLE AS losses
    FROM ({floor.GROUP_BY}) GROUP BY ALL
"""
"""The floor's own query, then its cells by pair: half the price at K = 100."""


@dataclass(frozen=True)
class Counts:
    """Counts per directed pair: `left`, `right` (n,) codes into `systems`, three (n,) counts."""

    systems: list[str]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    wins: NDArray[np.float64]
    ties: NDArray[np.float64]
    losses: NDArray[np.float64]


def counts(path: str, query: str = TWICE) -> Counts:
    """Count the file's outcomes by directed pair."""
    cells = duckdb.execute(query.format(parquet(path))).fetchnumpy()
    left, right = cells["model_a"].tolist(), cells["model_b"].tolist()
    systems = sorted(set(left) | set(right))
    code = {system: i for i, system in enumerate(systems)}
    return Counts(
        systems,
        np.fromiter(map(code.__getitem__, left), np.int64, len(left)),
        np.fromiter(map(code.__getitem__, right), np.int64, len(right)),
        *(np.asarray(cells[name], dtype=float) for name in ("wins", "ties", "losses")),
    )


def folded(cells: Counts) -> Counts:
    """The same counts with (a, b) and (b, a) added up, for models without an order effect."""
    k = len(cells.systems)
    low, high = np.minimum(cells.left, cells.right), np.maximum(cells.left, cells.right)
    pair, cell = np.unique(low * k + high, return_inverse=True)
    swapped = cells.left != low
    add = [
        np.asarray(np.bincount(cell, np.where(swapped, there, here), len(pair)), dtype=float)
        for here, there in (
            (cells.wins, cells.losses),
            (cells.ties, cells.ties),
            (cells.losses, cells.wins),
        )
    ]
    return Counts(cells.systems, pair // k, pair % k, *add)
