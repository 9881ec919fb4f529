"""Effects of rows and columns: by least squares, and which of several solutions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.numerics.completion import SeenCells


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


def test_an_unseen_row_has_the_mean_effect_of_the_others():
    cells = SeenCells(np.array([0, 0, 2, 2]), np.array([0, 1, 0, 1]), np.ones(4), (3, 2))
    found = cells.effects(np.array([1.0, 2.0, 5.0, 6.0]))
    assert found.row[1] == pytest.approx(found.row[[0, 2]].mean())
    np.testing.assert_allclose(found.table()[[0, 2]], [[1, 2], [5, 6]], atol=1e-12)


def test_one_cell_a_column_gives_a_row_what_its_cells_have_above_the_mean():
    """n/(n + 1) of it, by hand: the minimum of a² + Σ b² with a + b = y."""
    cells = SeenCells(np.array([0, 0, 0, 1]), np.arange(4), np.ones(4), (2, 4))
    found = cells.effects(np.array([1.0, 2.0, 3.0, 10.0]))
    np.testing.assert_allclose(found.row, [0.75 * (2 - 4), 0.5 * (10 - 4)])
