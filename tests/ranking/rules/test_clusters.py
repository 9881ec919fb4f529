"""Rank ranges and clusters: by hand, beside WMT's definition, for any rule."""

import math
from dataclasses import replace

import numpy as np
import pytest

from evenhand.data.votes import Scores
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption
from evenhand.ranking.rules import find_clusters, plan_draws, rank_ranges, score_with_clusters
from tallies import tally


def win_share(data):
    """A rule for tests: wins over comparisons."""
    k = len(data.systems)
    won = np.bincount(data.left, data.wins, k) + np.bincount(data.right, data.losses, k)
    n = np.bincount(data.left, data.counts.sum(1), k) + np.bincount(
        data.right, data.counts.sum(1), k
    )
    return Scores("win-share", data.systems, won / n, "proportion", settings=("ties=lost",))


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


def test_lines_are_drawn_where_no_range_crosses():
    """WMT16 German-English, official ranges: clusters of 1, 6, 1, 1 and 1 systems."""
    best = np.array([1, 2, 2, 2, 2, 5, 6, 8, 9, 10])
    worst = np.array([1, 5, 5, 5, 6, 7, 7, 8, 9, 10])
    values = -np.arange(10.0)
    assert find_clusters(values, best, worst).tolist() == [1, 2, 2, 2, 2, 2, 2, 3, 4, 5]


def test_any_rule_gets_ranges_clusters_and_the_spread_of_its_scores():
    """The standard deviation of a proportion: √(.7 · .3 / 1000) = .01449."""
    scores = score_with_clusters(win_share, tally(("a", "b", 700, 0, 300)))
    assert scores.values.tolist() == [0.7, 0.3]
    np.testing.assert_allclose(scores.stderr, 0.01449, rtol=0.08)
    assert scores.rank_lower.tolist() == scores.rank_upper.tolist() == [1, 2]
    assert scores.cluster.tolist() == [1, 2]
    assert scores.settings == (
        "ties=lost", "seed=20131", "runs=1000", "level=0.95", "drawn=comparison",
    )  # fmt: skip


def test_drawing_judges_widens_ranges_where_judges_hang_together():
    """Of 10 judges 7 prefer a, always: √(.7 · .3 / 10) = .1449 for judges drawn whole."""
    rows = [("a", "b", 100.0 * (j < 7), 0, 100.0 * (j >= 7), f"j{j}") for j in range(10)]
    scores = score_with_clusters(win_share, tally(*rows), by=("judge",))
    np.testing.assert_allclose(scores.stderr, 0.1449, rtol=0.08)
    assert scores.cluster.tolist() == [1, 1]


def test_importance_weights_are_not_drawn_one_by_one_and_their_scale_changes_nothing():
    rows = [("a", "b", 3.0, 0, 1.0, f"j{j}") for j in range(6)]
    one = tally(*rows)
    one, three = (
        replace(
            one, wins=w * one.wins, ties=w * one.ties, losses=w * one.losses,
            squares=w**2 * one.counts,
        )
        for w in (1.0, 3.0)
    )  # fmt: skip
    for data in (one, three):
        with pytest.raises(InvalidJudgments, match="cannot be drawn with importance weights"):
            score_with_clusters(win_share, data)
    found = [score_with_clusters(win_share, data, by=("judge",), runs=50) for data in (one, three)]
    np.testing.assert_allclose(found[0].stderr, found[1].stderr, rtol=1e-12)
    assert found[0].settings == found[1].settings


def refuse_if_thin(data):
    """A rule for tests: it wants a comparison on every pair."""
    if not (data.counts.sum(axis=1) > 0).all():
        raise NotIdentified("a pair was never compared")
    return Scores("thin", data.systems, np.array([2.0, 1.0, 0.0]), "place")


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(NotIdentified, match="resamples are too thin for the rule"):
        score_with_clusters(refuse_if_thin, tally(("a", "b", 9, 0, 0), ("b", "c", 1, 0, 0)))
    with pytest.raises(InvalidJudgments, match="no comparisons to draw from"):
        plan_draws(tally(("a", "b", 0, 0, 0)), ())
    with pytest.raises(NotIdentified, match="there is only one judge; draw comparisons"):
        score_with_clusters(win_share, tally(("a", "b", 70, 0, 30, "j0")), by=("judge",))


@pytest.mark.parametrize(
    ("level", "runs", "says"), [(1.5, 100, "level cannot be 1.5"), (0.95, 10, "10 runs say too"),
                                (0.01, 20, "leaves none of 20 runs")]
)  # fmt: skip
def test_ranges_that_cannot_be_are_refused(level, runs, says):
    with pytest.raises(UnknownOption, match=says):
        rank_ranges(np.zeros((runs, 2)), level)
