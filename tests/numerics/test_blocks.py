"""Blocks of differences: what numpy says of one matrix at a time."""

import numpy as np
import pytest

from evenhand.numerics.gaussian_process import invert_all, make_blocks


def drawn(seed, nodes=40, entries=45):
    rng = np.random.Generator(np.random.PCG64(seed))
    left = rng.integers(0, nodes, entries)
    right = (left + rng.integers(1, nodes, entries)) % nodes
    used, codes = np.unique(np.concatenate([left, right]), return_inverse=True)
    return len(used), codes[:entries], codes[entries:], rng.uniform(0.1, 2, entries)


def whole(n, left, right, weights):
    matrix = np.zeros((n, n))
    for a, b, weight in zip(left, right, weights, strict=True):
        matrix[[a, b], [a, b]] += weight
        matrix[[a, b], [b, a]] -= weight
    return matrix


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_blocks_together_are_the_whole_matrix(seed):
    n, left, right, weights = drawn(seed)
    blocks = make_blocks(n, left, right)
    inverse = np.linalg.inv(whole(n, left, right, weights) + 0.7 * np.eye(n))
    spread = np.empty(len(left))
    log_det = 0.0
    for batch in blocks.batches:
        rows = blocks.order[batch.entries]
        found, own = invert_all(batch.precision(weights[rows], 0.7))
        spread[rows] = batch.spread(found)
        log_det += own.sum() - np.log(0.7) * batch.size * batch.width
    expected = [
        inverse[a, a] + inverse[b, b] - 2 * inverse[a, b] for a, b in zip(left, right, strict=True)
    ]
    np.testing.assert_allclose(spread, expected, rtol=1e-12)
    sign, total = np.linalg.slogdet(whole(n, left, right, weights) / 0.7 + np.eye(n))
    assert sign == 1
    assert log_det == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize("size", [1, 5, 12])
@pytest.mark.parametrize("width", [1, 2, 3, 7, 16, 49, 131])
def test_inverses_and_determinants_are_those_of_single_matrices(size, width):
    rng = np.random.Generator(np.random.PCG64(width))
    root = rng.normal(size=(size, width, width))
    matrices = root @ root.transpose(0, 2, 1) + np.eye(width)
    inverse, log_det = invert_all(matrices)
    np.testing.assert_allclose(inverse, np.linalg.inv(matrices), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(log_det, np.linalg.slogdet(matrices)[1], rtol=1e-10, atol=1e-12)


def test_batches_that_stand_for_all_weigh_as_much_as_all():
    n = 60_000
    blocks = make_blocks(n, np.arange(0, n, 2), np.arange(1, n, 2))
    weights = np.array(blocks.weigh_sample(3))
    sizes = np.array([batch.size for batch in blocks.batches])
    assert (weights > 0).sum() == 3
    assert (weights * sizes).sum() == pytest.approx(n / 2)
    assert blocks.weigh_sample(1000) == (1.0,) * len(blocks.batches)
