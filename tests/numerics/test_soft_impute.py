"""Completion of a table: the optimum, by its conditions, by a gap, and by an outside solver."""

import numpy as np
import pytest

from evenhand.errors import NotConverged
from evenhand.numerics import completion
from evenhand.numerics.completion import SeenCells, SoftImpute


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


def test_from_the_largest_tau_on_nothing_but_effects_is_left():
    cells, value = problem(6)
    one = SoftImpute(cells, value)
    above, below = one.path([1.001 * one.largest_tau(), 0.97 * one.largest_tau()], 1e-9)
    assert above.rank == 0
    assert below.rank >= 1
    np.testing.assert_allclose(above.fill(), one.effects().table())


def test_a_seen_cell_of_weight_two_is_two_cells():
    """Convex in the ratings: a mean with weight 2 has the optimum of two ratings of one cell."""
    cells, value = problem(9)
    tau = 0.3 * SoftImpute(cells, value).largest_tau()
    heavy = SeenCells(cells.row, cells.column, 2 * cells.weight, cells.shape)
    (plain,) = SoftImpute(cells, value).path([tau], 1e-11)
    (twice,) = SoftImpute(heavy, value).path([2 * tau], 1e-11)
    np.testing.assert_allclose(plain.fill(), twice.fill(), atol=1e-3)


def test_a_gap_that_is_not_reached_is_refused(monkeypatch):
    monkeypatch.setattr(completion, "MAX_STEPS", 5)
    cells, value = problem(12)
    one = SoftImpute(cells, value)
    with pytest.raises(NotConverged, match="did not converge in 5 steps"):
        list(one.path([0.1 * one.largest_tau()], 1e-12))
