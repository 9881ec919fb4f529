"""What is believed of outputs, beside formulas with numpy and a fit of scikit-learn's kind."""

import numpy as np
import pytest

from evenhand.numerics.gaussian_process import Points
from evenhand.ratings.process_search import begin, condition, relearn


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


def test_labels_that_are_all_alike_leave_parameters_and_foresee_that_label(outputs):
    points, _ = outputs
    same = np.full(40, 7.0)
    vector = relearn(points, same, begin(points), 500, np.random.default_rng(0))
    assert vector.tolist() == begin(points).tolist()
    assert condition(points, same, vector).predict_mean(points) == pytest.approx(np.full(40, 7.0))


def test_a_warm_search_ends_where_a_cold_one_does(outputs):
    points, target = outputs
    rng = np.random.default_rng(0)
    warm = relearn(points.take(np.arange(12)), target[:12], begin(points), 500, rng)
    ends = [relearn(points, target, start, 500, rng) for start in (warm, begin(points))]
    found = [condition(points, target, end).predict_mean(points) for end in ends]
    assert found[0] == pytest.approx(found[1], abs=0.1)


def test_features_that_do_not_matter_have_longer_scales(outputs):
    points, target = outputs
    vector = relearn(points, target, begin(points), 500, np.random.default_rng(0))
    scales = condition(points, target, vector).at.log_scales
    assert scales[0] < min(scales[1], scales[2])
