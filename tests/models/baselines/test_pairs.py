"""Each pair by its own counts."""

import numpy as np
import pytest

from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.models.baselines import IndependentPairs
from tallies import tally

DATA = tally(("a", "b", 3, 1, 0), ("b", "a", 2, 0, 1), ("b", "c", 0, 2, 4), systems="abcd")
FIT = IndependentPairs(strength=0.5).fit(DATA)


def test_a_pair_and_its_mirror_image_share_counts():
    expected = np.array([3 + 1 + 0.5, 1 + 0.5, 0 + 2 + 0.5]) / 8.5
    np.testing.assert_allclose(FIT.predict([("a", "b")])[0], expected, rtol=1e-12)
    np.testing.assert_allclose(FIT.predict([("b", "a")])[0], expected[::-1], rtol=1e-12)


def test_pairs_that_were_not_compared_are_even_and_said():
    np.testing.assert_allclose(FIT.predict([("a", "c"), ("d", "b")]), 1 / 3, rtol=1e-12)
    assert FIT.says[0] == "2 of 6 pairs were compared."
    assert FIT.notes == ("No judgment is on d: all outcomes are equally likely for their pairs.",)


def test_log_worths_are_mean_log_odds_against_all_systems():
    ab, bc = np.log(4.5 / 2.5), np.log(0.5 / 4.5)
    expected = np.array([ab, bc - ab, -bc, 0.0]) / 4
    np.testing.assert_allclose(FIT.log_worth, expected, rtol=0, atol=1e-12)


def test_each_pair_has_two_coefficients_and_its_chances_for_machines():
    names = [c.name for c in FIT.coefficients]
    assert names == ["o1:2", "g1:2", "o2:3", "g2:3"]
    assert FIT.coefficients[0].estimate == pytest.approx(np.log(4.5 / 2.5) / 2, rel=1e-12)
    gamma = np.log(1.5 / np.sqrt(4.5 * 2.5))
    assert FIT.coefficients[1].estimate == pytest.approx(gamma, rel=1e-12)
    assert FIT.extras["pairs"][1]["second"] == "c"


def test_strength_zero_and_unknown_systems_are_refused():
    with pytest.raises(UnknownOption, match="never compared would have no chances"):
        IndependentPairs(strength=0)
    with pytest.raises(InvalidJudgments, match="no system 'x' in this fit"):
        FIT.predict([("a", "x")])
    with pytest.raises(InvalidJudgments, match="cannot be contrasted with itself"):
        FIT.predict([("a", "a")])
