"""What draws of abilities say: ranks, chances to be better, moments."""

from statistics import NormalDist

import numpy as np
import pytest

from evenhand.models.irt_gaussian import IRTGaussian, IRTGaussianFit


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


def test_agreement_is_asked_of_contrasts_and_not_of_the_common_place():
    rng = np.random.default_rng(1)
    apart = rng.normal(size=(4, 200, 3)) + 10 * np.arange(4)[:, None, None]
    assert _draws(apart).r_hat.max() < 1.02
    shifted = apart + np.arange(4)[:, None, None] * np.array([1.0, 0.0, 0.0])
    assert _draws(shifted).r_hat[0] > 1.1


def test_agreement_is_asked_of_the_means_too_around_which_draws_wander():
    rng = np.random.default_rng(2)
    wide = rng.normal(size=(4, 400, 2))
    stuck = np.arange(4)[:, None, None] * np.array([0.05, 0.0]) + 0.01 * rng.normal(size=wide.shape)
    draws = _draws(wide + stuck, stuck)
    assert draws.r_hat[0] > 1.5  # draws alone, of sd 1, hide means that never meet
    assert draws.effective_draws[0] < 20
