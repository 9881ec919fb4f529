from __future__ import annotations

import re
from pathlib import Path

import pytest

# Dras (2015), Table 1: R 4.2.2, glm(y ~ 0 + pair + o1 + o2 + o3 + g1, family = poisson)
LAMBDA = {"A": 0.400671143644859, "B": -1.09806814223783, "C": -1.54952425741054, "D": 0.0}


def test_counts_and_worths_of_table_1_are_those_of_the_paper_and_of_r(evenhand, table1):
    systems = evenhand("rank", table1, "--json").json["systems"]
    # Dras (2015), section 2: first preferences and the order A-D-B-C
    assert [(row["system"], row["wins"]) for row in systems] == [
        ("A", 402),
        ("D", 334),
        ("B", 127),
        ("C", 54),
    ]
    centre = sum(LAMBDA.values()) / 4
    for row in systems:
        assert row["log_worth"] == pytest.approx(2 * (LAMBDA[row["system"]] - centre), abs=2e-6)
        assert row["lower"] < row["log_worth"] < row["upper"]
        assert row["rank_lower"] <= row["rank"] <= row["rank_upper"]


def test_a_group_that_cannot_be_ranked_is_named_and_the_others_are_ranked(evenhand, folder):
    Path("mixed.csv").write_text(
        "task,left,right,outcome\ngood,A,B,left\ngood,B,A,left\nbad,A,B,left\n", encoding="utf-8"
    )
    found = evenhand("rank", "mixed.csv", "--json").json
    assert list(found["groups"]) == ["good"]
    assert "worths are not identified" in found["refused"]["bad"]
    assert re.search(
        r"^error  worths are not identified", evenhand("rank", "mixed.csv").out, re.MULTILINE
    )
    assert "bad: worths are not identified" in evenhand("rank", "mixed.csv", "--csv").err


def test_too_many_systems_for_intervals_get_differences_of_neighbours(evenhand, folder):
    k = 3_010
    lines = [
        f"s{i},s{(i + step) % k},{said}"
        for i in range(k)
        for step in (1, 7, 50)
        for said in ("left", "right", "tie")
    ]
    Path("many.csv").write_text("left,right,outcome\n" + "\n".join([*lines, "s5,s6,left"]) + "\n")
    text = evenhand("rank", "many.csv").out
    _, neighbours = text.split("Differences of neighbours at the top")
    assert re.search(r"^ s5 +s\d+ +0\.\d+ +\d\.\d+$", neighbours, re.MULTILINE)
    assert "... and 2,910 more" in text
    assert "●" not in text
    found = evenhand("rank", "many.csv", "--json").json
    assert found["systems"][0]["system"] == "s5"
    assert (found["systems"][0]["lower"], found["systems"][0]["cluster"]) == (None, None)
    assert "too many for standard errors" in evenhand("fit", "many.csv").out


def test_blank_ranks_are_told_besides_blank_rankings(evenhand, rankings):
    """Of the four rankings with ranks, the last ranks one output of three."""
    text = evenhand("rank", rankings).out
    assert "1 of 5 rankings are blank and excluded" in text
    assert "2 of 12 ranks of the others are blank and not compared" in text
    found = evenhand("inspect", rankings, "--json").json["total"]
    assert (found["ranks"], found["blank_ranks"]) == (12, 2)
    assert "2 of 12 ranks of the others are blank" in " ".join(
        evenhand("inspect", rankings).out.split()
    )


def test_the_seed_that_help_shows_is_the_one_that_python_uses():
    """The option must not import numpy for its default, so it appears twice."""
    from evenhand.cli import options
    from evenhand.data import coding

    assert options.SEED == coding.SEED
