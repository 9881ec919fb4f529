from __future__ import annotations

from pathlib import Path

import pytest

from evenhand import datasets


def test_the_walk_gives_the_numbers_of_the_paper(evenhand, folder):
    text = evenhand("demo").out
    # Dras (2015), section 2; R 4.2.2 glm of eq. (1) and gnm of eq. (2)
    assert "first preferences: A 402, D 334, B 127, C 54" in text
    assert " 30.4554   8 " in text
    assert "107.5000  35 " in text


def test_the_walk_leaves_nothing_behind(evenhand, folder):
    evenhand("demo")
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("name", datasets.names())
def test_every_table_gives_the_numbers_it_must(evenhand, name):
    text = evenhand("demo", name).out
    assert text.startswith("Every number agrees.")
    assert "differs" not in text


def test_a_table_can_be_written_and_used(evenhand):
    ran = evenhand("demo", "pudding", "-o", "pudding.csv")
    assert ran.out == ""
    assert Path("pudding.csv").read_text(encoding="utf-8") == datasets.load("pudding").csv()
    assert evenhand("rank", "pudding.csv", "--json").json["n_judgments"] == 745


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("puding",), "Did you mean 'pudding'?"),
        (("-o", "x.csv"), "which table?"),
        (("--list", "pudding"), "--list stands alone"),
    ],
)
def test_misunderstandings_are_cleared_up(evenhand, words, said):
    assert said in evenhand("demo", *words, code=2).err


def test_a_table_is_not_written_over_a_file_unless_asked(evenhand, folder):
    Path("mine.csv").write_text("mine", encoding="utf-8")
    assert "--force replaces it" in evenhand("demo", "pudding", "-o", "mine.csv", code=2).err
    assert Path("mine.csv").read_text(encoding="utf-8") == "mine"
    evenhand("demo", "pudding", "-o", "mine.csv", "--force")
    assert Path("mine.csv").read_text(encoding="utf-8") == datasets.load("pudding").csv()


def test_a_simulated_campaign_is_listed_and_written_as_ratings(evenhand, folder):
    assert "hamon2007_simulated  simulated ratings" in evenhand("demo", "--list").out
    evenhand("demo", "hamon2007_simulated", "-o", "ratings.csv")
    lines = Path("ratings.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "judge,item,system,input,criterion,score"
    assert len(lines) == 1 + 2 * 20_360


def test_a_simulated_campaign_has_no_printed_numbers(evenhand):
    refused = evenhand("demo", "hamon2007_simulated", code=2).err
    assert "is simulated and has no printed numbers" in refused


def test_a_simulated_table_is_suggested_where_its_name_is_nearly_right(evenhand):
    refused = evenhand("demo", "side_by_side", "-o", "votes.csv", code=2).err
    assert "Did you mean 'side_by_side_simulated'?" in " ".join(refused.split())
