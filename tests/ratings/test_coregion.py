"""The covariance of judges' processes, its parameters, and the surface that is climbed."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from evenhand.numerics.gaussian_process import Points
from evenhand.ratings import judge_process
from evenhand.ratings.process_search import (
    SHARINGS,
    JudgedPoints,
    Layout,
    Problem,
    find_uncertainty,
    read_parameters,
    search,
    start_parameters,
    weigh_parameters,
)


def judged(n=24, judges=4, seed=1):
    rng = np.random.default_rng(seed)
    judge = np.sort(np.r_[np.arange(judges), rng.integers(0, judges, n - judges)])
    return JudgedPoints(judge, Points(rng.normal(size=(n, 2)), rng.integers(0, 3, (n, 1))))


def layout(sharing, *, own=True):
    return Layout(sharing, 4, 2 if sharing == "low rank" else 1, 3, own, own)


def somewhere(shape, seed=2):
    rng = np.random.default_rng(seed)
    start = start_parameters(shape, 2, rng)
    return start + rng.normal(0, 0.3, len(start))


def test_the_covariance_is_the_product_that_is_claimed():
    rows, at = judged(6), read_parameters(layout("low rank"), somewhere(layout("low rank")))
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
    np.testing.assert_allclose(np.diag(found), at.variances(rows), rtol=1e-12)


@pytest.mark.parametrize("sharing", SHARINGS)
@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("few", [True, False])
def test_the_gradient_is_that_of_finite_differences(sharing, own, few):
    shape, rows = layout(sharing, own=own), judged()
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
    shape, rows = layout("low rank"), judged()
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
    found = weigh_parameters(shape, vector, numbers)[0]
    assert found - weigh_parameters(shape, zero, numbers)[0] == pytest.approx(expected)


@pytest.mark.parametrize("sharing", SHARINGS)
@pytest.mark.parametrize("own", [True, False])
def test_the_prior_is_that_of_scipy(sharing, own):
    """Up to a constant: its change between two vectors of parameters."""
    shape = layout(sharing, own=own)
    start = {"low rank": 0.1, "none": 0.5, "full": 1.0}[sharing]

    def weigh(vector):
        parts = shape.split(vector)
        found = norm(np.log(start), 1).logpdf(parts["private"]).sum()
        found += norm([0.5 * np.log(4)] * 2 + [0.0], 1).logpdf(parts["scales"]).sum()
        common = parts["centre"][0] if own else np.log(0.5)
        found += norm(common, 0.7 if own else 1.0).logpdf(parts["noise"]).sum()
        found += norm(np.log(0.5), 1).logpdf(parts["centre"]).sum()
        found += norm(np.log(0.3), 1).logpdf(parts["spread"]).sum()
        if sharing == "low rank":
            normal = multivariate_normal(np.zeros(4), 0.25 * np.eye(4) + 0.49)
            return found + normal.logpdf(parts["loadings"].reshape(4, 2).T).sum()
        return found + norm(np.log(0.7), 1).logpdf(parts["loadings"]).sum()

    one, other = somewhere(shape, 1), somewhere(shape, 2)
    found = weigh_parameters(shape, one, 2)[0] - weigh_parameters(shape, other, 2)[0]
    assert found == pytest.approx(weigh(one) - weigh(other), rel=1e-9)


def test_what_the_ratings_tell_of_taste_and_noise_is_the_expected_information(monkeypatch):
    """By differences: the mean curvature of -½ log |V| - ½ tr(V⁻¹ V0) in κ and σ²."""
    shape, rows = layout("low rank"), judged(24)
    vector = somewhere(shape)
    problem = Problem(shape, rows, np.zeros(len(rows)))
    top = problem.expand(vector)
    own = rows.take(rows.judge == 1)
    fixed, k = top.at.covariance(own, own)
    fixed[np.diag_indices(len(own))] += top.at.noise[1]

    def expect(change):
        moved = fixed + change[0] * k + change[1] * np.eye(len(own))
        return -0.5 * (np.linalg.slogdet(moved)[1] + np.trace(np.linalg.solve(moved, fixed)))

    h = 1e-4
    steps = [np.array(one) * h for one in ((1, 0), (0, 1))]
    bent = np.array(
        [
            [
                -(expect(a + b) - expect(a - b) - expect(b - a) + expect(-a - b)) / (4 * h * h)
                for b in steps
            ]
            for a in steps
        ]
    )
    correlation = bent[0, 1] / np.sqrt(bent[0, 0] * bent[1, 1])
    assert judge_process.MAX_CORRELATION == 0.95
    for limit in (correlation - 1e-4, correlation + 1e-4):
        monkeypatch.setattr(judge_process, "MAX_CORRELATION", limit)
        assert judge_process.find_separable(problem, top)[1] == (correlation < limit)


def test_the_normal_around_the_likeliest_has_the_curvature_of_differences():
    """Second derivatives of the value alone, by differences, at the top."""
    shape, rows = Layout("full", 4, 1, 3, True, True), judged(60)
    y = np.random.default_rng(3).normal(size=len(rows)) + rows.judge
    problem = Problem(shape, rows, y)
    vector, _ = problem.climb(start_parameters(shape, 2, np.random.default_rng(1)))
    h, p = 1e-3, len(vector)
    step = h * np.eye(p)

    def value(move):
        return problem.expand(vector + move).value

    bent = [
        [(value(a + b) - value(a - b) - value(b - a) + value(-a - b)) / (4 * h * h) for b in step]
        for a in step
    ]
    found = find_uncertainty(problem, vector, 1)
    np.testing.assert_allclose(found.root @ found.root.T, np.linalg.inv(-np.array(bent)), atol=5e-3)


@pytest.mark.slow
def test_three_thousand_ratings_have_the_gradient_of_differences_and_a_top():
    rng = np.random.default_rng(7)
    judges, n = 10, 3000
    judge = np.sort(np.arange(n) % judges)
    place = np.concatenate([rng.permutation(n // judges) for _ in range(judges)])
    x = rng.normal(size=(n // judges, 2))[place]
    w = rng.normal(0.7, 0.3, (judges, 2))
    y = np.sin(2 * x[:, 0]) * w[judge, 0] + np.cos(3 * x[:, 1]) * w[judge, 1]
    y += rng.normal(0, 0.5, judges)[judge] + rng.normal(0, 0.5, n)
    shape = Layout("low rank", judges, 2, 2, True, True)
    points = Points(x, np.zeros((n, 0), dtype=np.int64))
    problem = Problem(shape, JudgedPoints(judge.astype(np.int64), points), (y - y.mean()) / y.std())
    at = start_parameters(shape, 2, rng)
    at += rng.normal(0, 0.2, len(at))
    here, h = problem.expand(at), 1e-4
    for first in np.cumsum([0, *shape.sizes().values()])[:-1]:
        step = h * np.eye(len(at))[first]
        slope = (problem.expand(at + step).value - problem.expand(at - step).value) / (2 * h)
        assert here.gradient[first] == pytest.approx(slope, rel=1e-6, abs=1e-6)
    top = search(problem, np.random.default_rng(1))
    assert top.value > here.value
    assert np.abs(top.gradient).max() < 5
