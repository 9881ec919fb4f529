"""Fragility: the sets that are named turn the order when they are left out, and no false alarm."""

import numpy as np
import pandas as pd
import pytest

import evenhand
from evenhand.ranking.robustness.fragility import REVERSED, UNDECIDED, Flip, Fragility
from evenhand.report.analysis import Analysis, Settings
from evenhand.report.sections.robustness import is_few, say_findings
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
    (row,) = [one for one in rows_of(section) if one["outcome"] == "another is ahead"]
    assert (row["unit"], row["fewest"], row["total"]) == ("judgments", 4, 11)
    assert row["share"] == round(4 / 11, 6)
    assert evenhand.rank(read(rows[4:], columns)).systems[0] == "B"
    assert evenhand.rank(read(rows[3:], columns)).rank.tolist() == [1, 1]
    assert "without 4 of 11 judgments (36 %) B is ahead" in section.says[0]


def test_judges_that_are_named_turn_the_order_when_they_are_left_out():
    rng = np.random.default_rng(5)
    rows = [
        (
            f"j{j:02d}",
            f"q{i}",
            "A",
            "B",
            "left" if rng.random() < (0.9 if j < 3 else 0.47) else "right",
        )
        for j in range(15)
        for i in range(20)
    ]
    data = read(rows)
    section = write_section(Analysis(data))
    (row,) = [
        one
        for one in rows_of(section)
        if one["unit"] == "judges" and one["outcome"] == "another is ahead"
    ]
    first = evenhand.rank(data).systems[0]
    named = row["whose"].replace(" and ", ", ").split(", ")
    assert len(named) == row["fewest"]
    assert evenhand.rank(data.without(judges=named)).systems[0] != first


def test_an_order_that_is_open_raises_no_alarm():
    rng = np.random.default_rng(8)
    rows = [
        (f"j{i % 10}", f"q{i % 30}", "A", "B", "left" if rng.random() < 0.5 else "right")
        for i in range(301)
    ]
    section = write_section(Analysis(read(rows)))
    assert any("the first place is not decided" in said for said in section.says)
    assert not any("look at these judgments first" in said for said in section.says)


def test_a_first_place_that_is_decided_by_all_is_not_said_to_hang_on_few():
    study = Analysis(read(one_sided(turned=1)))
    assert study.ranking.rank_upper[0] == 1
    section = write_section(study)
    assert any("That is not few" in said for said in section.says)
    alone = [row for row in rows_of(section) if row["unit"] == "judgments"]
    assert all(row["share"] > 0.01 for row in alone if row["fewest"])


def ask(unit, how, fewest, total):
    return Flip("A is first", how, unit, fewest, total, fewest, None, "falls", ())


@pytest.mark.parametrize(
    ("flip", "few"),
    [
        (ask("vote", REVERSED, 9, 1_000), True),
        (ask("vote", REVERSED, 11, 1_000), False),
        (ask("vote", UNDECIDED, 2, 480), True),
        (ask("vote", UNDECIDED, 2, 100), True),
        (ask("judge", REVERSED, 1, 3), True),
        (ask("judge", UNDECIDED, 1, 3), False),
        (ask("judge", REVERSED, 1, 1), False),
        (ask("judge", UNDECIDED, 1, 10), True),
        (ask("item", UNDECIDED, 2, 100), True),
        (ask("item", UNDECIDED, 3, 100), False),
        (ask("judge", REVERSED, 2, 19), False),
    ],
)
def test_few_are_a_hundredth_of_votes_or_one_or_two_of_many(flip, few):
    assert is_few(flip) is few


def test_a_first_place_that_two_votes_leave_open_is_said_to_hang_on_them():
    board = evenhand.rank(read(one_sided(turned=1)))
    assert board.rank_upper[0] == 1
    flips = (
        ask("vote", REVERSED, 29, 480),
        ask("vote", UNDECIDED, 2, 480),
        ask("item", UNDECIDED, 2, 100),
    )
    said = say_findings(Fragility(flips, (), ""), board)[-1]
    assert "without 2 of 480 judgments or 2 of 100 items it is no longer decided" in said
    assert "not few" not in said


def test_of_a_few_judges_one_who_leaves_it_open_is_neither_an_alarm_nor_all_clear():
    board = evenhand.rank(read(one_sided(turned=1)))
    flips = (ask("vote", UNDECIDED, 60, 1_200), ask("judge", UNDECIDED, 1, 3))
    said = say_findings(Fragility(flips, (), ""), board)[-1]
    assert said.startswith("There are so few judges that one or two of them")


def test_what_was_not_asked_is_not_said_to_be_so():
    board = evenhand.rank(read(one_sided(turned=1)))
    said = say_findings(Fragility((ask("vote", REVERSED, 60, 1_200),), (), ""), board)[-1]
    assert "another is ahead" in said
    assert "no longer decided" not in said


def test_a_judge_who_alone_makes_the_first_is_named_as_what_it_hangs_on():
    rng = np.random.default_rng(3)
    rows = [
        (f"j{j}", f"q{i}", "A", "B", "left" if rng.random() < share else "right")
        for j, share, many in ((0, 0.9, 300), (1, 0.4, 50), (2, 0.4, 50))
        for i in range(many)
    ]
    data = read(rows)
    assert evenhand.rank(data.without(judges=["j0"])).systems[0] == "B"
    section = write_section(Analysis(data))
    row = next(row for row in rows_of(section) if row["unit"] == "judges")
    assert (row["fewest"], row["total"], row["whose"]) == (1, 3, "j0")
    assert not any("not few" in said for said in section.says)


def test_systems_that_are_level_leave_no_conclusion():
    rows = [("A", "B", "left"), ("A", "B", "right")] * 5
    section = write_section(Analysis(read(rows, ["left", "right", "outcome"])))
    assert section.says == ("All systems are level: there is no conclusion to be carried.",)


def test_of_one_task_among_many_the_rest_is_left_to_a_command():
    data = read(one_sided(turned=2))
    section = write_section(Analysis(data, Settings(("votes.csv",), tasks=100)))
    assert {row["outcome"] for row in rows_of(section)} <= {"another is ahead"}
    assert "evenhand robustness votes.csv" in section.says[-1]
    whole = write_section(Analysis(data, Settings(full=True, tasks=100)))
    assert len(rows_of(whole)) > len(rows_of(section))


def test_judgments_that_are_too_many_are_left_to_a_command():
    data = read(one_sided(turned=2))
    section = write_section(Analysis(data, Settings(("votes.csv",), tasks=2_000)))
    assert section.not_run.startswith("Which judgments carry the answer is not run here")
