"""Errors of simple predictions: by hand, and by drawing."""

import numpy as np
import pytest

from evenhand.rating.baselines import compare_errors, errors_of, find_errors
from evenhand.rating.matrix import make_matrix
from rating.rated_matrices import make_rows

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


def test_differences_are_paired_and_clustered_by_output():
    """The sandwich of a mean by hand: two outputs of two cells each."""
    zero = errors_of(np.zeros(4))
    names = ("random draw", "judge mean", "output mean", "judge + output")
    errors = {**{name: errors_of(np.array([1.0, 1.0, 3.0, 3.0])) for name in names}}
    rows = compare_errors({**errors, "completion": zero}, np.array([5, 5, 9, 9]), 0.95)
    more = rows[0].mae_more
    stderr = np.sqrt(2 * (2**2 + 2**2)) / 4
    assert more.estimate == 2
    assert more.upper - more.estimate == pytest.approx(1.959964 * stderr, rel=1e-6)
    assert rows[0].rmse == pytest.approx(np.sqrt(5))
    assert rows[-1].mae_more is None
