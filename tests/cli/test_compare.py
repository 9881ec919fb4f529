"""`evenhand compare`."""

import csv
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

import evenhand as package
from compared_votes import MODELS, QUICK, SMALL, write_votes
from evenhand.ranking.cross_validation import compare_models


@pytest.fixture
def votes(folder: Path) -> str:
    return write_votes("votes.csv")


@pytest.fixture
def two_tasks(folder: Path) -> str:
    return write_votes("tasks.csv", tasks=2, rows=300)


def test_the_numbers_are_those_of_the_library(evenhand, votes):
    found = evenhand("compare", votes, *MODELS, "--json").json
    expected = compare_models(package.read(votes), models=QUICK)
    for row, score in zip(found["models"], expected.scores, strict=True):
        assert row["model"] == score.model
        for key in ("perplexity", "lower", "upper", "difference", "difference_upper", "p"):
            assert row[key] == pytest.approx(getattr(score, key), rel=1e-12), key
    assert found["best_set"] == list(expected.best_set)
    assert found["signature"] == expected.signature


def test_it_says_what_was_hidden_and_counts_it(evenhand, votes):
    ran = evenhand("compare", votes, *MODELS, "--by", "judge", "--folds", "4")
    assert "Predicted in 4 folds: no judge is on both sides." in ran.out
    counted = "500 judgments, 10 judges (9.9 effective), 40 items, 4 systems"
    assert counted in " ".join(ran.out.split())
    found = evenhand("compare", votes, *MODELS, "--json").json
    counts = pl.read_csv(votes)
    assert found["n_comparisons"] == len(counts)
    assert (found["n_judges"], found["n_items"]) == (10, counts["item"].n_unique())
    assert (found["blocks"], found["folds"]) == ("both", 25)


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others(evenhand, votes):
    words = ("compare", votes, *MODELS, "--json")
    runs = [evenhand(*words, "--seed", seed).json["models"] for seed in ("1", "1", "2")]
    one, same, other = ([row["perplexity"] for row in rows] for rows in runs)
    assert one == same != other


def test_csv_has_a_row_for_each_model_also_for_one_that_was_refused(evenhand, folder):
    lines = [f"J{i % 4},i{i % 9},A,{'BC'[i % 2]},left" for i in range(40)]
    Path("sure.csv").write_text("\n".join(["judge,item,left,right,outcome", *lines]) + "\n")
    words = ("--model", "uniform", "--model", "bradley-terry")
    ran = evenhand("compare", "sure.csv", *words, "--by", "judgment", "--csv")
    header, *rows = csv.reader(ran.out.splitlines())
    table = {row[0]: dict(zip(header, row, strict=True)) for row in rows}
    assert float(table["uniform"]["perplexity"]) == pytest.approx(3)
    assert table["bradley-terry"]["perplexity"] == table["uniform"]["why"] == ""
    assert table["bradley-terry"]["why"][:20].strip('"') in ran.err
    assert "bradley-terry is not compared: " in ran.err


def test_effective_judges_stand_beside_judges(evenhand, folder):
    lines = [
        f"{'ABCDEFGH'[i % 8] if i % 2 else 'A'},i{i % 30},{'xy'[i % 2]},{'yx'[i % 2]},"
        f"{('left', 'right', 'tie')[i % 3]}"
        for i in range(240)
    ]
    Path("uneven.csv").write_text("\n".join(["judge,item,left,right,outcome", *lines]) + "\n")
    loads = Counter(line.split(",")[0] for line in lines)
    expected = 240**2 / sum(load**2 for load in loads.values())
    words = ("compare", "uneven.csv", "--model", "uniform")
    assert f"{len(loads)} judges ({expected:.1f} effective)" in evenhand(*words).out
    found = evenhand(*words, "--json").json
    assert (found["n_judges"], found["effective_judges"]) == (len(loads), pytest.approx(expected))


def test_a_model_alone_is_compared_with_none(evenhand, votes):
    text = " ".join(evenhand("compare", votes, "--model", "bradley-terry").out.split())
    assert "bradley-terry has perplexity" in text
    assert "no other model was compared" in text
    assert "bits" not in text
    assert "≈" not in text


def test_a_folder_that_cannot_be_written_is_refused_before_anything_is_read(evenhand, folder):
    Path("taken").write_text("a file")
    ran = evenhand("compare", "missing.csv", "--figures", "taken", code=2)
    assert "figures cannot be written to 'taken'" in ran.err


def test_figures_are_written(evenhand, votes, folder):
    words = ("--figures", "drawn", "--figures-as", "svg")
    ran = evenhand("compare", votes, *MODELS, *words)
    names = {"abilities", "differences", "heat-map", "perplexity", "ties"}
    assert {path.stem for path in Path("drawn").iterdir()} == names
    assert ran.err == "wrote  5 figures to drawn\n"
    evenhand("compare", votes, *MODELS, *SMALL, *words)
    assert Path("drawn/curves.svg").exists()


def test_figures_of_tasks_have_names_of_their_own(evenhand, two_tasks):
    words = ("--figures", "drawn", "--figures-as", "svg", "--folds", "3")
    evenhand("compare", two_tasks, *MODELS, *words)
    assert {"t0-heat-map", "t1-heat-map"} <= {path.stem for path in Path("drawn").iterdir()}


def test_without_a_model_that_orders_systems_there_is_no_heat_map(evenhand, votes):
    words = ("--figures", "drawn", "--figures-as", "svg", "--model", "uniform")
    ran = evenhand("compare", votes, *words)
    assert "no heat map is drawn" in ran.out
    assert not Path("drawn/heat-map.svg").exists()


VOTES = "judge,item,left,right,outcome\n" + "".join(
    f"J{i % 3},i{i % 7},{'AB'[i % 2]},{'BA'[i % 2]},{('left', 'right', 'tie')[i % 3]}\n"
    for i in range(60)
)
BARE = "left,right,outcome\n" + "A,B,left\nB,A,left\nA,B,tie\n" * 20
ONE_JUDGE = VOTES.replace("J1", "J0").replace("J2", "J0")
REFUSED = {
    "ratings": (
        "system,score\nA,1\nB,2\n",
        "?",
        "too few ratings (2) to tell which model predicts others",
    ),
    "no judges": (BARE, "? --by judge", "there is no judge column to hold out by"),
    "no items": (BARE, "? --by item", "there is no item column to hold out by"),
    "no items for curves": (BARE, "? --curves --hold-out 10", "there is no item column"),
    "one judge": (ONE_JUDGE, "? --by judge", "there is one judge only"),
    "too few to hold out": (VOTES, "? --curves", "60 comparisons are fewer than the 2,000"),
    "fewer of them": (VOTES, "? --curves", "hold out fewer (--hold-out)"),
    "not at all": (VOTES, "? --curves", "cross-validate (without --curves)"),
    "no such blocks": (VOTES, "? --by judges", "Did you mean 'judge'?"),
    "one fold": (VOTES, "? --folds 1", "folds cannot be 1"),
    "no repeats": (VOTES, "? --repeats 0", "repeats cannot be 0"),
    "level of 95": (VOTES, "? --level 95", "between 0 and 1"),
    "descending sizes": (VOTES, "? --curves --hold-out 9 --sizes 200,100", "ascending"),
    "no trials": (VOTES, "? --curves --hold-out 9 --trials 0", "trials cannot be 0"),
    "folds of curves": (VOTES, "? --curves --folds 3", "--folds is of cross-validation"),
    "groups of curves": (VOTES, "? --curves --group-by judge", "--group-by is of cross-validation"),
    "trials of folds": (VOTES, "? --trials 3", "add --curves"),
    "overlap of nothing": (VOTES, "? --curves --overlap drop", "--overlap is for --train"),
    "both of nothing": (VOTES, "? --curves --both", "--both is for --train"),
    "settings of no model": (
        VOTES,
        "? --model uniform --radius 1",
        "radius is a setting of none of uniform",
    ),
    "nested chains": (VOTES, "? --nested --chains 2", "--chains is of held-out judgments"),
    "two columns": (VOTES, "? --train judge=J0 --test item=i1", "two levels of one column"),
    "the same twice": (VOTES, "? --train judge=J0 --test judge=J0", "two levels of one column"),
    "no such column": (VOTES, "? --train jduge=J0 --test jduge=J1", "Did you mean 'judge'?"),
    "no such level": (VOTES, "? --train judge=J0 --test judge=J9", "no judgment has judge 'J9'"),
    "no folder": (VOTES, "? --figures-as pdf", "with --figures FOLDER"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_done_is_refused_in_one_line(evenhand, case):
    content, command, said = REFUSED[case]
    Path("file.csv").write_text(content)
    words = ["file.csv" if word == "?" else word for word in command.split()]
    ran = evenhand("compare", *words, code=2)
    first, *more = ran.err.splitlines()
    assert ran.out == ""
    assert first.startswith("error  ")
    assert said in first
    assert len(more) <= 1
