"""Errors of simple predictions: by hand, and by drawing."""

import numpy as np
import pytest
from scipy.stats import t

from evenhand.numerics.cluster_means import choose_clusters
from evenhand.ratings.matrix import (
    compare_errors,
    errors_of,
    find_errors,
    make_matrix,
)
from ratings.rated_matrices import make_rows

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


def test_differences_are_paired_and_clustered_by_judge_and_item():
    """Few judges: two items of two cells each, the jackknife of their means by hand."""
    zero = errors_of(np.zeros(4))
    names = ("random draw", "judge mean", "output mean", "judge + output")
    errors = {name: errors_of(np.array([1.0, 1.0, 3.0, 3.0])) for name in names}
    item, judge = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    ways = choose_clusters({"judge": judge, "item": item})
    rows = compare_errors({**errors, "completion": zero}, "completion", ways, 0.95)
    more = rows[0].mae_more
    assert more.value == 2
    assert more.stderr == pytest.approx(1.0)  # means of 1 and 3
    assert more.upper - more.value == pytest.approx(t.ppf(0.975, 1))
    assert rows[0].rmse == pytest.approx(np.sqrt(5))
    assert rows[-1].mae_more is None
    alone = choose_clusters({"judge": judge, "item": np.zeros(4, dtype=int)})
    assert (
        compare_errors({**errors, "completion": zero}, "completion", alone, 0.95)[0].mae_more
        is None
    )


def test_a_mean_of_two_answers_counts_twice():
    """Judge 0 gave item 0 a 1 and a 3, item 1 a 6; held out is item 2, and judge 1's item 0."""
    score = np.array([1.0, 3.0, 6.0, 5.0, 4.0, 8.0])
    matrix = make_matrix(make_rows([0, 0, 0, 0, 1, 1], [0, 0, 1, 2, 0, 1], score, (2, 3)))
    held = np.array([False, False, True, True, False])
    errors = find_errors(matrix.take(~held), matrix.take(held))
    mean = (2 * 2 + 6) / 3
    np.testing.assert_allclose(errors["judge mean"].absolute, [5 - mean, 4])
    np.testing.assert_allclose(errors["output mean"].absolute[1], 2)
    np.testing.assert_allclose(errors["random draw"].absolute, [(2 * 3 + 1) / 3, 4])
    np.testing.assert_allclose(errors["random draw"].squared, [(2 * 9 + 1) / 3, 16])


def test_the_interval_of_an_rmse_is_that_of_its_slopes():
    """d√m = dm / 2√m: squares ±4 about 5 move the root by 2/√5 where errors move the mean by 1."""
    names = ("random draw", "judge mean", "output mean", "judge + output")
    errors = {name: errors_of(np.array([1.0, 1.0, 3.0, 3.0])) for name in names}
    zero = errors_of(np.zeros(4))
    ways = choose_clusters({"judge": np.array([0, 1, 0, 1]), "item": np.array([0, 0, 1, 1])})
    first = compare_errors({**errors, "completion": zero}, "completion", ways, 0.95)[0]
    root, mean = (one.upper - one.lower for one in (first.rmse_more, first.mae_more))
    assert first.rmse == pytest.approx(np.sqrt(5))
    assert root / mean == pytest.approx(2 / np.sqrt(5))
