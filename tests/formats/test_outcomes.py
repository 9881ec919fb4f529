"""Outcomes that say how strongly, mark who won, or name the winner."""

import ast
import json
import re

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from evenhand.data.labels import tell_reading
from evenhand.errors import InvalidJudgments, UnknownFormat, UnknownOption
from evenhand.formats.reading import read
from evenhand.formats.table import LOOK
from evenhand.formats.writing import write
from read_tables import cells_of, refusal, tally_of

# Outcomes that say how strongly, scores of one side, and columns that mark who won.


SCALE = (-3, -2, -1, 0, 1, 2, 3)


def save_votes(save, values, column="preference", sides=("x", "y")):
    rows = "".join(f"j{at % 3},{at},{sides[0]},{sides[1]},{one}\n" for at, one in enumerate(values))
    return save("votes.csv", f"judge,item,model_a,model_b,{column}\n{rows}")


def counts(source, **wishes):
    ((pair, cells),) = cells_of(tally_of(source, **wishes)).items()
    assert pair == ("x", "y")
    return cells


# Column, labels, and how many mean left, tie and right
GRADED = {
    "around 0": ("preference", SCALE, (3, 1, 3)),
    "around 0, written otherwise": ("Overall Preference", ("−2", "+1", "0.0", "-1.5"), (2, 1, 1)),
    "decimal commas": ("preference", ("-1,5", "0,5", "2"), (1, 0, 2)),
    "without a tie": ("preference_strength", ("-2", "-1", "2"), (2, 0, 1)),
    "1 to 5": ("preference", (1, 2, 3, 4, 5, 5), (2, 1, 3)),
    "1 to 7": ("likert", (1, 4, 7, 7), (1, 1, 2)),
    "1 to 7, all points": ("preference", (1, 2, 3, 4, 5, 6, 7, 7), (3, 1, 4)),
    "1 to 4, which has no tie": ("preference", (1, 2, 3, 4, 4), (2, 0, 3)),
    "blank is missing": ("preference", (-2, 2, "", 1), (1, 0, 2)),
    "NaN is missing": ("preference", (-2, 2, "NaN"), (1, 0, 1)),
    "score of the left": ("winner", ("1", "0.5", "0", "1.0", ".5"), (2, 2, 1)),
    "score named result": ("result", ("1", "0.5", "0"), (1, 1, 1)),
    "words": (
        *("preference",),
        ("A is much better", "A is slightly better", "About the same", "B is better"),
        (2, 1, 1),
    ),
    "more words": (
        *("vote",),
        ("strongly prefer A", "Slightly prefer B", "Both are equally good", "no difference"),
        (1, 2, 1),
    ),
    "only how strongly": (
        "preference strength",
        ("Strongly A", "Slightly B", "Neutral"),
        (1, 1, 1),
    ),
    "over": ("vote", ("Strongly prefer A over B", "slightly prefer B over A"), (1, 0, 1)),
    "with underscores": ("vote", ("A_much_better", "B_slightly_better", "both_bad"), (1, 1, 1)),
    "compared with": ("vote", ("A is a bit better than B", "B is far better than A"), (1, 0, 1)),
    "signs": ("verdict", ("A>>B", "A>B", "A=B", "B>A", "B>>A", "A<<B"), (2, 1, 3)),
    "signs in brackets": ("verdict", ("[[A>>B]]", "[[B>A]]", "[[A=B]]"), (1, 1, 1)),
    "pluses": ("verdict", ("A++", "A+", "tie", "B+"), (2, 1, 1)),
    "left and right": ("verdict", ("left much better", "right slightly better", "tie"), (1, 1, 1)),
    "no strength": ("verdict", ("A is better", "B is better", "A is better"), (2, 0, 1)),
    "who wins": ("choice", ("A wins", "B wins", "tie", "no preference"), (1, 2, 1)),
    "letters": ("choice", ("L", "R", "=", "l", "R"), (2, 1, 2)),
    "true and false": ("a_wins", ("true", "False", "TRUE"), (2, 0, 1)),
    "of the right": ("winner_model_b", ("1", "0", "0.5"), (1, 1, 1)),
    "ones and zeros": ("left_better", (1, 0, 0), (1, 0, 2)),
    "yes and no": ("A wins", ("yes", "no", "no"), (1, 0, 2)),
}


def asked(column):
    known = ("winner", "result", "preference", "vote", "verdict")
    plain = (
        column in known
        or "preference" in column.lower()
        or "wins" in column
        or column in ("winner_model_b", "left_better")
    )
    return {} if plain else {"columns": {"outcome": column}}


@pytest.mark.parametrize(("column", "labels", "meant"), GRADED.values(), ids=GRADED)
def test_graded_labels_become_left_tie_and_right_and_a_note_says_so(save, column, labels, meant):
    quoted = [f'"{one}"' if "," in str(one) else one for one in labels]
    path = save_votes(save, quoted, column)
    assert counts(path, **asked(column)) == meant
    notes = read(path, **asked(column)).source.notes
    (note,) = (one for one in notes if getattr(one, "code", "").startswith("graded"))
    assert column in note


def test_the_note_says_the_convention_and_labels_may_be_declared(save) -> None:
    path = save_votes(save, (*SCALE, 3))
    note = next(one for one in read(path).source.notes if "runs from" in one)
    assert note == (
        "column 'preference' runs from −3 to 3: numbers below 0 prefer the left output, 0 is a tie;"
        " strengths are collapsed (if it is the other way round: --outcome 3=left)"
    )
    assert counts(path) == (3, 1, 4)
    assert counts(path, outcomes={"3": "left"}) == (4, 1, 3)
    assert counts(path, outcomes={"-3": "right"}) == (4, 1, 3)
    assert counts(path, outcomes={-3: "left"}) == (3, 1, 4)
    path = save_votes(save, SCALE)
    assert counts(path, outcomes={"-3": "left", "-1": "tie", "1": "tie"}) == (2, 3, 2)
    every = {str(one): "tie" for one in SCALE}
    assert counts(path, outcomes=every) == (0, 7, 0)


def test_four_points_are_a_scale_without_a_tie_or_of_five(save) -> None:
    path = save_votes(save, (1, 2, 3, 4, 4))
    note = next(one for one in read(path).source.notes if "runs from" in one)
    assert "1 and 2 prefer the left output" in note
    assert counts(path, outcomes={"4": "left"}) == (3, 0, 2)
    assert counts(path, outcomes={"3": "tie"}) == (2, 1, 2)
    # with a gap it may be a scale to 5: the caller says what the labels mean
    path = save_votes(save, (1, 2, 4, 4))
    said = refusal(path, InvalidJudgments)
    meant = ast.literal_eval(re.search(r"outcomes=(\{.*?\})", said)[1])
    assert meant == dict.fromkeys("124", "left|tie|right")
    assert counts(path, outcomes={"1": "left", "2": "left", "4": "right"}) == (2, 0, 2)


# Column and labels of which nobody can know which end is the left
UNSURE = {
    "0 and 1": ("winner", (0, 1, 1)),
    "−1, 0 and 1": ("preference", (-1, 0, 1)),
    "a verdict": ("verdict", SCALE),
    "a difference": ("label", (-2, 0, 3)),
    "halves of a preference": ("preference", (0, 0.5, 1)),
    "1 to 5 of a winner": ("winner", (1, 2, 3, 4, 5)),
}


@pytest.mark.parametrize(("column", "labels"), UNSURE.values(), ids=UNSURE)
def test_which_end_is_the_left_is_never_guessed(save, column, labels):
    path = save_votes(save, labels, column)
    said = refusal(path, InvalidJudgments)
    low, high = min(labels), max(labels)
    assert f"column '{column}' holds numbers from {low} to {high}" in said
    assert f"--outcome {low}=left" in said
    assert f"--outcome {high}=left" in said
    one = counts(path, outcomes={str(low): "left"})
    assert counts(path, outcomes={str(high): "left"}) == one[::-1]
    assert sum(one) == len(labels)


# Labels that are no scale and no grades: refused as any unknown label is
UNKNOWN = {
    "1 to 3": (1, 2, 3),
    "1 to 4 with a gap": (1, 2, 4),
    "0 to 10": tuple(range(11)),
    "far numbers": (-70, 12, 40),
    "words and a stranger": ("A is much better", "perhaps", "B is better"),
    "a negation": ("A is not much better", "B is much better"),
    "both sides": ("A is much better and B is not", "tie"),
    "a letter of two": ("L", "tie"),
    "a loss": ("W", "L", "T"),
    "strangers": ("C>>D", "A>>B"),
    "one side twice": ("A>>A", "A>>B"),
    "no tie": ("no tie", "A is much better"),
}


@pytest.mark.parametrize("labels", UNKNOWN.values(), ids=UNKNOWN)
def test_what_is_no_scale_is_refused_as_before(save, labels):
    said = refusal(save_votes(save, labels), InvalidJudgments)
    assert "unknown outcome" in said


def test_sides_that_are_names_of_systems_are_not_guessed(save):
    labels = ("A is much better", "B is slightly better")
    plain = save_votes(save, labels, sides=("A", "B"))  # both readings are the same here
    assert cells_of(tally_of(plain)) == {("A", "B"): (1, 0, 1)}
    said = refusal(save_votes(save, labels, sides=("B", "A")), InvalidJudgments)
    assert "is the name of a system and may mean a side as well" in said
    assert "--outcome 'A is much better=left'" in said or '"A is much better=left"' in said


def test_letters_are_sides_unless_they_are_names_of_systems(save) -> None:
    path = save_votes(save, ("R", "L", "R"), "winner", sides=("R", "L"))
    assert cells_of(tally_of(path)) == {("R", "L"): (2, 0, 1)}
    path = save_votes(save, ("L", "R", "="))
    assert "column 'preference': left is L; tie is =; right is R" in read(path).source.notes
    turned = tally_of(path, outcomes={"L": "right", "R": "left"})
    assert cells_of(turned) == {("x", "y"): (1, 1, 1)}
    path = save_votes(save, (5, 3, 5, 1), "winner", sides=("5", "3"))
    assert "it is the name of a system" in refusal(path, InvalidJudgments)
    path = save_votes(save, (5, 3, 5), "winner", sides=("5", "3"))
    assert cells_of(tally_of(path)) == {("5", "3"): (2, 0, 1)}


BASE = {"model_a": ["x"] * 4, "model_b": ["y"] * 4}
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "lazy": pl.LazyFrame, "arrow": pa.table}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_frames_hold_truth_values_fractions_and_missing_ones(make):
    assert counts(make({**BASE, "a_wins": [True, False, None, True]})) == (2, 0, 1)
    assert counts(make({**BASE, "winner": [1.0, 0.5, 0.0, 1.0]})) == (2, 1, 1)
    assert counts(make({**BASE, "preference": [-3.0, 2.0, None, 1.5]})) == (1, 0, 2)
    assert counts(make({**BASE, "preference": [-3, 2, 0, 1]})) == (1, 1, 2)


def test_frames_and_json_hold_truth_values_and_fractions(save) -> None:
    def save_lines(column, values):
        pair = {"model_a": "x", "model_b": "y"}
        lines = [json.dumps({**pair, column: value}) for value in values]
        return save(f"{column}.jsonl", "\n".join(lines))

    assert counts(save_lines("a_wins", (True, False, None))) == (1, 0, 1)
    assert counts(save_lines("winner", (1, 0.5, 0, 1.0))) == (2, 1, 1)
    table = {"left": [7, 8], "right": [8, 7], "winner": [7, 7]}
    assert cells_of(read(pl.DataFrame(table)).tally()) == {
        ("7", "8"): (1, 0, 0),
        ("8", "7"): (0, 0, 1),
    }


# Columns that mark outcomes, a row of each, and what the rows mean
MARKS = {
    "all three": ("a_wins,b_wins,tie", ("1,0,0", "0,1,0", "0,0,1"), (1, 1, 1)),
    "in another order": ("Tie,right_wins,left_wins", ("1,0,0", "0,1,0", "0,0,1"), (1, 1, 1)),
    "no tie": ("model_a_better,model_b_better", ("1,0", "0,1", "1,0"), (2, 0, 1)),
    "bare sides beside a tie": ("a,B,Tie", ("1,0,0", "0,1,0", "0,0,1"), (1, 1, 1)),
    "a tie and one side": ("a_wins,is_draw", ("1,0", "0,1", "0,0"), (1, 1, 1)),
    "the tie and the right": ("tied,winner_b", ("1,0", "0,1", "0,0"), (1, 1, 1)),
    "truth values": ("a_won,b_won,draw", ("true,false,false", "False,True,False"), (1, 0, 1)),
}


@pytest.mark.parametrize(("header", "rows", "meant"), MARKS.values(), ids=MARKS)
def test_each_outcome_may_have_a_column(save, header, rows, meant):
    lines = "".join(f"x,y,{row}\n" for row in rows)
    path = save("t.csv", f"model_a,model_b,{header}\n{lines}")
    assert counts(path) == meant
    assert any("each outcome has a column" in note for note in read(path).source.notes)


def test_marks_of_one_row_agree_and_an_outcome_comes_before_them(save) -> None:
    path = save("t.csv", "model_a,model_b,a_wins,tie\nx,y,1,1\n")
    assert "at most one of them must be 1" in refusal(path)
    path = save("t.csv", "model_a,model_b,a_wins,b_wins\nx,y,1,0\nx,y,0,0\n")
    assert "a_wins, b_wins" in refusal(path)
    assert "hold 0, 0 (line 3): exactly one of them must be 1" in refusal(path)
    path = save("t.csv", "model_a,model_b,winner,a_wins,b_wins\nx,y,model_b,1,0\n")
    assert counts(path) == (0, 0, 1)


def test_marks_without_names_of_systems_are_no_scores(save) -> None:
    rows = ["j,1,1,0,0", "j,2,0,1,0", "k,1,0,0,1", "k,2,1,0,0"]
    path = save("t.csv", "\n".join(["judge,item,a,b,tie", *rows]))
    assert "add columns model_a and model_b" in refusal(path, UnknownFormat)
    named = [f"{row},x,y" for row in rows]
    path = save("t.csv", "\n".join(["judge,item,a,b,tie,model_a,model_b", *named]))
    assert counts(path) == (2, 1, 1)
    scores = [row.replace("1,0,0", "5,2,0") for row in rows]
    path = save("t.csv", "\n".join(["judge,item,x,y,tie", *scores]))
    assert read(path).rows().systems == ("x", "y")


def test_labels_that_hold_names_of_systems_are_no_sides(tmp_path):
    """Of systems A, B and C "A wins" is no left; what the refusal advises works."""
    rows = [("A", "B", "A wins"), ("C", "B", "B wins"), ("A", "C", "C wins"), ("A", "B", "B wins")]
    text = "".join(f"{','.join(row)}\n" for row in rows)
    (tmp_path / "votes.csv").write_text(f"left,right,outcome\n{text}")
    said = refusal(tmp_path / "votes.csv", InvalidJudgments)
    assert "'A wins' holds the name of system A and no side" in said
    assert "--outcome" not in said
    (tmp_path / "names.csv").write_text(f"left,right,outcome\n{text.replace(' wins', '')}")
    table = read(tmp_path / "names.csv", format="crowd_kit")
    found = cells_of(table.tally())
    assert found == {("A", "B"): (1, 0, 1), ("A", "C"): (0, 0, 1), ("C", "B"): (0, 0, 1)}


def test_a_winner_that_is_a_system_but_for_case_is_to_be_written_like_it(save):
    rows = "model_a,model_b,winner\nonlineA,onlineB,ONLINEA\nonlineB,onlineA,onlineA\n"
    said = refusal(save("t.csv", rows), InvalidJudgments)
    assert "write the name of the winner alone, 'onlineA'" in said
    assert "--outcome" not in said
    written = save("t.csv", rows.replace("ONLINEA", "onlineA"))
    cells = cells_of(read(written, format="crowd_kit").tally())
    assert cells == {("onlineA", "onlineB"): (1, 0, 0), ("onlineB", "onlineA"): (0, 0, 1)}


# Outcomes that name the winner: read as such where the first rows leave no doubt.


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


def test_words_for_a_side_that_are_names_are_refused_with_the_ways_out(save) -> None:
    path = save("t.csv", "left,right,loser\nA,B,A\nB,A,A\n")
    assert "--outcome 'A=right'" in refusal(path, InvalidJudgments)
    assert "leave out --from crowd-kit" in refusal(path, UnknownOption, format="crowd-kit")
    path = save("t.csv", "left,right,winner\nA,B,A\nB,A,A\n")
    said = refusal(path, InvalidJudgments)
    assert "can be read in two ways" in said
    assert "--from crowd-kit" in said
    assert "--outcome" in said
    names = cells_of(tally_of(path, format="crowd-kit"))
    assert names == {("A", "B"): (1, 0, 0), ("B", "A"): (0, 0, 1)}
    sides = cells_of(tally_of(path, outcomes={"A": "left"}))
    assert sides == {("A", "B"): (1, 0, 0), ("B", "A"): (1, 0, 0)}


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


def test_labels_further_down_that_are_none_are_refused(save) -> None:
    rows = ["x,y,x"] * LOOK + ["x,y,left-ish"]
    path = save("t.csv", "\n".join(["left,right,winner", *rows]))
    words = refusal(path, InvalidJudgments, by=())
    assert "unknown outcome 'left-ish' in column 'winner' of " in words
    assert f"(line {LOOK + 2:,})" in words
    rows = ["x,y,left"] * LOOK + ["x,y,x"]
    path = save("t.csv", "\n".join(["left,right,winner", *rows]))
    said = refusal(path, InvalidJudgments)
    assert "it is the name of a system" in said
    assert "--from crowd-kit" in said
