"""The rules that are shares of wins, ties and losses."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.errors import NotIdentified
from evenhand.ranking.methods import RULES
from tallies import tally

SHARES = {
    "origwmt": "origwmt",
    "bojar": "bojar",
    "win-rate": "win_rate",
    "expected-wins": "expected_wins_over_observed_pairs",
    "expected-wins-zero": "expected_wins_missing_pair_as_zero",
}
OWN = (*SHARES, "expected-net-wins", "soccer", "vilar", "vilar-sort")


def score(name, one):
    return RULES[name].score(one)


def by_system(scores):
    return dict(zip(scores.systems, scores.values.tolist(), strict=True))


@pytest.mark.parametrize("name", SHARES)
def test_shares_are_those_counted_by_hand(golden, name):
    entry = golden("11_ranking_heuristics", "heur")
    found = by_system(score(name, tally(*entry.input["rows"])))
    assert found == pytest.approx(entry.expected[SHARES[name]], abs=1e-12, rel=0)


def test_missing_pairs_are_said_by_both_rules_of_expected_wins(golden):
    one = tally(*golden("11_ranking_heuristics", "heur").input["rows"])
    left_out = score("expected-wins", one).notes
    assert left_out == ("1 of 10 pairs never decided: they do not count.",)
    zero = score("expected-wins-zero", one).notes
    assert zero == ("1 of 10 pairs never decided: they count 0 for both.",)


def test_a_system_entered_twice_gains_by_origwmt_and_not_by_bojar():
    """Hopkins & May (2013), section 2: a third each of wins, ties and losses; copies always tie."""
    once = tally(("A", "B", 20, 20, 20))
    twice = tally(("A", "B", 20, 20, 20), ("A", "C", 20, 20, 20), ("B", "C", 0, 60, 0))
    close = {"abs": 1e-12, "rel": 0}
    assert by_system(score("origwmt", once)) == pytest.approx({"A": 2 / 3, "B": 2 / 3}, **close)
    found = by_system(score("origwmt", twice))
    assert found == pytest.approx({"A": 2 / 3, "B": 5 / 6, "C": 5 / 6}, **close)
    assert by_system(score("bojar", once)) == {"A": 0.5, "B": 0.5}
    assert by_system(score("bojar", twice)) == {"A": 0.5, "B": 0.5, "C": 0.5}


def test_net_wins_and_points_of_a_board_computed_by_hand():
    """A meets B (3, 1, 0) and C (1, 0, 1); B and C never met."""
    one = tally(("A", "B", 3, 1, 0), ("C", "A", 1, 0, 1))
    net = by_system(score("expected-net-wins", one))
    assert net == pytest.approx({"A": 0.375, "B": -0.75, "C": 0.0}, abs=1e-12)
    points = by_system(score("soccer", one))
    assert points == pytest.approx({"A": 0.6875, "B": 0.125, "C": 0.5}, abs=1e-12)


@pytest.mark.parametrize("name", ["bojar", "expected-wins"])
def test_a_share_of_decided_comparisons_is_refused_for_a_system_that_only_ties(name):
    one = tally(("A", "B", 3, 1, 2), ("C", "A", 0, 4, 0))
    with pytest.raises(NotIdentified, match=rf"{name} is a share of .* all of C are ties"):
        score(name, one)


@pytest.mark.parametrize("name", ["bojar", "expected-wins"])
def test_a_share_of_decided_comparisons_is_refused_for_groups_that_only_ties_join(name):
    one = tally(("A", "B", 3, 1, 2), ("B", "C", 0, 4, 0), ("C", "D", 3, 0, 1), ("C", "E", 1, 0, 0))
    with pytest.raises(NotIdentified, match=rf"{name} is .* only ties join A, B to the rest"):
        score(name, one)
    assert len(score("expected-net-wins", one).values) == 5


def test_a_system_that_only_ties_gets_zero_where_missing_pairs_are_zero_and_that_is_said():
    found = score("expected-wins-zero", tally(("A", "B", 3, 1, 1), ("C", "A", 0, 4, 0)))
    assert found.values.tolist() == [0.375, 0.125, 0.0]
    assert found.notes[1] == "All comparisons of C are ties: the score is 0 by this rule."


@pytest.mark.parametrize("name", RULES)
def test_systems_that_never_met_are_not_put_on_one_scale(name):
    with pytest.raises(NotIdentified, match=r"2 groups .* never compared: nothing joins A, B to"):
        score(name, tally(("A", "B", 3, 1, 2), ("C", "D", 1, 1, 2)))
    with pytest.raises(NotIdentified, match="nothing joins C to the rest"):
        score(name, tally(("A", "B", 3, 1, 2), systems="ABC"))
    with pytest.raises(NotIdentified, match="no comparison among 2 systems"):
        score(name, tally(("A", "B", 0, 0, 0)))


@pytest.mark.parametrize("name", OWN)
def test_importance_weights_multiply_counts(name):
    whole = tally(("A", "B", 3, 1, 2), ("B", "C", 5, 0, 1))
    rows = np.array([[1.0, 0.25, 0.5], [2.0, 0.0, 0.25]])
    half = replace(
        whole, wins=whole.wins / 2, ties=whole.ties / 2, losses=whole.losses / 2, squares=rows
    )
    np.testing.assert_allclose(score(name, half).values, score(name, whole).values, rtol=1e-14)
