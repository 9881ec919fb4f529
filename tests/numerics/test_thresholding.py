"""Singular value thresholding: by both routes the same, and the minimum that it should be."""

import numpy as np
import pytest

from evenhand.numerics.completion import largest_value, shrink


@pytest.mark.parametrize("shape", [(30, 8), (9, 8), (6, 6)])
@pytest.mark.parametrize("tau", [0.1, 2.0, 5.0])
def test_both_routes_move_singular_values_alike(shape, tau):
    """numpy.linalg.svd is the reference."""
    table = np.random.default_rng(1).normal(size=shape)
    u, s, vt = np.linalg.svd(table, full_matrices=False)
    expected = (u * np.maximum(s - tau, 0)) @ vt
    found = shrink(table, tau)
    np.testing.assert_allclose(found.left @ found.right.T, expected, atol=1e-10)
    assert found.norm == pytest.approx(np.maximum(s - tau, 0).sum())


@pytest.mark.parametrize("shape", [(12, 5), (6, 5)])
def test_nothing_is_left_beyond_the_largest_singular_value(shape):
    table = np.random.default_rng(2).normal(size=shape)
    largest = largest_value(table)
    assert largest == pytest.approx(np.linalg.norm(table, 2))
    assert shrink(table, 1.0001 * largest).rank == 0
    assert shrink(table, 0.9999 * largest).rank == 1
