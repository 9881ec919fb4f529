"""Tables replayed as they arrived."""

import numpy as np
import polars as pl
import pytest

from evenhand import InvalidJudgments, NotIdentified, UnknownColumn, UnknownOption, rank, read
from evenhand.ranking.sequential.leaderboard import (
    APART,
    LiveLeaderboard,
    confirm_pairs,
    read_board,
    write_board,
)
from evenhand.ranking.sequential.watch import watch
from ranking.anytime.arrivals import NAMES, draw_table, write_rankings


def test_the_order_of_rows_does_not_matter_where_a_column_tells_the_order():
    table = draw_table(300)
    shuffled = table.sample(fraction=1.0, shuffle=True, seed=3)
    one, other = (watch(read(t), order="second").board for t in (table, shuffled))
    assert one.to_dict() == other.to_dict()


def test_a_missing_time_is_refused():
    table = draw_table(50).with_columns(
        pl.when(pl.col("second") > 3).then(pl.col("second")).alias("second")
    )
    with pytest.raises(InvalidJudgments, match="tells no time for 4 of 50 judgments: fill it"):
        watch(read(table), order="second")


def test_a_column_that_is_not_there_is_refused():
    with pytest.raises(UnknownColumn, match=r"'secund' not found.*Did you mean 'second'"):
        watch(read(draw_table(50)), order="secund")


def test_it_goes_on_where_it_stopped():
    table = draw_table(600)
    whole = watch(read(table), order="second")
    half = watch(read(table[:240]), order="second")
    state = read_board(write_board(half.state))
    again = watch(read(table), state=state, order="second")
    assert again.board.decided == whole.board.decided
    assert again.board.digest == whole.board.digest
    assert write_board(again.state) == write_board(whole.state)


def test_votes_that_the_board_has_not_seen_are_refused():
    table = draw_table(200)
    state = watch(read(table[:100]), order="second").state
    with pytest.raises(InvalidJudgments, match="vote 1 of this table, ordered by second, is not"):
        watch(read(table[100:]), state=state, order="second")
    with pytest.raises(InvalidJudgments, match="has seen 100 votes, and this table holds the firs"):
        watch(read(table[:50]), state=state, order="second")


def test_the_first_vote_that_differs_is_named_with_who_said_it():
    """A slow answer stands before votes that were seen where questions order them."""
    table = draw_table(200)
    known, slow = table[[*range(120), *range(121, 200)]], table.row(120, named=True)
    state = read_board(write_board(watch(read(known), order="second").state))
    said = (
        f"vote 121 of this table, ordered by second, .*: {slow['left']} against {slow['right']}:"
        f" {slow['outcome']}, by {slow['judge']}\\. What came later must stand behind the 199"
    )
    with pytest.raises(InvalidJudgments, match=said):
        watch(read(table), state=state, order="second")
    late = pl.concat([known, table[120:121]])
    assert watch(read(late), state=state, order="rows").board.n_votes == 200


def test_settings_beside_a_board_that_has_others_are_refused():
    table = draw_table(100)
    state = watch(read(table), order="second").state
    with pytest.raises(UnknownOption, match="has settings of its own"):
        watch(read(table), LiveLeaderboard(ties="discard"), state=state)


def test_where_judges_are_known_rank_sets_must_agree():
    with_judges = watch(read(draw_table(900)), order="second").board
    without = watch(read(draw_table(900).drop("judge")), order="second").board
    assert with_judges.checked
    assert not without.checked
    assert {*with_judges.decided, *with_judges.held} == {*without.decided}
    assert without.held == ()


def draw_tastes(judges):
    """Boards of equal systems, on which each judge has a favourite order of his own."""
    return [
        watch(read(draw_table(600, seed=seed, gap=0.0, judges=judges, taste=1.5)), order="second")
        for seed in range(4)
    ]


def test_what_the_tastes_of_eight_judges_decide_is_held_back():
    boards = [one.board for one in draw_tastes(8)]
    assert any(one.held for one in boards)
    assert not any(one.decided for one in boards)


def test_of_four_judges_it_is_said_that_they_stand_for_themselves_only():
    for one in draw_tastes(4):
        assert any("too few to stand for others" in note for note in one.board.notes)


def test_where_rank_sets_cannot_be_had_nothing_is_confirmed_and_the_reason_is_said():
    rows = {"left": ["a"] * 30, "right": ["b"] * 30, "outcome": ["left"] * 30}
    table = pl.DataFrame({**rows, "judge": [f"j{i % 6}" for i in range(30)]})
    board = watch(read(table)).board
    assert board.decided == ()
    assert len(board.held) == 1
    assert any(
        "is decided by votes but held back, because no vote contradicts" in x for x in board.says
    )


def test_an_unbeaten_system_leaves_the_others_what_rank_sets_decide_among_them():
    """Where two systems are alone, rank sets of them are those of the votes inside."""
    rng = np.random.default_rng(0)
    rows = []
    for i in range(400):
        left, right = rng.choice(4, 2, replace=False).tolist()
        first = min(left, right)
        best = first if first == 0 or rng.random() < 0.8 else max(left, right)
        said = "left" if best == left else "right"
        rows.append((NAMES[left], NAMES[right], said, f"j{i % 12:02d}"))
    names = ["left", "right", "outcome", "judge"]
    table = pl.DataFrame(rows, schema=names, orient="row")
    board = watch(read(table)).board
    inside = table.filter((pl.col("left") != "ash") & (pl.col("right") != "ash"))
    sets = rank(read(inside))
    among = {tuple(two) for two in sets.rank_sets.to_dict(sets.systems)["decided"]}
    assert len(among) == 3
    assert {(one.better, one.worse) for one in board.decided} == among
    assert {one.better for one in board.held} == {"ash"}
    assert set(board.held_since) == {APART}
    assert any(note.endswith("is ranked by itself: birch, cedar, dogwood.") for note in board.notes)


def test_several_groups_share_the_level():
    """Two pairs, one above the other: each is ranked at 97.5 %."""
    rng = np.random.default_rng(4)
    rows = [
        (*pair, "left" if rng.random() < 0.68 else "right", f"j{i % 15:02d}")
        for i in range(150)
        for pair in (("a", "b"), ("c", "d"))
    ]
    rows += [("a", "c", "left", "j00")] * 3
    table = pl.DataFrame(rows, schema=["left", "right", "outcome", "judge"], orient="row")
    levels = [0.5, 0.9, 0.96, 0.97, 0.98, 0.99, 0.995]
    for level in levels:
        found = confirm_pairs(read(table), LiveLeaderboard(level=level)).pairs
        expected = set()
        for two in (["a", "b"], ["c", "d"]):
            inside = table.filter(pl.col("left").is_in(two) & pl.col("right").is_in(two))
            sets = rank(read(inside), level=1 - (1 - level) / 2)
            expected |= {tuple(one) for one in sets.rank_sets.to_dict(sets.systems)["decided"]}
        assert found == expected


def test_a_level_that_rank_sets_cannot_show_is_refused_in_the_words_of_a_board():
    table = draw_table(60)
    with pytest.raises(UnknownOption, match=r"level 0\.9995 is more than the rank sets of known"):
        watch(read(table), LiveLeaderboard(level=0.9995))
    assert watch(read(table.drop("judge")), LiveLeaderboard(level=0.9995)).board.n_votes == 60


def test_several_tasks_are_refused_and_one_is_taken():
    table = draw_table(100).with_columns(task=pl.Series(["x", "y"] * 50))
    with pytest.raises(InvalidJudgments, match="several tasks: choose one"):
        watch(read(table))
    assert watch(read(table).select_task("x")).board.n_votes == 50


def test_boards_of_nobody_are_refused():
    with pytest.raises((NotIdentified, InvalidJudgments)):
        watch(read(draw_table(10)[:0]))


def test_systems_may_be_named_before_the_first_vote():
    table = draw_table(40)
    named = watch(read(table), systems=[*NAMES, "elm"])
    assert named.state.founders == 5
    assert "elm" in named.board.systems
    assert watch(read(table), state=named.state, systems=["elm", *NAMES]).board.n_votes == 40
    with pytest.raises(UnknownOption, match="this board has systems of its own"):
        watch(read(table), state=named.state, systems=NAMES)
    late = watch(read(table), systems=NAMES[:3]).board
    assert any("dogwood came later" in note and "--systems" in note for note in late.notes)


def test_a_board_keeps_the_seed_with_which_pairs_of_rankings_were_drawn(tmp_path):
    table = read(write_rankings(tmp_path / "all.csv", 60))
    part = read(write_rankings(tmp_path / "part.csv", 30))
    state = read_board(write_board(watch(part, seed=5).state))
    with pytest.raises(UnknownOption, match="with seed 5, not 6: leave out --seed"):
        watch(table, state=state, seed=6)
    again = watch(table, state=state)
    assert again.board.digest == watch(table, seed=5).board.digest
    assert again.board.digest != watch(table).board.digest
