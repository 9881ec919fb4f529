"""Half widths of intervals: order statistics, their weights, and what they hold."""

import numpy as np
import pytest

from evenhand.rating.conformal import half_widths, odds_of_missing, weighted_half_widths


def test_the_half_width_is_the_order_statistic_of_the_definition():
    rng = np.random.default_rng(1)
    for n in (8, 9, 10, 19, 79, 80):
        residual = rng.normal(size=n)
        place = int(np.ceil(round((n + 1) * 0.9, 9)))
        expected = np.sort(np.abs(residual))[place - 1] if place <= n else np.inf
        assert half_widths(residual, np.zeros(n, int), 1, 0.9)[0] == expected


def test_coverage_is_what_exchangeability_gives():
    """k/(n + 1) with k = ceil(.9 (n + 1)): here 28/31."""
    rng = np.random.default_rng(2)
    held = [
        abs(rng.normal()) <= half_widths(rng.normal(size=30), np.zeros(30, int), 1, 0.9)[0]
        for _ in range(8000)
    ]
    assert np.mean(held) == pytest.approx(28 / 31, abs=0.011)


def test_equal_weights_give_the_plain_half_width():
    residual = np.random.default_rng(3).normal(size=40)
    plain = half_widths(residual, np.zeros(40, int), 1, 0.9)[0]
    found = weighted_half_widths(residual, np.full(40, 2.5), np.array([2.5]), 0.9)
    assert found.tolist() == [plain]


def test_nothing_held_out_bounds_nothing():
    none = np.zeros(0)
    assert weighted_half_widths(none, none, np.ones(2), 0.9).tolist() == [np.inf, np.inf]


def test_odds_find_the_slope_by_which_ratings_are_missing():
    """Normal predictions, tilted by exp(−.8 x): the odds of a rating one higher are e^-.8."""
    rng = np.random.default_rng(4)
    missing, held = rng.normal(-0.8, 1, 20000), rng.normal(0, 1, 5000)
    at, new = odds_of_missing(held, missing, np.array([0.0, 1.0]))
    assert np.log(at[1] / at[0]) == pytest.approx(-0.8, abs=0.06)
    assert len(new) == 20000


def test_equal_predictions_weigh_alike():
    at, new = odds_of_missing(np.ones(3), np.ones(2), np.arange(3.0))
    assert at.tolist() == [1, 1, 1]
    assert new.tolist() == [1, 1]
