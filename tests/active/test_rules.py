"""Each rule against its formula, worked out pair by pair."""

import numpy as np
import pytest
from scipy.stats import norm

from active.boards import simulate, state
from evenhand.active.choice import Batch
from evenhand.active.policy import RULES, Policy
from evenhand.active.state import read_state


def chosen(rule, board, n=1, top=0):
    batch = Batch(board, top)
    RULES[rule](batch, n, np.random.default_rng(1))
    return [pair for pair, _, _ in batch.taken]


def after(belief, low, high):
    """The covariance after one more comparison, by inverting."""
    k = len(belief.mean)
    x = np.eye(k)[low] - np.eye(k)[high]
    gap = belief.mean[low] - belief.mean[high]
    told = belief.information(np.array([gap]))[0]
    return np.linalg.inv(np.linalg.inv(belief.vcov) + told * np.outer(x, x))


def test_information_lowers_the_entropy_most():
    board = state(n=60, tie=0.5)
    pairs = list(zip(board.low, board.high, strict=True))
    entropy = [np.linalg.slogdet(after(board.belief, *pair))[1] for pair in pairs]
    assert chosen("information", board) == [int(np.argmin(entropy))]


@pytest.mark.parametrize("n", [150, 400])
def test_order_lowers_the_variance_of_doubtful_differences_most(n):
    board = state(n=n, tie=0.5)
    belief, low, high = board.belief, board.low, board.high
    gap, variance = belief.gap(low, high)
    assert variance.mean() < 0.8
    weight = norm.pdf(gap / np.sqrt(variance)) / variance
    gains = []
    for pair in zip(low, high, strict=True):
        v = after(belief, *pair)
        gains.append(weight @ (variance - (v[low, low] + v[high, high] - 2 * v[low, high])))
    assert chosen("order", board) == [int(np.argmax(gains))]


def test_voi_lowers_the_probability_of_a_wrong_order_most():
    """Without ties: the gap moves by V' (1 − p) after a win, by −V' p after a defeat."""
    board = state(n=100)
    gap, variance = board.belief.gap(board.low, board.high)
    p = 1 / (1 + np.exp(-gap))
    left = 1 / (1 / variance + p * (1 - p))
    wrong = p * norm.cdf(-np.abs(gap + left * (1 - p)) / np.sqrt(left))
    wrong += (1 - p) * norm.cdf(-np.abs(gap - left * p) / np.sqrt(left))
    gains = norm.cdf(-np.abs(gap) / np.sqrt(variance)) - wrong
    assert chosen("voi", board) == [int(np.argmax(gains))]


def test_closest_asks_about_systems_that_are_close():
    board = read_state(simulate((3, 0.02, 0, -3), 3000, 1))
    assert chosen("closest", board) == [
        int(np.flatnonzero((board.low == 1) & (board.high == 2))[0])
    ]


@pytest.mark.parametrize(("top", "border"), [(1, (0, 1)), (2, (1, 2)), (3, (2, 3))])
def test_top_k_asks_about_the_systems_at_the_border(top, border):
    board = read_state(simulate((3, 1, -1, -3), 3000, 1))
    (pair,) = chosen("top-k", board, top=top)
    assert (board.low[pair], board.high[pair]) == border


@pytest.mark.parametrize("rule", sorted(RULES.keys() - {"random"}))
def test_no_pair_comes_twice_while_another_may_be_asked(rule):
    board = state(n=60)
    pairs = chosen(rule, board, n=25, top=2)
    assert sorted(pairs[:10]) == sorted(pairs[10:20]) == list(range(10))
    assert len(set(pairs[20:])) == 5


@pytest.mark.parametrize("rule", sorted(RULES))
def test_excluded_pairs_are_never_asked(rule):
    board = state(n=60)
    board.allowed[:7] = False
    assert set(chosen(rule, board, n=9, top=2)) <= {7, 8, 9}


def test_reasons_name_the_better_system_and_how_sure_that_is():
    board = read_state(simulate((3, 0, -3), 900, 1))
    found = Policy("closest", random_share=0, start=0).choose(board, 3, np.random.default_rng(1))
    assert {one.reason for one in found} <= {
        "s00 is better with probability 1.00",
        "s01 is better with probability 1.00",
    }
