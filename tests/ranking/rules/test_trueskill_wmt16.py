"""The official ranking of WMT16, all twelve tasks, beside ours on the same comparisons.

Measured with 1,000 runs: docs/wmt16.md. Here 200, so that scores wander by about .005. The same
without ties of merged outputs, and with rankings drawn whole: the two files beside this one.
"""

from functools import cache

import numpy as np
import pytest

import evenhand
from evenhand.ranking.rules import TrueSkill, find_clusters, score_trueskill
from official_wmt16 import compare, read_official


@cache
def tallies(folder):
    return evenhand.read(folder / "pairwise_expanded.parquet").tally(by=["task"]).split("task")


def test_our_lines_are_theirs_for_the_official_ranges(data_folder):
    """Their code looks only at the last range above a line, ours at all: no line depends on it."""
    for rows in read_official(data_folder / "wmt16_rankings").values():
        best, worst, cluster = (
            np.array([int(row[name]) for row in rows]) for name in ("rank_lo", "rank_hi", "cluster")
        )
        assert find_clusters(-np.arange(len(rows)), best, worst).tolist() == cluster.tolist()


@pytest.mark.parametrize("task", ["eng-tur", "tur-eng"])
def test_the_two_smallest_tasks_of_wmt16(data_folder, task):
    folder = data_folder / "wmt16_rankings"
    scores = score_trueskill(tallies(folder)[task], settings=TrueSkill(runs=100))
    found = compare(scores, read_official(folder)[task])
    assert found["tau"] == 1
    assert found["score"] <= 0.03
    assert found["ends"] >= 0.8 * found["of"]
    assert found["lines"][0] >= found["lines"][2] - 1


@pytest.mark.parametrize("task", ["eng-tur", "tur-eng"])
def test_without_resamples_wmt16_has_narrower_ranges_than_its_official_ones(data_folder, task):
    """WMT 2015's comparisons are not at hand; on these the two settings can be distinguished."""
    folder = data_folder / "wmt16_rankings"
    official, data = read_official(folder)[task], tallies(folder)[task]
    drawn, whole = (
        score_trueskill(data, settings=TrueSkill(runs=100, resampled=resampled))
        for resampled in (True, False)
    )
    width = [(one.rank_upper - one.rank_lower).mean() for one in (drawn, whole)]
    assert width[1] < width[0]
    assert compare(whole, official)["tau"] == 1
    assert compare(whole, official)["ends"] < compare(drawn, official)["ends"]


@pytest.fixture(scope="module")
def found(data_folder):
    """By task, the agreement of 200 runs.

    Measured with 1,000: τ 1 in every task, scores within .008, 270 of 276 ends of ranges alike, the
    others one place off, 49 of 50 lines found and one more drawn.
    """
    folder = data_folder / "wmt16_rankings"
    found = {}
    for task, data in tallies(folder).items():
        scores = score_trueskill(data, settings=TrueSkill(runs=200))
        found[task] = compare(scores, read_official(folder)[task])
    return found


@pytest.mark.slow
def test_the_order_of_all_twelve_tasks_is_nearly_theirs(found):
    for task, one in found.items():
        print(f"{task}: {one}")  # noqa: T201 - an experiment shows its counts (pytest -rP)
    assert len(found) == 12
    assert min(one["tau"] for one in found.values()) >= 0.9


@pytest.mark.slow
def test_the_scores_of_all_tasks_are_theirs(found):
    assert max(one["score"] for one in found.values()) <= 0.03


@pytest.mark.slow
def test_nine_of_ten_ends_of_ranges_are_theirs_and_none_is_far_off(found):
    assert max(one["farthest"] for one in found.values()) <= 2
    ends, of = (sum(one[name] for one in found.values()) for name in ("ends", "of"))
    assert of == 276
    assert ends >= 0.9 * of


@pytest.mark.slow
def test_of_their_fifty_lines_few_are_missed_and_few_are_added(found):
    both, ours, theirs = np.sum([one["lines"] for one in found.values()], axis=0)
    assert theirs == 50
    assert both >= 44
    assert ours <= 56
