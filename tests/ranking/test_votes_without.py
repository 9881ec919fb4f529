"""The ranking without some judges is that of the table without them."""

import numpy as np
import polars as pl
import pytest

import evenhand
from compared_votes import write_votes
from evenhand.errors import NotIdentified
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking.settings import Settings
from evenhand.ranking.without_judges import rank_without

USUAL = Settings(BradleyTerry(), "rank-sets", None, 0.95, 20131, None)


def assert_same(found, expected):
    assert found.systems == expected.systems
    assert found.estimate.tolist() == pytest.approx(expected.estimate.tolist(), abs=1e-10)
    assert found.rank_lower.tolist() == expected.rank_lower.tolist()
    assert found.rank_upper.tolist() == expected.rank_upper.tolist()
    assert found.n_judgments == expected.n_judgments


@pytest.mark.parametrize("gone", [[], ["J03"], ["J00", "J07"]])
def test_it_is_the_ranking_of_the_table_without_them(tmp_path, gone):
    data = evenhand.read(write_votes(tmp_path / "votes.csv"))
    expected = evenhand.rank(data.without(judges=gone) if gone else data)
    assert_same(rank_without(data.votes(), gone, USUAL), expected)


def test_rankings_are_answers_as_in_the_table(data_folder):
    path = data_folder / "rankme_nlg" / "rankings.parquet"
    data = evenhand.read(path)
    data = data.select_task(data.comparisons().tasks()[0])
    pairs = data.comparisons()
    judge = pairs.votes().judges[0]
    expected = evenhand.rank(pairs.without(judges=[judge]))
    assert_same(rank_without(pairs.votes(), [judge], USUAL), expected)


def test_controls_do_not_rank_systems():
    rows = [(f"j{k % 6}", str(k), "A", "B", "left" if k % 3 else "right", "") for k in range(60)]
    rows += [(f"j{k % 6}", f"c{k}", "good", "bad", "left", "control") for k in range(12)]
    names = ["judge", "item", "left", "right", "outcome", "kind"]
    data = evenhand.read(pl.DataFrame(rows, schema=names, orient="row"))
    found = rank_without(data.votes(), ["j0"], USUAL)
    assert found.systems == ("A", "B")
    assert found.n_judgments == 50


def test_a_system_that_nobody_else_judged_is_gone(tmp_path):
    rows = [(f"j{k % 6}", str(k), "A", "B", "left" if k % 3 else "right") for k in range(60)]
    rows += [("solo", "x", "A", "C", "left"), ("solo", "y", "C", "A", "left")]
    names = ["judge", "item", "left", "right", "outcome"]
    data = evenhand.read(pl.DataFrame(rows, schema=names, orient="row"))
    assert rank_without(data.votes(), ["solo"], USUAL).systems == ("A", "B")


def test_nobody_left_is_refused(tmp_path):
    votes = evenhand.read(write_votes(tmp_path / "votes.csv")).votes()
    assert np.unique(votes.judge).size == 10
    with pytest.raises(NotIdentified, match="nobody else judged here"):
        rank_without(votes, votes.judges, USUAL)
