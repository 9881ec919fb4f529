"""The gradient is that of finite differences, the information that of expected counts."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.models.large import pair_up
from evenhand.models.melo import CyclicLikelihood, cyclic_part, partners
from evenhand.models.ties import Davidson, TwoOutcomes
from tallies import simulate


def likelihood_of(planes, *, ties):
    counts = pair_up(simulate((0.5, 0.2, -0.3, 0.0, 0.1), 300, seed=3))
    law = Davidson() if ties else TwoOutcomes()
    if not ties:
        counts = replace(counts, counts=counts.counts * np.array([1.0, 0.0, 1.0]))
    return CyclicLikelihood(counts, law, planes, strength=2.5, prior=1.5)


def point(likelihood):
    k, width = likelihood.shape
    size = k * width + likelihood.law.free
    return np.random.Generator(np.random.PCG64(7)).normal(0, 0.6, size)


@pytest.mark.parametrize("planes", [1, 2])
@pytest.mark.parametrize("ties", [True, False])
def test_the_gradient_is_that_of_finite_differences(planes, ties):
    likelihood = likelihood_of(planes, ties=ties)
    at, step = point(likelihood), 1e-6
    slopes = [
        (likelihood.slope(at + step * e).value - likelihood.slope(at - step * e).value) / (2 * step)
        for e in np.eye(len(at))
    ]
    np.testing.assert_allclose(likelihood.slope(at).gradient, slopes, rtol=1e-6, atol=1e-5)
    np.testing.assert_array_equal(likelihood.expand(at).gradient, likelihood.slope(at).gradient)


@pytest.mark.parametrize("planes", [1, 2])
@pytest.mark.parametrize("ties", [True, False])
def test_information_is_minus_the_second_derivative_where_data_are_as_expected(planes, ties):
    likelihood = likelihood_of(planes, ties=ties)
    at, step = point(likelihood), 1e-5
    systems, gamma = likelihood.split(at)
    counts = likelihood.counts
    x = systems[counts.low, 0] - systems[counts.high, 0]
    x = x + cyclic_part(systems[:, 1:])[counts.low, counts.high]
    expected = np.exp(likelihood.law.log_chances(x / 2, gamma)) * counts.counts.sum(1)[:, None]
    exact = replace(likelihood, counts=replace(counts, counts=expected))
    bends = np.array(
        [
            (exact.slope(at - step * e).gradient - exact.slope(at + step * e).gradient) / (2 * step)
            for e in np.eye(len(at))
        ]
    )
    np.testing.assert_allclose(exact.expand(at).information, bends, rtol=1e-5, atol=1e-4)
    assert np.linalg.eigvalsh(exact.expand(at).information)[0] > 0


def test_partners_make_log_odds_of_worths_and_points_at_once():
    systems = np.random.Generator(np.random.PCG64(2)).normal(size=(4, 5))
    worth, points = systems[:, 0], systems[:, 1:]
    odds = worth[:, None] - worth + cyclic_part(points)
    by_hand = [
        [
            worth[i]
            - worth[j]
            + sum(points[i, d] * points[j, d + 1] - points[i, d + 1] * points[j, d] for d in (0, 2))
            for j in range(4)
        ]
        for i in range(4)
    ]
    np.testing.assert_allclose(odds, by_hand, rtol=0, atol=1e-12)
    assert partners(systems)[:, 0].tolist() == [1, 1, 1, 1]
