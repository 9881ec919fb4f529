"""What kind of file it is."""

import gzip
import random
import re

import duckdb
import pytest

from evenhand.errors import UnknownFormat
from evenhand.formats.reading import read
from read_tables import refusal, tally_of

CSV = "left,right,winner\nA,B,left\n"
NOISE = random.Random(5).randbytes(5000)
EMPTY = "is empty: write a header and one judgment a row into it"


def test_the_content_decides_and_not_the_name(save, tmp_path) -> None:
    duckdb.sql("select 'A' \"left\", 'B' \"right\", 'tie' winner").write_parquet(
        str(tmp_path / "t.parquet")
    )
    parquet = (tmp_path / "t.parquet").read_bytes()
    lines = '{"left":"A","right":"B","winner":"tie"}\n'
    for name, content in {
        "a.csv": parquet,
        "b": lines,
        "c.csv": lines,
        "d": CSV,
        "e.csv": gzip.compress(CSV.encode()),
        "f.dat": f"[{lines}]",
    }.items():
        assert tally_of(save(name, content)).n_comparisons == 1, name


def test_a_file_of_blanks_is_empty(save) -> None:
    assert refusal(save("t.csv", " \n\n"), UnknownFormat).endswith(EMPTY)
    assert refusal(save("t.csv.gz", gzip.compress(b"")), UnknownFormat).endswith(EMPTY)


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.tsv.gz", "t"])
def test_binary_junk_is_refused(name: str, save) -> None:
    assert "is not text" in refusal(save(name, NOISE), UnknownFormat)
    assert "not a Parquet file" in refusal(save("t.parquet", NOISE), UnknownFormat)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (b"PK\x03\x04", "a spreadsheet"),
        (b"\xd0\xcf\x11\xe0", "an old spreadsheet"),
        (b"ARROW1\x00\x00", "not a whole Arrow file"),
    ],
)
def test_files_of_other_programs_are_refused_with_what_to_do(start, words, save) -> None:
    assert words in refusal(save("t.csv", start + NOISE), UnknownFormat)


def test_a_database_among_files_is_refused_with_what_to_do_and_a_damaged_one_by_its_name(save):
    damaged = save("t.db", b"SQLite format 3\x00" + NOISE)
    said = refusal([damaged, save("t.csv", CSV)], UnknownFormat)
    assert "a database: the verbs of evenhand read that of a campaign, alone" in said
    assert "table as CSV, or name it, as in" in said
    assert re.search(r"t\.db: the database .* not a database$", refusal(damaged, UnknownFormat))


def test_text_in_latin1_is_read_wherever_its_first_letter_is(save) -> None:
    for rows in (1, 200_000):  # the second is beyond the first megabyte
        text = (CSV + "A,B,left\n" * rows).encode() + "A,Café,left\n".encode("latin-1")
        data = read(save("t.csv", text))
        assert "Café" in data.tally().systems
        assert "t.csv is not UTF-8 and was read as Latin-1 (Windows-1252)" in data.source.notes[-1]
    lines = '{"left":"Café","right":"B","winner":"tie"}\n'.encode("latin-1")
    assert read(save("t.jsonl", lines)).tally().systems == ("B", "Café")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_wide_text_is_read_with_a_mark_before_it_and_without(encoding: str, save) -> None:
    data = read(save("u.csv", (CSV + "A,Čeština,left\n").encode(encoding)))
    assert data.tally().systems == ("A", "B", "Čeština")
    assert data.source.notes[-1].endswith(f"was read as {encoding[:6].upper()}.")


def test_a_damaged_letter_in_utf8_is_refused_with_its_line(save) -> None:
    """The other letters say that it is no Latin-1, in which they would be two letters each."""
    text = f"{CSV}A,Café,left\n".encode() + b"A,Caf\xe9,left\n"
    said = refusal(save("t.csv", text), UnknownFormat)
    assert said.startswith("line 4 of ")
    assert "is not UTF-8 text (byte 0xe9): save the file as UTF-8" in said


def test_a_letter_cut_by_the_end_of_the_look_is_no_error(save) -> None:
    for shift in range(4):
        first = "x" * shift + ",A,B,left\n"
        path = save("t.csv", "note,left,right,winner\n" + first + "€€€,A,B,left\n" * 60_000)
        counted = tally_of(path).n_comparisons
        assert counted == 60_001


def test_a_name_that_promises_json_must_hold_it(save) -> None:
    assert "is not JSON: it begins with 'l'" in refusal(save("t.jsonl", CSV), UnknownFormat)


def test_files_of_different_kinds_are_not_read_together(save) -> None:
    one, two = save("a.csv", CSV), save("b.jsonl", '{"left":"A"}')
    words = refusal([one, two], UnknownFormat)
    assert "files read together must be of one kind" in words
