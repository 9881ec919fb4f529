"""Newton's method against scipy.optimize and closed forms, and what it says when it fails."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize, rosen, rosen_der
from threadpoolctl import threadpool_info

from evenhand.errors import NotConverged
from evenhand.numerics import newton
from evenhand.numerics.newton import (
    Expansion,
    climb,
    invert_positive,
    maximise,
    one_blas_thread,
    solve_columns,
    solve_step,
)


def logistic(seed, rows=60, columns=4):
    """A logistic regression: its expansion, and its log-likelihood alone."""
    rng = np.random.Generator(np.random.PCG64(seed))
    x = rng.normal(size=(rows, columns))
    y = (rng.random(rows) < 1 / (1 + np.exp(-x @ np.linspace(-1, 1, columns)))).astype(float)

    def value(beta):
        eta = x @ beta
        return float(y @ eta - np.logaddexp(0, eta).sum())

    def expand(beta):
        p = 1 / (1 + np.exp(-x @ beta))
        return Expansion(value(beta), x.T @ (y - p), x.T @ ((p * (1 - p))[:, None] * x))

    return expand, value


@pytest.mark.parametrize("seed", range(4))
def test_the_maximum_is_where_scipy_finds_it(seed):
    """scipy.optimize.minimize(method="BFGS")."""
    expand, value = logistic(seed)
    found = maximise(expand, np.zeros(4))
    oracle = minimize(lambda beta: -value(beta), np.zeros(4), method="BFGS", options={"gtol": 1e-7})
    np.testing.assert_allclose(found.at, oracle.x, rtol=0, atol=1e-5)
    assert found.expansion.value == value(found.at)
    assert np.abs(found.expansion.gradient).max() < 1e-7
    assert found.steps <= 10
    assert 0 <= found.decrement <= newton.QUADRATIC * abs(found.expansion.value) * 1.01


def test_a_step_that_overshoots_is_halved_until_it_gains_its_share():
    """−log cosh x: the full Newton step from 2 lands at −11.6, from where it would diverge."""
    seen = []

    def expand(x):
        seen.append(float(x[0]))
        value, slope = -float(np.logaddexp(x[0], -x[0])), np.tanh(x[0])
        return Expansion(value, np.array([-slope]), np.array([[1 - slope**2]]))

    found = maximise(expand, np.array([2.0]))
    assert found.at[0] == pytest.approx(0, abs=1e-7)
    assert seen[1] == pytest.approx(2 - np.tanh(2) / (1 - np.tanh(2) ** 2))
    assert seen[2] == pytest.approx((2 + seen[1]) / 2)
    assert abs(seen[3] - 2) == pytest.approx(abs(seen[1] - 2) / 4)


@pytest.mark.parametrize("unit", [1e-8, 1e-3, 1e4])
def test_neither_the_unit_of_the_function_nor_of_its_parameters_matters(unit):
    """Weights may be hundredths, a covariate may be a year: the same point, equally exact."""
    expand, _ = logistic(2)

    def weighted(beta):
        one = expand(beta)
        return Expansion(unit * one.value, unit * one.gradient, unit * one.information)

    def stretched(beta):
        one = expand(unit * beta)
        return Expansion(one.value, unit * one.gradient, unit**2 * one.information)

    exact = maximise(expand, np.zeros(4)).at
    np.testing.assert_allclose(maximise(weighted, np.zeros(4)).at, exact, rtol=1e-9)
    np.testing.assert_allclose(unit * maximise(stretched, np.zeros(4)).at, exact, rtol=1e-9)


def test_a_function_that_rises_for_ever_does_not_converge():
    def expand(x):
        return Expansion(float(x[0]), np.ones(1), np.array([[1e-3]]))

    with pytest.raises(NotConverged, match="no clear maximum"):
        maximise(expand, np.zeros(1))


def test_a_function_that_bends_the_wrong_way_is_no_maximum():
    """At a minimum the Newton decrement is negative: it must not count as small."""

    def expand(x):
        return Expansion(float((x[0] - 1) ** 2), np.array([2 * (x[0] - 1)]), np.array([[-2.0]]))

    with pytest.raises(NotConverged, match="no clear maximum"):
        maximise(expand, np.zeros(1))


def test_a_singular_matrix_is_refused_in_words():
    singular = np.ones((2, 2))
    for attempt in (lambda: solve_step(singular, np.ones(2)), lambda: invert_positive(singular)):
        with pytest.raises(NotConverged, match="not determined by the data"):
            attempt()
    with pytest.raises(NotConverged, match="not determined by the data"):
        invert_positive(np.diag([1.0, -1.0]))


@pytest.mark.parametrize("n", [newton.MAX_DIRECT, newton.MAX_DIRECT + 1, 3 * newton.MAX_DIRECT])
def test_a_path_has_the_inverse_of_its_closed_form(n):
    """Links 0-1-2-...-n of weight w, 0 grounded: (A⁻¹)_ij = Σ 1/w of the links up to min(i, j)."""
    weights = np.random.Generator(np.random.PCG64(n)).uniform(0.1, 10, n)
    matrix = np.diag(weights + np.append(weights[1:], 0.0))
    matrix -= np.diag(weights[1:], 1) + np.diag(weights[1:], -1)
    reach = np.cumsum(1 / weights)
    places = np.arange(n)
    exact = reach[np.minimum(places[:, None], places)]
    np.testing.assert_allclose(invert_positive(matrix), exact, rtol=1e-9)


@dataclass(frozen=True)
class At:
    value: float
    gradient: np.ndarray


def banana(x, before=None):
    return At(-rosen(x), -rosen_der(x))


def near(step):
    return float(np.abs(step).max())


def test_the_maximum_of_a_bent_valley_is_found_from_a_poor_guess():
    """Rosenbrock (1960): the extremum is at (1, 1, 1)."""
    start = np.array([-1.2, 1.0, 1.0])
    at, last, _ = climb(
        banana, (start, banana(start)), np.eye(3) * 100, tolerance=1e-20, reach=near
    )
    np.testing.assert_allclose(at, 1, atol=1e-8)
    assert last.value == pytest.approx(0, abs=1e-12)


def test_what_has_no_maximum_is_refused():
    def slope(x, before=None):
        return At(float(x[0]), np.ones(1))

    start = np.zeros(1)
    with pytest.raises(NotConverged, match="no clear maximum"):
        climb(slope, (start, slope(start)), np.eye(1), tolerance=1e-12, reach=near)


def test_a_gradient_that_points_the_wrong_way_is_refused():
    def wrong(x, before=None):
        return At(-float(x[0]), np.ones(1))

    start = np.zeros(1)
    with pytest.raises(NotConverged, match="no step gains"):
        climb(wrong, (start, wrong(start)), np.eye(1), tolerance=1e-12, reach=near)


def centre(vector):
    return vector - vector.mean()


def laplacian(n, seed, extra=2):
    """Weighted Laplacian of a connected random graph."""
    rng = np.random.Generator(np.random.PCG64(seed))
    table = np.zeros((n, n))
    ring = np.arange(n)
    table[ring, np.roll(ring, 1)] = rng.uniform(0.5, 2, n)
    more = rng.integers(0, n, (extra * n, 2))
    table[more[:, 0], more[:, 1]] += rng.uniform(0, 3, len(more))
    np.fill_diagonal(table, 0)
    table = table + table.T
    return np.diag(table.sum(axis=1)) - table, rng


@given(n=st.integers(1, 30), seed=st.integers(0, 1000))
def test_positive_definite_systems_are_solved(n, seed):
    """numpy.linalg.solve."""
    rng = np.random.Generator(np.random.PCG64(seed))
    root = rng.normal(size=(n, n))
    matrix, right = root @ root.T + np.eye(n), rng.normal(size=n)
    found = solve_columns(matrix.__matmul__, right[:, None], np.diag(matrix))[:, 0]
    np.testing.assert_allclose(found, np.linalg.solve(matrix, right), rtol=1e-8, atol=1e-9)


@given(n=st.integers(3, 40), seed=st.integers(0, 1000))
def test_a_laplacian_is_solved_with_the_sum_zero_gauge(n, seed):
    """numpy.linalg.pinv; the solution sums to zero."""
    matrix, rng = laplacian(n, seed)
    right = centre(rng.normal(size=n))
    found = solve_columns(matrix.__matmul__, right[:, None], np.diag(matrix), project=centre)[:, 0]
    np.testing.assert_allclose(found, np.linalg.pinv(matrix) @ right, rtol=1e-7, atol=1e-9)
    assert found.sum() == pytest.approx(0, abs=1e-10)


def test_too_few_iterations_give_none_and_no_half_way_answer():
    matrix, rng = laplacian(40, 3)
    right = centre(rng.normal(size=40))
    few = {"project": centre, "limit": 3}
    assert solve_columns(matrix.__matmul__, right[:, None], np.diag(matrix), **few) is None


def threads() -> list[int]:
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_blas_has_one_thread_inside_the_block_and_as_many_as_before_after_it():
    before = threads()
    with one_blas_thread():
        assert set(threads()) <= {1}
    assert threads() == before
