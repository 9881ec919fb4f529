"""Abilities and qualities given differences, against dense algebra on the whole precision."""

from statistics import NormalDist

import numpy as np
import pytest

from evenhand.models import irt_gaussian
from evenhand.models.base import difference_variances
from evenhand.models.irt_gaussian import (
    Inverse,
    IRTGaussian,
    Iterations,
    all_pairs,
    chance_beyond,
    make_posterior,
    walk,
)

SCALES = IRTGaussian(ability_sd=1.3, item_sd=0.6, noise_sd=1.2, radius=0.0)


def _design(seed, k=4, n=14, c=30):
    """Random pairs of n outputs in two parts that nothing links, every output in some pair."""
    rng = np.random.default_rng(seed)
    author = np.concatenate((np.arange(k), rng.integers(0, k, n - k)))
    one = np.concatenate((np.arange(n), rng.integers(0, n, c - n)))
    step = 2 * rng.integers(1, n // 2, c)  # outputs of the same parity only
    return author, (one, (one + step) % n)


def _dense(author, sides, k):
    """The joint precision of (μ, q) and what D is multiplied by, as the model is written."""
    n, c = len(author), len(sides[0])
    made, differ = np.eye(k)[author], np.zeros((c, n))
    differ[np.arange(c), sides[0]] += 1
    differ[np.arange(c), sides[1]] -= 1
    prior = np.block(
        [
            [np.eye(k) / SCALES.ability_sd**2 + made.T @ made / SCALES.item_sd**2, -made.T],
            [-made, np.eye(n)],
        ]
    )
    prior[:k, k:] = prior[k:, :k].T
    prior[:k, k:] /= SCALES.item_sd**2
    prior[k:, :] /= SCALES.item_sd**2
    joint = np.hstack((np.zeros((c, k)), differ))
    return prior + joint.T @ joint / (2 * SCALES.noise_sd**2), joint.T / (2 * SCALES.noise_sd**2)


@pytest.fixture(params=["inverse", "iterations"])
def solver(request, monkeypatch):
    """Both ways to solve, the second by calling every inverse too large."""
    if request.param == "iterations":
        monkeypatch.setattr(irt_gaussian, "MAX_INVERSE_RATIO", 0)
    return {"inverse": Inverse, "iterations": Iterations}[request.param]


def test_drawn_abilities_and_qualities_are_those_of_the_joint_gaussian(solver, monkeypatch):
    author, sides = _design(7)
    given, many = np.random.default_rng(8).normal(size=30), 40_000
    for name in ("draw_above", "draw_between"):  # perceived differences are held at what is given
        monkeypatch.setattr(
            irt_gaussian,
            name,
            lambda _rng, centre, *_: np.repeat(given[: len(centre), None], many, axis=1),
        )
    posterior = make_posterior(SCALES, 4, author, sides, 30)
    assert isinstance(posterior.solver, solver)
    precision, weigh = _dense(author, sides, 4)
    vcov = np.linalg.inv(precision)
    expected = vcov @ weigh @ given
    assert posterior.ability_vcov == pytest.approx(vcov[:4, :4], rel=1e-9, abs=1e-9)
    means, abilities, qualities = next(walk(posterior, many, np.random.default_rng(9)))
    assert means[:, 0] == pytest.approx(expected[:4], rel=1e-8, abs=1e-8)
    drawn = np.vstack((abilities, qualities))
    sd = np.sqrt(np.diag(vcov))
    error = (drawn.mean(axis=1) - expected) / (sd / np.sqrt(many))
    assert np.abs(error).max() < 4.5
    spread = np.cov(drawn) - vcov  # var of a sample covariance: (v_ij² + v_ii v_jj) / n
    tolerance = np.sqrt((vcov**2 + np.outer(sd**2, sd**2)) / many)
    assert np.abs(spread / tolerance).max() < 5


PHI = NormalDist().cdf


def test_the_variance_of_a_difference_takes_both_and_what_they_share():
    vcov = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, -0.25], [0.0, -0.25, 3.0]])
    assert difference_variances(vcov, *all_pairs(3).T).tolist() == [2.0, 5.0, 4.5]


def test_chances_are_averages_of_normal_ones():
    draws = np.array([[0.5, -0.25], [1.5, 0.25], [-0.5, 0.0]])
    found = chance_beyond(draws, np.array([[0, 1]]), np.array([2.25]), 0.4)
    gaps = [0.75, 1.25, -0.5]
    above = sum(PHI((gap - 0.4) / 1.5) for gap in gaps) / 3
    below = sum(PHI((-0.4 - gap) / 1.5) for gap in gaps) / 3
    assert found[0] == pytest.approx([above, below], rel=1e-12)
