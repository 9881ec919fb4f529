"""Values that are no answer, such as 99 or "n.a.", are emptied and counted: `--missing`."""

import re
import shlex

import polars as pl
import pytest
from tests.cli.test_no_answers import draw

import evenhand
from evenhand import read

CODED = pl.DataFrame(
    {
        "judge": ["a", "a", "b", "b", "c", "c"] * 4,
        "item": [f"i{at // 6}" for at in range(24)],
        "system": ["x", "y"] * 12,
        "score": [*"42", "99", *"35", "n.a.", *"34", "99", *"25", "n.a."] * 2,
    }
)


def texts_of(answer):
    return [one["text"] for one in answer["findings"]]


def test_codes_are_emptied_and_counted(evenhand, folder):
    CODED.write_csv("scores.csv")
    answer = evenhand("rank", "scores.csv", "--missing", "99,n.a.", "--model", "mean", "--json")
    assert {"no answer: 4 cells of 99.", "no answer: 4 cells of n.a.."} <= {*texts_of(answer.json)}
    assert [one["rows"] for one in answer.json["excluded"]] == [8]
    shown = evenhand("rank", "scores.csv", "--missing", "99", "--missing", "N.A.").out
    assert "4 cells of 99" in shown
    assert "8 of 24" in shown


@pytest.mark.parametrize("kind", ["pandas", "objects", "polars", "integers", "dict", "parquet"])
def test_every_kind_of_column_is_read_alike(kind, tmp_path):
    table = draw(code=99)
    n = table.filter(pl.col("score") != 99).height
    frame = {
        "pandas": table.to_pandas(),
        "objects": table.to_pandas().assign(score=[*table["score"].to_list()]).astype(object),
        "polars": table.with_columns(pl.col("score").cast(pl.Float64)),
        "integers": table,
        "dict": table.to_dict(as_series=False),
        "parquet": tmp_path / "t.parquet",
    }[kind]
    table.write_parquet(tmp_path / "t.parquet")
    rows = evenhand.read(frame, missing=99).rows()
    assert rows.size == n
    assert rows.score.max() == 5
    assert rows.missing == 360 - n


def test_only_the_cell_of_a_wide_sheet_is_emptied(evenhand, folder):
    table = draw(code=99).rename({"score": "fluency"})
    table.with_columns(adequacy=draw(seed=9)["score"]).write_csv("sheet.csv")
    groups = evenhand("rank", "sheet.csv", "--json").json["groups"]
    (found,) = [one for one in groups["fluency"]["findings"] if one["code"] == "no-answer-score"]
    option = re.search(
        r"add (--missing \S+), in Python read\(\.\.\., (missing=\d+)\)", found["text"]
    )
    mended = evenhand("rank", "sheet.csv", *shlex.split(option[1]), "--json").json
    n = table.filter(pl.col("fluency") == 99).height
    assert mended["groups"]["fluency"]["n_judgments"] == 360 - n
    assert mended["groups"]["adequacy"]["n_judgments"] == 360
    assert {f"no answer (fluency {n})": n} == {
        one["reason"]: one["rows"] for one in mended["groups"]["fluency"]["excluded"]
    }


def test_outcomes_and_ranks_have_codes_too(evenhand, folder):
    pl.DataFrame(
        {"judge": ["a"] * 6, "left": ["x"] * 6, "right": ["y"] * 6, "winner": [*"112299"]}
    ).write_csv("votes.csv")
    answer = evenhand("rank", "votes.csv", "--missing", "9", "--json").json
    assert answer["n_judgments"] == 4
    assert "no answer: 2 cells of 9." in texts_of(answer)
    ranked = pl.DataFrame(
        {"ranking": [*"aaabbb"], "system": [*"xyzxyz"], "rank": [1, 2, 99, 2, 1, 3]}
    )
    assert read(ranked, missing=99).comparisons().tally().counts.sum() == 4


@pytest.mark.parametrize("missing", [99, [99, "n.a."], "99.0,N.A.", ["99", " n.a. "]])
def test_python_takes_numbers_and_words(missing):
    table = CODED if missing != 99 else CODED.filter(pl.col("score") != "n.a.")
    rows = evenhand.read(table, missing=missing).rows()
    assert sorted({*rows.score.tolist()}) == [2, 3, 4, 5]


def test_a_code_that_no_cell_holds_is_said(evenhand, folder):
    CODED.write_csv("scores.csv")
    answer = evenhand("rank", "scores.csv", "--missing", "99,n.a.,98", "--json").json
    assert "no cell of score in scores.csv is 98: check --missing 98." in texts_of(answer)
    shown = evenhand("rank", "scores.csv", "--missing", "99,n.a.,98").out
    assert "no cell of score in scores.csv is 98" in shown
