"""The ranking's section is the document of the ranking."""

from __future__ import annotations

import pandas as pd

import evenhand
from evenhand.report.analysis import Analysis
from evenhand.report.sections.systems import write_section_ranking


def study(wins: int, losses: int) -> Analysis:
    rows = [("a", "b", "left")] * wins + [("b", "a", "left")] * losses
    rows += [("a", "c", "left")] * wins + [("c", "a", "left")] * losses
    rows += [("b", "c", "left")] * 20 + [("c", "b", "left")] * 20
    return Analysis(evenhand.read(pd.DataFrame(rows, columns=["left", "right", "outcome"])))


def test_the_section_says_what_the_ranking_says() -> None:
    known = study(22, 20)
    document = known.ranking.document()
    assert write_section_ranking(known).says == (*document.answer, document.basis)


def test_the_board_holds_the_rows_of_the_ranking() -> None:
    (table,) = write_section_ranking(study(40, 10)).tables
    assert table.name == "board"
    assert [row["ranks"] for row in table.rows] == ["1", "2-3", "2-3"]
    assert [row["better_than"] for row in table.rows] == [2, 0, 0]
    assert table.rows[0]["beats"] == "b and c"
