"""E16: which outputs should people judge, where an LLM's verdicts on all are known?

Two systems on 2,000 items; the better one is preferred with probability p, logit p ~ N(.2, 2²). An
LLM gives this probability: right, with .8 or 2 added to its logit, or with its logit doubled.
People judge 150 items: with equal probabilities, or about 150 with higher ones where the verdict is
divided (`sample_for_llm`). What is to be covered is the difference of log-worths, 95 %, on t.

Rival in the same run: the same uncertain items without their weights. Gain: variance by 150
judgments of random items alone, from its formula, divided by the mean variance.

Pass: with weights, coverage from .935 to .965 in every arm; without, at most .90 where 2 is added
(.8 takes little away). Choosing by uncertainty gains nothing worth a promise: at most 1.10 times
the gain of equal probabilities in every arm.

The estimate and its errors are those of `rank --llm`; what ranks need, which most of the time goes
into, is left out, so that the parts of the verb are called one by one. R = 1,000 with weights, else
300, or half.
"""

from functools import cache

import numpy as np
import pytest
from scipy.stats import t as student

from evenhand.data.tally import Factor, Tally
from evenhand.design.next_for_llm import find_probabilities
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.numerics.newton import one_blas_thread
from evenhand.ranking.clustering import Evidence
from evenhand.ranking.inference import Settings
from evenhand.ranking.verdicts import fit_part, join_fits, pair_verdicts
from experiments.campaign import generator, part_of

ITEMS, JUDGED, R, FEW = 2000, 150, part_of(1000), part_of(300)
ARMS = {
    "calibrated": (0.0, 1.0),
    "biased": (0.8, 1.0),
    "overconfident": (0.0, 2.0),
    "very biased": (2.0, 1.0),
}
NAMES = tuple(f"i{at:04d}" for at in range(ITEMS))
SETTINGS = Settings(BradleyTerry(ties="discard"), "rank-sets", None, 0.95, 20131, None)
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(61)
SHARE = ((1 / (1 + np.exp(-0.2 - 2 * NODES))) * WEIGHTS).sum() / WEIGHTS.sum()
TRUTH = np.log(SHARE / (1 - SHARE))
HUMAN_VARIANCE = 1 / (JUDGED * SHARE * (1 - SHARE))


def tally(share, item, weight, squares=None):
    """Comparisons of a and b, of which a won `share`."""
    wins, losses, ties = share * weight, (1 - share) * weight, np.zeros(len(item))
    sides = [np.full(len(item), at, dtype=np.int32) for at in range(2)]
    if squares is not None:
        squares = np.stack([share * squares, ties, (1 - share) * squares], axis=1)
    factors = {"item": Factor.of(NAMES, item)}
    return Tally(("a", "b"), *sides, wins, ties, losses, factors, len(item), squares)


def draw(rng, arm):
    """Chances that people prefer a, and verdicts."""
    logit = rng.normal(0.2, 2, ITEMS)
    shift, scale = ARMS[arm]
    return (1 / (1 + np.exp(-one)) for one in (logit, shift + scale * logit))


def estimate(rng, arm, how):
    """Whether the interval holds the truth, and the variance."""
    chance, verdict = draw(rng, arm)
    probability = np.full(ITEMS, JUDGED / ITEMS)
    if how == "uniform":
        item = rng.permutation(ITEMS)[:JUDGED]
    else:
        probability = find_probabilities(np.sqrt(verdict * (1 - verdict)), JUDGED)
        item = np.flatnonzero(rng.random(ITEMS) < probability)
    won = (rng.random(len(item)) < chance[item]).astype(float)
    weight = 1 / probability[item] if how == "weighted" else np.ones(len(item))
    weight = weight / weight.mean()
    people = tally(won, item, weight, weight**2 if how == "weighted" else None)
    paired = pair_verdicts(people, tally(verdict, np.arange(ITEMS), np.ones(ITEMS)), None)
    with one_blas_thread():
        fit = fit_part(SETTINGS, paired.judged, "people's judgments")
        _, joint, _ = join_fits(fit, paired, Evidence.of(paired.judged), SETTINGS)
    by = joint.choose_weight()
    worths = sum(
        scale * part.values
        for scale, part in ((1, joint.people), (-by, joint.beside), (by, joint.every))
    )
    apart, variance = worths[0] - worths[1], joint.variances(by)[0]
    reach = student.ppf(0.975, len(item) - 1) * np.sqrt(variance)
    return abs(apart - TRUTH) <= reach, variance


@cache
def run(arm, how):
    """Coverage and gain."""
    at = 3 * [*ARMS].index(arm) + ("weighted", "uniform", "unweighted").index(how)
    rows = [
        estimate(generator(16, at, r), arm, how) for r in range(R if how == "weighted" else FEW)
    ]
    covered, variance = np.array(rows).mean(axis=0)
    return float(covered), float(HUMAN_VARIANCE / variance)


@pytest.mark.slow
@pytest.mark.parametrize("arm", ARMS)
def test_weights_keep_intervals_true(arm, record_property):
    (covered, gain), (uniform, gain_uniform) = run(arm, "weighted"), run(arm, "uniform")
    values = {"covered": covered, "gain": gain, "uniform": uniform, "gain, uniform": gain_uniform}
    for what, value in values.items():
        record_property(what, round(value, 3))
    assert 0.935 <= covered <= 0.965
    assert gain <= 1.10 * gain_uniform


@pytest.mark.slow
def test_without_weights_they_are_not(record_property):
    covered = run("very biased", "unweighted")[0]
    record_property("unweighted", round(covered, 3))
    assert covered <= 0.90
