"""The ranking's section says how to read the board, and why it is open; not the answer again."""

from __future__ import annotations

import pandas as pd

import evenhand
from evenhand.report.analysis import Analysis
from evenhand.report.answer import say_answer
from evenhand.report.sections.systems import write_section_ranking


def study(wins: int, losses: int) -> Analysis:
    rows = [("a", "b", "left")] * wins + [("b", "a", "left")] * losses
    rows += [("a", "c", "left")] * wins + [("c", "a", "left")] * losses
    rows += [("b", "c", "left")] * 20 + [("c", "b", "left")] * 20
    return Analysis(evenhand.read(pd.DataFrame(rows, columns=["left", "right", "outcome"])))


def test_what_the_answer_says_is_not_said_again() -> None:
    known = study(40, 10)
    assert say_answer(known.ranking)[0] == "a is the best: better than each of the other 2."
    assert write_section_ranking(known).says == (
        "Rank sets hold the places that each system may have, with 95 % confidence in all of them"
        " together.",
    )


def test_an_open_answer_comes_with_its_reason() -> None:
    known = study(22, 20)
    says = write_section_ranking(known).says
    assert len(says) == 2
    assert says[1].lower() == f"{known.ranking.says}.".lower()


def test_a_column_says_how_many_opponents_each_system_met() -> None:
    (table,) = write_section_ranking(study(40, 10)).tables
    assert [row["opponents"] for row in table.rows] == [2, 2, 2]
    assert table.rows[0]["better_than"] == 2
