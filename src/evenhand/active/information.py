"""Pairs whose answers tell most about all worths: expected information (D-optimality).

    ½ log(1 + I_c V_c)   nats,

by which one more comparison of pair c lowers the entropy of the belief. It asks about whatever is
least known, whether the order hangs on it or not; early it is worse than random pairs. The formula
is ours, in the standard form of Bayesian design.
"""

from __future__ import annotations

import numpy as np

from evenhand.active.choice import Batch


def choose_by_information(batch: Batch, n: int, rng: np.random.Generator) -> None:  # noqa: ARG001 - as all
    """Choose n pairs by expected information."""
    for _ in range(n):
        gap, variance = batch.belief.gap(batch.low, batch.high)
        batch.take_best(np.log1p(batch.belief.information(gap) * variance) / 2, say_nats)


def say_nats(batch: Batch, pair: int, value: float) -> str:  # noqa: ARG001 - as all
    """Say how much an answer tells."""
    return f"an answer tells {value:.3f} nats about the worths"
