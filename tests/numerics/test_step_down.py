"""Step-down decisions against the method spelled out, and Holm's against statsmodels."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats
from scipy.stats import binomtest

from evenhand.numerics.distributions import MIN_P, net_wins_chances, net_wins_p
from evenhand.numerics.multiple_tests import order_statistic, step_down, step_down_holm

LEVEL = 0.9


def test_the_order_statistic_counts_the_data_as_one_more_world():
    draws = np.random.default_rng(1).permutation(np.arange(1.0, 1000.0))
    assert order_statistic(draws, 0.95) == 950
    assert order_statistic(draws, 0.999) == 999
    assert np.isinf(order_statistic(draws, 0.9995))


def closed(statistic: np.ndarray, worlds: list[np.ndarray]) -> np.ndarray:
    """Closed testing by brute force: decided if every family that holds the contrast rejects."""
    size = len(statistic)
    decided = np.ones(size, dtype=bool)
    for n in range(1, size + 1):
        for family in combinations(range(size), n):
            own = list(family)
            critical = max(np.sort(one[:, own].max(axis=1))[89] for one in worlds)
            if statistic[own].max() <= critical:
                decided[own] = False
    return decided


@pytest.mark.parametrize("seed", range(12))
def test_steps_are_the_closed_test_by_brute_force(seed):
    """Critical values of families grow with the family, where the short way is the closed one."""
    rng = np.random.default_rng(seed)
    worlds = [np.abs(rng.normal(size=(99, 5))) for _ in range(1 + seed % 2)]
    statistic = np.abs(rng.normal(1.5, 1.5, 5))
    found, critical = step_down(statistic, worlds, LEVEL)
    np.testing.assert_array_equal(found, closed(statistic, worlds))
    assert list(critical) == sorted(critical, reverse=True)


def test_a_step_takes_the_larger_critical_value_of_two_sources_by_hand():
    """Nine worlds, level .8: the eighth smallest maximum, 8 and 4; without the first 4 too."""
    one = np.stack([np.arange(1.0, 10), np.full(9, 0.5)], axis=1)
    other = np.stack([np.full(9, 0.1), np.arange(1.0, 10) / 2], axis=1)
    assert step_down(np.array([9.0, 4.5]), [one, other], 0.8)[1] == (8.0, 4.0)
    decided, _ = step_down(np.array([9.0, 4.5]), [one, other], 0.8)
    assert decided.tolist() == [True, True]
    decided, critical = step_down(np.array([7.9, 4.5]), [one, other], 0.8)
    assert (decided.tolist(), critical) == ([False, False], (8.0,))


def test_holms_method_is_that_of_statsmodels():
    multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
    rng = np.random.default_rng(2)
    for _ in range(20):
        statistic = np.abs(rng.normal(1.5, 1.5, 8))
        p = 2 * stats.t.sf(statistic, 11)
        expected = multipletests(p, alpha=0.05, method="holm")[0]
        np.testing.assert_array_equal(step_down_holm(statistic, 11, 0.95)[0], expected)


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


def test_a_tail_below_rounding_is_not_claimed():
    fair = np.array([[0.5, 0.0, 0.5]])
    assert net_wins_p(fair, np.array([200.0]), 200) == MIN_P
