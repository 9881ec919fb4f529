"""The linear programme on designs whose answer is known in closed form."""

import numpy as np
import pytest
from scipy import sparse

from evenhand.numerics.graph import find_recession, find_separated


def binary_rows(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Rows of a logit model: x with the sign of the outcome."""
    return np.where(y, 1, -1)[:, None] * x


def two_by_two(counts: list[int]) -> np.ndarray:
    """Intercept and one group dummy; counts of (group 0, y = 0), (0, 1), (1, 0), (1, 1)."""
    group, y = np.repeat([0, 0, 1, 1], counts), np.repeat([0, 1, 0, 1], counts)
    return binary_rows(np.stack((np.ones(group.size), group), axis=1), y == 1)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_overlapping_outcomes_have_a_maximum(form):
    found = find_recession(form(two_by_two([2, 3, 1, 4])))
    assert found.exists
    assert found.separated.size == found.infinite.size == 0


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_an_empty_cell_of_a_two_by_two_table_makes_only_its_group_infinite(form):
    """The intercept is ln(3/2) from the other group; the dummy's estimate is +∞."""
    found = find_recession(form(two_by_two([2, 3, 0, 4])))
    assert not found.exists
    assert found.aliased is None
    assert found.separated.tolist() == [5, 6, 7, 8]
    assert found.infinite.tolist() == [1]


def test_a_tied_threshold_leaves_the_tied_rows_alone():
    """Quasi-separation: at x = 3 both outcomes occur, so b0 + 3 b1 stays finite."""
    x = np.array([0, 1, 3, 3, 4, 5.0])
    y = np.array([0, 0, 0, 1, 1, 1]) == 1
    found = find_recession(binary_rows(np.stack((np.ones(6), x), axis=1), y))
    assert found.separated.tolist() == [0, 1, 4, 5]
    assert found.infinite.tolist() == [0, 1]


def test_an_aliased_column_is_named_by_its_combination_whatever_its_scale():
    rng = np.random.Generator(np.random.PCG64(1))
    x = rng.normal(size=(40, 2)) * (1, 1e6)
    twice = np.column_stack((x, x[:, 0] + 2 * x[:, 1]))
    rows = binary_rows(twice, rng.random(40) < 0.5)
    found = find_recession(rows)
    assert not found.exists
    assert found.separated.size == 0
    null = found.aliased
    assert np.abs(null).max() == 1
    assert null / null[2] == pytest.approx([-1, -2, 1])


def test_a_column_without_entries_is_aliased():
    found = find_recession(np.column_stack((two_by_two([2, 3, 1, 4]), np.zeros(10))))
    assert found.aliased.tolist() == [0, 0, 1]


def test_no_rows_identify_nothing():
    assert not find_recession(np.zeros((0, 2))).exists
    assert find_recession(np.zeros((0, 0))).exists


@pytest.mark.parametrize("length", [2, 12, 40])
def test_a_chain_of_differences_is_separated_to_its_end(length):
    """A beat B, B beat C, ...: every row is separated, although the directions are many."""
    rows = np.eye(length) - np.eye(length, k=1)
    assert find_separated(rows).tolist() == list(range(length))
