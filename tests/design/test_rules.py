"""Each rule against its formula, worked out pair by pair."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression

from design.boards import simulate, state, wait_for
from evenhand.data.tally import Tally
from evenhand.design.policy import RULES, Batch, Belief, Policy, fit_belief, read_state


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


def test_the_information_of_an_answer_is_half_the_logarithm_of_one_plus_information_by_variance():
    """Two systems, two wins each: I = ¼, V = 8/(2·4 + 1); ½ log(1 + IV) = ½ log(11/9) nats."""
    codes = np.array([0], np.int32), np.array([1], np.int32)
    wins, ties = np.array([2.0]), np.array([0.0])
    board = read_state(Tally(("a", "b"), *codes, wins, ties, wins))
    policy = Policy("information", random_share=0, start=0)
    (pair,) = policy.choose(board, 1, np.random.default_rng(1))
    assert np.log(11 / 9) / 2 == pytest.approx(0.1003, abs=5e-5)
    assert pair.reason == "an answer tells 0.100 nats about the worths"


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


@pytest.mark.parametrize("rule", sorted(RULES.keys() - {"random", "sort"}))
def test_no_pair_comes_twice_until_half_of_them_are_out(rule):
    board = state(n=60)
    assert len(set(chosen(rule, board, n=5, top=2))) == 5
    waiting = wait_for(board, [3, 3, 4, 5])
    assert not {3, 4, 5} & set(chosen(rule, waiting, n=2, top=2))


def test_a_batch_counts_what_it_took_as_answered():
    """Each pair by hand: the covariance after all before it, those out excluded."""
    differ = 0
    for seed in range(8):
        board = state(n=40, seed=seed)
        belief, expected, fixed = board.belief, [], []
        pairs = list(zip(board.low, board.high, strict=True))
        for _ in range(5):
            for current, found in ((belief, expected), (board.belief, fixed)):
                entropy = [np.linalg.slogdet(after(current, *pair))[1] for pair in pairs]
                free = [c for c in range(10) if c not in found]
                found.append(min(free, key=entropy.__getitem__))
            belief = replace(belief, vcov=after(belief, *pairs[expected[-1]]))
        assert chosen("information", board, n=5) == expected
        differ += expected != fixed
    assert differ


def test_order_draws_while_differences_are_hardly_known():
    for n, kinds in ((12, 2), (400, 1)):
        board, first = state(n=n), set()
        for seed in range(20):
            batch = Batch(board)
            RULES["order"](batch, 1, np.random.default_rng(seed))
            first.add(batch.taken[0][0])
        assert min(len(first), 2) == kinds


def believed(worths):
    """A board of which the worths are as good as known."""
    board = read_state(None, systems=[f"s{i}" for i in range(len(worths))])
    known = Belief(np.array(worths, dtype=float), np.eye(len(worths)) * 1e-9)
    board.__dict__["belief"] = known
    return board


@pytest.mark.parametrize(
    ("worths", "top", "barred", "pair"),
    [
        ((3, -3, -3.1, -5), 1, [(0, 1), (0, 2)], (0, 3)),  # (1, 2) is nearer, on one side
        ((1.5, 1, -1, -4), 2, [(1, 2)], (0, 2)),  # (1, 3) if the border were one lower
        ((4, 1, -1, -1.5), 2, [(1, 2)], (1, 3)),  # (0, 2) if the border were one higher
    ],
)
def test_top_k_asks_about_the_nearest_two_on_both_sides_of_the_border(worths, top, barred, pair):
    board = believed(worths)
    ends = list(zip(board.low.tolist(), board.high.tolist(), strict=True))
    for one in barred:
        board.allowed[ends.index(one)] = False
    (found,) = chosen("top-k", board, top=top)
    assert ends[found] == pair


@pytest.mark.parametrize("rule", ["order", "closest", "voi"])
def test_a_clear_order_is_no_reason_to_ask(rule):
    """Nothing is in doubt here: what the answer brings is said instead."""
    board = read_state(simulate((3, 0, -3), 900, 1))
    found = Policy(rule, random_share=0, start=0).choose(board, 3, np.random.default_rng(1))
    assert not any("better with probability" in one.reason for one in found)
    assert all(re.search("an answer removes|nearest two", one.reason) for one in found)


def test_the_belief_is_scikit_learns_ridge_and_before_any_judgment_its_prior():
    """LogisticRegression(C=4) has the penalty ½ · ¼ Σ θ²."""
    tally = simulate((1, 0.5, 0, -0.5, -1), 150, 2)
    x = np.eye(5)[tally.left] - np.eye(5)[tally.right]
    other = LogisticRegression(C=4.0, fit_intercept=False, tol=1e-10).fit(x, tally.wins)
    found = fit_belief(read_state(tally).tally)
    assert found.mean == pytest.approx(other.coef_[0], abs=1e-5)
    chance = other.predict_proba(x)[:, 1]
    information = (x * (chance * (1 - chance))[:, None]).T @ x + np.eye(5) / 4
    assert found.vcov == pytest.approx(np.linalg.inv(information), abs=1e-5)
    belief = read_state(None, systems=["a", "b", "c"]).belief
    assert belief.mean.tolist() == [0, 0, 0]
    assert belief.vcov == pytest.approx(4 * np.eye(3))


@pytest.mark.parametrize(("tie", "told"), [(0.0, 1 / 4), (1.0, 1 / 6), (2.0, 1 / 8)])
def test_ties_tell_less(tie, told):
    """Between equals the score is ±½ with probability 1 / (2 + ν) each, so I = 1 / (2 (2 + ν))."""
    assert Belief(np.zeros(2), np.eye(2), tie).information(np.zeros(1))[0] == pytest.approx(told)
