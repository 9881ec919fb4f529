"""`evenhand compare`."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click import unstyle

import evenhand as package
from evenhand.cli.compare_result import CompareResult
from evenhand.cli.curves_result import CurvesResult
from evenhand.ranking.held_out import compare_models
from evenhand.ranking.learning import trace_learning

QUICK = ("uniform", "adjusted-uniform", "bradley-terry", "geometric-students")
MODELS = tuple(word for name in QUICK for word in ("--model", name))
SMALL = ("--curves", "--hold-out", "150", "--sizes", "50,100,200", "--trials", "2")
LABELS = np.array(["left", "tie", "right"])


def write_votes(path, *, tasks=1, judges=10, items=40, rows=500):
    """Judges compare four systems of which A is by far the best; half of them are a crowd."""
    rng = np.random.default_rng(11)
    frames = []
    for task in range(tasks):
        pair = np.array([rng.choice(4, 2, replace=False) for _ in range(rows)])
        gap = 0.9 * (pair[:, 1] - pair[:, 0])
        left = 0.8 / (1 + np.exp(-gap))
        chances = np.stack([left, np.full(rows, 0.2), 0.8 - left], axis=1)
        said = (rng.random(rows)[:, None] > chances.cumsum(axis=1)).sum(axis=1)
        judge = rng.integers(judges, size=rows)
        frame = pl.DataFrame(
            {
                "judge": [f"J{one:02d}" for one in judge],
                "item": [f"i{one:03d}" for one in rng.integers(items, size=rows)],
                "group": ["crowd" if one % 2 else "expert" for one in judge],
                "left": [*np.array(list("ABCD"))[pair[:, 0]]],
                "right": [*np.array(list("ABCD"))[pair[:, 1]]],
                "outcome": [*LABELS[np.minimum(said, 2)]],
            }
        )
        frames.append(frame.with_columns(task=pl.lit(f"t{task}")) if tasks > 1 else frame)
    pl.concat(frames).write_csv(path)
    return str(path)


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


def test_the_table_shows_them(evenhand, votes):
    text = evenhand("compare", votes, *MODELS).out
    for score in compare_models(package.read(votes), models=QUICK).scores:
        (line,) = [one for one in text.splitlines() if one[2:].startswith(f"{score.model} ")]
        assert f"{score.perplexity:.3f} ({score.lower:.3f} to {score.upper:.3f})" in line
        assert ("≈" in line) == (score.among_best and score.difference != 0)
        said = (
            f"{score.difference:.4f} ({score.difference_lower:.4f} to"
            if score.difference
            else "best"
        )
        assert said in line


def test_guessing_has_a_perplexity_of_three(evenhand, votes):
    rows = {
        row["model"]: row for row in evenhand("compare", votes, *MODELS, "--json").json["models"]
    }
    for key in ("perplexity", "lower", "upper"):
        assert rows["uniform"][key] == pytest.approx(3)
    assert rows["bradley-terry"]["upper"] < 3, "A to D are far apart"


def test_it_says_what_was_hidden_and_counts_it(evenhand, votes):
    ran = evenhand("compare", votes, *MODELS, "--by", "judge", "--folds", "4")
    assert "hides  every comparison once, in 4 folds: no judge on both sides" in ran.out
    assert "500 comparisons, 10 judges, 40 items, 4 systems" in ran.out
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


@pytest.mark.parametrize("columns", [60, 80])
def test_lines_fit(votes, two_tasks, columns):
    found = compare_models(package.read(votes), models=QUICK)
    tasks = compare_models(package.read(two_tasks), models=QUICK, folds=3)
    curves = trace_learning(package.read(votes), models=QUICK, least=150, trials=2)
    for result in (
        CompareResult({"": found}, {}, ["votes.csv"]),
        CompareResult(tasks.groups, tasks.refused, ["tasks.csv"]),
        CurvesResult({"": curves}, {}, ["votes.csv"]),
    ):
        lines = unstyle(result.text(columns)).splitlines()
        assert [line for line in lines if len(line) > columns] == []
        assert any("geometric-students" in line and "." in line for line in lines)


def test_tasks_are_compared_apart(evenhand, two_tasks):
    found = evenhand("compare", two_tasks, *MODELS, "--folds", "3", "--json").json
    assert list(found["groups"]) == ["t0", "t1"]
    alone = evenhand("compare", two_tasks, *MODELS, "--folds", "3", "--task", "t1", "--json").json
    together = found["groups"]["t1"]
    for one, other in zip(together["models"], alone["models"], strict=True):
        assert one["perplexity"] == pytest.approx(other["perplexity"], rel=1e-12)


def test_csv_has_a_row_for_each_model_also_for_one_that_was_refused(evenhand, folder):
    lines = [f"J{i % 4},i{i % 9},A,{'BC'[i % 2]},left" for i in range(40)]
    Path("sure.csv").write_text("\n".join(["judge,item,left,right,outcome", *lines]) + "\n")
    words = ("--model", "uniform", "--model", "bradley-terry")
    ran = evenhand("compare", "sure.csv", *words, "--by", "judgment", "--csv")
    header, *rows = (line.split(",") for line in ran.out.splitlines())
    table = {row[0]: dict(zip(header, row, strict=True)) for row in rows}
    assert float(table["uniform"]["perplexity"]) == pytest.approx(3)
    assert table["bradley-terry"]["perplexity"] == ""
    assert "bradley-terry is not compared: " in ran.err


def test_latex_has_a_row_for_each_model_and_those_among_the_best_in_bold(evenhand, votes):
    text = evenhand("compare", votes, *MODELS, "--latex").out
    assert r"\textbf{bradley-terry}" in text
    assert r"\textbf{uniform}" not in text
    assert text.count(r" \\") == len(QUICK) + 1
    assert "% evenhand" in text


def test_curves_show_the_test_sets_and_perplexity_by_size(evenhand, votes):
    ran = evenhand("compare", votes, *MODELS, *SMALL)
    expected = trace_learning(
        package.read(votes), models=QUICK, least=150, sizes=(50, 100, 200), trials=2
    )
    lines = ran.out.splitlines()
    (one,) = expected.test_sets
    (said,) = [line.split() for line in lines if line.startswith(" all")]
    assert said == ["all", *map(str, (one.most, one.items, one.test, one.train))]
    for model in QUICK:
        (row,) = [line.split() for line in lines if line.startswith(f" {model} ")]
        assert row[1:4] == [f"{point.perplexity:.3f}" for point in expected.curve(model)]
    assert f"{expected.order[0]}, " in ran.out


def test_the_test_set_is_that_of_the_paper_s_rule(evenhand, votes):
    found = evenhand("compare", votes, "--model", "uniform", *SMALL, "--json").json
    (one,) = found["test_sets"]
    loads = pl.read_csv(votes).group_by("item").len()["len"]
    k = next(k for k in range(1, 500) if loads.filter(loads <= k).sum() >= 150)
    assert (one["most"], one["items"]) == (k, int((loads <= k).sum()))
    assert (one["test"], one["train"]) == (
        loads.filter(loads <= k).sum(),
        loads.filter(loads > k).sum(),
    )


def test_how_many_are_enough_is_answered_in_words_and_in_json(evenhand, votes):
    words = ("compare", votes, "--model", "bradley-terry", "--model", "uniform", *SMALL)
    enough = evenhand(*words, "--json").json["enough"]
    assert enough["size"] in (50, 100, 200)
    text = " ".join(evenhand(*words).out.split())
    assert f"{enough['model']}: {enough['size']} comparisons come within 0.02" in text


def test_models_are_trained_on_one_group_and_tested_on_another(evenhand, votes):
    words = ("--train", "group=crowd", "--test", "group=expert")
    found = evenhand("compare", votes, *MODELS, *SMALL, *words, "--json").json
    (one,) = found["test_sets"]
    kinds = pl.read_csv(votes)["group"]
    assert one["train"] == (kinds == "crowd").sum()
    assert one["test"] <= (kinds == "expert").sum()
    assert "trained on sha256" in found["signature"]


def test_curves_as_csv_and_latex(evenhand, votes):
    rows = evenhand("compare", votes, *MODELS, *SMALL, "--csv").out.splitlines()
    assert len(rows) == 1 + len(QUICK) * 3
    assert evenhand("compare", votes, *MODELS, *SMALL, "--latex").out.count(r"\toprule") == 2


def test_figures_are_written(evenhand, votes, folder):
    words = ("--figures", "drawn", "--figure-format", "json", "--figure-width", "360")
    ran = evenhand("compare", votes, *MODELS, *words)
    names = {"abilities", "differences", "heat-map", "perplexity", "ties"}
    assert {path.stem for path in Path("drawn").iterdir()} == names
    assert "wrote 5 figures to drawn" in ran.out
    evenhand("compare", votes, *MODELS, *SMALL, *words)
    assert Path("drawn/curves.json").exists()


def test_figures_of_tasks_have_names_of_their_own(evenhand, two_tasks):
    words = ("--figures", "drawn", "--figure-format", "json", "--folds", "3")
    evenhand("compare", two_tasks, *MODELS, *words)
    assert {"t0-heat-map", "t1-heat-map"} <= {path.stem for path in Path("drawn").iterdir()}


def test_without_a_model_that_orders_systems_there_is_no_heat_map(evenhand, votes):
    words = ("--figures", "drawn", "--figure-format", "json", "--model", "uniform")
    ran = evenhand("compare", votes, *words)
    assert "no heat map is drawn" in ran.out
    assert not Path("drawn/heat-map.json").exists()


def test_rankings_are_never_split(evenhand, rankings):
    ran = evenhand("compare", rankings, "--model", "uniform", "--by", "ranking", "--folds", "2")
    assert "no ranking on both sides" in ran.out


VOTES = "judge,item,left,right,outcome\n" + "".join(
    f"J{i % 3},i{i % 7},{'AB'[i % 2]},{'BA'[i % 2]},{('left', 'right', 'tie')[i % 3]}\n"
    for i in range(60)
)
BARE = "left,right,outcome\n" + "A,B,left\nB,A,left\nA,B,tie\n" * 20
ONE_JUDGE = VOTES.replace("J1", "J0").replace("J2", "J0")
REFUSED = {
    "ratings": ("system,score\nA,1\nB,2\n", "?", "compare needs comparisons or rankings"),
    "no judges": (BARE, "? --by judge", "there is no judge column to hold out by"),
    "no items": (BARE, "? --by item", "there is no item column to hold out by"),
    "no items for curves": (BARE, "? --curves --hold-out 10", "there is no item column"),
    "one judge": (ONE_JUDGE, "? --by judge", "there is one judge only"),
    "too few to hold out": (VOTES, "? --curves", "60 comparisons are fewer than the 2,000"),
    "unknown model": (VOTES, "? --model irt-gausian", "Did you mean 'irt-gaussian'?"),
    "no such blocks": (VOTES, "? --by judges", "Did you mean 'judge'?"),
    "one fold": (VOTES, "? --folds 1", "folds cannot be 1"),
    "no repeats": (VOTES, "? --repeats 0", "repeats cannot be 0"),
    "level of 95": (VOTES, "? --level 95", "between 0 and 1"),
    "descending sizes": (VOTES, "? --curves --hold-out 9 --sizes 200,100", "ascending"),
    "sizes in words": (VOTES, "? --curves --sizes few", "'few' is no list of whole numbers"),
    "no trials": (VOTES, "? --curves --hold-out 9 --trials 0", "trials cannot be 0"),
    "folds of curves": (VOTES, "? --curves --folds 3", "--folds is of cross-validation"),
    "groups of curves": (VOTES, "? --curves --group-by judge", "--group-by is of cross-validation"),
    "trials of folds": (VOTES, "? --trials 3", "add --curves"),
    "half a transfer": (VOTES, "? --train judge=J0", "--train needs --test COLUMN=LEVEL"),
    "overlap of nothing": (VOTES, "? --curves --overlap drop", "--overlap is for --train"),
    "two columns": (VOTES, "? --train judge=J0 --test item=i1", "two levels of one column"),
    "the same twice": (VOTES, "? --train judge=J0 --test judge=J0", "two levels of one column"),
    "no such column": (VOTES, "? --train jduge=J0 --test jduge=J1", "Did you mean 'judge'?"),
    "no such level": (VOTES, "? --train judge=J0 --test judge=J9", "no judgment has judge 'J9'"),
    "no folder": (VOTES, "? --figure-width 360", "with --figures FOLDER"),
    "too slim": (VOTES, "? --figures x --figure-width 10", "--figure-width"),
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
