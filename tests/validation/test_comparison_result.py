"""The table of models: best first, with differences to the best."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.errors import UnknownOption
from evenhand.validation.comparison_result import ModelComparison
from held_out_votes import World

VOTES = World(n=2000, judges=40, items=60).simulate(np.random.default_rng(2))
RNG = np.random.default_rng(7)
BASE = RNG.normal(1, 0.5, 2000)
FOUND = ModelComparison(
    models=("b", "a"),
    losses=np.stack([BASE + 0.05 + RNG.normal(0, 0.2, 2000), BASE]),
    held_out=VOTES,
    refused={"c": "too few (1 of 5 trainings refused)"},
    seconds={"a": 0.1, "b": 0.2, "c": 0.3},
    blocks="both",
    folds=25,
    repeats=1,
    train=(1200, 1300),
    set_p={"a": 1.0, "b": 0.001},
    level=0.95,
    seed=1,
    signature="signed",
    notes=("noted",),
)


def test_the_best_is_first_and_no_distance_from_itself() -> None:
    first, second = FOUND.scores
    assert (first.model, first.difference, first.difference_upper) == ("a", 0, 0)
    assert second.difference == pytest.approx(FOUND.losses[0].mean() - FOUND.losses[1].mean())
    assert second.difference_lower > 0
    assert (first.among_best, second.among_best) == (True, False)
    assert FOUND.best_set == ("a",)


def test_perplexity_is_two_to_the_loss_and_so_are_its_ends() -> None:
    own, score = FOUND.estimate("b"), FOUND.scores[1]
    assert score.perplexity == pytest.approx(2**own.value)
    assert (score.lower, score.upper) == pytest.approx((2**own.lower, 2**own.upper))


def test_differences_turn_round() -> None:
    one, other = FOUND.difference("a", "b"), FOUND.difference("b", "a")
    assert (one.value, one.lower) == pytest.approx((-other.value, -other.upper))
    with pytest.raises(UnknownOption, match="model cannot be 'd'"):
        FOUND.difference("a", "d")


def test_what_is_said_names_the_best_and_the_others() -> None:
    assert FOUND.says[1] == "no other model can pass for the best at 95 %"
    near = replace(FOUND, set_p={"a": 1.0, "b": 0.2})
    assert near.says[1] == "cannot be told from the best at 95 %: b"
    assert "c refused: too few" in repr(FOUND)


def test_the_contract_has_plain_values() -> None:
    found = FOUND.to_dict()
    assert [row["model"] for row in found["models"]] == ["a", "b"]
    assert found["refused"] == {"c": "too few (1 of 5 trainings refused)"}
    assert found["clusters"] == "judge+item"


def test_where_every_model_refused_nothing_is_best() -> None:
    none = replace(FOUND, models=(), losses=np.zeros((0, 2000)), set_p={})
    assert none.says == ("no model predicted every vote",)
    with pytest.raises(UnknownOption, match="no model predicted every vote: c: too few"):
        _ = none.best
