"""`evenhand compare --curves`."""

from pathlib import Path

import polars as pl
import pytest

import evenhand as package
from compared_votes import MODELS, QUICK, SMALL, write_votes
from evenhand.errors import UnknownOption
from evenhand.ranking.learning_curves import trace_learning


@pytest.fixture
def votes(folder: Path) -> str:
    return write_votes("votes.csv")


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


def test_points_have_their_distance_to_the_model_that_is_best_at_the_end(evenhand, votes):
    found = evenhand("compare", votes, *MODELS, *SMALL, "--json").json
    curves = trace_learning(
        package.read(votes), models=QUICK, least=150, sizes=(50, 100, 200), trials=2
    )
    best = curves.order[0]
    for row in found["points"]:
        ends = [row[key] for key in ("above", "above_lower", "above_upper")]
        if row["model"] == best:
            assert ends == [None, None, None]
            continue
        one = curves.difference(row["model"], best, row["size"])
        assert ends == [one.value, one.lower, one.upper]
        apart = curves.estimate(row["model"], row["size"]).value
        assert row["above"] == pytest.approx(apart - curves.estimate(best, row["size"]).value)


def test_curves_of_other_held_out_votes_do_not_stand_beside_these(votes):
    data = package.read(votes)
    settings = {"models": ["uniform"], "sizes": [50], "trials": 1}
    one, other = (trace_learning(data, least=least, **settings) for least in (60, 150))
    with pytest.raises(UnknownOption, match="same sizes, trials and held-out votes"):
        one.beside(other, "other")
