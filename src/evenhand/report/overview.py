"""Several tasks on one screen: the answer of each, and its lights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from evenhand.report.caveat import is_caveat
from evenhand.report.document import FAILED, LIGHTS, Column, Part, Section, Table

# Light → head of its column
HEADS: Final = {
    "judges": "judges",
    "agreement": "agreement",
    "order": "order",
    "model": "model",
    "choices": "choices",
}


def write_overview(parts: Sequence[Part]) -> Section | None:
    """Write what several tasks have in common; None where there is one."""
    if len(parts) < 2:
        return None
    rows = tuple(_describe(part) for part in parts)
    made = [name for name in LIGHTS if any(row[name] is not None for row in rows)]
    columns = (
        Column("task", "task"),
        Column("answer", "answer"),
        *(Column(name, HEADS[name], "text") for name in made),
    )
    return Section(
        "overview",
        "All tasks",
        says=tuple(_say_lights(parts)),
        tables=(Table("tasks", "The answer for each task", columns, rows),),
    )


def _describe(part: Part) -> dict[str, Any]:
    """Return the row of a task."""
    states = {check.name: check.state for check in part.lights}
    first, *others = part.answer or ("",)
    answer = " ".join([first, *(one for one in others if not is_caveat(one))])  # lights say those
    return {"task": part.name, "answer": answer, **{name: states.get(name) for name in LIGHTS}}


def _say_best(parts: Sequence[Part]) -> list[str]:
    """Say in how many tasks one system is the best; nothing where there are no boards."""
    sections = [part.section("ranking") for part in parts]
    boards = [table for one in sections if one for table in one.tables if table.name == "board"]
    if not boards:
        return []
    clear = sum(board.rows[0]["places"] == "1" for board in boards)
    open_ = len(boards) - clear
    if not clear:
        return ["In none of them is a single system the best: several may be."]
    said = f"In {clear} a single system is the best"
    return [f"{said}; in {open_} several may be." if open_ else f"{said}."]


def _say_lights(parts: Sequence[Part]) -> list[str]:
    """Say in how many tasks something is wrong."""
    said = [f"{len(parts)} tasks, each ranked by itself.", *_say_best(parts)]
    for name in LIGHTS:
        lit = [check for part in parts for check in part.lights if check.name == name]
        wrong = sum(check.state == FAILED for check in lit)
        if wrong:
            said.append(f"{lit[0].asks} It changes the answer in {wrong} of {len(lit)} tasks.")
    return said
