"""Quantiles of mixtures of normals, against scipy's distribution functions."""

import numpy as np
import pytest
from scipy.stats import norm

from evenhand.numerics.distributions import mixture_quantile


@pytest.mark.parametrize("probability", [0.005, 0.05, 0.5, 0.9])
def test_the_share_below_a_quantile_is_what_was_asked(probability):
    rng = np.random.default_rng(1)
    means, deviations = rng.normal(0, 3, (30, 20)), rng.lognormal(0, 1, (30, 20))
    found = mixture_quantile(probability, means, deviations)
    below = norm(means, deviations).cdf(found).mean(axis=0)
    np.testing.assert_allclose(below, probability, atol=1e-9)
