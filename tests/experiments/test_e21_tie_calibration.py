"""E21: is acc-eq with the best ε on the same items too high, and with that of other items right?

6 systems, 20 segments, people's scores in steps, a metric of people's scores and noise (sd 1.5), or
of noise alone. The truth at an ε is its accuracy on 4,000 further segments. R = 200.

Pass: cross-fitted less the truth at its ε within .01 on average. Control, in the same run: with the
best ε on the same segments acc-eq is .02 or more above the truth at that ε.
"""

import numpy as np
import pytest

from evenhand.metrics import statistics as measures
from experiments.campaign import generator

R, SYSTEMS, ITEMS, MORE = 200, 6, 20, 4000


def draw(system, items, signal, rng):
    h = system + rng.normal(size=(1, items)) + 0.7 * rng.normal(size=(SYSTEMS, items))
    people = np.round(h)  # a third of the pairs is tied
    pairs = measures.pair_segments(people, "item")
    metric = (signal * h + 1.5 * rng.normal(size=h.shape)).ravel()
    return pairs, metric[pairs.first] - metric[pairs.second]


@pytest.mark.slow
@pytest.mark.parametrize("signal", [1.0, 0.0], ids=["metric", "noise"])
def test_accuracy_with_the_ties_of_other_items_is_that_on_new_items(signal):
    rng = generator(21, int(signal), 0)
    fold = measures.assign_folds(np.arange(ITEMS))
    same, crossed = [], []
    for _ in range(R):
        system = 0.5 * rng.normal(size=(SYSTEMS, 1))
        pairs, apart = draw(system, ITEMS, signal, rng)
        new_pairs, new_apart = draw(system, MORE, signal, rng)
        best, epsilon = measures.calibrate(pairs, apart)
        same.append(best - measures.measure_accuracy(new_pairs, new_apart, epsilon))
        value, epsilons = measures.cross_fit(pairs, apart, fold)
        truth = [measures.measure_accuracy(new_pairs, new_apart, one) for one in epsilons]
        crossed.append(value - np.mean(truth))
    bias, control = float(np.mean(crossed)), float(np.mean(same))
    assert abs(bias) <= 0.01, f"cross-fitted {bias:+.4f}, same items {control:+.4f}"
    assert control >= 0.02, f"cross-fitted {bias:+.4f}, same items {control:+.4f}"
