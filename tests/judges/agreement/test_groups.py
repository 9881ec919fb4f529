"""Agreement by group: each value of a column is measured as if it were a table of its own."""

import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownColumn
from evenhand.judges import agreement

GROUPS = ("crowd", "expert")


def scores(*, judges="uvwxyz"):
    """Two systems on thirty items of two tasks; experts differ by at most a point."""
    rng = np.random.default_rng(3)
    rows = []
    for item in range(30):
        for system in "ab":
            meant = int(rng.integers(1, 6))
            for judge in judges:
                group = GROUPS[judge in "uvw"]
                said = meant + int(rng.integers(-1, 2) * (1 + (group == "crowd")))
                row = (judge, f"i{item}", system, min(max(said, 1), 5), group, f"t{item % 2}")
                rows.append(row)
    names = ("judge", "item", "system", "score", "group", "task")
    return pl.DataFrame(rows, schema=names, orient="row")


def answers():
    """Comparisons of the same judges: who scored higher."""
    wide = scores().pivot("system", values="score")
    gap = pl.col("a") - pl.col("b")
    outcome = pl.when(gap > 0).then(pl.lit("left")).when(gap < 0).then(pl.lit("right"))
    return wide.select(
        *("judge", "item", "group", "task"),
        left=pl.lit("a"),
        right=pl.lit("b"),
        outcome=outcome.otherwise(pl.lit("tie")),
    )


@pytest.mark.parametrize("make", [scores, answers])
def test_each_group_is_what_its_rows_are_alone(make):
    table = make().drop("task")
    found = evenhand.measure_agreement(evenhand.read(table), group_by="group")
    assert (list(found), found.by, found.refused) == (list(GROUPS), "group", {})
    for name in GROUPS:
        alone = evenhand.read(table.filter(pl.col("group") == name).drop("group"))
        assert found[name].to_dict() == evenhand.measure_agreement(alone).to_dict()
    near = [found[name].whole["n-agreement-0"].value for name in GROUPS]
    assert near[0] < near[1]


def test_rankings_are_grouped_too():
    rows = [
        (f"r{item}{judge}", judge, f"i{item}", system, rank, "one" if item < 6 else "two")
        for item in range(12)
        for judge in "xy"
        for rank, system in enumerate("AB" if judge == "x" or item % 3 else "BA", start=1)
    ]
    names = ["ranking", "judge", "item", "system", "rank", "lot"]
    found = evenhand.measure_agreement(
        evenhand.read(pl.DataFrame(rows, names, orient="row")), group_by="lot"
    )
    assert {name: one.kind for name, one in found.groups.items()} == dict.fromkeys(
        ["one", "two"], "rankings"
    )
    assert found["one"].whole["n-agreement-0"].value == pytest.approx(4 / 6)


@pytest.mark.parametrize("make", [scores, answers])
def test_tasks_of_a_group_are_pooled_and_that_is_said(make):
    data = evenhand.read(make())
    found = evenhand.measure_agreement(data, group_by="group")
    assert all("2 tasks are pooled." in one.notes for one in found.groups.values())
    tasks = evenhand.measure_agreement(data, group_by="task")
    assert [one.to_dict() for one in tasks.groups.values()] == [
        one.to_dict() for one in evenhand.measure_agreement(data).groups.values()
    ]


def test_a_group_without_shared_outputs_is_refused_and_one_group_is_still_one():
    data = evenhand.read(scores(judges="ux").drop("task"))
    with pytest.raises(NotIdentified, match=r"group crowd: no output was .* group expert: no "):
        evenhand.measure_agreement(data, group_by="group")
    found = evenhand.measure_agreement(
        evenhand.read(scores(judges="uvx").drop("task")), group_by="group"
    )
    assert list(found) == ["expert"]
    assert "there is one judge alone" in found.refused["crowd"]
    with pytest.raises(UnknownColumn, match="'grup'"):
        evenhand.measure_agreement(data, group_by="grup")


def test_more_ratings_than_can_be_held_are_refused(monkeypatch):
    monkeypatch.setattr(agreement, "MAX_RATINGS", 359)
    with pytest.raises(InvalidJudgments, match=r"up to 359 ratings, and .* has 360"):
        evenhand.measure_agreement(evenhand.read(scores()))
