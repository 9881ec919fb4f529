"""Learning curves: averages over trials and tasks, intervals, and holes."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.data.votes import Votes
from evenhand.errors import NotIdentified
from evenhand.numerics.cluster_means import leave_out
from evenhand.numerics.distributions import t_quantile
from evenhand.ranking.cross_validation import Models
from evenhand.ranking.learning_curves import LearningCurves, Protocol, divide_tasks, trace
from held_out_votes import Davidson, Refusing, Sizes, World

WORLD = World(n=2400, items=80, tasks=2, judges=12, sd=0.3)
PROTOCOL = Protocol(sizes=(60, 200, 400), trials=3, least=300, seed=11)
TRUTH = Davidson(WORLD.worth, WORLD.systems)


def curves_of(votes: Votes, models: Models, protocol: Protocol = PROTOCOL) -> LearningCurves:
    division = divide_tasks(votes, None, protocol)
    found = trace(division.tasks, models, protocol)
    return LearningCurves(
        models=tuple(models),
        sizes=protocol.sizes,
        held_out=division.held_out,
        test_sets=tuple(one.test_set for one in division.tasks),
        level=0.95,
        seed=11,
        signature="signed",
        **found,
    )


VOTES = WORLD.simulate(np.random.default_rng(5))
CURVES = curves_of(VOTES, {"sizes": Sizes(), "shy": Refusing(100), "truth": TRUTH})


def test_a_point_is_the_mean_perplexity_of_all_trials_and_tasks() -> None:
    points = CURVES.curve("sizes")
    for s, point in enumerate(points):
        assert point.perplexity == pytest.approx((2 ** CURVES.losses[0, :, s]).mean())
        assert point.lower < point.perplexity < point.upper
        assert (point.refused, point.trials) == (0, 6)


def test_a_model_that_was_refused_once_has_no_mean_there() -> None:
    first, second, _ = CURVES.curve("shy")
    assert (first.perplexity, first.refused, first.trials) == (None, 6, 6)
    assert second.perplexity is not None
    with pytest.raises(NotIdentified, match=r"shy has no mean at 60 .* 60 votes are too few"):
        CURVES.estimate("shy", 60)


def test_a_model_that_does_not_learn_gains_nothing() -> None:
    gain = CURVES.gain("truth", 60, 400)
    assert (gain.value, gain.stderr) == (0, 0)


def test_differences_are_paired() -> None:
    apart = CURVES.difference("sizes", "truth", 200)
    own, other = (CURVES.estimate(name, 200) for name in ("sizes", "truth"))
    assert apart.value == pytest.approx(own.value - other.value)
    turned = CURVES.difference("truth", "sizes", 200)
    assert (turned.value, turned.lower) == pytest.approx((-apart.value, -apart.upper))


def test_the_interval_of_one_task_is_that_of_a_mean_by_the_delta_method() -> None:
    one = CURVES.of_tasks(["t0"])
    votes = one.held_out
    names = [
        (votes.systems[a], votes.systems[b]) for a, b in zip(votes.left, votes.right, strict=True)
    ]
    losses = -np.log2(TRUTH.predict(names)[np.arange(votes.size), votes.outcome])
    found = one.estimate("truth", 60)
    by_judge = np.array([losses[votes.judge != j].mean() for j in np.unique(votes.judge)])
    g = len(by_judge)
    variance = (g - 1) / g * ((by_judge - by_judge.mean()) ** 2).sum()
    least = np.log(2) * found.value * np.sqrt(variance)
    assert least <= found.stderr < 3 * least


JITTER = np.random.default_rng(3).normal(0, 0.3, CURVES.losses.shape)
UNEVEN = replace(CURVES, losses=CURVES.losses + JITTER)


def test_trials_add_their_variance_and_their_degrees_of_freedom() -> None:
    found = UNEVEN.estimate("sizes", 200)
    trials = 2 ** UNEVEN.losses[0, :, 1]  # two tasks, three trials
    chance = trials.var(axis=1, ddof=1).sum() / 3 / 2**2
    left = leave_out(CURVES.clusters, CURVES.deviations[0, 1][None, :])
    votes = float(left.variance[0])
    assert chance > 0.2 * votes
    assert found.stderr**2 == pytest.approx(votes + chance)
    df = (votes + chance) ** 2 / (votes**2 / left.df + chance**2 / (2 * (3 - 1)))
    margin = t_quantile(0.975, df) * found.stderr / found.value / np.log(2)
    assert np.log2(found.upper / found.value) == pytest.approx(margin)
    gain = UNEVEN.gain("sizes", 60, 200)
    assert gain.upper - gain.value == pytest.approx(gain.value - gain.lower)
