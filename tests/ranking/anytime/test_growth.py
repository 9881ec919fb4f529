"""A table that grows has the board of one that is looked at once."""

import polars as pl
import pytest

from evenhand import read
from evenhand.data.controls import take_pairs
from evenhand.errors import EvenhandError, InvalidJudgments, UnknownFormat
from evenhand.ranking.sequential.leaderboard import LiveLeaderboard
from evenhand.ranking.sequential.watch import Beginning, GrowingVotes, watch
from ranking.anytime.arrivals import draw_table, write_rankings

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


def follow(path, beginning=ORDER, *, rest=0.0):
    return follow_with(open_table, path, beginning, rest=rest)


def follow_with(opens, path, beginning=ORDER, *, rest=0.0):
    OPENED.append(GrowingVotes(path, opens, beginning, rest=rest, clock=Hours()))
    return OPENED[-1]


def grow(path, text, *, to):
    """Write the file up to a byte."""
    path.write_bytes(text[:to])


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_pieces_decide_what_the_whole_decides(tmp_path, suffix):
    table, path = draw_table(900), tmp_path / f"votes{suffix}"
    text = (table.write_csv() if suffix == ".csv" else table.write_ndjson()).encode()
    votes, decided = follow(path), set()
    for to in (1, 20, 5_000, 5_001, 12_345, 20_000, len(text) - 1, len(text)):
        grow(path, text, to=to)
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
    votes = follow_with(count, path, rest=1e9)
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


def test_it_goes_on_with_a_board_that_was_kept(tmp_path):
    table, path = draw_table(600), tmp_path / "votes.csv"
    table[:400].write_csv(path)
    kept = watch(read(str(path)), LiveLeaderboard(), order="second").state
    table.write_csv(path)
    votes = follow(path, Beginning(state=kept, order="second"))
    votes.look()
    whole = watch(read(str(path)), order="second").board
    assert (votes.board.decided, votes.board.digest) == (whole.decided, whole.digest)


def test_rankings_are_refused(tmp_path):
    path = tmp_path / "votes.csv"
    write_rankings(path, 30)
    with pytest.raises(UnknownFormat, match="holds rankings, whose rows could come apart"):
        follow(path, Beginning()).look()
