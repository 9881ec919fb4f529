"""Weights of agreement against their definitions, and expected disagreement against double sums."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evenhand.errors import InvalidJudgments, NotIdentified
from evenhand.judges.coefficients import (
    WEIGHTINGS,
    check_weighting,
    disagree,
    expect_disagreement,
)

POINTS = np.array([0.0, 1.0, 2.5, 7.0])


@given(arrays(float, (3, 4), elements=st.integers(0, 9)), st.sampled_from(WEIGHTINGS))
def test_expected_disagreement_is_the_double_sum(mass, weighting):
    apart = disagree(POINTS[:, None], POINTS[None, :], weighting)
    expected = [
        sum(row[c] * row[k] * apart[c, k] for c in range(4) for k in range(4)) for row in mass
    ]
    assert expect_disagreement(mass, POINTS, weighting) == pytest.approx(expected, abs=1e-9)


def test_weights_are_those_of_cohen_and_gwet_on_a_scale_of_five():
    points = np.arange(1.0, 6.0)
    steps = np.abs(np.subtract.outer(points, points)) / 4

    def weights(weighting):
        apart = disagree(points[:, None], points[None, :], weighting)
        return 1 - apart / apart.max()

    np.testing.assert_array_equal(weights("identity"), np.eye(5))
    np.testing.assert_allclose(weights("linear"), 1 - steps)
    np.testing.assert_allclose(weights("quadratic"), 1 - steps**2)
    np.testing.assert_allclose(weights("radical"), 1 - np.sqrt(steps))
    assert weights("ratio")[0, 4] == 0
    assert weights("ratio")[1, 3] == pytest.approx(1 - (2 / 6) ** 2 / (4 / 6) ** 2)


def test_what_cannot_be_is_refused():
    with pytest.raises(InvalidJudgments, match="there is -1"):
        check_weighting(np.array([-1.0, 1.0]), "ratio")
    many = np.arange(2000.0)
    with pytest.raises(NotIdentified, match="2,000 different scores are too many"):
        expect_disagreement(np.ones((1, 2000)), many, "radical")
