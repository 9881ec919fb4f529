"""One repeat of a replay, watched by a query that writes down all that it is shown."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from design.labelled_outputs import as_ratings, smooth_world
from evenhand import OutputFeatures, Query, QueryReplay, trace_queries
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


def test_a_batch_is_no_larger_than_asked(watched):
    sizes = [size for _, _, size, _ in watched]
    assert max(sizes) == 6  # looks lie 6 apart at most
    SEEN.clear()


def test_looks_far_apart_are_reached_in_batches(outputs):
    SEEN.clear()
    small = QueryReplay(repeats=2, start=10, batch=4)
    trial = make_trial(outputs.take(np.arange(60)), outputs.take(np.arange(60, 100)), small)
    run_trial(trial, (Watched("random"),), small.plan_looks(60), (1, 0))
    assert {size for _, _, size, _ in SEEN} <= {1, 2, 3, 4}
    assert max(size for _, _, size, _ in SEEN) == 4


def test_only_the_oracle_is_shown_labels(watched):
    shown = {strategy for strategy, scene, _, _ in watched if scene.truth is not None}
    assert shown == {"oracle"}


def test_parameters_are_learned_again_when_labels_have_grown_by_a_quarter(watched):
    vectors = [
        (len(scene.process.known), scene.process.vector.tolist())
        for strategy, scene, _, _ in watched
        if strategy == "uncertainty"
    ]
    last, at = vectors[0]
    for labels, vector in vectors[1:]:
        if labels >= 1.25 * last:
            assert vector != at
            last, at = labels, vector
        assert vector == at
    assert last > 30


def test_features_are_scaled_by_the_pool(outputs):
    trial = make_trial(outputs.take(np.arange(60)), outputs.take(np.arange(60, 100)), HOW)
    assert trial.points.numbers.mean(axis=0) == pytest.approx([0, 0], abs=1e-12)
    assert trial.points.numbers.std(axis=0) == pytest.approx([1, 1])
    own = outputs.table.numbers[:60]
    by_hand = (outputs.table.numbers[60:] - own.mean(axis=0)) / own.std(axis=0)
    assert trial.test.numbers == pytest.approx(by_hand)


def test_every_repeat_begins_with_other_labels():
    SEEN.clear()
    queries = (Watched("random"),)
    trace_queries(as_ratings(*smooth_world(60, 4)), TWO, queries, QueryReplay(repeats=3))
    first = [scene.waiting.tolist() for _, scene, _, _ in SEEN if len(scene.process.known) == 10]
    assert len(first) == 3
    assert first[0] != first[1] != first[2] != first[0]
