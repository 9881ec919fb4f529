"""Outcomes that name the winner: read as such where the first rows leave no doubt."""

import pandas as pd
import polars as pl
import pytest

from evenhand.data.labels import tell_reading
from evenhand.errors import InvalidJudgments
from evenhand.formats.reading import read
from evenhand.formats.table import LOOK
from read_tables import cells_of, refusal, tally_of

NAMED = "left,right,winner\nred,blue,red\nblue,red,red\nblue,red,Tie\nred,blue,blue\n"
CELLS = {("blue", "red"): (0, 1, 1), ("red", "blue"): (1, 0, 1)}
"""Counted by hand from NAMED: wins, ties and losses of the left system."""


@pytest.mark.parametrize(
    "header",
    ["left,right,winner", "model_a,model_b,winner", "system_a,system_b,preference"],
)
def test_the_name_of_the_winner_becomes_its_side_in_every_layout(header, save):
    path = save("t.csv", NAMED.replace("left,right,winner", header))
    assert cells_of(tally_of(path)) == CELLS
    assert f"'{header.split(',')[2]}' names the winner of its row" in read(path).source.notes


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame])
def test_frames_are_read_alike(make):
    header, *rows = (line.split(",") for line in NAMED.splitlines())
    frame = make(dict(zip(header, map(list, zip(*rows, strict=True)), strict=True)))
    assert cells_of(read(frame).tally()) == CELLS


def test_whole_numbers_can_name_systems():
    table = {"left": [7, 8], "right": [8, 7], "winner": [7, 7]}
    assert cells_of(read(pl.DataFrame(table)).tally()) == {
        ("7", "8"): (1, 0, 0),
        ("8", "7"): (0, 0, 1),
    }


@pytest.mark.parametrize(
    ("rows", "reading"),
    [
        ([("a", "b", "a"), ("a", "b", "B")], "sides"),  # B is the name of nothing
        ([("A", "B", "A"), ("A", "B", "B")], "sides"),  # both readings are one
        ([("B", "A", "A")], "both"),
        ([("B", "A", "A"), ("B", "C", "C")], "winners"),  # C can only be a name
        ([("x", "y", "tie")], "sides"),
        ([("x", "y", "x"), ("x", "y", "left")], "sides"),  # x is refused when counted
        ([("x", "y", "z")], "sides"),
        ([("x", "y", None), ("x", "y", "y")], "winners"),
        ([], "sides"),
    ],
)
def test_names_are_told_from_sides(rows, reading):
    assert tell_reading(rows) == reading


def test_names_that_are_words_for_a_side_are_refused_with_both_ways_out(save):
    path = save("t.csv", "left,right,winner\nA,B,A\nB,A,A\n")
    said = refusal(path, InvalidJudgments)
    assert "can be read in two ways" in said
    assert "--from crowd-kit" in said
    assert "--outcome" in said
    names = cells_of(tally_of(path, format="crowd-kit"))
    assert names == {("A", "B"): (1, 0, 0), ("B", "A"): (0, 0, 1)}
    sides = cells_of(tally_of(path, outcomes={"A": "left"}))
    assert sides == {("A", "B"): (1, 0, 0), ("B", "A"): (1, 0, 0)}


def test_a_label_further_down_that_names_neither_is_refused_with_its_row(save):
    rows = ["x,y,x"] * LOOK + ["x,y,left-ish"]
    path = save("t.csv", "\n".join(["left,right,winner", *rows]))
    words = refusal(path, InvalidJudgments, by=())
    assert "unknown outcome 'left-ish' in column 'winner' of " in words
    assert f"(line {LOOK + 2:,})" in words


def test_names_that_begin_further_down_are_refused_with_the_way_to_read_them(save):
    rows = ["x,y,left"] * LOOK + ["x,y,x"]
    path = save("t.csv", "\n".join(["left,right,winner", *rows]))
    said = refusal(path, InvalidJudgments)
    assert "it is the name of a system" in said
    assert "--from crowd-kit" in said
