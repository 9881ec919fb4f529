"""Habits with known truth: who has one is found, and hardly anybody else."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.data.votes import Votes
from evenhand.judges import comparison_evidence
from evenhand.judges.comparison_evidence import find_slopes, find_vote_habits
from evenhand.numerics.multiple_tests import benjamini_hochberg
from experiments.campaign import generator
from vote_campaigns import Panel, RankingPanel


def habits(votes: Votes) -> dict:
    return {one.name: one for one in find_vote_habits(votes, find_slopes(votes))}


def test_a_judge_who_takes_the_left_output_too_often_stands_out():
    votes = Panel(120).simulate(generator(4, 60, 0))
    rng = np.random.Generator(np.random.PCG64(1))
    lazy = (votes.judge == 4) & (rng.random(votes.size) < 0.7)
    found = habits(replace(votes, outcome=np.where(lazy, 0, votes.outcome).astype(np.int8)))
    position = found["position-biased"]
    assert position.p.argmin() == 4
    assert benjamini_hochberg(position.p)[4] < 0.01
    assert position.value[4] > 1


def test_a_bias_that_all_judges_share_makes_nobody_stand_out():
    votes = Panel(60).simulate(generator(4, 61, 0))
    rng = np.random.Generator(np.random.PCG64(2))
    outcome = np.where(rng.random(votes.size) < 0.3, 0, votes.outcome).astype(np.int8)
    position = habits(replace(votes, outcome=outcome))["position-biased"]
    assert benjamini_hochberg(position.p).min() > 0.05
    medians = {float(said.split()[-2]) for said in position.says}
    assert len(medians) == 1
    assert medians.pop() > 57  # logit .3


def test_a_judge_who_calls_nearly_everything_equal_is_coarse():
    votes = Panel(60).simulate(generator(4, 62, 0))
    rng = np.random.Generator(np.random.PCG64(3))
    vague = (votes.judge == 9) & (rng.random(votes.size) < 0.8)
    coarse = habits(replace(votes, outcome=np.where(vague, 1, votes.outcome).astype(np.int8)))
    assert coarse["coarse"].p.argmin() == 9
    assert benjamini_hochberg(coarse["coarse"].p)[9] < 0.01


def with_moments(votes: Votes, seed: int) -> tuple[Votes, np.ndarray]:
    """Half a minute between answers, in random order; and who is in the second half."""
    rng = np.random.Generator(np.random.PCG64(seed))
    place = np.empty(votes.size)
    late = np.zeros(votes.size, dtype=bool)
    for judge in range(len(votes.judges)):
        own = rng.permutation(np.flatnonzero(votes.judge == judge))
        place[own] = np.arange(len(own))
        late[own[len(own) // 2 :]] = True
    return replace(votes, moment=30.0 * place), late


def test_a_judge_who_stops_to_care_within_a_session_drifts():
    votes, late = with_moments(Panel(600).simulate(generator(4, 63, 0)), 4)
    rng = np.random.Generator(np.random.PCG64(5))
    tired = (votes.judge == 2) & late
    drawn = np.where(rng.random(votes.size) < 0.5, 0, 2)
    outcome = np.where(tired, drawn, votes.outcome).astype(np.int8)
    drifting = habits(replace(votes, outcome=outcome))["drifting"]
    assert drifting.p.argmin() == 2
    assert benjamini_hochberg(drifting.p)[2] < 0.05
    assert drifting.value[2] < -0.5


def test_honest_campaigns_seldom_show_a_habit():
    """Of 100 campaigns at most .05 + 3.09 √(.0475/100) show one at a rate of .05."""
    alarms = 0
    for replicate in range(50):
        for panel in (Panel(60), RankingPanel(12)):
            votes, _ = with_moments(panel.simulate(generator(4, 64, replicate)), replicate)
            p = np.concatenate([one.p for one in habits(votes).values()])
            alarms += benjamini_hochberg(p).min() <= 0.05
    assert alarms / 100 <= 0.05 + 3.09 * np.sqrt(0.0475 / 100)


def test_nothing_is_said_of_what_is_not_known():
    votes = Panel(30).simulate(generator(4, 65, 0))
    assert set(habits(votes)) == {"position-biased", "coarse"}
    assert set(habits(replace(votes, positions_known=False))) == {"coarse"}
    assert set(habits(votes.take(votes.outcome != 1))) == {"position-biased"}
    assert find_vote_habits(votes.take(np.arange(30)), find_slopes(votes.take(np.arange(30)))) == ()


def test_comparisons_that_an_answer_says_twice_count_once():
    """Every vote twice in one answer: Sum (2s)^2 / Sum 2 s^2 = 2 takes back the doubled votes."""
    votes = Panel(60).simulate(generator(4, 66, 0))
    slopes = find_slopes(votes)
    double = np.tile(np.arange(votes.size), 2)
    twice = replace(votes.take(double), answer=double.astype(np.int32))
    both = np.concatenate([slopes.rows, slopes.rows + votes.size])
    parts = {name: np.tile(getattr(slopes, name), 2) for name in ("judge", "x", "won")}
    doubled = replace(slopes, rows=both, **parts)
    ones = np.ones(len(slopes.rows))
    _, alone, _ = comparison_evidence._one_step(votes, slopes, ones)
    _, again, _ = comparison_evidence._one_step(twice, doubled, np.tile(ones, 2))
    assert again == pytest.approx(alone)
    share = float((votes.outcome == 1).mean())
    score = (twice.outcome == 1) - share
    assert comparison_evidence._inflate(twice.answer, score) == pytest.approx(2)
