"""What the others gave to the same, against counting pair by pair."""

import numpy as np
import pytest

from evenhand.numerics.cluster_means import see_others


def by_hand(unit, judge, score):
    rows = []
    for u, j, s in zip(unit, judge, score, strict=True):
        theirs = score[(unit == u) & (judge != j)]
        far = np.abs(theirs - s).mean() if len(theirs) else np.nan
        rows.append((len(theirs), theirs.mean() if len(theirs) else np.nan, far))
    return np.array(rows).T


@pytest.mark.parametrize("seed", range(5))
def test_others_are_what_counting_every_pair_gives(seed):
    rng = np.random.default_rng(seed)
    unit, judge = rng.integers(0, 40, 200) * 1000, rng.integers(0, 6, 200)
    score = rng.normal(50, 20, 200)
    count, mean, distance = by_hand(unit, judge, score)
    found = see_others(unit, judge, score)
    np.testing.assert_array_equal(found.count, count)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-12)
    np.testing.assert_allclose(found.distance, distance, atol=1e-12)


def test_a_judges_own_second_score_is_nobody_elses():
    found = see_others(np.array([1, 1, 1]), np.array([0, 0, 1]), np.array([1.0, 5.0, 2.0]))
    assert found.count.tolist() == [1, 1, 2]
    assert found.mean.tolist() == [2.0, 2.0, 3.0]
    assert found.distance.tolist() == [1.0, 3.0, 2.0]


def test_rounding_does_not_gather_over_many_units():
    """Two judges 0.1 apart on each of 100,000 outputs near a million."""
    n = 100_000
    unit, judge = np.repeat(np.arange(n), 2), np.tile([0, 1], n)
    score = 1e6 + np.repeat(np.arange(n) % 7, 2) + np.tile([0.0, 0.125], n)
    assert (see_others(unit, judge, score).distance == 0.125).all()
