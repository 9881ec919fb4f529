"""Truncated normal draws against the distribution functions of scipy, far into the tails."""

import numpy as np
import pytest
from scipy import stats

from evenhand.numerics.distributions import draw_above, draw_between

N = 20_000


def _rng():
    return np.random.default_rng(20131)


@pytest.mark.parametrize("mean", [-300.0, -60.0, -12.0, -1.0, 0.4, 3.0])
def test_draws_above_follow_the_truncated_normal(mean):
    draws = draw_above(_rng(), np.full(N, mean), 1.5, 0.4)
    law = stats.truncnorm((0.4 - mean) / 1.5, np.inf, loc=mean, scale=1.5)
    assert draws.min() >= 0.4
    assert stats.kstest(draws, law.cdf).pvalue > 0.001


def test_draws_far_beyond_the_mean_fall_off_exponentially():
    beyond = 500.0
    draws = draw_above(_rng(), np.full(N, -beyond), 1.0, 0.0)
    assert stats.kstest(draws * beyond, stats.expon.cdf).pvalue > 0.001
    assert draws.min() >= 0


@pytest.mark.parametrize("mean", [-60.0, -9.0, -0.7, 0.0, 2.0, 12.0, 100.0])
@pytest.mark.parametrize("radius", [0.01, 0.4, 30.0])
def test_draws_between_follow_the_truncated_normal(mean, radius):
    draws = draw_between(_rng(), np.full(N, mean), 1.5, radius)
    law = stats.truncnorm((-radius - mean) / 1.5, (radius - mean) / 1.5, loc=mean, scale=1.5)
    assert np.abs(draws).max() <= radius
    assert stats.kstest(draws, law.cdf).pvalue > 0.001


def test_draws_between_mirror_when_the_mean_changes_its_sign():
    mean = np.linspace(0.1, 50.0, 100)
    up = draw_between(_rng(), mean, 1.0, 0.4)
    assert draw_between(_rng(), -mean, 1.0, 0.4).tolist() == (-up).tolist()
