"""What is refused, or excluded, where an engine counts votes: as it is where rows are read."""

import polars as pl
import pytest

from counted_votes import answer, counted, rankings, votes
from evenhand.judges import agreement_intervals


def test_importance_weights_are_refused_where_an_engine_counts_too():
    table, found = votes().with_columns(weight=pl.lit(0.5)), {"weights": "importance"}
    said, _, _ = counted(table.lazy(), found)
    assert said == answer(table, found)
    assert "importance weights of data frame count no votes" in said


def test_rankings_are_checked_before_they_are_counted():
    table = rankings(positions=False)
    table = table.with_columns(rank=pl.col("rank") / 2)
    said, _, _ = counted(table.lazy())
    assert said == answer(table.lazy())
    assert "ranks are whole numbers" in said


def test_the_table_of_a_task_of_controls_alone_is_refused_and_no_other():
    table = votes(900, tasks=2).with_columns(
        kind=pl.when(pl.col("task") == "t1").then(pl.lit("control")).otherwise("kind")
    )
    found = answer(table)
    assert list(found["groups"]) == ["t0"]
    assert found["refused"] == {"t1": "nothing to compare: all judgments are controls or repeats"}


@pytest.mark.parametrize(("weight", "what"), [(4e9, "pairs of votes"), (2.0**46, "votes")])
def test_weights_that_make_more_than_can_be_counted_are_refused(weight, what):
    table = votes().with_columns(weight=pl.lit(weight))
    said, _, _ = counted(table.lazy())
    assert f" {what}, and no more than 2^53 (9,007,199,254,740,992) can be" in said
    assert "can be looked at one by one: read fewer, or divide the weights" in answer(table)


def test_weights_are_counted_to_the_last_pair():
    # two judges who say the same w times each: w² pairs of votes of different judges
    weight, rows = 10**7, {"item": ["i", "i"], "left": ["a", "a"], "right": ["b", "b"]}
    table = pl.DataFrame({**rows, "judge": ["x", "y"], "outcome": ["left", "left"]})
    said, _, _ = counted(table.with_columns(weight=pl.lit(weight)).lazy())
    notes = [note["text"] for one in said["parts"][0]["coefficients"] for note in one["findings"]]
    assert f"{weight**2:,} of {weight**2:,} pairs of votes agree" in "; ".join(notes)


def test_few_items_are_counted_where_items_share_clusters(monkeypatch):
    monkeypatch.setitem(agreement_intervals.MAX_CLUSTERS, "item", 12)
    table = votes(1800, items=60, criteria=2).with_columns(
        criterion=pl.when(pl.col("item").str.contains("[17]$"))
        .then("criterion")
        .otherwise(pl.lit("c0"))
    )
    both = counted(table.lazy())[0], answer(table)
    few = [
        [n for one in part["coefficients"] for n in one["findings"] if n["code"] == "no-interval"]
        for said in both
        for part in said["parts"]
    ]
    assert few[: len(few) // 2] == few[len(few) // 2 :]
    assert any(few)
