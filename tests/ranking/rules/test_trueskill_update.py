"""One match: published values, and the posterior summed over a grid."""

import numpy as np
import pytest
from scipy.stats import norm

from evenhand.ranking.rules import DRAW, Skill, play, surprise

WIN, LOSS = 1, -1
OUTCOMES = (WIN, DRAW, LOSS)
NEW = Skill(np.array([25.0]), np.array([(25 / 3) ** 2 + (25 / 300) ** 2]))
PACKAGE = {"beta": 25 / 6, "margin": norm.ppf(0.55) * np.sqrt(2) * 25 / 6}


def skill(mean, deviation):
    return Skill(np.array([float(mean)]), np.array([float(deviation) ** 2]))


def shown(one):
    return round(float(one.mean[0]), 3), round(float(np.sqrt(one.variance[0])), 3)


def test_a_first_win_is_that_of_the_documentation_of_trueskill():
    """trueskill 0.4.5, trueskill.org: rate_1vs1 of two new ratings, draws 10 %, tau 25/300."""
    won, lost = play(NEW, NEW, np.array([WIN]), **PACKAGE)
    assert shown(won) == (29.396, 7.171)
    assert shown(lost) == (20.604, 7.171)


def test_a_first_draw_is_that_of_the_documentation_of_trueskill():
    """trueskill 0.4.5, the same with drawn=True."""
    one, other = play(NEW, NEW, np.array([DRAW]), **PACKAGE)
    assert shown(one) == shown(other) == (25.0, 6.458)


def posterior(first, second, outcome, *, beta, margin):
    """Mean and variance of the first's skill, summed over a fine grid of it."""
    rest = np.sqrt(2 * beta**2 + second.variance[0])
    mean, deviation = first.mean[0], np.sqrt(first.variance[0])

    def seen(x):
        high, low = (x - second.mean[0] + margin) / rest, (x - second.mean[0] - margin) / rest
        likelihood = {WIN: norm.cdf(low), LOSS: norm.sf(high)}
        likelihood[DRAW] = norm.cdf(high) - norm.cdf(low)
        return norm.pdf(x, mean, deviation) * likelihood[outcome]

    x = np.linspace(mean - 12 * deviation, mean + 12 * deviation, 20_001)
    moments = [(x**power * seen(x)).sum() for power in (0, 1, 2)]
    at = moments[1] / moments[0]
    return at, moments[2] / moments[0] - at**2


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("means", [(0.0, 0.0), (1.0, -0.5), (-2.0, 1.5)])
def test_a_match_gives_the_moments_of_the_posterior(outcome, means):
    """Herbrich et al. (2006): the update is exact in mean and variance for two players."""
    one, two = skill(means[0], 0.8), skill(means[1], 1.3)
    settings = {"beta": 0.6, "margin": 0.4}
    new, other = play(one, two, np.array([outcome]), **settings)
    for found, expected in (
        (new, posterior(one, two, outcome, **settings)),
        (other, posterior(two, one, -outcome, **settings)),
    ):
        np.testing.assert_allclose([found.mean[0], found.variance[0]], expected, 1e-8, 1e-12)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_no_surprise_is_too_large_for_numbers(outcome):
    gap = np.array([-1e6, -60.0, -37.0, -5.0, 0.0, 5.0, 37.0, 60.0, 1e6])
    shift, narrowing = surprise(gap, np.full(9, 0.3), np.full(9, outcome))
    assert np.isfinite(shift).all()
    assert ((narrowing >= 0) & (narrowing <= 1 + 1e-9)).all()
    if outcome != DRAW:
        assert (outcome * shift >= 0).all()
