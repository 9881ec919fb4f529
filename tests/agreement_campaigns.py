"""Simulated ratings whose agreement is known: from a campaign too large to be off."""

from dataclasses import dataclass

import numpy as np

from evenhand.data.rating_rows import RatingRows
from score_tables import names


@dataclass(frozen=True)
class Design:
    """What a campaign looks like.

    Scores are quality + severity of the judge + noise, rounded; `hard` is the sd of the log of an
    item's noise, so that judges disagree on some items more than on others.
    """

    items: int
    systems: int
    judges: int
    per_output: int
    hard: float
    severity: float
    points: int = 5


def simulate(design: Design, seed: int) -> RatingRows:
    """Draw a campaign: judges of an output at random."""
    rng = np.random.default_rng(seed)
    outputs, m = design.items * design.systems, design.per_output
    noise = np.exp(rng.normal(0, design.hard, design.items))
    severity = rng.normal(0, design.severity, design.judges)
    item = np.repeat(np.arange(design.items), design.systems * m)
    system = np.tile(np.repeat(np.arange(design.systems), m), design.items)
    judge = np.argsort(rng.random((outputs, design.judges)), axis=1)[:, :m].ravel()
    mean = np.repeat(rng.normal(0, 0.6, design.items), design.systems)
    quality = np.repeat(rng.normal(3 + mean, 0.8), m)
    felt = quality + severity[judge] + rng.normal(0, 0.8, len(item)) * noise[item]
    score = np.clip(np.round((felt - 1) / 4 * (design.points - 1)), 0, design.points - 1)
    none = np.zeros(len(item), dtype=np.int32)
    return RatingRows(
        ("",),
        names("judge", design.judges),
        names("item", design.items),
        names("system", design.systems),
        ("",),
        none,
        judge.astype(np.int32),
        item.astype(np.int32),
        system.astype(np.int32),
        none,
        score,
    )
