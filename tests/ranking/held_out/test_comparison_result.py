"""The table of models: best first, with differences to the best."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.ranking.cross_validation import ModelComparison
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
    left_behind={"b": "a"},
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


def test_a_model_that_left_is_told_with_the_one_that_beats_it() -> None:
    models = {"d": 0.2, "c": 0.1, "b": 0.05, "a": 0.0}
    losses = np.stack([BASE + worse + RNG.normal(0, 0.2, 2000) for worse in models.values()])
    found = replace(
        FOUND,
        models=tuple(models),
        losses=losses,
        seconds=dict.fromkeys("abcd", 0.1),
        set_p={"a": 1.0, "b": 0.2, "c": 0.001, "d": 0.001},
        left_behind={"b": "a", "c": "b", "d": "a"},
    )
    clear = replace(found, set_p=dict.fromkeys("bcd", 0.001) | {"a": 1.0})
    assert clear.says[1] == "Every other model is significantly worse at 95 %."
    own = found.difference("c", "b")
    assert found.says[1:] == (
        "Undecided at 95 %: b.",
        f"c is not among the best: worse than b by {own.value:.4f} bits ({own.lower:.4f} to"
        f" {own.upper:.4f}).",
        "Also worse: d.",
    )


def test_the_interval_of_a_perplexity_ends_at_one() -> None:
    sure = replace(FOUND, losses=np.stack([RNG.exponential(0.01, 2000) * (VOTES.judge == 3), BASE]))
    found = next(one for one in sure.scores if one.model == "b")
    assert sure.estimate("b").lower == 0
    assert found.lower == 1 < found.perplexity < found.upper
