"""Conjugate gradients against numpy's direct and least-squares solutions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.numerics.newton import solve_conjugate


def centre(vector):
    return vector - vector.mean()


def laplacian(n, seed, extra=2):
    """Weighted Laplacian of a connected random graph."""
    rng = np.random.Generator(np.random.PCG64(seed))
    table = np.zeros((n, n))
    ring = np.arange(n)
    table[ring, np.roll(ring, 1)] = rng.uniform(0.5, 2, n)
    more = rng.integers(0, n, (extra * n, 2))
    table[more[:, 0], more[:, 1]] += rng.uniform(0, 3, len(more))
    np.fill_diagonal(table, 0)
    table = table + table.T
    return np.diag(table.sum(axis=1)) - table, rng


@given(n=st.integers(1, 30), seed=st.integers(0, 1000))
def test_positive_definite_systems_are_solved(n, seed):
    """numpy.linalg.solve."""
    rng = np.random.Generator(np.random.PCG64(seed))
    root = rng.normal(size=(n, n))
    matrix, right = root @ root.T + np.eye(n), rng.normal(size=n)
    found = solve_conjugate(matrix.__matmul__, right, np.diag(matrix))
    np.testing.assert_allclose(found, np.linalg.solve(matrix, right), rtol=1e-8, atol=1e-9)


@given(n=st.integers(3, 40), seed=st.integers(0, 1000))
def test_a_laplacian_is_solved_with_the_sum_zero_gauge(n, seed):
    """numpy.linalg.pinv; the solution sums to zero."""
    matrix, rng = laplacian(n, seed)
    right = centre(rng.normal(size=n))
    found = solve_conjugate(matrix.__matmul__, right, np.diag(matrix), project=centre)
    np.testing.assert_allclose(found, np.linalg.pinv(matrix) @ right, rtol=1e-7, atol=1e-9)
    assert found.sum() == pytest.approx(0, abs=1e-10)


def test_too_few_iterations_give_none_and_no_half_way_answer():
    matrix, rng = laplacian(40, 3)
    right = centre(rng.normal(size=40))
    assert (
        solve_conjugate(matrix.__matmul__, right, np.diag(matrix), project=centre, limit=3) is None
    )
