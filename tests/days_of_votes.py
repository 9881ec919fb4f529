"""Votes of several days, a file each."""

import numpy as np
import polars as pl


def frame(n: int, seed: int, *, judges: int = 12, systems: str = "ABCDE") -> pl.DataFrame:
    """Some votes: earlier systems win more often."""
    rng = np.random.Generator(np.random.PCG64(seed))
    left = rng.integers(0, len(systems), n)
    right = (left + rng.integers(1, len(systems), n)) % len(systems)
    worse = rng.random(n) < 1 / (1 + np.exp(0.4 * (right - left)))
    outcome = np.where(rng.random(n) < 0.2, "tie", np.where(worse, "right", "left"))
    return pl.DataFrame(
        {
            "left": [systems[i] for i in left],
            "right": [systems[i] for i in right],
            "outcome": outcome.tolist(),
            "judge": [f"j{i:03d}" for i in rng.integers(0, judges, n)],
            "item": [f"i{i}" for i in rng.integers(0, 15, n)],
        }
    )
