"""Merge insertion sorts, with no more comparisons than Knuth allows it."""

from itertools import permutations
from math import ceil, log2

import pytest

from evenhand.numerics.sorting import merge_insertion


def sort(items):
    asked = []

    def before(one, other):
        asked.append((one, other))
        return one < other

    return merge_insertion(items, before), len(asked)


@pytest.mark.parametrize("n", range(7))
def test_every_permutation_is_sorted_and_the_worst_takes_knuths_number(n):
    """Knuth, volume 3, section 5.3.1, equation 11: F(n) = Σ ⌈log₂ 3k/4⌉ = 0, 1, 3, 5, 7, 10."""
    allowed = sum(ceil(log2(0.75 * k)) for k in range(1, n + 1))
    most = 0
    for items in permutations(range(n)):
        found, asked = sort(items)
        assert found == list(range(n))
        most = max(most, asked)
    assert most == allowed


@pytest.mark.parametrize("n", [11, 21, 22, 64, 100])
def test_long_lists_stay_within_the_number(n):
    allowed = sum(ceil(log2(0.75 * k)) for k in range(1, n + 1))
    for step in (7, 13, 17, 19):
        found, asked = sort([i * step % n for i in range(n)] if n % step else list(range(n))[::-1])
        assert found == list(range(n))
        assert asked <= allowed
