"""Blind answers against what chance gives on paper, planted items, and blind judges themselves."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.data.votes import LEFT, RIGHT, TIE, Votes
from evenhand.errors import NotIdentified
from evenhand.judges.item_agreement import compare_items


def votes_on(judge, item, sides, outcome, answer=None):
    """Votes of judges on items, from arrays of codes."""
    left, right = sides
    names = [tuple(f"{k:04d}" for k in range(int(codes.max()) + 1)) for codes in (judge, item)]
    systems = tuple(f"s{k}" for k in range(int(max(left.max(), right.max())) + 1))
    codes = (np.zeros(len(judge)), judge, item, left, right)
    whole = [code.astype(np.int32) for code in codes]
    answers = None if answer is None else answer.astype(np.int32)
    return Votes(("",), *names, systems, *whole, outcome.astype(np.int8), answer=answers)


def compare_two(judges, items, rng, ties=0.0):
    """Blind judges compare two systems on every item."""
    judge, item = np.tile(np.arange(judges), items), np.repeat(np.arange(items), judges)
    said = np.where(rng.random(len(judge)) < 0.5, LEFT, RIGHT)
    said[rng.random(len(judge)) < ties] = TIE
    zero = np.zeros(len(judge))
    return votes_on(judge, item, (zero, zero + 1), said)


def rank_three(judges, items, rng, orders=None):
    """Judges rank three systems on every item, blindly or as told."""
    low, high = np.triu_indices(3, 1)
    answers = judges * items
    places = np.argsort(rng.random((answers, 3)), axis=1) if orders is None else orders
    said = np.where(places[:, low] < places[:, high], LEFT, RIGHT).ravel()
    answer = np.repeat(np.arange(answers), 3)
    sides = np.tile(low, answers), np.tile(high, answers)
    return votes_on(answer % judges, answer // judges, sides, said, answer)


def test_blind_judges_of_two_outputs_agree_in_half_of_pairs_and_all_of_them_in_an_eighth():
    found = compare_items(compare_two(4, 400, np.random.default_rng(1)))
    assert found.blind_agree.mean() == pytest.approx(3, abs=0.03)  # of six pairs of votes
    assert found.united[1] == pytest.approx(400 / 8, abs=2)


def test_blind_rankings_of_three_outputs_are_equal_in_one_of_six():
    found = compare_items(rank_three(2, 600, np.random.default_rng(2)))
    assert found.united[1] == pytest.approx(600 / 6, abs=3)
    assert found.split[1] == pytest.approx(600 / 6, abs=3)  # and exactly reversed as often


def test_ties_stay_where_they_were():
    votes = compare_two(3, 200, np.random.default_rng(3), ties=1.0)
    found = compare_items(votes)
    assert (found.blind_agree == 3).all()
    assert (found.blind_decided == 0).all()
    assert found.united == (0, 0.0)


def test_a_planted_item_of_one_mind_is_found_among_hundreds_and_no_other():
    votes = compare_two(15, 300, np.random.default_rng(4))
    votes.outcome[votes.item == 77] = LEFT
    found = compare_items(votes)
    assert np.flatnonzero(found.p_decided <= 0.05).tolist() == [77]
    assert found.decided[77] == found.comparable[77] == 15 * 14 / 2


def test_a_planted_item_of_exactly_opposite_rankings_contradicts_more_than_chance():
    rng = np.random.default_rng(5)
    low, high = np.triu_indices(8, 1)
    places = np.argsort(rng.random((200, 8)), axis=1)
    places[1] = 7 - places[0]  # both answers on item 0
    said = np.where(places[:, low] < places[:, high], LEFT, RIGHT).ravel()
    answer = np.repeat(np.arange(200), len(low))
    sides = np.tile(low, 200), np.tile(high, 200)
    found = compare_items(votes_on(answer % 2, answer // 2, sides, said, answer))
    assert found.agree[0] == 0
    assert found.p_against[0] <= 0.05
    assert (found.p_against <= 0.05).sum() == 1


@pytest.mark.parametrize("make", [compare_two, rank_three])
def test_among_blind_judges_some_item_is_called_extreme_in_one_campaign_of_twenty(make):
    rng = np.random.default_rng(6)
    campaigns, extreme = 120, np.zeros(2)
    for _ in range(campaigns):
        found = compare_items(make(5, 40, rng), replicates=39, seed=int(rng.integers(2**31)))
        extreme += [(p <= 0.05).any() for p in (found.p_decided, found.p_against)]
    assert (extreme <= 13).all()  # of 120; 13 or more have probability .01 at .05


def test_two_votes_of_one_judge_are_no_agreement():
    judge, zero = np.array([0, 0, 1]), np.zeros(3)
    found = compare_items(votes_on(judge, zero, (zero, zero + 1), np.array([LEFT, LEFT, RIGHT])))
    assert (found.agree.tolist(), found.comparable.tolist()) == ([0], [2])
    assert found.blind_agree[0] == pytest.approx(1, abs=0.3)


def test_nothing_is_said_where_no_output_pair_has_two_judges():
    votes = compare_two(1, 10, np.random.default_rng(11))
    with pytest.raises(NotIdentified, match="no two judges compared the same two outputs"):
        compare_items(votes)
    with pytest.raises(NotIdentified, match="names no items"):
        compare_items(replace(votes, items=("",)))
