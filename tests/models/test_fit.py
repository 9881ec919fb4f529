"""What a fit says of itself: scales, predictions, goodness of fit."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import chi2

from evenhand.errors import InvalidJudgments, NotIdentified
from evenhand.models.base import find_quasi_variances
from evenhand.models.bradley_terry import BradleyTerry
from golden_numbers import golden
from model_family import FEATURES, campaign
from tallies import dras, tally


@pytest.fixture(scope="module")
def fit():
    return BradleyTerry(order_effect=True).fit(campaign())


def test_predictions_have_the_order_effect_of_the_side(fit):
    one, two = fit.predict([("s0000", "s0001"), ("s0001", "s0000")])
    order = fit.estimate[-1]
    assert np.log(one[0] / one[2]) + np.log(two[0] / two[2]) == pytest.approx(4 * order)


def test_unknown_systems_and_groups_are_refused_with_the_nearest_name(fit):
    with pytest.raises(InvalidJudgments, match=r"no system 's00002' in this fit\..*'s0002'"):
        fit.predict([("s00002", "s0001")])
    by_judge = BradleyTerry(judge_covariates=("judge",)).fit(campaign())
    with pytest.raises(InvalidJudgments, match=r"no judge group 'studen'.*Did you mean 'student'"):
        by_judge.predict([("s0000", "s0001")], group="studen")
    with pytest.raises(InvalidJudgments, match="There are expert, student"):
        by_judge.predict([("s0000", "s0001")], group="zzz")


def test_expected_counts_add_up_to_those_observed(fit):
    np.testing.assert_allclose(fit.expected.sum(axis=1), fit.observed.sum(axis=1))
    assert fit.pearson == pytest.approx(((fit.observed - fit.expected) ** 2 / fit.expected).sum())
    assert fit.thin == (fit.expected < 5).mean()


def test_the_deviance_is_that_of_the_multinomial_with_zero_cells_counted_as_nothing():
    counted = tally(("A", "B", 7, 0, 3), ("B", "C", 4, 2, 5), ("A", "C", 6, 1, 2))
    fit = BradleyTerry().fit(counted)
    seen = fit.observed > 0
    terms = fit.observed[seen] * np.log(fit.observed[seen] / fit.expected[seen])
    assert fit.deviance == pytest.approx(2 * terms.sum(), rel=1e-10)
    assert fit.df == 3 * 2 - 3  # a pair whose ties were not seen still has the cell
    assert fit.gof_p == pytest.approx(chi2.sf(fit.deviance, 3))


@pytest.mark.parametrize(
    "model",
    [BradleyTerry(ties="half-win"), BradleyTerry(prior=1)],
    ids=["half-win", "prior"],
)
def test_goodness_of_fit_is_withheld_where_the_deviance_is_no_chi_square(model):
    assert model.fit(campaign()).gof_p is None


def test_goodness_of_fit_is_withheld_under_importance_weights_and_without_df():
    weighted = replace(campaign(), squares=campaign().counts ** 2)
    assert BradleyTerry().fit(weighted).gof_p is None
    assert BradleyTerry().fit(tally(("A", "B", 3, 1, 2))).gof_p is None


def test_information_criteria_count_parameters_and_comparisons(fit):
    p, n = len(fit.names), fit.n_comparisons
    assert fit.aic == pytest.approx(-2 * fit.loglik + 2 * p)
    assert fit.bic == pytest.approx(-2 * fit.loglik + p * np.log(n))
    assert p == 5
    assert n == 1200


def test_of_rankings_bic_counts_rankings_and_tests_are_not_claimed():
    """INFERENCE B7: n is judgments, and five comparisons of one ranking are one judgment."""
    pooled = campaign()
    rankings = replace(pooled, n_judgments=pooled.n_comparisons / 5)
    fitted = BradleyTerry().fit(rankings)
    p = len(fitted.names)
    assert fitted.bic - fitted.aic == pytest.approx(p * (np.log(pooled.n_comparisons / 5) - 2))
    assert fitted.gof_p is None
    assert [one.code for one in fitted.findings] == ["of-rankings"]


def test_the_log_likelihood_leaves_the_prior_out():
    fit = BradleyTerry(prior=5).fit(campaign())
    chances = fit.expected / fit.expected.sum(axis=1, keepdims=True)
    assert fit.loglik == pytest.approx((fit.observed * np.log(chances)).sum())
    assert fit.loglik < BradleyTerry().fit(campaign()).loglik
    assert "ghost" not in " ".join(fit.names)
    assert fit.vcov.shape == (4, 4)


def test_a_prior_alone_is_its_closed_form():
    """Two systems, each with one half-won comparison with the ghost: by symmetry the ghost lies in
    the middle, and 3 − 1 = 4 tanh(2λ) + tanh λ, with λ half the distance."""
    fit = BradleyTerry(prior=1).fit(tally(("A", "B", 3, 0, 1)))
    half = fit.lambdas[0] / 2
    assert 4 * np.tanh(2 * half) + np.tanh(half) == pytest.approx(2, abs=1e-9)


MODPREF = BradleyTerry().fit(tally(("new", "old", 61, 24, 35)))


def test_a_pair_prints_as_in_the_paper_and_its_odds():
    """o1 .2778 (.1060) z 2.620 p .0088; g1 −.6551 (.2300) z −2.848 p .0044; odds 1.74."""
    lines = [" ".join(line.split()) for line in repr(MODPREF).splitlines()]
    assert lines[0] == "new is preferred to old at odds of 1.74 to 1."
    at = lines.index("name parameter λ s.e. z p worth")
    worth = 61 / (61 + 35)
    assert lines[at + 1] == f"o1 new 0.2778 0.1060 2.620 0.009 {worth:.4f}"
    assert lines[at + 2] == f"o2 old 0.0000 – – – {1 - worth:.4f}"
    assert lines[at + 3] == "g1 tie -0.6551 0.2300 -2.848 0.004 –"
    assert any(line.startswith("0.0000 0 ") for line in lines)  # deviance and df
    assert "take judgments as independent" in " ".join(lines)


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
