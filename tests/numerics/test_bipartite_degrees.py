"""The rule of Gale and Ryser against trying everything; deals keep needs and loads."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.numerics.designs import deal, find_shortage, level_loads
from evenhand.numerics.sampling import Draws


def can_be(needs, loads):
    if not needs:
        return True
    return any(
        can_be(needs[1:], [load - (at in chosen) for at, load in enumerate(loads)])
        for chosen in combinations(range(len(loads)), needs[0])
        if all(loads[at] for at in chosen)
    )


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=4),
    st.lists(st.integers(0, 4), min_size=1, max_size=4),
)
def test_a_shortage_is_found_exactly_where_no_deal_exists(needs, loads):
    short = find_shortage(np.array(needs), np.array(loads))
    assert (short is None) is can_be(needs, loads)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=8),
    st.lists(st.integers(0, 9), min_size=1, max_size=8),
    st.integers(0, 99),
)
def test_deals_keep_needs_and_loads_with_different_judges(needs, caps, seed):
    needs, caps = np.array(needs), np.array(caps)
    if find_shortage(needs, caps) is not None:
        return
    loads = level_loads(np.minimum(caps, len(needs)), int(needs.sum()), np.arange(len(caps)))
    dealt = deal(needs, loads, Draws(seed))
    assert (np.bincount(dealt, minlength=len(caps)) == loads).all()
    assert (loads <= caps).all()
    for group in np.split(dealt, np.cumsum(needs)[:-1]):
        assert len(set(group.tolist())) == len(group)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.integers(0, 40))
def test_levelled_loads_differ_by_one_but_where_caps_bind(caps, total):
    caps = np.array(caps)
    total = min(total, int(caps.sum()))
    loads = level_loads(caps, total, np.arange(len(caps)))
    assert loads.sum() == total
    free = loads[loads < caps]
    assert not free.size or loads.max() - free.min() <= 1
