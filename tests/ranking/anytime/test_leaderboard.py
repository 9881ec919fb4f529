"""The state of a board: claims that only grow, restarts, revisions, latecomers."""

import json
import re
from hashlib import sha256

import numpy as np
import polars as pl
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import beta

from evenhand import InvalidJudgments, UnknownFormat, UnknownOption, read
from evenhand.ranking.sequential.leaderboard import (
    LiveLeaderboard,
    read_board,
    write_board,
)
from evenhand.ranking.sequential.votes import Vote
from evenhand.ranking.sequential.watch import watch
from evenhand.ranking.sides import log_one_sided, note_sides
from ranking.anytime.arrivals import NAMES, draw_votes


def run(state, votes, every=50):
    for number, vote in enumerate(votes, start=1):
        state.observe([vote])
        if number % every == 0:
            state.decide()
    return state


def test_the_evidence_of_two_systems_is_what_one_computes_by_hand():
    """N from the root of each step's own score equation; the supremum is n log ½."""
    said = ["left", "left", "right", "left", "left", "left"]
    state, log_numerator = LiveLeaderboard(ties="discard").start(["a", "b"]), 0.0
    for start in (0, 4):  # of four votes on two systems all worths are fitted
        wins = said[:start].count("left")

        def slope(half, wins=wins, n=start):
            """Of worths ±half: 2 wins − 2 n p(2 half) − tanh(half / 2)."""
            return 2 * wins - 2 * n / (1 + np.exp(-2 * half)) - np.tanh(half / 2)

        chance = 1 / (1 + np.exp(-2 * brentq(slope, -9, 9, xtol=1e-13)))
        batch = said[start : start + 4]
        log_numerator += sum(np.log(chance if one == "left" else 1 - chance) for one in batch)
        state.observe([Vote("a", "b", one) for one in batch])
    assert state.log_evidence("a", "b") == pytest.approx(log_numerator - 6 * np.log(0.5), abs=1e-8)
    assert state.log_evidence("b", "a") == -np.inf


@pytest.mark.parametrize("ties", ["davidson", "discard"])
def test_a_restart_changes_nothing(ties):
    votes = draw_votes(600)
    whole = run(LiveLeaderboard(ties=ties, judge_votes=40).start(NAMES), votes)
    state = run(LiveLeaderboard(ties=ties, judge_votes=40).start(NAMES), votes[:250])
    state = run(read_board(write_board(state)), votes[250:])
    assert whole.claims
    assert write_board(state) == write_board(whole)
    assert state.look().to_dict() == whole.look().to_dict()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"format": "evenhand bo', "is no board: it is no JSON"),
        ("[" * 100_000, "is no board: it is no JSON"),
        ("[]", "is no board: it lacks"),
        ('{"format": "evenhand sort 1"}', "is no board: it lacks"),
        ('{"format": "evenhand board 1"}', 'is of another version: "evenhand board 1"'),
    ],
    ids=["cut", "too deep", "a list", "a sort", "another version"],
)
def test_what_is_no_board_is_refused(text, fault):
    with pytest.raises(UnknownFormat, match=f"this (board )?{fault}"):
        read_board(text)


@pytest.mark.parametrize(
    ("name", "value"), [("seen", []), ("shown", [[0]]), ("systems", 3), ("founders", 1e999)]
)
def test_a_forged_board_is_refused_in_words(name, value):
    body = json.loads(write_board(run(LiveLeaderboard().start(NAMES), draw_votes(20))))
    del body["sha256"]
    body[name] = value
    plain = json.dumps(body, sort_keys=True, separators=(",", ":"))
    body["sha256"] = sha256(plain.encode()).hexdigest()
    with pytest.raises(UnknownFormat, match="this board cannot be read"):
        read_board(json.dumps(body))


def test_a_revised_vote_is_ignored_and_counted():
    first = Vote("ash", "birch", "left", "ann", "item 1")
    again = Vote("birch", "ash", "left", "ann", "item 1")
    state = LiveLeaderboard().start(NAMES)
    state.observe([first])
    before = state.numerator.to_dict()
    state.observe([again])
    assert state.numerator.to_dict() == before
    board = state.look()
    assert (board.n_votes, board.n_revised) == (1, 1)
    assert "second answers to one question by one judge are not counted: 1 of 2" in board.notes


def test_a_system_that_comes_later_goes_on_the_board_and_is_named():
    state = run(
        LiveLeaderboard().start(NAMES[:3]),
        [v for v in draw_votes(400) if "dogwood" not in (v.left, v.right)],
    )
    claims = list(state.claims)
    state = run(state, [Vote("elm", "ash", "left")] * 70)
    board = state.look()
    assert board.systems[0] == "elm"
    assert state.claims[: len(claims)] == claims
    assert ("elm", "ash", "all votes") in [(c.better, c.worse, c.by) for c in board.decided]
    assert any(note.startswith("elm came later") for note in board.notes)


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"ties": "half-win"}, r"no probability of a vote.*davidson.*or discard"),
        ({"ties": "rao"}, "ties cannot be 'rao'"),
        ({"level": 1.0}, "level"),
        ({"level": 0.3}, "at least 0.5 and below 1"),
        ({"judge_votes": 0}, "batch"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, fault):
    with pytest.raises(UnknownOption, match=fault):
        LiveLeaderboard(**settings)


@pytest.mark.parametrize(
    ("vote", "fault"),
    [
        (("a", "b", "lef"), "cannot be 'lef': left | tie | right. Did you mean 'left'?"),
        (("a", "a", "tie"), "'a' stands on both sides"),
        (("a", "", "tie"), "without a name"),
    ],
)
def test_votes_that_cannot_be_are_refused(vote, fault):
    with pytest.raises(InvalidJudgments, match=re.escape(fault)):
        Vote(*vote)


# Who leads, and that nobody does across systems that no vote joins.


APART = "Nobody leads now: claude, gem were never compared with gpt, old."


def draw_islands(n=200, *, judges=8, seed=1):
    """gpt wins four in five against old, claude one in two against gem: gpt met the weaker one."""
    rng = np.random.default_rng(seed)
    rows = [
        (*pair, "left" if rng.random() < share else "right", f"j{i % judges}", str(i))
        for i in range(n)
        for pair, share in ((("gpt", "old"), 0.8), (("claude", "gem"), 0.5))
    ]
    return pl.DataFrame(rows, ["left", "right", "outcome", "judge", "item"], orient="row")


@pytest.mark.parametrize("left_out", [(), ("judge", "item")], ids=["judges", "no judges"])
def test_nobody_leads_across_systems_that_were_never_compared(left_out):
    board = watch(read(draw_islands().drop(left_out))).board
    assert board.says[-1] == APART
    assert [one.place for one in board.standings] == [None] * 4
    assert board.groups == (("claude", "gem"), ("gpt", "old"))
    assert set(board.systems[:2]) == {"claude", "gem"}
    assert board.systems[2:] == ("gpt", "old")
    notes = " ".join(board.notes)
    assert ("each is ranked by itself" in notes) == (not left_out)
    assert "Votes go both ways only" not in notes


def test_a_system_without_a_vote_is_named():
    state = LiveLeaderboard().start(["a", "b", "c"])
    state.follow([Vote("a", "b", "left"), Vote("a", "b", "right"), Vote("a", "b", "left")])
    board = state.show()
    assert board.says[-1] == 'Nobody leads now: "c" was never compared with any other system.'
    assert board.systems == ("a", "b", "c")
    state.follow([Vote("b", "c", "left")])
    assert state.show().says[-1].startswith("a leads now")


# Sides that were not drawn by lot are named; those that were hardly ever are.


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
