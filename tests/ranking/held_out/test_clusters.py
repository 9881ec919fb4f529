"""Clusters of held-out votes: by judge and item, with what cannot be said."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.numerics.cluster_means import bound, leave_out
from evenhand.numerics.distributions import t_quantile
from evenhand.ranking.cross_validation import MAX_CLUSTERS, find_clusters
from held_out_votes import World

VOTES = World(n=1500, judges=20, items=70).simulate(np.random.default_rng(2))
NONE = np.zeros(1500, np.int32)


def test_judges_and_items_are_both_clusters() -> None:
    found = find_clusters(VOTES, 1)
    assert (found.name, found.notes) == ("judge+item", ())
    assert found.cells is not None
    assert len(np.unique(found.cells)) == len(np.unique(VOTES.judge * 70 + VOTES.item))


def test_fewer_than_five_effective_judges_are_spoken_of_alone() -> None:
    votes = World(n=1500, judges=4, items=70).simulate(np.random.default_rng(2))
    found = find_clusters(votes, 1)
    assert found.name == "item"
    assert found.notes[0].startswith("for these 4 judges only")


def test_without_judges_and_items_answers_are_clusters() -> None:
    bare = replace(VOTES, judges=("",), items=("",), judge=NONE, item=NONE)
    assert find_clusters(bare, 1).name == "judgment"
    ranked = replace(bare, answer=(np.arange(1500) // 10).astype(np.int32))
    found = find_clusters(ranked, 1)
    assert found.name == "ranking"
    assert found.notes == (
        "No judge column: nothing is said of other judges.",
        "No item column: nothing is said of other items.",
    )


def test_a_judge_with_a_task_to_themselves_says_nothing_of_others() -> None:
    split = replace(VOTES, tasks=("t", "u"), task=(VOTES.judge == 3).astype(np.int32))
    found = find_clusters(split, 1)
    assert found.name == "item"
    assert found.notes == (
        "a task has one judge in its held-out votes: nothing is said of other judges",
    )


def test_tasks_count_alike() -> None:
    votes = World(n=1500, tasks=3).simulate(np.random.default_rng(2))
    found = find_clusters(votes, 1)
    values = np.random.default_rng(1).normal(size=1500)
    each = [values[votes.task == t].mean() for t in range(3)]
    assert found.strata.means(values[None, :])[0] == pytest.approx(np.mean(each))


def test_more_clusters_than_are_kept_are_put_together() -> None:
    bare = replace(VOTES, judges=("",), items=("",), judge=NONE, item=NONE)
    merged = find_clusters(bare, 1).codes["judgment"]
    assert (
        np.bincount(merged).tolist() == [4] * 300 + [3] * 100
        or len(np.bincount(merged)) == MAX_CLUSTERS
    )


def test_the_variance_is_the_larger_of_one_way_and_both() -> None:
    found = find_clusters(VOTES, 1)
    values = np.random.default_rng(1).normal(size=20)[VOTES.judge][None, :]
    left = leave_out(found, found.strata.deviations(values))
    by_judge, by_item = (float(way.variance[0]) for way in left.changes)
    assert by_judge > 5 * by_item
    assert float(left.variance[0]) >= by_judge
    assert left.df == pytest.approx(min(way.effective for way in left.changes) - 1)


def test_judges_and_items_add_up_less_what_they_share() -> None:
    found = find_clusters(VOTES, 1)
    rng = np.random.default_rng(1)
    values = rng.normal(size=20)[VOTES.judge] + rng.normal(size=70)[VOTES.item]
    values += rng.normal(size=1500)

    def leave(codes: np.ndarray) -> float:  # the jackknife by hand
        means = np.array([values[codes != code].mean() for code in np.unique(codes)])
        return float((len(means) - 1) / len(means) * ((means - means.mean()) ** 2).sum())

    cells, moved = VOTES.judge * 70 + VOTES.item, values - values.mean()
    shared = sum(moved[cells == cell].sum() ** 2 for cell in np.unique(cells)) / 1500**2
    expected = leave(VOTES.judge) + leave(VOTES.item) - shared
    assert expected > 1.1 * max(leave(VOTES.judge), leave(VOTES.item))
    left = leave_out(found, found.strata.deviations(values[None, :]))
    assert float(left.variance[0]) == pytest.approx(expected)


def test_five_to_eight_effective_judges_are_few() -> None:
    votes = World(n=1500, judges=7, items=70).simulate(np.random.default_rng(2))
    found = find_clusters(votes, 1)
    assert found.name == "judge+item"
    assert found.notes == (
        "6.9 effective judges: intervals are wide; 8 or more would narrow them.",
    )


def test_means_of_values_that_are_alike_are_exact() -> None:
    strata = find_clusters(World(n=1501, tasks=3).simulate(np.random.default_rng(2)), 1).strata
    values = np.full((1, 1501), 0.1)
    assert strata.means(values)[0] == 0.1
    assert not strata.deviations(values).any()


def test_intervals_are_of_students_t() -> None:
    one = bound(2.0, 4.0, 7.5, 0.9)
    assert one.upper - one.value == pytest.approx(2 * t_quantile(0.95, 7.5))
    assert one.value - one.lower == pytest.approx(2 * t_quantile(0.95, 7.5))


def test_what_does_not_vary_is_known() -> None:
    assert (bound(0.0, 0.0, 5, 0.95).p, bound(1.0, 0.0, 5, 0.95).p) == (1.0, 0.0)
