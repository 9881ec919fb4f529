"""`evenhand compare --curves`."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand as package
from compared_votes import MODELS, QUICK, SMALL, write_votes
from evenhand.cli.running import VerbResult
from evenhand.errors import UnknownOption
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


FIT = ("--model", "irt-gaussian", "--model", "uniform")


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


def test_systems_of_one_task_have_mean_abilities_and_figures(evenhand, votes):
    """Figure 6 of Hopkins & May: means of trainings, their spread, and the heat map."""
    words = (*FIT, *SMALL, "--figures", "drawn", "--figures-as", "svg")
    found = evenhand("compare", votes, *words, "--json").json
    curves = trace_learning(
        package.read(votes),
        models=["irt-gaussian", "uniform"],
        least=150,
        sizes=(50, 100, 200),
        trials=2,
    )
    fits = curves.fits["irt-gaussian"]
    assert [fit.n_comparisons for fit in fits] == [200, 200]
    drawn = [fit.order_draws for fit in fits]
    each = np.array([(one - one.mean(axis=1, keepdims=True)).mean(axis=0) for one in drawn])
    names = np.array(fits[0].systems)[np.argsort(-each.mean(axis=0))]
    assert [one["system"] for one in found["systems"]] == names.tolist()
    assert found["systems"][0]["system"] == "A"
    for row in found["systems"]:
        own = each[:, fits[0].systems.index(row["system"])]
        assert row["ability"] == pytest.approx(own.mean(), abs=1e-9)
        assert row["spread"] == pytest.approx(own.std(ddof=1), abs=1e-9)
        assert row["lower"] < row["ability"] < row["upper"]
    assert {one.name for one in Path("drawn").iterdir()} == {
        *("curves.svg", "abilities.svg", "heat-map.svg")
    }
    tasks = write_votes("tasks.csv", tasks=2)
    several = evenhand("compare", tasks, *FIT, *SMALL, "--json").json
    assert several["systems"] == []


def test_both_puts_models_trained_on_other_judgments_beside_those_trained_on_one_s_own(
    evenhand, votes
):
    small = ("--curves", "--hold-out", "60", "--sizes", "50,100", "--trials", "2")
    words = ("--train", "group=crowd", "--test", "group=expert")
    both = evenhand("compare", votes, *MODELS, *small, *words, "--both", "--json").json
    other = evenhand("compare", votes, *MODELS, *small, *words, "--json").json
    pl.read_csv(votes).filter(pl.col("group") == "expert").write_csv("experts.csv")
    own = evenhand("compare", "experts.csv", *MODELS, *small, "--json").json
    parts = {(one["model"], one["size"]): one["perplexity"] for one in own["points"]}
    parts |= {
        (f"{one['model']}, crowd", one["size"]): one["perplexity"]
        for one in other["points"]
        if one["model"] != "uniform"
    }
    assert {(one["model"], one["size"]): one["perplexity"] for one in both["points"]} == parts
    assert both["trained_on"] == "group=expert and group=crowd"
    assert "beside models trained on others of the tested votes" in both["signature"]


def test_curves_of_other_held_out_votes_do_not_stand_beside_these(votes):
    data = package.read(votes)
    settings = {"models": ["uniform"], "sizes": [50], "trials": 1}
    one, other = (trace_learning(data, least=least, **settings) for least in (60, 150))
    with pytest.raises(UnknownOption, match="same sizes, trials and held-out votes"):
        one.beside(other, "other")


def test_settings_of_item_response_models_are_those_of_their_classes(evenhand, votes):
    words = ("--radius", "0.2", "--item-sd", "0.7", "--sweeps", "80", "--burn-in", "20")
    found = evenhand("compare", votes, *FIT, *SMALL, *words, "--json").json
    chosen = package.IRTGaussian(
        radius=0.2, item_sd=0.7, sweeps=80, burn_in=20, chains=1, seed=20131
    )
    expected = trace_learning(
        package.read(votes),
        models={"irt-gaussian": chosen},
        least=150,
        sizes=(50, 100, 200),
        trials=2,
    )
    points = [one["perplexity"] for one in found["points"] if one["model"] == "irt-gaussian"]
    assert points == [one.perplexity for one in expected.curve("irt-gaussian")]
    assert "radius=0.2" in found["signature"]
