"""Simulate from a model, fit it, and count how often 95 % intervals hold the truth."""

import numpy as np
import pytest
from scipy.stats import binom

from evenhand.data.tally import Tally
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.ties import Davidson, GlennDavid, RaoKupper, TwoOutcomes

LAMBDA = np.array([0.4, 0.1, -0.2, 0.0])
DELTA = 0.15
REPLICATES = 200
LOW, HIGH = binom.ppf([0.0005, 0.9995], REPLICATES, 0.95)

LAWS = {
    "davidson": (Davidson(), -0.4, -0.4),  # the law, its t, and the parameter that is reported
    "none": (Davidson(free=False), 0.0, None),
    "discard": (TwoOutcomes(), 0.0, None),
    "rao-kupper": (RaoKupper(), np.log(0.5), 0.5),
    "glenn-david": (GlennDavid(), np.log(0.3), 0.3),
}


def campaigns(law, tie, n=480):
    """Equal numbers of comparisons of every ordered pair, drawn from the law."""
    pairs = np.array([(i, j) for i in range(4) for j in range(4) if i != j], dtype=np.int32)
    left, right = pairs.T
    chances = np.exp(law.log_chances(LAMBDA[left] - LAMBDA[right] + DELTA, tie))
    rng = np.random.Generator(np.random.PCG64(20131))
    for _ in range(REPLICATES):
        counts = rng.multinomial(n // len(pairs), chances).astype(float)
        yield Tally(tuple("ABCD"), left, right, *counts.T.copy(), {}, float(n))


@pytest.mark.parametrize("ties", LAWS)
def test_intervals_cover_the_truth(ties):
    law, tie, reported = LAWS[ties]
    truth = {"o1": 0.4, "o2": 0.1, "o3": -0.2, "order": DELTA}
    if reported is not None:
        truth["g1" if ties == "davidson" else "tau"] = reported
    covered = dict.fromkeys(truth, 0)
    for counted in campaigns(law, tie):
        fit = BradleyTerry(ties=ties, order_effect=True).fit(counted)
        for one in fit.coefficients:
            if one.stderr is not None:
                gap = abs(one.estimate - truth[one.name])
                covered[one.name] += gap <= 1.959964 * one.stderr
    assert all(LOW <= hits <= HIGH for hits in covered.values()), covered


def test_goodness_of_fit_rejects_a_true_model_as_often_as_it_says():
    level, rejected = 0.2, 0
    for counted in campaigns(Davidson(), -0.4, n=1200):
        fit = BradleyTerry(order_effect=True).fit(counted)
        rejected += fit.gof_p < level
    low, high = binom.ppf([0.0005, 0.9995], REPLICATES, level)
    assert low <= rejected <= high
