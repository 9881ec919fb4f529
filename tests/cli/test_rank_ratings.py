"""`evenhand rank` and `evenhand fit` of ratings."""

import csv
import random
from pathlib import Path

import pytest


@pytest.fixture
def scores(folder):
    """Forty items, four systems and a reference under two criteria, by ten judges."""
    random.seed(5)
    judges = [f"judge-{at}" for at in range(10)]
    lean = {judge: random.gauss(0, 8) for judge in judges}
    with Path("scores.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["judge", "item", "system", "criterion", "score"])
        for item in range(40):
            for judge in random.sample(judges, 4):
                for system, good in (("nord", 71), ("sud", 60), ("west", 58), ("refA", 74)):
                    for criterion in ("adequacy", "errors"):
                        score = good + lean[judge] + random.gauss(0, 9)
                        score = 100 - score if criterion == "errors" else score
                        rows.writerow([judge, item, system, criterion, max(0, round(score))])
    return "scores.csv"


def test_each_criterion_is_ranked_by_itself_and_errors_the_other_way(evenhand, scores):
    groups = evenhand("rank", scores, "--json").json["groups"]
    assert list(groups) == ["adequacy", "errors"]
    for name, one in groups.items():
        assert one["systems"][0]["system"] == "nord"
        assert [row["system"] for row in one["references"]] == ["refA"]
        assert one.get("lower_is_better", False) == (name == "errors")
        assert one["scale"] == "score"
        assert one["model"] == "adjusted"


def test_the_screen_says_what_is_known_first_and_names_the_model(evenhand, scores):
    text = evenhand("rank", scores, "--criterion", "adequacy").out
    assert text.splitlines()[0].startswith("nord is the best: better than each of the other 2")
    assert "mean scores adjusted for judges and items" in " ".join(text.split())
    assert "Human references, which have no rank" in text
    assert "0 % ties" not in text


def test_fit_prints_the_effects_of_judges_and_model_based_errors(evenhand, scores):
    text = evenhand("fit", scores, "--criterion", "adequacy").out
    assert "Effects of judges, the lowest scores first" in text
    found = evenhand("fit", scores, "--criterion", "adequacy", "--json").json
    assert found["scale"] == "score"
    assert set(found["effects"]) == {"judge", "item"}
    assert sum(row["ratings"] for row in found["systems"]) == 640
    refused = evenhand("fit", scores, "--order-effect", code=2).err
    assert "--order-effect is of comparisons" in refused


def test_the_mixed_model_prints_contrasts_with_their_degrees_of_freedom(evenhand, scores):
    words = ["fit", scores, "--criterion", "adequacy", "--model", "mixed"]
    text = evenhand(*words).out
    assert text.startswith("Systems differ: F(3, ")
    assert "judge x system" in text
    found = evenhand(*words, "--json").json
    assert found["differences"][0]["systems"] == ["refA", "nord"]
    for one in found["differences"]:
        assert 3 < one["df"] < 700
        assert 0 <= one["p"] <= 1
    names = [one["name"] for one in found["components"]]
    assert names == ["judge", "item", "item x system", "judge x system", "residual"]
    board = evenhand("rank", *words[1:]).out
    assert "judges and items drawn at random" in " ".join(board.split())


def test_likert_scores_are_ranked_by_the_ordinal_model(evenhand, folder):
    rng = random.Random(3)
    with Path("likert.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["judge", "item", "system", "score"])
        for item in range(20):
            for judge in range(5):
                for system, good in (("nord", 1.0), ("sud", 0.0), ("west", -1.5)):
                    latent = good + judge / 3 + rng.gauss(0, 1.5)
                    rows.writerow([f"j{judge}", item, system, min(5, max(1, round(3 + latent)))])
    board = evenhand("rank", "likert.csv", "--model", "ordinal", "--json").json
    assert [one["system"] for one in board["systems"]] == ["nord", "sud", "west"]
    assert board["scale"] == "logit"
    found = evenhand("fit", "likert.csv", "--model", "ordinal", "--json").json
    assert len(found["cutpoints"]) == 4
    assert sorted(found["judge_cutpoints"]) == ["j0", "j1", "j2", "j3", "j4"]
    assert found["sds"]["judge"] > 0.2
    assert found["differences"][0]["df"] is None
    assert "Common cutpoints" in evenhand("fit", "likert.csv", "--model", "ordinal").out
