"""Fits with controls beside statsmodels, scipy and finite differences."""

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from scipy.optimize import minimize

from controlled_rows import comparisons, differences, loglik, outcomes, simulate
from derivatives import assert_derivatives
from evenhand.models.bradley_terry import BradleyTerry

FRAME = simulate()
CONTROLS = ("length", "lists")


def sds(frame: pl.DataFrame) -> np.ndarray:
    return np.sqrt([(frame[name].to_numpy() ** 2).mean() for name in CONTROLS])


@pytest.fixture(scope="module")
def plain():
    return BradleyTerry(ties="discard", controls=CONTROLS).fit(comparisons(FRAME))


def test_estimates_errors_and_fit_are_those_of_a_logistic_regression(plain):
    """statsmodels 0.14, Logit of left against right on rows without ties."""
    kept = FRAME.filter(pl.col("outcome") != "tie")
    won = (kept["outcome"] == "left").to_numpy().astype(float)
    logit = sm.Logit(won, differences(kept, *CONTROLS)).fit(disp=0)
    assert plain.log_worth[:-1] == pytest.approx(logit.params[:3], abs=1e-8)
    effects = plain.model_effects
    assert [one.per_unit for one in effects] == pytest.approx(logit.params[3:], abs=1e-9)
    assert np.sqrt(np.diag(plain.worth_vcov))[:-1] == pytest.approx(logit.bse[:3], abs=1e-7)
    assert [one.stderr / one.sd for one in effects] == pytest.approx(logit.bse[3:], abs=1e-8)
    assert (plain.loglik, plain.deviance) == pytest.approx((logit.llf, -2 * logit.llf), abs=1e-7)
    assert plain.df == int(logit.df_resid)


def test_pearson_is_that_of_a_binomial_regression(plain):
    kept = FRAME.filter(pl.col("outcome") != "tie")
    won = (kept["outcome"] == "left").to_numpy().astype(float)
    glm = sm.GLM(won, differences(kept, *CONTROLS), family=sm.families.Binomial()).fit()
    assert plain.pearson == pytest.approx(glm.pearson_chi2, rel=1e-6)


def test_half_wins_are_half_a_row_each_way():
    fit = BradleyTerry(ties="half-win", controls=CONTROLS).fit(comparisons(FRAME))
    share = np.choose(outcomes(FRAME), [1.0, 0.5, 0.0])
    glm = sm.GLM(share, differences(FRAME, *CONTROLS), family=sm.families.Binomial()).fit()
    assert fit.log_worth[:-1] == pytest.approx(glm.params[:3], abs=1e-7)
    assert [e.per_unit for e in fit.model_effects] == pytest.approx(glm.params[3:], abs=1e-8)


def test_davidson_maximises_the_likelihood_of_rows():
    """scipy.optimize.minimize (BFGS) on the log-likelihood written out."""
    fit = BradleyTerry(controls=CONTROLS).fit(comparisons(FRAME))
    x = differences(FRAME, *CONTROLS)
    x[:, 3:] /= sds(FRAME)
    found = minimize(lambda theta: -loglik(theta, FRAME, x), np.zeros(6), tol=1e-10)
    assert fit.loglik == pytest.approx(-found.fun, abs=1e-6)
    assert fit.log_worth[:-1] == pytest.approx(found.x[:3], abs=2e-5)
    assert list(fit.slopes.values()) == pytest.approx(found.x[3:5], abs=2e-5)


@pytest.mark.parametrize("settings", [{}, {"order_effect": True}, {"prior": 2.0}, {"ties": "none"}])
def test_gradient_and_information_are_those_of_finite_differences(settings):
    fit = BradleyTerry(controls=CONTROLS, **settings).fit(comparisons(FRAME))
    rng = np.random.Generator(np.random.PCG64(3))
    at = fit.beta + rng.normal(0, 0.1, len(fit.beta))
    assert_derivatives(fit.likelihood.expand, at, slope=1e-4, bend=1e-5)


def test_an_order_effect_stands_beside_controls():
    fit = BradleyTerry(ties="discard", order_effect=True, controls=("length",))
    kept = FRAME.filter(pl.col("outcome") != "tie")
    x = np.column_stack([differences(kept, "length"), np.ones(len(kept))])
    logit = sm.Logit((kept["outcome"] == "left").to_numpy().astype(float), x).fit(disp=0)
    found = fit.fit(comparisons(FRAME))
    order = found.beta[found.likelihood.n_worths + found.likelihood.n_ties]
    assert 2 * order == pytest.approx(logit.params[4], abs=1e-8)
    assert found.model_effects[0].per_unit == pytest.approx(logit.params[3], abs=1e-9)
