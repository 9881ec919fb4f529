"""Boards keep what answers decided that are deleted: in every order, and whoever deletes them."""

import random
from pathlib import Path

import pytest

from evenhand.ranking.sequential.leaderboard import Confirmation
from evenhand.web import Store
from evenhand.web.dashboard import SETS_NOT_RENEWED, DashboardCache, LiveLeaderboards
from followed_campaigns import FREE, judge_some, list_claims, make, prefer
from stored_campaigns import HandClock, fill, judge_next, take

JUDGES = ("j0", "j1", "j2")


def show(boards: LiveLeaderboards) -> dict[str, object]:
    """All that a board says now."""
    boards.catch_up()
    return boards.look("t", FREE).board.to_dict()


@pytest.mark.parametrize("counted", [0, 15, 50])
def test_sums_outlast_the_answers_and_the_server_however_much_was_counted(
    tmp_path: Path, clock: HandClock, counted: int
) -> None:
    """Few votes, so that nothing is decided and no board is kept by itself."""
    where = str(tmp_path / "c.db")
    with Store.open(where, start=clock.start) as store:
        fill(store, make())
        judge_some(store, 10)
        running, whole = LiveLeaderboards(store), LiveLeaderboards(store)
        running.catch_up()
        judge_some(store, counted, seed=5)
        running.catch_up()
        judge_some(store, 50 - counted, seed=6)
        before = show(whole)
        assert before["n_votes"] == 60
        store.forget("j2", answers=True)
        assert show(running) == show(whole) == before
    with Store.open(where, start=clock.start) as store:
        assert show(LiveLeaderboards(store)) == before


@pytest.mark.parametrize("order", [JUDGES, JUDGES[::-1]])
@pytest.mark.parametrize("kind", ["pair", "rank"])
def test_of_two_servers_neither_loses_what_the_other_has_decided(
    tmp_path: Path, clock: HandClock, kind: str, order: tuple[str, ...]
) -> None:
    """The second one had not counted a vote when the answers were deleted, and goes on counting."""
    where = str(tmp_path / "c.db")
    with Store.open(where, start=clock.start) as one, Store.open(where, start=clock.start) as two:
        fill(one, make(kind, items=80))
        first, second = LiveLeaderboards(one), LiveLeaderboards(two)
        second.catch_up()
        judge_some(one, 225)
        first.catch_up()
        claims = list_claims(first)
        assert claims
        for judge in order[:2]:
            two.forget(judge, answers=True)
        one.forget(order[2], answers=True)
        second.catch_up()
        assert list_claims(second) == claims
        second._save(second._write(second._load()))
        first.catch_up()
        assert list_claims(first) == claims
    with Store.open(where, start=clock.start) as store:
        assert show(LiveLeaderboards(store))["n_votes"] == 225
        assert list_claims(LiveLeaderboards(store)) == claims


def test_votes_between_deletions_and_joins_are_counted_once(store: Store) -> None:
    """A board that follows each step, one that looks at the end, and one kept now and then."""
    fill(store, make(items=60))
    luck, steps, votes = random.Random(7), LiveLeaderboards(store), 0
    late = LiveLeaderboards(store)
    for turn in range(4):
        for _ in range(12):
            for judge in ("j0", "j1"):
                judge_next(store, judge, prefer(take(store, judge).ticket.systems, luck))
                votes += 1
        if turn == 1:
            store.join("j1", "j0")
        if turn:
            steps.catch_up()
        if turn == 2:
            judge_next(store, "j2")
            votes += 1
            store.forget("j2", answers=True)
    found = [show(one) for one in (steps, late, LiveLeaderboards(store))]
    assert found[0] == found[1] == found[2]
    assert found[0]["n_votes"] + found[0]["n_revised"] == votes


def test_what_rank_sets_confirmed_last_holds_when_no_answer_is_left(
    tmp_path: Path, clock: HandClock
) -> None:
    where = str(tmp_path / "c.db")
    with Store.open(where, start=clock.start) as store:
        fill(store, make(items=40))
        judge_some(store, 330)
        looks = DashboardCache(store, rest=0)
        before = looks.look().boards["t"].board
        assert before.decided
        for judge in JUDGES:
            store.forget(judge, answers=True)
        after = DashboardCache(store).look().boards["t"].board
        assert after.decided == before.decided
        assert SETS_NOT_RENEWED in after.notes
    with Store.open(where, start=clock.start) as store:
        board = DashboardCache(store).look().boards["t"].board
        assert board.decided == before.decided


def test_a_confirmation_is_kept_as_it_was_made(store: Store) -> None:
    fill(store, make())
    judge_some(store, 240)
    boards = LiveLeaderboards(store)
    boards.catch_up()
    pairs = {(one[0], one[1]) for one in list_claims(boards)}
    made = Confirmation(frozenset([("A", "C")]), {frozenset(("A", "B")): "why"}, ("note",), "how")
    boards.look("t", made)
    later = LiveLeaderboards(store)
    later.catch_up()
    own, told = later.look("t", None).board, boards.look("t", made).board
    assert own.decided == told.decided
    assert {(one.better, one.worse) for one in own.decided} == pairs & {("A", "C")}
    assert own.held == told.held
