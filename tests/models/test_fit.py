"""What a fit says of itself: scales, predictions, goodness of fit."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2

from evenhand.errors import InvalidJudgments
from evenhand.models.bradley_terry import BradleyTerry
from model_family import FEATURES, campaign
from tallies import tally


@pytest.fixture(scope="module")
def fit():
    return BradleyTerry(order_effect=True).fit(campaign())


def test_log_worth_is_twice_lambda_and_worth_its_share(fit):
    np.testing.assert_array_equal(fit.log_worth, 2 * fit.lambdas)
    shares = np.exp(2 * fit.lambdas) / np.exp(2 * fit.lambdas).sum()
    np.testing.assert_allclose(list(fit.worths.values()), shares)
    assert tuple(fit.worths) == fit.systems


def test_worths_are_shares_however_far_apart_systems_are():
    lopsided = tally(("A", "B", 10**6, 0, 1), ("B", "C", 10**6, 0, 1))
    worths = BradleyTerry().fit(lopsided).worths
    assert sum(worths.values()) == pytest.approx(1)
    assert worths["A"] / worths["C"] == pytest.approx(1e12, rel=1e-3)


def test_predictions_have_the_order_effect_of_the_side(fit):
    one, two = fit.predict([("s0000", "s0001"), ("s0001", "s0000")])
    order = fit.estimate[-1]
    assert np.log(one[0] / one[2]) + np.log(two[0] / two[2]) == pytest.approx(4 * order)


def test_predictions_of_a_group_are_its_own():
    by_judge = BradleyTerry(judge_covariates=("judge",)).fit(campaign())
    default = by_judge.predict([("s0000", "s0002")])
    expert = by_judge.predict([("s0000", "s0002")], group="expert")
    student = by_judge.predict([("s0000", "s0002")], group="student")
    np.testing.assert_array_equal(default, expert)
    assert np.abs(expert - student).max() > 0.05


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


def test_pairs_that_only_tied_have_no_cells_once_ties_are_discarded():
    counted = tally(
        ("A", "B", 7, 1, 3), ("B", "C", 4, 2, 5), ("A", "C", 6, 1, 2), ("C", "D", 3, 1, 2),
        ("A", "D", 0, 4, 0),
    )  # fmt: skip
    fit = BradleyTerry(ties="discard").fit(counted)
    assert fit.df == 4 - 3
    assert fit.n_comparisons == 32
    assert fit.n_judgments == 41


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


def test_a_heavier_prior_draws_worths_together():
    spreads = [np.ptp(BradleyTerry(prior=prior).fit(campaign()).log_worth) for prior in (0, 1, 50)]
    assert spreads[0] > spreads[1] > spreads[2] > 0


def test_a_prior_alone_is_its_closed_form():
    """Two systems, each with one half-won comparison with the ghost: by symmetry the ghost lies in
    the middle, and 3 − 1 = 4 tanh(2λ) + tanh λ, with λ half the distance."""
    fit = BradleyTerry(prior=1).fit(tally(("A", "B", 3, 0, 1)))
    half = fit.lambdas[0] / 2
    assert 4 * np.tanh(2 * half) + np.tanh(half) == pytest.approx(2, abs=1e-9)


def test_worths_from_system_covariates_stand_against_the_reference_too():
    fit = BradleyTerry(system_covariates=FEATURES, reference="s0001").fit(campaign())
    size = np.array(list(FEATURES["size"].values()))
    np.testing.assert_allclose(fit.lambdas, fit.estimate[0] * (size - size[1]))
    assert np.sqrt(fit.worth_vcov[1, 1]) / 2 == 0
    assert [one.name for one in fit.coefficients] == ["size", "g1"]


def test_its_repr_says_how_much_and_how_well(fit):
    lines = [" ".join(line.split()) for line in repr(fit).splitlines()]
    assert any(line.startswith("1,200 judgments, 4 systems") for line in lines)
    assert any(line.startswith(f"{fit.deviance:,.4f} {fit.df} ") for line in lines)
