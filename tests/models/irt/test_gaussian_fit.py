"""What a Gaussian item-response fit says: predictions, log-worths, lines for people."""

from statistics import NormalDist

import numpy as np
import pytest

from evenhand.data.votes import LEFT
from evenhand.models.irt_gaussian import IRTGaussian, IRTGaussianFit
from output_campaigns import draw_campaign, name_votes

SHORT = IRTGaussian(chains=2, sweeps=300, burn_in=100)


def test_log_worths_are_mean_log_odds_against_all_systems():
    fit = SHORT.fit(name_votes(draw_campaign(2)))
    expected = []
    for a in fit.systems:
        chances = fit.predict([(a, b) for b in fit.systems if b != a])
        expected.append(np.log(chances[:, 0] / chances[:, 2]).sum() / len(fit.systems))
    assert fit.log_worth == pytest.approx(expected, rel=1e-9)
    assert fit.log_worth.sum() == pytest.approx(0, abs=1e-12)
    # odds are nearly linear in abilities, so that deviations are in proportion
    ratio = np.sqrt(np.diag(fit.worth_vcov)) / fit.ability_sd
    slope = np.polyfit(fit.abilities, fit.log_worth, 1)[0]
    assert ratio == pytest.approx(slope, rel=0.15)


def test_chains_that_have_not_met_are_named_with_the_remedy():
    rows = [(0, i % 10, 0, 1, LEFT) for i in range(3000)]
    fit = IRTGaussian(chains=4, sweeps=8, burn_in=0).fit(name_votes(rows, 2))
    assert fit.r_hat.max() > 1.05
    assert (
        "take more sweeps than 8: `evenhand rank --sweeps 32`, in Python IRTGaussian(sweeps=32)"
        in fit.notes[-1]
    )
    assert fit.notes[-1].startswith("Chains do not agree yet, R-hat above 1.05: a ")


def _draws(abilities, means=None, vcov=None):
    held = np.array(abilities, dtype=float)
    own = held if means is None else np.array(means, dtype=float)
    k = held.shape[2]
    return IRTGaussianFit(
        model=IRTGaussian(),
        systems=tuple("ABCDEFG"[:k]),
        loglik=0.0,
        n_judgments=1.0,
        n_comparisons=1.0,
        notes=(),
        means=own,
        drawn=held,
        vcov_given=np.eye(k) if vcov is None else np.array(vcov),
        n_outputs=k,
    )


FOUR = _draws([[[3, 2, 1], [3, 1, 2], [2, 3, 1], [9, 0, -9]]])


def test_chances_of_ranks_are_shares_of_draws():
    assert FOUR.rank_chances.tolist() == [[0.75, 0.25, 0], [0.25, 0.5, 0.25], [0, 0.25, 0.75]]


def test_ranges_of_ranks_leave_out_the_tails():
    many = _draws([[[1, 0]] * 97 + [[0, 1]] * 3])
    assert many.rank_ranges(0.95).tolist() == [[1, 2], [1, 2]]
    assert many.rank_ranges(0.90).tolist() == [[1, 1], [2, 2]]


def test_the_chance_to_be_better_is_averaged_over_what_is_known_exactly():
    vcov = [[1.0, 0.5], [0.5, 2.0]]
    means = [[[0.5, 0.0]] * 4, [[1.0, -1.0]] * 4]
    draws = _draws(np.zeros((2, 4, 2)), means, vcov)
    expected = sum(NormalDist().cdf(gap / 2**0.5) for gap in (0.5, 2.0)) / 2
    assert draws.better[0, 1] == pytest.approx(expected, rel=1e-12)
    assert draws.better[1, 0] == pytest.approx(1 - expected, rel=1e-12)
    assert np.diag(draws.better).tolist() == [0.5, 0.5]


def test_variance_is_that_given_differences_and_that_of_means():
    means = [[[0.0, 1.0], [2.0, 1.0]] * 2]
    draws = _draws(np.zeros((1, 4, 2)), means, [[1.0, 0.5], [0.5, 1.0]])
    assert draws.abilities.tolist() == [0.0, 0.0]
    half = (1 + 4 / 3 + 1 - 2 * 0.5) / 4  # the variance of half of their difference
    np.testing.assert_allclose(draws.ability_vcov, [[half, -half], [-half, half]], rtol=1e-12)


def test_agreement_is_asked_of_the_means_too_around_which_draws_wander():
    rng = np.random.default_rng(2)
    wide = rng.normal(size=(4, 400, 2))
    stuck = np.arange(4)[:, None, None] * np.array([0.05, 0.0]) + 0.01 * rng.normal(size=wide.shape)
    draws = _draws(wide + stuck, stuck)
    assert draws.r_hat[0] > 1.5  # draws alone, of sd 1, hide means that never meet
    assert draws.effective_draws[0] < 20
