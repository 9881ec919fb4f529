"""Probabilities against scipy.stats 1.17."""

from math import atan, pi, sqrt, tan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats
from scipy.stats import norm
from sklearn.isotonic import isotonic_regression

from evenhand.numerics import distributions
from evenhand.numerics.cluster_means import root_slopes
from evenhand.numerics.distributions import (
    MAX_TABLE_MEAN,
    chi2_tail,
    draw_above,
    draw_between,
    draw_poisson,
    mixture_quantile,
    normal_quantile,
    t_quantile,
    t_tail,
    two_sided_p,
)
from evenhand.numerics.sorting import fit_rising


@given(st.floats(-37, 37))
def test_two_sided_p_is_that_of_scipy(z):
    assert two_sided_p(z) == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-9)


@given(st.floats(1e-6, 1 - 1e-6))
def test_normal_quantiles_are_those_of_scipy(probability):
    expected = stats.norm.ppf(probability)
    assert normal_quantile(probability) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(st.floats(1e-9, 1 - 1e-9), st.floats(-1, 5).map(lambda power: 10**power))
def test_t_quantiles_are_those_of_scipy(probability, df):
    expected = special.stdtrit(df, probability)
    assert t_quantile(probability, df) == pytest.approx(expected, rel=1e-10, abs=1e-12)


def test_a_quantile_takes_few_tails(monkeypatch):
    """Newton's steps double the right digits; one more shows that the rest is rounding."""
    tails = []
    monkeypatch.setattr(distributions, "t_tail", lambda t, df: tails.append(t) or t_tail(t, df))
    for df in (2.5, 11, 23, 37.7, 99, 250, 5000):
        for probability in (0.6, 0.9, 0.95, 0.975, 0.99, 0.995, 0.9999, 1 - 1e-7):
            tails.clear()
            t_quantile(probability, df)
            assert len(tails) <= 12, (probability, df)


@given(st.floats(-60, 60), st.floats(-1, 5).map(lambda power: 10**power))
def test_t_tails_are_those_of_scipy(t, df):
    assert t_tail(t, df) == pytest.approx(2 * special.stdtr(df, -abs(t)), rel=1e-10, abs=1e-300)


@given(st.floats(-36, 36), st.floats(5, 30).map(lambda power: 10**power))
def test_t_tails_of_many_degrees_of_freedom_are_those_of_scipy(t, df):
    """From 1e9 on the reference is the normal, which differs by about t⁴ / 4ν."""
    expected = 2 * (special.stdtr(df, -abs(t)) if df < 1e9 else stats.norm.sf(abs(t)))
    near = 1e-9 if df < 1e9 else t**4 / df + 1e-9
    assert t_tail(t, df) == pytest.approx(expected, rel=near, abs=1e-300)


def test_t_tails_and_quantiles_of_few_degrees_of_freedom_are_closed_forms():
    """Cauchy's of one, and of two P = 1 − t / √(2 + t²)."""
    assert t_tail(2, 1) == pytest.approx(1 - 2 * atan(2) / pi, rel=1e-14)
    assert t_tail(2, 2) == pytest.approx(1 - 2 / sqrt(6), rel=1e-14)
    assert t_quantile(0.975, 1) == pytest.approx(tan(0.475 * pi), rel=1e-13)
    assert (t_tail(0, 5), t_quantile(0.5, 3)) == (1, 0)


@given(st.floats(0, 300), st.integers(1, 60))
def test_chi_square_tails_are_those_of_scipy(statistic, df):
    assert chi2_tail(statistic, df) == pytest.approx(stats.chi2.sf(statistic, df), rel=1e-9)


def test_a_statistic_below_zero_by_rounding_has_p_one():
    assert chi2_tail(-1e-13, 3) == 1


@pytest.mark.parametrize("probability", [0.005, 0.05, 0.5, 0.9])
def test_the_share_below_a_quantile_is_what_was_asked(probability):
    rng = np.random.default_rng(1)
    means, deviations = rng.normal(0, 3, (30, 20)), rng.lognormal(0, 1, (30, 20))
    found = mixture_quantile(probability, means, deviations)
    below = norm(means, deviations).cdf(found).mean(axis=0)
    np.testing.assert_allclose(below, probability, atol=1e-9)


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


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("two_sided_p", (1.959964,), 0.05),
        ("normal_quantile", (0.975,), 1.959964),
        ("t_tail", (2.228139, 10), 0.05),
        ("t_quantile", (0.975, 10), 2.228139),
        ("chi2_tail", (3.841459, 1), 0.05),
        ("f_tail", (4.964603, 1, 10), 0.05),
        ("f_quantile", (0.95, 1, 10), 4.964603),
        ("clopper_pearson", (61, 96, 0.95), (0.530936, 0.731298)),
        ("trinomial_tail", (6, 12, 4), 0.024782),
    ],
)
def test_distributions_have_the_values_of_tables(name, arguments, answer):
    assert getattr(distributions, name)(*arguments) == pytest.approx(answer, abs=5e-7)


def test_rules_integrate_moments_of_the_normal_exactly():
    x, logs = distributions.hermite_rule(15)
    assert np.exp(logs - x**2 / 2).sum() == pytest.approx(np.sqrt(2 * np.pi), rel=1e-12)
    x, weights = distributions.normal_rule(15)
    assert (weights @ x**2, weights @ x**4) == pytest.approx((1, 3), rel=1e-12)


def test_slopes_of_a_root_have_it_as_their_mean():
    assert root_slopes(np.array([0.0, 2.0])).tolist() == [0.5, 1.5]


@pytest.mark.parametrize("points", [1, 2, 7, 40])
def test_it_is_scikit_learns(points):
    curves = np.random.default_rng(points).normal(size=(20, points)) + np.linspace(0, 2, points)
    expected = [isotonic_regression(curve) for curve in curves]
    assert np.allclose(fit_rising(curves), expected)
    assert np.allclose(fit_rising(curves[0]), expected[0])
