"""Rankings of real judgment files, where EVENHAND_DATA names their folder."""

import csv
from pathlib import Path

import duckdb
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


def test_what_the_page_says_of_llmfao_and_two_llms(data_folder):
    page = (Path(__file__).parents[2] / "docs" / "llmfao.md").read_text(encoding="utf-8")
    path = data_folder / "llmfao" / "pairwise.parquet"
    ranking = evenhand.rank(
        evenhand.read(
            path, columns={"item": "prompt"}, where="source in ('crowd', 'gpt4', 'gpt4-crowd')"
        ),
        llm_judges=["llm:gpt4", "llm:gpt4-all"],
    )
    assert ranking.systems[0] == "GPT 4"
    assert f"shares first place with {(ranking.rank_lower == 1).sum() - 1} systems" in page
    fused = ranking.fused
    assert (fused.weight, fused.n_verdicts) == (0, 5134)
    assert (len(fused.unjudged), fused.n_unused) == (11, 241)
    assert f"The {fused.n_verdicts:,.0f} verdicts of LLM judges add nothing here" in page
    found = evenhand.replace(
        evenhand.read(path, where="source in ('crowd', 'gpt3-crowd', 'gpt4-crowd')"),
        llm_judges=["llm:gpt3", "llm:gpt4"],
        epsilon=0.1,
    ).replacements
    said = " ".join(page.split())
    gaps, ends = (
        [f"{getattr(one, name):.2f}".lstrip("0") for one in found]
        for name in ("difference", "upper")
    )
    assert f"{gaps[0]} for GPT-3.5 and {gaps[1]} for GPT-4, at most {ends[0]} and {ends[1]}" in said
    assert not any(one.passes for one in found)
