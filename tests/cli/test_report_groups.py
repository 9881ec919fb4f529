"""`report --group-by`: each value of a column ranked by itself, side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.report.assemble import make_report

WORTHS = {"legal": [1.0, 0.0, -1.0], "medical": [-1.0, 0.0, 1.0]}
"""Domain → worths of a, b and c."""


def draw_votes() -> list[dict[str, Any]]:
    rng = np.random.default_rng(3)
    rows = []
    for domain, worths in WORTHS.items():
        for n in range(300):
            left, right = rng.choice(3, 2, replace=False).tolist()
            won = rng.random() < 1 / (1 + np.exp(-2 * (worths[left] - worths[right])))
            rows.append(
                {
                    "left": "abc"[left],
                    "right": "abc"[right],
                    "outcome": "left" if won else "right",
                    "judge": f"j{n % 12}",
                    "item": f"{domain}-{n % 30}",
                    "domain": domain,
                }
            )
    # a domain in which nothing can be ranked
    rows += [{**rows[0], "left": "a", "right": "b", "outcome": "left", "domain": "one-sided"}]
    return rows


@pytest.fixture(scope="module")
def votes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("votes") / "votes.csv"
    pl.DataFrame(draw_votes()).write_csv(path)
    return path


def pick_groups(report: dict[str, Any]) -> dict[str, Any]:
    (part,) = report["parts"]
    return next(one for one in part["sections"] if one["name"] == "groups")


def test_each_value_of_a_column_has_its_answer_and_its_places(votes: Path) -> None:
    report = make_report(
        evenhand.read(votes), sections=["ranking", "groups", "methods"], group_by="domain"
    ).to_dict()
    section = pick_groups(report)
    answers, places = section["tables"]
    told = {row["group"]: row["answer"] for row in answers["rows"]}
    assert told["legal"] == "a is the best: better than each of the other 2."
    assert told["medical"] == "c is the best: better than each of the other 2."
    assert told["one-sided"].startswith("Not ranked: ")
    by_name = {row["system"]: row for row in places["rows"]}
    assert [column["title"] for column in places["columns"]] == ["system", "legal", "medical"]
    assert by_name["a"]["in legal"].startswith("1 (")
    assert by_name["a"]["in medical"].startswith("3 (-")
    assert by_name["c"]["estimate medical"] > by_name["c"]["estimate legal"]
    first = by_name["a"]
    assert first["lower legal"] < first["estimate legal"] < first["upper legal"]
    assert "a is better in legal, c in medical" in section["says"][0]
    methods = report["parts"][0]["sections"][-1]["blocks"][0]["text"]
    assert "Each value of domain was also ranked by itself, in the same way." in methods


def test_the_options_of_rank_stand_in_commands_and_in_the_methods(evenhand, votes: Path) -> None:
    options = ["--group-by", "domain", "--cluster", "judge"]
    run = evenhand("report", str(votes), *options, "--sections", "ranking,groups,methods", "--json")
    report = json.loads(run.out)
    assert report["command"].endswith("--cluster judge --group-by domain")
    assert "--group-by domain --cluster judge" in pick_groups(report)["command"]
    methods = report["parts"][0]["sections"][-1]["blocks"][0]["text"]
    assert "clustered by judge " in methods
    assert "each judge under random signs" in methods


def test_ratings_of_which_no_criterion_is_ranked_are_reported_all_the_same(tmp_path: Path) -> None:
    rows = [f"j{n % 3},i{n},{'ab'[n % 2]},c{n % 2},{n % 5},{'xy'[n // 2 % 2]}" for n in range(40)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["judge,item,system,criterion,score,domain", *rows, ""]))
    report = make_report(evenhand.read(path), sections=["data", "groups"], group_by="domain")
    tables = pick_groups(report.to_dict())["tables"]
    assert [one["name"] for one in tables] == ["c0-answers", "c1-answers"]
    assert all(
        row["answer"].startswith("Not ranked: there are scores of one system only")
        for one in tables
        for row in one["rows"]
    )


def test_a_control_is_held_equal_and_said(evenhand, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    rows = [{**row, "longer": float(rng.normal())} for row in draw_votes()]
    pl.DataFrame(rows).write_csv(tmp_path / "votes.csv")
    options = ["--control", "longer", "--sections", "ranking,methods", "--json"]
    report = evenhand("report", str(tmp_path / "votes.csv"), *options).json
    ranking, methods = report["parts"][0]["sections"]
    assert report["command"].endswith("--control longer")
    assert ranking["command"].endswith("--control longer")
    assert "longer held constant" in methods["blocks"][0]["text"]
