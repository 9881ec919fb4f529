"""Votes that an engine counts give the table that votes give which are read row by row."""

import polars as pl
import pytest
from click.testing import CliRunner

from counted_votes import (
    AGAIN,
    answer,
    asked_again,
    counted,
    marked,
    ranked_in_one_task,
    rankings,
    votes,
)
from engine_answers import count_all
from evenhand.cli.main import main
from evenhand.judges import agreement_intervals

WEIGHTS = pl.Series("weight", [at % 4 for at in range(900)])
ASKED = {
    "all": (votes(), {}),
    "no kinds": (votes().drop("kind", "seconds"), {}),
    "nobody again": (votes().unique(AGAIN[:2], keep="first", maintain_order=True), {}),
    "no ties": (votes(ties=False), {}),
    "no ties in a task": (
        pl.concat([votes(ties=one > 1).with_columns(task=pl.lit(f"t{one}")) for one in (1, 2)]),
        {},
    ),
    "the left one always": (votes().with_columns(outcome=pl.lit("left")), {}),
    "ties alone": (votes().with_columns(outcome=pl.lit("tie")), {}),
    "tasks": (votes(900, tasks=2), {}),
    "a part a task": (votes(900, tasks=2), {"by": ["task"]}),
    "a task of controls alone": (
        votes(900, tasks=2).with_columns(
            kind=pl.when(pl.col("task") == "t1").then(pl.lit("control")).otherwise("kind")
        ),
        {},
    ),
    "a task of repeats and controls, by task": (
        votes(900, tasks=3).with_columns(
            kind=pl.when(pl.col("task") == "t1").then(pl.lit("repeat")).otherwise("kind")
        ),
        {"by": ["task"]},
    ),
    "targets in one task alone, by system": (
        votes(900, tasks=3).with_columns(
            kind=pl.when(pl.col("task") == "t1").then("kind").otherwise(pl.lit("repeat"))
        ),
        {"by": ["system"]},
    ),
    "again by kind alone": (asked_again(votes()), {}),
    "ties of controls alone": (marked("control"), {}),
    "ties of repeats alone": (marked("repeat"), {}),
    "several rows an answer in one task": (ranked_in_one_task(), {}),
    "criteria": (votes(900, criteria=2), {}),
    "pairs of systems": (votes(), {"by": ["system"]}),
    "by task where there is none": (votes(), {"by": ["task"]}),
    "crossed": (votes(1800, tasks=3, criteria=2), {"by": ["criterion", "task"]}),
    "criteria by pair": (votes(900, criteria=2), {"by": ["criterion", "system"]}),
    "weights": (votes(900, tasks=2).with_columns(WEIGHTS), {}),
    "each weight 1": (votes(900).with_columns(weight=pl.lit(1.0)), {}),
    "answers of several rows": (
        votes(900).with_columns(ranking=pl.Series([f"r{at // 3}" for at in range(900)])),
        {},
    ),
    "few items": (votes(100, items=5), {}),
    "one pair of systems": (votes().filter(pl.col("left") == "a", pl.col("right") == "c"), {}),
    "every coefficient of units": (
        votes(),
        {"coefficients": ["n-agreement", "fleiss", "alpha", "gwet", "pi", "agreement", "kappa"]},
    ),
    "one mode": (votes(), {"coefficients": "wmt"}),
    "one level": (votes(), {"coefficients": ["alpha-nominal"], "level": 0.8}),
    "nothing twice": (votes(40, items=400), {}),
    "no such coefficient": (votes(), {"coefficients": "kapa"}),
}


@pytest.mark.parametrize("asked", ASKED)
def test_counts_give_all_that_votes_give(asked):
    # of up to 1,000 items each is a cluster in the order of names: intervals are the same too
    table, settings = ASKED[asked]
    said, _, whys = counted(table.lazy(), **settings)
    assert said == answer(table, **settings)
    assert whys == set()


@pytest.mark.parametrize("positions", [True, False])
@pytest.mark.parametrize("found", [{}, {"system_separator": "+"}])
def test_rankings_are_counted_as_the_comparisons_that_they_are(positions, found):
    table = rankings(positions=positions)
    said, _, whys = counted(table.lazy(), found)
    assert said == answer(table, found)
    assert whys == set()


def test_a_file_is_counted_where_it_lies(tmp_path):
    path, table = tmp_path / "votes.parquet", votes(900, tasks=2)
    table.write_parquet(path)
    assert counted(path)[0] == answer(table)


def test_items_that_share_a_cluster_change_no_value_and_intervals_little(monkeypatch):
    monkeypatch.setitem(agreement_intervals.MAX_CLUSTERS, "item", 40)
    table = votes(3000, items=120).drop("kind")
    found, expected = counted(table.lazy())[0], answer(table)
    both = (said["parts"][0]["coefficients"] for said in (found, expected))
    for one, other in zip(*both, strict=True):
        assert {**one, "lower": 0, "upper": 0} == {**other, "lower": 0, "upper": 0}
        width = other["upper"] - other["lower"]
        assert one["upper"] - one["lower"] == pytest.approx(width, rel=0.3)


def test_ten_times_the_votes_bring_back_no_more_rows(monkeypatch):
    monkeypatch.setitem(agreement_intervals.MAX_CLUSTERS, "item", 10)
    few, many = (counted(votes(1000 * one, items=90 * one).lazy()) for one in (1, 10))
    look, answers = 1000, 4 * 4  # for names of winners; outcomes and kinds
    assert few[1] < look + answers + 250
    assert many[1] < look + answers + 250
    assert many[2] == few[2] == set()


UNCOUNTED = {
    "judges drawn": (votes(), {"cluster": "judge"}, "to draw judges again"),
    "between judges": (votes(), {"coefficients": ["cohen"]}, "known row by row: cohen"),
    "all": (votes(), {"coefficients": "all"}, "known row by row: all"),
    "expectations": (
        votes().with_columns(expected=pl.lit("tie")),
        {},
        "what is expected of controls",
    ),
    "an odd outcome": (
        votes().with_columns(outcome=pl.lit("maybe")),
        {},
        "labels that cannot be",
    ),
    "a system against itself": (votes().with_columns(right="left"), {}, "labels that cannot be"),
    "a blank": (votes().with_columns(judge=pl.lit("j ")), {}, "labels that cannot be"),
    "no item": (votes().drop("item"), {}, ""),
    "no judge": (votes().drop("judge"), {}, ""),
    "controls alone": (votes().with_columns(kind=pl.lit("control")), {}, "all controls"),
}


@pytest.mark.parametrize("asked", UNCOUNTED)
def test_what_needs_rows_fetches_them_and_says_why(asked, tmp_path):
    table, settings, why = UNCOUNTED[asked]
    path = tmp_path / "votes.parquet"
    table.write_parquet(path)
    said, _, whys = counted(path, **settings)
    assert said == answer(path, **settings)
    assert [one for one in whys if why in one] or not why


UNTIMED = {
    "no moments": votes(900, tasks=2).drop("shown_at"),
    "no moments of some items": votes(900, tasks=2).with_columns(
        shown_at=pl.when(pl.col("item") < "i5").then(None).otherwise("shown_at")
    ),
    "moments beyond the whole numbers of doubles": votes(900, tasks=2).with_columns(
        shown_at=pl.col("shown_at") + 2**60
    ),
    "nanoseconds": votes(900, tasks=2).with_columns(pl.col("shown_at").cast(pl.Datetime("ns"))),
    "moments of several": votes(900, tasks=2).with_columns(pl.col("shown_at") // 450),
}


@pytest.mark.parametrize("told", UNTIMED)
def test_the_first_of_two_answers_is_told_by_the_order_of_rows_where_there_is_one(told, tmp_path):
    table, path = UNTIMED[told], tmp_path / "votes.parquet"
    table.write_parquet(path)
    said, _, whys = counted(path)
    assert said == answer(table)
    assert whys == set()
    _, _, whys = counted(table.lazy())
    assert len(whys) == 1
    assert "order of" in whys.pop()


def test_explain_shows_what_was_counted_and_why_rows_were_not(tmp_path):
    path = tmp_path / "votes.parquet"
    votes().write_parquet(path)
    with count_all():
        one, other = (
            CliRunner().invoke(main, ["agreement", str(path), "--explain", *asked])
            for asked in ((), ("--cluster", "judge"))
        )
    assert "evenhand_kappa_strict_agree" in one.stderr
    assert "row by row" not in one.stderr
    assert "row by row: to draw judges again, who judged what must be known" in other.stderr
