"""Compressed files, whole and cut off."""

import gzip

import duckdb
import pytest

from evenhand.errors import UnknownFormat
from evenhand.formats.file_heads import check_zstd, tell_compression
from read_tables import refusal, tally_of

CSV = "left,right,winner\n" + "A,B,left\n" * 1000
LINES = '{"left":"A","right":"B","winner":"tie"}\n' * 1000


def _pack(path, rows=100_000, kind="csv"):
    relation = duckdb.sql(f"select 'A' \"left\", 'B' \"right\", 'tie' winner from range({rows})")
    relation.query("rows", f"copy rows to '{path}' (format {kind}, compression zstd)")
    return path


def test_gzip_is_read_from_csv_and_json_lines(save) -> None:
    assert tally_of(save("t.csv.gz", gzip.compress(CSV.encode()))).n_comparisons == 1000
    assert tally_of(save("t.jsonl.gz", gzip.compress(LINES.encode()))).n_comparisons == 1000


def test_zstandard_is_read_from_csv_and_json_lines(tmp_path) -> None:
    assert tally_of(_pack(tmp_path / "t.csv.zst")).n_comparisons == 100_000
    assert tally_of(_pack(tmp_path / "t.jsonl.zst", kind="json")).n_comparisons == 100_000


def test_packed_and_plain_files_are_one_table(save) -> None:
    paths = [save("a.csv", CSV), save("b.csv.gz", gzip.compress(CSV.encode()))]
    assert tally_of(paths).n_comparisons == 2000


@pytest.mark.parametrize("lost", [1, 8, 9, 20])
def test_a_gzip_file_that_is_cut_off_is_refused(lost: int, save) -> None:
    packed = gzip.compress(CSV.encode())
    words = refusal(save("t.csv.gz", packed[:-lost]), UnknownFormat)
    assert "is not a whole gzip file" in words


def test_a_gzip_file_cut_between_two_lines_is_refused_too(save) -> None:
    # DuckDB 1.5.6 reads 89,742 of these 100,000 rows without a word
    packed = gzip.compress(b"left,right,winner\n" + b"A,B,left\n" * 100_000)
    assert "cut off" in refusal(save("t.csv.gz", packed[:-100]), UnknownFormat)


def test_a_zstandard_file_is_whole_or_refused_wherever_it_is_cut(tmp_path, save) -> None:
    whole = _pack(tmp_path / "t.csv.zst").read_bytes()
    check_zstd(tmp_path / "t.csv.zst")
    for length in (5, 9, 12, len(whole) // 2, len(whole) - 5, len(whole) - 1):
        words = refusal(save("cut.csv.zst", whole[:length]), UnknownFormat)
        assert "not a whole Zstandard file" in words


def test_zstandard_frames_may_follow_each_other_and_be_skippable(tmp_path, save) -> None:
    whole = _pack(tmp_path / "t.csv.zst", rows=10).read_bytes()
    skippable = (0x184D2A51).to_bytes(4, "little") + (3).to_bytes(4, "little") + b"abc"
    check_zstd(save("two.zst", whole + skippable + whole))
    for tail in (b"junk", skippable[:-1]):
        with pytest.raises(UnknownFormat, match="Zstandard"):
            check_zstd(save("bad.zst", whole + tail))


def test_the_first_bytes_tell_the_compression() -> None:
    assert tell_compression(gzip.compress(b"x")) == "gzip"
    assert tell_compression(b"\x28\xb5\x2f\xfd\x00") == "zstd"
    assert tell_compression(b"left,right") == "none"
