"""Sides that were not drawn by lot are named; those that were hardly ever are."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import beta

from evenhand.ranking.sequential.leaderboard import LiveLeaderboard
from evenhand.ranking.sequential.votes import Vote
from evenhand.ranking.sides import log_one_sided, note_sides

NAMES = ("ash", "birch", "cedar", "dogwood")


@pytest.mark.parametrize(("first", "second"), [(0, 0), (7, 0), (3, 12), (30, 28)])
def test_the_evidence_is_the_mixture_of_all_chances(first, second):
    def mixed(p):
        return p ** (first + 4) * (1 - p) ** (second + 4) / beta(5, 5)

    value = quad(mixed, 0, 1)[0] * 2.0 ** (first + second)
    one = log_one_sided(np.array([float(first)]), np.array([float(second)]))
    assert np.exp(one).tolist() == pytest.approx([value], rel=1e-8)


def test_of_systems_that_always_stand_first_by_name_the_surest_are_named():
    shown = {(s, t): [20, 5, 15] for s in range(4) for t in range(s + 1, 4)}
    (note,) = note_sides(NAMES, shown)
    assert "ash stood first in 120 of 120 votes, dogwood stood first in 0 of 120 votes." in note


def test_a_pair_that_stands_one_way_is_found_where_each_system_stands_both_ways():
    """Each of three stands before one other: 60 of its 120 votes."""
    shown = {(0, 1): [30, 0, 30], (1, 2): [30, 0, 30], (2, 0): [30, 0, 30]}
    (note,) = note_sides(NAMES[:3], shown)
    assert "ash stood before birch in 60 of 60 votes" in note
    assert "and 1 more" in note


def test_sides_drawn_by_lot_are_hardly_ever_named_however_often_one_looks():
    """At most 5 % of boards; 100 of them, 12 looks: 5 + 3.09 √(100 · .05 · .95) = 11.7."""
    rng, named = np.random.default_rng(8), 0
    for _ in range(100):
        shown: dict = {}
        said = False
        for look in range(12):
            for _ in range(5 * (look + 1)):
                left, right = rng.permutation(4)[:2].tolist()
                shown.setdefault((left, right), [0, 0, 0])[0] += 1
            said = said or bool(note_sides(NAMES, shown))
        named += said
    assert named <= 11


def test_a_board_says_so_as_long_as_sides_are_known():
    state = LiveLeaderboard().start(NAMES)
    state.observe([Vote("ash", "birch", "left"), Vote("ash", "birch", "right")] * 20)
    assert any("ash stood first in 40 of 40 votes" in note for note in state.look().notes)
    state.sides_known = False
    assert state.look().notes == ()
