"""Pairs at random are a sample of all pairs, whatever surrounds them."""

import numpy as np
import pytest
from scipy.stats import chisquare

from design.boards import state, wait_for
from evenhand.design.policy import Policy, number_pairs


@pytest.mark.parametrize("rule", ["closest", "order"])
def test_pairs_at_random_are_a_sample_of_all_pairs_whatever_the_rule_took_and_what_waits(rule):
    """Level .001: in a batch of as many pairs as there are, the rule takes most of the others."""
    board = state((3, 2, 1, 0), 400)
    board = wait_for(board, [0, 0, 3, 5])
    code = {name: i for i, name in enumerate(board.systems)}
    rng, found = np.random.default_rng(1), np.zeros(6)
    for _ in range(200):
        for one in Policy(rule, random_share=0.5).choose(board, 6, rng):
            if one.kind == "random":
                found[number_pairs([code[one.left]], [code[one.right]], 4)] += 1
    assert found.sum() == 600
    assert chisquare(found).pvalue > 0.001


def test_a_draw_from_some_of_the_pairs_does_not_call_itself_one_from_all():
    board = state((3, 2, 1, 0), 400)
    some = board.narrow(np.array([True, True, True, True, True, False]))
    for known, kinds in ((board, {"random"}), (some, {"narrowed"})):
        found = Policy(random_share=1).choose(known, 20, np.random.default_rng(1))
        assert {one.kind for one in found} == kinds
    assert {"s02", "s03"} not in [{one.left, one.right} for one in found]
    assert {one.reason for one in found} == {"at random, of the pairs that are left"}
