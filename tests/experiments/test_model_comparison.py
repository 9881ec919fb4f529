"""Held-out comparisons with known truth: paired intervals, the set of the best, what is enough.

Votes are of the worlds of tests/held_out_votes.py: judges and items have tastes, so that losses
are linked by both. Four models know fixed log-worths and learn nothing, so that their expected
losses are known: the chances of each pair averaged over 200,000 tastes. "a" overrates the best
system by .4 and "b" underrates the last by .4: by symmetry they are equally good. "c" is worse,
"d" gives all systems the same worth.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from evenhand.data.votes import Predictor, Votes
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.registry import find_model
from evenhand.numerics.cluster_means import leave_out
from evenhand.ranking.cross_validation import (
    Plan,
    cross_validate,
    find_clusters,
    find_leavers,
    measure_losses,
)
from evenhand.ranking.learning_curves import ALL_FAST, ALL_SLOW, Protocol, find_enough
from experiments.campaign import generator, part_of
from held_out_votes import Davidson, World, davidson_chances
from ranking.held_out.test_learning_result import curves_of

REPLICATES = part_of(200)
WORTH = np.array([0.3, 0.1, -0.1, -0.3])
MODELS = {
    "a": WORTH + np.array([0.4, 0, 0, 0]),
    "b": WORTH - np.array([0, 0, 0, 0.4]),
    "c": WORTH + np.array([0.6, 0, 0, -0.2]),
    "d": np.zeros(4),
}
ARMS = {
    "20 judges, 100 items": World(judges=20, items=100, n=2000, sd=0.5),
    "the same, Zipf loads": World(judges=20, items=100, n=2000, sd=0.5, zipf=1.0),
    "40 judges, 50 items": World(judges=40, items=50, n=2000, sd=0.5, zipf=0.7),
    "12 judges, 60 items": World(judges=12, items=60, n=1200, sd=0.7, zipf=0.5),
    "no tastes": World(judges=30, items=300, n=1500),
}


@dataclass(frozen=True)
class Outcome:
    """Shares of campaigns: each interval covers; the set holds both best; mean size of the set."""

    covered: tuple[float, ...]
    holds: float
    size: float


def expected_losses(sd: float) -> np.ndarray:
    """(4,) losses (bits) of the models over all judges and items."""
    tastes = generator(24, 0, 0, 1).normal(0, 2 * sd, 200_000)
    left, right = np.nonzero(~np.eye(4, dtype=bool))
    gaps = WORTH[left] - WORTH[right]
    truth = np.array([davidson_chances(gap + tastes).mean(axis=0) for gap in gaps])
    said = [np.log2(davidson_chances(own[left] - own[right])) for own in MODELS.values()]
    return np.array([-(truth * one).sum(axis=1).mean() for one in said])


def run(number: int, world: World) -> Outcome:
    expected = expected_losses(world.sd)
    covered, holds, size = np.zeros(3), 0, 0
    for replicate in range(REPLICATES):
        votes = world.simulate(generator(24, number, replicate))
        fits = [Davidson(own.tolist(), votes.systems) for own in MODELS.values()]
        losses = np.stack([measure_losses(fit, votes) for fit in fits])
        clusters = find_clusters(votes, replicate)
        apart = losses[0] - losses[1:]
        found = leave_out(clusters, clusters.strata.deviations(apart))
        for i, mean in enumerate(clusters.strata.means(apart).tolist()):
            one = found.estimate(i, mean, 0.95)
            covered[i] += one.lower <= expected[0] - expected[i + 1] <= one.upper
        inside = find_leavers(losses, clusters, replicate)[0] > 0.05
        best = np.isclose(expected, expected.min(), atol=2e-4)
        holds += bool(inside[best].all())
        size += int(inside.sum())
    return Outcome(tuple(covered / REPLICATES), holds / REPLICATES, size / REPLICATES)


@pytest.mark.slow
@pytest.mark.parametrize("arm", ARMS)
def test_paired_intervals_cover_and_the_set_holds_the_best(arm: str) -> None:
    found = run(list(ARMS).index(arm) + 1, ARMS[arm])
    shares = ", ".join(f"{share:.3f}" for share in found.covered)
    print(  # noqa: T201 - counts of an acceptance experiment
        f"\n{arm}: covered {shares}; set holds the best {found.holds:.3f}, size {found.size:.2f}"
    )
    assert min(found.covered) >= 0.92
    assert found.holds >= 0.93


@pytest.mark.slow
def test_what_is_left_to_gain_is_between_the_two_ends() -> None:
    """The limit is the perplexity of the truth itself on the same held-out votes."""
    world = World(worth=tuple(np.linspace(0.8, -0.8, 8)), judges=12, items=150, n=6000)
    protocol = Protocol(sizes=(200, 400, 800, 1600), trials=10, least=3000, seed=1)
    left, fast, slow, inside = [], [], [], 0
    for replicate in range(20):
        votes = world.simulate(generator(24, 9, replicate))
        models = {"model": BradleyTerry(prior=1.0), "truth": Davidson(world.worth, world.systems)}
        curves = curves_of(votes, models, protocol)
        found = find_enough(curves, "model")
        left.append(curves.difference("model", "truth", 1600).value)
        assert found.gain is not None
        fast.append(found.gain * ALL_FAST)  # also where the gain may be none, and nothing is told
        slow.append(found.gain * ALL_SLOW)
        inside += fast[-1] <= left[-1] <= slow[-1]
    means = ", ".join(f"{np.mean(one):.4f}" for one in (left, fast, slow))
    print(  # noqa: T201 - counts of an acceptance experiment
        f"\nleft to gain, fast, slow: {means}; left {min(left):.4f} to {max(left):.4f}, fast"
        f" {min(fast):.4f} to {max(fast):.4f}; {inside} of 20 campaigns between"
    )
    assert 0.7 * np.mean(fast) <= np.mean(left) <= np.mean(slow)


@dataclass(frozen=True)
class Half:
    """The geometric mean of abilities, as every other judge tells them."""

    first: int

    def fit(self, data: Votes) -> Predictor:
        model = find_model("geometric-students").make()
        fit: Predictor = model.fit(data.take(data.judge % 2 == self.first))
        return fit


@pytest.mark.slow
def test_models_that_are_trained_alike_are_told_apart_no_more_often_than_they_may() -> None:
    """Half the judges train each: in expectation the models are the same."""
    covered, kept, replicates = 0, 0, 100
    for replicate in range(replicates):
        votes = ARMS["20 judges, 100 items"].simulate(generator(24, 20, replicate))
        found = cross_validate(votes, {"a": Half(0), "b": Half(1)}, Plan("judge", 10, 1, replicate))
        losses = np.stack(list(found.losses.values()))
        clusters = find_clusters(votes, 1)
        apart = losses[:1] - losses[1:]
        mean = float(clusters.strata.means(apart)[0])
        one = leave_out(clusters, clusters.strata.deviations(apart)).estimate(0, mean, 0.95)
        covered += one.lower <= 0 <= one.upper
        kept += bool(find_leavers(losses, clusters, 1)[0].min() > 0.05)
    print(  # noqa: T201 - counts of an acceptance experiment
        f"\ntrained on half the judges each: 0 covered {covered}, both kept {kept} of {replicates}"
    )
    assert covered >= 92
    assert kept >= 93
