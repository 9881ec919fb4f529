"""Quasi-variances against R's qvcalc 1.0.2 and their definition (Firth & de Menezes 2004)."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from evenhand.errors import NotIdentified
from evenhand.models.base import find_quasi_variances
from evenhand.models.bradley_terry import BradleyTerry
from golden_numbers import golden
from model_family import FEATURES, campaign
from tallies import dras, tally

NAMES = tuple("ABCDEFGHIJ")


@pytest.mark.parametrize(
    ("entry", "part"), [("eq1_with_ties", ""), ("paper_order_eq1", "with_ties")]
)
def test_quasi_variances_are_those_of_qvcalc(entry, part):
    one = golden("02_llbt_multi_pair_judges", entry)
    expected = one.expected[part] if part else one.expected
    found = BradleyTerry().fit(dras(one)).quasi_variances()
    assert found.systems == ("A", "B", "C", "D")
    np.testing.assert_allclose(found.variances, expected["quasi_var"], rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.stderr, expected["quasi_se"], rtol=0, atol=1e-5)


def contrasts(vcov):
    pairs = list(combinations(range(len(vcov)), 2))
    return pairs, np.array([vcov[i, i] + vcov[j, j] - 2 * vcov[i, j] for i, j in pairs])


@given(k=st.integers(3, 8), seed=st.integers(0, 500))
def test_independent_estimates_have_their_own_variances(k, seed):
    """Var(λ_i − λ_j) = v_i + v_j exactly; a covariance common to all pairs changes no contrast."""
    rng = np.random.Generator(np.random.PCG64(seed))
    own = rng.uniform(0.1, 3, k)
    found = find_quasi_variances(NAMES[:k], np.diag(own) + 0.7)
    np.testing.assert_allclose(found.variances, own, rtol=1e-6)
    assert found.worst_pair == pytest.approx(0, abs=1e-7)
    assert found.worst_contrast == pytest.approx((0, 0), abs=1e-6)


@given(k=st.integers(3, 6), seed=st.integers(0, 200))
def test_they_are_least_squares_on_the_log_scale(k, seed):
    """scipy.optimize.minimize of the sum of squares as printed."""
    rng = np.random.Generator(np.random.PCG64(seed))
    root = rng.normal(size=(k, k))
    vcov = root @ root.T / k + np.eye(k)
    pairs, exact = contrasts(vcov)

    def loss(q):
        sums = np.array([q[i] + q[j] for i, j in pairs])
        return (np.log(sums / exact) ** 2).sum() if (sums > 0).all() else np.inf

    found = find_quasi_variances(NAMES[:k], vcov)
    oracle = minimize(loss, np.full(k, exact.mean() / 2), method="Nelder-Mead", tol=1e-9)
    assert loss(found.variances) <= oracle.fun + 1e-7
    errors = [np.sqrt(found.variances[i] + found.variances[j]) for i, j in pairs] / np.sqrt(exact)
    assert found.worst_pair == pytest.approx(np.abs(errors - 1).max())


def test_the_worst_contrast_bounds_every_contrast():
    rng = np.random.Generator(np.random.PCG64(4))
    root = rng.normal(size=(5, 5))
    vcov = root @ root.T + np.eye(5)
    found = find_quasi_variances(NAMES[:5], vcov)
    c = rng.normal(size=(2000, 5))
    c -= c.mean(axis=1, keepdims=True)
    ratio = np.sqrt((c**2 @ found.variances) / np.einsum("ri,ij,rj->r", c, vcov, c)) - 1
    low, high = found.worst_contrast
    assert low <= ratio.min() <= 0.8 * low
    assert 0.8 * high <= ratio.max() <= high


def test_two_systems_have_one_contrast_and_no_quasi_variances():
    fit = BradleyTerry().fit(tally(("A", "B", 5, 2, 3)))
    with pytest.raises(NotIdentified, match="with two, print their contrast"):
        fit.quasi_variances()


def test_a_negative_quasi_variance_is_kept_and_has_no_root():
    """Of three systems the solution is exact: q_1 = (v_12 + v_13 − v_23) / 2, and so on."""
    vcov = np.array([[4.0, 0.5, 0], [0.5, 0.2, 0], [0, 0, 0.0]])  # v_12 = 3.2, v_13 = 4, v_23 = .2
    found = find_quasi_variances(("A", "B", "C"), vcov)
    np.testing.assert_allclose(found.variances, [3.5, -0.3, 0.5], atol=1e-8)
    with pytest.raises(NotIdentified, match="negative"):
        _ = found.stderr


def test_sums_over_a_covariate_have_no_quasi_variances():
    fit = BradleyTerry(system_covariates=FEATURES).fit(campaign())
    with pytest.raises(NotIdentified, match="sums over covariates"):
        fit.quasi_variances()
