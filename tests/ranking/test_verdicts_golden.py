"""People's ranking with verdicts beside a prototype that leaves each cluster out."""

import json
from pathlib import Path

import pytest

import evenhand
from evenhand.ranking import clustering, covariance, verdicts

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "llm_judges.json").read_text())
CASE = next(one for one in GOLDEN["entries"] if one["id"] == "clustered_control_variate_board")


@pytest.fixture
def few_are_enough(monkeypatch):
    """Let five judges and eight items cluster, which are too few otherwise."""
    for module in (verdicts, clustering):
        monkeypatch.setattr(module, "ENOUGH_ITEMS", 2)
    monkeypatch.setattr(clustering, "MIN_EFFECTIVE", {"judge": 1, "item": 1})
    monkeypatch.setattr(covariance, "MIN_CLUSTERS", 1.0)


@pytest.mark.usefixtures("few_are_enough")
def test_weight_estimates_and_errors_are_those_of_the_prototype():
    given, expected = CASE["input"], CASE["expected"]
    names = [f"s{number}" for number in range(given["systems"])]
    people = {
        "left": [names[at] for at in given["a"]],
        "right": [names[at] for at in given["b"]],
        "winner": ["left" if won else "right" for won in given["human_a_better"]],
        "judge": [f"j{at}" for at in given["judge"]],
        "item": [f"i{at}" for at in given["item"]],
    }
    every = given["llm_all"]
    llm = {
        "left": [names[at] for at in every["a"]],
        "right": [names[at] for at in every["b"]],
        "winner": ["left" if share >= 0.5 else "right" for share in every["f"]],
        "probability_left": every["f"],
        "item": [f"i{at}" for at in every["item"]],
    }
    found = evenhand.rank(people, llm=llm)
    assert found.fused.weight == pytest.approx(expected["lambda"], abs=1e-9)
    alone = evenhand.rank(people, model=evenhand.BradleyTerry(ties="half-win"))
    for ranking, values in ((found, expected["estimate"]), (alone, expected["human_only"])):
        worth = dict(zip(ranking.systems, ranking.worth, strict=True))
        assert [worth[name] for name in names] == pytest.approx(values, abs=1e-7)
    for one in expected["pairs"]:
        pair = found.pair(*(names[at] for at in one["pair"]))
        assert pair.difference == pytest.approx(one["estimate"], abs=1e-7)
        single = max(one["V_item"], one["V_judge"]) ** 0.5
        if one["se"] == pytest.approx(single):
            assert pair.stderr == pytest.approx(one["se"], abs=1e-7)
        else:
            # of cells the prototype leaves each out, and `rank` takes the sandwich, which is
            # smaller and is subtracted
            assert one["se"] <= pair.stderr <= 1.03 * one["se"]
