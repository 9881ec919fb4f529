"""Every tie law: chances, derivatives by finite differences, and far corners without overflow."""

import numpy as np
import pytest
from scipy.stats import logistic, norm

from evenhand.models.ties import (
    Davidson,
    GlennDavid,
    RaoKupper,
    TwoOutcomes,
    TwoProbits,
)

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


def test_rao_and_kuppers_theta_is_exp_tau():
    """P(left) = π_i / (π_i + θ π_j)."""
    worth_i, worth_j, theta = 3.0, 0.5, 1.7
    eta = np.array([np.log(worth_i / worth_j) / 2])
    won = np.exp(RaoKupper().log_chances(eta, np.log(np.log(theta))))[0, 0]
    assert won == pytest.approx(worth_i / (worth_i + theta * worth_j))


def test_without_ties_chances_are_logistic_or_normal():
    np.testing.assert_allclose(
        np.exp(TwoOutcomes().log_chances(ETA, 0.0)[:, 0]), logistic.cdf(2 * ETA)
    )
    np.testing.assert_allclose(np.exp(TwoProbits().log_chances(ETA, 0.0)[:, 0]), norm.cdf(2 * ETA))


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


@EVERY
def test_the_first_tie_parameter_is_the_maximum_for_equal_systems(law):
    if not law.free:
        assert law.start(np.array([[5.0, 3, 4]])) == 0
        return
    counts = np.array([[3000.0, 2000, 3000]])
    here = law.expand(np.zeros(1), law.start(counts), counts)
    assert here.tie[0] == pytest.approx(0, abs=1)
    assert law.start(np.array([[5.0, 0, 0]])) > -np.inf
