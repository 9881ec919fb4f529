"""Groups of judgments that are analysed apart, and how many judges or items a table has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.data import engine
from evenhand.data.comparisons import Comparisons
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import RatingRows
from evenhand.data.ratings import Ratings, is_unscored
from evenhand.data.source import number_rows
from evenhand.data.tables import TASK_BOUND, count_answers
from evenhand.data.tally import Tally
from evenhand.data.texts import say
from evenhand.errors import InvalidJudgments, UnknownOption, listing, suggest

Loads = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Levels:
    loads: Mapping[str, Loads]  # role → (levels,) comparisons of each level

    def count(self, role: str) -> int | None:
        return len(self.loads[role]) if role in self.loads else None

    def effective(self, role: str) -> float | None:
        """Return (Σ n)² / Σ n², or None where they are not known."""
        loads = self.loads.get(role)
        return None if loads is None else float(loads.sum() ** 2 / (loads**2).sum())


def count_levels(table: Comparisons, role: str) -> Loads:
    """Count comparisons by judge or item, as they are weighted."""
    # Rows of weight zero count nowhere, nor do those that do not name one.
    table.require(role)
    keys = ["task", role] if role in TASK_BOUND and table.has("task") else [role]
    named = table.frame.filter(~nw.col(role).is_null())
    weight, sums = nw.col("weight"), list[nw.Expr]()
    if table.has("weight"):
        named, sums = named.filter(weight > 0), [weight.sum().alias(engine.COUNT)]
    with engine.one_thread(table.source.connection):
        return engine.count_by(named, keys, *sums)[engine.COUNT].astype(np.float64)


def split_table(table: Comparisons, by: str) -> dict[str, Comparisons]:
    level = nw.col(by).cast(nw.String)
    names = [name for name in list_levels(table, by) if name is not None]
    return {name: table.where(level == name, recorded=False) for name in names}


def choose_groups(table: Comparisons, group_by: str | None) -> str | None:
    """Return the column whose levels are kept apart: what was asked, else the task, if any."""
    if group_by is not None:
        if not isinstance(group_by, str):
            raise UnknownOption(f"group_by is one column, such as 'judge', not {group_by!r}")
        return table.require(group_by)
    return "task" if table.has("task") else None


def say_pooled(table: Comparisons, by: str | None) -> tuple[str, ...]:
    return () if by in (None, "task") else note_tasks(table)


def note_tasks(table: Comparisons) -> tuple[str, ...]:
    tasks = table.tasks()
    return (say("tasks-pooled", tasks=len(tasks)),) if len(tasks) > 1 else ()


def tally_groups(
    table: Comparisons, by: str | None, factors: Sequence[str] = ()
) -> dict[str, Tally]:
    """Count every level of a column apart, in one pass; all under the name "" where it is None."""
    remaining = tuple(name for name in dict.fromkeys(factors) if name != by)
    if by is None:
        return {"": table.tally(by=remaining)}
    parts = table.tally(by=(by, *remaining)).split(by)
    if not table.expanded:
        return parts
    answers = count_answers(table, by)
    return {name: replace(part, n_judgments=answers[name]) for name, part in parts.items()}


# Ratings that are looked at apart: each task, each criterion, and whatever else is asked.
def choose_criterion(data: Ratings, criterion: str | None) -> Ratings:
    if criterion is None:
        return data
    levels = list_levels(data, "criterion") if data.has("criterion") else []
    known = [level for level in levels if level is not None]
    if not known:
        raise InvalidJudgments("no criteria here: leave the criterion out")
    if criterion not in known:
        hint = suggest(criterion, known) or f" There are {listing(known)}"
        raise InvalidJudgments(f"no criterion '{criterion}'.{hint}")
    chosen = data.where(nw.col("criterion").cast(nw.String) == criterion, recorded=False)
    return data.keep_rows(chosen.frame, "criterion", f"by criterion '{criterion}'")


def group_ratings(rows: RatingRows, by: str | None = None) -> Mapping[str, RatingRows]:
    labels = dict.fromkeys([*([] if by is None else [by]), "task", "criterion"])
    several = [one for one in labels if rows.has_several(one)]
    if not several:
        return {"": rows}
    return {" / ".join(names): part for names, part in rows.split(several).items()}


def split_ratings(data: Ratings, by: str | None = None) -> dict[str, Ratings]:
    """Take a table of ratings apart by task, criterion and a further column, unread."""
    # Rows without a score stay with their group, which `group_ratings` does not see, and need not
    # name a judge. Rows keep the numbers that they have in the table, for messages. A column that
    # is blank in some row splits nothing: who reads the table refuses it.
    parts = {"": admit_unrated(data)}
    for column in dict.fromkeys([*([] if by is None else [by]), "task", "criterion"]):
        levels = list_levels(data, column) if data.has(column) else []
        if len(levels) > 1 and None not in levels:
            level = nw.col(column).cast(nw.String)
            parts = {
                f"{name} / {value}" if name else str(value): part.where(
                    level == value, recorded=False
                )
                for name, part in parts.items()
                for value in levels
                if value in list_levels(part, column)
            }
    return parts


def admit_unrated(data: Ratings) -> Ratings:
    """Let rows without a score go without a judge, before they are read apart from the others."""
    # Rows get their numbers in the table, for messages. Those without score and judge get the name
    # of some judge, since a name must be there: nobody has rated what waits in them.
    data = replace(data, frame=number_rows(data.frame, engine.ANSWER))
    if not data.has("judge"):
        return data
    judge = nw.col("judge")
    types = data.frame.collect_schema()
    blank = judge.is_null()
    if types["judge"] == nw.String:
        blank = blank | (judge.str.strip_chars() == "")
    elif types["judge"].is_float():
        blank = blank | engine.is_nan(data.frame, "judge")
    with engine.one_thread(data.source.connection):
        named = engine.fetch_columns(data.frame.filter(~blank).select("judge").head(1))[
            "judge"
        ].tolist()
    if not named:
        return data
    filled = nw.when(blank & is_unscored(data.frame)).then(nw.lit(named[0], types["judge"]))
    return replace(data, frame=data.frame.with_columns(judge=filled.otherwise(judge)))


def list_judges(data: Comparisons | Rankings | Ratings) -> set[str]:
    return set(filter(None, list_levels(data, "judge"))) if data.has("judge") else set()


def list_levels(
    data: Comparisons | Rankings | Ratings, column: str, *, rows: int | None = None
) -> list[str | None]:
    """Return the different values of a column as text, sorted; None for blank ones comes last.

    rows: how many of the first rows are looked at; None for all.
    """
    frame = data.frame
    if rows is not None and not (isinstance(frame, nw.DataFrame) and len(frame) <= rows):
        frame = frame.head(rows)
    with engine.one_thread(data.source.connection):
        if isinstance(frame, nw.DataFrame):  # in pandas a third of the time of groups
            series = frame.get_column(column)
            coded = engine.code_columns(frame, [column]) if series.dtype == nw.String else None
            if coded is not None:
                values = coded[column].labels
            else:
                distinct = series.unique().cast(nw.String).to_frame()
                values = engine.fetch_columns(distinct)[column].tolist()
        else:
            values = [*engine.count_labels(frame, column, as_text=True)]
    return sorted(values, key=lambda one: (one is None, one or ""))
