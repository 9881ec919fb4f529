"""Each pair by its own counts."""

import numpy as np
import pytest

from evenhand.errors import InvalidJudgments, NotIdentified
from evenhand.models.baselines import (
    AdjustedUniform,
    IndependentPairs,
    IndependentStudents,
    Uniform,
)
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


def test_unknown_systems_are_refused():
    with pytest.raises(InvalidJudgments, match="no system 'x' in this fit"):
        FIT.predict([("a", "x")])
    with pytest.raises(InvalidJudgments, match="cannot be contrasted with itself"):
        FIT.predict([("a", "a")])


DATA_OF_STUDENTS = tally(("a", "b", 3, 1, 0), ("b", "a", 2, 0, 1), ("b", "c", 0, 2, 4))


def test_copies_of_a_weak_opponent_flatter_a_system_as_they_do_its_win_rate():
    """What Hopkins & May object to: whom a system met decides what it is worth."""
    level = tally(("a", "b", 5, 0, 5), ("a", "c", 9, 0, 1), ("b", "c", 9, 0, 1))
    often = tally(("a", "b", 5, 0, 5), ("a", "c", 90, 0, 10), ("b", "c", 9, 0, 1))
    model = IndependentStudents("geometric")
    won, _, lost = model.fit(level).predict([("a", "b")])[0]
    assert won == pytest.approx(lost, rel=1e-12)
    won, tied, lost = model.fit(often).predict([("a", "b")])[0]
    by_hand = np.sqrt([96 * 7, 1 * 1, 16 * 15])  # (won, tied, lost) + 1 of a times those of b
    np.testing.assert_allclose([won, tied, lost], by_hand / by_hand.sum(), rtol=1e-12)


def test_log_worths_of_the_geometric_one_are_those_of_the_abilities_centred():
    fit = IndependentStudents("geometric").fit(DATA_OF_STUDENTS)
    own = np.log([c["preferred"] / c["lost"] for c in fit.extras["abilities"]]) / 2
    np.testing.assert_allclose(fit.log_worth, own - own.mean(), rtol=0, atol=1e-12)
    lambdas = [c.estimate for c in fit.coefficients if c.name.startswith("o")]
    np.testing.assert_allclose(lambdas, own, rtol=0, atol=1e-12)


PAIR = [("a", "b")]


def test_uniform_chances_have_perplexity_three_on_anything():
    fit = Uniform().fit(tally(("a", "b", 7, 1, 0)))
    assert 2 ** -np.log2(fit.predict(PAIR)[0, 1]) == pytest.approx(3, abs=1e-12)
    assert fit.loglik == pytest.approx(-8 * np.log(3), rel=1e-12)
    assert (fit.coefficients, fit.log_worth.tolist()) == ((), [0, 0])


def test_the_share_of_ties_is_counted_and_gamma_is_that_of_equal_worths():
    fit = AdjustedUniform(strength=0).fit(tally(("a", "b", 5, 6, 1)))
    assert fit.predict(PAIR)[0].tolist() == [0.25, 0.5, 0.25]
    (gamma,) = fit.coefficients
    assert gamma.estimate == pytest.approx(np.log(2), abs=1e-12)  # e^γ = .5 / .25
    assert fit.loglik == pytest.approx(6 * np.log(0.25) + 6 * np.log(0.5), rel=1e-12)


def test_without_strength_something_must_have_been_preferred():
    with pytest.raises(NotIdentified, match="every comparison is a tie"):
        AdjustedUniform(strength=0).fit(tally(("a", "b", 0, 6, 0)))
    assert AdjustedUniform().fit(tally(("a", "b", 0, 6, 0))).predict(PAIR)[0, 0] == 1 / 9
    none = AdjustedUniform(strength=0).fit(tally(("a", "b", 6, 0, 1)))
    assert none.predict(PAIR)[0].tolist() == [0.5, 0, 0.5]
    assert none.coefficients == ()
