"""The overview counts what the parts say."""

from __future__ import annotations

from dataclasses import replace

from evenhand.render.document import Column, Table
from evenhand.report.answer import say
from evenhand.report.assemble import write_overview
from evenhand.report.document import FAILED, PASSED, Check, Part, Section


def part(name: str, places: str, state: str) -> Part:
    board = Table("board", "", (Column("ranks", ""),), ({"ranks": places}, {"ranks": "2"}))
    check = Check("judges", "Can the judges be trusted?", state, "")
    return Part(
        name, (f"{name} is decided.",), (Section("ranking", "", (), (check,), (), (board,)),)
    )


def test_tasks_with_a_single_best_and_with_doubtful_judges_are_counted() -> None:
    parts = [part("a", "1", PASSED), part("b", "1–2", FAILED), part("c", "1–2", FAILED)]
    overview = write_overview(parts)
    assert overview is not None
    assert overview.says == (
        "3 tasks, each ranked by itself.",
        "In 1 a single system is the best; in 2 several may be.",
        "Can the judges be trusted? It changes the answer in 2 of 3 tasks.",
    )
    (table,) = overview.tables
    assert [column.key for column in table.columns] == ["task", "answer", "judges"]
    assert [row["judges"] for row in table.rows] == [PASSED, FAILED, FAILED]


def test_what_speaks_against_an_answer_is_left_to_the_lights() -> None:
    parts = [part("a", "1", FAILED), part("b", "1", PASSED)]
    parts[0] = replace(
        parts[0],
        answer=("But One is better.", say("one-sided", "warning", issue="its place is")),
    )
    overview = write_overview(parts)
    assert overview is not None
    assert overview.tables[0].rows[0]["answer"] == "But One is better."
