"""Outcomes that name the winner: read as such where the first rows leave no doubt."""

import ast

import pandas as pd
import polars as pl
import pytest

from evenhand.data.labels import tell_reading
from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.formats.reading import read
from evenhand.formats.table import LOOK
from evenhand.formats.writing import write
from read_tables import cells_of, refusal, tally_of

NAMED = "left,right,winner\nred,blue,red\nblue,red,red\nblue,red,Tie\nred,blue,blue\n"
CELLS = {("blue", "red"): (0, 1, 1), ("red", "blue"): (1, 0, 1)}
"""Counted by hand from NAMED: wins, ties and losses of the left system."""


@pytest.mark.parametrize(
    "header", ["left,right,winner", "model_a,model_b,winner", "system_a,system_b,preference"]
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


@pytest.mark.parametrize("column", ["loser", "Worse", "worse_model", "losing system"])
def test_a_column_of_losers_names_or_says_the_other_side(column, save):
    rows = "red,blue,blue\nblue,red,blue\nblue,red,Tie\nred,blue,red\n"  # the losers of NAMED
    named = save("n.csv", f"left,right,{column}\n{rows}")
    assert cells_of(tally_of(named)) == CELLS
    assert f"'{column}' names the loser of its row" in read(named).source.notes
    sides = "red,blue,B\nblue,red,left\nblue,red,Tie\nred,blue,a\nblue,red,A\n"
    path = save("s.csv", f"model_a,model_b,{column}\n{sides}")
    lost = {("blue", "red"): (0, 1, 2), ("red", "blue"): (1, 0, 1)}
    assert cells_of(tally_of(path)) == lost
    written = write(read(path), path.with_name("w.csv"))
    assert cells_of(tally_of(written)) == lost
    # what the caller declares is what it says
    assert cells_of(tally_of(path, outcomes={"A": "left"}))["blue", "red"] == (1, 1, 1)


@pytest.mark.parametrize("column", ["better", "best_model", "preferred system"])
def test_a_column_of_the_better_one_names_the_winner(column, save):
    assert cells_of(tally_of(save("t.csv", NAMED.replace("winner", column)))) == CELLS
    wide = save("w.csv", f"item,A,B,{column}\n1,4,5,A\n2,3,1,B\n")  # without sides it is no outcome
    assert read(wide).rows().systems == ("A", "B")


def test_losers_that_are_words_for_a_side_are_refused_with_the_way_out(save):
    path = save("t.csv", "left,right,loser\nA,B,A\nB,A,A\n")
    assert "--outcome 'A=right'" in refusal(path, InvalidJudgments)
    assert "leave out --from crowd-kit" in refusal(path, UnknownOption, format="crowd-kit")


MATCHES = "judge,winner,loser,tie\nann,x,y,0\nann,y,x,{}\nben,y,x,0\n"


@pytest.mark.parametrize(
    ("tie", "cells"), [("1", (1, 1, 1)), ("false", (1, 0, 2)), ("TRUE", (1, 1, 1))]
)
def test_a_column_of_ties_beside_winners_is_read(tie, cells, save):
    path = save("t.csv", MATCHES.format(tie))
    assert cells_of(tally_of(path)) == {("x", "y"): cells}
    assert "'tie' says which rows are ties" in read(path).source.notes
    assert "'perhaps' in column 'tie' of" in refusal(save("u.csv", MATCHES.format("perhaps")))


def test_rows_without_a_winner_are_refused_with_a_condition_that_works(save):
    path = save("t.csv", "judge,winner,loser\nann,x,y\nann, ,\nben,y,x\n")
    said = refusal(path, InvalidJudgments)
    assert "no winner or no loser in" in said
    where = ast.literal_eval(said.partition("where=")[2].rstrip(")"))
    assert cells_of(tally_of(path, where=where)) == {("x", "y"): (1, 0, 1)}


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
