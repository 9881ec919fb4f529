"""Hashes are found among known ones."""

import numpy as np
import pytest

from evenhand.numerics.graph import find_hashes


@pytest.mark.parametrize("known", [1, 2, 200, 50_000])
def test_every_hash_is_found_where_it_stands(known):
    rng = np.random.default_rng(known)
    hashes = np.unique(rng.integers(0, 2**64, known, dtype=np.uint64))
    places = rng.integers(0, len(hashes), 100_000)
    assert np.array_equal(find_hashes(hashes[places], hashes), places)


def test_hashes_that_share_their_low_bits_are_told_apart():
    """All of them want one place of the first table, and of the second."""
    hashes = (np.arange(300, dtype=np.uint64) << np.uint64(40)) + np.uint64(7)
    places = np.arange(300)[::-1]
    assert np.array_equal(find_hashes(hashes[places], hashes), places)
