"""One repeat of a replay, watched by a query that writes down all that it is shown."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from design.labelled_outputs import as_ratings, smooth_world
from evenhand import OutputFeatures, Query, QueryReplay
from evenhand.design.query import read_outputs
from evenhand.design.query_replay import make_trial, run_trial

TWO = OutputFeatures(numbers=("x0", "x1"), labels=())
HOW = QueryReplay(repeats=2, start=10, batch=7, relearn=1.25)
SEEN: list[tuple] = []


@dataclass(frozen=True)
class Watched(Query):
    """A query whose scenes and choices are kept in SEEN."""

    def choose(self, scene, size, rng):
        """Choose as ever, and keep it."""
        found = super().choose(scene, size, rng)
        SEEN.append((self.strategy, scene, size, found))
        return found


@pytest.fixture
def outputs():
    return read_outputs(as_ratings(*smooth_world(100, 4)), TWO)


@pytest.fixture
def watched(outputs) -> Sequence[tuple]:
    """What queries saw of a pool of 60, in batches of at most 7."""
    SEEN.clear()
    trial = make_trial(outputs.take(np.arange(60)), outputs.take(np.arange(60, 100)), HOW)
    queries = tuple(Watched(one) for one in ("random", "uncertainty", "oracle"))
    run_trial(trial, queries, HOW.plan_looks(60), (1, 0))
    return [*SEEN]


def test_what_has_a_label_never_waits_and_all_else_does(watched):
    before = set()
    for strategy, scene, _, found in watched:
        known = scene.process.known.numbers
        shared = (scene.points.numbers[scene.waiting][:, None] == known).all(axis=2)
        assert not shared.any()
        assert len(scene.waiting) + len(known) == 60
        before = before if any(one == strategy for one, _ in before) else set()
        assert not before & {(strategy, at) for at in found.tolist()}
        before |= {(strategy, at) for at in found.tolist()}


def test_only_the_oracle_is_shown_labels(watched):
    shown = {strategy for strategy, scene, _, _ in watched if scene.truth is not None}
    assert shown == {"oracle"}
