"""Scores that stand side by side: what the columns are is understood, or asked for in words."""

import re
import shlex

import polars as pl
import pytest

import evenhand
from evenhand.data.comparisons import Comparisons
from evenhand.data.ratings import Ratings
from evenhand.data.slips import find_slips
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownFormat, UnknownOption
from evenhand.formats.inspection import inspect
from evenhand.formats.reading import read
from read_tables import cells_of, refusal, rows_of, tally_of

ROLES = ("judge", "item", "system", "criterion", "score")


def ratings(source, **wishes):
    """What each row says under the roles that are there, sorted."""
    data = read(source, **wishes)
    assert isinstance(data, Ratings)
    rows = [tuple(str(row[role]) for role in ROLES if role in row) for row in rows_of(data)]
    return sorted(rows)


# Header, rows, and the ratings that they are
UNDERSTOOD = {
    "criteria": (
        "judge,item,system,fluency,adequacy",
        "j,1,A,4,5\nj,1,B,2,3",
        "j,1,A,adequacy,5.0; j,1,A,fluency,4.0; j,1,B,adequacy,3.0; j,1,B,fluency,2.0",
    ),
    "criteria with a word for scores": (
        "judge,system,score_fluency,Overall Quality score",
        "j,A,4,5",
        "j,A,Overall Quality,5.0; j,A,fluency,4.0",
    ),
    "one criterion": ("judge,system,adequacy", "j,A,4", "j,A,adequacy,4.0"),
    "criteria on different scales": (
        "judge,system,fluency,mos",
        "j,A,4,88\nj,B,5,12",
        "j,A,fluency,4.0; j,A,mos,88.0; j,B,fluency,5.0; j,B,mos,12.0",
    ),
    "criteria of other names on one scale": (
        "judge,item,system,taste,smell",
        "j,1,A,4,5",
        "j,1,A,smell,5.0; j,1,A,taste,4.0",
    ),
    "judges by number": (
        "item,system,annotator_1,annotator_2",
        "1,A,4,5",
        "annotator_1,1,A,4.0; annotator_2,1,A,5.0",
    ),
    "judges by name": (
        "Segment ID,System Name,score_anna,score_ben",
        "1,A,4,5",
        "anna,1,A,4.0; ben,1,A,5.0",
    ),
    "judges with the word behind": (
        "item,system,Anna rating,Ben rating",
        "1,A,4,5",
        "Anna,1,A,4.0; Ben,1,A,5.0",
    ),
    "judges of one criterion": (
        "item,system,criterion,rater A,rater B",
        "1,A,fluency,4,5",
        "rater A,1,A,fluency,4.0; rater B,1,A,fluency,5.0",
    ),
    "systems": (
        "item,GPT-4,Claude",
        "1,4,5\n2,3,1",
        "1,Claude,5.0; 1,GPT-4,4.0; 2,Claude,1.0; 2,GPT-4,3.0",
    ),
    "systems, of rows without a name": (",GPT-4,Claude", "s1,4,5", "s1,Claude,5.0; s1,GPT-4,4.0"),
    "systems that are called like sides": (
        "item,system_1,system_2,system_3",
        "1,4,5,1\n2,2,3,4",
        "1,system_1,4.0; 1,system_2,5.0; 1,system_3,1.0; 2,system_1,2.0; 2,system_2,3.0; "
        "2,system_3,4.0",
    ),
    "systems, with a judge": ("participant,GPT-4,Claude", "p1,4,5", "p1,Claude,5.0; p1,GPT-4,4.0"),
    "systems of a criterion": (
        "judge,item,criterion,sys1,sys2",
        "j,1,fluency,70,95\nj,2,fluency,10,20",
        "j,1,sys1,fluency,70.0; j,1,sys2,fluency,95.0; j,2,sys1,fluency,10.0; "
        "j,2,sys2,fluency,20.0",
    ),
    "systems and criteria": (
        "judge,A_fluency,A_adequacy,B_fluency,B_adequacy",
        "j,1,2,3,4",
        "j,A,adequacy,2.0; j,A,fluency,1.0; j,B,adequacy,4.0; j,B,fluency,3.0",
    ),
    "criteria and judges": (
        "item,system,fluency rater1,fluency rater2,adequacy rater1,adequacy rater2",
        "1,A,1,2,3,4",
        "rater1,1,A,adequacy,3.0; rater1,1,A,fluency,1.0; rater2,1,A,adequacy,4.0; "
        "rater2,1,A,fluency,2.0",
    ),
    "systems of one criterion": (
        "judge,item,errors_A,errors_B",
        "j,1,1,4",
        "j,1,A,errors,1.0; j,1,B,errors,4.0",
    ),
    "systems and criteria, one of them not known, on two scales": (
        "judge,A_wit,A_fluency,B_wit,B_fluency",
        "j,1,20,3,40\nj,5,2,3,90",
        "j,A,fluency,2.0; j,A,fluency,20.0; j,A,wit,1.0; j,A,wit,5.0; j,B,fluency,40.0; "
        "j,B,fluency,90.0; j,B,wit,3.0; j,B,wit,3.0",
    ),
    "systems with a word for scores, judge and item being known": (
        "judge,item,score_Alfa,score_Brava",
        "j,1,4,5",
        "j,1,Alfa,4.0; j,1,Brava,5.0",
    ),
    "systems beside what judges are": (
        "participant,gender,education,age_group,GPT-4,Claude",
        "p1,1,3,2,4,5",
        "p1,Claude,5.0; p1,GPT-4,4.0",
    ),
    "numbers that score nothing": (
        "judge,item,system,fluency,adequacy,word_count,age,confidence",
        "j,1,A,4,5,17,33,4",
        "j,1,A,adequacy,5.0; j,1,A,fluency,4.0",
    ),
    "blank cells": (
        "item,system,rater_1,rater_2",
        "1,A,4,\n2,A,, \n3,A,1,2",
        "rater_1,1,A,4.0; rater_1,3,A,1.0; rater_2,3,A,2.0",
    ),
}


def list_rows(text):
    """The rows of a case: cells with commas between them, rows with semicolons."""
    return [tuple(row.split(",")) for row in text.split("; ")]


def write(save, header, rows):
    return save("study.csv", "\n".join([header, *rows]) + "\n")


@pytest.mark.parametrize(("header", "rows", "expected"), UNDERSTOOD.values(), ids=UNDERSTOOD)
def test_columns_of_scores_are_understood_in_files_and_frames(save, header, rows, expected):
    path = write(save, header, [rows])
    assert ratings(path) == list_rows(expected)
    source = read(path).source
    (note,) = (one for one in source.notes if getattr(one, "code", "") == "unfolded")
    columns = note.values["columns"]
    assert ("each is" in note) == (len(columns) > 1)
    assert note.startswith(f"column {columns[0]} holds" if len(columns) == 1 else "columns ")
    assert ("blank cells excluded: 3" in source.notes) == (",, " in rows)
    header = f"Unnamed: 0{header}" if header.startswith(",") else header  # as pandas reads it
    cells = zip(*(row.split(",") for row in rows.split("\n")), strict=True)
    columns = dict(zip(header.split(","), cells, strict=True))
    for make in (pl.DataFrame, pl.LazyFrame):
        assert ratings(make(columns)) == list_rows(expected)


# What is asked for: role and columns, and the ratings that they are
ASKED = {
    "only some criteria": (
        "judge,system,fluency,adequacy,style",
        "j,A,1,2,3",
        {"score": "fluency,style"},
        "j,A,fluency,1.0; j,A,style,3.0",
    ),
    "as a list": (
        "judge,system,fluency,style",
        "j,A,1,3",
        {"criterion": ["fluency", "style"]},
        "j,A,fluency,1.0; j,A,style,3.0",
    ),
    "with blanks": (
        "judge,system,my own,your own",
        "j,A,1,3",
        {"score": "my own, your own"},
        "j,A,my own,1.0; j,A,your own,3.0",
    ),
    "judges": ("item,system,x,y", "1,A,1,3", {"judge": "x,y"}, "x,1,A,1.0; y,1,A,3.0"),
    "systems without an item": ("x,y", "1,3", {"system": "x,y"}, "1,x,1.0; 1,y,3.0"),
    "systems that are called like roles": (
        "item,first,second",
        "7,1,3",
        {"system": "first,second"},
        "7,first,1.0; 7,second,3.0",
    ),
    "scores beside a score": (
        "judge,system,score,fluency,style",
        "j,A,9,1,3",
        {"criterion": "fluency,style"},
        "j,A,fluency,9,1.0; j,A,style,9,3.0",
    ),
    "with other roles": (
        "who,what,fluency,style",
        "j,A,1,3",
        {"judge": "who", "system": "what", "score": "fluency,style"},
        "j,A,fluency,1.0; j,A,style,3.0",
    ),
}


@pytest.mark.parametrize(("header", "row", "columns", "expected"), ASKED.values(), ids=ASKED)
def test_columns_of_scores_can_be_named(save, header, row, columns, expected):
    path = write(save, header, [row])
    data = read(path, columns=columns)
    assert isinstance(data, Ratings)
    shown = [role for role in ROLES if role in rows_of(data)[0]]
    assert data.frame.collect_schema()["score"].is_float()
    if "9" in row:  # another column is called like the role
        assert {one["original_score"] for one in rows_of(data)} == {"9"}
        shown.insert(3, "original_score")
    rows = sorted(tuple(str(one[name]) for name in shown) for one in rows_of(data))
    assert rows == list_rows(expected)


# What is refused, the kind of refusal, and words of it
REFUSED = {
    "criteria or judges": (
        "item,system,x,y",
        "1,A,1,3",
        UnknownFormat,
        "several columns of scores, x, y, and does not say what they are",
    ),
    "criteria and judges at once": (
        "item,system,Overall,judge_1_overall,judge_2_overall",
        "1,A,4.5,5,4",
        UnknownFormat,
        "does not say what they are",
    ),
    "no system": (
        "judge,item,fluency,adequacy",
        "j,1,4,5",
        UnknownFormat,
        "none that says whose output was scored",
    ),
    "judges but no system": (
        "item,rater_1,rater_2",
        "1,4,5",
        UnknownFormat,
        "several judges (rater_1, rater_2), and none that says whose output",
    ),
    "different scales": (
        "item,left_over,right_over",
        "1,4,500",
        UnknownFormat,
        "not on one scale, left_over (4 to 4), right_over (500 to 500)",
    ),
    "flags beside scores": (
        "item,native,Llama",
        "1,1,5\n2,0,3",
        UnknownFormat,
        "on one scale, native (0 to 1), Llama (3 to 5): name those that hold the",
    ),
    "sides without an outcome": (
        "judge,item,model_a,model_b,taste",
        "j,1,3,5,3",
        UnknownColumn,
        "looks like comparisons, but has no column for outcome",
    ),
    "criteria of some systems": (
        "judge,item,A_fluency,A_adequacy,B_fluency",
        "j,1,4,5,3",
        UnknownFormat,
        "and not each criterion of each system",
    ),
    "texts": ("item,GPT-4,Llama", "1,good,bad", UnknownFormat, "no known layout"),
    "items in columns": ("worker,i1,i2,i3", "w,1,2,3", UnknownFormat, "no known layout"),
    "a word among scores": (
        "judge,system,fluency,style",
        "j,A,4,5\nj,B,high,4",
        ValueError,
        "score 'high' in column 'fluency' of",
        {"score": "fluency,style"},
    ),
    "a word among scores of a pair": (
        "model_a,model_b,score_a,score_b",
        "x,y,5,1\nx,y,good,1",
        ValueError,
        "score 'good' in column 'score_a'",
    ),
    "a column that is not there": (
        "judge,system,fluency,style",
        "j,A,1,3",
        UnknownColumn,
        "'flency' (asked for as score) not found",
        {"score": "flency,style"},
    ),
    "two lists": (
        "system,x,y",
        "A,1,3",
        UnknownOption,
        "one role says what they are",
        {"judge": "x,y", "criterion": "x,y"},
    ),
    "no role of scores": (
        "system,x,y",
        "A,1,3",
        UnknownOption,
        "item=x,y: of several columns of scores",
        {"item": "x,y"},
    ),
    "a role that is taken": (
        "judge,system,x,y",
        "j,A,1,3",
        UnknownOption,
        "cannot each be a system: column 'system' says the system already",
        {"system": "x,y"},
    ),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_what_is_not_sure_is_refused(save, case):
    header, row, kind, words, *columns = case
    assert words in refusal(write(save, header, [row]), kind, columns=columns[0] if columns else {})


SLIP = [f"j{i % 3},{i},{i % 5 + 1},{(i + 2) % 5 + 1},{(i * 2) % 5 + 1}" for i in range(30)]


def test_slips_and_other_scales_make_no_system_vanish(save) -> None:
    rows = [*SLIP[:9], "j0,9,1,2,44", *SLIP[10:]]
    path = write(save, "judge,item,Alfa,Brava,Cala", rows)
    assert read(path).rows().systems == ("Alfa", "Brava", "Cala")
    (far,) = [one for one in find_slips(read(path)) if one.code == "far-score"]
    assert (far.values["score"], far.values["where"]) == (44, " (line 11)")
    rows = [f"{row},{20 * int(row[-1])}" for row in SLIP]
    path = write(save, "judge,item,Alfa,Brava,Cala,Dora", rows)
    said = refusal(path, UnknownFormat)
    assert "Cala (1 to 5), Dora (20 to 100)" in said
    remedy = re.search(r"--column (\S+), in", said)[1]
    assert remedy == "system=Alfa,Brava,Cala,Dora"
    data = read(path, columns={"system": remedy.partition("=")[2]})
    assert data.rows().systems == ("Alfa", "Brava", "Cala", "Dora")
    path = write(save, "judge,item,Alfa,Brava,Turn", SLIP)
    (note,) = [one for one in read(path).source.notes if "not read as scores" in one]
    assert note.startswith("numbers that are not read as scores: Turn; to read all: --column")
    assert "system=Alfa,Brava,Turn" in note


@pytest.mark.parametrize(
    ("column", "value"),
    [("day", "{}"), ("Month", "1{}"), ("when", "2026030{}"), ("date", "2026-03-0{}")],
)
def test_a_column_of_dates_is_no_system(column, value, save) -> None:
    rows = [row.replace(",", f",{value.format(1 + at % 5)},", 1) for at, row in enumerate(SLIP)]
    path = write(save, f"judge,{column},item,Alfa,Brava,Cala", rows)
    assert read(path).rows().systems == ("Alfa", "Brava", "Cala")
    assert column in inspect(read(path)).to_dict()["covariates"]


@pytest.mark.parametrize(
    "case", ["criteria or judges", "no system", "judges but no system", "criteria of some systems"]
)
def test_the_remedy_of_a_refusal_works(save, case):
    header, row, *_ = REFUSED[case]
    path = write(save, header, [row])
    remedies = re.findall(r"--column (\S+?)(?:, in| if|$)", refusal(path))
    assert remedies
    for remedy in remedies:
        role, _, column = shlex.split(remedy)[0].partition("=")
        assert ratings(path, columns={role: column})


def test_wide_tables_can_be_forced_and_others_are_not_wide(save) -> None:
    for header in ("system,score,fluency,adequacy", "left,right,outcome,fluency,adequacy"):
        cells = ["A,B,left,4,5" if "left" in header else "A,3,4,5"]
        assert read(write(save, header, cells)).source.format in ("ratings", "comparisons")
    path = write(save, "judge,item,system,fluency,adequacy", ["j,1,A,4,5"])
    assert len(ratings(path, format="wide")) == 2
    other = save("texts.csv", "judge,system,text\nj,A,x\n")
    assert "--column score=NAME,NAME" in refusal(other, UnknownColumn, format="wide")
    said = refusal(path, UnknownOption, format="arena", columns={"score": "fluency,adequacy"})
    assert "leave out --from arena" in said
    path = save("t.csv", 'judge,system,"score, 1 to 5"\nj,A,4\n')
    assert ratings(path, columns={"score": "score, 1 to 5"}) == [("j", "A", "4.0")]


# Scores of two outputs that stand side by side

PAIRS = {
    "score_a": ("model_a,model_b,score_a,score_b", {}),
    "Rating 1": ("system_1,system_2,Rating 1,Rating 2", {}),
    "left_score": ("left,right,left_score,right_score", {}),
    "model_a_score": ("model_a,model_b,model_a_score,model_b_score", {}),
    "asked": ("model_a,model_b,fluency_a,fluency_b", {"columns": {"score": "fluency_a,fluency_b"}}),
    "asked as a list": ("left,right,p,q", {"columns": {"score": ["p", "q"]}}),
    "forced": ("model_a,model_b,score_a,score_b", {"format": "pair-scores"}),
}


@pytest.mark.parametrize(("header", "wishes"), PAIRS.values(), ids=PAIRS)
def test_two_scores_of_a_pair_become_a_comparison(save, header, wishes):
    rows = ["x,y,4,2", "x,y,3.5,3.5", "x,y,-1,0", "x,y,,5", "x,y,10,9"]
    path = write(save, header, rows)
    data = read(path, **wishes)
    assert isinstance(data, Comparisons)
    assert cells_of(tally_of(path, **wishes)) == {("x", "y"): (2, 1, 1)}
    one, other = header.split(",")[2:]
    assert f"'{one}' and '{other}' are compared: the higher one wins, equal ones tie" in (
        data.source.notes
    )
    (unscored,) = data.source.exclusions
    assert unscored.exclusion.rows == 1


@pytest.mark.parametrize(
    ("columns", "wishes", "cells"),
    [
        ("errors_a,errors_b", {}, (1, 1, 0)),
        ("rank_a,rank_b", {}, (1, 1, 0)),
        ("a,b", {"columns": {"score": "a,b"}}, (0, 1, 1)),
        ("toxicity_a,toxicity_b", {"columns": {"score": "toxicity_a,toxicity_b"}}, (1, 1, 0)),
    ],
)
def test_of_errors_and_ranks_of_a_pair_the_lower_one_wins(save, columns, wishes, cells):
    path = write(save, f"model_a,model_b,{columns}", ["x,y,1,5", "x,y,2,2"])
    assert cells_of(tally_of(path, **wishes)) == {("x", "y"): cells}
    (note,) = [one for one in read(path, **wishes).source.notes if "are compared" in one]
    assert f"the {'lower' if cells[0] else 'higher'} one wins" in note
    below = write(save, f"model_a,model_b,{columns}", ["x,y,-1,5", "x,y,-2,-3", "x,y,2,1"])
    # the higher one wins where points are taken off, and a rank of -1 is none
    ranked = "rank" in columns
    assert cells_of(tally_of(below, **wishes)) == {("x", "y"): (0, 0, 2) if ranked else (2, 0, 1)}


def test_of_pairs_of_scores_one_is_read_and_an_outcome_comes_first(save) -> None:
    path = write(save, "model_a,model_b,score_a,score_b,rating_a,rating_b", ["x,y,1,2,3,4"])
    said = refusal(path, UnknownOption)
    assert "--column score=score_a,score_b" in said
    assert cells_of(tally_of(path, columns={"score": "rating_a,rating_b"})) == {
        ("x", "y"): (0, 0, 1)
    }
    path = write(save, "model_a,model_b,winner,score_a,score_b", ["x,y,model_b,5,1"])
    assert cells_of(tally_of(path)) == {("x", "y"): (0, 0, 1)}


# Outcomes of several judges that stand side by side

VOTES = {
    "by number": ("annotator_1,annotator_2", {}, ("annotator_1", "annotator_2")),
    "by name": ("rater Anna,rater Ben", {}, ("rater Anna", "rater Ben")),
    "asked": ("anna,ben", {"columns": {"outcome": "anna,ben"}}, ("anna", "ben")),
    "a list": ("anna,ben", {"columns": {"outcome": ["anna", "ben"]}}, ("anna", "ben")),
    "a word for scores": ("judge_a_rating,judge_b_rating", {}, ("judge a", "judge b")),
}


@pytest.mark.parametrize(("names", "wishes", "judges"), VOTES.values(), ids=VOTES)
def test_judges_across_columns_of_comparisons_are_understood(save, names, wishes, judges):
    rows = ["1,x,y,A,tie", "2,x,y,B,B", "3,y,x,A,"]
    path = write(save, f"item,model_a,model_b,{names}", rows)
    data = read(path, **wishes)
    assert sorted((one["judge"], one["item"], one["outcome"]) for one in rows_of(data)) == sorted(
        [
            (judges[0], "1", "A"),
            (judges[1], "1", "tie"),
            (judges[0], "2", "B"),
            (judges[1], "2", "B"),
            (judges[0], "3", "A"),
        ]
    )
    assert cells_of(tally_of(path, **wishes)) == {("x", "y"): (1, 1, 2), ("y", "x"): (1, 0, 0)}
    assert [one.rows for one in data.source.exclusions] == [1]
    assert any("hold outcomes: each is a judge" in note for note in data.source.notes)


def test_votes_of_judges_across_columns_may_grade_and_odd_ones_are_refused(save) -> None:
    graded = save("g.csv", "model_a,model_b,rater_1,rater_2\nx,y,-3,1\nx,y,0,2\n")
    assert cells_of(tally_of(graded)) == {("x", "y"): (1, 1, 2)}
    named = save("w.csv", "model_a,model_b,rater_1,rater_2\nx,y,x,tie\nx,y,y,y\n")
    assert cells_of(tally_of(named)) == {("x", "y"): (1, 1, 2)}
    path = write(save, "model_a,model_b,rater_1,rater_2", ["x,y,A,perhaps"])
    assert "unknown outcome 'perhaps'" in refusal(path)
    judged = save("j.csv", "judge,model_a,model_b,p,q\nann,x,y,A,B\n")
    said = refusal(judged, UnknownOption, columns={"outcome": "p,q"})
    assert "p, q of" in said
    assert "cannot each be a judge: column 'judge' says the judge already" in said
    texts = save("t.csv", "model_a,model_b,p,q\nx,y,A,B\n")
    assert "--column outcome=NAME,NAME" in refusal(texts, UnknownColumn, format="wide-votes")


def test_rows_with_a_score_that_is_none_can_be_skipped(save):
    path = write(save, "judge,system,fluency,style", ["j,A,4,5", "j,B,3,good", "j,A,N/A,1"])
    wishes = {"columns": {"score": "fluency,style"}, "skip_bad_rows": True}
    assert "skip_bad_rows=True" in refusal(path, columns=wishes["columns"])
    data = read(path, **wishes)
    assert len(rows_of(data)) == 4  # B's fluency is kept: only the cell is no number
    assert [(one.reason, one.rows) for one in data.source.exclusions] == [
        ("blank cells", 1),
        ("cells that are no numbers, line 3 ('good' in 'style')", 1),
    ]
    none = write(save, "judge,system,fluency,style", ["j,A,so,la", "j,B,NA,"])
    assert "no score of" in refusal(none, **wishes)
    pairs = save("p.csv", "model_a,model_b,score_a,score_b\nx,y,4,5\nx,y,good,3\nx,y,4,4\n")
    assert cells_of(tally_of(pairs, skip_bad_rows=True)) == {("x", "y"): (0, 1, 1)}


GERMAN = "Bewerter,Satz,System,Klarheit,Genauigkeit,Stil"


def test_foreign_headings_are_named_as_candidates_for_judge_and_item(save):
    cells = [(j, i, k) for j in (1, 2) for i in range(1, 41) for k in (0, 1)]
    lines = [f"r{j},{i},s{k},{(i + k) % 5 + 1},{i % 5 + 1},{(j + i) % 5 + 1}" for j, i, k in cells]
    path = save("t.csv", "\n".join([GERMAN, *lines]) + "\n")
    with pytest.raises(
        UnknownFormat,
        match=r"Stil --column judge=Bewerter --column item=Satz,.* item are among Bewerter, Satz",
    ):
        read(path)
    asked = {"judge": "Bewerter", "item": "Satz", "criterion": "Klarheit,Genauigkeit,Stil"}
    assert read(path, columns=asked).rows().judges == ("r1", "r2")
    path = save("u.csv", "\n".join([GERMAN.replace("System", "Modell"), *lines]) + "\n")
    said = refusal(path, UnknownFormat)
    assert "that exist (among Bewerter, Satz, Modell): --column judge=NAME --column item=" in said
    assert "scores is of one system: --column system=Klarheit,Genauigkeit,Stil, in" in said
    asked = {"judge": "Bewerter", "item": "Satz", "system": "Modell"}
    assert read(path, columns=asked).rows().criteria == ("Genauigkeit", "Klarheit", "Stil")
    asked["system"] = "Klarheit,Genauigkeit,Stil"
    assert read(path, columns=asked).rows().systems == ("Genauigkeit", "Klarheit", "Stil")


@pytest.mark.parametrize("row", ["ann,1,A1,3", "71 0.2 400 450 GTCOM.0"])
def test_a_first_row_of_values_is_not_taken_for_names(save, row):
    said = refusal(save("t.csv", f"{row}\n{row}\n"), UnknownFormat)
    assert said.endswith("If the first line holds data, add a line of column names above it")


def test_names_that_sum_up_or_hold_such_words(save) -> None:
    lines = [f"{i},{s},some text,{i % 3 + 1},{i % 4 + 1},2.5" for i in range(1, 9) for s in "AB"]
    path = save("t.csv", "\n".join(["ID,System,Output,Anna,Ben,Mean", *lines]) + "\n")
    said = refusal(path, UnknownFormat)
    remedy = "they are: --column judge=Anna,Ben --column item=ID, in Python columns={'judge':"
    assert remedy in said
    data = read(path, columns={"judge": "Anna,Ben", "item": "ID"})
    assert (data.rows().judges, len(data.rows().items)) == (("Anna", "Ben"), 8)
    assert "not read as scores, since they sum up others: Mean" in data.source.notes
    lines = [f"{i},{i % 3 + 1},{i % 4 + 1},{i % 2 + 1}" for i in range(1, 9)]
    path = save("t.csv", "\n".join(["item,End-to-end,Mean-pooling,Llama", *lines]) + "\n")
    assert read(path).rows().systems == ("End-to-end", "Llama", "Mean-pooling")


@pytest.mark.parametrize("name", ["penalty", "Penalties", "errors", "num_errors"])
def test_a_column_of_penalties_is_a_criterion_where_no_other_holds_numbers(name, save):
    lines = [
        f"ann,{i},{s},{i % 3 + (i % 2 + 3) * (s == 'A')},late,{i}" for i in range(9) for s in "AB"
    ]
    path = save("t.csv", "\n".join([f"judge,item,system,{name},why,time", *lines]) + "\n")
    data = read(path)
    assert {row["criterion"] for row in rows_of(data)} == {name}
    assert evenhand.rank(data).systems == ("B", "A")
    more = save("m.csv", f"judge,item,system,{name},taste\nann,1,A,7,30\nann,1,B,2,40\n")
    assert "no column for score" in refusal(more, UnknownColumn)
    unnamed = save("u.csv", f"judge,item,{name}\nann,1,7\nann,2,2\n")
    assert "no known layout" in refusal(unnamed, UnknownFormat)


def test_cells_of_no_answer_are_counted_for_each_criterion(save):
    rows = ["r1,1,s1,5,99,99", "r1,1,s2,4,3,99", "r2,1,s1,2,1,99", "r2,1,s2,2,1,2"]
    path = save("t.csv", "\n".join([GERMAN, *rows]) + "\n")
    asked = {"judge": "Bewerter", "item": "Satz", "criterion": "Klarheit,Genauigkeit,Stil"}
    data = read(path, columns=asked, missing=99)
    (one,) = [one for one in data.excluded if "no answer" in one.reason]
    assert (one.reason, one.rows) == ("no answer (Genauigkeit 1, Stil 3)", 4)


def test_a_blank_name_of_a_wide_row_is_refused_with_its_line(save):
    rows = [*SLIP[:9], "j0,,1,2,4", *SLIP[10:]]
    path = write(save, "judge,item,Alfa,Brava,Cala", rows)
    for take in (evenhand.rank, inspect):
        with pytest.raises(InvalidJudgments, match=r"in column 'item' of .* \(line 11\)"):
            take(read(path))
    frame = pl.read_csv(path)
    with pytest.raises(InvalidJudgments, match=r"in column 'item' of .* \(row 10\)"):
        evenhand.rank(read(frame))


@pytest.mark.parametrize(
    ("cells", "ranks"),
    [
        (("1,2,3", "3,1,2"), True),
        (("1,2,2", "1,1,3"), True),  # the first place of a tie
        (("2,1,2", "1,1,2"), True),  # the next number after a tie
        (("1,2,2", "1,3,3"), False),
        (("1,2,2", "2,2,3"), False),
        (("1,1,1", "1,1,1"), False),
    ],
)
def test_rows_that_look_like_ranks_are_told_with_ties_as_well(save, cells, ranks):
    rows = [f"j,{n},{cells[n % 2]}" for n in range(8)]
    data = read(write(save, "judge,item,Alfa,Brava,Cala", rows))
    assert any("Every row holds ranks from 1" in one for one in data.source.notes) is ranks
