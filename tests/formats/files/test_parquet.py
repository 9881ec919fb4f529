"""Parquet files, whole and damaged."""

import polars as pl
import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.data.engine_errors import explain
from evenhand.errors import InvalidJudgments, UnknownFormat
from evenhand.formats.reading import read
from read_tables import cells_of, refusal, tally_of

TABLE = pl.DataFrame({"left": ["A", "B"], "right": ["B", "A"], "winner": ["left", "tie"]})
LONG = pl.concat([TABLE.with_row_index("n")] * 20_000)


def test_damaged_files_are_refused(tmp_path, save) -> None:
    LONG.write_parquet(tmp_path / "t.parquet")
    whole = (tmp_path / "t.parquet").read_bytes()
    for length in (4, 10, len(whole) // 2, len(whole) - 1):
        words = refusal(save("cut.parquet", whole[:length]), UnknownFormat)
        assert "cut.parquet is not a whole Parquet file" in words
    LONG.drop("n").write_parquet(tmp_path / "t.parquet")
    whole = bytearray((tmp_path / "t.parquet").read_bytes())
    whole[4:60] = bytes(56)
    words = refusal(save("bad.parquet", bytes(whole)), UnknownFormat)
    assert "bad.parquet" in words
    TABLE.head(0).write_parquet(tmp_path / "t.parquet")
    assert "columns but no rows" in refusal(tmp_path / "t.parquet", InvalidJudgments)
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


def test_files_that_differ_in_columns_or_folders_are_refused(tmp_path) -> None:
    TABLE.write_parquet(tmp_path / "a.parquet")
    TABLE.rename({"winner": "verdict"}).write_parquet(tmp_path / "b.parquet")
    words = refusal([tmp_path / "a.parquet", tmp_path / "b.parquet"], UnknownFormat)
    assert words.startswith(f"{tmp_path / 'b.parquet'} has no column 'winner', which ")
    assert "not a whole" not in words
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


def test_bytes_and_digits_are_text(tmp_path) -> None:
    raw = TABLE.with_columns(pl.all().cast(pl.Binary))
    raw.write_parquet(tmp_path / "t.parquet")
    cells = {("A", "B"): (1, 0, 0), ("B", "A"): (0, 1, 0)}
    assert cells_of(tally_of(tmp_path / "t.parquet")) == cells
    paths = write_parts(tmp_path, judge=[pl.Series([3, 4, 5]), pl.Series(["3", "4", "5"])])
    for one in (paths, paths[::-1]):
        assert read(one).tally(by=["judge"]).factor("judge").labels == ("3", "4", "5")


@pytest.mark.parametrize("names", [("Left", "RIGHT", "Winner"), ("left ", " right", "winner")])
def test_column_names_may_be_written_otherwise(names, tmp_path) -> None:
    TABLE.rename(dict(zip(TABLE.columns, names, strict=True))).write_parquet(tmp_path / "t.parquet")
    assert tally_of(tmp_path / "t.parquet").n_comparisons == 2


VOTES = pl.DataFrame(
    {
        "left": ["A", "B", "A"],
        "right": ["B", "C", "C"],
        "outcome": ["left", "tie", "right"],
        "judge": ["3", "4", "5"],
        "weight": [1, 2, 1],
    }
)


def write_parts(folder, **columns):
    """Write two files that differ in a column; return them."""
    paths = []
    for at in range(2):
        part = VOTES.with_columns(**{name: values[at] for name, values in columns.items()})
        part.write_parquet(folder / f"{'ab'[at]}.parquet")
        paths.append(folder / f"{'ab'[at]}.parquet")
    return paths


def test_weights_keep_their_fractions_whichever_file_is_first_or_wider(tmp_path) -> None:
    a, b = write_parts(tmp_path, weight=[pl.Series([1, 2, 1]), pl.Series([0.3, 1.6, 2.5])])
    found = [read(paths, weights="importance").tally() for paths in ([a, b], [b, a])]
    assert [one.n_comparisons for one in found] == pytest.approx([8.4, 8.4], abs=1e-12)
    with pytest.raises(InvalidJudgments, match=r"0\.3.* is a fraction"):
        read([a, b]).tally()
    a, b = write_parts(tmp_path, weight=[pl.Series([1, 2, 1]), pl.Series([0.3, 1.6, 2.5])])
    pl.read_parquet(b).with_columns(turn=pl.lit(1)).write_parquet(b)
    assert read([a, b], weights="importance").tally().n_comparisons == pytest.approx(8.4)


def test_scores_and_large_numbers_fit_whichever_file_stands_first(tmp_path) -> None:
    scores = {"system": ["A", "B"], "item": ["1", "2"], "judge": ["u", "v"]}
    pl.DataFrame({**scores, "score": [0, 1]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({**scores, "score": [0.25, 0.5]}).write_parquet(tmp_path / "b.parquet")
    both = read([tmp_path / "a.parquet", tmp_path / "b.parquet"])
    values = both.frame.to_native().aggregate("sum(score)").fetchone()
    assert values == (1.75,)
    small, large = pl.Series([1, 2, 3], dtype=pl.Int8), pl.Series([1000, 1001, 1002])
    a, b = write_parts(tmp_path, judge=[small, large])
    assert read([a, b]).tally(by=["judge"]).factor("judge").size == 6


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ([3.0, 4.5, 5.0], ["3", "4", "5"], r"fractions in .*a\.parquet and text in .*b\.parquet"),
        ([True, False, True], ["3", "4", "5"], r"text in .*b\.parquet and true or false in .*a"),
        ([True, False, True], [3, 4, 5], r"true or false in .*a\.p.* whole numbers in .*b\.p"),
    ],
)
@pytest.mark.parametrize("turn", [1, -1])
def test_a_role_of_two_kinds_is_refused_by_both_files(first, second, said, turn, tmp_path) -> None:
    paths = write_parts(tmp_path, judge=[pl.Series(first), pl.Series(second)])
    with pytest.raises(InvalidJudgments, match=said):
        read(paths[::turn])


def test_a_column_that_is_missing_throughout_one_file_has_the_kind_of_the_other(tmp_path) -> None:
    paths = write_parts(tmp_path, weight=[pl.Series([None] * 3), pl.Series([0.5, 1.5, 1.0])])
    for one in (paths, paths[::-1]):
        with pytest.raises(InvalidJudgments, match="weight"):
            read(one, weights="importance").tally()
    paths = write_parts(tmp_path, turn=[pl.Series([None] * 3), pl.Series(["x", "y", "z"])])
    for one in (paths, paths[::-1]):
        assert read(one).tally().n_comparisons == 8


@pytest.mark.parametrize("turn", [1, -1])
def test_numbers_as_text_are_numbers_and_truth_values_are_none(turn, tmp_path) -> None:
    paths = write_parts(tmp_path, weight=[pl.Series([0.3, 1.6, 2.5]), pl.Series(["1", "2", "1"])])
    assert read(paths[::turn], weights="importance").tally().n_comparisons == pytest.approx(8.4)
    paths = write_parts(tmp_path, weight=[pl.Series([0.3, 1.6, 2.5]), pl.Series([True] * 3)])
    with pytest.raises(InvalidJudgments, match=r"fractions in .*a\.p.* true or false in .*b\.p"):
        read(paths[::turn], weights="importance")
