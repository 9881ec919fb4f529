"""Data frames of any engine, and those that are refused."""

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import fetch_columns
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownFormat, UnknownOption
from evenhand.formats.reading import read
from read_tables import cells_of, refusal, tally_of

TABLE = {"left": ["A", "B"], "right": ["B", "C"], "winner": ["left", "tie"]}


def test_a_relation_of_the_users_own_connection_is_read_there() -> None:
    connection = duckdb.connect()
    connection.execute("create table votes as select 'A' \"left\", 'B' \"right\", 'tie' winner")
    data = read(connection.table("votes"))
    assert isinstance(data, Comparisons)
    assert data.source.connection is None
    connection.execute("insert into votes values ('B', 'C', 'left')")
    assert cells_of(data.tally()) == {("A", "B"): (0, 1, 0), ("B", "C"): (1, 0, 0)}


def test_a_relation_with_as_many_cells_as_rows_is_counted_without_its_connection() -> None:
    relation = duckdb.connect().sql(
        "select 'A' \"left\", 'B' \"right\", 'tie' winner, range item from range(250000)"
    )
    tally = tally_of(relation, ("item",))
    assert (tally.n_comparisons, tally.factor("item").size) == (250_000, 250_000)


def test_sql_filters_a_relation_and_an_expression_any_frame() -> None:
    relation = duckdb.connect().sql("select 'A' \"left\", 'B' \"right\", 'tie' winner, 3 n")
    assert tally_of(relation, where="n = 3").n_comparisons == 1
    for frame in (pd.DataFrame(TABLE), pl.DataFrame(TABLE), pl.LazyFrame(TABLE)):
        kept = tally_of(frame, where=nw.col("winner") != "tie")
        assert cells_of(kept) == {("A", "B"): (1, 0, 0)}


def test_sql_on_a_data_frame_is_refused_with_what_to_do() -> None:
    words = refusal(pl.DataFrame(TABLE), UnknownOption, where="winner = 'left'")
    assert "pass a narwhals expression" in words
    assert "not int" in refusal(pl.DataFrame(TABLE), UnknownOption, where=3)
    missing = nw.col("who") == "x"
    assert "who" in refusal(pl.DataFrame(TABLE), UnknownColumn, where=missing)


def test_frames_without_rows_or_names_are_refused() -> None:
    assert "no rows" in refusal(pl.DataFrame(TABLE).head(0), InvalidJudgments)
    assert "nothing to count" in refusal(pl.LazyFrame(TABLE).head(0), InvalidJudgments)
    assert "column name 0 of the data frame is no text but int" in refusal(
        pd.DataFrame([["A", "B", "tie"]]), UnknownFormat
    )
    twice = pd.DataFrame([["A", "B", "tie"]], columns=["left", "left", "winner"])
    assert "a column twice" in refusal(twice, UnknownFormat)
    with pytest.raises(UnknownFormat, match="neither a file name nor a data frame"):
        read(pl.Series(["A"]))


def test_a_lazy_frame_of_a_damaged_or_missing_file_is_refused(tmp_path) -> None:
    path = tmp_path / "votes.parquet"
    with pytest.raises(UnknownFormat, match=r"Polars could not answer a query: No such file"):
        read(pl.scan_parquet(path))
    pl.DataFrame(TABLE).write_parquet(path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(UnknownFormat, match=r"Polars could not answer a query: .*must end with"):
        read(pl.scan_parquet(path))


def test_a_lazy_frame_has_no_column_that_a_condition_asks_for() -> None:
    words = refusal(pl.LazyFrame(TABLE), UnknownColumn, where=nw.col("langage") == "en")
    assert words.startswith('where, on data frame: unable to find column "langage"')


def test_a_lazy_file_that_vanishes_is_refused_where_its_answer_is_held(tmp_path) -> None:
    path = tmp_path / "votes.parquet"
    pl.DataFrame(TABLE).write_parquet(path)
    frame = nw.from_native(pl.scan_parquet(path))
    path.unlink()
    with pytest.raises(UnknownFormat, match="could not answer"):
        fetch_columns(frame)


def test_the_same_frame_can_be_read_twice() -> None:
    frame = pl.DataFrame(TABLE)
    assert tally_of(frame).digest == tally_of(frame).digest
    assert frame.columns == list(TABLE)


def test_arrays_are_read_as_lists_are() -> None:
    """Blanks, None and NaN are missing; names with quotes are columns like others."""
    columns = {
        "judge": ["ann", "", None, "bob"],
        "item": [3, 1, 2, 1],
        'my "x"': [0.5, float("nan"), 2.0, 1.0],
        "system": ["a", "nan", "b", "a"],
        "score": [1.0, 2.0, 3.5, 4.0],
    }
    text = {name for name, values in columns.items() if isinstance(values[-1], str)}
    arrays = {
        name: np.array(values, dtype=object if name in text else None)
        for name, values in columns.items()
    }
    read_lists, read_arrays = (read(one) for one in (columns, arrays))
    schemas = [one.frame.collect_schema() for one in (read_lists, read_arrays)]
    assert schemas[0] == schemas[1]
    held = [fetch_columns(one.frame) for one in (read_lists, read_arrays)]
    for name, values in held[0].items():
        np.testing.assert_array_equal(values, held[1][name])
    arrays["score"] = arrays["score"][:3]
    assert "columns of the dict differ in length" in refusal(arrays)
    empty = {name: values[:0] for name, values in arrays.items()}
    assert "no rows" in refusal(empty)
