"""Distances between rankings against scipy and closed forms."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from evenhand.data.votes import Scores
from evenhand.errors import InvalidJudgments
from evenhand.ranking.methods import disagreements, distance_matrix, kendall_distance


def scores(values, rule="rule", names=None):
    values = np.asarray(values, dtype=float)
    return Scores(rule, tuple(names or (f"s{i:03d}" for i in range(len(values)))), values, "place")


def test_without_ties_the_distance_is_half_of_one_less_tau_times_all_pairs():
    for order in permutations(range(5)):
        one, other = scores(range(5)), scores(order)
        assert kendall_distance(one, other) == pytest.approx(
            (1 - stats.kendalltau(range(5), order).statistic) / 2 * 10, abs=1e-12
        )


def test_a_tie_in_one_order_counts_half_and_in_both_nothing():
    strict, tied, both = scores([3, 2, 1]), scores([2, 2, 1]), scores([5, 5, 4])
    assert kendall_distance(strict, tied) == 0.5
    assert kendall_distance(tied, both) == 0
    assert kendall_distance(scores([1, 2, 3]), tied) == 2.5


def test_the_distance_is_a_metric_on_orders_with_ties():
    """Fagin et al. (2006), theorem: K^(p) is a metric for p from ½ to 1."""
    orders = [scores(values) for values in np.ndindex(3, 3, 3)]
    table = distance_matrix(orders)
    assert (table == table.T).all()
    assert (table[:, :, None] <= table[:, None, :] + table.T[None, :, :] + 1e-12).all()
    same = [[one.places.tolist() == other.places.tolist() for other in orders] for one in orders]
    assert ((table == 0) == np.array(same)).all()


def test_disagreements_name_pairs_and_who_says_what():
    found = disagreements([
        scores([3, 2, 1], "one", "ABC"),
        scores([2, 3, 1], "two", "ABC"),
        scores([2, 2, 1], "three", "ABC"),
    ])  # fmt: skip
    assert [one.systems for one in found] == [("A", "B")]
    assert (found[0].first_better, found[0].second_better) == (("one",), ("two",))
    assert found[0].level == ("three",)


def test_rankings_of_different_systems_are_refused_by_name():
    with pytest.raises(InvalidJudgments, match="rank different systems: B, C in one of them"):
        kendall_distance(scores([1, 2], names="AB"), scores([1, 2], names="AC"))


def test_no_rankings_at_all_are_refused():
    for compare in (distance_matrix, disagreements):
        with pytest.raises(InvalidJudgments, match="no rankings to compare"):
            compare([])
