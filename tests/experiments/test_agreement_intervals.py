"""Do intervals of agreement cover the truth? Campaigns with hard items, and with severe judges.

The truth is the mean of 8 campaigns of 4,000 items (20,000 items and 200 judges where judges are
drawn). AC2 of few severe judges is covered too rarely, which docs/agreement.md says.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
import pytest

from evenhand.data.rating_rows import RatingRows, Scale
from evenhand.judges.coefficients import fleiss_kappa, gwet_ac, krippendorff_alpha, n_agreement
from evenhand.judges.counts import (
    Coincidences,
    Ratio,
    Sums,
    count_coincidences,
    draw_sums,
    form_blocks,
)
from evenhand.judges.units import find_units
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
    luck = rng.random((outputs, design.judges))
    first = np.argpartition(luck, m, axis=1)[:, :m]  # of whom there are many, by luck
    order = np.argsort(np.take_along_axis(luck, first, axis=1), axis=1)
    judge = np.take_along_axis(first, order, axis=1).ravel()
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


RUNS = 200
COMPUTED: dict[str, Callable[[Sums], Ratio]] = {
    "n-agreement-0": partial(n_agreement, n=0),
    "n-agreement-1": partial(n_agreement, n=1),
    "fleiss": fleiss_kappa,
    "alpha-ordinal": partial(krippendorff_alpha, metric="ordinal"),
    "alpha-interval": krippendorff_alpha,
    "ac1": gwet_ac,
    "ac2-quadratic": partial(gwet_ac, weighting="quadratic"),
}
SIXTY = Design(items=60, systems=8, judges=200, per_output=2, hard=0.5, severity=0)
ARMS = {
    "60 items": (SIXTY, "item", {"items": 4000}, 0.89),
    "60 items, 101 points": (replace(SIXTY, points=101), "item", {"items": 4000}, 0.88),
    "30 items, 3 judges": (
        replace(SIXTY, items=30, systems=6, per_output=3),
        "item",
        {"items": 4000},
        0.86,
    ),
    "30 judges": (
        Design(items=1000, systems=1, judges=30, per_output=2, hard=0, severity=0.5),
        "judge",
        {"items": 20_000, "judges": 200},
        0.89,
    ),
    "15 judges": (
        Design(items=1000, systems=1, judges=15, per_output=2, hard=0, severity=0.5),
        "judge",
        {"items": 20_000, "judges": 200},
        0.84,
    ),
    "25 judges, very severe": (
        Design(items=800, systems=1, judges=25, per_output=3, hard=0, severity=0.6),
        "judge",
        {"items": 20_000, "judges": 300},
        0.83,
    ),
    "40 judges, very severe": (
        Design(items=800, systems=1, judges=40, per_output=2, hard=0, severity=0.6),
        "judge",
        {"items": 20_000, "judges": 300},
        0.90,
    ),
}


@cache
def find_truth(wide: Design) -> dict[str, float]:
    """Each coefficient on average of eight large campaigns."""
    large_ones = [Sums(_count(wide, seed, "item")) for seed in range(10_000, 10_008)]
    values = [[one(sums).value for one in COMPUTED.values()] for sums in large_ones]
    return dict(zip(COMPUTED, np.mean(values, axis=0), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("arm", ARMS)
def test_intervals_cover(arm):
    design, cluster, large, least = ARMS[arm]
    wide = replace(design, **large)
    truth = find_truth(wide)
    covered: dict[str, int] = dict.fromkeys(COMPUTED, 0)
    for run in range(RUNS):
        drawn = draw_sums(_count(design, run, cluster), run)
        for name, compute in COMPUTED.items():
            ends = drawn.bound(compute, 0.95)
            covered[name] += bool(ends.lower <= truth[name] <= ends.upper)
    print(f"{arm}: covered of {RUNS}:", covered)  # noqa: T201 - counts of an experiment
    assert min(covered.values()) >= least * RUNS
    assert max(covered.values()) <= 0.99 * RUNS


def _count(design: Design, seed: int, cluster: str) -> Coincidences:
    top = design.points - 1
    scale = Scale(0.0, float(top), tuple(map(float, range(top + 1))), declared=True)
    units = find_units(simulate(design, seed), scale)
    return count_coincidences(units, form_blocks(units, cluster, 1))
