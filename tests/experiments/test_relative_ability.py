"""Relative ability: where groups of judges differ, intervals cover the truth of the mix they state.

Two systems, Davidson's ties, γ = 0. The log-worth difference is N(.9, .3²) for an expert and
N(-.3, .3²) for a judge of the crowd. There are 14 experts with 10 answers each, and 26 of the crowd
with 10 to 60 answers each. The mix is half and half, every judge the same. Its truth is the
log-odds of a preference drawn from it, ln(E P(win) / E P(loss)), over many judges.
"""

import numpy as np
import polars as pl
import pytest

from evenhand.data.weights import Mix
from evenhand.ranking import rank
from ranking.panels import comparisons

ROUNDS = 200
EXPERTS, CROWD = (0.9, 14), (-0.3, 26)
SPREAD = 0.3
MIX = Mix({"judge_group": {"expert": 0.5, "crowd": 0.5}}, each="judge")


def chances(gap) -> np.ndarray:
    """(..., 3) chances of win, tie, loss."""
    parts = np.stack([np.exp(gap / 2), np.ones_like(gap), np.exp(-gap / 2)], axis=-1)
    return parts / parts.sum(axis=-1, keepdims=True)


def truth(rng) -> float:
    """Log-odds of a preference by the mix, over two hundred thousand judges of each group."""
    means = [chances(rng.normal(gap, SPREAD, 200_000)).mean(axis=0) for gap, _ in (EXPERTS, CROWD)]
    won, _, lost = np.mean(means, axis=0)
    return float(np.log(won / lost))


def campaign(rng) -> pl.DataFrame:
    rows = []
    for name, (gap, judges) in (("expert", EXPERTS), ("crowd", CROWD)):
        for j in range(judges):
            n = 10 if name == "expert" else int(rng.integers(10, 61))
            drawn = rng.choice(3, n, p=chances(np.array(rng.normal(gap, SPREAD))))
            rows += [("a", "b", ("left", "tie", "right")[o], f"{name}{j}", name) for o in drawn]
    return pl.DataFrame(rows, ["left", "right", "outcome", "judge", "judge_group"], orient="row")


def covers(ranking, value: float) -> bool:
    at = ranking.systems.index("a")
    return bool(2 * ranking.lower[at] <= value <= 2 * ranking.upper[at])


@pytest.mark.slow
def test_the_mix_is_covered_by_its_own_intervals_and_not_by_those_of_the_data_as_they_come():
    rng = np.random.Generator(np.random.PCG64(20131))
    value, mixed, single, plain = truth(rng), 0, 0, 0
    for _ in range(ROUNDS):
        data = comparisons(campaign(rng))
        mixed += covers(rank(data, mix=MIX), value)
        single += covers(rank(data, mix=MIX, interval="sandwich", cluster="judge"), value)
        plain += covers(rank(data), value)
    counts = f"covered {mixed} of {ROUNDS}, by one sandwich {single}, unmixed {plain}"
    print(f"\nrelative ability {value:.3f}: {counts}")  # noqa: T201 - an experiment shows its counts
    assert min(mixed, single) >= ROUNDS * 0.904  # .95 less three standard errors of a share of 200
    assert plain < ROUNDS * 0.5
