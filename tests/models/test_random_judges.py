"""Random judges: R's glmer, quadrature, laws, refusals (golden 08)."""

from dataclasses import replace
from math import comb, log, sqrt

import numpy as np
import pytest

from evenhand.models.random_judges import RandomJudges
from golden_numbers import golden
from judge_panels import relabelled, tastes
from tallies import renamed, tally

MODELS = {m: RandomJudges(method=m) for m in ("corrected", "laplace")}
BOTH = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
PAIR, PAIRS = (
    golden("08_glmm_random_judges", name) for name in ("one_pair", "pairs_judge_by_system")
)


def one_pair():
    return tally(
        *[("a", "b", won, 0, lost, f"j{judge:02d}") for judge, won, lost in PAIR.input["cells"]]
    )


def four_systems():
    names = PAIRS.input["systems"]
    cells = PAIRS.input["cells"]
    rows = [(names[i], names[j], won, 0, lost, f"j{g:02d}") for g, i, j, won, lost in cells]
    return tally(*rows)


def binomials(cells):
    """What glmer's log-likelihood of counts has beside ours, of single judgments."""
    return sum(log(comb(won + lost, won)) for *_, won, lost in cells)


# golden 08: one taste u_l of a pair there is u_la − u_lb here, so that sd = √2 σ


def test_one_pair_is_that_of_exact_quadrature():
    fit, expected = (
        RandomJudges(restricted=False).fit(one_pair()),
        PAIR.expected["exact_gauss_hermite81"],
    )
    assert fit.log_worth[0] == pytest.approx(expected["intercept"], abs=PAIR.tolerance["exact_est"])
    assert sqrt(2) * fit.sigma == pytest.approx(expected["sd"], abs=PAIR.tolerance["exact_sd"])
    loglik = fit.loglik + binomials(PAIR.input["cells"])
    assert loglik == pytest.approx(expected["loglik"], abs=1e-5)
    glmer = PAIR.expected["lme4_agq25"]["coef"]["(Intercept)"]
    assert fit.contrasts([("a", "b")])[0].stderr == pytest.approx(glmer["se"], abs=2e-4)


def test_one_pair_by_laplace_is_that_of_glmer():
    fit, expected = (
        RandomJudges(method="laplace", restricted=False).fit(one_pair()),
        PAIR.expected["lme4_laplace"],
    )
    found = expected["coef"]["(Intercept)"]["est"]
    assert fit.log_worth[0] == pytest.approx(found, abs=PAIR.tolerance["laplace_est"])
    assert sqrt(2) * fit.sigma == pytest.approx(expected["sd"], abs=PAIR.tolerance["laplace_sd"])
    loglik = fit.loglik + binomials(PAIR.input["cells"])
    assert loglik == pytest.approx(expected["logLik"], abs=1e-4)
    blups = [taste.deviation[0] - taste.deviation[1] for taste in fit.judges()]
    np.testing.assert_allclose(blups, expected["blup"], atol=1e-3)


def test_errors_by_laplace_are_those_of_the_hessian_of_its_log_likelihood():
    """Not of the worth alone, .23073, nor with the precisions held, .23045."""
    fit = RandomJudges(method="laplace", restricted=False).fit(one_pair())
    hessian, glmer = PAIR.expected["laplace_hessian"], PAIR.expected["lme4_laplace"]
    assert fit.contrasts([("a", "b")])[0].stderr == pytest.approx(hessian["se"], rel=1e-5)
    assert hessian["se"] == pytest.approx(glmer["coef"]["(Intercept)"]["se"], rel=2e-3)


def test_four_systems_are_those_of_adaptive_quadrature():
    fit, expected = RandomJudges(restricted=False).fit(four_systems()), PAIRS.expected["aghq"]
    np.testing.assert_allclose(
        fit.log_worth, [*expected["beta"], 0], atol=PAIRS.tolerance["aghq_beta"]
    )
    assert fit.sigma == pytest.approx(expected["sd"], abs=PAIRS.tolerance["aghq_sd"])
    neg2ll = -2 * (fit.loglik + binomials(PAIRS.input["cells"]))
    assert neg2ll == pytest.approx(expected["neg2ll"], abs=0.01)


def test_four_systems_by_laplace_are_those_of_the_golden_laplace():
    fit, expected = (
        RandomJudges(method="laplace", restricted=False).fit(four_systems()),
        PAIRS.expected["laplace"],
    )
    np.testing.assert_allclose(fit.log_worth, [*expected["beta"], 0], atol=1e-6)
    assert fit.sigma == pytest.approx(expected["sd"], abs=1e-6)


def same(one, two, order=None):
    order = np.arange(len(one.systems)) if order is None else order
    np.testing.assert_allclose(two.log_worth[order], one.log_worth, atol=1e-6)
    np.testing.assert_allclose(two.worth_vcov[np.ix_(order, order)], one.worth_vcov, rtol=1e-4)
    np.testing.assert_allclose(two.sigma_interval, one.sigma_interval, rtol=1e-5)
    assert two.sigma == pytest.approx(one.sigma, rel=1e-6)
    assert two.loglik == pytest.approx(one.loglik, rel=1e-10)


CAMPAIGN = tastes((40, 4, 15), 0.7, seed=9)


@BOTH
def test_renaming_systems_or_judges_changes_nothing_else(model):
    order = np.array([2, 0, 3, 1])
    fit = replace(model, reference="s3").fit(CAMPAIGN)
    same(fit, replace(model, reference="s1").fit(renamed(CAMPAIGN, order)), order)
    turned = relabelled(CAMPAIGN, np.arange(40)[::-1])
    two = model.fit(turned)
    same(fit, two)
    np.testing.assert_allclose(
        fit.judges(["judge 000"])[0].deviation, two.judges(["judge 039"])[0].deviation, atol=1e-5
    )


def test_discarded_ties_leave_the_model_of_two_outcomes():
    fit = RandomJudges(ties="discard").fit(CAMPAIGN)
    without = replace(CAMPAIGN, ties=0 * CAMPAIGN.ties)
    same(RandomJudges().fit(without), fit)
    assert fit.gamma is None
    assert fit.n_comparisons == CAMPAIGN.wins.sum() + CAMPAIGN.losses.sum()


def test_twice_as_many_judges_who_say_the_same_halve_variances():
    again = relabelled(CAMPAIGN, np.arange(40))
    factor = again.factors["judge"]
    columns = ("left", "right", "wins", "ties", "losses")
    twice = replace(
        again,
        **{name: np.tile(getattr(again, name), 2) for name in columns},
        factors={
            "judge": replace(
                factor,
                labels=tuple(f"judge {i:03d}" for i in range(80)),
                codes=np.concatenate([factor.codes, factor.codes + 40]),
                size=80,
            )
        },
    )
    one, two = (RandomJudges(restricted=False).fit(data) for data in (CAMPAIGN, twice))
    np.testing.assert_allclose(two.log_worth, one.log_worth, atol=1e-6)
    assert two.sigma == pytest.approx(one.sigma, rel=1e-6)
    assert two.loglik == pytest.approx(2 * one.loglik)
    np.testing.assert_allclose(two.vcov, one.vcov / 2, rtol=1e-3, atol=1e-9)
