"""Who leads, and that nobody does across systems that no vote joins."""

import numpy as np
import polars as pl
import pytest

from evenhand import read
from evenhand.ranking.sequential.leaderboard import (
    LiveLeaderboard,
)
from evenhand.ranking.sequential.votes import Vote
from evenhand.ranking.sequential.watch import watch

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


def test_the_note_says_that_the_groups_never_met():
    notes = " ".join(watch(read(draw_islands())).board.notes)
    assert "These groups were never compared with each other, and each is ranked by itself" in notes
    assert "Votes go both ways only" not in notes


def test_a_system_without_a_vote_is_named():
    state = LiveLeaderboard().start(["a", "b", "c"])
    state.follow([Vote("a", "b", "left"), Vote("a", "b", "right"), Vote("a", "b", "left")])
    board = state.show()
    assert board.says[-1] == 'Nobody leads now: "c" was never compared with any other system.'
    assert board.systems == ("a", "b", "c")
    state.follow([Vote("b", "c", "left")])
    assert state.show().says[-1].startswith("a leads now")
