"""A report of several processes is the report of one."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.errors import UnknownFormat, UnknownOption
from evenhand.report import assemble
from evenhand.report.analysis import Settings
from evenhand.report.assemble import make_report

SOME = ("ranking", "data", "methods")


@pytest.fixture(scope="module")
def votes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three tasks of unlike size, one of which cannot be ranked."""
    draw = np.random.default_rng(1)
    tasks = {"large": 900, "small": 300, "one-sided": 60}
    rows = [
        {
            "task": task,
            "left": left,
            "right": right,
            "judge": f"j{draw.integers(12)}",
            "outcome": "left" if task == "one-sided" else draw.choice(["left", "tie", "right"]),
        }
        for task, n in tasks.items()
        for _ in range(n)
        for left, right in [sorted(draw.choice(["a", "b", "c"], 2, replace=False))]
    ]
    path = tmp_path_factory.mktemp("votes") / "votes.csv"
    pl.DataFrame(rows).write_csv(path)
    return path


def test_two_processes_write_what_one_writes(votes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = make_report(evenhand.read(votes), sections=SOME).to_dict()
    monkeypatch.setattr(assemble, "MIN_PARALLEL_JUDGMENTS", 1)
    monkeypatch.setattr(assemble, "_count_processes", lambda _: 2)
    together = make_report(
        evenhand.read(votes), sections=SOME, opener=partial(evenhand.read, votes)
    )
    assert together.to_dict() == alone
    assert [part.name for part in together.parts] == ["large", "one-sided", "small"]


def test_one_task_with_all_checks_is_divided_by_sections(
    votes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assemble, "_count_processes", lambda _: 2)
    monkeypatch.setattr(assemble, "SLOW", ("data",))
    opener = partial(evenhand.read, votes, task="large")
    full = Settings(full=True)
    together = make_report(opener(), full, sections=SOME, opener=opener)
    assert together.to_dict() == make_report(opener(), full, sections=SOME).to_dict()
    assert [one.name for one in together.parts[0].sections] == list(SOME)
    assert together.parts[0].answer


def test_what_cannot_be_ranked_says_why_and_leaves_the_others_alone(votes: Path) -> None:
    made = make_report(evenhand.read(votes), sections=SOME)
    answers = {part.name: part.answer for part in made.parts}
    assert "No ranking: task one-sided: worths are not identified" in answers["one-sided"][0]
    refused = made.parts[1].section("ranking")
    assert refused is not None
    assert refused.not_run
    assert not answers["large"][0].startswith("No ranking")
    assert made.overview is not None
    assert [row["task"] for row in made.overview.tables[0].rows] == list(answers)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"sections": "ranking"}, r"a list of names, such as \['ranking'\]"),
        ({"model": "davidson"}, r"model cannot be 'davidson': choose bradley-terry"),
        ({"data": "lost.csv"}, r"there is no file 'lost.csv'"),
    ],
)
def test_what_is_no_list_no_model_and_no_table_is_refused(
    votes: Path, asked: dict[str, Any], said: str
) -> None:
    with pytest.raises((UnknownOption, UnknownFormat), match=said):
        make_report(**{"data": evenhand.read(votes), **asked})


def test_a_file_of_many_tasks_leaves_what_takes_long_to_a_report_on_one(tmp_path: Path) -> None:
    rows = [
        {"task": f"t{n % 5}", "left": pair[0], "right": pair[1], "outcome": outcome}
        for n in range(200)
        for pair, outcome in [(("A", "B"), "left"), (("A", "B"), "right")]
    ]
    made = make_report(evenhand.read(pl.DataFrame(rows)))
    names = [one.name for one in made.parts[0].sections]
    assert names[-1] == "more"
    assert "fragility" not in names
    assert "How few judgments carry the answer?" in made.parts[0].sections[-1].says[0]


def test_a_single_task_is_read_once(votes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assemble, "MIN_PARALLEL_JUDGMENTS", 1)
    data = evenhand.read(votes, task="large")
    together = make_report(data, sections=SOME, opener=partial(pytest.fail, "read again"))
    assert together.to_dict() == make_report(data, sections=SOME).to_dict()
