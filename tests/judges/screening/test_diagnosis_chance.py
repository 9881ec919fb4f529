"""Judges whom the limits leave outside by chance."""

import numpy as np
import pytest

from evenhand.judges.outliers import Limits, share_outside
from evenhand.numerics.distributions import two_sided_p


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize(("judges", "k"), [(3, 1.0), (4, 0.5), (5, 1.0), (9, 1.5)])
def test_the_share_is_that_of_drawn_judges(judges, k, ddof):
    drawn = np.random.default_rng(2).normal(size=(60_000, judges))
    far = np.abs(drawn - drawn.mean(axis=1, keepdims=True))
    outside = (far > k * drawn.std(axis=1, ddof=ddof, keepdims=True)).mean()
    assert share_outside(Limits(k, ddof), judges) == pytest.approx(outside, abs=0.005)


def test_of_four_judges_a_third_is_outside_one_sd():
    """t is √1.6 on 2 degrees of freedom, where P(|T| > t) = 1 − t / √(2 + t²)."""
    assert share_outside(Limits(), 4) == pytest.approx(1 / 3)


def test_many_judges_are_outside_as_often_as_normal_values():
    assert share_outside(Limits(1.5), 10**6) == pytest.approx(two_sided_p(1.5), abs=1e-5)
