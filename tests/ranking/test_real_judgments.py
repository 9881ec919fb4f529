"""Rankings of real judgment files, where EVENHAND_DATA names their folder."""

import csv

import duckdb
import numpy as np
import pytest

import evenhand
from evenhand.models.bradley_terry import BradleyTerry


def test_wmt12_ranks_eight_tasks_by_judge_and_leaves_26_blank_rankings_out(data_folder):
    """Counts per task: stats.csv beside the data; shares: simple_scores_computed.csv there."""
    folder = data_folder / "wmt12_rankings"
    data = evenhand.read(folder / "rankings.parquet")
    assert (data.count(), data.count_blank()) == (12_339, 26)
    found = evenhand.rank(data, cluster="judge")
    assert not found.refused
    with (folder / "stats.csv").open() as file:
        stats = {row["task"]: row for row in csv.DictReader(file)}
    assert list(found) == sorted(stats)
    for task, ranking in found.groups.items():
        assert ranking.n_comparisons == int(stats[task]["pairs"])
        assert ranking.n_judges == int(stats[task]["judges"])
        assert len(ranking.systems) == int(stats[task]["systems"])
        assert "rank sets CV3 by judge, max-|t|" in ranking.method
    assert sum(ranking.n_judgments for ranking in found.groups.values()) == data.count_used()
    with (folder / "simple_scores_computed.csv").open() as file:
        for row in csv.DictReader(file):
            own = found[row["task"]].row(row["system"])
            n = own["wins"] + own["ties"] + own["losses"]
            assert n == int(row["comparisons"])
            assert (own["wins"] + own["ties"]) / n == pytest.approx(
                float(row["origwmt_ge_others"]), abs=5e-5
            )


def test_wmt12_in_its_own_layout_gives_the_same(data_folder):
    folder = data_folder / "wmt12_rankings"
    tidy = evenhand.rank(evenhand.read(folder / "rankings.parquet"))
    original = evenhand.rank(evenhand.read(folder / "wmt12.RNK_results.csv"))
    assert list(original) == list(tidy)
    for task in tidy:
        assert original[task].systems == tidy[task].systems
        assert original[task].signature == tidy[task].signature
        np.testing.assert_allclose(original[task].stderr, tidy[task].stderr, rtol=1e-9)


def test_llmfao_crowd_with_half_wins_gives_the_worths_of_evalica(data_folder):
    """evalica's own llmfao-golden.csv, algorithm bradley_terry, scaled to sum to one."""
    folder = data_folder / "llmfao"
    connection = duckdb.connect()
    golden = dict(
        connection.execute(
            "select item, score from read_csv(?) where algorithm = 'bradley_terry'",
            [str(folder / "evalica_golden.csv")],
        ).fetchall()
    )
    data = evenhand.read(folder / "pairwise.parquet", where="source = 'crowd'")
    found = evenhand.rank(data, model=BradleyTerry(ties="half-win"))
    assert (found.n_judgments, found.n_judges, len(found.systems)) == (8931, 124, 59)
    worths = dict(zip(found.systems, found.worths(), strict=True))
    assert worths.keys() == golden.keys()
    total = sum(golden.values())
    for system, score in golden.items():
        assert worths[system] == pytest.approx(score / total, rel=1e-6)
