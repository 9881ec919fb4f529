"""Columns take their roles: what is a label, and what is not."""

import datetime as dt
import uuid

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import evenhand
from evenhand.data.comparisons import Comparisons
from evenhand.errors import InvalidJudgments
from evenhand.formats.reading import read
from read_tables import cells_of, refusal, rows_of, tally_of

BASE = {"left": ["A", "B"], "right": ["B", "A"], "winner": ["left", "tie"]}


def _frame(**more):
    return pl.DataFrame(BASE | more)


def test_text_columns_reach_duckdb_without_a_cast(tmp_path) -> None:
    _frame(item=[1, 2]).write_parquet(tmp_path / "t.parquet")
    data = read(tmp_path / "t.parquet")
    assert isinstance(data, Comparisons)
    query = data.frame.to_native().sql_query().lower()
    shown = query.partition(" from ")[0]
    assert shown.count("cast(") == 1, query  # of the item, a whole number


@pytest.mark.parametrize(
    "labels",
    [
        pl.Series([7, 8], dtype=pl.UInt8),
        pl.Series([7, 8]).cast(pl.String).cast(pl.Categorical),
        pl.Series(["7", "8"], dtype=pl.Enum(["7", "8"])),
    ],
    ids=str,
)
def test_whole_numbers_and_categories_become_text(labels) -> None:
    frame = _frame(judge=labels)
    for one in (frame, frame.lazy(), frame.to_arrow(), frame.to_pandas()):
        assert tally_of(one, ("judge",)).factor("judge").labels == ("7", "8")


def test_an_enum_of_duckdb_becomes_text() -> None:
    connection = duckdb.connect()
    connection.sql("create type side as enum ('left', 'right')")
    relation = connection.sql("select 'A' as \"left\", 'B' as \"right\", 'left'::side as winner")
    assert tally_of(relation).systems == ("A", "B")


def test_dates_and_uuids_become_text() -> None:
    days = [dt.date(2024, 1, 2), dt.date(2024, 1, 3)]
    assert tally_of(_frame(item=days), ("item",)).factor("item").labels[0] == "2024-01-02"
    one = str(uuid.UUID(int=1))
    relation = duckdb.sql(f"select 'A' \"left\", 'B' \"right\", 'tie' winner, '{one}'::uuid item")
    assert tally_of(relation, ("item",)).factor("item").labels == (one,)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1.5, 2.0], "fractions"),
        ([1.0, float("nan")], "floats (fractions, or no numbers)"),
        ([1.0, 2.0], "fractions"),
        ([True, False], "true or false"),
        ([[1], [2]], "nested values"),
        ([{"a": 1}, {"a": 2}], "nested values"),
        ([dt.datetime(2024, 1, day, tzinfo=dt.UTC) for day in (2, 3)], "values of type Datetime"),
    ],
    ids=str,
)
def test_what_cannot_name_anything_is_refused(values, words, tmp_path) -> None:
    frame = _frame(judge=values)
    frame.write_parquet(tmp_path / "t.parquet")
    for source in (frame, frame.lazy(), frame.to_arrow(), tmp_path / "t.parquet"):
        said = refusal(source, InvalidJudgments)
        assert "column 'judge'" in said
        assert words.split()[0] in said


def test_whole_floats_of_pandas_are_explained_by_the_missing_row() -> None:
    frame = pd.DataFrame(BASE | {"item": [1, None]})
    words = refusal(frame, InvalidJudgments)
    assert "whole numbers as floats: a value is missing (row 2)" in words
    assert "frame['item'].astype('Int64')" in words
    assert "fractions" in refusal(pd.DataFrame(BASE | {"item": [1.5, 2]}), InvalidJudgments)


def test_mixed_python_values_of_pandas_are_refused() -> None:
    frame = pd.DataFrame(BASE | {"item": pd.Series(["a", 1], dtype=object)})
    assert "not all text" in refusal(frame, InvalidJudgments)


def test_missing_categories_of_pandas_stay_missing() -> None:
    judges = pd.Series(["j", None]).astype("category")
    data = read(pd.DataFrame(BASE | {"judge": judges}))
    assert isinstance(data, Comparisons)
    with pytest.raises(InvalidJudgments, match=r"missing in column 'judge' .*\(row 2\)"):
        data.tally(("judge",))


def test_covariates_of_any_type_are_kept_as_they_are() -> None:
    frame = pa.table(BASE | {"seconds": [1.5, 2.5], "seen": [True, False]})
    data = read(frame)
    assert isinstance(data, Comparisons)
    assert data.frame.collect_schema()["seconds"].is_float()
    assert data.tally(("seen",)).factor("seen").labels == ("false", "true")


def test_labels_are_compared_exactly(save) -> None:
    path = save("t.csv", "left,right,winner\na b,A b,left\na b,a  b,left\n")
    assert tally_of(path).systems == ("A b", "a  b", "a b")


@pytest.mark.parametrize("blank", [" ", "\t", "\u00a0", "\u2003", "\u3000"])
def test_blanks_around_labels_are_stripped_and_counted(blank: str, save) -> None:
    text = f"left,right,winner\nA,B,left\nA,{blank}B,left\nA{blank},B,{blank}left{blank}\n"
    note = "blanks around labels were stripped: 1 in 'left', 1 in 'right', 1 in 'winner'."
    table = pl.read_csv(text.encode())
    for source in (save("t.csv", text), table, table.lazy(), table.to_pandas(), table.to_arrow()):
        data = read(source)
        assert cells_of(data.tally()) == {("A", "B"): (3, 0, 0)}
        assert note in data.source.notes


def test_declared_outcomes_may_have_the_blanks_of_the_table(save) -> None:
    path = save("t.csv", "left,right,winner\nA,B, yes \nA,B,no\n")
    tally = tally_of(path, outcomes={" yes ": "left", "no": "right"})
    assert cells_of(tally) == {("A", "B"): (1, 0, 1)}


def test_blanks_far_down_are_stripped_when_the_table_is_counted() -> None:
    """Beyond the rows that are looked at when a table is opened."""
    sides = ["A", "B"] * 30_000
    table = pl.DataFrame(
        {"left": sides, "right": sides[::-1], "outcome": ["left"] * 59_999 + [" tie"]}
    )
    data = read(table)
    assert not any("stripped" in note for note in data.source.notes)
    assert evenhand.rank(data).excluded == ()
    stripped = data.strip_labels()
    assert "blanks around labels were stripped: 1 in 'outcome'." in stripped.source.notes
    assert stripped.tally().counts.sum() == 60_000


def test_an_empty_label_is_missing_in_every_source(save) -> None:
    text = save("t.csv", 'left,right,winner\nA,B,left\n"",B,left\n')
    lines = save("t.jsonl", '{"left":"","right":"B","winner":"tie"}\n')
    assert "missing in column 'left'" in refusal(text, InvalidJudgments)
    assert "missing in column 'left'" in refusal(lines, InvalidJudgments)
    assert "missing in column 'left'" in refusal(pl.DataFrame(BASE | {"left": ["", "B"]}))


def test_unknown_outcomes_and_self_comparisons_name_their_rows(save) -> None:
    path = save("t.csv", "left,right,winner\nA,B,left\nA,B,lft\nB,B,tie\n")
    words = refusal(path, InvalidJudgments)
    assert "unknown outcome 'lft' in column 'winner' of " in words
    assert "(line 3)" in words
    assert "--outcome 'lft=left'" in words
    same = save("s.csv", "left,right,winner\nA,B,left\nB,B,tie\n")
    assert "'B' is compared with itself" in refusal(same, InvalidJudgments)
    assert "(line 3)" in refusal(same, InvalidJudgments)


def test_a_dot_in_the_name_of_a_column_is_no_table(tmp_path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "judge,item,a.system,a_system,score,Input.src\n"
        "j,1,x,p,3,de\nj,1,y,p,4,en\nk,1,x,p,2,de\nk,1,y,p,5,en\n"
    )
    data = read(path, columns={"system": "a.system"}, where="Input_src = 'de'")
    assert [row["score"] for row in rows_of(data)] == [3, 2]
    note = "a dot in the name of a column is written _ here: a_system_, Input_src."
    assert note in data.source.notes
    ranked = evenhand.rank(read(path, columns={"system": "a.system"}), interval="model")
    assert sorted(ranked.systems) == ["x", "y"]
