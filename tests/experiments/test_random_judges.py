"""Random judges with known truth: is sigma right at few and many judgments per judge?

Campaigns of tests/experiments/campaign.py, experiment 21: log-worths .2 apart, sigma .5, no taste
of items. Arms are judgments per judge, systems, judges, Davidson's nu. The median of 20 estimates
must lie within 10 % of .5. Coverage of 95 % intervals is counted over all replicates, with the
one-sided 99.9 % tolerance p >= .95 - 3.09 sqrt(.0475 / R).
"""

from dataclasses import dataclass
from itertools import combinations
from math import sqrt

import numpy as np
import pytest

from evenhand.models.random_judges import RandomJudges
from experiments.campaign import Campaign, generator, part_of

SIGMA = 0.5


@dataclass(frozen=True)
class Arm:
    each: int
    systems: int = 10
    judges: int = 200
    nu: float = 0.5
    sigma: float = SIGMA
    replicates: int = 20


ARMS = {
    "20 each": Arm(20),
    "20 each of 20 systems": Arm(20, systems=20, judges=400, replicates=10),
    "20 each without ties": Arm(20, nu=0.0),
    "60 each": Arm(60, judges=part_of(200)),
    "300 each": Arm(300, judges=part_of(200)),
    "20 judges, 60 each": Arm(60, judges=20, replicates=60),
}


@dataclass(frozen=True, eq=False)
class Outcome:
    sigma: np.ndarray
    likely: np.ndarray
    covered: int
    pairs: int
    pairs_covered: int


def campaign_of(arm: Arm) -> Campaign:
    return Campaign(
        gap=0.2,
        judge_sd=arm.sigma,
        item_sd=0.0,
        systems=arm.systems,
        judges=arm.judges,
        items=1,
        n=arm.each * arm.judges,
        tie=arm.nu,
    )


def run(number: int, arm: Arm) -> Outcome:
    campaign = campaign_of(arm)
    found, likely, covered, pairs, pairs_covered = [], [], 0, 0, 0
    for replicate in range(arm.replicates):
        tally = campaign.simulate(generator(21, number, replicate))
        fit = RandomJudges().fit(tally)
        found.append(fit.sigma)
        likely.append(fit.sigma_ml)
        low, high = fit.sigma_interval
        covered += low <= arm.sigma <= high
        truth = dict(zip(tally.systems, campaign.worth, strict=True))
        for one in fit.contrasts(list(combinations(tally.systems, 2))):
            gap = truth[one.systems[0]] - truth[one.systems[1]]
            pairs += 1
            pairs_covered += abs(one.estimate - gap) < 1.96 * one.stderr
    return Outcome(np.array(found), np.array(likely), covered, pairs, pairs_covered)


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
def test_sigma_is_within_a_tenth_of_the_truth_and_covered(name):
    arm, number = ARMS[name], list(ARMS).index(name)
    out = run(number, arm)
    median = float(np.median(out.sigma))
    print(  # noqa: T201 - counts of an acceptance experiment
        f"\n{name}: J={arm.judges} K={arm.systems} R={arm.replicates}"
        f" median {median:.3f} of {arm.sigma} (maximum likelihood"
        f" {np.median(out.likely):.3f}), sd {out.sigma.std():.3f},"
        f" sigma covered {out.covered}/{arm.replicates},"
        f" pairs covered {out.pairs_covered}/{out.pairs}"
    )
    assert abs(float(np.median(out.sigma[:20])) / arm.sigma - 1) < 0.10
    assert abs(median / arm.sigma - 1) < 0.10
    least = 0.95 - 3.09 * sqrt(0.0475 / arm.replicates)
    assert out.covered / arm.replicates >= least
    assert out.pairs_covered / out.pairs >= least


@pytest.mark.slow
def test_laplace_makes_sigma_too_small_where_judges_gave_few_answers():
    campaign, plain = campaign_of(ARMS["20 each"]), RandomJudges(method="laplace", restricted=False)
    for replicate in range(3):
        tally = campaign.simulate(generator(21, 0, replicate))
        assert plain.fit(tally).sigma < 0.93 * RandomJudges().fit(tally).sigma_ml


@pytest.mark.slow
def test_judges_of_one_taste_are_seldom_called_different():
    """At .05 at most .05 + 3.09 sqrt(.0475 / R) are; about half the estimates of sigma are 0."""
    campaign = Campaign(0.2, 0.0, 0.0, systems=6, judges=40, items=1, n=1600, tie=0.5)
    p, zeros, replicates = [], 0, part_of(200)
    for replicate in range(replicates):
        fit = RandomJudges().fit(campaign.simulate(generator(21, 90, replicate)))
        p.append(fit.lr_test.p)
        zeros += fit.sigma == 0
    rejected = sum(one <= 0.05 for one in p)
    counts = f"rejected {rejected}/{replicates}, estimated as 0 in {zeros}/{replicates}"
    print(f"\nsigma 0: {counts}")  # noqa: T201 - counts of an acceptance experiment
    assert rejected / replicates <= 0.05 + 3.09 * sqrt(0.0475 / replicates)
    assert 0.3 < zeros / replicates < 0.7
