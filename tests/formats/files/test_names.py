"""File names, and files on connections of their own."""

from pathlib import Path

import duckdb
import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.errors import EvenhandError, UnknownFormat, UnknownOption
from evenhand.formats.reading import read
from read_tables import cells_of, refusal, tally_of

# File names: one, several, a pattern, and what is not there.


CSV = "left,right,winner\nA,B,left\n"


def test_files_that_are_not_there_are_refused_with_the_nearest(save, tmp_path) -> None:
    save("battles.csv", CSV)
    words = refusal(tmp_path / "batles.csv", UnknownFormat)
    assert f"there is no file '{tmp_path / 'batles.csv'}'" in words
    assert "/battles.csv'?" in words
    assert refusal(str(tmp_path / "zzzzzz"), UnknownFormat).endswith("zzzzzz'")
    assert f"nor a folder '{tmp_path / 'no'}'" in refusal(tmp_path / "no" / "t.csv", UnknownFormat)
    save("votes.csv", "x")
    assert f"Did you mean '{tmp_path / 'votes.csv'}'?" in refusal(tmp_path / "vote.csv")
    assert "Did you mean" not in refusal(tmp_path / "board.csv")


def test_a_pipe_is_refused() -> None:
    if not Path("/dev/null").exists():
        pytest.skip("there is no /dev/null here")
    assert "is not a regular file" in refusal("/dev/null", UnknownFormat)


def test_names_and_patterns_stand_for_files(save, tmp_path) -> None:
    one, two = save("a.csv", CSV), save("b.csv", CSV.replace("left\n", "tie\n"))
    data = read([one, str(two)])
    assert data.source.name == f"{one} and 1 more"
    assert cells_of(tally_of([one, str(two)])) == {("A", "B"): (1, 1, 0)}
    for day in range(3):
        save(f"day{day}.csv", CSV)
    save("other.csv", "a,b\n1,2\n")
    assert tally_of(str(tmp_path / "day*.csv")).n_comparisons == 3
    assert tally_of(tmp_path / "day[01].csv").n_comparisons == 2
    assert "no file matches" in refusal(tmp_path / "night*.csv", UnknownFormat)
    save("a=1.csv", CSV)
    assert tally_of(str(tmp_path / "?=1.csv")).n_comparisons == 1
    for name in ("it's.csv", 'a "b".csv', "ü;x.csv"):
        assert tally_of(save(name, CSV)).n_comparisons == 1


def test_a_name_that_looks_like_a_pattern_is_a_name_first_and_nothing_is_left(
    save, tmp_path, monkeypatch
) -> None:
    path = save("a [1]*.csv", CSV)
    save("a 1x.csv", "left,right,winner\nX,Y,left\n")
    assert tally_of(path).systems == ("A", "B")
    save("a.csv", CSV)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert tally_of("~/a.csv").n_comparisons == 1


def test_a_file_under_two_names_would_count_twice(save, tmp_path) -> None:
    path = save("a.csv", CSV)
    (tmp_path / "sub").mkdir()
    (tmp_path / "soft.csv").symlink_to(path)
    (tmp_path / "hard.csv").hardlink_to(path)
    for other in (tmp_path / "sub" / ".." / "a.csv", tmp_path / "soft.csv", tmp_path / "hard.csv"):
        assert "is one file under several names" in refusal([path, other], UnknownOption)


SIGNED = "https://example.org/votes.csv?X-Amz-Signature=hunter2hunter2"


@pytest.mark.parametrize(
    "name", [f"{sign}{SIGNED}" for sign in (" ", "\t", "\ufeff", '"', "'", "<", "url=", "./")]
)
def test_a_sign_before_an_address_shows_none_of_its_secrets(name):
    for source in (name, [name, "votes.csv"]):
        with pytest.raises(EvenhandError) as refused:
            read(source)
        assert "hunter2" not in str(refused.value)


# Files on a private connection, read when they are counted and not before.


def test_each_file_has_a_connection_of_its_own_and_leaves_nothing(save, tmp_path) -> None:
    path = save("t.csv", "left,right,winner\nA,B,left\n")
    one, two = read(path), read(path)
    assert one.source.connection is not None
    assert one.source.connection is not two.source.connection
    assert one.source.connection is not duckdb.default_connection()
    one = read(save("a.csv", "left,right,winner\nA,B,left\n"))
    two = read(save("b.csv", "left,right,winner\nC,D,left\n"))
    assert isinstance(one, Comparisons)
    assert isinstance(two, Comparisons)
    assert (two.tally().systems, one.tally().systems) == (("C", "D"), ("A", "B"))
    path = tmp_path / "t.csv"
    path.write_text("left,right,winner\nA,B,left\n")
    data = read(path)
    path.unlink()
    words = refusal(data.frame)
    assert "t.csv" in words


def test_nothing_is_left_in_the_working_directory(save, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    tally_of(save("t.csv", "left,right,winner\nA,B,left\n"))
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
