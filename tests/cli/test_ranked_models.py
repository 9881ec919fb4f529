"""`evenhand rank --model NAME`: any model on the same board, options only where they apply."""

from pathlib import Path

import pytest

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


def test_the_seed_is_the_models_own(evenhand, votes):
    words = ("rank", votes, "--model", "irt-gaussian", "--json")
    assert "seed=7" in evenhand(*words, "--seed", "7").json["signature"]
    assert "seed=20131" in evenhand(*words).json["signature"]
