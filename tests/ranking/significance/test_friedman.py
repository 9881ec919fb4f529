"""Friedman's test against R (tests/golden/04) and scipy, and the tables that it ranks."""

from dataclasses import replace
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from evenhand.errors import InvalidJudgments, NotIdentified, UnknownColumn, UnknownOption
from evenhand.numerics.cluster_means import average_ranks
from evenhand.ranking.significance import friedman_test, score_blocks, skillings_mack_test
from golden_numbers import entries, golden
from tallies import dras, tally

TABLES = arrays(float, st.tuples(st.integers(2, 6), st.integers(3, 5)), elements=st.integers(0, 4))


@pytest.mark.parametrize("entry", entries("04_friedman"), ids=lambda entry: entry.id)
def test_everything_is_as_in_r(entry):
    found = friedman_test(np.array(entry.input["table"], dtype=float))
    expected, slack = entry.expected, entry.tolerance["stat"]
    assert found.statistic == pytest.approx(expected["statistic"], rel=0, abs=slack)
    assert found.df == expected["df"]
    assert found.p == pytest.approx(expected["p"], rel=0, abs=entry.tolerance["p"])
    assert found.mean_ranks.tolist() == pytest.approx(expected["mean_ranks"], abs=slack)
    assert found.kendall_w == pytest.approx(expected["kendall_w"], rel=0, abs=slack)
    assert found.f == pytest.approx(expected["iman_davenport_F"], rel=0, abs=slack)
    assert found.f_p == pytest.approx(expected["iman_davenport_p"], abs=entry.tolerance["p"])


@given(TABLES)
def test_ranks_and_statistic_are_those_of_scipy(table):
    np.testing.assert_array_equal(average_ranks(table), stats.rankdata(table, axis=1))
    assume(np.ptp(table, axis=1).any())
    expected = stats.friedmanchisquare(*table.T)
    found = friedman_test(table)
    assert found.statistic == pytest.approx(expected.statistic, abs=1e-9)
    assert found.p == pytest.approx(expected.pvalue, abs=1e-9)


def test_scores_of_table_1_by_judge_order_systems_as_its_first_preferences_do():
    scored = score_blocks(dras(golden("02_llbt_multi_pair_judges", "eq1_with_ties")), "judge")
    first = np.array(golden("04_friedman", "t1_first_pref_counts").input["table"])
    # half of a system's ties, Dras (2015), Table 1, on top of its first preferences
    halves = [[1, 1.5, 1, 1.5], [3, 3, 2.5, 1.5], [5, 6, 3.5, 3.5], [2.5, 3, 1.5, 3]]
    assert (scored.systems, scored.names) == (("A", "B", "C", "D"), ("J1", "J2", "J3", "J4"))
    np.testing.assert_allclose(scored.scores, (first + halves) / 120)
    assert scored.test().statistic == pytest.approx(10.2)
    assert scored.test().mean_places.tolist() == pytest.approx([1.25, 3.25, 3.75, 1.75])


@pytest.mark.parametrize("pattern", [(1, 2, 3), (1, 1, 2)])
def test_blocks_that_agree_completely_have_the_exact_chance_of_doing_so(pattern):
    found = friedman_test(np.array([pattern] * 3, dtype=float))
    orders = set(permutations(pattern))
    same = sum(len(set(blocks)) == 1 for blocks in product(orders, repeat=3))
    assert (found.f, found.kendall_w) == (None, 1.0)
    assert found.f_p == pytest.approx(same / len(orders) ** 3)


def test_what_cannot_be_tested_is_refused():
    with pytest.raises(NotIdentified, match="there are 1 block"):
        friedman_test(np.ones((1, 3)))
    with pytest.raises(NotIdentified, match="on a par"):
        friedman_test(np.ones((4, 3)))


ROWS = [
    ("A", "B", 3, 0, 1, "ann"),
    ("B", "C", 3, 0, 1, "ann"),
    ("A", "B", 2, 1, 1, "tom"),
    ("A", "C", 3, 0, 1, "tom"),
    ("A", "B", 5, 0, 0, "eve"),
]


def test_fewer_than_two_complete_blocks_are_refused_with_their_number():
    scored = score_blocks(tally(*ROWS[:2], ROWS[-1]), "judge")
    with pytest.raises(NotIdentified, match="1 of 2 judges compared all 3 systems: excluded eve"):
        scored.test()


COUNT = st.integers(0, 3)
BOARDS = st.lists(st.lists(st.tuples(COUNT, COUNT, COUNT), min_size=6, max_size=6), max_size=6)


@given(BOARDS, st.sampled_from(["judge", "ranking"]))
def test_exchanging_better_and_worse_turns_the_order_and_keeps_the_test(boards, by):
    pairs = list(combinations("ABCD", 2))
    rows = [
        (*pair, *counts, f"block {i}")
        for i, board in enumerate(boards)
        for pair, counts in zip(pairs, board, strict=True)
    ]
    assume(rows)
    one = tally(*rows, factor=by)
    turned = replace(one, wins=one.losses, losses=one.wins)
    scored, other = score_blocks(one, by), score_blocks(turned, by)
    np.testing.assert_allclose(scored.scores, 1 - other.scores, atol=1e-11)
    assume(len(scored.names) > 1 and np.ptp(average_ranks(scored.scores), axis=1).any())
    assert scored.test().statistic == pytest.approx(other.test().statistic, abs=1e-9)


RANKS = st.lists(st.integers(1, 4), min_size=4, max_size=4)


@given(st.lists(RANKS, min_size=2, max_size=4), st.data())
def test_a_ranking_with_outputs_of_several_systems_orders_them_by_its_own_ranks(ranks, data):
    names, own = "abcdef", []
    rows = []
    for i, one in enumerate(ranks):
        # systems e and f share the output of another system, as in "a+e"
        shown = [0, 1, 2, 3, *data.draw(st.tuples(st.integers(0, 3), st.integers(0, 3)))]
        own.append([one[output] for output in shown])
        rows += [
            (names[a], names[b], x < y, x == y, x > y, f"r{i}")
            for a, b in combinations(range(6), 2)
            for x, y in [(own[-1][a], own[-1][b])]
            if shown[a] != shown[b]
        ]
    scored = score_blocks(tally(*rows, factor="ranking"), "ranking")
    assert len(scored.names) == len(ranks)
    np.testing.assert_array_equal(average_ranks(scored.scores), average_ranks(-np.array(own)))


def test_what_a_tally_cannot_tell_is_refused():
    one = tally(*ROWS)
    with pytest.raises(UnknownColumn, match="does not distinguish item"):
        score_blocks(one, "item")
    merged = {"judge": replace(one.factors["judge"], merged=True)}
    with pytest.raises(UnknownOption, match="were merged"):
        score_blocks(replace(one, factors=merged), "judge")
    with pytest.raises(UnknownOption, match="importance weights"):
        score_blocks(replace(one, squares=one.counts), "judge")


@pytest.mark.parametrize("entry", entries("04_friedman"), ids=lambda entry: entry.id)
def test_skillings_and_mack_of_complete_blocks_is_friedman_in_r(entry):
    found = skillings_mack(entry.input["table"])
    expected, slack = entry.expected, entry.tolerance["stat"]
    assert found.statistic == pytest.approx(expected["statistic"], rel=0, abs=slack)
    assert found.df == expected["df"]
    assert found.p == pytest.approx(expected["p"], rel=0, abs=entry.tolerance["p"])


@pytest.mark.parametrize("name", ["skillings_mack", "ice_cream"])
def test_skillings_and_mack_and_durbin_are_as_printed(name):
    entry = golden("rating_tests", name)
    found = skillings_mack(entry.input["table"])
    expected, slack = entry.expected, entry.tolerance
    assert found.statistic == pytest.approx(expected["statistic"], rel=0, abs=slack["statistic"])
    assert (found.df, found.blocks) == (expected["df"], len(entry.input["table"]))
    assert found.p == pytest.approx(expected["p"], rel=0, abs=slack["p"])


def test_blocks_that_link_no_systems_take_degrees_of_freedom_and_single_scores_say_nothing():
    nan = np.nan
    table = [[1, 2, nan, nan]] * 6 + [[nan, nan, 2, 1]] * 6 + [[5, nan, nan, nan]]
    found = skillings_mack(table)
    assert (found.df, found.blocks) == (2, 12)
    # of two systems the test is McNemar's: (6 − 0)² / 6 for each pair
    assert found.statistic == pytest.approx(12)
    for nothing in ([[1, nan], [nan, 1]], [[2, 2], [1, 1]]):
        with pytest.raises(NotIdentified, match="nothing to compare"):
            skillings_mack(nothing)


def skillings_mack(table):
    scores = np.array(table, dtype=float)
    block, system = np.nonzero(~np.isnan(scores))
    names = tuple("abcdefg"[: scores.shape[1]])
    return skillings_mack_test(block, system, scores[block, system], names)


def test_a_block_with_a_hole_is_refused_by_name():
    table = np.array([[1, 2, 3], [1, np.nan, 2], [2, 1, 3.0]])
    said = "tom has no score for B: leave incomplete blocks out"
    with pytest.raises(InvalidJudgments, match=said):
        friedman_test(table, "ABC", ("ann", "tom", "eve"))
