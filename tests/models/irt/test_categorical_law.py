"""The noise of judges on a scale, and what is preferred then."""

import numpy as np
import pytest

from categorical_truth import Scale, preference_of
from evenhand.models.irt_categorical import Law, noise_matrix, preference_chances


def test_the_noise_matrix_is_that_of_the_golden_file(golden):
    expected = golden("13_irt_exact_posteriors", "categorical_enumeration").expected
    np.testing.assert_allclose(noise_matrix(3, 1.0), expected["noise_matrix"], rtol=0, atol=1e-10)


@pytest.mark.parametrize("scale", [Scale(3, 1, 1.0, 0), Scale(8, 1, 1.0, 0), Scale(5, 1, 0.6, 1)])
def test_chances_of_preferences_are_sums_over_what_is_seen(scale):
    found = preference_chances(noise_matrix(scale.categories, scale.noise_sd), scale.radius)
    np.testing.assert_allclose(found, preference_of(scale), rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.sum(axis=0), 1, rtol=0, atol=1e-14)
    np.testing.assert_allclose(found[0], found[2].T, rtol=0, atol=1e-15)


def test_a_radius_between_steps_is_that_of_the_step_below():
    noise = noise_matrix(4, 1.0)
    np.testing.assert_array_equal(preference_chances(noise, 1.5), preference_chances(noise, 1.0))


def test_products_of_chances_stay_in_the_range_of_floats():
    for sd, kind in ((1.0, np.float32), (0.3, np.float64)):
        law = Law(preference_chances(noise_matrix(8, sd), 0), 0.5)
        assert law.rows.dtype == kind
        least = float(law.rows.min()) ** law.safe_factors
        assert law.safe_factors >= 1
        assert least > np.finfo(kind).tiny
