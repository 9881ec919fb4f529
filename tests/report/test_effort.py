"""Whether a section is made goes by counts: more of anything never makes more of it."""

from dataclasses import replace

import pandas as pd
import pytest

import evenhand
from evenhand.report.analysis import Analysis, Settings, may_rank, may_remove, rank_effort


@pytest.fixture
def study():
    rows = [(f"j{i % 8}", f"q{i % 20}", "A", "B", "left" if i % 3 else "right") for i in range(240)]
    columns = ["judge", "item", "left", "right", "outcome"]
    return Analysis(evenhand.read(pd.DataFrame(rows, columns=columns)))


def test_effort_grows_with_systems_judges_items_and_comparisons(study):
    ranking = study.ranking
    least = rank_effort(ranking)
    grown = [
        replace(ranking, n_judges=80),
        replace(ranking, n_items=190),
        replace(ranking, n_comparisons=5_000.0),
        replace(ranking, systems=("A", "B", "C")),
    ]
    assert all(rank_effort(one) > least for one in grown)


def test_clusters_that_are_merged_cost_no_more(study):
    ranking = study.ranking
    assert rank_effort(replace(ranking, n_items=200)) == rank_effort(
        replace(ranking, n_items=9_000)
    )


def test_many_tasks_get_less_and_the_full_report_gets_all(study):
    assert may_rank(study, 9)
    assert may_remove(study)
    crowd = replace(study, settings=Settings(tasks=5_000_000))
    assert not may_rank(crowd, 9)
    assert not may_remove(crowd)
    full = replace(study, settings=Settings(tasks=5_000_000, full=True))
    assert may_rank(full, 9)
    assert may_remove(full)
