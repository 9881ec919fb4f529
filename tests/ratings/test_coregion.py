"""The covariance of judges' processes, its parameters, and the surface that is climbed."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from evenhand.numerics.gaussian_process import Points
from evenhand.ratings.process_search import (
    SHARINGS,
    JudgedPoints,
    Layout,
    Problem,
    condition,
    find_uncertainty,
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


# What is believed of outputs, beside formulas with numpy and a fit of scikit-learn's kind.


@pytest.fixture
def outputs():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(40, 3))
    labels = np.stack([rng.integers(2, size=40)], axis=1)
    return Points(x, labels), 50 + 10 * x[:, 0] + 5 * labels[:, 0] + rng.normal(0, 2, 40)


def kernel(a, b, vector):
    """Strength, length scales and noise are read from the vector as process_priors.py has them."""
    strength, scales = np.exp(2 * vector[0]), np.exp(vector[1:5])
    apart = (((a.numbers[:, None] - b.numbers) / scales[:3]) ** 2).sum(axis=2)
    apart = apart + (a.labels[:, None, 0] != b.labels[:, 0]) / scales[3] ** 2
    return strength * np.exp(-0.5 * apart) + 1.0


def test_means_and_variances_are_those_of_the_formula(outputs):
    points, target = outputs
    known, others = np.arange(25), np.arange(25, 40)
    vector = np.array([0.2, 0.1, 0.7, 0.9, 0.3, -1.5])
    process = condition(points.take(known), target[known], vector)
    y = (target[known] - target[known].mean()) / target[known].std()
    inner = kernel(points.take(known), points.take(known), vector)
    inner += (np.exp(-1.5) + 1e-6) * np.eye(25)
    cross = kernel(points.take(others), points.take(known), vector)
    mean = target[known].mean() + target[known].std() * (cross @ np.linalg.solve(inner, y))
    whole = kernel(points.take(others), points.take(others), vector)
    left = whole - cross @ np.linalg.solve(inner, cross.T)
    found, deviation = process.predict(points.take(others))
    assert found == pytest.approx(mean, abs=1e-8)
    assert process.predict_mean(points.take(others)) == pytest.approx(mean, abs=1e-8)
    assert deviation == pytest.approx(target[known].std() * np.sqrt(np.diag(left)), abs=1e-7)
    some = points.take(others)
    assert process.covariance(some, some) == pytest.approx(left, abs=1e-9)
