"""`evenhand bias`."""

from pathlib import Path

import polars as pl
import pytest

from ranking.test_position_bias import campaign, rankings


@pytest.fixture
def votes(folder: Path) -> str:
    """Twenty judges, of whom two always take the first."""
    campaign(1, biased=2).write_csv("votes.csv")
    return "votes.csv"


def test_it_says_how_often_the_first_wins_and_who_stands_out(evenhand, votes):
    ran = evenhand("bias", votes)
    text = " ".join(ran.out.split())
    assert text.startswith("Position bias: between equals the output shown first wins 60.3 %")
    assert "Different from the others: j01 (99 %), j00 (99 %)." in text
    judges = [line.split()[0] for line in ran.out.splitlines() if line.startswith(" j")]
    assert {"j00", "j01"} == set(judges[1:3])
    assert "... and 10 more" in ran.out
    assert len(ran.out.splitlines()) <= 28


def test_groups_that_are_no_tasks_pool_them_as_in_a_ranking(evenhand, folder):
    frame = campaign(1).with_columns(
        task=pl.Series(["one", "two"] * 600), place=pl.Series(["x", "y", "y", "x"] * 300)
    )
    frame.write_csv("votes.csv")
    words = ("votes.csv", "--group-by", "place", "--json")
    for verb in ("bias", "rank"):
        groups = evenhand(verb, *words).json["groups"]
        assert set(groups) == {"x", "y"}
        for one in groups.values():
            assert "2 tasks are pooled." in [note["text"] for note in one["findings"]]


def test_rankings_with_places_on_the_screen_are_understood(evenhand, folder):
    rankings(1).write_csv("ranks.csv")
    ran = evenhand("bias", "ranks.csv")
    assert "400 rankings → 4,000 comparisons" in ran.out
    assert "Comparisons of one ranking count for 1/" in ran.out


def test_a_group_that_says_nothing_is_named(evenhand, folder):
    frame = campaign(1).with_columns(
        place=pl.when(pl.col("judge") < "j10").then(pl.lit("here")).otherwise(pl.lit("there"))
    )
    here = (pl.col("place") == "there") | (pl.col("left") < pl.col("right"))
    frame.filter(here).write_csv("votes.csv")
    ran = evenhand("bias", "votes.csv", "--group-by", "place")
    assert "error  no position bias can be told" in ran.out
    assert "there ──" in ran.out


def test_judges_who_do_not_differ_share_the_common_estimate(evenhand, folder):
    rows = ["left,right,outcome,judge"]
    for judge in range(6):
        for won, times in (("left", 6), ("right", 4)):
            rows += [f"x,y,{won},j{judge}", f"y,x,{won},j{judge}"] * times
    Path(folder, "same.csv").write_text("\n".join(rows))
    found = evenhand("bias", "same.csv", "--json").json
    assert found["spread"] == 0
    assert any("the common estimate stands for each" in line for line in found["says"])
