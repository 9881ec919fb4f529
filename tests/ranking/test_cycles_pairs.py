"""Pairs that the model describes worst: by brute force, planted, and none without cause."""

import numpy as np
import pandas as pd
import pytest

import evenhand
from evenhand.ranking.robustness.cycles import (
    draw_parametric,
    find_residuals,
    look_for_cycles,
    weigh_pairs,
)
from experiments.test_e8_cycles import HIGH, LOW, by_pair


def plant(tally, first, second, more):
    """Give the first of a pair more of the votes."""
    at = np.flatnonzero((first == LOW) & (second == HIGH))[0]
    tally.wins[at] += more
    tally.losses[at] -= more
    return tally


def test_p_is_the_share_of_replicates_whose_worst_pair_is_as_far_counted_one_by_one():
    whole = find_residuals(by_pair(1, 3, 0.8))
    drawn = draw_parametric(whole, 199, np.random.default_rng(4))
    z, p = weigh_pairs(whole, [drawn])
    spread = [
        float(np.sqrt(np.mean([replicate[at] ** 2 for replicate in drawn]))) for at in range(28)
    ]
    for at in range(28):
        own = whole.residual[at] / spread[at]
        worst = [max(abs(replicate[i]) / spread[i] for i in range(28)) for replicate in drawn]
        assert z[at] == pytest.approx(own)
        assert p[at] == pytest.approx((1 + sum(one >= abs(own) for one in worst)) / 200)


def test_a_planted_pair_is_named_first_the_winner_before_the_loser():
    tally = plant(by_pair(1, 1, 0.0), 2, 6, -12.0)
    worst = look_for_cycles(tally, 0.95, 1).deviations[0]
    at = np.flatnonzero((LOW == 2) & (HIGH == 6))[0]
    assert (worst.first, worst.second) == (tally.systems[6], tally.systems[2])
    assert worst.won == pytest.approx(tally.losses[at] / (tally.wins + tally.losses)[at])
    assert worst.won > worst.expected
    assert worst.z > 0
    assert worst.p <= 0.05


def test_a_chain_of_systems_has_no_deviations_since_it_fits_whatever_is_said():
    rows = [("a", "b", "left"), ("b", "a", "left"), ("b", "c", "left"), ("c", "b", "left")] * 9
    votes = evenhand.read(pd.DataFrame(rows, columns=["left", "right", "outcome"]))
    assert evenhand.find_cycles(votes).deviations == ()
