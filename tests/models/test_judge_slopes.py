"""Judge slopes: known truth, plain models, laws and refusals."""

import time

import numpy as np
import pytest
from scipy import integrate, stats

from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.judge_slopes import JudgeSlopes
from slope_campaigns import LAWS, campaign, outcome_logs
from tallies import tally

BOTH = pytest.mark.parametrize("ties", LAWS)


@BOTH
def test_predictions_average_over_the_population_of_judges(ties):
    fit = JudgeSlopes(ties=ties).fit(campaign(20, 30, 0.7, seed=8))
    gamma = fit.estimate[-1] if ties == "davidson" else 0.0
    chances = fit.predict([("s0", "s2"), ("s2", "s0")])
    for outcome in range(3):

        def mixed(z, outcome=outcome):
            eta = np.exp(fit.tau * z) * (fit.lambdas[0] - fit.lambdas[2])
            return stats.norm.pdf(z) * np.exp(outcome_logs(eta, gamma, ties)[outcome])

        expected = integrate.quad(mixed, -9, 9, epsabs=1e-12)[0]
        assert chances[0, outcome] == pytest.approx(expected, abs=1e-7)
    np.testing.assert_allclose(chances.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(chances[1], chances[0, ::-1], atol=1e-12)
    assert fit.predict([]).shape == (0, 3)


@BOTH
def test_without_differences_between_judges_it_is_the_plain_model(ties):
    one = campaign(30, 40, 0.0, seed=9)
    fit, plain = JudgeSlopes(ties=ties).fit(one), BradleyTerry(ties=ties).fit(one)
    assert fit.tau == 0
    np.testing.assert_allclose(fit.log_worth, plain.log_worth, atol=1e-8)
    np.testing.assert_allclose(fit.worth_vcov, plain.worth_vcov, rtol=1e-7, atol=1e-12)
    assert fit.loglik == pytest.approx(plain.loglik, abs=1e-8)
    assert (fit.tau_test.statistic, fit.tau_test.p) == (0.0, 1.0)
    assert fit.tau_interval[0] == 0 < fit.tau_interval[1] < 0.5
    np.testing.assert_array_equal(fit.slopes.estimate, 1)
    np.testing.assert_allclose(fit.predict([("s0", "s1")]), plain.predict([("s0", "s1")]))
    assert any("every slope is 1" in note for note in fit.notes)


def test_a_known_tau_comes_back_with_an_interval_that_covers():
    fits = [JudgeSlopes().fit(campaign(40, 60, 0.5, seed=100 + i)) for i in range(8)]
    found = np.array([fit.tau for fit in fits])
    covered = sum(fit.tau_interval[0] <= 0.5 <= fit.tau_interval[1] for fit in fits)
    errors = np.array([fit.lambdas[0] - 0.8 for fit in fits])
    scaled = errors / [np.sqrt(fit.worth_vcov[0, 0]) / 2 for fit in fits]
    print(f"tau {found.mean():.3f} (sd {found.std():.3f}), covered {covered} of 8")  # noqa: T201 - counts of a simulation
    assert found.mean() == pytest.approx(0.5, abs=0.05)
    assert covered >= 7
    assert abs(errors.mean()) < 0.06
    assert 0.6 < scaled.std() < 1.5
    assert all(fit.tau_test.p < 1e-3 for fit in fits)


def test_the_p_value_of_tau_is_that_of_the_mixture_at_the_boundary(fit):
    found = fit.tau_test
    # Self & Liang (1987), case 5
    assert found.p == pytest.approx(stats.chi2.sf(found.statistic, 1) / 2, rel=1e-9)
    assert 0 < found.p < 0.05


def test_judges_of_equal_slope_are_seldom_told_apart():
    p = [JudgeSlopes().fit(campaign(20, 40, 0.0, seed=300 + i)).tau_test.p for i in range(12)]
    print(f"p below .05 in {sum(one < 0.05 for one in p)} of 12")  # noqa: T201 - the same
    assert sum(one < 0.05 for one in p) <= 2
    assert sum(one == 1 for one in p) >= 3  # half of them end at the boundary


def test_a_judge_who_answers_by_chance_has_a_flat_slope_and_is_named():
    chance = [("A", "B", 10, 0, 10, "x"), ("B", "C", 9, 0, 11, "x"), ("A", "C", 10, 0, 10, "x")]
    sharp = [
        row
        for judge in "abcdef"
        for row in (
            ("A", "B", 16, 0, 4, judge),
            ("B", "C", 15, 0, 5, judge),
            ("A", "C", 19, 0, 1, judge),
        )
    ]
    fit = JudgeSlopes().fit(tally(*chance, *sharp))
    slopes = dict(zip(fit.slopes.judges, fit.slopes.estimate.tolist(), strict=True))
    assert min(slopes, key=slopes.__getitem__) == "x"
    assert fit.slopes.upper[fit.slopes.judges.index("x")] < 0.6
    assert any("Flattest: x " in line for line in fit.says)
    assert fit.tau_test.p < 0.01


@pytest.fixture(scope="module")
def one():
    return campaign(15, 30, 0.6, seed=31)


@pytest.fixture(scope="module")
def fit(one):
    return JudgeSlopes().fit(one)


def test_the_choice_of_reference_changes_neither_contrasts_nor_tau(one, fit):
    other = JudgeSlopes(reference="s0").fit(one)
    np.testing.assert_allclose(other.log_worth - other.log_worth[3], fit.log_worth, atol=1e-6)
    assert other.tau == pytest.approx(fit.tau, abs=1e-6)
    assert other.tau_interval == pytest.approx(fit.tau_interval, abs=1e-5)


def test_coefficients_name_everything_and_tau_has_no_p(fit):
    assert [c.name for c in fit.coefficients] == ["o1", "o2", "o3", "o4", "g1", "tau"]
    last = fit.coefficients[-1]
    assert (last.estimate, last.z, last.p) == (fit.tau, None, None)
    # delta method from the covariance of log τ
    assert last.stderr == pytest.approx(fit.tau * fit.vcov[-1, -1] ** 0.5)


@pytest.mark.slow
def test_twenty_thousand_judges_are_fitted_with_their_spread():
    data = campaign(20_000, 20, 0.5, seed=3, worths=np.linspace(1, -1, 20))
    began = time.process_time()
    fit = JudgeSlopes().fit(data)
    took = time.process_time() - began
    print(  # noqa: T201 - counts of an experiment
        f"20,000 judges, 400,000 comparisons: {took:.1f} s of CPU, tau {fit.tau:.4f}"
    )
    assert fit.tau == pytest.approx(0.5, abs=0.02)  # four standard errors
