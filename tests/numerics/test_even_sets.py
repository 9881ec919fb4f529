"""Sets that are no balanced design are nearly one, and every system is in as many as any other."""

from collections import Counter
from itertools import combinations, combinations_with_replacement

import pytest

from evenhand.numerics.designs import choose_evenly
from evenhand.numerics.sampling import Draws


def find_gap(blocks, v):
    met = Counter(pair for one in blocks for pair in combinations(sorted(one), 2))
    every = [met[pair] for pair in combinations(range(v), 2)]
    return max(every) - min(every)


@pytest.mark.parametrize("v", range(4, 9))
@pytest.mark.parametrize("k", [3, 4, 5])
def test_meetings_differ_by_two_at_most(v, k):
    for b in range(2, 16, 3) if k < v else ():
        blocks = choose_evenly(v, k, b, Draws(b)).tolist()
        assert all(len(set(one)) == k for one in blocks)
        taken = Counter(system for one in blocks for system in one)
        assert max(taken.values()) - min(taken[one] for one in range(v)) <= 1
        assert find_gap(blocks, v) <= 2


@pytest.mark.parametrize(("v", "k", "b"), [(4, 3, 2), (5, 3, 3), (5, 3, 4), (5, 4, 4), (6, 3, 4)])
def test_no_choice_of_few_sets_is_more_even(v, k, b):
    best = min(
        find_gap(blocks, v)
        for blocks in combinations_with_replacement(list(combinations(range(v), k)), b)
    )
    assert find_gap(choose_evenly(v, k, b, Draws(3)).tolist(), v) == best
