"""Degrees of freedom of two variances, against Welch's test in scipy."""

import numpy as np
import pytest
from scipy import stats

from evenhand.ranking.learning_curves import find_chance, join_df


def test_two_variances_have_the_degrees_of_freedom_of_welch() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.normal(0, 1, 26), rng.normal(0, 3, 5)
    parts = [(own.var(ddof=1) / len(own), len(own) - 1) for own in (one, other)]
    expected = stats.ttest_ind(one, other, equal_var=False).df
    assert join_df(*parts[0], *parts[1]) == pytest.approx(expected)


def test_the_variance_of_a_mean_over_tasks_is_that_of_their_trials() -> None:
    trials = np.random.default_rng(1).normal(size=(3, 5))
    expected = sum(stats.sem(task) ** 2 for task in trials) / 9
    assert find_chance(trials) == (pytest.approx(expected), 12.0)


def test_tasks_that_are_taken_whole_know_nothing_of_trials() -> None:
    trials = np.array([[0.1, 0.1, 0.1], [1.0, 2.0, 3.0]])
    assert find_chance(trials) == (pytest.approx(1 / 3 / 4), 2.0)
    assert find_chance(np.array([[1.0], [2.0]])) == (0.0, 0.0)
