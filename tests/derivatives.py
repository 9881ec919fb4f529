"""Derivatives of a log-likelihood beside differences of it."""

from collections.abc import Callable
from typing import Any

import numpy as np


def differences(expand: Callable[[np.ndarray], Any], at: np.ndarray, step: float = 1e-5):
    """Central differences of the value (p,), and of minus the gradient (p, p)."""
    ends = [(expand(at + step * e), expand(at - step * e)) for e in np.eye(len(at))]
    slopes = np.array([(up.value - down.value) / (2 * step) for up, down in ends])
    return slopes, np.array([(down.gradient - up.gradient) / (2 * step) for up, down in ends])


def assert_derivatives(
    expand: Callable[[np.ndarray], Any], at: np.ndarray, *, slope: float, bend: float
) -> None:
    """Gradient and information are those differences, within tolerances relative and absolute."""
    here, (slopes, bends) = expand(at), differences(expand, at)
    np.testing.assert_allclose(here.gradient, slopes, rtol=slope, atol=slope)
    np.testing.assert_allclose(here.information, bends, rtol=bend, atol=bend)
