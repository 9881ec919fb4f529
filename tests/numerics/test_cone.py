"""Directions of cones whose constraints are found one by one, against listing all of them."""

import numpy as np
import pytest

from evenhand.numerics.graph import CONE_TOLERANCE, find_direction, find_recession


def one_at_a_time(rows):
    """Tells the worst broken constraint only."""

    def broken(b):
        gain = rows @ b
        worst = np.argsort(gain)[:1]
        return rows[worst[gain[worst] < -CONE_TOLERANCE]]

    return broken


@pytest.mark.parametrize("seed", range(60))
def test_a_direction_is_found_exactly_where_the_programme_of_all_constraints_finds_one(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 5))
    rows = rng.integers(-2, 3, size=(int(rng.integers(1, 3 * size + 2)), size)).astype(float)
    found = find_direction(one_at_a_time(rows), size)
    assert (found is None) == find_recession(rows).exists
    if found is not None:
        assert np.abs(found).max() == 1
        assert (rows @ found >= -CONE_TOLERANCE).all()


def test_both_answers_occur():
    def exists(seed):
        rng = np.random.default_rng(seed)
        size = int(rng.integers(1, 5))
        rows = rng.integers(-2, 3, size=(int(rng.integers(1, 3 * size + 2)), size)).astype(float)
        return find_recession(rows).exists

    answers = [exists(seed) for seed in range(60)]
    assert min(answers.count(True), answers.count(False)) >= 10
