"""How far judges differ: interval, test of 0, the edge at 0, what it means, what one judge's is."""

from dataclasses import replace
from math import exp, log, sqrt

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.stats import chi2

from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.random_judges import RandomJudges
from evenhand.models.random_judges_likelihood import find_dispersion, find_softening, pool_judges
from golden_numbers import golden
from judge_panels import panel_of, tastes
from tallies import tally

MODELS = {m: RandomJudges(method=m) for m in ("corrected", "laplace")}
BOTH = pytest.mark.parametrize("method", MODELS)
PAIR = golden("08_glmm_random_judges", "one_pair")


def one_pair():
    return tally(*[("a", "b", won, 0, lost, f"j{g:02d}") for g, won, lost in PAIR.input["cells"]])


def softening(sigma, nu, step=1e-3):
    """One judge's slope of P(left) − P(right) at equality over that of all judges, by 200 nodes."""
    at, weight = np.polynomial.hermite_e.hermegauss(200)

    def net(x):
        chances = np.stack([np.exp(x / 2), nu + 0 * x, np.exp(-x / 2)])
        chances /= chances.sum(axis=0)
        return chances[0] - chances[2]

    tastes_of_all = sqrt(2) * sigma * at
    all_judges = weight @ (net(tastes_of_all + step) - net(tastes_of_all - step)) / weight.sum()
    return (net(np.array(step)) - net(np.array(-step))) / all_judges


class Profile:
    """The profile of σ by a general optimiser, with its adjustment by differences of gradients."""

    def __init__(self, fit):
        self.panel, self.start = fit.panel, fit.peak.beta[:-1]

    def loss(self, worths, at):
        point = self.panel.expand(np.append(worths, at), None)
        return -point.value, -point.gradient[:-1]

    def plain(self, at):
        return -self._found(at).fun

    def adjusted(self, at, step=1e-3):
        found = self._found(at)
        n = self.panel.n_systems - 1
        ends = [
            [self.loss(found.x + side * step * e, at)[1][:n] for side in (1, -1)]
            for e in np.eye(len(found.x))[:n]
        ]
        bend = np.array([(up - down) / (2 * step) for up, down in ends])
        softer = softening(exp(at), exp(found.x[-1]))
        return -found.fun - np.linalg.slogdet(bend)[1] / 2 - n * log(softer)

    def _found(self, at):
        return minimize(
            self.loss, self.start, args=(at,), jac=True, method="BFGS", options={"gtol": 1e-4}
        )


@BOTH
def test_the_ends_of_the_interval_lie_where_the_profile_has_fallen_by_half_a_chi_square(method):
    """1.9207 = χ²₁(.95)/2."""
    fit = RandomJudges(method=method, restricted=False).fit(tastes((60, 4, 20), 0.6, seed=3))
    assert fit.sigma == fit.sigma_ml
    for end in fit.sigma_interval:
        assert fit.loglik - Profile(fit).plain(log(end)) == pytest.approx(1.9207, abs=0.02)


def test_the_restricted_estimate_and_its_ends_are_those_of_the_adjusted_profile():
    fit = RandomJudges().fit(tastes((15, 5, 30), 0.6, seed=3))
    adjusted = Profile(fit).adjusted
    center = log(fit.sigma)
    grid = np.array([-0.2, -0.1, 0.0, 0.1, 0.2])
    cubic = np.polyfit(grid, [adjusted(center + at) for at in grid], 4)
    roots = np.roots(np.polyder(cubic))
    near = roots[np.abs(roots).argmin()].real
    assert near == pytest.approx(0, abs=0.03)  # a fifth of a standard error
    top = adjusted(center)
    for end in fit.sigma_interval:
        assert top - adjusted(log(end)) == pytest.approx(1.9207, abs=0.03)
    assert fit.sigma > 1.02 * fit.sigma_ml


@pytest.mark.parametrize(("sigma", "nu"), [(0.4, 0.5), (1.5, 0.5), (0.8, 0.0)])
def test_all_judges_are_less_decided_than_one_by_as_much_as_quadrature_says(sigma, nu):
    value, slope = find_softening(log(sigma), log(nu) if nu else None)
    assert exp(value) == pytest.approx(softening(sigma, nu), rel=1e-5)
    ends = [log(softening(sigma * exp(side * 0.01), nu)) for side in (1, -1)]
    assert slope == pytest.approx((ends[0] - ends[1]) / 0.02, rel=1e-3)


def test_with_few_judges_the_restricted_estimate_is_not_too_small():
    """Maximum likelihood: √(1 − 1/J) at best, as the variance that divides by n (closed form)."""
    fits = [RandomJudges().fit(tastes((4, 12, 1500), 0.5, seed=seed)) for seed in range(6)]
    restricted = np.mean([fit.sigma**2 for fit in fits])
    likely = np.mean([fit.sigma_ml**2 for fit in fits])
    assert likely / restricted == pytest.approx(0.75, abs=0.03)
    assert sqrt(restricted) == pytest.approx(0.5, rel=0.1)


def test_the_test_of_zero_is_half_a_chi_square():
    """scipy.stats.chi2.sf has the whole χ²₁."""
    fit = RandomJudges().fit(tastes((60, 4, 20), 0.5, seed=4))
    assert fit.lr_test.statistic == pytest.approx(2 * (fit.loglik - fit.pooled_loglik))
    assert fit.lr_test.p == pytest.approx(chi2.sf(fit.lr_test.statistic, 1) / 2)
    assert "½χ²₀ + ½χ²₁" in str(fit.lr_test)


def test_judges_who_agree_too_well_have_sigma_zero_with_an_upper_end():
    rows = [("a", "b", 6, 2, 4, f"j{i:02d}") for i in range(30)]
    fit = RandomJudges().fit(tally(*rows))
    plain = BradleyTerry().fit(tally(*rows))
    assert fit.sigma == fit.sigma_interval[0] == fit.lr_test.statistic == 0
    assert 0.05 < fit.sigma_interval[1] < 1
    assert fit.lr_test.p == 1
    assert fit.check is None
    np.testing.assert_allclose(fit.log_worth, plain.log_worth, atol=1e-10)
    np.testing.assert_allclose(fit.worth_vcov, plain.worth_vcov, atol=1e-10)
    assert "σ is 0" in fit.notes[-1]
    assert "Not significant at .05 that judges differ in taste: σ = 0.00" in fit.says[0]
    assert (fit.judges(["j03"])[0].deviation == 0).all()


def test_laplace_makes_sigma_too_small_at_few_answers_and_the_check_says_so():
    one = tastes((120, 12, 20), 0.5, seed=3)
    corrected, laplace = (model.fit(one) for model in MODELS.values())
    assert laplace.sigma < 0.85 * corrected.sigma
    assert any("integrals over tastes are poor" in note for note in laplace.notes)
    assert corrected.notes == ()
    step = corrected.check
    assert abs(step.sigma_shift) < 5 * step.sigma_error + 0.005
    assert abs(step.loglik_shift) < 5 * step.loglik_error + 0.01
    assert step.effective > 0.9


def test_importance_sampling_finds_what_laplace_leaves_out():
    """Golden 08: what quadrature has, less what Laplace's method has, each at its own maximum."""
    fit = RandomJudges(method="laplace", restricted=False).fit(one_pair())
    gain = (
        PAIR.expected["exact_gauss_hermite81"]["loglik"] - PAIR.expected["lme4_laplace"]["logLik"]
    )
    assert fit.check.loglik_shift == pytest.approx(gain, abs=5 * fit.check.loglik_error + 1e-3)


def test_the_posterior_error_of_a_taste_is_that_of_quadrature():
    """u_a + u_b is untouched by the answers, so that var u_a = (2σ² + var(u_a − u_b)) / 4."""
    rows = [("a", "b", 6 - i % 5, 0, 1 + i % 5, f"j{i:02d}") for i in range(30)]
    rows += [("a", "b", 7 * (i % 2), 0, 7 - 7 * (i % 2), f"k{i}") for i in range(8)]
    fit = RandomJudges(restricted=False).fit(tally(*rows))
    at, weight = np.polynomial.hermite_e.hermegauss(120)
    u = sqrt(2) * fit.sigma * at
    x = fit.log_worth[0] + u
    for _, _, won, _, lost, judge in rows:
        mass = weight * np.exp(-won * np.logaddexp(0, -x) - lost * np.logaddexp(0, x))
        mean = (mass * u).sum() / mass.sum()
        variance = (mass * (u - mean) ** 2).sum() / mass.sum()
        expected = sqrt((2 * fit.sigma**2 + variance) / 4)
        np.testing.assert_allclose(fit.judges([judge])[0].stderr, expected, rtol=1e-4)


@pytest.mark.parametrize("nu", [0.0, 0.5])
def test_moments_are_sums_over_two_different_answers_of_one_judge(nu):
    """Answer by answer, with dense vectors and matrices."""
    one = tastes((6, 3, 7), 1.0, seed=3, nu=nu).fold()
    pooled, panel = pool_judges(one, 2, ties=bool(nu)), panel_of(one)
    found = find_dispersion(panel, pooled)
    theta = np.append(pooled.beta[:2], 0.0)
    weight_of_tie = exp(pooled.beta[-1]) if nu else 0.0
    answers = {}
    for c, judge in enumerate(one.factors["judge"].codes):
        side = np.zeros(3)
        side[one.left[c]], side[one.right[c]] = 1.0, -1.0
        half = side @ theta / 2
        scores = np.array([exp(half), weight_of_tie, exp(-half)])
        chances, values = scores / scores.sum(), np.array([0.5, 0.0, -0.5])
        mean = chances @ values
        variance = chances @ values**2 - mean**2
        for outcome in range(3):
            for _ in range(int(one.counts[c, outcome])):
                row = ((values[outcome] - mean) * side, variance * np.outer(side, side))
                answers.setdefault(judge, []).append(row)
    shared = scale = 0.0
    for own in answers.values():
        for i, (r, h) in enumerate(own):
            for j, (s, g) in enumerate(own):
                if i != j:
                    shared, scale = shared + r @ s, scale + (h * g).sum()
    assert found.shared == pytest.approx(shared, rel=1e-6)
    assert found.scale == pytest.approx(scale, rel=1e-6)


@pytest.mark.parametrize("sigma", [0.5, 6.0])
def test_predictions_are_those_of_fine_quadrature_however_large_sigma_is(sigma):
    fit = RandomJudges().fit(tastes((40, 3, 15), 0.7, seed=3, nu=0.0))
    fit = replace(fit, sigma=sigma)
    gap = fit.log_worth[0] - fit.log_worth[1]

    def chance(z):
        return exp(-z * z / 2) / sqrt(2 * np.pi) / (1 + exp(-(gap + sqrt(2) * sigma * z)))

    expected = quad(chance, -12, 12, limit=500, epsabs=1e-12, epsrel=1e-12)[0]
    assert fit.predict([("s0", "s1")])[0, 0] == pytest.approx(expected, abs=1e-10)
