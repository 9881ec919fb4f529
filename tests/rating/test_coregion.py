"""The covariance of judges' processes, its parameters, and the surface that is climbed."""

import numpy as np
import pytest

from evenhand.numerics.ard import Points
from evenhand.rating.coregion import SHARINGS, Asked, Layout, read_parameters
from evenhand.rating.process_priors import start_parameters, weigh_parameters
from evenhand.rating.process_search import Problem, spread_out


def asked(n=24, judges=4, seed=1):
    rng = np.random.default_rng(seed)
    judge = np.sort(np.r_[np.arange(judges), rng.integers(0, judges, n - judges)])
    return Asked(judge, Points(rng.normal(size=(n, 2)), rng.integers(0, 3, (n, 1))))


def layout(sharing, *, own=True):
    return Layout(sharing, 4, 2 if sharing == "low rank" else 1, 3, own, own)


def somewhere(shape, seed=2):
    rng = np.random.default_rng(seed)
    start = start_parameters(shape, 2, rng)
    return start + rng.normal(0, 0.3, len(start))


def test_parameters_split_and_join_to_the_same_vector():
    shape = layout("low rank")
    vector = somewhere(shape)
    np.testing.assert_array_equal(shape.join(shape.split(vector)), vector)
    assert len(vector) == sum(shape.sizes().values()) == 4 * 2 + 4 + 3 + 4 + 1 + 1


def test_the_covariance_is_the_product_that_is_claimed():
    rows, at = asked(6), read_parameters(layout("low rank"), somewhere(layout("low rank")))
    found, _ = at.covariance(rows, rows)
    for i in range(6):
        for j in range(6):
            gap = (rows.points.numbers[i] - rows.points.numbers[j]) / np.exp(at.log_scales[:2])
            other = rows.points.labels[i, 0] != rows.points.labels[j, 0]
            k = np.exp(-0.5 * (gap @ gap) - 0.5 * other / np.exp(2 * at.log_scales[2]))
            same = rows.judge[i] == rows.judge[j]
            b = at.loadings[rows.judge[i]] @ at.loadings[rows.judge[j]]
            b += at.private[rows.judge[i]] * same
            assert found[i, j] == pytest.approx(b * k + at.spread * same + 1.0, rel=1e-10)
    np.testing.assert_allclose(np.diag(found), at.own(rows), rtol=1e-12)


@pytest.mark.parametrize("sharing", SHARINGS)
@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("few", [True, False])
def test_the_gradient_is_that_of_finite_differences(sharing, own, few):
    shape, rows = layout(sharing, own=own), asked()
    y = np.random.default_rng(3).normal(size=len(rows))
    problem = Problem(shape, rows, y, rows.take(np.arange(0, 24, 3)) if few else None)
    at = somewhere(shape)
    h = 1e-5
    expected = [
        (problem.expand(at + h * step).value - problem.expand(at - h * step).value) / (2 * h)
        for step in np.eye(len(at))
    ]
    np.testing.assert_allclose(problem.expand(at).gradient, expected, rtol=1e-5, atol=1e-5)


def test_evidence_and_prior_do_not_change_when_loadings_are_rotated():
    shape, rows = layout("low rank"), asked()
    y = np.random.default_rng(4).normal(size=len(rows))
    vector = somewhere(shape)
    parts = shape.split(vector)
    turn = np.array([[np.cos(1), -np.sin(1)], [np.sin(1), np.cos(1)]])
    turned = shape.join({**parts, "loadings": parts["loadings"].reshape(4, 2) @ turn})
    here, there = (Problem(shape, rows, y).expand(one).value for one in (vector, turned))
    assert here == pytest.approx(there, rel=1e-12)


def test_the_prior_of_loadings_is_the_normal_that_is_claimed():
    shape, numbers = layout("low rank"), 2
    vector = start_parameters(shape, numbers, np.random.default_rng(5))
    parts = shape.split(vector)
    zero = shape.join({**parts, "loadings": np.zeros(8)})
    precision = np.linalg.inv(0.5**2 * np.eye(4) + 0.7**2)
    w = parts["loadings"].reshape(4, 2)
    expected = -0.5 * np.trace(w.T @ precision @ w)
    found = weigh_parameters(shape, vector, numbers).value
    assert found - weigh_parameters(shape, zero, numbers).value == pytest.approx(expected)


def test_a_part_is_spread_evenly_over_judges():
    judge = np.repeat([0, 1, 2], [100, 50, 3])
    part = spread_out(judge, 43, np.random.default_rng(1))
    assert np.bincount(judge[part]).tolist() == [20, 20, 3]
    assert len(np.unique(part)) == 43
