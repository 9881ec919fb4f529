"""Poisson numbers from tables against the distribution of scipy."""

import numpy as np
import pytest
from scipy import stats

from evenhand.numerics.distributions import MAX_TABLE_MEAN, draw_poisson


@pytest.mark.parametrize("mean", [0.5, 1.0, 7.0, 67.0, 900.0, MAX_TABLE_MEAN])
def test_numbers_fall_as_poissons_do(mean):
    """Every quantile of the table stands where the distribution function says."""
    table = np.sort(draw_poisson(np.array([mean]), 40_000, np.random.default_rng(2))[0])
    law = stats.poisson(mean)
    places = np.arange(0, 40_000, 400)[1:]
    above, below = law.cdf(table[places]), law.cdf(table[places] - 1.0)
    share = places / 40_000
    near = 4 * np.sqrt(share * (1 - share) / 40_000)
    assert (below - near < share).all()
    assert (share < above + near).all()


def test_means_and_variances_are_the_means():
    means = np.repeat([0.0, 0.2, 3.0, 50.0], 200)
    drawn = draw_poisson(means, 1000, np.random.default_rng(3)).astype(float)
    for mean in (0.2, 3.0, 50.0):
        own = drawn[means == mean]
        error = np.sqrt(mean / own.size)
        assert abs(own.mean() - mean) < 4 * error
        assert own.var() == pytest.approx(mean, rel=0.02)
    assert not drawn[means == 0].any()
