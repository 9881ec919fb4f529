"""What a refusal of missing values says to do does leave the rows out."""

import re
import shlex

import duckdb
import narwhals
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import evenhand
from evenhand.errors import InvalidJudgments

MAKE = {
    "pandas": pd.DataFrame,
    "Polars": pl.DataFrame,
    "lazy Polars": pl.LazyFrame,
    "Arrow": pa.table,
    "DuckDB": lambda columns: duckdb.from_arrow(pa.table(columns)),
}
EVERY_FRAME = pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)


def with_gaps(gap):
    first = ["A", gap, "A", "A", None, "A"]
    return {"shown first": first, "right": ["B"] * 6, "outcome": ["a", "b", "b", "a", "a", "tie"]}


def remedy(frame, columns):
    with pytest.raises(
        InvalidJudgments, match="a value is missing in column 'shown first'"
    ) as refusal:
        evenhand.read(frame, columns=columns).tally()
    return re.search(r"leave such rows out \((.*)\)$", str(refusal.value))[1]


@EVERY_FRAME
@pytest.mark.parametrize("gap", [None, ""], ids=["null", "empty"])
def test_what_the_refusal_of_a_frame_advises_leaves_the_rows_without_a_value_out(make, gap):
    columns = {"left": "shown first"}
    frame = make(with_gaps(gap))
    advice = remedy(frame, columns).rpartition("in Python ")[2]
    known = {"evenhand": evenhand, "frame": frame, "narwhals": narwhals, "columns": columns}
    kept = eval(f"evenhand.read(frame, columns=columns, {advice})", known)
    assert kept.tally().n_judgments == 4


def test_what_the_refusal_of_a_file_advises_leaves_the_rows_out_on_the_command_line(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner\nA,B,a\n,B,a\nA,B,b\n", encoding="utf-8")
    with pytest.raises(InvalidJudgments, match="--where") as refusal:
        evenhand.read(path).tally()
    option, condition = shlex.split(re.search(r"\((--where .*), in Py", str(refusal.value))[1])
    assert option == "--where"
    assert evenhand.read(path, where=condition).tally().n_judgments == 2
