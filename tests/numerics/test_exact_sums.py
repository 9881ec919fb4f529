"""Wins minus losses, beside the binomial and beside all sequences of outcomes."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import binomtest

from evenhand.numerics.distributions import MIN_P, net_wins_chances, net_wins_p


def test_fair_comparisons_without_ties_are_binomial():
    """scipy 1.x, stats.binomtest(won, n): two-sided, symmetric at 1/2."""
    fair = np.array([[0.5, 0.0, 0.5]])
    for won in range(13):
        found = net_wins_p(fair, np.array([12.0]), 2 * won - 12)
        assert found == pytest.approx(binomtest(won, 12).pvalue, abs=1e-12)


def test_chances_that_differ_are_those_of_all_sequences():
    chances = np.array([[0.5, 0.2, 0.3], [0.1, 0.6, 0.3], [0.7, 0.0, 0.3]])
    counts = np.array([2.0, 1.0, 2.0])
    each = np.repeat(chances, counts.astype(int), axis=0)
    expected = np.zeros(11)
    for outcome in product(range(3), repeat=5):
        net = sum(1 - one for one in outcome)
        expected[net + 5] += np.prod(each[np.arange(5), outcome])
    assert net_wins_chances(chances, counts) == pytest.approx(expected, abs=1e-14)


def test_five_hundred_comparisons_still_sum_to_one():
    rng = np.random.Generator(np.random.PCG64(1))
    chances = rng.dirichlet([2, 1, 2], 50)
    found = net_wins_chances(chances, np.full(50, 10.0))
    assert found.sum() == pytest.approx(1, abs=1e-11)
    mean = 10 * (chances[:, 0] - chances[:, 2]).sum()
    assert found @ np.arange(-500, 501) == pytest.approx(mean, abs=1e-9)
    assert found.min() > -1e-13


def test_a_tail_below_rounding_is_not_claimed():
    fair = np.array([[0.5, 0.0, 0.5]])
    assert net_wins_p(fair, np.array([200.0]), 200) == MIN_P
