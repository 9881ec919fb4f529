"""Choices: a planted busy judge changes the answer, counts are those of two rankings by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import evenhand
from evenhand.ranking.robustness.sensitivity import Choice, Sensitivity
from evenhand.report.analysis import Analysis, Settings
from evenhand.report.sections.robustness import DRAWN, check_first, write_section_choices

COLUMNS = ["judge", "item", "left", "right", "outcome"]


def busy():
    """One judge gives more than half of the votes and alone puts A first."""
    rows = [("busy", f"q{i}", "A", "B", "left") for i in range(400)]
    rows += [
        (f"j{j}", f"q{i}", "A", "B", "left" if (i + j) % 10 < 3 else "right")
        for j in range(10)
        for i in range(30)
    ]
    return evenhand.read(pd.DataFrame(rows, columns=COLUMNS))


def many(k, n, seed=1):
    rng = np.random.default_rng(seed)
    worth = np.linspace(1.5, -1.5, k)
    rows = []
    for i in range(n):
        a, b = rng.choice(k, 2, replace=False)
        won = rng.random() < 1 / (1 + np.exp(worth[b] - worth[a]))
        outcome = "tie" if i % 9 == 0 else "left" if won else "right"
        rows.append((f"j{rng.integers(20)}", f"q{i % 60}", f"S{a:02d}", f"S{b:02d}", outcome))
    return evenhand.read(pd.DataFrame(rows, columns=COLUMNS))


def test_a_first_place_that_a_busy_judge_makes_is_said_to_go_when_he_is_capped():
    section = write_section_choices(Analysis(busy()))
    assert section.says[0].startswith(
        "The lead is not robust to choices: A leads, but not in these rankings: "
    )
    assert "busy judges capped at the median" in section.says[0]
    rows = {row["choice"]: row for row in section.tables[0].rows}
    assert rows["default"]["first"] == "A"
    assert rows["busy judges capped at the median"]["first"] == "B"
    assert rows["busy judges capped at the median"]["changes"].startswith("B ahead of A")


def test_counts_are_those_of_the_rankings():
    data = many(6, 900)
    rows = {row["choice"]: row for row in write_section_choices(Analysis(data)).tables[0].rows}
    own, other = (
        {tuple(pair) for pair in one.to_dict()["rank_sets"]["decided"]}
        for one in (evenhand.rank(data), evenhand.rank(data, cluster="judgment"))
    )
    assert rows["judgments taken as independent"]["decided"] == len(other)
    assert rows["default"]["decided"] == len(own)


def test_of_many_systems_orders_alone_are_asked_and_the_command_is_said():
    data = many(30, 3_000)
    section = write_section_choices(Analysis(data, Settings(("votes.csv",), tasks=4)))
    assert "decided" not in [column.key for column in section.tables[0].columns]
    assert any("evenhand robustness votes.csv" in said for said in section.says)
    drawn = {row["system"] for rows in section.figures[0].datasets.values() for row in rows}
    assert len(drawn) == DRAWN
    assert section.figures[0].title == f"Places of the best {DRAWN} systems by choice"


def test_where_nothing_links_systems_no_choice_is_said_to_agree_on_the_first():
    rows = [
        (f"j{i % 10}", f"q{i}", a, b, "left" if i % 3 else "right")
        for i in range(45)
        for a, b in (("A", "B"), ("C", "D"))
    ]
    data = evenhand.read(pd.DataFrame(rows, columns=COLUMNS))
    section = write_section_choices(
        Analysis(data, Settings(model=evenhand.BradleyTerry(prior=1.0)))
    )
    assert section.says[0] == "No choice says who leads: that is set by the prior alone."
    assert any(note.startswith("Nothing compares A, B with C, D") for note in section.notes)


def choice(name, systems, decided):
    places = tuple(range(1, len(systems) + 1))
    return Choice(name, tuple(systems), places, places, places, tuple(decided))


@pytest.mark.parametrize(
    ("order", "decided", "state", "said"),
    [
        ("BAC", "BC", "failed", "another system is first under 1 of 1 choices: capped"),
        ("ABC", "AB", "warning", "the lead of A is undecided under 1 of 1 choices: capped"),
        ("ACB", "AB AC", "failed", "a pair is reversed under 1 of 1 choices: capped"),
        ("ABC", "AB AC", "passed", "A is the best under all 1"),
    ],
)
def test_the_check_fails_where_a_choice_reverses_and_warns_where_the_lead_is_undecided(
    order, decided, state, said
):
    ranking = evenhand.rank(many(3, 3_000))
    assert ranking.rank_upper[0] == 1
    named = replace(ranking, systems=("A", "B", "C"))
    own = choice("default", "ABC", map(tuple, ("AB", "AC", "BC")))
    other = choice("capped", order, map(tuple, decided.split()))
    (check,) = check_first(Sensitivity((own, other), 0.95, (), ""), named)
    assert (check.name, check.state) == ("choices", state)
    assert said in check.says


def test_a_first_place_that_is_open_has_no_check():
    ranking = evenhand.rank(many(3, 3_000))
    open_ = replace(ranking, rank_upper=np.array([2, 2, 3]))
    own = choice("default", "ABC", [])
    assert check_first(Sensitivity((own, own), 0.95, (), ""), open_) == []
