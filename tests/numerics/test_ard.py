"""Squared-exponential covariance: values, symmetry, and derivatives by length scales."""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF

from evenhand.numerics.gaussian_process import Points, correlate, pull_back


def points(n, seed, *, labels=True):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (n, 2 if labels else 0))
    return Points(rng.normal(size=(n, 3)), codes)


def test_numbers_give_the_kernel_of_scikit_learn():
    a, b, scales = points(6, 1, labels=False), points(4, 2, labels=False), np.array([0.5, 1.0, 3.0])
    expected = RBF(scales)(a.numbers, b.numbers)
    np.testing.assert_allclose(correlate(a, b, np.log(scales)), expected, atol=1e-12)


def test_a_label_is_a_number_column_for_each_name():
    a, scale = points(8, 3), 0.7
    columns = np.sqrt(0.5) * (a.labels[:, :1] == np.arange(3))
    only = Points(np.zeros((8, 0)), a.labels[:, :1])
    expected = RBF(scale)(columns)
    np.testing.assert_allclose(correlate(only, only, np.log([scale])), expected, atol=1e-12)


def test_a_point_has_covariance_1_with_itself():
    a = points(5, 4)
    np.testing.assert_array_equal(np.diag(correlate(a, a, np.zeros(5))), np.ones(5))


def test_derivatives_by_length_scales_are_finite_differences():
    a, b, at = points(6, 5), points(4, 6), np.array([0.1, -0.2, 0.3, 0.0, 0.5])
    slope = np.random.default_rng(7).normal(size=(6, 4))
    found = pull_back(slope * correlate(a, b, at), a, b, at)
    step = 1e-6 * np.eye(5)
    expected = [
        float((slope * (correlate(a, b, at + h) - correlate(a, b, at - h))).sum()) / 2e-6
        for h in step
    ]
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-8)
