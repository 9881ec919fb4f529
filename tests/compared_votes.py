"""Votes for tests of `evenhand compare`, as a file."""

import numpy as np
import polars as pl

LABELS = np.array(["left", "tie", "right"])
QUICK = ("uniform", "adjusted-uniform", "bradley-terry", "geometric-students")
"""Models that are fitted at once."""
MODELS = tuple(word for name in QUICK for word in ("--model", name))
SMALL = ("--curves", "--hold-out", "150", "--sizes", "50,100,200", "--trials", "2")
"""Options of small curves."""


def write_votes(path, *, tasks=1, judges=10, items=40, rows=500):
    """Judges compare four systems of which A is by far the best; half of them are a crowd."""
    rng = np.random.default_rng(11)
    frames = []
    for task in range(tasks):
        pair = np.array([rng.choice(4, 2, replace=False) for _ in range(rows)])
        gap = 0.9 * (pair[:, 1] - pair[:, 0])
        left = 0.8 / (1 + np.exp(-gap))
        chances = np.stack([left, np.full(rows, 0.2), 0.8 - left], axis=1)
        said = (rng.random(rows)[:, None] > chances.cumsum(axis=1)).sum(axis=1)
        judge = rng.integers(judges, size=rows)
        frame = pl.DataFrame(
            {
                "judge": [f"J{one:02d}" for one in judge],
                "item": [f"i{one:03d}" for one in rng.integers(items, size=rows)],
                "group": ["crowd" if one % 2 else "expert" for one in judge],
                "left": [*np.array(list("ABCD"))[pair[:, 0]]],
                "right": [*np.array(list("ABCD"))[pair[:, 1]]],
                "outcome": [*LABELS[np.minimum(said, 2)]],
            }
        )
        frames.append(frame.with_columns(task=pl.lit(f"t{task}")) if tasks > 1 else frame)
    pl.concat(frames).write_csv(path)
    return str(path)
