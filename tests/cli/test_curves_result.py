"""`evenhand compare --curves`."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand as package
from compared_votes import MODELS, QUICK, SMALL, write_votes
from evenhand.cli.result import VerbResult
from evenhand.ranking.learning_curves import Refusal, trace_learning


@pytest.fixture
def votes(folder: Path) -> str:
    return write_votes("votes.csv")


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
    assert expected.says[0] in " ".join(ran.out.split())


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


def test_models_are_trained_on_one_group_and_tested_on_another(evenhand, votes):
    words = ("--train", "group=crowd", "--test", "group=expert")
    found = evenhand("compare", votes, *MODELS, *SMALL, *words, "--json").json
    (one,) = found["test_sets"]
    kinds = pl.read_csv(votes)["group"]
    assert one["train"] == (kinds == "crowd").sum()
    assert one["test"] <= (kinds == "expert").sum()
    assert "trained on votes" in found["signature"]
    assert "trained on group=crowd, tested on group=expert" in found["signature"]
    assert (found["trained_on"], found["tested_on"]) == ("group=crowd", "group=expert")
    text = evenhand("compare", votes, "--model", "uniform", *SMALL, *words).out
    assert "Trained on group=crowd, tested on group=expert." in text
    assert "--overlap drop" in text
    assert "judges may be on both sides" not in text


def test_curves_say_which_models_are_not_told_from_the_best_and_which_are_worse(votes):
    names = ("bradley-terry", "bradley-terry-prior", "uniform", "adjusted-uniform")
    found = trace_learning(
        package.read(votes), models=names, least=150, sizes=(50, 100, 200), trials=2
    )
    best, other = found.order[:2]
    assert {best, other} == set(names[:2])
    last = found.order[2]
    own = found.difference(last, best, 200)
    assert found.difference(other, best, 200).lower <= 0 < own.lower
    assert f"Undecided, each compared alone: {other}." in found.says
    assert (
        f"{last} is worse by {own.value:.3f} ({own.lower:.3f} to {own.upper:.3f});"
        " 1 more is worse still."
    ) in found.says


def test_curves_say_that_a_judge_may_be_on_both_sides(evenhand, votes):
    text = " ".join(evenhand("compare", votes, "--model", "uniform", *SMALL).out.split())
    assert "judges may be on both sides" in text


def test_refusals_of_curves_are_told_once_with_their_reason_also_in_csv(votes):
    found = trace_learning(package.read(votes), models=("uniform",), least=150, sizes=(50,))
    refusal = Refusal("uniform", "", 50, 1, "too few")
    losses = found.losses.copy()
    losses[0, 0, 0, 0] = np.nan
    result = VerbResult({"": replace(found, losses=losses, refusals=(refusal,))}, {}, [])
    codes = [one["code"] for one in result.contract()["findings"]]
    assert codes.count("trainings-refused") == 1
    assert [row["why"] for row in result.records()] == ["too few"]
    assert "uniform: 1 training refused" in result.text(80)
