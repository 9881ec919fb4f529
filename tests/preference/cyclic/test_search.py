"""Starts end at one maximum, and planes are those of the spectral decomposition."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.models.large import pair_up
from evenhand.models.melo import (
    GRID,
    CyclicLikelihood,
    choose_held_out,
    climb_all,
    climb_flat,
    cyclic_part,
    noise_limit,
    principal_planes,
    split_counts,
)
from evenhand.models.ties import Davidson
from tallies import simulate


def rng(seed=0):
    return np.random.Generator(np.random.PCG64(seed))


@pytest.mark.parametrize("size", [3, 4, 7])
def test_all_planes_together_are_the_skew_matrix_and_one_is_the_nearest_of_rank_two(size):
    half = rng().normal(size=(size, size))
    skew = half - half.T
    whole = principal_planes(skew, size // 2)
    np.testing.assert_allclose(cyclic_part(whole), skew, rtol=0, atol=1e-9)
    sizes = np.linalg.svd(skew, compute_uv=False)
    rest = skew - cyclic_part(principal_planes(skew, 1))
    assert np.linalg.norm(rest, 2) == pytest.approx(sizes[2], abs=1e-9)
    assert (whole**2).sum() == pytest.approx(sizes.sum(), abs=1e-9)  # the nuclear norm


def test_no_circle_survives_a_penalty_above_the_norm_of_the_residuals():
    counts = pair_up(simulate(np.linspace(0.5, -0.5, 8), 900, seed=5))
    likelihood = CyclicLikelihood(counts, Davidson(), 1, strength=1.0, prior=0.01)
    flat = climb_flat(likelihood)
    norm = np.linalg.norm(likelihood.residuals(likelihood.local(flat.beta)), 2)
    for share, kept in ((1.02, False), (0.9, True)):
        own = replace(likelihood, strength=share * norm)
        best = climb_all(own, flat, 3, rng())
        systems, _ = own.split(best.beta)
        assert bool(np.abs(cyclic_part(systems[:, 1:])).max() > 1e-3) == kept
        assert best.agreed == 3


def test_the_norm_of_residuals_of_a_transitive_campaign_lies_below_the_limit_of_noise():
    ratios = []
    for seed in range(12):
        counts = pair_up(simulate(np.linspace(0.5, -0.5, 15), 3000, seed=seed))
        likelihood = CyclicLikelihood(counts, Davidson(), 1, 1.0, 1.0)
        flat = climb_flat(likelihood)
        residuals = likelihood.residuals(likelihood.local(flat.beta))
        ratios.append(np.linalg.norm(residuals, 2) / noise_limit(likelihood, flat))
    assert max(ratios) < 1
    assert 0.5 < np.mean(ratios) < 0.9


def test_the_share_of_least_held_out_loss_is_chosen():
    counts = pair_up(simulate(np.linspace(0.5, -0.5, 6), 900, seed=5))
    likelihood = CyclicLikelihood(counts, Davidson(), 1, strength=1.0, prior=1.0)
    share, losses = choose_held_out(likelihood, rng())
    assert losses[GRID.index(share)] == min(losses) < max(losses)


def test_folds_share_out_every_comparison_once():
    counts = np.array([[5.0, 0.0, 8.0], [1.0, 2.0, 100.0]])
    parts = split_counts(counts, 5, rng(1))
    np.testing.assert_array_equal(sum(parts), counts)
    assert all((part >= 0).all() for part in parts)
    assert parts[0][1, 2] == pytest.approx(20, abs=15)
