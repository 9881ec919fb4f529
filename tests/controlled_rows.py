"""Judgments with controls that tests share, and the model written out row by row."""

import numpy as np
import polars as pl
from narwhals import from_native

from evenhand.data.comparisons import Comparisons


def simulate(seed: int = 1, *, n: int = 400, systems: int = 4, ties: float = 0.6) -> pl.DataFrame:
    """Rows with a length (continuous) and a count of lists (whole numbers); both matter."""
    rng = np.random.Generator(np.random.PCG64(seed))
    worth = np.linspace(0.7, -0.7, systems)
    left = rng.integers(0, systems, n)
    right = (left + rng.integers(1, systems, n)) % systems
    length = rng.normal(0, 50, n) + 20 * (worth[left] - worth[right])
    lists = rng.integers(-3, 4, n).astype(float)
    half = (worth[left] - worth[right] + 0.008 * length + 0.15 * lists) / 2
    chances = np.stack([np.exp(half), np.full(n, ties), np.exp(-half)], axis=1)
    drawn = rng.random((n, 1)) * chances.sum(axis=1, keepdims=True)
    outcome = (drawn > chances.cumsum(axis=1)).sum(axis=1)
    return pl.DataFrame(
        {
            "left": [f"s{i}" for i in left],
            "right": [f"s{i}" for i in right],
            "outcome": np.array(["left", "tie", "right"])[outcome].tolist(),
            "judge": [f"j{i:02d}" for i in rng.integers(0, 12, n)],
            "item": [f"i{i:02d}" for i in rng.integers(0, 20, n)],
            "length": length,
            "lists": lists,
        }
    )


def comparisons(frame: pl.DataFrame) -> Comparisons:
    """A handle on a frame that has our column names."""
    return Comparisons(from_native(frame))


def differences(frame: pl.DataFrame, *columns: str) -> np.ndarray:
    """(n, K − 1 + q) worths of left minus right, the last system at zero, then the columns."""
    names = sorted({*frame["left"], *frame["right"]})
    rows = np.zeros((len(frame), len(names)))
    at = np.arange(len(frame))
    rows[at, [names.index(name) for name in frame["left"]]] += 1
    rows[at, [names.index(name) for name in frame["right"]]] -= 1
    return np.column_stack([rows[:, :-1], *(frame[name].to_numpy() for name in columns)])


def outcomes(frame: pl.DataFrame) -> np.ndarray:
    """(n,) 0 left, 1 tie, 2 right."""
    return np.array([["left", "tie", "right"].index(word) for word in frame["outcome"]])


def loglik(theta: np.ndarray, frame: pl.DataFrame, x: np.ndarray) -> float:
    """Davidson's log-likelihood row by row; theta is worths and slopes in log-odds, then log ν."""
    half, seen = x @ theta[:-1] / 2, outcomes(frame)
    scores = np.stack([half, np.full(len(half), theta[-1]), -half], axis=1)
    return float((scores[np.arange(len(seen)), seen] - np.log(np.exp(scores).sum(axis=1))).sum())
