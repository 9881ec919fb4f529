"""Fragility: the sets that are named turn the order when they are left out."""

import pandas as pd

import evenhand
from evenhand.report.analysis import Analysis, Settings
from evenhand.report.sections.robustness import write_section_fragility as write_section

COLUMNS = ["judge", "item", "left", "right", "outcome"]


def read(rows, columns=COLUMNS):
    return evenhand.read(pd.DataFrame(rows, columns=columns))


def one_sided(turned):
    """Ten judges of 24 votes each; A beats B on all but some items, C is beaten mostly."""
    rows = []
    for j in range(10):
        for i in range(24):
            left, right = [("A", "B"), ("A", "C"), ("B", "C")][i % 3]
            won = (i // 3 + j) % 8 >= turned
            rows.append((f"j{j}", f"q{i}", left, right, "left" if won else "right"))
    return rows


def rows_of(section):
    return section.tables[0].rows


def test_without_as_many_votes_as_are_said_the_other_is_ahead_and_with_one_more_it_is_not():
    rows = [("A", "B", "left")] * 7 + [("A", "B", "right")] * 4
    columns = ["left", "right", "outcome"]
    section = write_section(Analysis(read(rows, columns)))
    (row,) = [one for one in rows_of(section) if one["outcome"] == "reversed"]
    assert (row["unit"], row["fewest"], row["total"]) == ("vote", 4, 11)
    assert row["share"] == 4 / 11
    assert evenhand.rank(read(rows[4:], columns)).systems[0] == "B"
    assert evenhand.rank(read(rows[3:], columns)).rank.tolist() == [1, 1]
    assert "without 4 of 11 votes, B is ahead" in section.says[0]


def test_of_one_task_among_many_the_rest_is_left_to_a_command():
    data = read(one_sided(turned=2))
    section = write_section(Analysis(data, Settings(("votes.csv",), tasks=100)))
    assert {row["outcome"] for row in rows_of(section)} <= {"reversed", "robust"}
    assert "evenhand robustness votes.csv" in section.says[-1]
    whole = write_section(Analysis(data, Settings(full=True, tasks=100)))
    assert len(rows_of(whole)) > len(rows_of(section))


def test_judgments_that_are_too_many_are_left_to_a_command():
    data = read(one_sided(turned=2))
    section = write_section(Analysis(data, Settings(("votes.csv",), tasks=2_000)))
    assert section.not_run.startswith("Which judgments carry the answer is not run here")
