"""Files on a private connection, read when they are counted and not before."""

import duckdb
import polars as pl

from evenhand.data.comparisons import Comparisons
from evenhand.formats.reading import read
from read_tables import refusal, tally_of


def test_a_file_is_read_on_a_connection_of_its_own(save) -> None:
    path = save("t.csv", "left,right,winner\nA,B,left\n")
    one, two = read(path), read(path)
    assert one.source.connection is not None
    assert one.source.connection is not two.source.connection
    assert one.source.connection is not duckdb.default_connection()


def test_rows_are_read_when_they_are_counted(tmp_path) -> None:
    path = tmp_path / "t.parquet"
    pl.DataFrame({"left": ["A"], "right": ["B"], "winner": ["tie"]}).write_parquet(path)
    data = read(path)
    assert isinstance(data, Comparisons)
    pl.DataFrame({"left": ["C"], "right": ["D"], "winner": ["tie"]}).write_parquet(path)
    assert data.tally().systems == ("C", "D")


def test_a_file_that_vanishes_is_named(tmp_path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("left,right,winner\nA,B,left\n")
    data = read(path)
    path.unlink()
    words = refusal(data.frame)
    assert "t.csv" in words


def test_two_files_can_be_open_at_once(save) -> None:
    one = read(save("a.csv", "left,right,winner\nA,B,left\n"))
    two = read(save("b.csv", "left,right,winner\nC,D,left\n"))
    assert isinstance(one, Comparisons)
    assert isinstance(two, Comparisons)
    assert (two.tally().systems, one.tally().systems) == (("C", "D"), ("A", "B"))


def test_nothing_is_left_in_the_working_directory(save, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    tally_of(save("t.csv", "left,right,winner\nA,B,left\n"))
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
