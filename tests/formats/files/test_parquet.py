"""Parquet files, whole and damaged."""

import polars as pl
import pytest

from evenhand.errors import InvalidJudgments, UnknownFormat
from evenhand.formats import read
from evenhand.judgments import Comparisons
from evenhand.judgments.refusals import explain
from read_tables import cells_of, refusal, tally_of

TABLE = pl.DataFrame({"left": ["A", "B"], "right": ["B", "A"], "winner": ["left", "tie"]})
LONG = pl.concat([TABLE.with_row_index("n")] * 20_000)


def test_a_truncated_file_is_refused_wherever_it_is_cut(tmp_path, save) -> None:
    LONG.write_parquet(tmp_path / "t.parquet")
    whole = (tmp_path / "t.parquet").read_bytes()
    for length in (4, 10, len(whole) // 2, len(whole) - 1):
        words = refusal(save("cut.parquet", whole[:length]), UnknownFormat)
        assert "cut.parquet is not a whole Parquet file" in words


def test_damage_in_the_middle_is_found_when_it_is_read(tmp_path, save) -> None:
    LONG.drop("n").write_parquet(tmp_path / "t.parquet")
    whole = bytearray((tmp_path / "t.parquet").read_bytes())
    whole[4:60] = bytes(56)
    words = refusal(save("bad.parquet", bytes(whole)), UnknownFormat)
    assert "bad.parquet" in words


def test_a_file_without_rows_is_refused(tmp_path) -> None:
    TABLE.head(0).write_parquet(tmp_path / "t.parquet")
    assert "columns but no rows" in refusal(tmp_path / "t.parquet", InvalidJudgments)


def test_a_packed_parquet_file_is_refused(tmp_path, save) -> None:
    import gzip

    TABLE.write_parquet(tmp_path / "t.parquet")
    packed = save("t.parquet.gz", gzip.compress((tmp_path / "t.parquet").read_bytes()))
    assert "unpack it (gzip) first" in refusal(packed, UnknownFormat)


def test_several_files_are_one_table_with_their_folders_as_columns(tmp_path) -> None:
    for task in ("fr-en", "de-en"):
        (tmp_path / f"task={task}").mkdir()
        TABLE.write_parquet(tmp_path / f"task={task}" / "part.parquet")
    data = read(str(tmp_path / "*" / "*.parquet"))
    assert isinstance(data, Comparisons)
    assert data.tasks() == ["de-en", "fr-en"]
    assert data.tally().n_comparisons == 4


def test_files_with_different_columns_are_refused(tmp_path) -> None:
    TABLE.write_parquet(tmp_path / "a.parquet")
    TABLE.rename({"winner": "verdict"}).write_parquet(tmp_path / "b.parquet")
    words = refusal([tmp_path / "a.parquet", tmp_path / "b.parquet"], UnknownFormat)
    assert words.startswith(f"{tmp_path / 'b.parquet'} has no column 'winner', which ")
    assert "not a whole" not in words


def test_files_in_folders_of_other_keys_are_not_called_damaged(tmp_path) -> None:
    for folder in ("task=fr-en", "language=de"):
        (tmp_path / folder).mkdir()
        TABLE.write_parquet(tmp_path / folder / "part.parquet")
    words = refusal(str(tmp_path / "*" / "*.parquet"), UnknownFormat)
    assert "lie in folders of other keys" in words
    assert "not a whole" not in words


@pytest.mark.parametrize("reason", ["don't know what type: \x1b", "Could not read enough bytes"])
def test_a_damaged_footer_is_called_so(reason) -> None:
    import duckdb

    said = str(explain(duckdb.Error(f"Invalid Error: {reason}"), "foot.parquet"))
    assert said.startswith("foot.parquet is not a whole Parquet file")


def test_a_sound_parquet_file_is_not_called_damaged_for_its_name() -> None:
    import duckdb

    said = str(explain(duckdb.Error('IO Error: Cannot open file "a.parquet": Permission denied')))
    assert "cannot be read" in said


def test_text_stored_as_bytes_is_text(tmp_path) -> None:
    raw = TABLE.with_columns(pl.all().cast(pl.Binary))
    raw.write_parquet(tmp_path / "t.parquet")
    cells = {("A", "B"): (1, 0, 0), ("B", "A"): (0, 1, 0)}
    assert cells_of(tally_of(tmp_path / "t.parquet")) == cells


@pytest.mark.parametrize("names", [("Left", "RIGHT", "Winner"), ("left ", " right", "winner")])
def test_column_names_may_be_written_otherwise(names, tmp_path) -> None:
    TABLE.rename(dict(zip(TABLE.columns, names, strict=True))).write_parquet(tmp_path / "t.parquet")
    assert tally_of(tmp_path / "t.parquet").n_comparisons == 2
