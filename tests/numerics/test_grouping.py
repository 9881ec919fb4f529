"""Groups of rows against numpy and scipy, on random codes."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evenhand.numerics.cluster_means import number_groups, pairs_within, rank_within, sum_above

CODES = st.lists(st.integers(0, 5), min_size=1, max_size=12)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 10**12)), min_size=1, max_size=12))
def test_combinations_are_numbered_in_ascending_order(rows):
    first, second = np.array(rows, dtype=np.int64).T
    expected = np.unique(np.array(rows), axis=0, return_inverse=True)[1].reshape(-1)
    assert number_groups(first, second).tolist() == expected.tolist()


@given(CODES)
def test_pairs_are_all_pairs_of_rows_of_one_group(codes):
    groups = np.array(codes)
    expected = [(i, j) for i, j in combinations(range(len(codes)), 2) if codes[i] == codes[j]]
    first, second = pairs_within(groups)
    assert sorted(zip(first.tolist(), second.tolist(), strict=True)) == expected


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=15))
def test_ranks_within_groups_are_those_of_scipy(rows):
    groups, values = np.array(rows).T
    found = rank_within(groups, values.astype(float))
    for group in np.unique(groups):
        own = groups == group
        assert found[own].tolist() == pytest.approx(stats.rankdata(values[own]).tolist())


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(-3, 3)), min_size=1, max_size=15
    )
)
def test_sums_above_are_those_of_going_through_all_pairs(rows):
    groups, values, weights = np.array(rows).T
    found = sum_above(groups, values.astype(float), weights.astype(float))
    for i, (group, value, _) in enumerate(rows):
        higher = sum(w for g, v, w in rows if g == group and v > value)
        equal = sum(w for g, v, w in rows if g == group and v == value)
        assert found[i] == pytest.approx(higher + equal / 2)
