"""Tables replayed as they arrived."""

import numpy as np
import polars as pl
import pytest

from evenhand import InvalidJudgments, NotIdentified, UnknownColumn, UnknownOption, rank, read
from evenhand.data.controls import take_pairs
from evenhand.errors import EvenhandError
from evenhand.ranking.sequential.leaderboard import (
    APART,
    LiveLeaderboard,
    confirm_pairs,
    read_board,
    write_board,
)
from evenhand.ranking.sequential.votes import Vote
from evenhand.ranking.sequential.watch import Beginning, GrowingVotes, watch
from ranking.anytime.arrivals import NAMES, draw_table, draw_votes, write_rankings


def test_the_order_of_rows_does_not_matter_where_a_column_tells_the_order():
    table = draw_table(300)
    shuffled = table.sample(fraction=1.0, shuffle=True, seed=3)
    one, other = (watch(read(t), order="second").board for t in (table, shuffled))
    assert one.to_dict() == other.to_dict()


def test_a_missing_time_is_refused():
    known = pl.when(pl.col("second") > 3).then(pl.col("second"))
    table = draw_table(50).with_columns(known.alias("second"))
    with pytest.raises(InvalidJudgments, match="tells no time for 4 of 50 judgments: fill it"):
        watch(read(table), order="second")


def test_what_is_no_board_is_refused():
    table = draw_table(100)
    with pytest.raises(UnknownColumn, match=r"'secund' not found.*Did you mean 'second'"):
        watch(read(table), order="secund")
    with pytest.raises((NotIdentified, InvalidJudgments)):
        watch(read(table[:0]))
    tasks = read(table.with_columns(task=pl.Series(["x", "y"] * 50)))
    with pytest.raises(InvalidJudgments, match="several tasks: choose one"):
        watch(tasks)
    assert watch(tasks.select_task("x")).board.n_votes == 50


def test_it_goes_on_where_it_stopped():
    table = draw_table(600)
    whole = watch(read(table), order="second")
    half = watch(read(table[:240]), order="second")
    state = read_board(write_board(half.state))
    again = watch(read(table), state=state, order="second")
    assert again.board.decided == whole.board.decided
    assert again.board.digest == whole.board.digest
    assert write_board(again.state) == write_board(whole.state)


def test_votes_that_the_board_has_not_seen_or_other_settings_are_refused():
    table = draw_table(200)
    state = watch(read(table[:100]), order="second").state
    with pytest.raises(InvalidJudgments, match="vote 1 of this table, ordered by second, is not"):
        watch(read(table[100:]), state=state, order="second")
    with pytest.raises(InvalidJudgments, match="has seen 100 votes, and this table holds the firs"):
        watch(read(table[:50]), state=state, order="second")
    with pytest.raises(UnknownOption, match="has settings of its own"):
        watch(read(table), LiveLeaderboard(ties="discard"), state=state)


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


def test_where_judges_are_known_rank_sets_must_agree():
    with_judges = watch(read(draw_table(900)), order="second").board
    without = watch(read(draw_table(900).drop("judge")), order="second").board
    assert with_judges.checked
    assert not without.checked
    assert {*with_judges.decided, *with_judges.held} == {*without.decided}
    assert without.held == ()


@pytest.mark.parametrize("judges", [8, 4])
def test_what_the_tastes_of_a_few_judges_decide_is_held_back(judges):
    """Equal systems, of which each judge has a favourite order."""
    tables = (
        draw_table(600, seed=at, gap=0.0, judges=judges, taste=1.5) for at in range(judges // 2)
    )
    boards = [watch(read(one), order="second").board for one in tables]
    if judges == 8:
        assert any(one.held for one in boards)
        assert not any(one.decided for one in boards)
        return
    for one in boards:
        assert any("too few to stand for others" in note for note in one.notes)


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
    levels = [0.5, 0.96, 0.98, 0.99]
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


# A table that grows has the board of one that is looked at once.


ORDER = Beginning(order="second")


def open_table(path):
    return take_pairs(read(str(path)))


OPENED = []


@pytest.fixture(autouse=True)
def _closed():
    """Whatever a test follows is closed."""
    yield
    while OPENED:
        OPENED.pop().close()


class Hours:
    """A clock on which an hour goes by between two looks, so that rank sets are always due."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 3600.0
        return self.now


def follow(path, beginning=ORDER, *, opens=open_table, rest=0.0):
    OPENED.append(GrowingVotes(path, opens, beginning, rest=rest, clock=Hours()))
    return OPENED[-1]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_pieces_decide_what_the_whole_decides(tmp_path, suffix):
    table, path = draw_table(900), tmp_path / f"votes{suffix}"
    text = (table.write_csv() if suffix == ".csv" else table.write_ndjson()).encode()
    votes, decided = follow(path), set()
    for to in (1, 20, 5_000, 5_001, 12_345, 20_000, len(text) - 1, len(text)):
        path.write_bytes(text[:to])
        votes.look()
        now = {(one.better, one.worse) for one in votes.state.claims} if votes.state else set()
        assert decided <= now  # by votes: nothing that was decided vanishes
        decided = now
    votes.look()
    whole = watch(read(str(path)), order="second").board
    assert len(whole.decided) > 2
    assert votes.board.decided == whole.decided
    assert (votes.board.digest, votes.board.signature) == (whole.digest, whole.signature)
    assert (votes.board.says, votes.board.notes) == (whole.says, whole.notes)
    assert votes.board.standings == whole.standings


def test_only_what_is_new_is_read(tmp_path):
    table, path = draw_table(400), tmp_path / "votes.csv"
    read_rows = []

    def count(name):
        read_rows.append(len(name.read_bytes().splitlines()) - 1)
        return open_table(name)

    table[:390].write_csv(path)
    votes = follow(path, opens=count, rest=1e9)
    assert votes.look()
    table.write_csv(path)
    assert votes.look()
    assert not votes.look()
    assert read_rows == [390, 10]
    assert votes.board.n_votes == 400


def test_a_vote_that_is_older_than_one_that_was_counted_is_named(tmp_path):
    table, path = draw_table(300), tmp_path / "votes.csv"
    table[:200].write_csv(path)
    votes = follow(path)
    votes.look()
    pl.concat([table[:200], table[50:51]]).write_csv(path)
    with pytest.raises(InvalidJudgments, match="vote 52 of this table, ordered by second, is not"):
        votes.look()


def test_a_bad_line_is_named_by_the_file_that_grows(tmp_path):
    table, path = draw_table(300), tmp_path / "votes.csv"
    table.write_csv(path)
    votes = follow(path)
    votes.look()
    with path.open("a") as file:
        file.write("ash,birch,perhaps,j01,400\n")
    with pytest.raises(EvenhandError, match="perhaps") as refusal:
        votes.look()
    assert "evenhand-" not in str(refusal.value)


# What is decided vote by vote: the same as by a full look after each, and nothing is lost.


def draw(n, systems=6, gap=0.5, tie=0.5, **more):
    return draw_votes(n, systems=systems, gap=gap, tie=tie, judges=9, **more)


def look_always(state, votes):
    for vote in votes:
        state.observe([vote])
        state.decide()
    return state


def follow_all(state, votes):
    for vote in votes:
        state.follow([vote])
    return state


ARMS = {
    "near": {"gap": 0.7},
    "far, so that systems are unbeaten for long": {"gap": 2.5, "tie": 0.0},
    "equal": {"gap": 0.0},
    "one comes late": {"gap": 0.8, "late": 1},
    "two systems": {"systems": 2, "gap": 0.8},
    "many, most of which meet seldom": {"systems": 9, "gap": 1.0},
}


@pytest.mark.parametrize(("ties", "named"), [("davidson", False), ("discard", True)])
@pytest.mark.parametrize("arm", ARMS)
def test_whoever_follows_votes_decides_what_a_full_look_after_each_would(arm, ties, named):
    votes = draw(300, **ARMS[arm])
    board = LiveLeaderboard(ties=ties, judge_votes=20)
    systems = sorted({vote.left for vote in votes}) if named else ()
    slow, fast = look_always(board.start(systems), votes), follow_all(board.start(systems), votes)
    key = lambda one: (one.votes, one.better, one.worse, one.by)  # noqa: E731
    assert sorted(fast.claims, key=key) == sorted(slow.claims, key=key)
    assert fast.judge_claims == slow.judge_claims
    assert bool(fast.claims) == (arm != "equal")


def test_a_longer_table_decides_all_that_a_shorter_one_does():
    """Also where the votes that follow are on a system that nobody knew of."""
    votes = draw(200, systems=3, gap=0.9)
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
    few = follow_all(LiveLeaderboard().start(), draw(59, systems=3))
    assert few.founders is None
    assert any("once 60 votes have named the systems" in note for note in few.look().notes)
    assert follow_all(few, draw(1, systems=3)).founders == 3


def test_votes_that_named_the_systems_are_no_direct_votes():
    """Else whoever adds systems while direct votes look bad gains by it: their level is shared."""
    state = follow_all(LiveLeaderboard(ties="discard").start(), [Vote("a", "b", "left")] * 60)
    assert state.numerator.direct(0, 1) == (0, 0)
    follow_all(state, [Vote("a", "b", "left")] * 3)
    assert state.numerator.direct(0, 1) == (3, 0)
    assert state.numerator.direct(1, 0) == (0, 3)
    named = follow_all(
        LiveLeaderboard(ties="discard").start(["a", "b"]), [Vote("a", "b", "left")] * 60
    )
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


def test_it_goes_on_with_a_board_that_was_kept(tmp_path):
    table, path = draw_table(600), tmp_path / "votes.csv"
    table[:400].write_csv(path)
    kept = watch(read(str(path)), LiveLeaderboard(), order="second").state
    table.write_csv(path)
    votes = follow(path, Beginning(state=kept, order="second"))
    votes.look()
    whole = watch(read(str(path)), order="second").board
    assert (votes.board.decided, votes.board.digest) == (whole.decided, whole.digest)


def test_a_second_answer_on_a_merged_output_is_no_vote():
    """Of a merged output one pair is drawn, and of the second answer the same."""
    rows = [
        {"judge": f"j{judge}", "item": f"q{item}", "left": "A+B+C", "right": right}
        for _ in range(2)
        for judge in range(10)
        for item, right in enumerate(("D", "D+E") * 3)
    ]
    table = read(pl.DataFrame(rows).with_columns(outcome=pl.lit("left")), system_separator="+")
    board = watch(table, order="rows").board
    assert (board.n_votes, board.n_revised) == (60, 60)
