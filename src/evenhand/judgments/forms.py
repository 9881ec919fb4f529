"""The forms in which judgments come to a model of preferences: tables, votes, or counts of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from evenhand.errors import InvalidJudgments, UnknownColumn
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import say_left_out, take_pairs
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.tally import Tally
from evenhand.judgments.votes import Votes
from evenhand.judgments.wrong_kind import refuse_kind

Judgments: TypeAlias = Comparisons | Rankings | Tally | Votes
# What tells answers of several comparisons apart, and where one may change its judge
ANSWERS: Final = ("ranking", "task")


def count_pairs(data: Judgments, by: Sequence[str] = (), *, answers: bool = False) -> Tally:
    """Count outcomes per pair of systems, and per judge, item, ... in `by`.

    A tally is taken as it is: it must have been made by these factors.
    """
    if isinstance(data, Comparisons | Rankings):
        data = take_pairs(data)
    if isinstance(data, Tally):
        return data
    if isinstance(data, Comparisons):
        return data.tally(by=(*by, *(_told(data) if answers else ())))
    if isinstance(data, Votes):
        if "judge" in by and data.judges == ("",):
            raise UnknownColumn("these votes do not say who judged: read them with a judge column")
        told = ("ranking", *(["task"] if data.tasks != ("",) else []))
        return data.tally((*by, *(told if answers and data.answer is not None else ())))
    raise refuse_form(data, "preferences")


def refuse_form(data: object, of: str) -> InvalidJudgments:
    """Return the refusal of what holds no judgments that a model could be fitted to."""
    forms = "rankings or comparisons" if of == "rankings" else "comparisons or rankings"
    return refuse_kind(data, f"a model of {of} is fitted to {forms}, not to")


def note_tasks(data: object) -> tuple[str, ...]:
    """Say so where controls are left out, and where judgments on several tasks are pooled."""
    tasks: Sequence[str] = ()
    said: tuple[str, ...] = ()
    if isinstance(data, Comparisons | Rankings):
        table = take_pairs(data)
        tasks, said = table.tasks(), say_left_out(data, table)
    elif isinstance(data, Votes):
        tasks = data.tasks
    return (*said, f"{len(tasks)} tasks are pooled") if len(tasks) > 1 else said


def _told(data: Comparisons) -> tuple[str, ...]:
    """Return what tells answers apart, where an answer may be several comparisons."""
    return tuple(name for name in ANSWERS if data.has(name)) if data.has("ranking") else ()
