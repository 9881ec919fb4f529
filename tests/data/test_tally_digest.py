"""A digest of counts tells apart what differs, and not what the order of a sum alone changes."""

import numpy as np
import pytest

from evenhand.data.tally import Factor, Tally, first_of_each, join_codes


def tally(level, levels, wins=3.0):
    """One cell of one level among several."""
    one, two = np.array([0], np.int32), np.array([1], np.int32)
    labels = tuple(f"j{i:05d}" for i in range(levels))
    factor = Factor(labels, np.array([level], np.int32), np.ones(levels), levels)
    n = np.array([wins])
    return Tally(("A", "B"), one, two, n, 0 * n, 0 * n, {"judge": factor}, wins)


@pytest.mark.parametrize("levels", [256, 257, 65_536, 65_537])
def test_the_last_of_many_levels_is_not_the_first(levels):
    first, last = tally(0, levels), tally(levels - 1, levels)
    assert first.digest_by(["judge"]) != last.digest_by(["judge"])


@pytest.mark.parametrize("wins", [255.0, 256.0, 65_536.0, 2.0**32])
def test_a_large_count_is_not_a_small_one(wins):
    small, large = tally(0, 2, wins % 256), tally(0, 2, wins)
    if wins > 255:
        assert small.digest_by(["judge"]) != large.digest_by(["judge"])
    assert tally(0, 2, wins + 1).digest_by(["judge"]) != large.digest_by(["judge"])


def test_sums_of_weights_have_one_digest_in_whatever_order_they_were_added():
    assert 0.1 + 0.2 != 0.3
    assert tally(0, 2, 0.1 + 0.2).digest == tally(0, 2, 0.3).digest != tally(0, 2, 0.30001).digest


def test_codes_of_more_than_can_be_numbered_are_joined_without_confusion():
    rng = np.random.Generator(np.random.PCG64(1))
    size = 2**16
    few = rng.integers(0, size, (40, 5)).astype(np.int32)
    rows = np.concatenate([few, few[::-1], few ^ np.array([2**15, 0, 0, 0, 0], np.int32)])
    key = join_codes([(rows[:, at], size) for at in range(5)])
    _, found = first_of_each(key)
    _, expected = np.unique(rows, axis=0, return_inverse=True)
    assert len(set(found.tolist())) == 80
    assert len(set(zip(found.tolist(), expected.ravel().tolist(), strict=True))) == 80
