"""Boards that follow a campaign: what they count, and what stays when the server stops."""

import random
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete

import evenhand
from evenhand.design.campaign import Campaign, Design, Item, Judge
from evenhand.design.tasks import PairTask
from evenhand.ranking.sequential.leaderboard import Leaderboard
from evenhand.ranking.sequential.watch import watch
from evenhand.web import NotStored, Store
from evenhand.web.dashboard import SETS_NOT_RENEWED, DashboardCache, LiveLeaderboards
from evenhand.web.downloads import open_download
from evenhand.web.findings import Findings, Order
from evenhand.web.store import judging
from evenhand.web.store.boards import SavedBoard, read_boards, save_boards
from evenhand.web.store.schema import boards as kept_table
from followed_campaigns import FREE, SYSTEMS, judge_some, list_claims, make, prefer
from stored_campaigns import HandClock, fill, judge_next, list_judgments, take


def test_a_board_decides_what_watch_decides_from_the_table_with_the_same_votes(
    store: Store, tmp_path: Path
) -> None:
    fill(store, make())
    judge_some(store, 180)
    boards = LiveLeaderboards(store)
    boards.catch_up()
    table = tmp_path / "comparisons.csv"
    table.write_bytes(b"".join(open_download(store, table.name) or ()))
    found = watch(evenhand.read(table), systems=SYSTEMS)  # type: ignore[arg-type]
    claims = [(one.better, one.worse, one.votes, one.by) for one in found.state.claims]
    assert claims
    assert list_claims(boards) == claims
    own = boards.look("t", FREE).board
    assert own.log_numerator == pytest.approx(found.board.log_numerator)
    assert [(one.system, one.wins, one.ties, one.losses) for one in own.standings] == [
        (one.system, one.wins, one.ties, one.losses) for one in found.board.standings
    ]


@pytest.mark.parametrize("kind", ["pair", "rank"])
def test_a_board_goes_on_after_a_restart_as_if_there_had_been_none(
    tmp_path: Path, clock: HandClock, kind: str
) -> None:
    where = str(tmp_path / "c.db")
    with Store.open(where, start=clock.start) as store:
        fill(store, make(kind))
        judge_some(store, 20)
        LiveLeaderboards(store).catch_up()
        judge_some(store, 30, seed=3)
        first = LiveLeaderboards(store)
        first.catch_up()
        first.look("t", FREE)
    with Store.open(where, start=clock.start) as store:
        later, whole = LiveLeaderboards(store), LiveLeaderboards(store)
        judge_some(store, 39, seed=2)
        later.catch_up()
        with store.engine.begin() as connection:
            connection.execute(delete(kept_table))
        whole.catch_up()
        assert list_claims(later) == list_claims(whole) != []
        assert later.look("t", FREE).board.to_dict() == whole.look("t", FREE).board.to_dict()


def follow(store: Store) -> Leaderboard:
    """Count all votes anew; return what the board says."""
    boards = LiveLeaderboards(store)
    boards.catch_up()
    return boards.look("t", FREE).board


def test_an_answer_that_was_taken_back_counts_as_it_was_first_given(store: Store) -> None:
    fill(store, make())
    systems = take(store, "j0").ticket.systems
    judge_next(store, "j0", {"outcome": "left"})
    store.do(judging.undo, "j0")
    judge_next(store, "j0", {"outcome": "right"})
    board = follow(store)
    assert (board.n_votes, board.n_revised) == (1, 1)
    assert [one.system for one in board.standings if one.wins] == [systems[0]]


@pytest.mark.parametrize("kind", ["pair", "rank"])
def test_a_second_login_of_one_person_adds_no_second_answer_to_a_question(
    store: Store, kind: str
) -> None:
    """All three judges get the same questions here; j1 is j0 again."""
    fill(store, make(kind, items=1))
    store.join("j1", "j0")
    luck, asked = random.Random(3), {}
    for judge in ("j0", "j1"):
        while (served := store.do(judging.serve, judge)) is not None:
            asked.setdefault(judge, set()).add(frozenset(served.ticket.systems))
            judge_next(store, judge, prefer(served.ticket.systems, luck))
    assert asked["j0"] == asked["j1"]
    board = follow(store)
    questions = len(asked["j0"])
    assert (board.n_votes, board.n_revised) == (questions, questions)


def test_a_kept_board_holds_sums_and_nothing_that_tells_a_single_answer(store: Store) -> None:
    """The digest of all votes would: of a deleted answer one could try all three outcomes."""
    fill(store, make())
    judge_some(store, 240)
    LiveLeaderboards(store).catch_up()
    with store.reading() as connection:
        (kept,) = read_boards(connection).values()
    assert '\\"trace\\": \\"\\"' in kept.body
    assert '\\"digest\\": \\"\\"' in kept.body


def test_controls_tell_of_judges_and_stand_on_no_board(store: Store) -> None:
    items = [Item(str(n), {"A": f"a{n}", "B": f"b{n}"}) for n in range(4)]
    bad = Item("c", {"A": "good", "Z": "bad"}, control="expected", expected="A")
    fill(
        store,
        Campaign(
            name="c",
            tasks=(PairTask(name="t"),),
            items=(*items, bad),
            judges=(Judge("j0"),),
            design=Design(controls=1),
        ),
    )
    while store.do(judging.serve, "j0") is not None:
        judge_next(store, "j0")
    assert {one.ticket.kind for one in list_judgments(store) if one.ticket} == {"target", "control"}
    board = follow(store)
    assert (board.n_votes, sorted(board.systems)) == (4, ["A", "B"])


def test_a_board_that_has_seen_less_does_not_replace_one_that_has_seen_more(store: Store) -> None:
    fill(store, make())
    store.do(lambda tx: save_boards(tx, {"t": SavedBoard(9, "more")}))
    store.do(lambda tx: save_boards(tx, {"t": SavedBoard(5, "less")}))
    with store.reading() as connection:
        assert read_boards(connection) == {"t": SavedBoard(9, "more")}
    boards = LiveLeaderboards(store)  # what cannot be read is counted anew
    boards.catch_up()
    assert boards.look("t", None).board.n_votes == 0


def test_a_board_is_shown_though_the_disk_takes_nothing_and_is_kept_when_it_does(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, make())
    judge_some(store, 240)
    boards = LiveLeaderboards(store)
    with monkeypatch.context() as full:
        full.setattr(store, "do", refuse)
        boards.catch_up()
        assert list_claims(boards)
    with store.reading() as connection:
        assert read_boards(connection) == {}
    boards.catch_up()
    with store.reading() as connection:
        assert set(read_boards(connection)) == {"t"}


def refuse(*_: object) -> None:
    raise NotStored("the disk is full")


JUDGES = ("j0", "j1", "j2")


def show(boards: LiveLeaderboards) -> dict[str, object]:
    """All that a board says now."""
    boards.catch_up()
    return boards.look("t", FREE).board.to_dict()


@pytest.mark.parametrize("counted", [0, 15])
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


@pytest.mark.parametrize(("kind", "order"), [("pair", JUDGES), ("rank", JUDGES[::-1])])
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


def count(looks: DashboardCache) -> int:
    return looks.boards.look("t", FREE).board.n_votes


def test_boards_count_what_is_new_although_nobody_looks(store: Store) -> None:
    fill(store, make())
    looks = DashboardCache(store)
    for counted in (30, 60):
        judge_some(store, 30)
        looks.follow()
        assert count(looks) == counted


def test_findings_are_computed_again_for_something_new_and_not_before_the_rest_is_over(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, make())
    clock, computed = HandClock(), []
    monkeypatch.setattr("evenhand.web.dashboard.time.monotonic", lambda: clock.steady)

    def compute(*_: Any) -> Findings:
        computed.append(clock.steady)
        clock.wait(0.5)  # what it costs
        return Findings(orders={"t": Order("comparisons")})

    monkeypatch.setattr("evenhand.web.dashboard.find", compute)
    looks = DashboardCache(store, rest=4)
    for second in range(12):  # a look each second, an answer in each of the first six
        clock.steady = float(second)
        if second < 6:
            judge_some(store, 1, seed=second)
        looks.look()
    assert computed == [0, 3, 6]  # 0.5 s of work, 2 s of rest, then the next look
