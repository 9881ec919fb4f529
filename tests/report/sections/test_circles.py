"""Circles: a planted one is named with its shares, none is claimed without one."""

from __future__ import annotations

from math import sqrt

import pytest

from evenhand.report.analysis import Analysis
from evenhand.report.document import UNDECIDED, Check, Section
from evenhand.report.sections.model import write_section_circles as write_section
from studied_judges import open_votes

ROUND = (("rock", "scissors"), ("scissors", "paper"), ("paper", "rock"))


def votes(wins: int, losses: int) -> Analysis:
    """Return votes in which each beats the next so often, both sides alike."""
    rows = [(*pair, "left") for pair in ROUND for _ in range(wins)]
    rows += [(*pair, "right") for pair in ROUND for _ in range(losses)]
    other = {"left": "right", "right": "left"}
    rows += [(two, one, other[outcome]) for one, two, outcome in rows]
    return open_votes(rows)


def check(section: Section) -> Check:
    (found,) = section.checks
    return found


def test_rock_paper_scissors_is_named_with_the_shares_that_were_planted() -> None:
    section = write_section(votes(30, 10))
    assert check(section).state == "failed"
    assert check(section).p == pytest.approx(0, abs=0.01)
    assert section.says[1].startswith(
        "Cycle: paper over rock in 75 %, rock over scissors in 75 %, scissors over paper in 75 %"
    )
    (row,) = section.tables[0].rows
    assert row["systems"] == "paper → rock → scissors"
    assert [row["won1"], row["won2"], row["won3"]] == pytest.approx([0.75] * 3)
    assert "beyond noise: 100 % of the variance of log-odds is cyclic" in section.says[0]


def test_equal_systems_have_no_circle() -> None:
    section = write_section(votes(100, 100))
    assert check(section).state == "passed"
    assert check(section).p == pytest.approx(1)  # what was seen is what is expected
    assert not section.tables
    assert "No significant cycles" in section.says[0]


def test_few_votes_without_a_circle_cannot_tell_and_say_what_could_be_seen() -> None:
    section = write_section(votes(10, 10))
    found = check(section)
    assert found.state == UNDECIDED
    # χ² on 1 of power .8: λ = 7.849 = 4 · 120 d² / 3 (each pair off by d, both sides pooled)
    points = float(found.says.split("departures of ")[1].split(" votes")[0])
    assert points == pytest.approx(100 * sqrt(7.849 * 3 / (4 * 120)), abs=1.5)  # noise is drawn
    assert found.says.startswith("too few judgments")


TRANSITIVE = {"ab": 85, "bc": 85, "ac": 60, "ad": 90, "bd": 90, "cd": 90}


def pairs(wins: dict[str, int], repeats: int) -> Analysis:
    """Return votes by pair: so many of 100 for the first, both sides alike."""
    rows = [
        (*(pair if side else pair[::-1]), "left" if (at < won) == bool(side) else "right")
        for pair, won in wins.items()
        for side in (0, 1)
        for at in range(100)
        for _ in range(repeats)
    ]
    return open_votes(rows)


def test_preferences_that_fit_one_order_but_no_scale_are_no_circle() -> None:
    section = write_section(pairs(TRANSITIVE, 2))
    assert check(section).state == "passed"
    assert check(section).says.startswith("no majority cycle, but one ranking does not fit all")
    assert section.says[1].startswith("No majority cycle, but")
    assert not any("No ranking" in one for one in (*section.says, check(section).recommendation))
    assert {row["closed"] for row in section.tables[0].rows} == {False}


def test_a_circle_closed_by_a_bare_majority_is_not_claimed() -> None:
    section = write_section(pairs({"ab": 85, "bc": 85, "ac": 49, "ad": 90, "bd": 90, "cd": 90}, 2))
    assert check(section).state == UNDECIDED
    assert check(section).says.startswith("perhaps: a over b (85 %), b over c (85 %), c over a (51")


def test_where_no_deviation_could_have_been_seen_none_is_said_to_show() -> None:
    """χ² on 1 of power .8 needs λ = 7.849 = 4 · 12 d² / 3, d = .70: more than any pair is off."""
    found = check(write_section(votes(1, 1)))
    assert found.state == UNDECIDED
    assert "would likely show" not in found.says
