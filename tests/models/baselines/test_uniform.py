"""Models that know nothing of systems."""

import numpy as np
import pytest

from evenhand.errors import NotIdentified, UnknownOption
from evenhand.models.baselines import AdjustedUniform, Uniform
from tallies import tally

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


@pytest.mark.parametrize("strength", [-1.0, float("nan"), float("inf")])
def test_a_strength_is_a_number_of_pseudo_counts(strength):
    with pytest.raises(UnknownOption, match="strength cannot be"):
        AdjustedUniform(strength=strength)
