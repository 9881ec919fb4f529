"""The log-linear family against R and closed forms: tests/golden/01, 02, 05, 06 and 14.

Each file names the software, the call and the tolerance; its README has the versions.
"""

import numpy as np
import pytest

from evenhand.models.bradley_terry import BradleyTerry
from golden_numbers import entries, golden
from tallies import dras, tally

TABLE_1 = "02_llbt_multi_pair_judges"


def near(entry, value="est"):
    """pytest.approx with the entry's own absolute tolerance."""
    return lambda expected: pytest.approx(expected, rel=0, abs=entry.tolerance[value])


def assert_coefficients(fit, expected, tolerance):
    """Estimate, standard error, z and p of every coefficient by its name."""
    found = {one.name: one for one in fit.coefficients if one.stderr is not None}
    assert set(found) == set(expected)
    for name, row in expected.items():
        one = found[name]
        assert one.estimate == pytest.approx(row["est"], rel=0, abs=tolerance["est"]), name
        assert one.stderr == pytest.approx(row["se"], rel=0, abs=tolerance["se"]), name
        slack = 2 * (tolerance["est"] + abs(row["z"]) * tolerance["se"]) / row["se"]
        assert one.z == pytest.approx(row["z"], rel=0, abs=slack), name
        assert one.p == pytest.approx(row["p"], rel=abs(row["z"]) * slack + 1e-5, abs=1e-12), name


# 01: one pair, closed form


@pytest.mark.parametrize("entry", entries("01_llbt_single_pair"), ids=lambda entry: entry.id)
def test_one_pair_has_the_closed_form_of_dras_equation_1(entry):
    counts = (entry.input[name] for name in ("n_plus", "n_zero", "n_minus"))
    one_pair = tally(("+", "-", *counts), systems=("+", "-"))
    fit = BradleyTerry().fit(one_pair)
    assert_coefficients(fit, {k: entry.expected[k] for k in ("o1", "g1")}, entry.tolerance)
    odds = np.exp(fit.log_worth[0] - fit.log_worth[1])
    assert odds == pytest.approx(entry.expected["odds_plus_vs_minus"])
    assert fit.deviance == pytest.approx(0, abs=entry.tolerance["deviance_abs"])
    assert fit.df == 0
    assert fit.gof_p is None
    test = fit.lr_test(BradleyTerry(ties="none").fit(one_pair))
    assert test.statistic == pytest.approx(entry.expected["lr_test_g1"]["stat"], abs=1e-8)
    assert test.df == entry.expected["lr_test_g1"]["df"]


# 02: Dras (2015), Table 1


@pytest.fixture(scope="module")
def table_1():
    return dras(golden(TABLE_1, "eq1_with_ties"))


@pytest.fixture(scope="module")
def eq1(table_1):
    return BradleyTerry().fit(table_1)


FITS = [
    ("eq1_with_ties", "", BradleyTerry()),
    ("eq1_gamma_zero", "", BradleyTerry(ties="none")),  # "ties left out" in the paper
    ("plain_BT_ties_discarded", "", BradleyTerry(ties="discard")),
    ("eq2_judge_covariate", "", BradleyTerry(judge_covariates=("judge",))),
    # the table with two columns exchanged, to which the printed deviances belong
    ("paper_order_eq1", "with_ties", BradleyTerry()),
    ("paper_order_eq1", "gamma_zero", BradleyTerry(ties="none")),
    ("paper_order_eq1", "eq2", BradleyTerry(judge_covariates=("judge",))),
]
PRINTED = {"with_ties": 30.646, "gamma_zero": 221.22}  # deviances, by Dras


@pytest.mark.parametrize(("name", "part", "model"), FITS)
def test_coefficients_deviance_and_df_are_those_of_r(name, part, model, table_1):
    entry = golden(TABLE_1, name)
    expected = entry.expected[part] if part else entry.expected
    fit = model.fit(dras(entry) if part else table_1)
    tolerance = {"est": 1e-6, "se": 1e-6} if part else entry.tolerance
    assert_coefficients(fit, expected["coef"], tolerance)
    assert fit.deviance == near(entry, "deviance")(expected["deviance"])
    assert fit.df == expected["df"]
    assert fit.deviance == pytest.approx(PRINTED.get(part, fit.deviance), abs=0.005)


def test_equation_1_has_the_covariance_fit_counts_and_worths_of_r(eq1):
    entry = golden(TABLE_1, "eq1_with_ties")
    expected = entry.expected
    np.testing.assert_allclose(eq1.vcov, expected["vcov"], rtol=0, atol=1e-8)
    assert eq1.gof_p == pytest.approx(expected["gof_p"], rel=entry.tolerance["p_rel"])
    assert eq1.pearson == near(entry, "deviance")(expected["pearson_x2"])
    np.testing.assert_allclose(eq1.expected.ravel(), expected["fitted"], rtol=0, atol=1e-4)
    np.testing.assert_allclose(list(eq1.worths.values()), expected["worth"], rtol=0, atol=1e-6)
    assert list(eq1.worths) == ["A", "B", "C", "D"]


def test_contrasts_of_equation_1_have_the_errors_of_r(eq1):
    expected = golden(TABLE_1, "eq1_with_ties").expected["contrasts"]
    pairs = [(eq1.systems[row["i"] - 1], eq1.systems[row["j"] - 1]) for row in expected]
    for found, row in zip(eq1.contrasts(pairs), expected, strict=True):
        assert found.estimate / 2 == pytest.approx(row["est"], abs=1e-6)
        assert found.stderr / 2 == pytest.approx(row["se"], abs=1e-6)
        assert found.p == pytest.approx(row["p"], rel=1e-4)


def test_a_fixed_tie_parameter_is_tested_and_ordinary_bradley_terry_is_that_of_btm(table_1, eq1):
    expected = golden(TABLE_1, "eq1_with_ties").expected["lr_gamma"]
    test = eq1.lr_test(BradleyTerry(ties="none").fit(table_1))
    assert (test.statistic, test.df) == (pytest.approx(expected["stat"], abs=1e-5), expected["df"])
    btm = golden(TABLE_1, "plain_BT_ties_discarded").expected["BradleyTerry2"]
    fit = BradleyTerry(ties="discard").fit(table_1)
    np.testing.assert_allclose(fit.log_worth[:3], btm["est"], rtol=0, atol=1e-6)
    np.testing.assert_allclose(np.sqrt(np.diag(fit.worth_vcov))[:3], btm["se"], rtol=0, atol=1e-6)


def test_half_wins_give_the_binomial_quasi_likelihood(table_1):
    entry = golden(TABLE_1, "half_win_ties")
    fit = BradleyTerry(ties="half-win").fit(table_1)
    expected = entry.expected
    np.testing.assert_allclose(fit.log_worth[:3], expected["coef_log_worth"], rtol=0, atol=1e-6)
    np.testing.assert_allclose(
        np.sqrt(np.diag(fit.worth_vcov))[:3], expected["se"], rtol=0, atol=1e-6
    )
    assert fit.deviance == pytest.approx(expected["deviance"], abs=1e-5)
    assert fit.df == expected["df"]
    assert fit.gof_p is None


def test_equation_2_lets_worths_differ_by_judge(table_1, eq1):
    entry = golden(TABLE_1, "eq2_judge_covariate")
    expected = entry.expected
    fit = BradleyTerry(judge_covariates=("judge",)).fit(table_1)
    assert fit.df == expected["df_reported_by_prefmod_gnm"]
    test = fit.lr_test(eq1)
    printed = expected["lr_judge_by_system"]
    assert test.statistic == pytest.approx(printed["stat"], abs=1e-5)
    assert test.df == printed["df"]
    assert test.p == pytest.approx(printed["p"], rel=entry.tolerance["p_rel"])
    # R keeps judges apart in the smaller model too: the same estimates, other deviance and df
    assert_coefficients(eq1, expected["no_interaction"]["coef"], entry.tolerance)
    apart = expected["no_interaction"]
    assert fit.deviance + test.statistic == near(entry, "deviance")(apart["deviance"])
    assert fit.df + test.df == apart["df"]


def test_davidsons_own_scale_is_twice_lambda(eq1):
    entry = golden(TABLE_1, "davidson_worth_scale")
    expected = entry.expected
    assert eq1.log_worth == near(entry)(np.array(expected["log_worth"]))
    assert eq1.estimate[3] == near(entry)(expected["log_nu"])
    assert np.exp(eq1.estimate[3]) == near(entry)(expected["nu"])
    found = [*(np.sqrt(np.diag(eq1.worth_vcov))[:3]), np.sqrt(eq1.vcov[3, 3])]
    assert found == near(entry, "se")(expected["se"])
    assert -eq1.loglik == near(entry)(expected["neg_loglik"])


@pytest.mark.parametrize(
    ("ties", "name"), [("rao-kupper", "rao_kupper"), ("glenn-david", "thurstone_ties_probit")]
)
def test_threshold_models_are_the_cumulative_links_of_clm(ties, name, table_1):
    entry = golden(TABLE_1, name)
    clm = entry.expected.get("clm", entry.expected)
    fit = BradleyTerry(ties=ties).fit(table_1)
    assert fit.names[-1] == "tau"
    assert [fit.estimate[-1], *fit.log_worth[:3]] == near(entry)(clm["est"])
    found = [np.sqrt(fit.vcov[-1, -1]), *(np.sqrt(np.diag(fit.worth_vcov))[:3])]
    assert found == near(entry, "se")(clm["se"])
    assert fit.loglik == near(entry, "logLik")(clm["logLik"])


def test_rao_and_kuppers_theta_is_exp_tau(table_1):
    entry = golden(TABLE_1, "rao_kupper")
    fit = BradleyTerry(ties="rao-kupper").fit(table_1)
    assert np.exp(fit.estimate[-1]) == near(entry)(entry.expected["theta"])
    assert fit.deviance == pytest.approx(entry.expected["deviance"], abs=1e-5)
    assert fit.df == entry.expected["df"]


# 05: order effect


@pytest.fixture(scope="module")
def ordered():
    cells = golden("05_order_effect", "davidson_beaver").input["cells"]
    return tally(*[("ABCD"[i], "ABCD"[j], *counts) for i, j, *counts in cells])


def test_the_symmetric_order_effect_is_davidson_and_beavers(ordered):
    entry = golden("05_order_effect", "davidson_beaver")
    symmetric, one_sided = (
        entry.expected[name] for name in ("symmetric_pm_delta", "first_only_davidson_beaver")
    )
    fit = BradleyTerry(order_effect=True).fit(ordered)
    renamed = {"pos": "order"}
    expected = {renamed.get(name, name): row for name, row in symmetric["coef"].items()}
    assert_coefficients(fit, expected, entry.tolerance)
    assert fit.deviance == near(entry, "deviance")(symmetric["deviance"])
    assert fit.df == symmetric["df"]
    gamma, delta = fit.estimate[-2:]
    assert 2 * delta == near(entry)(one_sided["coef"]["first"]["est"])
    assert gamma + delta == near(entry)(one_sided["coef"]["g1"]["est"])


def test_the_order_effect_is_tested_by_likelihoods_and_not_by_deviances(ordered):
    """R keeps the two orders of a pair apart without δ too (deviance 27.68 on 20 df); we fold
    them, so that the deviance is over six pairs: estimates and log-likelihoods are the same."""
    entry = golden("05_order_effect", "davidson_beaver")
    without = BradleyTerry().fit(ordered)
    assert_coefficients(without, entry.expected["no_order"]["coef"], entry.tolerance)
    assert without.df == 6 * 2 - 4
    assert without.deviance < entry.expected["no_order"]["deviance"]
    printed = entry.expected["lr_order"]
    test = BradleyTerry(order_effect=True).fit(ordered).lr_test(without)
    assert test.statistic == pytest.approx(printed["stat"], abs=1e-5)
    assert test.df == printed["df"]
    assert test.p == pytest.approx(printed["p"], rel=1e-4)


# 14: what has no estimate; refusals are in test_existence.py


def test_a_pair_without_ties_is_fitted_without_them_and_says_so():
    entry = golden("14_edge_cases", "single_no_ties")
    counts = (entry.input[name] for name in ("n_plus", "n_zero", "n_minus"))
    fit = BradleyTerry().fit(tally(("A", "B", *counts)))
    assert fit.lambdas[0] == pytest.approx(0.405465108108164, abs=1e-12)
    assert np.sqrt(fit.worth_vcov[0, 0]) / 2 == pytest.approx(0.300462606288666, abs=1e-12)
    assert fit.names == ("o1",)
    assert "No ties observed" in fit.notes[0]
    assert fit.df == 0
