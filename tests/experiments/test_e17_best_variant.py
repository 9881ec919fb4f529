"""E17: how often do intervals hold the truth of a variant that was chosen for being the best?

K independent estimates with standard error 1, 1,000 campaigns each; counted are intervals of 95 %
of the best one, with the correction for the choice and without, and corrected estimates above the
truth. Carved: half of the votes choose, the other half comes after, each with a variance of 2.
Coverage may be .929 = .95 − 3 standard errors at least.
"""

import numpy as np
import pytest

from evenhand.ranking.best_variant import carve_best, correct_best, find_largest

CAMPAIGNS = 1000
CARVED = 100  # of these with later votes, whose densities take longer
ARMS = {
    "27 equal": np.zeros(27),
    "10 equal": np.zeros(10),
    "3 equal": np.zeros(3),
    "10 spaced": np.linspace(0, -4, 10),
    "one ahead": np.array([5.0, *[0.0] * 9]),
}


@pytest.mark.slow
@pytest.mark.parametrize("arm", ARMS)
def test_the_best_is_covered(arm, record_property):
    means = ARMS[arm]
    vcov = np.eye(len(means))
    largest = find_largest(vcov, 1 - 0.1 * 0.05, 1)
    draw = np.random.default_rng(117)
    naive, hybrid, above, carved = [], [], [], []
    later = np.random.default_rng(118)
    for number in range(CAMPAIGNS):
        x = means + draw.normal(size=len(means))
        truth, best = means[x.argmax()], x.max()
        lower, middle, upper = correct_best(x, vcov, largest=largest)
        naive.append(abs(best - truth) <= 1.96)
        hybrid.append(lower <= truth <= upper)
        above.append(middle > truth)
        if number >= CARVED:
            continue
        first = means + np.sqrt(2) * later.normal(size=len(means))
        chosen = means[first.argmax()]
        fresh = chosen + np.sqrt(2) * later.normal()
        lower, _, upper = carve_best(first, 2 * vcov, fresh, 2.0)
        carved.append(lower <= chosen <= upper)
    record_property("carved", float(np.mean(carved)))
    assert np.mean(carved) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / CARVED)
    shares = [float(np.mean(one)) for one in (naive, hybrid, above)]
    for name, share in zip(("naive", "hybrid", "above"), shares, strict=True):
        record_property(name, share)
    assert shares[1] >= 0.929
    assert 0.45 <= shares[2] <= 0.55
    if arm == "27 equal":
        assert shares[0] <= 0.6
