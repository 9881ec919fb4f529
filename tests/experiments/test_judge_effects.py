"""Tests of judge covariates where judges differ: how often a true hypothesis is rejected.

Judges have tastes of their own, unrelated to the covariate, so that nothing is there to be found.
A likelihood ratio takes a thousand judgments of twenty judges for a thousand judges. Of the robust
tests three versions are counted: F = W/q on q and G − 1 df, Hotelling's with the plain number of
clusters, and the one that Evenhand reports, with their effective number.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from evenhand.data.tally import Factor, Tally
from evenhand.errors import NotIdentified
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.log_linear import find_hypotheses
from evenhand.numerics.distributions import f_tail
from evenhand.ranking.fitted import cluster_spread, wald_test
from experiments.campaign import part_of

ROUNDS = part_of(200)
LEVEL = 0.05
ALLOWED = LEVEL + 3 * (LEVEL * (1 - LEVEL) / ROUNDS) ** 0.5
"""Nominal .05 plus three standard errors of a share."""


@dataclass(frozen=True)
class Campaign:
    """A campaign: judges, systems, judgments, spread of tastes, share of the first group."""

    judges: int
    systems: int
    judgments: int
    taste: float
    share: float
    zipf: bool = False


CAMPAIGNS = {
    "two groups of ten": Campaign(20, 5, 2000, 0.5, 0.5),
    "no tastes": Campaign(20, 5, 2000, 0.0, 0.5),
    "ten systems": Campaign(20, 10, 4000, 0.5, 0.5),
    "twelve judges": Campaign(12, 5, 1200, 0.5, 0.5),
    "five beside fifteen": Campaign(20, 5, 2000, 0.5, 0.25),
    "six beside fifty-four": Campaign(60, 4, 6000, 0.5, 0.1),
    "few give most judgments": Campaign(40, 5, 4000, 0.5, 0.5, zipf=True),
}


def simulate(one: Campaign, rng: np.random.Generator) -> Tally:
    shares = 1 / np.arange(1, one.judges + 1) if one.zipf else np.ones(one.judges)
    loads = np.maximum(20, one.judgments * shares / shares.sum()).astype(int)
    judge = np.repeat(np.arange(one.judges), loads)
    n, k = len(judge), one.systems
    worth = np.linspace(-0.5, 0.5, k) + rng.normal(0, one.taste / 2, (one.judges, k))
    left = rng.integers(0, k, n)
    right = (left + rng.integers(1, k, n)) % k
    eta = worth[judge, left] - worth[judge, right]
    scores = np.exp(np.stack([eta, np.full(n, -0.7), -eta], axis=1))
    chances = (scores / scores.sum(axis=1, keepdims=True)).cumsum(axis=1)
    counts = np.eye(3)[(rng.random(n)[:, None] > chances[:, :2]).sum(axis=1)].T.copy()
    group = (rng.permutation(one.judges) < one.share * one.judges).astype(int)[judge]
    factors = {"judge": factor(judge, one.judges), "group": factor(group, 2)}
    names = tuple(f"s{i}" for i in range(k))
    sides = left.astype(np.int32), right.astype(np.int32)
    return Tally(names, *sides, *counts, factors, float(n)).pool(("judge", "group"))


def factor(codes, size):
    labels = tuple(f"{i:03d}" for i in range(size))
    loads = np.bincount(codes, minlength=size).astype(float)
    return Factor(labels, codes.astype(np.int32), loads, size)


def p_values(counted: Tally) -> list[float]:
    """Return p by likelihood ratio, by W/q, by Hotelling with all clusters, and as reported."""
    (one,) = find_hypotheses(BradleyTerry(judge_covariates=("group",)).fit(counted))
    vcov = cluster_spread(one.fit, counted, "judge").vcov[np.ix_(one.at, one.at)]
    effect, q, g = one.fit.beta[one.at], len(one.at), counted.factor("judge").size
    ratio = effect @ np.linalg.solve(vcov, effect) / q
    plain = [f_tail(ratio, q, g - 1), f_tail(ratio * (g - q) / (g - 1), q, g - q)]
    try:
        reported = wald_test(one.fit, counted, "judge", one.at).p
    except NotIdentified:  # too few effective judges: nothing is claimed
        reported = 1.0
    return [one.lr.p, *plain, reported]


@pytest.mark.slow
@pytest.mark.parametrize("name", list(CAMPAIGNS))
def test_a_covariate_that_does_nothing_is_rejected_no_more_often_than_it_may(name):
    rng = np.random.Generator(np.random.PCG64(20131))
    found = np.array([p_values(simulate(CAMPAIGNS[name], rng)) for _ in range(ROUNDS)])
    ratio, plain, hotelling, reported = (found < LEVEL).mean(axis=0)
    print(  # noqa: T201 - an experiment shows its counts (pytest -rP)
        f"{name}: {ROUNDS} campaigns, rejected by LR {ratio:.3f}, W/q {plain:.3f},"
        f" all clusters {hotelling:.3f}, effective clusters {reported:.3f}"
    )
    assert reported <= ALLOWED
    assert reported <= plain
    if CAMPAIGNS[name].taste:
        assert ratio > 3 * ALLOWED  # which is why the robust test stands beside it
