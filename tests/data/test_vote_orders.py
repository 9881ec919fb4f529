"""Votes become the rankings that they were expanded from, or rankings of two."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.data.orders import count_orders, order_votes
from evenhand.data.votes import Votes
from evenhand.errors import UnknownOption


def expanded(seed=3, rankings=60, *, ties=True):
    """Random rankings of 2 to 4 of five systems, opened as a table."""
    rng = np.random.Generator(np.random.PCG64(seed))
    rows = []
    for number in range(rankings):
        chosen = rng.permutation(5)[: rng.integers(2, 5)]
        places = rng.integers(1, 4, len(chosen)) if ties else 1 + np.argsort(chosen)
        rows += [
            (f"r{number}", f"j{number % 3}", "ABCDE"[s], int(p))
            for s, p in zip(chosen, places, strict=True)
        ]
    frame = pl.DataFrame(rows, schema=["ranking", "judge", "system", "rank"], orient="row")
    return evenhand.read(frame)


def same(one, two):
    assert one.systems == two.systems
    np.testing.assert_array_equal(one.outputs, two.outputs)
    np.testing.assert_array_equal(one.places, two.places)
    np.testing.assert_array_equal(one.weights, two.weights)


@pytest.mark.parametrize("ties", [True, False])
def test_votes_of_whole_rankings_are_those_rankings_again(ties):
    data = expanded(ties=ties)
    votes = data.comparisons().votes()
    same(count_orders(votes), count_orders(data))
    assert count_orders(votes).notes == ()


def test_one_answer_that_is_not_whole_makes_all_votes_rankings_of_two_and_says_so():
    votes = expanded().comparisons().votes()
    long = np.flatnonzero(np.bincount(votes.answer) > 1)[0]
    part = votes.take(np.arange(votes.size) != np.flatnonzero(votes.answer == long)[0])
    orders = order_votes(part)
    assert (orders.lengths == 2).all()
    assert orders.weights.sum() == part.size
    assert orders.notes == (
        "1 answer without a whole ranking: each comparison counts as a ranking of two.",
    )


def triple(*outcomes, answer=(0, 0, 0), **settings):
    """Votes on a-b, b-c and a-c."""
    none = np.zeros(3, np.int32)
    sides = np.array([0, 1, 0], np.int32), np.array([1, 2, 2], np.int32)
    told = np.array(outcomes, np.int8)
    answers = np.array(answer, np.int32)
    return Votes(
        *(("",), ("ann",), ("1",), ("a", "b", "c"), none, none, none, *sides, told),
        answer=answers,
        **settings,
    )


@pytest.mark.parametrize("outcomes", [(0, 0, 2), (1, 1, 0), (1, 0, 2), (2, 1, 1)])
def test_a_circle_or_a_tie_that_does_not_carry_is_no_ranking(outcomes):
    orders = order_votes(triple(*outcomes))
    assert orders.outputs.shape[1] == 2
    assert "without a whole ranking" in orders.notes[0]


def test_a_row_that_stands_for_several_rankings_is_weighted():
    once = triple(0, 0, 0)
    thrice = replace(once.take(np.repeat(np.arange(3), 3)), counted=True)
    assert order_votes(thrice).weights.tolist() == [3]
    twice_told = replace(thrice, counted=False)  # one judge's answer holds a pair three times
    assert "without a whole ranking" in order_votes(twice_told).notes[0]


def test_rankings_are_not_told_apart_by_themselves():
    with pytest.raises(UnknownOption, match="each is one answer"):
        order_votes(triple(0, 0, 0), by="ranking")
