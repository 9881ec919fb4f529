"""Whatever is refused is refused in one line on the error stream, with exit code 2."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evenhand.formats import file_heads

HEADER = "left,right,outcome\n"


def is_refusal(ran, said):
    first, *more = ran.err.splitlines()
    assert ran.out == ""
    assert first.startswith("error  ")
    assert said in first
    assert len(more) <= 1
    assert all(line.startswith("       ") for line in more)
    assert "Traceback" not in ran.err


def test_a_parquet_file_damaged_in_the_middle_is_refused(evenhand, table1):
    evenhand("convert", table1, "-o", "whole.parquet")
    data = bytearray(Path("whole.parquet").read_bytes())
    data[8:200] = bytes(192)
    Path("hurt.parquet").write_bytes(data)
    is_refusal(evenhand("rank", "hurt.parquet", code=2), "hurt.parquet")


def test_nothing_is_written_when_something_is_refused(evenhand, folder):
    Path("bad.csv").write_text(HEADER + "A,B,left\n")
    evenhand("rank", "bad.csv", "-o", "board.json", code=2)
    assert not Path("board.json").exists()


def test_lack_of_memory_is_no_traceback(evenhand, table1, monkeypatch):
    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr("evenhand.formats.reading.read", fail)
    is_refusal(evenhand("rank", table1, code=2), "memory ran out")


def test_an_error_of_the_engine_that_nobody_foresaw_is_one_line(evenhand, table1, monkeypatch):
    import duckdb

    def fail(*_, **__):
        raise duckdb.IOException("IO Error: the disk is gone\n\nLINE 1: select")

    monkeypatch.setattr("evenhand.formats.reading.read", fail)
    is_refusal(evenhand("rank", table1, code=2), "the disk is gone")


def test_a_bad_label_and_a_short_line_are_numbered_alike(evenhand, folder):
    """Both stand in line 4 of the file, as an editor counts."""
    rows = ["left,right,outcome", "A,B,left", "B,A,left"]
    for bad in ("A,B,lefft", "A,B", ",B,left"):
        Path("votes.csv").write_text("\n".join([*rows, bad, "A,B,right"]) + "\n")
        said = " ".join(evenhand("rank", "votes.csv", code=2).err.split())
        assert "line 4" in said
        assert "votes.csv" in said
        assert "row" not in said.split(":")[0]


def test_mixed_line_ends_of_a_large_file_are_refused_with_the_line_and_the_cure(
    evenhand, folder, monkeypatch
):
    monkeypatch.setattr(file_heads, "LOOKED_THROUGH", 1 << 20)
    text = "left,right,outcome\r\n" + "A,B,left\r\nB,A,left\r\n" * 60_000 + "A,B,tie\n"
    Path("votes.csv").write_bytes(text.encode())
    said = " ".join(evenhand("rank", "votes.csv", code=2).err.split())
    assert "votes.csv mixes kinds of line ends: line 120,002 ends in LF, line 1 in CRLF" in said
    assert "dos2unix votes.csv" in said


@pytest.mark.parametrize("words", [("rank", "--json"), ("report",)])
def test_a_place_that_cannot_be_written_is_refused_before_the_file_is_read(evenhand, folder, words):
    """The judgments are broken, and the place is what is spoken of."""
    Path("votes.csv").write_text("left,right,outcome\nA,B,lefft\n")
    Path("taken.json").mkdir()
    Path("file").write_text("")
    verb, *rest = words
    said = evenhand(verb, "votes.csv", *rest, "-o", "file/result.json", code=2).err
    assert "cannot be" in " ".join(said.split())
    assert "lefft" not in said


def test_looking_at_a_place_leaves_nothing_there(evenhand, folder):
    Path("votes.csv").write_text("left,right,outcome\nA,B,lefft\n")
    Path("old.json").write_text("old")
    for place in ("new.json", "old.json"):
        assert "lefft" in evenhand("rank", "votes.csv", "--json", "-o", place, code=2).err
    assert not Path("new.json").exists()
    assert Path("old.json").read_text() == "old"


TEXT = "left,right,outcome,judge\nA,B,left,j1\nB,A,left,j2\n"


def test_a_file_that_breaks_the_engine_is_named_by_its_line_and_the_next_file_is_read(
    evenhand, folder, monkeypatch
):
    """One column of a large file with a byte that is no UTF-8: DuckDB fails within itself."""
    monkeypatch.setattr(file_heads, "LOOKED_THROUGH", 1 << 20)
    good = TEXT + "A,B,right,j3\nB,A,tie,j1\n"
    late = good.encode() + b"A,B,left,x\n" * 200_000 + b"A,B,left,Jos\xe9\n"
    Path("late.csv").write_bytes(late)
    Path("good.csv").write_text(good, encoding="utf-8")
    for verb in ("judges", "agreement", "inspect", "judges"):
        said = evenhand(verb, "late.csv", code=2).err
        assert "line 200,006 of late.csv is not UTF-8 text" in " ".join(said.split())
        assert "4 judgments" in evenhand("inspect", "good.csv").out


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.jsonl"])
def test_a_folder_that_may_not_be_written_is_named_without_names_of_ours(evenhand, folder, name):
    """A folder where the part of the file should be: a reason that also stops the superuser."""
    Path("votes.csv").write_text(TEXT, encoding="utf-8")
    Path(f".{name}.{os.getpid()}.part").mkdir()
    said = evenhand("convert", "votes.csv", "-o", name, code=2).err
    assert f"'{name}' cannot be written: " in said
    assert ".part" not in said
