"""Quasi-Newton: known maxima."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from evenhand.errors import NotConverged
from evenhand.numerics.newton import climb


@dataclass(frozen=True)
class At:
    value: float
    gradient: np.ndarray


def banana(x, before=None):
    return At(-rosen(x), -rosen_der(x))


def near(step):
    return float(np.abs(step).max())


def test_the_maximum_of_a_bent_valley_is_found_from_a_poor_guess():
    """Rosenbrock (1960): the extremum is at (1, 1, 1)."""
    start = np.array([-1.2, 1.0, 1.0])
    at, last, _ = climb(
        banana, (start, banana(start)), np.eye(3) * 100, tolerance=1e-20, reach=near
    )
    np.testing.assert_allclose(at, 1, atol=1e-8)
    assert last.value == pytest.approx(0, abs=1e-12)


def test_what_has_no_maximum_is_refused():
    def slope(x, before=None):
        return At(float(x[0]), np.ones(1))

    start = np.zeros(1)
    with pytest.raises(NotConverged, match="no clear maximum"):
        climb(slope, (start, slope(start)), np.eye(1), tolerance=1e-12, reach=near)


def test_a_gradient_that_points_the_wrong_way_is_refused():
    def wrong(x, before=None):
        return At(-float(x[0]), np.ones(1))

    start = np.zeros(1)
    with pytest.raises(NotConverged, match="no step gains"):
        climb(wrong, (start, wrong(start)), np.eye(1), tolerance=1e-12, reach=near)
