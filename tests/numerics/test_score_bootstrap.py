"""The score bootstrap against its formulas written out; Webb's weights against their moments."""

import numpy as np
import pytest

from evenhand.numerics.bootstrap import (
    WEBB,
    Influence,
    ReplicateBatches,
    bootstrap_contrasts,
    draw_webb,
    jackknife,
)

PAIRS = np.triu_indices(4, 1)


def test_webbs_weights_have_mean_0_variance_1_and_fourth_moment_seven_sixths():
    """Webb (2023), table 1: E v = E v³ = 0, E v² = 1, E v⁴ = 7/6."""
    moments = [float((WEBB**power).mean()) for power in (1, 2, 3, 4)]
    np.testing.assert_allclose(moments, [0, 1, 0, 7 / 6], atol=1e-15)


def clusters(g: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores that sum to zero and unequal information of g clusters, three parameters."""
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(g, 6, 3)) * rng.gamma(1, 1, (g, 1, 1))
    own = np.matmul(half.transpose(0, 2, 1), half)
    scores = rng.normal(size=(g, 3))
    return scores - scores.mean(axis=0), own, own.sum(axis=0)


@pytest.mark.parametrize("g", [5, 40])
def test_replicates_are_those_of_the_formula(g):
    """Cluster by cluster: θ* = H⁻¹ Σ v s̃, d* = −L (v s̃ − H_g θ*), V* = CV3."""
    scores, own, total = clusters(g, 1)
    rows = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]])
    rows -= rows.mean(axis=0)
    left = [np.linalg.inv(total - one) for one in own]
    corrected = [total @ inverse @ score for inverse, score in zip(left, scores, strict=True)]
    influence = Influence(
        changes=np.stack([-inverse @ score for inverse, score in zip(left, scores, strict=True)]),
        carried=np.stack([rows @ inverse @ total for inverse in left]),
        rows=rows,
    )
    weights = draw_webb((50, g), np.random.default_rng(2))
    found, of_rows = bootstrap_contrasts(influence, weights, PAIRS)
    some = np.array([True, False, True, False])
    same, of_some = bootstrap_contrasts(influence.relative_to(some), weights, PAIRS)
    np.testing.assert_allclose(same, found, rtol=1e-5, atol=1e-6)
    for replicate, v in enumerate(weights):
        moved = np.linalg.solve(total, sum(w * s for w, s in zip(v, corrected, strict=True)))
        changes = np.stack(
            [
                -inverse @ (w * s - h @ moved)
                for w, s, inverse, h in zip(v, corrected, left, own, strict=True)
            ]
        )
        centred = changes - changes.mean(axis=0)
        vcov = (g - 1) / g * centred.T @ centred
        pairs, distances = rows[PAIRS[0]] - rows[PAIRS[1]], rows - rows[some].mean(axis=0)
        for contrasts, own_t in ((pairs, found), (rows, of_rows), (distances, of_some)):
            expected = np.abs(contrasts @ moved)
            expected /= np.sqrt(np.einsum("ci,ij,cj->c", contrasts, vcov, contrasts))
            np.testing.assert_allclose(own_t[replicate], expected, rtol=1e-5, atol=1e-6)


def of_clusters(g: int, seed: int) -> Influence:
    scores, own, total = clusters(g, seed)
    left = np.linalg.inv(total - own)
    rows = np.vstack([np.eye(3), np.zeros(3)]) - np.array([0.25, 0.25, 0.25])
    changes = -np.matmul(left, scores[:, :, None])[:, :, 0]
    return Influence(changes, np.matmul(np.matmul(rows, left), total), rows)


def test_replicates_that_single_precision_would_blur_are_made_again():
    """Two coordinates a thousandth apart in what moves them: their difference hardly varies."""
    influence, weights = of_clusters(20, 9), draw_webb((200, 20), np.random.default_rng(10))
    near = np.array([[1.0, 0, 0, 0], [1 - 1e-5, 1e-5, 0, 0]])
    carried = np.einsum("ck,gkp->gcp", near, influence.carried)
    thin = Influence(influence.changes, carried, near @ influence.rows)
    pair = (np.array([0]), np.array([1]))
    single, _, lost = ReplicateBatches.of(thin).single().studentise(weights, pair)
    assert lost.all()
    found, _ = bootstrap_contrasts(thin, weights, pair)
    wide, _ = bootstrap_contrasts(influence, weights, pair)
    np.testing.assert_allclose(found, wide, rtol=1e-4)
    assert np.abs(single.T / wide - 1).max() > 0.1


def test_the_jackknife_is_that_of_a_mean():
    """CV3 of a mean of n is s²/n (Efron & Tibshirani 1993, chapter 11)."""
    values = np.random.default_rng(6).normal(size=(30, 1))
    changes = (values.sum() - values) / 29 - values.mean()
    np.testing.assert_allclose(jackknife(changes)[0, 0], values.var(ddof=1) / 30, rtol=1e-12)
