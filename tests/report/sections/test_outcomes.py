"""Wins, ties and losses are counts by hand."""

from __future__ import annotations

import pandas as pd

import evenhand
from evenhand.report.analysis import Analysis
from evenhand.report.document import Section
from evenhand.report.sections.systems import write_section_outcomes as write_section


def write(*rows: tuple[str, str, str]) -> Section:
    columns = ["left", "right", "outcome"]
    return write_section(Analysis(evenhand.read(pd.DataFrame(list(rows), columns=columns))))


VOTES = (
    *[("a", "b", "left")] * 5,
    *[("b", "a", "left")] * 2,
    *[("a", "b", "tie")] * 1,
    *[("b", "c", "left")] * 3,
    *[("c", "b", "left")] * 1,
    *[("c", "a", "tie")] * 4,
)


def test_each_system_has_its_wins_ties_and_losses_best_first() -> None:
    (table,) = write(*VOTES).tables
    counted = [(row["system"], row["wins"], row["ties"], row["losses"]) for row in table.rows]
    assert counted[0] == ("a", 5, 5, 2)
    assert {*counted[1:]} == {("c", 1, 4, 3), ("b", 5, 1, 6)}
    assert [row["n"] for row in table.rows if row["system"] == "a"] == [12]
