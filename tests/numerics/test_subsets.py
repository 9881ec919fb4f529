"""Sums over subsets against a list of them."""

from itertools import combinations

import numpy as np
import pytest

from evenhand.numerics.sampling import sum_subsets


@pytest.mark.parametrize("m", [1, 2, 3, 6, 9])
def test_sums_are_those_over_all_subsets(m):
    v = np.random.default_rng(m).gamma(1.0, size=(4, m))
    for size in range(1, m + 1):
        found = sum_subsets(v, size)
        every, one, two = np.zeros(4), np.zeros((4, m)), np.zeros((4, m, m))
        for subset in map(list, combinations(range(m), size)):
            product = v[:, subset].prod(axis=1)
            every += product
            one[:, subset] += product[:, None]
            two[np.ix_(range(4), subset, subset)] += product[:, None, None]
        for sums, expected in zip(
            (found.every, found.one, found.two), (every, one, two), strict=True
        ):
            np.testing.assert_allclose(sums, expected, rtol=1e-12)


def test_nothing_cancels_where_values_are_far_apart():
    found = sum_subsets(np.array([[1e12, 1.0, 1e-12]]), 2)
    np.testing.assert_allclose(found.every, [1e12 + 1.0 + 1e-12], rtol=1e-15)
    np.testing.assert_allclose(found.one, [[1e12 + 1, 1e12 + 1e-12, 1 + 1e-12]], rtol=1e-15)
