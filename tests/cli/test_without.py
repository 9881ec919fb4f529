"""`--without` excludes judges and systems by name, in every verb that reads a file."""

import csv
from itertools import combinations
from pathlib import Path
from random import Random

import pandas as pd
import pytest

import evenhand as package
from evenhand.errors import InvalidJudgments, UnknownOption

COLUMNS = ("judge", "item", "left", "right", "outcome")


@pytest.fixture
def votes(folder) -> Path:
    """Votes of eight judges on A, B, C and gpt; the last judge is called gpt as well."""
    draw, rows = Random(5), []
    for judge in (*(f"judge-{i:02}" for i in range(1, 8)), "gpt"):
        for item in range(6):
            for one, other in combinations(("A", "B", "C", "gpt"), 2):
                outcome = "left" if draw.random() < 0.65 else "right"
                rows.append((judge, f"i{item}", one, other, outcome))
    path = folder / "votes.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    return path


def test_it_is_the_condition_that_says_the_same(evenhand, votes):
    by_name = evenhand("rank", "votes.csv", "--without", "judge-02, B", "--json").json
    condition = "judge <> 'judge-02' and \"left\" <> 'B' and \"right\" <> 'B'"
    by_rows = evenhand("rank", "votes.csv", "--where", condition, "--json").json
    assert by_name["systems"] == by_rows["systems"]
    judges, systems = by_name["excluded"]
    assert (judges["code"], judges["judge_names"], judges["rows"]) == ("judges", ["judge-02"], 36)
    assert (systems["code"], systems["system_names"], systems["rows"]) == ("systems", ["B"], 126)
    assert "excluded 36 of 288 rows, 1 of 8 judges, by name (sha256 " in by_name["signature"]
    assert "excluded 126 of 252 rows, 1 of 4 systems, by name (sha256 " in by_name["signature"]


def test_who_was_excluded_tells_signatures_apart(evenhand, votes):
    signed = {
        evenhand("rank", "votes.csv", "--without", name, "--json").json["signature"]
        for name in ("judge-01", "judge-02", "A", "B")
    }
    assert len(signed) == 4


def test_a_name_of_a_judge_and_a_system_is_refused_with_the_ways_to_say_which(evenhand, votes):
    said = " ".join(evenhand("rank", "votes.csv", "--without", "A,gpt", code=2).err.split())
    ways = ("--without", "system=gpt"), ("--without", "judge=gpt")
    assert said.endswith(f"say which, {' '.join(ways[0])} or {' '.join(ways[1])}")
    for way, code in zip(ways, ("systems", "judges"), strict=True):
        excluded = evenhand("rank", "votes.csv", *way, "--json").json["excluded"]
        assert [one["code"] for one in excluded] == [code]


def test_an_output_of_several_systems_counts_for_those_that_stay(evenhand, folder):
    rankings = [("A", "B+C", "D"), ("B", "A+C", "D"), ("D", "A", "C"), ("C", "D", "B")]
    rows = [
        (f"r{i}", f"j{i % 2}", system, rank)
        for i, order in enumerate(rankings * 3)
        for rank, system in enumerate(order, start=1)
    ]
    write = [("ranking", "judge", "system", "rank"), *rows]
    with (folder / "r.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(write)
    options = ("--system-separator", "+", "--without", "B", "--json")
    ranked = evenhand("rank", "r.csv", *options).json
    assert [one["system"] for one in ranked["systems"]].count("B") == 0
    # of 12 rankings 3 lose B, 3 lose the B of B+C, 3 lose B; C beats D where it stood in B+C
    assert ranked["n_comparisons"] == 3 * (3 + 2 + 3 + 1)
    (systems, *_) = (one for one in ranked["excluded"] if one["code"] == "systems")
    assert (systems["rows"], systems["of_rows"], systems["system_names"]) == (9, 42, ["B"])


def test_the_report_names_them_in_its_methods_and_reruns_with_them(evenhand, votes):
    chosen = ("--without", "judge-05,judge=gpt", "--sections", "methods", "--json")
    part = evenhand("report", "votes.csv", *chosen).json["parts"][0]
    (section,) = part["sections"]
    (written,) = (one["text"] for one in section["blocks"] if one["name"] == "methods.txt")
    assert "72 of 288 rows, 2 of 8 judges (gpt, judge-05), by name." in written
    assert "--without judge-05,judge=gpt" in section["command"]


def test_a_pilot_goes_without_them(evenhand, votes):
    words = ("plan", "--pilot", "votes.csv", "--campaigns", "0", "--without", "B", "--json")
    excluded = evenhand(*words).json["excluded"]
    assert [one["system_names"] for one in excluded] == [["B"]]
    said = evenhand("plan", "--systems", "3", "--gap", ".3", "--without", "B", code=2).err
    assert "--without is of a pilot" in " ".join(said.split())


def test_python_takes_names(votes):
    data = package.read(votes, without=["judge-01", "system=gpt"])
    assert [(one.code, one.rows) for one in data.excluded] == [("judges", 36), ("systems", 126)]
    frame = package.read(pd.read_csv(votes), without="judge-01,A")
    assert (
        package.rank(frame).systems
        == package.rank(package.read(votes, without=["judge-01", "A"])).systems
    )
    with pytest.raises(UnknownOption, match="is a system and a judge"):
        package.read(votes, without=["gpt"])
    with pytest.raises(InvalidJudgments, match="Did you mean 'judge-07'"):
        package.read(votes, without=["judge-7"])
