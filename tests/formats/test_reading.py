"""Reading as a whole: files, frames, conditions."""

import gzip
import json
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import fetch_columns
from evenhand.errors import (
    InvalidJudgments,
    MissingFile,
    UnknownColumn,
    UnknownFormat,
    UnknownOption,
)
from evenhand.formats.reading import read
from evenhand.formats.table import ROWS_LOOKED_AT
from evenhand.ranking import rank
from read_tables import cells_of, refusal, tally_of

# Reading as a whole: one table in every engine and file, and what is refused.


ROWS = {
    "judge": ["001", "j2", "j2", "é", "j4", None],
    "item": [1, 2, 2, 3, 4, 5],
    "model_a": ["A", 'B "x"', "C", "A", "A", "C"],
    "model_b": ['B "x"', "C", "A", "C", "C", "A"],
    "winner": ["model_a", "model_b", "tie", "tie (bothbad)", "model_b", "Model_A"],
    "note": ["a,b", None, "two\nlines", "", " kept ", "x"],
}
CELLS = {
    ("A", 'B "x"'): (1, 0, 0),
    ('B "x"', "C"): (0, 0, 1),
    ("C", "A"): (1, 1, 0),
    ("A", "C"): (0, 1, 1),
}
"""Counted by hand from ROWS."""


def _records() -> list[dict[str, Any]]:
    return [dict(zip(ROWS, row, strict=True)) for row in zip(*ROWS.values(), strict=True)]


def _sources(folder: Path) -> dict[str, Any]:
    """The same table in every shape; frames are made before files are."""
    polars = pl.DataFrame(ROWS)
    lines = "\n".join(json.dumps(record) for record in _records())
    polars.write_csv(folder / "t.csv")
    polars.write_csv(folder / "t.tsv", separator="\t")
    polars.write_csv(folder / "t.txt", separator=";")
    (folder / "t.csv.gz").write_bytes(gzip.compress((folder / "t.csv").read_bytes()))
    (folder / "t.jsonl").write_text(lines)
    (folder / "t.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    (folder / "t.json").write_text(json.dumps(_records(), indent=1))
    polars.write_parquet(folder / "t.parquet")
    relation = duckdb.connect().read_parquet(str(folder / "t.parquet"))
    relation.write_csv(str(folder / "t.csv.zst"), compression="zstd")
    files = {path.name: path for path in folder.iterdir()}
    frames = {
        "pandas": pd.DataFrame(ROWS),
        "pandas, categories": pd.DataFrame(ROWS).astype({"winner": "category"}),
        "polars": polars,
        "polars, lazy": polars.lazy(),
        "polars, categories": polars.with_columns(pl.col("model_a").cast(pl.Categorical)),
        "pyarrow": pa.table(ROWS),
        "duckdb": relation,
        "narwhals": nw.from_native(polars),
    }
    return files | frames


def test_a_table_is_the_same_in_every_engine_and_kind_of_file(tmp_path) -> None:
    tallies = {name: tally_of(one) for name, one in _sources(tmp_path).items()}
    assert len(tallies) == 17
    assert {name: cells_of(tally) for name, tally in tallies.items()} == dict.fromkeys(
        tallies, CELLS
    )
    assert len({tally.digest for tally in tallies.values()}) == 1
    by_item = {name: tally_of(one, ("item",)) for name, one in _sources(tmp_path).items()}
    labels = {name: tally.factor("item").labels for name, tally in by_item.items()}
    assert labels == dict.fromkeys(labels, ("1", "2", "3", "4", "5"))
    for name, source in _sources(tmp_path).items():
        kept = read(source, where=nw.col("item") != "5" if "." in name else nw.col("item") != 5)
        assert isinstance(kept, Comparisons)
        assert kept.tally(("judge",)).factor("judge").labels == ("001", "j2", "j4", "é"), name
    for source in _sources(tmp_path).values():
        data = read(source)
        assert isinstance(data, Comparisons)
        assert data.covariates == ["note"]


def test_frames_stay_lazy_and_can_be_read_twice() -> None:
    data = read(pl.LazyFrame(ROWS))
    assert isinstance(data.frame, nw.LazyFrame)
    assert isinstance(data.frame.to_native(), pl.LazyFrame)
    frame = pl.DataFrame(TABLE)
    assert tally_of(frame).digest == tally_of(frame).digest
    assert frame.columns == list(TABLE)


def test_what_was_understood_is_said(tmp_path: Path) -> None:
    pl.DataFrame(ROWS).write_parquet(tmp_path / "t.parquet")
    source = read(tmp_path / "t.parquet").source
    assert source.format == "arena"
    assert source.notes == (
        "read arena battles: left=model_a, right=model_b, outcome=winner, judge, item",
        "counted as ties: tie (bothbad)",
    )
    assert source.columns["left"] == "model_a"
    assert source.name == str(tmp_path / "t.parquet")


def test_one_task_can_be_chosen_that_is_there(save) -> None:
    path = save("t.csv", "task,left,right,winner\nx,A,B,left\ny,A,B,right\n")
    assert cells_of(tally_of(path, task="x")) == {("A", "B"): (1, 0, 0)}
    path = save("t.csv", "task,left,right,winner\nfr-en,A,B,left\nde-en,A,B,right\n")
    assert "Did you mean 'fr-en'?" in refusal(path, InvalidJudgments, task="fr_en")
    rankings = save("r.csv", "task,ranking,system,rank\nt1,r,A,1\nt1,r,B,2\n")
    assert "There is t1" in refusal(rankings, InvalidJudgments, task="zz")
    bare = save("b.csv", "left,right,winner\nA,B,left\n")
    assert "has no tasks" in refusal(bare, UnknownColumn, task="t")
    ranked = save("q.csv", "ranking,system,rank\nr,A,1\nr,B,2\n")
    assert "has no tasks" in refusal(ranked, UnknownColumn, task="t")


def test_own_outcome_labels_are_of_comparisons_and_replace_the_usual_ones(save) -> None:
    path = save("t.csv", "left,right,outcome\nA,B,1\nA,B,2\nA,B,0\n")
    own = {"1": "left", "2": "right", "0": "tie"}
    assert cells_of(tally_of(path, outcomes=own)) == {("A", "B"): (1, 1, 1)}
    assert "(line 4)" in refusal(path, InvalidJudgments, outcomes={"1": "left"})
    assert "(lines 2, 3)" in refusal(path, InvalidJudgments, outcomes={"0": "left"})
    assert "Did you mean 'left'?" in refusal(path, UnknownOption, outcomes={"1": "lft"})
    assert "outcomes is empty" in refusal(path, UnknownOption, outcomes={})
    ranked = save("r.csv", "ranking,system,rank\nr,A,1\nr,B,2\n")
    assert "holds rankings" in refusal(ranked, UnknownOption, outcomes={"1": "left"})
    assert "holds rankings" in refusal(ranked, UnknownOption, weights="importance")
    rated = save("s.csv", "system,score\nA,1\n")
    assert "holds ratings" in refusal(rated, UnknownOption, outcomes={"1": "left"})
    frame = pl.DataFrame({"left": ["A", "B"], "right": ["B", "A"], "winner": [1, 2]})
    own = {1: "left", 2: "right"}
    assert cells_of(tally_of(frame, outcomes=own)) == {("A", "B"): (1, 0, 0), ("B", "A"): (0, 0, 1)}


def test_what_is_no_source_or_not_there_is_refused(tmp_path) -> None:
    for source in (3, None, b"t.csv", duckdb.connect()):
        words = refusal(source, UnknownFormat)
        assert "neither a file name nor a data frame" in words
    assert "no data were given" in refusal([], UnknownOption)
    for name in ("nowhere.csv", "no/folder.csv", "*.csv"):
        with pytest.raises(FileNotFoundError, match="no"):
            read(tmp_path / name)
        refusal(tmp_path / name, MissingFile)


@pytest.mark.parametrize("word", ["", "NaN", "n/a", "None"])
def test_rows_without_an_outcome_are_excluded_and_counted(tmp_path, word):
    path = tmp_path / "votes.csv"
    rows = ["j1,A,B,left", f"j2,A,B,{word}", "j1,B,A,tie", "j1,A,B,right"]
    path.write_text("\n".join(["judge,left,right,outcome", *rows, ""]), encoding="utf-8")
    data = read(path)
    assert data.tally().n_judgments == 3
    (excluded,) = data.excluded
    assert (excluded.code, excluded.rows, excluded.judge_names) == ("no-outcome", 1, ("j2",))
    # an answer of that name counts, if it is declared
    if word:
        assert read(path, outcomes={word: "tie"}).tally().n_judgments == 4
    # rows behind it are still named by their lines
    path.write_text("\n".join(["judge,left,right,outcome", *rows, "j1,A,B,lfet", ""]))
    assert "(line 6)" in refusal(path, InvalidJudgments)


def test_missing_outcomes_of_frames_and_far_down_are_excluded(tmp_path) -> None:
    columns = {"left": ["A"] * 3, "right": ["B"] * 3, "outcome": ["left", None, "right"]}
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pl.LazyFrame(columns)):
        data = read(frame)
        assert data.tally().n_judgments == 2
        assert [one.rows for one in data.excluded] == [1]
    path = tmp_path / "votes.csv"
    rows = ["A,B,left", "B,A,left", "A,B,tie"] * (ROWS_LOOKED_AT // 3 + 1)
    path.write_text("\n".join(["left,right,outcome", *rows, "A,B,", "A,B,NA", ""]))
    ranking = rank(read(path))
    assert ranking.n_judgments == len(rows)
    assert [(one.code, one.rows) for one in ranking.excluded] == [("no-outcome", 2)]


# Data frames of any engine, and those that are refused.


TABLE = {"left": ["A", "B"], "right": ["B", "C"], "winner": ["left", "tie"]}


def test_a_relation_is_read_on_its_own_connection() -> None:
    connection = duckdb.connect()
    connection.execute("create table votes as select 'A' \"left\", 'B' \"right\", 'tie' winner")
    data = read(connection.table("votes"))
    assert isinstance(data, Comparisons)
    assert data.source.connection is None
    connection.execute("insert into votes values ('B', 'C', 'left')")
    assert cells_of(data.tally()) == {("A", "B"): (0, 1, 0), ("B", "C"): (1, 0, 0)}
    relation = duckdb.connect().sql(
        "select 'A' \"left\", 'B' \"right\", 'tie' winner, range item from range(250000)"
    )
    tally = tally_of(relation, ("item",))
    assert (tally.n_comparisons, tally.factor("item").size) == (250_000, 250_000)


def test_conditions_on_frames_are_expressions() -> None:
    relation = duckdb.connect().sql("select 'A' \"left\", 'B' \"right\", 'tie' winner, 3 n")
    assert tally_of(relation, where="n = 3").n_comparisons == 1
    for frame in (pd.DataFrame(TABLE), pl.DataFrame(TABLE), pl.LazyFrame(TABLE)):
        kept = tally_of(frame, where=nw.col("winner") != "tie")
        assert cells_of(kept) == {("A", "B"): (1, 0, 0)}
    words = refusal(pl.DataFrame(TABLE), UnknownOption, where="winner = 'left'")
    assert "pass a narwhals expression" in words
    assert "not int" in refusal(pl.DataFrame(TABLE), UnknownOption, where=3)
    missing = nw.col("who") == "x"
    assert "who" in refusal(pl.DataFrame(TABLE), UnknownColumn, where=missing)
    words = refusal(pl.LazyFrame(TABLE), UnknownColumn, where=nw.col("langage") == "en")
    assert words.startswith('where, on data frame: unable to find column "langage"')


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


def test_lazy_frames_whose_file_is_damaged_or_gone_are_refused(tmp_path) -> None:
    path = tmp_path / "votes.parquet"
    with pytest.raises(UnknownFormat, match=r"Polars could not answer a query: No such file"):
        read(pl.scan_parquet(path))
    pl.DataFrame(TABLE).write_parquet(path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(UnknownFormat, match=r"Polars could not answer a query: .*must end with"):
        read(pl.scan_parquet(path))
    path = tmp_path / "votes.parquet"
    pl.DataFrame(TABLE).write_parquet(path)
    frame = nw.from_native(pl.scan_parquet(path))
    path.unlink()
    with pytest.raises(UnknownFormat, match="could not answer"):
        fetch_columns(frame)


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


# A condition on the file's own columns, before they play roles.


CSV = "model_a,model_b,winner,turn,language\nx,y,model_a,1,en\nx,y,tie,2,de\ny,x,model_b,10,en\n"


@pytest.mark.parametrize(
    "condition",
    [
        "language = 'en'",
        "language = 'en' -- of the text",
        "turn in ('1', '10')",
        "turn::int <> 2",
        "not (model_a = 'x' and winner = 'tie')",
        "(language) = ('en')",
    ],
)
def test_a_condition_keeps_the_rows_that_meet_it(condition: str, save) -> None:
    cells = cells_of(tally_of(save("t.csv", CSV), where=condition))
    assert cells == {("x", "y"): (1, 0, 0), ("y", "x"): (0, 0, 1)}


def test_a_condition_is_part_of_the_name_and_may_be_an_expression(save) -> None:
    assert tally_of(save("t.csv", CSV), where=nw.col("turn") == "2").n_comparisons == 1
    path = save("t.csv", CSV + "x,x,tie,3,en\n")
    words = refusal(path, InvalidJudgments, where="language = 'en'")
    assert "where language = 'en' (row 3)" in words
    assert read(path, where="language = 'en'").source.name == f"{path} where language = 'en'"


@pytest.mark.parametrize(
    "condition",
    [
        "language =",
        "language = 'en",
        "language = 'en'; drop table votes",
        "language = 'en' from votes",
        "language = 'en' order by turn",
        "language = 'en', turn = '1'",
        "true) or (true",
        "true) union select (true",
        "select true",
    ],
)
def test_what_is_not_one_condition_is_refused(condition: str, save) -> None:
    words = refusal(save("t.csv", CSV), UnknownOption, where=condition)
    assert words.startswith(f"where '{condition}' is not one SQL condition")


def test_conditions_of_other_kinds_say_what_to_write(save) -> None:
    words = refusal(save("t.csv", CSV), UnknownOption, where="language")
    assert "is varchar, not true or false" in words
    path = save("t.csv", CSV)
    assert "cast(turn as double) > 1" in refusal(path, UnknownOption, where="turn > 1")
    words = refusal(path, InvalidJudgments, where="language::int > 1")
    assert "does not fit the values" in words
    assert "'en'" in words
    path = save("t.csv", "left,right,winner\nA,B,left\n")
    words = refusal(path, UnknownOption, where="left = 'A'")
    assert 'write the column as "left", in double quotes' in words
    assert tally_of(path, where="\"left\" = 'A'").n_comparisons == 1
    path = save("t.csv", "left,right,winner\nA,B,left\n")
    said = refusal(path, InvalidJudgments, where="json_extract(\"left\", '$') is null")
    assert "a condition or a cast does not fit the values" in said


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("n > 10", "columns of a CSV or JSON file are text here, write cast(n as double) > 10"),
        ('"n"<=-.5', 'write cast("n" as double) <= -.5'),
        ("count(*) > 1", "not a condition on one row"),
        ("sum(n) > 1", "not a condition on one row"),
        ("row_number() over () = 1", "not a condition on one row"),
        ("", "where is empty"),
        ("  ", "where is empty"),
    ],
)
def test_what_is_no_condition_on_text_is_refused_in_words(condition, said, save) -> None:
    path = save("t.csv", "left,right,winner,n\nA,B,left,12\n")
    assert said in refusal(path, UnknownOption, where=condition)


TURNS = {
    "question_id": [1, 1, 2],
    "model_a": ["x", "y", "x"],
    "model_b": ["y", "x", "y"],
    "winner": ["model_a", "model_a", "tie"],
    "turn": [1, 2, None],
}


@pytest.mark.parametrize("engine", [pl.DataFrame, pd.DataFrame, dict])
def test_a_missing_turn_is_named_with_a_remedy_that_helps(engine):
    with pytest.raises(InvalidJudgments, match=r"missing in column 'turn' of .* \(row 3\)"):
        read(engine(TURNS)).tally(["item"])
    where = ~nw.col("turn").is_null() if engine is not dict else '"turn" is not null'
    assert read(engine(TURNS), where=where).tally(["item"]).factors["item"].size == 2


def test_a_column_that_is_not_there_opens_no_lists(save):
    talk = [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]
    row = {"model_a": "x", "model_b": "y", "winner": "model_a", "talk": talk, "language": "en"}
    path = save("t.jsonl", json.dumps(row))
    with pytest.raises(UnknownColumn, match=r"It has model_a, model_b, winner, talk, language$"):
        read(path, columns={"judge": "rater"})
    assert (
        "talk_0_content" in read(path, columns={"judge": "talk.0.content"}).source.columns["judge"]
    )
