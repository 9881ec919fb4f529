"""The mean slope: coverage of a known truth, and what one judge says."""

import numpy as np

from evenhand.judges.mixture import pool_slopes


def test_the_interval_covers_the_truth():
    rng, covered = np.random.Generator(np.random.PCG64(1)), 0
    errors = np.repeat([0.1, 0.5], 15)
    for _ in range(300):
        slopes = rng.normal(1, np.hypot(0.3, errors))
        _, lower, upper = pool_slopes(slopes, errors)
        covered += lower <= 1 <= upper
    assert covered / 300 >= 0.95 - 3.09 * np.sqrt(0.0475 / 300)


def test_one_judge_shows_nothing_of_all_judges():
    assert pool_slopes(np.array([2.0]), np.array([0.1])) == (2.0, -np.inf, np.inf)
