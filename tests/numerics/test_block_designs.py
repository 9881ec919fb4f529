"""Balanced incomplete block designs: known parameters, and every pair counted."""

from collections import Counter
from itertools import combinations

import pytest

from evenhand.numerics.designs import choose_blocks, find_balanced
from evenhand.numerics.sampling import Draws

KNOWN = {
    (6, 3): 10,
    (7, 3): 7,
    (8, 4): 14,
    (9, 3): 12,
    (9, 4): 18,
    (10, 3): 30,
    (10, 4): 15,
    (11, 5): 11,
    (13, 3): 26,
    (13, 4): 13,
    (15, 3): 35,
    (16, 4): 20,
    (16, 6): 16,
    (21, 5): 21,
    (25, 5): 30,
    (31, 6): 31,
}
"""(v, k) → fewest blocks; Fisher & Yates, Statistical Tables, 1938, and finite planes."""


def meetings(blocks):
    return Counter(pair for one in blocks for pair in combinations(sorted(one), 2))


@pytest.mark.parametrize("v", range(3, 14))
@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_every_pair_meets_equally_often(v, k):
    if k > v:
        return
    blocks = find_balanced(v, k)
    met = meetings(blocks)
    assert len(met) == v * (v - 1) // 2
    assert len(set(met.values())) == 1
    assert all(len(set(one)) == k for one in blocks)


@pytest.mark.parametrize(("shape", "fewest"), KNOWN.items())
def test_designs_of_the_tables_are_found_with_their_number_of_blocks(shape, fewest):
    blocks = find_balanced(*shape)
    met = meetings(blocks)
    assert len(blocks) == fewest
    assert (len(met), len(set(met.values()))) == (shape[0] * (shape[0] - 1) // 2, 1)


@pytest.mark.parametrize("shape", [(15, 5), (22, 8)])
def test_designs_that_do_not_exist_are_not_found(shape):
    # 15 by 5 with 21 blocks (Hall & Connor 1954), 22 by 8 with 33 (Bilous et al. 2007)
    found = find_balanced(*shape)
    assert found is None or len(found) not in (21, 33)


def test_a_number_of_sets_that_no_design_has_is_met_nearly_evenly():
    blocks = choose_blocks(15, 5, 400, Draws(1)).tolist()
    assert all(len(set(one)) == 5 for one in blocks)
    taken = Counter(system for one in blocks for system in one)
    assert set(taken.values()) == {133, 134}
    met = meetings(blocks).values()
    assert max(met) - min(met) <= 4  # 400·20/210 = 38.1 on average


@pytest.mark.parametrize(("v", "k", "b"), [(12, 4, 33), (13, 5, 39), (15, 5, 42), (17, 5, 68)])
def test_where_a_design_exists_no_two_systems_meet_more_often_than_others(v, k, b):
    """A search alone (`choose_evenly`) leaves differences of 2 here with seed 1."""
    met = meetings(choose_blocks(v, k, b, Draws(1)).tolist())
    assert len(met) == v * (v - 1) // 2
    assert len(set(met.values())) == 1
