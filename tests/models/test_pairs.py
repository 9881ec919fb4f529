"""Weights of pairs as matrices and sums, as by hand."""

import numpy as np
import pytest

from evenhand.models.design import plain_design
from evenhand.models.large import Pairs
from tallies import tally

ROWS = [("A", "B", 1, 0, 0), ("A", "D", 1, 0, 0), ("D", "A", 1, 0, 0), ("D", "C", 1, 0, 0)]
WEIGHTS = np.array([1.0, 2.0, 4.0, 8.0])
TABLE = [[0, 1, 0, 6], [1, 0, 0, 0], [0, 0, 0, 8], [6, 0, 8, 0]]


@pytest.fixture(params=[True, False], ids=["table", "sparse"])
def pairs(request):
    """Two systems are never on the left, and one pair is shown both ways."""
    return Pairs(plain_design(tally(*ROWS, systems="ABCD"), 3), dense=request.param)


def test_the_weight_of_a_pair_is_that_of_both_its_orders(pairs):
    assert (pairs.matrix(WEIGHTS) @ np.eye(4)).tolist() == TABLE


def test_what_left_gains_right_loses(pairs):
    assert pairs.sum_out(WEIGHTS).tolist() == [1 + 2 - 4, -1, -8, 4 + 8 - 2]


def test_differences_are_of_left_less_right(pairs):
    worths = np.array([1.0, 2.0, 4.0, 8.0])
    assert pairs.differ(worths, slice(1, 4)).tolist() == [-7, 7, 4]
