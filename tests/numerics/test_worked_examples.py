"""Functions of numbers on examples whose answers are known."""

import numpy as np
import pytest

from evenhand.numerics import designs, distributions
from evenhand.numerics.cluster_means import root_slopes
from evenhand.numerics.graph import Graph, weak_components
from evenhand.numerics.multiple_tests import order_statistic
from evenhand.numerics.sampling import Draws


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("two_sided_p", (1.959964,), 0.05),
        ("normal_quantile", (0.975,), 1.959964),
        ("t_tail", (2.228139, 10), 0.05),
        ("t_quantile", (0.975, 10), 2.228139),
        ("chi2_tail", (3.841459, 1), 0.05),
        ("f_tail", (4.964603, 1, 10), 0.05),
        ("f_quantile", (0.95, 1, 10), 4.964603),
        ("clopper_pearson", (61, 96, 0.95), (0.530936, 0.731298)),
        ("trinomial_tail", (6, 12, 4), 0.024782),
    ],
)
def test_distributions_have_the_values_of_tables(name, arguments, answer):
    assert getattr(distributions, name)(*arguments) == pytest.approx(answer, abs=5e-7)


def test_rules_integrate_moments_of_the_normal_exactly():
    x, logs = distributions.hermite_rule(15)
    assert np.exp(logs - x**2 / 2).sum() == pytest.approx(np.sqrt(2 * np.pi), rel=1e-12)
    x, weights = distributions.normal_rule(15)
    assert (weights @ x**2, weights @ x**4) == pytest.approx((1, 3), rel=1e-12)


@pytest.mark.parametrize(("points", "size", "blocks"), [(7, 3, 7), (5, 2, 10), (13, 4, 13)])
def test_balanced_designs_are_as_small_as_can_be(points, size, blocks):
    assert len(designs.find_balanced(points, size)) == blocks


@pytest.mark.parametrize(
    ("points", "size", "often", "blocks"), [(6, 3, 2, 10), (9, 3, 1, 12), (10, 4, 2, 15)]
)
def test_rotated_designs_are_as_small_as_can_be(points, size, often, blocks):
    assert len(designs.find_rotated(points, size, often)) == blocks


def test_halves_and_colours_are_even_in_every_set():
    judge, pair = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    half = designs.halve([judge], [pair], Draws(3))
    assert (half[judge == 0].sum(), half[pair == 1].sum()) == (1, 1)
    item, judge = np.repeat(np.arange(6), 3), np.tile([0, 1, 2], 6)
    found = designs.color_evenly(np.tile([0, 1, 2], 6), 3, [item], [judge], Draws(1))
    assert np.bincount(judge * 3 + found).tolist() == [2] * 9
    judge, group = np.array([0, 1, 2] * 4), np.repeat(np.arange(4), 3)
    found = designs.color_edges(judge, group, 3, Draws(1))
    assert np.bincount(judge * 3 + found, minlength=9).max() == 2


def test_loads_of_judges_are_checked_and_levelled():
    assert designs.find_shortage(np.array([2, 2]), np.array([2, 1])) == (2, 4, 3)
    loads = designs.level_loads(np.array([2, 9, 9]), 11, np.array([0, 2, 1]))
    assert loads.tolist() == [2, 4, 5]


def test_components_are_numbered_by_their_lowest_nodes():
    graph = Graph(4, np.array([2, 3]), np.array([0, 1]))
    assert weak_components(graph).tolist() == [0, 1, 0, 1]


def test_order_statistics_beyond_the_last_draw_are_endless():
    assert order_statistic(np.arange(1.0, 1000), 0.95) == 950
    assert order_statistic(np.array([1.0, 2]), 0.95) == np.inf


def test_slopes_of_a_root_have_it_as_their_mean():
    assert root_slopes(np.array([0.0, 2.0])).tolist() == [0.5, 1.5]
