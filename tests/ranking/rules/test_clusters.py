"""Rank ranges and clusters: by hand, beside WMT's definition."""

import math
from dataclasses import replace

import numpy as np
import pytest

from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.ranking.rules import find_clusters, plan_draws, rank_ranges
from tallies import tally


@pytest.mark.parametrize("runs", [100, 200, 999, 1000])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_ranges_are_those_of_wmt(runs, level):
    """keisks/wmt-trueskill, eval/cluster.py: sort ranks, clip ⌈(n − n level)/2⌉ at both ends."""
    samples = np.random.Generator(np.random.PCG64(runs)).normal(size=(runs, 6)) + np.arange(6) / 2
    best, worst = rank_ranges(samples, level)
    clip = math.ceil((runs - runs * 1.0 * level) / 2.0 - 1e-9)
    for system in range(6):
        ranks = sorted(1 + sum(row > row[system]) for row in samples)
        kept = ranks[clip:-clip]
        assert (best[system], worst[system]) == (kept[0], kept[-1])


def test_equal_scores_take_up_all_their_places():
    samples = np.tile([2.0, 1.0, 1.0, 0.0], (50, 1))
    best, worst = rank_ranges(samples)
    assert best.tolist() == [1, 2, 2, 4]
    assert worst.tolist() == [1, 3, 3, 4]


def test_lines_are_drawn_where_no_range_crosses():
    """WMT16 German-English, official ranges: clusters of 1, 6, 1, 1 and 1 systems."""
    best = np.array([1, 2, 2, 2, 2, 5, 6, 8, 9, 10])
    worst = np.array([1, 5, 5, 5, 6, 7, 7, 8, 9, 10])
    values = -np.arange(10.0)
    assert find_clusters(values, best, worst).tolist() == [1, 2, 2, 2, 2, 2, 2, 3, 4, 5]


def test_a_range_that_reaches_over_a_neighbour_keeps_the_cluster_together():
    best, worst = np.array([1, 2, 3]), np.array([3, 2, 3])
    assert find_clusters(np.array([3.0, 2.0, 1.0]), best, worst).tolist() == [1, 1, 1]


def test_clusters_follow_the_systems_when_they_are_permuted():
    best, worst = np.array([1, 2, 2, 4]), np.array([1, 3, 3, 4])
    values, order = np.array([4.0, 3.0, 2.0, 1.0]), np.array([2, 0, 3, 1])
    found = find_clusters(values[order], best[order], worst[order])
    assert found.tolist() == find_clusters(values, best, worst)[order].tolist()


def test_importance_weights_are_not_drawn_one_by_one():
    one = tally(*(("a", "b", 3.0, 0, 1.0, f"j{j}") for j in range(6)))
    with pytest.raises(InvalidJudgments, match="cannot be drawn with importance weights"):
        plan_draws(replace(one, squares=one.counts), None)


def test_nothing_to_draw_is_refused():
    with pytest.raises(InvalidJudgments, match="no comparisons to draw from"):
        plan_draws(tally(("a", "b", 0, 0, 0)), None)


@pytest.mark.parametrize(
    ("level", "runs", "says"), [(1.5, 100, "level cannot be 1.5"), (0.95, 10, "10 runs say too"),
                                (0.01, 20, "leaves none of 20 runs")]
)  # fmt: skip
def test_ranges_that_cannot_be_are_refused(level, runs, says):
    with pytest.raises(UnknownOption, match=says):
        rank_ranges(np.zeros((runs, 2)), level)
