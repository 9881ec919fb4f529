"""Designs that a rotation leaves as they are: every pair counted."""

from collections import Counter
from itertools import combinations

import pytest

from evenhand.numerics.designs import find_rotated

TABLED = [
    *((6, 3, 2, 10), (8, 4, 3, 14), (9, 3, 1, 12), (10, 3, 2, 30), (10, 4, 2, 15), (9, 6, 5, 12)),
    *((12, 6, 5, 22), (12, 3, 2, 44), (15, 7, 3, 15), (16, 4, 1, 20), (16, 6, 2, 16)),
]
"""v, k, λ and b; Fisher & Yates, Statistical Tables, 1938."""


@pytest.mark.parametrize(("v", "k", "meets", "fewest"), TABLED)
def test_every_pair_meets_as_often_as_asked(v, k, meets, fewest):
    blocks = find_rotated(v, k, meets)
    met = Counter(pair for one in blocks for pair in combinations(one, 2))
    assert len(blocks) == len(set(blocks)) == fewest
    assert set(met.values()) == {meets}
    assert len(met) == v * (v - 1) // 2


def test_what_cannot_be_is_not_found():
    assert find_rotated(6, 3, 1) is None  # r = 5/2
    assert find_rotated(15, 5, 2) is None  # Hall & Connor 1954
    assert find_rotated(30, 10, 3) is None  # too many sets to list
