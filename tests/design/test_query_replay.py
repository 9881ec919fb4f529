"""Replays of queries on outputs whose labels are known."""

from collections.abc import Sequence
from dataclasses import dataclass

import narwhals as nw
import numpy as np
import polars as pl
import pytest

from design.labelled_outputs import as_ratings, smooth_world
from evenhand import OutputFeatures, Query, QueryReplay, trace_queries
from evenhand.data.ratings import Ratings
from evenhand.design.next_outputs import read_outputs
from evenhand.design.query_replay import make_trial, run_trial
from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.numerics.gaussian_process import Points
from evenhand.ratings.process_search import begin, condition, relearn

TEN = OutputFeatures(numbers=tuple(f"x{j}" for j in range(10)), labels=())
SMALL = QueryReplay(repeats=2, pool=40, start=10, relearn=2.0)
TWICE = QueryReplay(repeats=2, relearn=2.0)
ONE = (Query("uncertainty"),)


@pytest.fixture(scope="module")
def world():
    return as_ratings(*smooth_world(160, 4))


@pytest.fixture(scope="module")
def curves(world):
    return trace_queries(world, TEN, how=SMALL)


def test_every_curve_ends_with_the_error_of_the_full_pool(curves):
    assert curves.labels[-1] == 40
    for own in curves.errors[1:, -1]:
        assert np.array_equal(own, curves.errors[0, -1])


def test_random_with_all_labels_is_the_fit_of_all(world):
    """One repeat by hand: same pool, parameters searched for from the priors."""
    found = trace_queries(
        world, TEN, (Query("random"),), QueryReplay(repeats=2, seed=3, relearn=3.0)
    )
    x, y = smooth_world(160, 4)
    held = np.random.Generator(np.random.PCG64([3, 0])).permutation(160)[:48]  # the split's seed
    test, rest = np.sort(held), np.setdiff1d(np.arange(160), held)
    mean, deviation = x[rest].mean(axis=0), x[rest].std(axis=0)
    points = Points((x - mean) / deviation, np.zeros((160, 0), np.int64))
    known = points.take(rest)
    vector = relearn(known, y[rest], begin(known), 500, np.random.default_rng(0))
    errors = condition(known, y[rest], vector).predict_mean(points.take(test)) - y[test]
    assert found.errors[0, -1, 0] == pytest.approx(errors, abs=0.3)  # two ends of a search


def test_the_order_of_rows_does_not_matter(world):
    frame = world.frame.to_native()
    mixed = frame.sample(fraction=1.0, shuffle=True, seed=1)
    one, again = (
        trace_queries(data, TEN, ONE, SMALL) for data in (world, Ratings(nw.from_native(mixed)))
    )
    assert np.array_equal(again.errors, one.errors)
    assert again.signature == one.signature


def test_items_are_held_out_as_a_whole():
    """Two systems of each item: no item may be learned from and tested on."""
    x, y = smooth_world(60, 2)
    names = [f"i{i // 2}" for i in range(60)]
    frame = as_ratings(x, y, names).frame.to_native()
    frame = frame.with_columns(system=pl.Series(["a", "b"] * 30))
    found = trace_queries(Ratings(nw.from_native(frame)), TEN, ONE, TWICE)
    assert np.bincount(found.items).tolist() == [2] * 9  # .3 of 30 items


def test_features_that_say_nothing_are_refused(world):
    with pytest.raises(UnknownOption, match="no features"):
        OutputFeatures(labels=())
    with pytest.raises(UnknownOption, match="is no feature to choose by"):
        trace_queries(world, OutputFeatures(), how=SMALL)
    with pytest.raises(InvalidJudgments, match="no feature differs"):
        trace_queries(world, OutputFeatures(labels=("system",)), how=SMALL)


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


def test_what_waits_has_no_label_and_only_the_oracle_is_shown_labels(watched):
    before = set()
    for strategy, scene, _, found in watched:
        known = scene.process.known.numbers
        shared = (scene.points.numbers[scene.waiting][:, None] == known).all(axis=2)
        assert not shared.any()
        assert len(scene.waiting) + len(known) == 60
        before = before if any(one == strategy for one, _ in before) else set()
        assert not before & {(strategy, at) for at in found.tolist()}
        before |= {(strategy, at) for at in found.tolist()}
    shown = {strategy for strategy, scene, _, _ in watched if scene.truth is not None}
    assert shown == {"oracle"}


def test_labels_that_tell_nothing_are_refused(world):
    x, y = smooth_world(60, 1)
    data = as_ratings(x, y, criterion=["fluency", "adequacy"] * 30)
    with pytest.raises(InvalidJudgments, match="several criteria"):
        trace_queries(data, TWO, how=QueryReplay(repeats=2))
    test = as_ratings(*smooth_world(8, 9), ["t"] * 8).frame.to_native()
    test = Ratings(nw.from_native(test.with_columns(system=pl.Series([f"s{i}" for i in range(8)]))))
    with pytest.raises(InvalidJudgments, match="are of one item, t"):
        trace_queries(world, TEN, how=SMALL, test=test)
    x, _ = smooth_world(60, 1)
    with pytest.raises(InvalidJudgments, match="there is nothing to learn"):
        trace_queries(as_ratings(x, np.full(60, 4.0)), TEN, how=QueryReplay(repeats=2))


def test_given_test_outputs_are_used_and_may_not_be_in_the_pool(world):
    x, y = smooth_world(40, 9)
    test = as_ratings(x, y, [f"t{i:03d}" for i in range(40)])
    assert trace_queries(world, TEN, ONE, SMALL, test=test).errors.shape[-1] == 40
    with pytest.raises(InvalidJudgments, match="40 test outputs are in the pool as well"):
        trace_queries(world, TEN, how=SMALL, test=as_ratings(x, y))


@pytest.mark.parametrize(
    ("n", "how", "match"),
    [
        (12, {}, "12 outputs|outputs in the pool"),
        (60, {"pool": 55}, "cannot be drawn"),
        (60, {"start": 50}, "outputs in the pool"),
    ],
)
def test_too_few_outputs_are_refused(n, how, match):
    with pytest.raises((InvalidJudgments, UnknownOption), match=match):
        trace_queries(as_ratings(*smooth_world(n, 1)), TEN, how=QueryReplay(repeats=2, **how))
