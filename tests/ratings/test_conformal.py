"""Half widths of intervals: order statistics, their weights, and what they hold."""

import numpy as np
import pytest

from evenhand.data.tally import Factor
from evenhand.ratings.completion import (
    find_half_widths,
    half_widths,
)
from evenhand.ratings.matrix import (
    find_errors,
    make_matrix,
    split_ratings,
)
from ratings.rated_matrices import make_rows


def test_the_half_width_is_the_order_statistic_of_the_definition():
    rng = np.random.default_rng(1)
    for n in (8, 9, 10, 19, 79, 80):
        residual = rng.normal(size=n)
        place = int(np.ceil(round((n + 1) * 0.9, 9)))
        expected = np.sort(np.abs(residual))[place - 1] if place <= n else np.inf
        assert half_widths(residual, np.zeros(n, int), 1, 0.9)[0] == expected


def two_groups(further=()):
    """Two judges of 40 outputs, the first of which a third judge rated: 12 of each held out."""
    judge, item = np.divmod(np.arange(80), 40)
    score = np.random.default_rng(5).normal(0, np.where(judge == 0, 1.0, 9.0))
    kept = np.r_[np.arange(30), 40 + np.arange(10, 40)]
    matrix = make_matrix(make_rows(judge[kept], item[kept], score[kept], (2, 40)), further)
    held = (matrix.cells.column >= 14) & (matrix.cells.column < 26)
    groups = Factor.of(("a", "b"), np.array([0, 1, *(0 for _ in further)]))
    return matrix, split_ratings(matrix, held), groups


@pytest.mark.parametrize("missing", ["at random", "by value"])
def test_widths_are_from_the_residuals_of_the_own_group(missing):
    """Predictions are 0 throughout, so that all weigh alike; 12 residuals of each: the 12th."""
    matrix, split, groups = two_groups()
    held = split.tested
    widths = find_half_widths(np.zeros(matrix.shape), split, groups, (0.9, missing))
    strange = (matrix.cells.column >= 14) & (matrix.cells.column < 26)
    assert strange.sum() == len(held.value) == 24
    assert not split.known.any()  # both ratings of these outputs are held out
    absent = ~matrix.seen()
    assert np.isinf(np.broadcast_to(widths, matrix.shape)[absent]).all()
    known = split_ratings(matrix, held_alone(matrix))
    widths = find_half_widths(np.zeros(matrix.shape), known, groups, (0.9, missing))
    for judge in range(2):
        own = np.abs(known.tested.value[known.tested.cells.row == judge])
        assert len(own) == 9
        found = np.broadcast_to(widths, matrix.shape)[judge][absent[judge]]
        assert set(found.tolist()) == {own.max()}


def held_alone(matrix):
    """Nine ratings of each judge, of outputs whose other rating is learned from."""
    column, row = matrix.cells.column, matrix.cells.row
    first = (row == 0) & (column >= 10) & (column < 19)
    return first | ((row == 1) & (column >= 19) & (column < 28))


# Errors of simple predictions: by hand, and by drawing.


JUDGE = [0, 0, 0, 1, 1, 0, 1, 2]
ITEM = [0, 1, 2, 0, 1, 3, 2, 3]
SCORE = np.array([1.0, 2.0, 6.0, 4.0, 8.0, 3.0, 5.0, 7.0])


@pytest.fixture
def parts():
    matrix = make_matrix(make_rows(JUDGE, ITEM, SCORE, (3, 4)))
    held = np.array([False, False, False, False, True, False, True, True])
    return matrix.take(~held), matrix.take(held)


def test_means_and_draws_are_those_of_the_definition(parts):
    """Cells in order of judge and item: held out are judge 1's items 0 and 2, judge 2's item 3."""
    errors = find_errors(*parts)
    assert parts[1].value.tolist() == [4, 5, 7]
    every = np.array([1, 2, 6, 3, 8.0])
    np.testing.assert_allclose(errors["judge mean"].absolute, [4, 3, 7 - every.mean()])
    np.testing.assert_allclose(errors["output mean"].absolute, [3, 1, 4])
    drawn = [4.0, 3.0, np.abs(7 - every).mean()]
    np.testing.assert_allclose(errors["random draw"].absolute, drawn)
    np.testing.assert_allclose(errors["random draw"].squared[2], ((7 - every) ** 2).mean())
