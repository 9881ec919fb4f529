"""A report on a ranking by another model, with `--without`, `--group-by` and `--control`."""

import shlex

import pandas as pd
import pytest

MODELS = ("random-judges", "independent-pairs", "rao-kupper")


@pytest.fixture
def votes(evenhand) -> str:
    evenhand("demo", "arena_simulated", "-o", "votes.csv")
    return "votes.csv"


def _sections(report: dict) -> dict[str, dict]:
    return {one["name"]: one for one in report["parts"][0]["sections"]}


def _methods(report: dict) -> str:
    blocks = _sections(report)["methods"]["blocks"]
    return next(one["text"] for one in blocks if one["name"] == "methods.txt")


@pytest.mark.parametrize("model", MODELS)
def test_the_report_is_of_the_ranking_by_that_model(evenhand, votes, model):
    chosen = ("--model", model, "--sections", "ranking,methods,choices")
    report = evenhand("report", votes, *chosen, "--json").json
    ranked = evenhand("rank", votes, "--model", model, "--json").json
    sections = _sections(report)
    assert sections["ranking"]["says"][0].startswith(ranked["says"].partition(" (")[0].rstrip("."))
    (table,) = (one for one in sections["ranking"]["tables"] if one["name"] == "board")
    assert [row["system"] for row in table["rows"]] == [row["system"] for row in ranked["systems"]]
    written = _methods(report)
    noted = " ".join(sections["choices"]["notes"])
    if model == "rao-kupper":  # a log-linear model like the default one
        assert "with Rao and Kupper's ties" in written
        assert "under the default log-linear model" not in noted
    else:
        assert f"(the model {model}), fitted to" in written
        assert "under the default log-linear model" in noted
    command = shlex.split(sections["ranking"]["command"])[1:]
    assert evenhand(*command, "--json").json["systems"] == ranked["systems"]


def test_the_remedy_of_a_check_runs(evenhand, votes):
    """Random judges have no order effect: the way out is the model that has one."""
    frame = pd.read_csv(votes)
    frame["half"] = frame["item"].str[-1].astype(int) % 2
    frame.loc[frame.index % 3 > 0, "outcome"] = "left"  # the place counts
    frame.to_csv("halves.csv", index=False)
    words = ("--model", "random-judges", "--sections", "order,groups", "--group-by", "half")
    report = evenhand("report", "halves.csv", *words, "--json").json
    check = _sections(report)["order"]["checks"][0]
    commands = check["recommendation"].split("`")[1::2]
    assert commands
    for command in commands:
        assert "random-judges" not in command
        assert evenhand(*shlex.split(command)[1:]).out
    notes = " ".join(_sections(report)["groups"]["notes"])
    assert "What is decided of a pair holds in each group by itself" in notes
