"""Groups that are analysed apart: what is asked for, else the tasks; counted in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evenhand.errors import UnknownOption
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.levels import count_answers
from evenhand.judgments.tally import Tally


def choose_groups(table: Comparisons, group_by: str | None) -> str | None:
    """Return the column whose levels are kept apart: what was asked, else the task, if any."""
    if group_by is not None:
        if not isinstance(group_by, str):
            raise UnknownOption(f"group_by is one column, such as 'judge', not {group_by!r}")
        return table.require(group_by)
    return "task" if table.has("task") else None


def say_pooled(table: Comparisons, by: str | None) -> tuple[str, ...]:
    """Note that groups mix tasks, where they are something else than tasks."""
    return () if by in (None, "task") else note_tasks(table)


def note_tasks(table: Comparisons) -> tuple[str, ...]:
    """Note that comparisons are of several tasks."""
    tasks = table.tasks()
    return (f"{len(tasks)} tasks are pooled",) if len(tasks) > 1 else ()


def tally_groups(
    table: Comparisons, by: str | None, factors: Sequence[str] = ()
) -> dict[str, Tally]:
    """Count every level of a column apart, in one pass; all under the name "" where it is None."""
    kept = tuple(name for name in dict.fromkeys(factors) if name != by)
    if by is None:
        return {"": table.tally(by=kept)}
    parts = table.tally(by=(by, *kept)).split(by)
    if not table.expanded:
        return parts
    answers = count_answers(table, by)
    return {name: replace(part, n_judgments=answers[name]) for name, part in parts.items()}
