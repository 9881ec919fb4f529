"""One training: its losses, its refusals and its time."""

import sys
from dataclasses import dataclass, field
from types import ModuleType

import numpy as np
import pytest

from evenhand.data.votes import Votes
from evenhand.ranking.cross_validation import train
from held_out_votes import Davidson, Refusing, World

WORLD = World(n=100)
VOTES = WORLD.simulate(np.random.default_rng(1))


@dataclass
class Loading:
    """A model that takes a second, and five more to load a module when first used."""

    clock: list[float] = field(default_factory=lambda: [0.0])

    def fit(self, _: Votes) -> Davidson:
        if "module_of_a_model" not in sys.modules:
            sys.modules["module_of_a_model"] = ModuleType("module_of_a_model")
            self.clock[0] += 5.0
        self.clock[0] += 1.0
        return Davidson(WORLD.worth, WORLD.systems)


def test_the_loading_of_modules_is_no_time_of_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Loading()
    monkeypatch.setattr("evenhand.ranking.cross_validation.process_time", lambda: model.clock[0])
    try:
        assert [train(model, VOTES, VOTES).seconds for _ in range(2)] == [1.0, 1.0]
    finally:
        del sys.modules["module_of_a_model"]


def test_a_refusal_leaves_out_options_that_are_no_help() -> None:
    found = train(Refusing(200), VOTES, VOTES)
    assert (found.losses, found.why) == (None, "100 votes are too few; ask more")
