"""Replays: what a policy would have saved, and when the data cannot say."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from active.boards import simulate
from evenhand.active.policy import Policy
from evenhand.active.pool import pool_answers
from evenhand.active.replay import _agree, measure_savings
from evenhand.active.savings import Savings
from evenhand.errors import NotIdentified, UnknownOption


def curves(chosen, random, emptied=0.0):
    """Savings with these agreements after 10, 20, 30, 40 judgments."""
    return Savings(
        Policy(), "tau", np.array([10, 20, 30, 40]), np.array(chosen), np.array(random), emptied,
        80, 8.0, "sign", 1,
    )  # fmt: skip


def test_a_policy_that_is_there_with_half_as_many_saves_half():
    chosen, random = [[0.5, 0.7, 0.8, 0.9]] * 3, [[0.3, 0.5, 0.6, 0.7]] * 3
    found = curves(chosen, random).save(20)
    assert (found.agreement, found.random, found.chosen, found.saved) == (0.5, 20, 10, 0.5)
    assert (found.lower, found.upper, found.reached) == (0.5, 0.5, True)


def test_between_two_looks_agreement_rises_in_a_straight_line():
    found = curves([[0.4, 0.6, 0.8, 0.9]] * 2, [[0.3, 0.5, 0.6, 0.7]] * 2).save(20)
    assert found.chosen == pytest.approx(15)


def test_a_policy_that_takes_more_saves_less_than_nothing():
    found = curves([[0.1, 0.3, 0.5, 0.6]] * 2, [[0.3, 0.5, 0.6, 0.7]] * 2).save(20)
    assert (found.chosen, found.saved) == (30, -0.5)


def test_a_policy_that_does_not_get_there_says_so():
    one = curves([[0.1, 0.1, 0.2, 0.3]] * 2, [[0.3, 0.5, 0.6, 0.7]] * 2)
    assert not one.save(20).reached
    assert "order needs more than 40 for that" in one.says[0]


def test_intervals_come_from_replays_that_differ():
    rng = np.random.default_rng(1)
    rise = np.array([0.4, 0.6, 0.8, 0.9])
    one = curves(rise + rng.normal(0, 0.02, (30, 1)), rise - 0.1 + rng.normal(0, 0.02, (30, 1)))
    found = one.save(20)
    assert found.lower < found.saved < found.upper
    assert found.upper - found.lower < 0.2


def test_emptied_pairs_are_said():
    assert curves([[0.5] * 4] * 2, [[0.5] * 4] * 2).notes == ()
    (note,) = curves([[0.5] * 4] * 2, [[0.5] * 4] * 2, emptied=0.4).notes
    assert note.startswith("40 % of the policy's judgments are on pairs that it emptied")


def test_agreement_is_scipys_kendall_tau_or_the_share_of_the_first():
    rng = np.random.default_rng(2)
    one, other = rng.normal(size=(2, 12))
    assert _agree(one, (other, None)) == pytest.approx(kendalltau(one, other).statistic)
    other[:3] = 0.1
    assert _agree(one, (other, None)) == pytest.approx(kendalltau(one, other).statistic)
    assert _agree(np.array([4.0, 3, 2, 1]), (np.array([4.0, 1, 3, 2]), 2)) == 0.5


def test_the_pool_holds_every_answer_once():
    tally = simulate((1, 0, -1), 90, 1, tie=0.5)
    pool = pool_answers(tally)
    assert pool.size == 90
    drawn = pool.shuffle(np.random.default_rng(1))
    counted = [[each.count(outcome) for outcome in (0, 1, 2)] for each in drawn]
    assert np.array_equal(counted, pool.answers)


def test_a_replay_is_of_the_data_and_agrees_the_more_of_them_it_has_seen():
    tally = simulate(np.linspace(2, -2, 8), 1400, 1, tie=0.4)
    told = []
    found = measure_savings(
        tally, Policy("closest"), replays=6, tell=lambda done, every: told.append((done, every))
    )
    assert told == [(i, 6) for i in range(6)]
    assert found.judgments[-1] <= 700  # half of the data
    for curve in (found.chosen.mean(axis=0), found.random.mean(axis=0)):
        assert curve[-5:].mean() > curve[:5].mean() + 0.1
        assert curve[-1] > 0.8
    again = measure_savings(tally, Policy("closest"), replays=6)
    assert np.array_equal(again.chosen, found.chosen)
    assert again.to_dict() == found.to_dict()


def test_the_first_k_are_compared_where_the_policy_looks_for_them():
    found = measure_savings(
        simulate(np.linspace(2, -2, 6), 600, 1), Policy("top-k", top=2), replays=3
    )
    assert found.agreement == "first 2"
    assert set(np.unique(found.chosen)) <= {0.0, 0.5, 1.0}


@pytest.mark.parametrize(
    ("worths", "n", "words"),
    [
        ((1, 0), 100, "a replay needs 3 systems or more"),
        (np.zeros(20), 400, "2.. judgments of each pair"),
        ((1, 0, -1), 25, "hardly reach beyond the start-up phase"),
    ],
)
def test_data_that_cannot_support_a_replay_are_refused(worths, n, words):
    with pytest.raises(NotIdentified, match=words):
        measure_savings(simulate(worths, n, 1), Policy())


def test_one_replay_has_no_interval():
    with pytest.raises(UnknownOption, match="1 replays have no interval"):
        measure_savings(simulate((1, 0, -1), 300, 1), Policy(), replays=1)
