"""Chances for new outputs: closed forms of the normal distribution."""

from statistics import NormalDist

import numpy as np
import pytest

from evenhand.models.irt_gaussian import all_pairs, chance_beyond, pair_variances

PHI = NormalDist().cdf


def test_the_variance_of_a_difference_takes_both_and_what_they_share():
    vcov = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, -0.25], [0.0, -0.25, 3.0]])
    assert pair_variances(vcov, all_pairs(3)).tolist() == [2.0, 5.0, 4.5]


def test_chances_are_averages_of_normal_ones():
    draws = np.array([[0.5, -0.25], [1.5, 0.25], [-0.5, 0.0]])
    found = chance_beyond(draws, np.array([[0, 1]]), np.array([2.25]), 0.4)
    gaps = [0.75, 1.25, -0.5]
    above = sum(PHI((gap - 0.4) / 1.5) for gap in gaps) / 3
    below = sum(PHI((-0.4 - gap) / 1.5) for gap in gaps) / 3
    assert found[0] == pytest.approx([above, below], rel=1e-12)
