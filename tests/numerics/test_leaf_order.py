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
