"""Completion of a table: the optimum, by its conditions, by a gap, and by an outside solver."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import NotConverged
from evenhand.numerics import completion
from evenhand.numerics.completion import SeenCells, SoftImpute, shrink


def problem(seed=0, shape=(12, 30), many=150, weights=(1, 2)):
    rng = np.random.default_rng(seed)
    m, n = shape
    row, column = np.divmod(rng.choice(m * n, many, replace=False), n)
    truth = rng.normal(size=(m, 2)) @ rng.normal(size=(2, n)) + rng.normal(size=(m, 1))
    weight = rng.integers(*weights, many).astype(float)
    return SeenCells(row, column, weight, shape), truth[row, column] + rng.normal(0, 0.3, many)


def low_rank(found):
    """Z as a dense (m, n) table."""
    table = found.table.left @ found.table.right.T
    return table.T if found.turned else table


def objective(cells, value, tau, Z):
    """½ Σ w e² + τ ‖Z‖_* with effects by numpy's least squares."""
    X = np.hstack([np.eye(cells.shape[0])[cells.row], np.eye(cells.shape[1])[cells.column]])
    root, left = np.sqrt(cells.weight), value - Z[cells.row, cells.column]
    beta = np.linalg.lstsq(X * root[:, None], left * root, rcond=None)[0]
    fit = 0.5 * (cells.weight @ (left - X @ beta) ** 2)
    return fit + tau * np.linalg.norm(Z, "nuc"), cells.weight * (left - X @ beta)


@pytest.mark.parametrize("shape", [(12, 30), (30, 12), (20, 21)])
@pytest.mark.parametrize("weights", [(1, 2), (1, 4)])
def test_the_optimality_conditions_hold(shape, weights):
    """R = w e has ‖R‖₂ ≤ τ, and R = τ U Vᵀ on the singular vectors of Z (Watson, 1992)."""
    cells, value = problem(1, shape, weights=weights)
    one = SoftImpute(cells, value)
    tau = 0.4 * one.largest_tau()
    (found,) = one.path([tau], 1e-11)
    Z = low_rank(found)
    R = np.zeros(shape)
    R[cells.row, cells.column] = objective(cells, value, tau, Z)[1]
    assert np.linalg.norm(R, 2) <= tau * (1 + 1e-4)
    u, s, vt = np.linalg.svd(Z)
    k = found.rank
    assert s[k - 1] > 1e-6
    np.testing.assert_allclose(u[:, :k].T @ R @ vt[:k].T, tau * np.eye(k), atol=2e-3 * tau)


def test_the_gap_is_never_less_than_what_is_missing_to_the_optimum():
    cells, value = problem(2)
    tau = 0.3 * SoftImpute(cells, value).largest_tau()
    (best,) = SoftImpute(cells, value).path([tau], 1e-12)
    for tolerance in (1e-1, 1e-2, 1e-3, 1e-4):
        (rough,) = SoftImpute(cells, value).path([tau], tolerance)
        missing = rough.objective - best.objective
        assert -1e-9 <= missing <= rough.gap * (1 + 1e-9)


def test_the_objective_is_the_one_that_is_said_and_lower_than_nearby():
    cells, value = problem(3)
    one = SoftImpute(cells, value)
    tau = 0.35 * one.largest_tau()
    (found,) = one.path([tau], 1e-11)
    Z = low_rank(found)
    here = objective(cells, value, tau, Z)[0]
    assert found.objective == pytest.approx(here, rel=1e-9)
    rng = np.random.default_rng(4)
    for size in (1e-1, 1e-2, 1e-3):
        step = size * rng.normal(size=Z.shape)
        assert objective(cells, value, tau, Z + step)[0] > here - 1e-9


def test_a_gap_that_is_not_reached_is_refused(monkeypatch):
    monkeypatch.setattr(completion, "MAX_STEPS", 5)
    cells, value = problem(12)
    one = SoftImpute(cells, value)
    with pytest.raises(NotConverged, match="did not converge in 5 steps"):
        list(one.path([0.1 * one.largest_tau()], 1e-12))


@pytest.mark.parametrize("shape", [(30, 8), (9, 8), (6, 6)])
@pytest.mark.parametrize("tau", [0.1, 2.0, 5.0])
def test_both_routes_move_singular_values_alike(shape, tau):
    """numpy.linalg.svd is the reference."""
    table = np.random.default_rng(1).normal(size=shape)
    u, s, vt = np.linalg.svd(table, full_matrices=False)
    expected = (u * np.maximum(s - tau, 0)) @ vt
    found = shrink(table, tau)
    np.testing.assert_allclose(found.left @ found.right.T, expected, atol=1e-10)
    assert found.norm == pytest.approx(np.maximum(s - tau, 0).sum())


def some_cells(seed: int, shape=(7, 5), many=20) -> tuple[SeenCells, np.ndarray]:
    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.choice(shape[0] * shape[1], many, replace=False))
    row, column = np.divmod(chosen, shape[1])
    weight = rng.integers(1, 4, many).astype(float)
    return SeenCells(row, column, weight, shape), rng.normal(size=many)


def design(cells: SeenCells) -> np.ndarray:
    return np.hstack([np.eye(cells.shape[0])[cells.row], np.eye(cells.shape[1])[cells.column]])


@given(st.integers(0, 10_000), st.sampled_from([(7, 5), (5, 7), (4, 9)]), st.integers(5, 20))
def test_residuals_are_those_of_least_squares(seed, shape, many):
    """numpy.linalg.lstsq on the dummy variables, however the cells hang together."""
    cells, value = some_cells(seed, shape, many)
    root = np.sqrt(cells.weight)
    X = design(cells)
    beta = np.linalg.lstsq(X * root[:, None], value * root, rcond=None)[0]
    np.testing.assert_allclose(cells.leave(value), value - X @ beta, atol=1e-9)


@given(st.integers(0, 10_000), st.integers(3, 20))
def test_of_several_solutions_the_smallest_is_taken(seed, many):
    """lstsq returns the solution of minimum norm; the mean of what is seen is taken out first."""
    cells, value = some_cells(seed, many=many)
    found = cells.effects(value)
    mean = cells.weight @ value / cells.weight.sum()
    root = np.sqrt(cells.weight)
    beta = np.linalg.lstsq(design(cells) * root[:, None], (value - mean) * root, rcond=None)[0]
    rows, columns = cells.seen_rows, cells.seen_columns
    np.testing.assert_allclose(found.row[rows], beta[:7][rows], atol=1e-8)
    np.testing.assert_allclose(found.column[columns], beta[7:][columns], atol=1e-8)


def test_one_cell_a_column_gives_a_row_what_its_cells_have_above_the_mean():
    """n/(n + 1) of it, by hand: the minimum of a² + Σ b² with a + b = y."""
    cells = SeenCells(np.array([0, 0, 0, 1]), np.arange(4), np.ones(4), (2, 4))
    found = cells.effects(np.array([1.0, 2.0, 3.0, 10.0]))
    np.testing.assert_allclose(found.row, [0.75 * (2 - 4), 0.5 * (10 - 4)])
