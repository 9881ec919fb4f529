"""An order in which things that are alike stand side by side."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from evenhand.numerics.sorting import order_leaves


@pytest.mark.parametrize("seed", range(20))
def test_no_group_of_average_linkage_is_torn_apart(seed):
    """The groups are scipy's, at every number of groups."""
    drawn = np.random.default_rng(seed).random((9, 9))
    apart = np.triu(drawn, 1) + np.triu(drawn, 1).T
    order = order_leaves(1 - apart)
    assert sorted(order) == list(range(9))
    tree = linkage(squareform(apart), "average")
    for groups in range(2, 9):
        label = fcluster(tree, groups, "maxclust")[order]
        assert 1 + int((np.diff(label) != 0).sum()) == len(np.unique(label))


def test_things_on_a_line_stand_in_their_order():
    """Positions 0 to 5, shuffled: every neighbour in the order is a neighbour on the line."""
    place = np.array([3, 0, 5, 1, 4, 2]) ** 1.5
    order = order_leaves(-np.abs(place[:, None] - place))
    line = place[order]
    assert line.tolist() in (sorted(place), sorted(place, reverse=True))


def test_one_thing_has_an_order():
    assert order_leaves(np.ones((1, 1))) == [0]
