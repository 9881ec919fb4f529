"""Each system by its own counts."""

import numpy as np
import pytest

from evenhand.errors import UnknownOption
from evenhand.models.baselines import IndependentStudents
from tallies import tally

DATA = tally(("a", "b", 3, 1, 0), ("b", "a", 2, 0, 1), ("b", "c", 0, 2, 4))


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


def test_the_geometric_mean_of_mirrored_abilities_is_the_ability_itself():
    two = tally(("a", "b", 6, 3, 2))
    fit = IndependentStudents("geometric").fit(two)
    np.testing.assert_allclose(fit.predict([("a", "b")]), [[7 / 14, 4 / 14, 3 / 14]], rtol=1e-12)
    np.testing.assert_allclose(fit.means(*fit.codes([("a", "b")]).T).sum(), 1, rtol=1e-12)


def test_the_asymmetric_reconstruction_says_that_it_does_not_mirror():
    fit = IndependentStudents("asymmetric").fit(DATA)
    assert "need not agree" in fit.notes[-1]
    np.testing.assert_array_equal(fit.predict([("a", "b")]), fit.predict([("a", "c")]))


def test_log_worths_of_the_geometric_one_are_those_of_the_abilities_centred():
    fit = IndependentStudents("geometric").fit(DATA)
    own = np.log([c["preferred"] / c["lost"] for c in fit.extras["abilities"]]) / 2
    np.testing.assert_allclose(fit.log_worth, own - own.mean(), rtol=0, atol=1e-12)
    lambdas = [c.estimate for c in fit.coefficients if c.name.startswith("o")]
    np.testing.assert_allclose(lambdas, own, rtol=0, atol=1e-12)


def test_settings_that_do_not_exist_are_refused():
    with pytest.raises(UnknownOption, match="reconstruction cannot be 'harmonic'"):
        IndependentStudents("harmonic")
    with pytest.raises(UnknownOption, match="strength cannot be 0"):
        IndependentStudents("geometric", strength=0)
