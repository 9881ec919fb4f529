"""Which models a likelihood-ratio test may compare, and what it gives."""

from dataclasses import replace

import pytest
from scipy.stats import chi2

from evenhand.errors import UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from model_family import FEATURES, campaign
from tallies import doubled


def refused(one, other, words, data=None):
    """One model against another in both orders; refused with the same words."""
    data = data or campaign()
    fits = [model.fit(data) for model in (one, other)]
    for left, right in (fits, fits[::-1]):
        with pytest.raises(UnknownOption, match=words):
            left.lr_test(right)


def test_the_statistic_is_twice_the_gain_in_log_likelihood():
    small, large = (BradleyTerry(order_effect=order).fit(campaign()) for order in (False, True))
    test = large.lr_test(small)
    assert test == small.lr_test(large)
    assert test.statistic == pytest.approx(2 * (large.loglik - small.loglik))
    assert test.df == 1
    assert test.p == pytest.approx(chi2.sf(test.statistic, 1), rel=1e-9)
    assert "assumes independent judgments" in str(test)


def test_system_covariates_are_nested_in_free_worths_and_in_more_covariates():
    more = FEATURES | {"other": {name: i % 2 for i, name in enumerate(campaign().systems)}}
    one, two, free = (
        BradleyTerry(system_covariates=features).fit(campaign())
        for features in (FEATURES, more, {})
    )
    assert two.lr_test(one).df == 1
    assert free.lr_test(one).df == 2
    sizes = {"size doubled": {name: 2 * x + 1 for name, x in FEATURES["size"].items()}}
    scaled = BradleyTerry(system_covariates=sizes | {"other": more["other"]}).fit(campaign())
    assert scaled.lr_test(one).statistic == pytest.approx(two.lr_test(one).statistic)


def test_covariates_are_nested_only_in_what_they_add_up_to():
    other = {"a": {"s0000": 1, "s0001": 0, "s0002": 0, "s0003": 0}}
    third = {"b": {"s0000": 0, "s0001": 1, "s0002": 0, "s0003": 0}}
    one = BradleyTerry(system_covariates=FEATURES)
    refused(one, BradleyTerry(system_covariates=other | third), "only the smaller has size")
    refused(
        BradleyTerry(),
        BradleyTerry(system_covariates=other | third, judge_covariates=("judge",)),
        "only the smaller has free worths",
    )


def test_half_wins_and_discarded_ties_are_other_outcomes_than_three():
    for ties in ("half-win", "discard", "rao-kupper", "glenn-david"):
        refused(
            BradleyTerry(ties=ties, order_effect=True), BradleyTerry(), "not models of the same"
        )
    refused(
        BradleyTerry(ties="half-win", order_effect=True),
        BradleyTerry(ties="discard"),
        "ties=discard and ties=half-win",
    )


def test_two_models_of_one_size_are_not_nested():
    refused(BradleyTerry(), BradleyTerry(reference="s0000"), "as many parameters")
    refused(
        BradleyTerry(ties="none", order_effect=True),
        BradleyTerry(),
        "as many parameters",
    )


def test_what_the_larger_model_lacks_is_named():
    everywhere = BradleyTerry(ties="none", judge_covariates=("judge",))
    refused(BradleyTerry(), everywhere, "only the smaller has a tie parameter")
    refused(
        BradleyTerry(order_effect=True),
        BradleyTerry(judge_covariates=("judge",)),
        "only the smaller has an order effect",
    )
    refused(
        BradleyTerry(system_covariates=FEATURES, judge_covariates=("judge",)),
        BradleyTerry(order_effect=True),
        "only the smaller has judge covariate judge",
    )


def test_other_judgments_are_other_data():
    small = BradleyTerry().fit(campaign())
    large = BradleyTerry(order_effect=True).fit(doubled(campaign()))
    with pytest.raises(UnknownOption, match="two models of the same judgments"):
        large.lr_test(small)


def test_priors_and_importance_weights_have_no_likelihood_ratio():
    refused(BradleyTerry(prior=1, order_effect=True), BradleyTerry(), "fit without a prior")
    weighted = replace(campaign(), squares=campaign().counts ** 2)
    refused(BradleyTerry(order_effect=True), BradleyTerry(), "importance weights", data=weighted)
