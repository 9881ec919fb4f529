"""Probabilities against scipy.stats 1.17."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evenhand.numerics.distributions import (
    chi2_tail,
    entropy_terms,
    normal_quantile,
    t_quantile,
    two_sided_p,
)


@given(st.floats(-37, 37))
def test_two_sided_p_is_that_of_scipy(z):
    assert two_sided_p(z) == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-9)


@given(st.floats(1e-6, 1 - 1e-6))
def test_normal_quantiles_are_those_of_scipy(probability):
    expected = stats.norm.ppf(probability)
    assert normal_quantile(probability) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(st.floats(1e-4, 1 - 1e-4), st.floats(1, 500))
def test_t_quantiles_are_those_of_scipy(probability, df):
    expected = stats.t.ppf(probability, df)
    assert t_quantile(probability, df) == pytest.approx(expected, rel=1e-8, abs=1e-8)


def test_endless_degrees_of_freedom_are_the_normal():
    assert t_quantile(0.975, math.inf) == normal_quantile(0.975)


@given(st.floats(0, 300), st.integers(1, 60))
def test_chi_square_tails_are_those_of_scipy(statistic, df):
    assert chi2_tail(statistic, df) == pytest.approx(stats.chi2.sf(statistic, df), rel=1e-9)


def test_a_statistic_below_zero_by_rounding_has_p_one():
    assert chi2_tail(-1e-13, 3) == 1


def test_entropy_terms_take_zero_times_the_log_of_zero_as_zero():
    counts = np.array([0.0, 1.0, 2.5])
    np.testing.assert_allclose(entropy_terms(counts), [0, 0, 2.5 * math.log(2.5)])
