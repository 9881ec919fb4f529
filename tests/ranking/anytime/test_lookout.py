"""What is decided vote by vote: the same as by a full look after each, and nothing is lost."""

import numpy as np
import polars as pl
import pytest

from evenhand import read
from evenhand.ranking.sequential.leaderboard import LiveLeaderboard
from evenhand.ranking.sequential.votes import Vote
from evenhand.ranking.sequential.watch import watch


def draw(n, *, systems=6, gap=0.5, tie=0.5, seed=0, late=()):
    """Votes, the first system by name the best; late ones come after a third of the votes."""
    rng = np.random.default_rng(seed)
    votes = []
    for number in range(n):
        known = systems if 3 * number > n else systems - len(late)
        left, right = rng.choice(known, 2, replace=False).tolist()
        eta = gap * (right - left)
        parts = np.array([np.exp(eta / 2), tie, np.exp(-eta / 2)])
        said = ("left", "tie", "right")[rng.choice(3, p=parts / parts.sum())]
        votes.append(Vote(f"s{left}", f"s{right}", said, f"j{number % 9}"))
    return votes


def look_always(state, votes):
    for vote in votes:
        state.observe([vote])
        state.decide()
    return state


def follow(state, votes):
    for vote in votes:
        state.follow([vote])
    return state


ARMS = {
    "near": {"gap": 0.7},
    "far, so that systems are unbeaten for long": {"gap": 2.5, "tie": 0.0},
    "equal": {"gap": 0.0},
    "one comes late": {"gap": 0.8, "late": (5,)},
    "two systems": {"systems": 2, "gap": 0.8},
    "many, most of which meet seldom": {"systems": 9, "gap": 1.0},
}


@pytest.mark.parametrize(("ties", "named"), [("davidson", False), ("discard", True)])
@pytest.mark.parametrize("arm", ARMS)
def test_whoever_follows_votes_decides_what_a_full_look_after_each_would(arm, ties, named):
    votes = draw(300, **ARMS[arm])
    board = LiveLeaderboard(ties=ties, judge_votes=20)
    systems = sorted({vote.left for vote in votes}) if named else ()
    slow, fast = look_always(board.start(systems), votes), follow(board.start(systems), votes)
    key = lambda one: (one.votes, one.better, one.worse, one.by)  # noqa: E731
    assert sorted(fast.claims, key=key) == sorted(slow.claims, key=key)
    assert fast.judge_claims == slow.judge_claims
    assert bool(fast.claims) == (arm != "equal")


@pytest.mark.parametrize("seed", range(3))
def test_a_longer_table_decides_all_that_a_shorter_one_does(seed):
    """Also where the votes that follow are on a system that nobody knew of."""
    votes = draw(200, systems=3, gap=0.9, seed=seed)
    rows = [(vote.left, vote.right, vote.outcome) for vote in votes]
    table = pl.DataFrame(rows, schema=["left", "right", "outcome"], orient="row")
    stranger = pl.DataFrame([("s9", "s0", "left")] * 2, schema=table.schema, orient="row")
    whole = watch(read(table)).state.claims
    assert whole
    for length in (5, 59, 60, 61, 119, *(one.votes for one in whole)):
        part = watch(read(table[:length])).state.claims
        assert part == [one for one in whole if one.votes <= length]
        more = watch(read(pl.concat([table[:length], stranger]))).state.claims
        assert more[: len(part)] == part


def test_systems_are_named_by_the_first_sixty_votes_or_by_the_square_of_their_number():
    votes = draw(400, systems=12)
    state = LiveLeaderboard().start()
    for number, vote in enumerate(votes, start=1):
        state.follow([vote])
        assert (state.founders is None) == (number < 144)
    assert state.founders == 12
    few = follow(LiveLeaderboard().start(), draw(59, systems=3))
    assert few.founders is None
    assert any("once 60 votes have named the systems" in note for note in few.look().notes)
    assert follow(few, draw(1, systems=3)).founders == 3


def test_votes_that_named_the_systems_are_no_direct_votes():
    """Else whoever adds systems while direct votes look bad gains by it: their level is shared."""
    state = follow(LiveLeaderboard(ties="discard").start(), [Vote("a", "b", "left")] * 60)
    assert state.numerator.direct(0, 1) == (0, 0)
    follow(state, [Vote("a", "b", "left")] * 3)
    assert state.numerator.direct(0, 1) == (3, 0)
    assert state.numerator.direct(1, 0) == (0, 3)
    named = follow(LiveLeaderboard(ties="discard").start(["a", "b"]), [Vote("a", "b", "left")] * 60)
    assert named.numerator.direct(0, 1) == (60, 0)


def test_judges_count_on_systems_that_were_named_before_alone():
    """A late system has no share in the level that judges' pairs have."""
    state = LiveLeaderboard(judge_votes=1).start(["a", "b"])
    for number in range(40):
        state.follow([Vote("z", "a", "left", f"j{number}")])
    assert state.judge_claims == []
    assert state.signs.closed == set()
    for number in range(40):
        state.follow([Vote("a", "b", "left", f"j{number}")])
    assert [(one.better, one.worse) for one in state.judge_claims] == [("a", "b")]
