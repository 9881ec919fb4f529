"""Every tie law: chances, derivatives by finite differences, and far corners without overflow."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import logistic, norm

from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.likelihood import (
    Davidson,
    GlennDavid,
    RaoKupper,
    TwoOutcomes,
    TwoProbits,
)
from tallies import simulate, tally

LAWS = [Davidson(), Davidson(free=False), TwoOutcomes(), RaoKupper(), GlennDavid(), TwoProbits()]
EVERY = pytest.mark.parametrize("law", LAWS, ids=repr)
ETA = np.array([-2.5, -0.8, -1e-9, 0.0, 0.3, 1.1, 3.0])
TIE = -0.4


def counts_for(law):
    rng = np.random.Generator(np.random.PCG64(1))
    counts = rng.integers(0, 9, (len(ETA), 3)).astype(float)
    if isinstance(law, TwoOutcomes):
        counts[:, 1] = 0
    return counts


def test_davidsons_chances_are_as_printed():
    """Davidson (1970): P(i) = π_i / D, P(tie) = ν √(π_i π_j) / D, log π = 2λ, log ν = γ."""
    worth_i, worth_j, nu = 3.0, 0.5, 0.8
    eta = np.array([np.log(worth_i / worth_j) / 2])
    total = worth_i + worth_j + nu * np.sqrt(worth_i * worth_j)
    expected = [worth_i / total, nu * np.sqrt(worth_i * worth_j) / total, worth_j / total]
    np.testing.assert_allclose(np.exp(Davidson().log_chances(eta, np.log(nu)))[0], expected)


@pytest.mark.parametrize(
    ("law", "error"), [(RaoKupper(), logistic), (GlennDavid(), norm)], ids=["logistic", "normal"]
)
def test_threshold_chances_are_those_of_the_error_law(law, error):
    """Rao & Kupper (1967), Glenn & David (1960), by scipy.stats.logistic and norm."""
    tau = np.exp(TIE)
    won, lost = error.cdf(2 * ETA - tau), error.cdf(-2 * ETA - tau)
    expected = np.stack([won, 1 - won - lost, lost], axis=1)
    np.testing.assert_allclose(np.exp(law.log_chances(ETA, TIE)), expected, rtol=1e-9)


@EVERY
def test_chances_add_to_one_and_mirror(law):
    chances = np.exp(law.log_chances(ETA, TIE))
    np.testing.assert_allclose(chances.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(np.exp(law.log_chances(-ETA, TIE)), chances[:, ::-1], rtol=1e-12)


@EVERY
def test_the_value_is_the_log_chance_of_what_was_counted(law):
    counts = counts_for(law)
    logs = law.log_chances(ETA, TIE)
    expected = np.where(counts > 0, counts * np.where(counts > 0, logs, 0), 0).sum(axis=1)
    np.testing.assert_allclose(law.expand(ETA, TIE, counts).value, expected, rtol=1e-11, atol=1e-11)


@EVERY
def test_derivatives_are_finite_differences(law):
    counts, step = counts_for(law), 1e-6
    here = law.expand(ETA, TIE, counts)

    def slope(of, by_eta, by_tie):
        ahead = law.expand(ETA + by_eta * step, TIE + by_tie * step, counts)
        behind = law.expand(ETA - by_eta * step, TIE - by_tie * step, counts)
        return (getattr(ahead, of) - getattr(behind, of)) / (2 * step)

    np.testing.assert_allclose(here.eta, slope("value", 1, 0), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(here.eta_eta, -slope("eta", 1, 0), rtol=1e-5, atol=1e-6)
    if law.free:
        np.testing.assert_allclose(here.tie, slope("value", 0, 1), rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(here.eta_tie, -slope("eta", 0, 1), rtol=1e-5, atol=1e-6)
        # of log τ: the term that is zero at the maximum is left out
        left_out = here.tie if not isinstance(law, Davidson) else 0
        np.testing.assert_allclose(
            here.tie_tie, -slope("tie", 0, 1) + left_out, rtol=1e-5, atol=1e-5
        )


@EVERY
def test_scores_add_up_to_the_gradient_and_have_mean_zero(law):
    counts = counts_for(law)
    by_eta, by_tie = law.scores(ETA, TIE)
    here, chances = law.expand(ETA, TIE, counts), np.exp(law.log_chances(ETA, TIE))
    np.testing.assert_allclose((counts * by_eta).sum(axis=1), here.eta, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose((chances * by_eta).sum(axis=1), 0, atol=1e-10)
    if law.free:
        np.testing.assert_allclose((counts * by_tie).sum(axis=1), here.tie, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose((chances * by_tie).sum(axis=1), 0, atol=1e-10)


@EVERY
def test_the_expected_information_is_the_variance_of_the_score(law):
    chances = np.exp(law.log_chances(ETA, TIE))
    here, (by_eta, by_tie) = law.expand(ETA, TIE, chances), law.scores(ETA, TIE)
    np.testing.assert_allclose(here.eta_eta, (chances * by_eta**2).sum(axis=1), rtol=1e-8)
    if law.free:
        np.testing.assert_allclose(here.tie_tie, (chances * by_tie**2).sum(axis=1), rtol=1e-8)
        cross = (chances * by_eta * by_tie).sum(axis=1)
        np.testing.assert_allclose(here.eta_tie, cross, rtol=1e-7, atol=1e-12)


@EVERY
@pytest.mark.parametrize("eta", [-15.0, 15.0])
def test_information_stays_positive_where_a_win_is_nearly_certain(law, eta):
    """exp(−60) for the logistic: 1 − p² would have been rounded to nothing long before."""
    seen = np.array([[1.0, 0, 0]]) if eta > 0 else np.array([[0, 0, 1.0]])
    here = law.expand(np.array([eta]), TIE, seen)
    assert here.eta_eta[0] > 0
    assert np.isfinite([here.value[0], here.eta[0], here.eta_eta[0]]).all()


ERRORS = {"rao-kupper": logistic, "glenn-david": norm}


def loss(parameters, counted, error):
    """Minus the log-likelihood, written from the definition: λ of all but the last, τ, δ."""
    k = len(counted.systems)
    worths, (tau, order) = np.append(parameters[: k - 1], 0), parameters[k - 1 :]
    b = 2 * (worths[counted.left] - worths[counted.right] + order)
    won, lost = error.cdf(b - tau), error.cdf(-b - tau)
    chances = np.stack([won, 1 - won - lost, lost], axis=1)
    if (chances <= 0).any():
        return np.inf
    return -float((counted.counts * np.log(chances)).sum())


@pytest.mark.parametrize("ties", ERRORS)
def test_the_fit_is_the_maximum_that_scipy_finds(ties):
    """scipy.optimize.minimize(method="Nelder-Mead") on λ, τ and δ."""
    counted = simulate((0.6, 0.1, -0.4, 0.0), 900, seed=3, order=0.2)
    fit = BradleyTerry(ties=ties, order_effect=True).fit(counted)
    start = np.array([0.1, 0, 0, 0.4, 0])
    settings = {"maxiter": 8000, "maxfev": 8000, "xatol": 1e-9, "fatol": 1e-11}
    found = minimize(
        loss, start, args=(counted, ERRORS[ties]), method="Nelder-Mead", options=settings
    )
    np.testing.assert_allclose(fit.estimate, found.x, rtol=0, atol=1e-5)
    assert fit.loglik == pytest.approx(-found.fun, abs=1e-7)


@pytest.mark.parametrize("ties", ERRORS)
def test_without_a_tie_the_threshold_is_zero_and_the_error_law_stays(ties):
    """Glenn & David's model at τ = 0 is Thurstone's case V, on the probit scale; not a logit."""
    fit = BradleyTerry(ties=ties).fit(tally(("A", "B", 9, 0, 4)))
    assert fit.names == ("o1",)
    assert "τ = 0" in fit.notes[0]
    assert fit.log_worth[0] == pytest.approx(ERRORS[ties].ppf(9 / 13), abs=1e-9)
    won = fit.predict([("A", "B")])[0]
    np.testing.assert_allclose(won, [9 / 13, 0, 4 / 13], atol=1e-9)
    density = ERRORS[ties].pdf(fit.log_worth[0])
    stderr = np.sqrt(9 / 13 * 4 / 13 / 13) / density  # delta method on the proportion
    assert np.sqrt(np.diag(fit.worth_vcov))[0] == pytest.approx(stderr, rel=1e-6)
    assert (fit.df, fit.observed.shape) == (0, (1, 2))
