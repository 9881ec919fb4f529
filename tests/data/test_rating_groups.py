"""Ratings that are looked at apart."""

import pandas as pd
import polars as pl
import pytest

import evenhand
from evenhand.data.groups import split_ratings
from evenhand.design.next_outputs import read_either
from evenhand.errors import InvalidJudgments
from evenhand.ratings.features import OutputFeatures

WORDS = OutputFeatures(("words",), ())
ROWS = [
    *((task, judge, f"{task}{at}", at, at) for task in "xy" for judge in "ab" for at in range(3)),
    *(("y", None, f"new{at}", None, at) for at in range(2)),
]
"""Task, judge, item, score, words; fourteen rows, of which the last two wait for ratings."""


def open_rows(rows, reader, folder):
    names = ["task", "judge", "item", "score", "words"]
    table = {name: list(own) for name, own in zip(names, zip(*rows, strict=True), strict=True)}
    frame = pl.DataFrame({**table, "system": ["s"] * len(rows)})
    if reader == "polars":
        return evenhand.read(frame)
    if reader == "pandas":
        return evenhand.read(pd.DataFrame(frame.to_dict(as_series=False)))
    frame.write_csv(folder / "rows.csv")
    return evenhand.read(folder / "rows.csv")


@pytest.mark.parametrize("reader", ["csv", "polars", "pandas"])
def test_an_output_that_nobody_rated_needs_no_judge(reader, tmp_path):
    parts = split_ratings(open_rows(ROWS, reader, tmp_path))
    rated, waiting = read_either(parts["y"], WORDS)
    assert len(rated) == 3
    assert waiting.items == ("y / new0", "y / new1")
    assert parts["y"].rows().judges == ("a", "b")


@pytest.mark.parametrize("reader", ["csv", "polars", "pandas"])
@pytest.mark.parametrize(("at", "place", "column"), [(8, 1, "judge"), (13, 4, "words")])
def test_messages_name_the_rows_of_the_file(reader, at, place, column, tmp_path):
    """The ninth row has a score and no judge; the last has no score, and no words.

    Of a file it is the line, below the header.
    """
    rows = [list(row) for row in ROWS]
    rows[at][place] = None
    part = split_ratings(open_rows(rows, reader, tmp_path))["y"]
    where = f"line {at + 2}" if reader == "csv" else f"row {at + 1}"
    with pytest.raises(InvalidJudgments, match=rf"'{column}' of .* \({where}\)"):
        read_either(part, WORDS)
