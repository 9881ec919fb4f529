"""The tasks of a table, such as pairs of languages: which there are, and whether one is there."""

from __future__ import annotations

import narwhals as nw

from evenhand.errors import InvalidJudgments, UnknownColumn, name_near
from evenhand.judgments.engine import COUNT, Frame, fetch_columns
from evenhand.judgments.source import Source


def count_tasks(frame: Frame, source: Source) -> dict[str, int]:
    """Rows of each task, sorted by its name; empty where there is no task column."""
    if "task" not in frame.collect_schema().names():
        return {}
    named = frame.select(nw.col("task").cast(nw.String))
    found = fetch_columns(named.group_by("task").agg(nw.len().alias(COUNT)))
    if any(task is None for task in found["task"]):
        raise InvalidJudgments(f"a task is missing in {source.name}: fill it or drop it")
    return dict(sorted(zip(found["task"].tolist(), found[COUNT].tolist(), strict=True)))


def list_tasks(frame: Frame, source: Source) -> list[str]:
    """Names of the tasks, sorted; empty where there is no task column."""
    return list(count_tasks(frame, source))


def require_task(frame: Frame, source: Source, task: str) -> None:
    """Refuse a task that is not there."""
    if "task" not in frame.collect_schema().names():
        raise UnknownColumn(
            f"{source.name} has no tasks, so task '{task}' cannot be taken: leave it out, or say"
            " which column is the task (--column task=NAME, in Python columns={'task': 'NAME'})"
        )
    tasks = list_tasks(frame, source)
    if task not in tasks:
        hint = name_near(task, tasks)
        raise InvalidJudgments(f"no task '{task}' in {source.name}.{hint}")
