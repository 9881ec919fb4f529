"""The nearest rising curve, beside scikit-learn's."""

import numpy as np
import pytest
from sklearn.isotonic import isotonic_regression

from evenhand.numerics.sorting import fit_rising


@pytest.mark.parametrize("points", [1, 2, 7, 40])
def test_it_is_scikit_learns(points):
    curves = np.random.default_rng(points).normal(size=(20, points)) + np.linspace(0, 2, points)
    expected = [isotonic_regression(curve) for curve in curves]
    assert np.allclose(fit_rising(curves), expected)
    assert np.allclose(fit_rising(curves[0]), expected[0])
