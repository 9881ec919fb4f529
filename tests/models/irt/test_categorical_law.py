"""The noise of judges on a scale, and what is preferred then."""

import numpy as np
import pytest

from categorical_truth import Scale, preference_of, votes_on
from evenhand.models.irt_categorical import (
    IRTCategorical,
    _make_step,
    _weigh,
    noise_matrix,
    plan_colours,
    preference_chances,
)
from evenhand.models.irt_outputs import pair_outputs


def test_the_noise_matrix_is_that_of_the_golden_file(golden):
    expected = golden("13_irt_exact_posteriors", "categorical_enumeration").expected
    np.testing.assert_allclose(noise_matrix(3, 1.0), expected["noise_matrix"], rtol=0, atol=1e-10)


@pytest.mark.parametrize("scale", [Scale(3, 1, 1.0, 0), Scale(8, 1, 1.0, 0), Scale(5, 1, 0.6, 1)])
def test_chances_of_preferences_are_sums_over_what_is_seen(scale):
    found = preference_chances(noise_matrix(scale.categories, scale.noise_sd), scale.radius)
    np.testing.assert_allclose(found, preference_of(scale), rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.sum(axis=0), 1, rtol=0, atol=1e-14)
    np.testing.assert_allclose(found[0], found[2].T, rtol=0, atol=1e-15)


# The conditional law of one output, however often it was judged, against sums of logarithms.


@pytest.mark.parametrize("times", [3, 20, 100, 400])
def test_contrary_answers_cancel_however_many_there_are(times):
    law = IRTCategorical().law
    votes = votes_on([(0, 0, 1, 0)] * times + [(0, 0, 1, 2)] * times, 2)
    plan = plan_colours(pair_outputs(votes))
    step = _make_step(plan.colours[0], plan.author[:, None] + np.arange(1) * 2, 8)
    even = np.full((2, 8), 1 / 8, law.rows.dtype)
    weights = _weigh(step, even, np.full((2, 1), 3), law)[0].astype(float)
    logs = times * (np.log(law.chances[0][:, 3]) + np.log(law.chances[2][:, 3]))
    exact = np.exp(logs - logs.max())
    np.testing.assert_allclose(weights / weights.sum(), exact / exact.sum(), rtol=1e-4, atol=1e-9)
