"""Ratings that are looked at apart: each task, each criterion, and whatever else is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import narwhals as nw
import numpy as np

from evenhand.errors import InvalidJudgments, listing
from evenhand.judgments.engine import ANSWER, fetch_columns, is_nan, one_thread
from evenhand.judgments.rating_reading import is_unscored
from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.source import number_rows


def group_ratings(
    rows: RatingRows, by: str | None = None, criterion: str | None = None
) -> Mapping[str, RatingRows]:
    """Take ratings apart by task and criterion, and by a further label."""
    if criterion is not None:
        if criterion not in rows.criteria:
            names = listing([one for one in rows.criteria if one])
            raise InvalidJudgments(
                f"no criterion '{criterion}'. There are {names}" if names else "no criteria here"
            )
        rows = rows.take(rows.criterion == rows.criteria.index(criterion))
    labels = dict.fromkeys([*([] if by is None else [by]), "task", "criterion"])
    several = [one for one in labels if len(np.unique(rows.labels(one)[1])) > 1]
    if not several:
        return {"": rows}
    return {" / ".join(names): part for names, part in rows.split(several).items()}


def split_ratings(data: Ratings, by: str | None = None) -> dict[str, Ratings]:
    """Take a table of ratings apart by task, criterion and a further column, unread.

    Rows without a score stay with their group, which `group_ratings` does not see, and need not
    name a judge. Rows keep the numbers that they have in the table, for messages. A column that
    is blank in some row splits nothing: who reads the table refuses it.
    """
    parts = {"": admit_unrated(data)}
    for column in dict.fromkeys([*([] if by is None else [by]), "task", "criterion"]):
        levels = list_levels(data, column) if data.has(column) else []
        if len(levels) > 1 and None not in levels:
            level = nw.col(column).cast(nw.String)
            parts = {
                f"{name} / {own}" if name else str(own): part.where(level == own, recorded=False)
                for name, part in parts.items()
                for own in levels
                if own in list_levels(part, column)
            }
    return parts


def admit_unrated(data: Ratings) -> Ratings:
    """Let rows without a score go without a judge, before they are read apart from the others.

    Rows get their numbers in the table, for messages. Those without score and judge get the name
    of some judge, since a name must be there: nobody has rated what waits in them.
    """
    data = replace(data, frame=number_rows(data.frame, ANSWER))
    if not data.has("judge"):
        return data
    judge = nw.col("judge")
    types = data.frame.collect_schema()
    blank = judge.is_null()
    if types["judge"] == nw.String:
        blank = blank | (judge.str.strip_chars() == "")
    elif types["judge"].is_float():
        blank = blank | is_nan(data.frame, "judge")
    with one_thread(data.source.connection):
        named = fetch_columns(data.frame.filter(~blank).select("judge").head(1))["judge"].tolist()
    if not named:
        return data
    filled = nw.when(blank & is_unscored(data.frame)).then(nw.lit(named[0], types["judge"]))
    return replace(data, frame=data.frame.with_columns(judge=filled.otherwise(judge)))


def list_levels(data: Ratings, column: str) -> list[str | None]:
    """Return the different values of a column as text, sorted; None for blank ones comes last."""
    frame = data.frame.select(nw.col(column).cast(nw.String)).unique()
    with one_thread(data.source.connection):
        found = fetch_columns(frame)[column].tolist()
    return sorted(found, key=lambda one: (one is None, one or ""))
