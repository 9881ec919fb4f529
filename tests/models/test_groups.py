"""Judge groups: tests of each covariate, and the order that each group gives."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.log_linear import find_hypotheses, list_owners, order_groups
from golden_numbers import golden
from model_family import campaign
from tallies import dras, tally

TABLE_1 = "02_llbt_multi_pair_judges"


@pytest.fixture(scope="module")
def table_1():
    return dras(golden(TABLE_1, "eq2_judge_covariate"))


def with_two_factors(rows):
    """Rows end in (native, crowd)."""
    one, two = tally(*[row[:6] for row in rows]), tally(*[(*row[:5], row[6]) for row in rows])
    factors = {"native": one.factors["judge"], "crowd": two.factors["judge"]}
    return replace(one, factors=factors)


def test_equal_worths_beside_an_order_effect_leave_ties_and_order_free():
    """Davidson's likelihood of two numbers, climbed by scipy."""
    from scipy.optimize import minimize

    counted = campaign().pool()
    fit = BradleyTerry(order_effect=True).fit(counted)
    totals = counted.counts.sum(axis=0)

    def loss(x):
        scores = np.array([x[1], x[0], -x[1]])
        return -totals @ (scores - np.log(np.exp(scores).sum()))

    best = -minimize(loss, np.zeros(2), tol=1e-12).fun
    assert fit.lr_test_equal_worths.statistic == pytest.approx(2 * (fit.loglik - best), abs=1e-6)
    assert fit.lr_test_equal_worths.df == 3


def test_equal_worths_of_one_pair_have_the_closed_form():
    """2 Σ n ln(n / n̄) over the two preferences: 61 and 35 of Dras (2015), Figure 1(c)."""
    fit = BradleyTerry().fit(tally(("A", "B", 61, 24, 35)))
    expected = 2 * (61 * np.log(61 / 48) + 35 * np.log(35 / 48))
    assert fit.lr_test_equal_worths.statistic == pytest.approx(expected, abs=1e-9)
    assert fit.lr_test_equal_worths.df == 1


def test_equal_worths_are_not_tested_beside_a_prior(table_1):
    assert BradleyTerry(prior=1).fit(table_1).lr_test_equal_worths is None


def test_what_is_tested_has_as_many_parameters_as_the_likelihood_ratio_has_df():
    """Novices of the crowd never saw C, so that columns are aliased in one order or the other."""
    rows = [
        (a, b, 3 + (a == "A"), 1, 2, native, crowd)
        for a in "ABC"
        for b in "ABC"
        for native in ("no", "yes")
        for crowd in ("no", "yes")
        if a != b and not ("C" in (a, b) and "no" in (native, crowd))
    ]
    fit = BradleyTerry(judge_covariates=("native", "crowd")).fit(with_two_factors(rows))
    assert fit.design.aliased
    for one in find_hypotheses(fit):
        assert one.lr.df == len(one.at)
        assert one.fit.loglik == pytest.approx(fit.loglik, abs=1e-9)
        assert {list_owners(one.fit)[i][0] for i in one.at} == {*one.covariate.split(" + ")}


def test_beside_a_prior_there_is_no_likelihood_ratio():
    (one,) = find_hypotheses(BradleyTerry(judge_covariates="judge", prior=1).fit(campaign()))
    assert one.lr is None
    assert len(one.at) == 3


def test_the_orders_of_table_1_are_those_of_each_judge_alone(table_1):
    orders, scale = order_groups(BradleyTerry(ties="none", judge_covariates="judge").fit(table_1))
    assert scale == "log-worths against D"
    for one in orders:
        alone = BradleyTerry(ties="none").fit(table_1.split("judge")[one.group])
        assert list(one.log_worth.values()) == pytest.approx(alone.log_worth.tolist(), abs=1e-7)
        best = sorted(one.place, key=lambda system: one.place[system])
        assert best == sorted(alone.systems, key=lambda s: -alone.worths[s])
    assert [one.place["D"] for one in orders] == [2, 2, 1, 2]
