"""Best orders against brute force, an integer programme, and each other."""

import time
from itertools import permutations

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.spatial.distance import squareform

from evenhand.numerics.linear_order import (
    bound_orders,
    find_best_orders,
)
from evenhand.numerics.sorting import order_leaves


def random(seed):
    return np.random.Generator(np.random.PCG64(seed))


def coin_flips(n, rng, most=1):
    """A tournament in which chance decides who wins each pair, and by how much."""
    wins = np.triu(rng.integers(1, most + 1, size=(n, n)), 1).astype(float)
    up = rng.random((n, n)) < 0.5
    return np.where(up, wins, 0.0) + np.where(up, 0.0, wins).T


def judged(n, rng, *, spread, votes=10):
    """Net wins of systems whose log-worths are normal, each pair judged `votes` times."""
    worth = rng.normal(0.0, spread, n)
    chance = 1 / (1 + np.exp(worth[None, :] - worth[:, None]))
    wins = np.triu(rng.binomial(votes, chance), 1)
    net = (2 * wins - votes) * np.triu(np.ones((n, n)), 1)
    return np.maximum(net - net.T, 0.0)


def programme(net):
    """The least cost by HiGHS: x_ij for i < j is 1 if i stands first; no cycle of three."""
    n = len(net)
    upper = np.triu_indices(n, 1)
    column = np.zeros((n, n), dtype=int)
    column[upper] = np.arange(len(upper[0]))
    rows = []
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(j + 1, n):
                row = np.zeros(len(upper[0]))
                row[[column[i, j], column[j, k], column[i, k]]] = 1, 1, -1
                rows.append(row)
    found = milp(
        (net.T - net)[upper],
        constraints=LinearConstraint(np.array(rows), 0, 1),
        integrality=np.ones(len(upper[0])),
        bounds=Bounds(0, 1),
    )
    return found.fun + net[upper].sum()


def walked(net, order):
    return sum(net[later, one] for i, one in enumerate(order) for later in order[i + 1 :])


@pytest.mark.parametrize("n", [12, 13, 14])
def test_dynamic_programming_finds_the_cost_of_an_integer_programme(n):
    for seed in range(3):
        net = coin_flips(n, random(seed), most=5)
        found = find_best_orders(net, np.zeros(n))
        assert found.cost == pytest.approx(programme(net), abs=1e-6)
        assert all(walked(net, order) == found.cost for order in found.orders)


@pytest.mark.parametrize("seed", range(20))
def test_the_bound_lies_below_the_least_cost_and_is_met_by_a_single_cycle(seed):
    rng = random(seed)
    net = coin_flips(6, rng, most=4)
    least = min(walked(net, order) for order in permutations(range(6)))
    assert bound_orders(net).value <= least + 1e-9
    ring = np.array([[0, 2.0, 0], [0, 0, 3.0], [4.0, 0, 0]])
    assert bound_orders(ring).value == pytest.approx(2.0, abs=1e-9)


def test_fractional_weights_that_are_equal_but_for_rounding_are_equal():
    tenth = np.array([[0, 0.1 + 0.2, 0], [0, 0, 0.3], [0.3, 0, 0]])
    assert find_best_orders(tenth, np.zeros(3)).count == 3


def test_orders_are_listed_up_to_the_limit_and_counted_beyond():
    found = find_best_orders(np.zeros((8, 8)), np.zeros(8), limit=5)
    assert len(found.orders) == 5
    assert found.count == 40_320
    assert found.orders[0] == tuple(range(8))


def test_preference_decides_who_comes_first_among_best_orders():
    prefer = np.array([0.0, 3.0, 1.0, 3.0])
    assert find_best_orders(np.zeros((4, 4)), prefer).orders[0] == (1, 3, 2, 0)


def test_blocks_in_a_row_multiply_their_orders_beyond_any_machine_integer():
    """Thirty rings of three, each before the next: 3^30 · … best orders, one arc broken in each."""
    n = 90
    net = np.triu(np.full((n, n), 5.0), 1)
    for i in range(0, n, 3):
        net[i, i + 2], net[i + 2, i] = 0.0, 5.0
    found = find_best_orders(net, np.zeros(n), limit=4)
    assert (found.cost, found.count, len(found.orders)) == (150.0, 3**30, 4)


def test_forty_systems_judged_ten_times_a_pair_are_ordered_exactly_within_a_minute():
    net = judged(40, random(1), spread=0.5)
    began = time.process_time()
    found = find_best_orders(net, np.zeros(40))
    assert time.process_time() - began < 60
    assert found.count is not None
    assert found.bound == found.cost == walked(net, found.orders[0])


@pytest.mark.parametrize("seed", range(20))
def test_no_group_of_average_linkage_is_torn_apart(seed):
    """The groups are scipy's, at every number of groups."""
    drawn = np.random.default_rng(seed).random((9, 9))
    apart = np.triu(drawn, 1) + np.triu(drawn, 1).T
    order = order_leaves(1 - apart)
    assert sorted(order) == list(range(9))
    tree = linkage(squareform(apart), "average")
    for groups in range(2, 9):
        label = fcluster(tree, groups, "maxclust")[order]
        assert 1 + int((np.diff(label) != 0).sum()) == len(np.unique(label))
