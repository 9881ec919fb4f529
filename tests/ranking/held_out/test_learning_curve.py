"""The protocol: what is trained on what, how often, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.ranking.learning_curves import Protocol, divide_tasks, trace
from held_out_votes import Davidson, Refusing, Sizes, World

WORLD = World(n=2400, items=80, tasks=2, judges=12)
VOTES = WORLD.simulate(np.random.default_rng(5))
PROTOCOL = Protocol(sizes=(50, 200, 5000), trials=3, least=300, seed=11)
TASKS = divide_tasks(VOTES, None, PROTOCOL).tasks
TRUTH = Davidson(WORLD.worth, WORLD.systems)


def test_all_models_see_the_same_subsets() -> None:
    one, other = Sizes(), Sizes()
    trace(TASKS, {"one": one, "other": other}, PROTOCOL)
    for a, b in zip(one.seen, other.seen, strict=True):
        assert (a.item == b.item).all()
        assert (a.outcome == b.outcome).all()


def test_deviations_are_the_perplexity_to_first_order() -> None:
    found = trace(TASKS[:1], {"truth": TRUTH}, PROTOCOL)
    assert found["deviations"][0, 0].sum() == pytest.approx(0, abs=1e-9)
    losses, n, step = found["losses"][0, 0, 0, 0], TASKS[0].test.size, 1e-6
    worst = int(np.argmax(found["deviations"][0, 0]))
    test = TASKS[0].test
    pair = test.systems[test.left[worst]], test.systems[test.right[worst]]
    (chances,) = TRUTH.predict([pair])
    own = -np.log2(chances[test.outcome[worst]])
    moved = 2 ** (losses + step * (own - losses))  # its weight grows by step, the others' shrink
    assert (moved - 2**losses) / step == pytest.approx(found["deviations"][0, 0, worst], rel=1e-4)
    assert n == found["deviations"].shape[2]


def test_refusals_are_told_by_model_task_size_and_trial() -> None:
    found = trace(TASKS, {"shy": Refusing(100), "truth": TRUTH}, PROTOCOL)
    assert [(one.model, one.task, one.size, one.trial) for one in found["refusals"]] == [
        ("shy", task, 50, trial) for task in ("t0", "t1") for trial in (1, 2, 3)
    ]
    assert found["refusals"][0].why == "50 votes are too few; ask more"
    assert np.isnan(found["losses"][0, :, 0]).all()
    assert not np.isnan(found["losses"][:, :, 1:]).any()
    assert not found["deviations"][0, 0].any()


def test_tasks_that_cannot_be_divided_are_named() -> None:
    few = replace(VOTES, task=(np.arange(VOTES.size) < 20).astype(np.int32))
    found = divide_tasks(few, None, PROTOCOL)
    assert [one.test_set.task for one in found.tasks] == ["t0"]
    assert list(found.refused) == ["t1"]
    assert "20 comparisons are fewer than the 300" in found.refused["t1"]
