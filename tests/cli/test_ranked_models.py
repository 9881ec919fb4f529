"""`evenhand rank --model NAME`: any model on the same board, options only where they apply."""

from pathlib import Path

import pytest

from evenhand.models.registry import MODELS
from ranking.panels import panel


@pytest.fixture
def votes(folder: Path) -> str:
    panel(seed=4, judges=9, items=12, n=400).write_csv("votes.csv")
    return "votes.csv"


def test_the_default_is_bradley_terry_by_name(evenhand, votes):
    assert evenhand("rank", votes, "--model", "bradley-terry").out == evenhand("rank", votes).out


def test_a_tie_model_by_name_is_that_of_its_option(evenhand, votes):
    one = evenhand("rank", votes, "--model", "rao-kupper", "--json").json
    other = evenhand("rank", votes, "--ties", "rao-kupper", "--json").json
    assert one == other
    assert one["model"] == "rao-kupper"


@pytest.mark.parametrize("name", ["random-judges", "plackett-luce", "independent-pairs"])
def test_board_json_csv_and_latex_have_one_shape_whatever_the_model(evenhand, votes, name):
    plain, found = (
        evenhand("rank", votes, *more, "--json").json for more in ([], ["--model", name])
    )
    assert set(found) == set(plain)
    assert [set(row) for row in found["systems"]] == [set(row) for row in plain["systems"]]
    assert (found["model"], found["scale"]) == (name, "log-worth")
    assert f"| {name} |" in found["signature"]
    text = evenhand("rank", votes, "--model", name).out
    assert MODELS[name].title.split(",")[0] in " ".join(text.split())
    assert "log-worth" in text
    head = evenhand("rank", votes, "--model", name, "--csv").out.splitlines()[0]
    assert head == evenhand("rank", votes, "--csv").out.splitlines()[0]
    assert "log-worth" in evenhand("rank", votes, "--model", name, "--latex").out


def test_abilities_have_a_column_of_their_own_beside_log_worths(evenhand, votes):
    found = evenhand("rank", votes, "--model", "irt-gaussian", "--json").json
    assert found["scale"] == "ability"
    row = found["systems"][0]
    assert row["lower"] < row["ability"] < row["upper"]
    assert row["log_worth"] != row["ability"]
    text = evenhand("rank", votes, "--model", "irt-gaussian").out
    assert " ability " in text
    assert f"{row['ability']:.2f}" in text
    assert "independent" in text


def test_the_seed_is_the_models_own(evenhand, votes):
    words = ("rank", votes, "--model", "irt-gaussian", "--json")
    assert "seed=7" in evenhand(*words, "--seed", "7").json["signature"]
    assert "seed=20131" in evenhand(*words).json["signature"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["random-judge"], "Did you mean 'random-judges'"),
        (
            ["bradley-terry", "--model", "pattern"],
            "--model is given 2 times (bradley-terry, pattern)",
        ),
        (["uniform"], "says the same of every pair"),
        (["rao-kupper", "--ties", "davidson"], "--ties does not apply to rao-kupper"),
        (["random-judges", "--prior", "1"], "--prior does not apply to random-judges: it has"),
        (["plackett-luce", "--order-effect"], "--order-effect does not apply to plackett-luce"),
        (["plackett-luce", "--control", "x=a,b"], "--control does not apply to plackett-luce"),
        (["independent-pairs", "--elo"], "--elo cannot be shown for independent-pairs"),
        (["irt-gaussian", "--worth"], "--worth cannot be shown for irt-gaussian"),
        (["irt-gaussian", "--interval", "sandwich"], "interval 'sandwich' does not apply"),
        (["irt-gaussian", "--cluster", "judge"], "cluster does not apply to irt-gaussian"),
        (["random-judges", "--method", "bojar"], "--model works only with bradley-terry"),
        (["random-judges", "--method", "bradley-terry"], "leave the other out"),
        (["random-judges", "--per", "judge"], "counts whole judgments, which a mix would split"),
    ],
)
def test_what_does_not_apply_is_refused_by_name(evenhand, votes, words, message):
    ran = evenhand("rank", votes, "--model", *words, code=2)
    assert message in " ".join(ran.err.split())
    assert ran.out == ""
